"""An invented library of any size with its index, for benchmarks: passages as long as real ones, no embedding.

Vectors are made as e5's lie: in clusters, on one side of the sphere (mean cosine of two of them 0.72), each one a
cluster's centre slightly perturbed.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from jung_pipeline import schemas, tables
from jung_pipeline.embed.registry import SPECS
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.registry import index_spec
from jung_pipeline.index.vector_index import IndexSpec, Vectors
from jung_pipeline.index.versions import publish
from jung_pipeline.library import Home

VOLUMES, PASSAGES = 34, 47_576
SPEC: IndexSpec = index_spec(SPECS["multilingual-e5-small"], "made")
_CONCEPTS = ("shadow", "anima", "self", "persona", "archetype")
_SYLLABLES = (
    "ka",
    "lo",
    "mir",
    "ten",
    "su",
    "ra",
    "vel",
    "no",
    "quis",
    "dar",
    "hem",
    "fi",
    "ost",
    "ul",
    "bre",
)


def words(rng: random.Random, count: int, vocabulary: int = 30_000) -> list[str]:
    """Invented words, a few of them often, most of them seldom."""
    out = []
    for _ in range(count):
        number = int(vocabulary ** rng.random())
        parts = []
        while True:
            parts.append(_SYLLABLES[number % len(_SYLLABLES)])
            number //= len(_SYLLABLES)
            if not number:
                break
        out.append("".join(parts))
    return out


def chunk_tables(
    volumes: int = VOLUMES, passages: int = PASSAGES, seed: int = 1
) -> Iterator[tuple[str, pa.Table]]:
    """Key and chunk table of each volume; about 1,700 characters a passage."""
    rng = random.Random(seed)
    for volume in range(volumes):
        key = f"v{volume:02}"
        count = passages // volumes + (volume < passages % volumes)
        texts = [" ".join(words(rng, 240)).capitalize() + "." for _ in range(count)]
        hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        ids = [f"{key}#{digest[:12]}" for digest in hashes]
        pages = [1 + number // 3 for number in range(count)]
        columns: dict[str, list[object]] = {
            "chunk_id": ids,
            "prev_chunk_id": [None, *ids[:-1]],
            "next_chunk_id": [*ids[1:], None],
            "content_hash": hashes,
            "text": texts,
            "chapter": [f"Chapter {number // 60}" for number in range(count)],
            "chapter_index": [number // 60 for number in range(count)],
            "concepts": [[name for name in _CONCEPTS if rng.random() < 0.1] for _ in range(count)],
            "position": list(range(count)),
            "paragraph_first": list(range(count)),
            "paragraph_last": list(range(count)),
            "char_start": [number * 1700 for number in range(count)],
            "char_end": [number * 1700 + len(text) for number, text in enumerate(texts)],
            "page_first": pages,
            "page_last": pages,
            "spans": [
                [
                    {"start": n * 60, "end": n * 60 + 60, "line_id": n, "raw_start": 0, "raw_end": 60}
                    for n in range(28)
                ]
                for _ in range(count)
            ],
        }
        constant = {
            "volume": key,
            "work_title": f"The Book of {key}",
            "author": "An Author",
            "language": "de" if volume % 4 == 3 else "en",
            "kind": "body",
            "section": "body",
            "cl100k_tokens": 400,
            "embedder_tokens": 420,
        }
        for name, value in constant.items():
            columns[name] = [value] * count
        table = pa.Table.from_arrays(
            [pa.array(columns.get(field.name, [None] * count), field.type) for field in schemas.CHUNKS],
            schema=schemas.CHUNKS,
        )
        yield key, tables.with_info(table, {"data_version": f"made-{seed}-{count}"})


def vectors(count: int, dimension: int = SPEC.dimension, seed: int = 1) -> Vectors:
    """Unit vectors in clusters, shape (count, dimension)."""
    rng = np.random.default_rng(seed)
    side = rng.standard_normal(dimension)
    centres = rng.standard_normal((200, dimension))
    out = (
        1.6 * side
        + 0.7 * centres[rng.integers(0, 200, count)]
        + 0.7 * rng.standard_normal((count, dimension))
    )
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    return out.astype(np.float32)


def make(folder: Path, volumes: int = VOLUMES, passages: int = PASSAGES) -> Home:
    """The library in ``folder``, published; made if it is not there yet."""
    home = Home(folder)
    paths = {}
    index = EmbeddedIndex(home.index, SPEC)
    if (home.index / "CURRENT").exists():
        return home
    for number, (key, table) in enumerate(chunk_tables(volumes, passages)):
        paths[key] = home.table("chunks", key)
        tables.write_table(paths[key], table)
        index.replace_volume(key, table, vectors(table.num_rows, seed=number))
    publish(home, SPEC, paths)
    return home
