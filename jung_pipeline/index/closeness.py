"""How near passages come to a question, by the whole passage and by the one window that comes nearest.

A whole passage is near a question that is about what it is about; a window, one that asks after something it says
in passing. The mean of the two found more than either (`jung eval --golden`, docs/evaluation.md). Only passages
that a search found are looked at, so that a query costs hardly more than without windows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from jung_pipeline.index.segments import Segment, check_question
from jung_pipeline.index.vector_index import Vectors


class Closeness:
    """Reads the vectors of passages and of their windows out of the segments of a version."""

    def __init__(self, opened: Mapping[str, Segment]) -> None:
        """``opened`` is the segment of each volume."""
        self._segments = opened

    def __len__(self) -> int:
        """Passages."""
        return sum(map(len, self._segments.values()))

    def of(self, ids: Iterable[str], question: Vectors) -> dict[str, float]:
        """The closeness of the passages ``ids`` to ``question``, -1..1; ids that are not there are left out.

        It is the mean of two cosines: of the passage, and of its nearest window. A passage that has no windows, being
        short or indexed without them, has that of the whole alone.
        """
        by_volume: dict[str, list[str]] = {}
        for chunk_id in dict.fromkeys(ids):
            by_volume.setdefault(chunk_id.rpartition("#")[0], []).append(chunk_id)
        found: dict[str, float] = {}
        unit: Vectors | None = None
        for volume, of_volume in by_volume.items():
            segment = self._segments.get(volume)
            if segment is None:
                continue
            if unit is None:  # the segments of a version are of one model
                unit = check_question(question, segment.spec)
                unit = unit / np.linalg.norm(unit)
            known = [chunk_id for chunk_id in of_volume if chunk_id in segment.rows]
            rows = np.array([segment.rows[chunk_id] for chunk_id in known], dtype=np.int64)
            found.update(zip(known, _closeness(segment, rows, unit).tolist(), strict=True))
        return found


def _closeness(segment: Segment, rows: np.ndarray[tuple[int], np.dtype[np.int64]], unit: Vectors) -> Vectors:
    """The closeness of some rows of a segment to a question of length 1."""
    whole = np.vecdot(segment.matrix[rows], unit)
    if segment.windows is None or not len(rows):
        return whole
    starts, vectors = segment.windows
    counts = starts[rows + 1] - starts[rows]
    some = np.flatnonzero(counts)
    if not len(some):
        return whole
    # The places of all windows of these rows, one row after the other.
    ends = np.cumsum(counts[some])
    places = np.arange(ends[-1]) + np.repeat(starts[rows[some]] - (ends - counts[some]), counts[some])
    cosines = np.vecdot(vectors[places].astype(np.float32), unit)
    best = np.maximum.reduceat(cosines, ends - counts[some])
    whole[some] = (whole[some] + best) / 2
    return whole
