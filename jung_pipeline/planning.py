"""What bringing the index up to date would do, and what it would cost, before anything is sent.

Told from the files alone: chunk tables, vector caches and local segments (which are kept in step with a remote
store). Where a volume's passages have to be made first, the plan says so and promises nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from jung_pipeline import freshness, tables
from jung_pipeline.catalogue import Volume
from jung_pipeline.embed.cache import without_vector
from jung_pipeline.embed.registry import embedder_spec
from jung_pipeline.embed.windows import window_spans
from jung_pipeline.errors import VectorIndexError
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.segments import Segment
from jung_pipeline.index.vector_index import IndexSpec
from jung_pipeline.settings import Settings
from jung_pipeline.stages import index_spec, stage_path
from jung_pipeline.volumes import present_volumes, volumes_with_data

#: Passages with changed columns that a plan names.
_SAMPLES = 5
#: Write units that a request costs at least (https://docs.pinecone.io/guides/manage-cost/understanding-cost).
_LEAST_UNITS = 5


@dataclass(frozen=True)
class VolumePlan:
    """What would happen to one volume. Numbers are passages unless their name says otherwise."""

    volume: str
    first: str = ""  # what must be made before the rest can be told ("chunks is stale: …"); else empty
    added: int = 0
    kept: int = 0  # same text, same columns: nothing is sent
    updated: int = 0  # same text, other columns (a corrected page, a new title): the vector stays
    removed: int = 0
    to_embed: int = 0
    tokens: int = 0  # that the embedder would read
    bytes: int = 0  # to send, or to write to disk
    requests: int = 0  # to the store
    write_units: int = 0  # as Pinecone counts them: a kilobyte of what it stores
    changed: tuple[dict[str, Any], ...] = ()  # samples of the updated ones: id, and the columns that differ


@dataclass(frozen=True)
class Plan:
    """What would happen to the library's index."""

    store: str
    model: str
    volumes: tuple[VolumePlan, ...]
    seconds: float | None  # for embedding, at the speed of the last time; unknown: None
    dollars: float | None  # at the prices of the settings; nothing paid for: None
    prices_of: str = ""  # date of the prices
    unknown: tuple[str, ...] = field(default=())  # volumes of which the plan cannot tell yet

    def total(self, name: str) -> int:
        """Sum of one of the numbers over the volumes."""
        return sum(getattr(volume, name) for volume in self.volumes)

    @property
    def changes_anything(self) -> bool:
        """Whether there is anything to do."""
        names = ("added", "updated", "removed", "to_embed")
        return bool(self.unknown) or any(self.total(name) for name in names)


def plan(settings: Settings) -> Plan:
    """What ``jung ingest`` would do to the index, now; nothing is embedded, written or sent."""
    spec = index_spec(settings)
    index = EmbeddedIndex(settings.paths.index, spec)
    present = present_volumes(settings.paths)
    plans = [plan_volume(volume, index, settings) for volume in present]
    for key in volumes_with_data(settings, [volume.key for volume in present]):
        held = _segment(index, key)
        plans.append(VolumePlan(key, removed=len(held) if held else 0))
    tokens, to_embed = sum(p.tokens for p in plans), sum(p.to_embed for p in plans)
    return Plan(
        store=settings.store,
        model=spec.model,
        volumes=tuple(plans),
        seconds=_seconds(present, to_embed, tokens, settings),
        dollars=_dollars(plans, settings),
        prices_of=settings.prices.of if settings.store == "pinecone" or _is_hosted(settings) else "",
        unknown=tuple(p.volume for p in plans if p.first),
    )


