"""The audit before a version goes live: proof that index and chunk table agree, one to one. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from jung_pipeline.index.segments import NORM_TOLERANCE, Segment, comparable
from jung_pipeline.index.vector_index import IndexSpec, Vectors

#: Passages of all volumes together that are embedded again; each changed volume has one at least.
SAMPLE = 16
#: How near a vector must be to that of its text made anew. The engines agree to 0.9999, whatever they embed beside
#: it; another text, or another model, is further away.
SAME_COSINE = 0.99

#: Problems that one audit keeps; ``problem_count`` has the whole number.
MAX_PROBLEMS = 20


@dataclass(frozen=True)
class VolumeAudit:
    """What was compared for one volume, and what did not agree."""

    volume: str
    passages: int  # not blank, in the chunk table; in the segment where the table is newer
    vectors: int
    problem_count: int
    problems: list[dict[str, str]] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether everything agrees."""
        return not self.problem_count

    def to_dict(self) -> dict[str, Any]:
        """The audit as JSON-able values."""
        return asdict(self)


def audit_volume(
    volume: str,
    segment: Segment,
    spec: IndexSpec,
    chunks: pa.Table | None = None,
    remote_ids: Collection[str] | None = None,
) -> VolumeAudit:
    """Compare the segment of ``volume`` with itself, with its chunk table, and with a remote store.

    Args:
        volume: Key of the volume.
        segment: Its segment.
        spec: What the version states of all its vectors.
        chunks: The chunk table that the segment was made from; ``None`` for a last good segment whose table
            has moved on.
        remote_ids: Ids that a remote store holds for the volume, if there is one.
    """
    problems = list(_own_problems(volume, segment, spec))
    passages = len(segment)
    if chunks is not None:
        wanted = {
            chunk_id: content_hash
            for chunk_id, text, content_hash in _columns(chunks, "chunk_id", "text", "content_hash")
            if text.strip()
        }
        passages = len(wanted)
        problems += _differences(wanted, dict(_columns(segment.table, "chunk_id", "content_hash")))
    if remote_ids is not None:
        problems += [
            _problem(i, "is missing in the remote store") for i in sorted(set(segment.ids) - set(remote_ids))
        ]
        problems += [
            _problem(i, "is stale in the remote store") for i in sorted(set(remote_ids) - set(segment.ids))
        ]
    return VolumeAudit(volume, passages, len(segment), len(problems), problems[:MAX_PROBLEMS])


def embedded_again(
    segments: Mapping[str, Segment], embed: Callable[[Sequence[str]], Vectors]
) -> dict[str, list[tuple[str, float]]]:
    """A sample of each volume: ids, and the cosine of the vector held to that of the text embedded now."""
    places: list[tuple[str, int]] = []
    for volume, segment in segments.items():
        count = min(len(segment), max(1, SAMPLE // len(segments)))
        places += [(volume, len(segment) * number // count) for number in range(count)]
    if not places:
        return {}
    fresh = embed([segments[volume].row(row)["text"] for volume, row in places])
    found: dict[str, list[tuple[str, float]]] = {}
    for (volume, row), vector in zip(places, fresh, strict=True):
        held = segments[volume].matrix[row]
        cosine = float(held @ vector / max(1e-9, float(np.linalg.norm(held) * np.linalg.norm(vector))))
        found.setdefault(volume, []).append((segments[volume].ids[row], cosine))
    return found


def _own_problems(volume: str, segment: Segment, spec: IndexSpec) -> Iterator[dict[str, str]]:
    """What is wrong with a segment in itself."""
    if not comparable(spec, segment.spec):
        yield _problem(volume, f"was embedded with {segment.spec.model} ({segment.spec.dimension})")
        return
    if len(segment.rows) != len(segment):
        yield _problem(volume, "holds an id twice")
    norms = np.linalg.norm(segment.matrix, axis=1)
    for row in np.flatnonzero(~(np.abs(norms - 1) <= NORM_TOLERANCE)):  # NaN is not near 1 either
        yield _problem(segment.ids[row], f"has a vector of length {norms[row]:.4g}")
    for chunk_id, text, content_hash in _columns(segment.table, "chunk_id", "text", "content_hash"):
        if not chunk_id.startswith(f"{volume}#"):
            yield _problem(chunk_id, f"is no passage of {volume}")
        if hashlib.sha256(text.encode("utf-8")).hexdigest() != content_hash:
            yield _problem(chunk_id, "has a text that does not fit its content hash")


def _differences(wanted: dict[str, str], held: dict[str, str]) -> Iterator[dict[str, str]]:
    """Passages of the chunk table against those of the segment (id -> content hash)."""
    for chunk_id in wanted.keys() - held.keys():
        yield _problem(chunk_id, "has no vector")
    for chunk_id in held.keys() - wanted.keys():
        yield _problem(chunk_id, "is stale: no passage of the chunk table")
    for chunk_id in wanted.keys() & held.keys():
        if wanted[chunk_id] != held[chunk_id]:
            yield _problem(chunk_id, "has another text than in the chunk table")


def _columns(table: pa.Table, *names: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(table.column(name).to_pylist() for name in names), strict=True)


def _problem(chunk_id: str, problem: str) -> dict[str, str]:
    return {"chunk_id": chunk_id, "problem": problem}
