"""Chunk tables of invented passages for the tests of embedding and index."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from jung_pipeline import schemas, tables
from jung_pipeline.index.vector_index import IndexSpec, Vectors


def chunk_table(volume: str, texts: Sequence[str], **columns: Any) -> pa.Table:
    """A chunk table of ``texts``; ``columns`` overrides a column, by a value or a list of values."""
    seen: Counter[str] = Counter()
    ids = []
    for text in texts:
        digest = hashlib.sha256(text.encode()).hexdigest()
        seen[digest] += 1
        ids.append(f"{volume}#{digest[:12]}" + (f"-{seen[digest]}" if seen[digest] > 1 else ""))
    rows = []
    for position, text in enumerate(texts):
        row: dict[str, Any] = {
            "chunk_id": ids[position],
            "volume": volume,
            "position": position,
            "prev_chunk_id": ids[position - 1] if position else None,
            "next_chunk_id": ids[position + 1] if position + 1 < len(ids) else None,
            "work_title": f"The Book of {volume.title()}",
            "language": "en",
            "kind": "body",
            "section": "body",
            "chapter_index": 0,
            "concepts": [],
            "text": text,
            "cl100k_tokens": len(text.split()),
            "embedder_tokens": len(text.split()) + 5,
            "page_first": position + 1,
            "page_last": position + 1,
            "paragraph_first": position,
            "paragraph_last": position,
            "char_start": 100 * position,
            "char_end": 100 * position + len(text),
            "spans": [],
            "content_hash": hashlib.sha256(text.encode()).hexdigest(),
        }
        for name, value in columns.items():
            row[name] = value[position] if isinstance(value, list) and name != "concepts" else value
        rows.append(row)
    return tables.from_rows(rows, schemas.CHUNKS)


def spec(dimension: int = 8, model: str = "test-model", chunker: str = "1") -> IndexSpec:
    """A spec of a small invented model."""
    return IndexSpec(model, dimension, 512, "passage: ", "query: ", chunker)


def vectors_of(chunks: pa.Table, dimension: int = 8) -> Vectors:
    """A unit vector for each passage that depends on its text alone; zeros for blank ones."""
    out = np.zeros((chunks.num_rows, dimension), dtype=np.float32)
    for row, text in enumerate(chunks.column("text").to_pylist()):
        if text.strip():
            seed = int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
            vector = np.random.default_rng(seed).standard_normal(dimension)
            out[row] = vector / np.linalg.norm(vector)
    return out