def plan_volume(volume: Volume, index: EmbeddedIndex, settings: Settings) -> VolumePlan:
    """What would happen to ``volume``."""
    held = _segment(index, volume.key)
    for state in freshness.states(volume, settings):
        if state.stage in ("raw_text", "cleaned_text", "chunks") and state.status != "fresh":
            first = f"{state.stage} is {state.status}: {state.reason}"
            return VolumePlan(volume.key, first=first, kept=len(held) if held else 0)
    chunks = tables.read_table(stage_path("chunks", volume.key, settings))
    every = chunks.to_pylist()
    rows = [row for row in every if row["text"].strip()]
    there = {row["chunk_id"]: row for row in held.passages.to_pylist()} if held else {}
    new = [row for row in rows if row["chunk_id"] not in there]
    changed = [row for row in rows if row["chunk_id"] in there and _differing(row, there[row["chunk_id"]])]
    missing = without_vector(
        chunks,
        embedder_spec(settings),
        stage_path("embeddings", volume.key, settings),
        windows=settings.windows,
    )
    to_embed = [row for row, is_missing in zip(every, missing, strict=True) if is_missing]
    size, requests, units = _load([*new, *changed], index.spec, settings)
    return VolumePlan(
        volume.key,
        added=len(new),
        kept=len(rows) - len(new) - len(changed),
        updated=len(changed),
        removed=len(there.keys() - {row["chunk_id"] for row in rows}),
        to_embed=len(to_embed),
        tokens=sum(_tokens(row, settings) for row in to_embed),
        bytes=size,
        requests=requests,
        write_units=units,
        changed=tuple(
            {"chunk_id": row["chunk_id"], **_differing(row, there[row["chunk_id"]])}
            for row in changed[:_SAMPLES]
        ),
    )


def _tokens(row: Mapping[str, Any], settings: Settings) -> int:
    """Tokens that the embedder would read for a passage; its windows hold all of them once more."""
    windows = settings.windows and bool(window_spans(row["text"], row["language"]))
    return int(row["embedder_tokens"]) * (2 if windows else 1)


def _segment(index: EmbeddedIndex, volume: str) -> Segment | None:
    """The open newest segment of ``volume``; ``None`` where there is none that can be used."""
    path = index.segment_path(volume)
    try:
        return Segment(path) if path else None
    except VectorIndexError:
        return None


def _differing(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The columns whose values differ, as [stored, new]; spans, which no reader sees, as their number."""
    found = {}
    for name, value in ours.items():
        before = theirs.get(name)
        if value != before:
            found[name] = [len(before or ()), len(value or ())] if name == "spans" else [before, value]
    return found


def _load(rows: list[dict[str, Any]], spec: IndexSpec, settings: Settings) -> tuple[int, int, int]:
    """Bytes, requests and write units of storing ``rows``."""
    if not rows:
        return 0, 0, 0
    if settings.store == "embedded":
        columns = pa.Table.from_pylist(rows).nbytes
        return columns + 4 * spec.dimension * len(rows), 0, 0
    from jung_pipeline.index.pinecone_records import packed, record

    # The numbers of a vector print alike long, whichever vector it is; a vector that is not made yet has a double.
    double = np.random.default_rng(0).standard_normal(spec.dimension).astype(np.float32)
    double /= np.linalg.norm(double)
    records = [record(row, double) for row in rows]
    sizes = [len(json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode()) for one in records]
    units = requests = 0
    for lot in packed(records):
        requests += 1
        stored = sum(
            len(one["id"])
            + 4 * spec.dimension
            + len(json.dumps(one["metadata"], ensure_ascii=False).encode())
            for one in lot
        )
        units += max(_LEAST_UNITS, -(-stored // 1024))
    return sum(sizes), requests, units


def _is_hosted(settings: Settings) -> bool:
    return settings.embedder.startswith("pinecone-")


def _seconds(present: Iterable[Volume], to_embed: int, tokens: int, settings: Settings) -> float | None:
    """Seconds that embedding would take."""
    if not to_embed:
        return 0.0
    if _is_hosted(settings):
        return round(60 * tokens / settings.pinecone_tokens_per_minute, 1)
    embedded = seconds = 0.0
    for volume in present:
        info = tables.read_info(stage_path("embeddings", volume.key, settings)) or {}
        if info.get("embedded") and info.get("seconds"):
            embedded, seconds = embedded + info["embedded"], seconds + info["seconds"]
    return round(to_embed * seconds / embedded, 1) if embedded else None


def _dollars(plans: Iterable[VolumePlan], settings: Settings) -> float | None:
    """What the services would ask for; ``None`` where none is used."""
    prices, total, paid = settings.prices, 0.0, False
    for one in plans:
        if settings.store == "pinecone":
            paid, total = True, total + one.write_units * prices.write_units_per_million / 1e6
        if _is_hosted(settings):
            paid, total = True, total + one.tokens * prices.embedding_tokens_per_million / 1e6
    return round(total, 4) if paid else None
