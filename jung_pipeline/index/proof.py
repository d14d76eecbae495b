"""Proof, before a version goes live, that its segments are those of the texts.

All of them by id and content, and a sample by embedding it again. What fails names the volumes that have to be
written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jung_pipeline import tables
from jung_pipeline.errors import IndexAuditError, StageError
from jung_pipeline.index.audit import SAME_COSINE, VolumeAudit, audit_volume, embedded_again
from jung_pipeline.index.reading import IndexVersion
from jung_pipeline.index.segments import Segment
from jung_pipeline.index.sources import Source
from jung_pipeline.index.vector_index import IndexSpec, VectorReader, Vectors


def audited(
    staged: Path, spec: IndexSpec, sources: Mapping[str, Source], remote: VectorReader | None
) -> tuple[dict[str, Source], list[VolumeAudit]]:
    """The audits of all volumes, from the files as linked, and the sources as they proved to be.

    A volume whose chunk table cannot be read is not fresh: its segment is the last good one.

    Raises:
        IndexAuditError: one fails.
    """
    proved, audits = {}, []
    for volume, source in sources.items():
        chunks = None
        if source.chunks:
            try:
                # All of it: a checksum speaks for its page alone.
                chunks = tables.read_or_discard(source.chunks)
            except StageError:
                source = source.as_last_good()
        proved[volume] = source
        segment = Segment(staged / "segments" / f"{volume}.arrow")
        remote_ids = remote.list_ids(volume) if remote is not None else None
        audits.append(audit_volume(volume, segment, spec, chunks, remote_ids))
    _raise_failed(audits)
    return proved, audits


def check_remote(segments: Mapping[str, Segment], spec: IndexSpec, remote: VectorReader | None) -> None:
    """Look whether the remote store still has as many vectors as ``segments``, which it is kept in step with.

    Raises:
        IndexAuditError: it lost some, or has others.
    """
    if remote is None or remote.count() == sum(map(len, segments.values())):
        return
    _raise_failed(
        [
            audit_volume(volume, segment, spec, None, remote.list_ids(volume))
            for volume, segment in segments.items()
        ]
    )


def sampled(
    staged: Path,
    sources: Mapping[str, Source],
    before: IndexVersion | None,
    embed: Callable[[Sequence[str]], Vectors] | None,
) -> dict[str, Any]:
    """How many vectors of the volumes that ``before`` lacks were made anew, and how near the furthest was.

    Raises:
        IndexAuditError: one is not that of its text.
    """
    known = {entry.digest for entry in before.manifest.volumes.values()} if before else set()
    changed = [volume for volume, source in sources.items() if source.entry.digest not in known]
    segments = {volume: Segment(staged / "segments" / f"{volume}.arrow") for volume in changed}
    found = embedded_again(segments, embed) if embed else {}
    cosines = {chunk_id: cosine for sample in found.values() for chunk_id, cosine in sample}
    wrong = [v for v, sample in found.items() if any(not cosine >= SAME_COSINE for _, cosine in sample)]
    if wrong:
        chunk_id = min(cosines, key=lambda i: cosines[i])
        raise IndexAuditError(
            f"Vectors in {', '.join(wrong)} are not those of their texts ({chunk_id} has one at a cosine of "
            f"{cosines[chunk_id]:.3f} to its own). The version before stays live.",
            volumes=tuple(wrong),
            embed_again=True,
            remedy="Run `jung ingest` again; these volumes are embedded anew.",
        )
    return {"passages": len(cosines), "lowest_cosine": min(cosines.values(), default=None)}


def _raise_failed(audits: list[VolumeAudit]) -> None:
    failed = [audit for audit in audits if not audit.passed]
    if failed:
        first = failed[0].problems[0]
        raise IndexAuditError(
            f"Index and passages do not agree in {', '.join(a.volume for a in failed)} "
            f"({sum(a.problem_count for a in failed)} problems; {first['chunk_id']} {first['problem']}). "
            "The version before stays live.",
            volumes=tuple(audit.volume for audit in failed),
            remedy="Run `jung ingest` again; these volumes are written anew.",
        )
