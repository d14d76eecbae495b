"""How a stage fails in Dagster: with our sentence on the first line, and remembered for ``jung status``."""

from collections.abc import Callable
from typing import Any

import dagster as dg

from jung_pipeline import freshness
from jung_pipeline.catalogue import Volume
from jung_pipeline.errors import JungError, ServiceError
from jung_pipeline.settings import Settings


def making(stage: str, volume: Volume, settings: Settings, make: Callable[[], Any]) -> Any:
    """Call ``make``; an error meant for people becomes the failure's description.

    Only what a service did may end otherwise at a second try.
    """
    try:
        return freshness.remembering_failure(stage, volume, settings, make)
    except JungError as error:
        raise dg.Failure(description=str(error), allow_retries=isinstance(error, ServiceError)) from error
