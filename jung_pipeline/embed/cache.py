"""The vector cache of a volume: nothing unchanged is embedded twice, and an interrupted run goes on.

The key is the hash of the exact text given to the model, so a passage that moved, or whose chapter was
renamed, keeps its vector, and the same words embedded for another index are found again. The windows of passages
(``windows.py``), where they are wanted, are texts like any other.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from jung_pipeline import progress, schemas, tables
from jung_pipeline.embed.embedder import Embedder, EmbedderSpec, Vectors
from jung_pipeline.embed.inputs import input_hash, passage_input
from jung_pipeline.embed.windows import windows_of
from jung_pipeline.errors import StageError


@dataclass(frozen=True)
class EmbedResult:
    """A volume's vectors and what they cost.

    ``table`` (``schemas.embeddings_schema``) has one row for each distinct text, in order of first
    appearance; its info holds the embedder's spec.
    """

    table: pa.Table
    embedded: int  # distinct texts of passages that went through the model
    reused: int  # distinct texts of passages whose vector was there
    windows: int = 0  # distinct texts of windows
    windows_embedded: int = 0  # of these, those that went through the model


def embed_chunks(
    chunks: pa.Table,
    embedder: Embedder,
    cache_path: Path,
    *,
    windows: bool = False,
    checkpoint_every: int = 256,
) -> EmbedResult:
    """Bring the cache at ``cache_path`` up to date with ``chunks`` (``schemas.CHUNKS``), and their ``windows``.

    Embeds the texts that have no vector yet, ``checkpoint_every`` at a time, and saves after each lot; in
    the end the file holds exactly the vectors of ``chunks``. Blank passages get none. A cache of another
    model, or a damaged one, counts as empty.

    Raises:
        EmbeddingError: the embedder refused a text or cannot be reached; what was embedded is kept.
    """
    spec = embedder.spec
    wanted = {key: text for text, key in _keyed(spec, chunks) if key}
    passages = len(wanted)
    if windows:
        wanted.update((key, text) for of_passage in _windows(spec, chunks) for text, key in of_passage)
    cached = _cached(cache_path, spec)
    known = _by_key(cached, spec)
    missing = [key for key in wanted if key not in known]
    of_passages = sum(key not in known for key in list(wanted)[:passages])
    total, reused = len(wanted), len(wanted) - len(missing)
    progress.advance("embeddings", reused, total)
    for start in range(0, len(missing), checkpoint_every):
        keys = missing[start : start + checkpoint_every]
        before = reused + start
        vectors = embedder.embed_passages(
            [wanted[key] for key in keys],
            on_batch=lambda done, before=before: progress.advance("embeddings", before + done, total),  # type: ignore[misc]
        )
        known.update(zip(keys, vectors, strict=True))
        if start + checkpoint_every < len(missing):
            tables.write_table(cache_path, _table(known, spec))
    table = _table({key: known[key] for key in wanted}, spec)
    if cached is None or not cached.equals(table):
        tables.write_table(cache_path, table)
    return EmbedResult(
        table,
        embedded=of_passages,
        reused=passages - of_passages,
        windows=len(wanted) - passages,
        windows_embedded=len(missing) - of_passages,
    )


def without_vector(
    chunks: pa.Table, spec: EmbedderSpec, cache_path: Path, *, windows: bool = False
) -> list[bool]:
    """For each passage of ``chunks``, whether :func:`embed_chunks` would have to embed it, or one of its windows.

    Never a blank one.
    """
    known = _by_key(_cached(cache_path, spec), spec)
    missing = [key is not None and key not in known for _, key in _keyed(spec, chunks)]
    if windows:
        parts = [any(key not in known for _, key in of_passage) for of_passage in _windows(spec, chunks)]
        missing = [whole or part for whole, part in zip(missing, parts, strict=True)]
    return missing


def vectors_for(chunks: pa.Table, table: pa.Table) -> Vectors:
    """The vectors of ``chunks`` in their order, shape (rows, dimension); zeros for a blank passage.

    Raises:
        StageError: a passage has no vector in ``table``.
    """
    spec = EmbedderSpec(**tables.info_of(table)["embedder"])
    rows = {key: row for row, key in enumerate(table.column("text_hash").to_pylist())}
    matrix = _matrix(table, spec.dimension)
    out = np.zeros((chunks.num_rows, spec.dimension), dtype=np.float32)
    ids = chunks.column("chunk_id").to_pylist()
    for place, (_, key) in enumerate(_keyed(spec, chunks)):
        if key is None:
            continue
        if key not in rows:
            raise StageError(
                f"Passage {ids[place]} has no vector of {spec.model}.",
                remedy="Run `jung ingest`; it embeds what is missing.",
            )
        out[place] = matrix[rows[key]]
    return out


def window_vectors_for(chunks: pa.Table, table: pa.Table) -> list[Vectors]:
    """For each passage of ``chunks``, the vectors of its windows, shape (windows, dimension).

    Raises:
        StageError: a window has no vector in ``table``.
    """
    spec = EmbedderSpec(**tables.info_of(table)["embedder"])
    rows = {key: row for row, key in enumerate(table.column("text_hash").to_pylist())}
    matrix = _matrix(table, spec.dimension)
    ids = chunks.column("chunk_id").to_pylist()
    out = []
    for chunk_id, of_passage in zip(ids, _windows(spec, chunks), strict=True):
        places = [rows[key] for _, key in of_passage if key in rows]
        if len(places) < len(of_passage):
            raise StageError(
                f"A window of passage {chunk_id} has no vector of {spec.model}.",
                remedy="Run `jung ingest`; it embeds what is missing.",
            )
        out.append(matrix[places] if places else np.empty((0, spec.dimension), dtype=np.float32))
    return out


def _keyed(spec: EmbedderSpec, chunks: pa.Table) -> list[tuple[str, str | None]]:
    """Text and cache key of every passage; no key for a blank one."""
    texts: Sequence[str] = chunks.column("text").to_pylist()
    return [(text, input_hash(passage_input(spec, text)) if text.strip() else None) for text in texts]


def _windows(spec: EmbedderSpec, chunks: pa.Table) -> Iterator[list[tuple[str, str]]]:
    """Text and cache key of every window, passage by passage."""
    texts, languages = (chunks.column(name).to_pylist() for name in ("text", "language"))
    for text, language in zip(texts, languages, strict=True):
        windows = windows_of(text, language)
        yield [(window, input_hash(passage_input(spec, window))) for window in windows]


def _cached(path: Path, spec: EmbedderSpec) -> pa.Table | None:
    """The cache file; ``None`` where there is none of this model that can be used."""
    with contextlib.suppress(StageError, KeyError, TypeError, ValueError):
        table = tables.read_table(path)
        if tables.info_of(table)["embedder"] == asdict(spec):
            tables.check_schema(table, schemas.embeddings_schema(spec.dimension), where=str(path))
            return table
    return None


def _by_key(table: pa.Table | None, spec: EmbedderSpec) -> dict[str, Vectors]:
    """The vectors of a cache by the hash of their text."""
    if table is None:
        return {}
    keys = table.column("text_hash").to_pylist()
    return dict(zip(keys, _matrix(table, spec.dimension), strict=True))


def _table(vectors: Mapping[str, Vectors], spec: EmbedderSpec) -> pa.Table:
    flat = np.concatenate([np.empty(0, dtype=np.float32), *vectors.values()])
    table = pa.table(
        {
            "text_hash": pa.array(list(vectors), pa.string()),
            "model": pa.array([spec.model] * len(vectors), pa.string()),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(flat, pa.float32()), spec.dimension),
        },
        schema=schemas.embeddings_schema(spec.dimension),
    )
    return tables.with_info(table, {"embedder": asdict(spec)})


def _matrix(table: pa.Table, dimension: int) -> Vectors:
    column = table.column("vector").combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # no rows
        return np.empty((0, dimension), dtype=np.float32)
    return np.asarray(column.flatten()).reshape(-1, dimension)
