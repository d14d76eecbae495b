"""What tests of damage share: one ingestion, how a volume stands, losing a file."""

from __future__ import annotations

import os
from pathlib import Path

from jung_pipeline import freshness, publishing
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.index.versions import open_current


def ingest(settings):
    """Run it; the ingestion and its results by volume."""
    ingestion = Ingestion(settings)
    results = {result.volume: result for result in ingestion.run()}
    return ingestion, results


def states(settings, key="north"):
    volume = settings.paths.catalogue().get(key)
    return {state.stage: state for state in freshness.states(volume, settings)}


def is_well(settings) -> bool:
    """Whether `jung status` has nothing to say, and the index can be read."""
    said = [state.reason for state in states(settings).values() if state.status != "fresh"]
    if publishing.summary(settings)["problem"]:
        return False
    version = open_current(settings.paths.index)
    whole = len(version.passages) == version.vectors.count() == version.lexical.count() > 0
    return not said and whole


def lose(path: Path, how: str) -> None:
    if how == "delete":
        path.unlink()
    else:
        os.truncate(path, path.stat().st_size // 2)
