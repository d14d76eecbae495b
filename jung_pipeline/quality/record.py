"""What the checks of a stage last said, kept beside the tables so that status needs no Dagster.

One JSON file a stage and volume: the data version that was checked and the outcomes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from jung_pipeline.quality.outcome import CheckOutcome
from jung_pipeline.tables import write_text


def write_outcomes(path: Path, data_version: str, outcomes: Sequence[CheckOutcome]) -> None:
    """Remember ``outcomes`` of checking the table of ``data_version``."""
    content = {"data_version": data_version, "outcomes": [asdict(outcome) for outcome in outcomes]}
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1, default=str))


def read_outcomes(path: Path, data_version: str | None = None) -> list[CheckOutcome] | None:
    """The outcomes last remembered; ``None`` without any, or if they are of another ``data_version``."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if data_version is not None and content["data_version"] != data_version:
            return None
        return [CheckOutcome(**outcome) for outcome in content["outcomes"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
