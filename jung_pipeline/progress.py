"""Progress of long stages, as an event stream that knows nothing of who is watching.

A stage calls :func:`advance`; the command line installs a reporter that draws bars, everything else
(the Dagster UI, tests) leaves the default, which ignores it. One process ingests one volume at a time,
so one reporter for the process is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Called with (stage name, units done so far, units in all or ``None`` where unknown).
Reporter = Callable[[str, int, int | None], None]


def _ignore(stage: str, done: int, total: int | None) -> None:
    """The default reporter."""


_reporter: Reporter = _ignore


def advance(stage: str, done: int, total: int | None = None) -> None:
    """Tell whoever watches that ``done`` of ``total`` units of ``stage`` are finished."""
    _reporter(stage, done, total)


@contextmanager
def reporting_to(reporter: Reporter) -> Iterator[None]:
    """Send progress to ``reporter`` inside the ``with`` block."""
    global _reporter
    before, _reporter = _reporter, reporter
    try:
        yield
    finally:
        _reporter = before


#: Called with (stage name, number of the unit that is begun).
PlaceKeeper = Callable[[str, int], None]


def _forget(stage: str, unit: int) -> None:
    """The default keeper."""


_keeper: PlaceKeeper = _forget


def begin(stage: str, unit: int) -> None:
    """Say that a unit of work is begun (a page, counted from 1; 0 for work on none of them).

    So one that never ends can be named.
    """
    _keeper(stage, unit)


@contextmanager
def place_kept_by(keeper: PlaceKeeper) -> Iterator[None]:
    """Send every beginning of a unit to ``keeper`` inside the ``with`` block; it must be quick."""
    global _keeper
    before, _keeper = _keeper, keeper
    try:
        yield
    finally:
        _keeper = before
