"""Python's collector of cyclic garbage at rest, where it would only cost time."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def collector_at_rest() -> Iterator[None]:
    """The collector switched off for the block (or the function, as a decorator), and on again behind it.

    A stage makes hundreds of thousands of small objects that live as long as it does and refer to none that
    refers back, and the collector would go through all of them again and again: a tenth of the whole time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
