"""The index as Pinecone takes it in bulk: Parquet files in a folder named after a namespace that is new.

For libraries of millions of passages, on plans that offer import from object storage: copy the folder into a
bucket and import it there. Columns and types are those the service asks for
(https://docs.pinecone.io/guides/index-data/import-data): ``id`` text, ``values`` a list of float32, ``metadata``
flat JSON as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from jung_pipeline.index.pinecone_records import record
from jung_pipeline.index.segments import Segment
from jung_pipeline.tables import write_atomically

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("values", pa.list_(pa.float32()), nullable=False),
        pa.field("metadata", pa.string()),
    ]
)
#: Rows made and written at a time, so that memory does not grow with the library.
_LOT = 500


@dataclass(frozen=True)
class Exported:
    """One file of the layout."""

    path: Path
    passages: int
    bytes: int


def write_volume(folder: Path, volume: str, segment: Segment) -> Exported:
    """Write the passages of ``segment`` to ``folder``/<volume>.parquet, all or nothing.

    Raises:
        VectorIndexError: a passage is too large for the service.
        StageError: the disk does not take it.
    """
    path = folder / f"{volume}.parquet"

    def save(staged: Path) -> None:
        with pq.ParquetWriter(staged, SCHEMA) as writer:
            for lot in _lots(segment):
                writer.write_table(lot)

    write_atomically(path, save)
    return Exported(path, len(segment), path.stat().st_size)


def _lots(segment: Segment) -> Iterator[pa.Table]:
    for start in range(0, len(segment), _LOT):
        rows = segment.passages.slice(start, _LOT).to_pylist()
        matrix = segment.matrix[start : start + _LOT]
        records = [record(row, vector) for row, vector in zip(rows, matrix, strict=True)]
        yield pa.table(
            {
                "id": [one["id"] for one in records],
                "values": pa.array(list(matrix), pa.list_(pa.float32())),
                "metadata": [json.dumps(one["metadata"], ensure_ascii=False) for one in records],
            },
            schema=SCHEMA,
        )
