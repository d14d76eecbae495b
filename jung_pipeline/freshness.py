"""How every stage of a volume stands, told from the files alone, without Dagster.

A stage is fresh when its table's fingerprint is what it would be now and its blocking checks passed; stale
when something it was made from changed; failed when it could not be made or a blocking check said no. What
fails is remembered beside the outcomes of the checks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jung_pipeline import tables
from jung_pipeline.catalogue import Volume
from jung_pipeline.errors import SourceError, StageError
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.quality.record import read_outcomes
from jung_pipeline.settings import Settings
from jung_pipeline.stages import STAGES, book_facts, code_version, fingerprint, index_spec, stage_path

#: Why a stage is missing that never was there; any other reason is a loss.
NOT_MADE = "not made yet"


@dataclass(frozen=True)
class StageState:
    """How a stage of a volume stands: ``fresh``, ``stale``, ``missing`` (never made, or lost) or ``failed``."""

    stage: str
    status: str
    reason: str = ""
    info: Mapping[str, Any] | None = None


def states(volume: Volume, settings: Settings) -> list[StageState]:
    """The state of every stage of ``volume``, in order, with the reason where it is not fresh."""
    result: list[StageState] = []
    above: str | None = None  # the first stage that is not fresh: everything below it follows
    versions: dict[str, str] = {}
    for stage in STAGES:
        info = tables.read_info(stage_path(stage, volume.key, settings))
        state = _state_of(stage, info, above, versions, volume, settings)
        if state.status != "fresh" and above is None:
            above = stage
        if info:
            versions[stage] = info.get("data_version", "")
        result.append(state)
    return result


def due_stages(volume: Volume, settings: Settings) -> list[str]:
    """The first stage that is not fresh and everything after it."""
    for position, state in enumerate(states(volume, settings)):
        if state.status != "fresh":
            return list(STAGES[position:])
    return []


def wanted(volume: Volume, settings: Settings) -> str:
    """Digest of everything that decides what the volume's stages would make now: file, rules, settings, entry.

    That the file cannot be read is a state of it like any other: it must keep nobody from telling, or from going
    on with the other volumes.
    """
    info = tables.read_info(stage_path("raw_text", volume.key, settings)) or {}
    try:
        source = book_facts(volume, settings, info.get("source"))["sha256"]
    except SourceError:
        source = "unreadable"
    parts = [fingerprint(stage, volume, settings, {}) for stage in STAGES]
    return hashlib.sha256("\n".join([source, *parts]).encode()).hexdigest()[:16]


def _state_of(
    stage: str,
    info: dict[str, Any] | None,
    above: str | None,
    versions: Mapping[str, str],
    volume: Volume,
    settings: Settings,
) -> StageState:
    """The state of one stage, given the first stage above it that is not fresh."""
    failure = _failure(stage, volume, settings)
    if failure:
        return StageState(stage, "failed", failure["message"], info)
    if not info or "fingerprint" not in info:
        damaged = stage_path(stage, volume.key, settings).exists()
        return StageState(stage, "missing", "its table is damaged" if damaged else NOT_MADE, None)
    if above is not None:
        return StageState(stage, "stale", f"{above} is not up to date", info)
    try:
        inputs = _inputs(stage, versions, volume, settings, info)
        expected = fingerprint(stage, volume, settings, inputs)
    except SourceError as error:
        return StageState(stage, "failed", str(error), info)
    if info["fingerprint"] != expected:
        return StageState(stage, "stale", _why(stage, info, settings), info)
    if stage == "cleaned_text":
        ledger = tables.read_info(stage_path("removal_ledger", volume.key, settings)) or {}
        if ledger.get("fingerprint") != fingerprint("removal_ledger", volume, settings, inputs):
            return StageState(stage, "missing", "its removal ledger is missing or of another run", info)
    outcomes = read_outcomes(settings.paths.checks(stage, volume.key), info["data_version"])
    if outcomes is None:
        return StageState(stage, "stale", "not checked yet", info)
    failed = [o for o in outcomes if not o.passed and o.severity == "error"]
    if failed:
        return StageState(stage, "failed", f"check {failed[0].name}: {failed[0].description}", info)
    if stage == "vector_index":
        # The table only says what was done to the store: what matters is whether the store still has it.
        lost = EmbeddedIndex(settings.paths.index, index_spec(settings)).problem(volume.key)
        if lost:
            return StageState(stage, "missing", lost, info)
    return StageState(stage, "fresh", "", info)


def _inputs(
    stage: str, versions: Mapping[str, str], volume: Volume, settings: Settings, info: Mapping[str, Any]
) -> dict[str, str]:
    """Data versions of what ``stage`` would read now."""
    if stage == "raw_text":
        return {"source": book_facts(volume, settings, info.get("source"))["sha256"]}
    needed: dict[str, tuple[str, ...]] = {
        "cleaned_text": ("raw_text",),
        "chunks": ("cleaned_text",),
        "embeddings": ("chunks",),
        "vector_index": ("chunks", "embeddings"),
    }
    return {name: versions.get(name, "") for name in needed[stage]}


def _why(stage: str, info: Mapping[str, Any], settings: Settings) -> str:
    """Why a fingerprint no longer fits, in words."""
    if info.get("code_version") != code_version(stage, settings):
        return "its rules or settings changed"
    if stage == "raw_text":
        return "the file, its hints or what OCR can do for it changed"
    return "its input or catalogue entry changed"


def _failure_path(stage: str, volume: str, settings: Settings) -> Path:
    if stage == "removal_ledger":  # made together with the text, and no stage of its own
        stage = "cleaned_text"
    return settings.paths.checks(stage, volume).with_suffix(".failure.json")


#: Failures that could not be written down, a full disk for one: they last as long as the process.
_unwritten: dict[Path, dict[str, Any]] = {}


def remembering_failure(stage: str, volume: Volume, settings: Settings, make: Callable[[], Any]) -> Any:
    """Call ``make``; remember its error for ``jung status``, or forget an earlier one.

    What is wrong with a book file is wrong with it every time: such a failure is remembered together with
    what would have to change (:func:`wanted`) for another try to make sense.
    """
    path = _failure_path(stage, volume.key, settings)
    try:
        made = make()
    except Exception as error:
        remember(stage, volume, settings, error)
        raise
    _unwritten.pop(path, None)
    path.unlink(missing_ok=True)
    return made


def remember(stage: str, volume: Volume, settings: Settings, error: Exception) -> None:
    """Keep ``error`` as the reason why ``stage`` of ``volume`` failed, until it is made again."""
    path = _failure_path(stage, volume.key, settings)
    lasting = isinstance(error, SourceError) and settings.paths.has_source(volume)
    remembered = {
        "message": str(error),
        "problem": getattr(error, "message", str(error)),
        "remedy": getattr(error, "remedy", ""),
        "wanted": wanted(volume, settings) if lasting else None,
    }
    try:
        tables.write_text(path, json.dumps(remembered, ensure_ascii=False))
        _unwritten.pop(path, None)
    except StageError:
        _unwritten[path] = remembered


def _failure(stage: str, volume: Volume, settings: Settings) -> dict[str, Any] | None:
    """The failure of ``stage`` that is remembered; a damaged memory is none."""
    path = _failure_path(stage, volume.key, settings)
    if path in _unwritten:
        return _unwritten[path]
    try:
        remembered = json.loads(path.read_text(encoding="utf-8"))
        message = str(remembered["message"])
        return {
            "problem": message,
            "remedy": "",
            **remembered,
            "message": message,
            "wanted": remembered["wanted"],
        }
    except (OSError, ValueError, KeyError, TypeError):
        return None


def failure(stage: str, volume: Volume, settings: Settings) -> dict[str, str]:
    """The ``problem`` and the ``remedy`` of the failure of ``stage`` that is remembered; empty without one."""
    remembered = _failure(stage, volume, settings) or {}
    return {name: str(remembered.get(name, "")) for name in ("problem", "remedy")}


def lasting_failure(volume: Volume, settings: Settings) -> str:
    """Why the volume failed, if nothing has changed since that could make another try end otherwise; else ""."""
    for stage in STAGES:
        failure = _failure(stage, volume, settings)
        if failure and failure["wanted"] is not None:
            return failure["message"] if failure["wanted"] == wanted(volume, settings) else ""
    return ""


def outcomes(volume: Volume, settings: Settings) -> list[dict[str, Any]]:
    """What the checks last said about every stage of ``volume``, as plain data with the stage's name."""
    said = []
    for stage in STAGES:
        for outcome in read_outcomes(settings.paths.checks(stage, volume.key)) or []:
            said.append({"stage": stage, **asdict(outcome)})
    return said
