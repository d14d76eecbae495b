"""Reads passages out of the segments of a version, by id, by place, or one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from jung_pipeline.errors import VectorIndexError
from jung_pipeline.index.segments import Segment

Row = dict[str, Any]  #: the columns of ``schemas.CHUNKS``


@dataclass(frozen=True)
class Work:
    """A volume as the index knows it."""

    volume: str
    work_title: str
    author: str | None
    language: str | None
    passages: int


class Passages:
    """The passages of a version. Ids are looked up in the one segment they name."""

    def __init__(self, opened: Mapping[str, Segment]) -> None:
        """``opened`` is the segment of each volume."""
        self._segments = {volume: opened[volume] for volume in sorted(opened)}

    def __len__(self) -> int:
        return sum(map(len, self._segments.values()))

    def __contains__(self, chunk_id: object) -> bool:
        return isinstance(chunk_id, str) and self._find(chunk_id) is not None

    def __getitem__(self, chunk_id: str) -> Row:
        """The passage ``chunk_id``; raises VectorIndexError if there is none."""
        row = self.get(chunk_id)
        if row is None:
            raise VectorIndexError(f"There is no passage {chunk_id} in this version of the index.")
        return row

    def get(self, chunk_id: str) -> Row | None:
        """The passage ``chunk_id``, or ``None``."""
        found = self._find(chunk_id)
        return found[0].row(found[1]) if found else None

    def get_many(self, ids: Sequence[str]) -> list[Row]:
        """The passages of ``ids`` in their order; ids that are not there are left out."""
        return [row for row in map(self.get, ids) if row is not None]

    def at(self, volume: str, position: int) -> Row | None:
        """The passage at ``position`` of ``volume`` (body passages first, then notes), or ``None``."""
        segment = self._segments.get(volume)
        if segment is None:
            return None
        row = pc.index(segment.table.column("position"), position).as_py()
        return segment.row(row) if row >= 0 else None

    def neighbours(self, chunk_id: str, *, before: int = 1, after: int = 1) -> list[Row]:
        """The passages around ``chunk_id`` in its chain, itself included, in the order of the book."""
        here = self[chunk_id]
        earlier: list[Row] = []
        later: list[Row] = []
        for out, link, count in ((earlier, "prev_chunk_id", before), (later, "next_chunk_id", after)):
            row: Row | None = here
            while row is not None and row[link] is not None and len(out) < count:
                row = self.get(row[link])
                if row is not None:
                    out.append(row)
        return [*reversed(earlier), here, *later]

    def __iter__(self) -> Iterator[Row]:
        return self.iterate()

    def iterate(self, volume: str | None = None, columns: Sequence[str] | None = None) -> Iterator[Row]:
        """All passages, or those of ``volume``, in the order of the book; ``columns`` alone if given."""
        for key, segment in self._segments.items():
            if volume in (None, key):
                table = segment.passages.select(list(columns)) if columns else segment.passages
                for batch in table.to_batches(max_chunksize=256):
                    yield from batch.to_pylist()

    def volumes(self) -> list[str]:
        """Keys of the volumes, sorted."""
        return list(self._segments)

    def works(self) -> list[Work]:
        """Title, author and language of each volume that has passages."""
        out = []
        for volume, segment in self._segments.items():
            if len(segment):
                first = (
                    segment.passages.select(["work_title", "author", "language"]).slice(0, 1).to_pylist()[0]
                )
                out.append(
                    Work(volume, first["work_title"], first["author"], first["language"], len(segment))
                )
        return out

    def _find(self, chunk_id: str) -> tuple[Segment, int] | None:
        segment = self._segments.get(chunk_id.rpartition("#")[0])
        row = segment.rows.get(chunk_id) if segment else None
        return (segment, row) if segment is not None and row is not None else None
