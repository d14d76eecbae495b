"""Passages as Pinecone records and back, within the service's limits; no network.

Limits (https://docs.pinecone.io/reference/api/database-limits): 2 MB and 1,000 records a request, 40 KB of
metadata a record, flat metadata of text, numbers, booleans and lists of text, no nulls.
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from jung_pipeline import schemas
from jung_pipeline.errors import VectorIndexError
from jung_pipeline.index.filters import COLUMNS
from jung_pipeline.index.vector_index import Vectors, Where

#: A request holds at most this many bytes of JSON, whichever way the service counts its 2 MB, and vectors.
MAX_BYTES, MAX_RECORDS = 1_900_000, 200
#: Bytes of a record's metadata: 40 KB with room for what the service adds.
MAX_METADATA = 38_000

#: Columns that stay in the local segments: spans are structures, which metadata cannot hold.
_LEFT_OUT = {"spans"}
_WHOLE_NUMBERS = {field.name for field in schemas.CHUNKS if pa.types.is_integer(field.type)}

Record = dict[str, Any]


def record(row: Mapping[str, Any], vector: Vectors) -> Record:
    """The record of a passage (a row of ``schemas.CHUNKS``) with its unit vector.

    Raises:
        VectorIndexError: the passage is too large for the service even when packed.
    """
    metadata = {
        name: value
        for name, value in row.items()
        if value is not None and value != [] and name not in _LEFT_OUT and name != "chunk_id"
    }
    metadata["row_hash"] = _hash(json.dumps(metadata, ensure_ascii=False, sort_keys=True).encode())
    metadata["vector_hash"] = _hash(vector.tobytes())
    if _size(metadata) > MAX_METADATA:
        metadata["text_xz"] = base64.b85encode(lzma.compress(metadata.pop("text").encode())).decode()
    if _size(metadata) > MAX_METADATA:
        raise VectorIndexError(
            f"Passage {row['chunk_id']} is too large for a Pinecone record ({_size(metadata):,} bytes packed).",
            remedy="Chunk with a smaller limit (JUNG_CHUNK__MAX).",
        )
    return {"id": row["chunk_id"], "values": shortest(vector), "metadata": metadata}


def shortest(vector: Vectors) -> list[float]:
    """The values as Python floats that print with the fewest digits that give the same float32 back."""
    return [float(str(value)) for value in vector]


def passage(chunk_id: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a passage from its metadata; those that were null are missing."""
    row = {
        name: value for name, value in metadata.items() if name not in ("row_hash", "vector_hash", "text_xz")
    }
    row["chunk_id"] = chunk_id
    if "text_xz" in metadata:
        row["text"] = lzma.decompress(base64.b85decode(metadata["text_xz"])).decode()
    for name in _WHOLE_NUMBERS & row.keys():  # the service knows floats alone
        row[name] = int(row[name])
    return row


def packed(records: Sequence[Record]) -> Iterator[list[Record]]:
    """``records`` in order, in lots that one request may hold."""
    lot: list[Record] = []
    held = 0
    for one in records:
        size = _size(one) + 1
        if lot and (len(lot) == MAX_RECORDS or held + size > MAX_BYTES):
            yield lot
            lot, held = [], 0
        lot.append(one)
        held += size
    if lot:
        yield lot


def filter_of(where: Where | None) -> dict[str, Any] | None:
    """``where`` in Pinecone's filter language; ``None`` for no filter."""
    if not where:
        return None
    parts: list[dict[str, Any]] = [
        {column: {"$in": list(getattr(where, name))}}
        for name, column in {**COLUMNS, "concepts": "concepts"}.items()
        if getattr(where, name)
    ]
    if where.pages:
        first, last = where.pages
        parts += [{"page_first": {"$lte": last}}, {"page_last": {"$gte": first}}]
    return parts[0] if len(parts) == 1 else {"$and": parts}


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
