"""Evaluations as they were made, one JSON file each, so that the next one can be held against the last.

::

    JUNG_HOME/evaluations/<time>.json
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jung_pipeline import tables

#: The figures that are held against those of the run before; higher is better but for the ones below.
COMPARED = (
    "recall@3",
    "recall@6",
    "recall@20",
    "mrr",
    "ndcg@10",
    "cross_lingual_recall@6",
    "auroc_off_topic",
    "auroc_near_miss",
    "false_answer_rate",
    "false_refusal_rate",
    "quote_accuracy",
)
LOWER_IS_BETTER = ("false_answer_rate", "false_refusal_rate")


def folder(home: Path) -> Path:
    """Where the evaluations of a library lie."""
    return home / "evaluations"


def keep(home: Path, report: Mapping[str, Any], *, golden: str, version: str) -> Path:
    """Write ``report`` beside the earlier ones."""
    now = datetime.now(UTC)
    made = {"made": now.isoformat(timespec="seconds"), "golden": golden, "index_version": version, **report}
    path = folder(home) / f"{now:%Y%m%dT%H%M%S%f}.json"
    tables.write_text(path, json.dumps(made, ensure_ascii=False, indent=1))
    return path


def last(home: Path, *, golden: str, like: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """The latest evaluation with the golden set ``golden``; a file that cannot be read is passed over.

    With ``like``, the latest that asked the same cases as that report: figures over other questions say nothing
    about what became better or worse.
    """
    for path in sorted(folder(home).glob("*.json"), reverse=True):
        try:
            report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if report["golden"] == golden and (like is None or _cases(report) == _cases(like)):
                return report
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return None


def history(home: Path, golden: str) -> list[dict[str, Any]]:
    """The evaluations with the golden set ``golden`` that asked the same cases as the latest one, oldest first."""
    latest = last(home, golden=golden)
    kept = []
    for path in sorted(folder(home).glob("*.json")):
        try:
            report = json.loads(path.read_text(encoding="utf-8"))
            if latest and report["golden"] == golden and _cases(report) == _cases(latest):
                kept.append(report)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return kept


def _cases(report: Mapping[str, Any]) -> list[list[str]]:
    """Which cases a report is about."""
    kinds = ("questions", "unanswerable", "quotations")
    return [sorted(str(row["id"]) for row in report.get(kind, ())) for kind in kinds]


def changes(now: Mapping[str, Any], before: Mapping[str, Any] | None) -> dict[str, float]:
    """How the figures changed; those that one of the two lacks are left out."""
    if before is None:
        return {}
    return {
        name: round(now[name] - before[name], 4)
        for name in COMPARED
        if now.get(name) is not None and before.get(name) is not None
    }
