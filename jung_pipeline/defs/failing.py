"""How a stage fails in Dagster: with our sentence on the first line, and remembered for ``jung status``."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg

from jung_pipeline import freshness
from jung_pipeline.catalogue import Volume
from jung_pipeline.errors import JungError, ServiceError
from jung_pipeline.settings import Settings

#: For steps that speak to a service: twice more, after about 3 and 6 seconds, never all runs at the same moment.
#: The clients have tried again by themselves before a step fails; this is for outages that last a little longer.
HEALABLE = dg.RetryPolicy(max_retries=2, delay=3, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)


def making(stage: str, volume: Volume, settings: Settings, make: Callable[[], Any]) -> Any:
    """Call ``make``; an error meant for people becomes the failure's description.

    Only what a service did may end otherwise at a second try.
    """
    with as_failure():
        return freshness.remembering_failure(stage, volume, settings, make)


@contextlib.contextmanager
def as_failure() -> Iterator[None]:
    """Turn an error into the failure of the step, which is tried again only where that can heal it."""
    try:
        yield
    except JungError as error:
        raise dg.Failure(description=str(error), allow_retries=isinstance(error, ServiceError)) from error
    except Exception as error:  # a fault of ours, or of the machine: as wrong the next time
        raise dg.Failure(description=f"{type(error).__name__}: {error}", allow_retries=False) from error
