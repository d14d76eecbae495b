"""A segment: the passages of one volume with their vectors, in one immutable, memory-mapped file.

An Arrow IPC file, uncompressed and of one record batch, so that opening it reads nothing and the vectors are
one float32 matrix in place. Its columns are those of ``schemas.CHUNKS``, ``vector`` and, where there are any,
``windows``: the vectors of each passage's windows, in half precision (their cosines are right to 0.001). Its
metadata holds the spec of the index and facts about the volume.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from jung_pipeline import schemas, tables
from jung_pipeline.errors import ModelMismatchError, VectorIndexError
from jung_pipeline.index.filters import Filterable
from jung_pipeline.index.vector_index import IndexSpec, Vectors

#: How far from 1 the length of a unit vector in float32 may be.
NORM_TOLERANCE = 1e-3
_SPEC_KEY = b"jung.spec"


def comparable(ours: IndexSpec, theirs: IndexSpec) -> bool:
    """Whether vectors of the two specs mean the same: model, dimension and prefixes agree."""
    return _identity(ours) == _identity(theirs)


def mismatch(ours: IndexSpec, theirs: IndexSpec, *, where: str) -> ModelMismatchError:
    """The error for vectors of ``theirs`` found at ``where`` when ``ours`` are wanted."""
    return ModelMismatchError(
        f"{where} holds vectors of {theirs.model} ({theirs.dimension} numbers each); the settings ask for "
        f"{ours.model} ({ours.dimension}).",
        remedy="Run `jung ingest` to build the index with this model, or set JUNG_EMBEDDER back.",
    )


def _identity(spec: IndexSpec) -> tuple[str, int, str, str]:
    return spec.model, spec.dimension, spec.passage_prefix, spec.query_prefix


def with_vectors(
    volume: str,
    chunks: pa.Table,
    vectors: Vectors,
    spec: IndexSpec,
    windows: Sequence[Vectors] | None = None,
) -> pa.Table:
    """The passages of ``volume`` that are not blank, with their vectors as the column ``vector``.

    ``windows`` gives the vectors of each passage's windows, which become the column ``windows``.

    Raises:
        VectorIndexError: a vector is not finite, of another dimension, or of zero length; or an id is not
            ASCII, not one of ``volume``, or occurs twice. The passage is named.
    """
    tables.check_schema(chunks, schemas.CHUNKS, where="chunks")
    ids = chunks.column("chunk_id").to_pylist()
    if len(vectors) != len(ids):
        raise VectorIndexError(f"{len(ids)} passages came with {len(vectors)} vectors.")
    keep = np.array([bool(text.strip()) for text in chunks.column("text").to_pylist()], dtype=bool)
    matrix = checked_vectors([i for i, k in zip(ids, keep, strict=True) if k], _rows(vectors, keep), spec)
    kept = chunks.filter(pa.array(keep)).replace_schema_metadata(None).combine_chunks()
    _check_ids(volume, kept.column("chunk_id").to_pylist())
    column = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), spec.dimension)
    table = kept.append_column(pa.field("vector", column.type, nullable=False), column)
    if windows is None:
        return table
    if len(windows) != len(ids):
        raise VectorIndexError(f"{len(ids)} passages came with windows of {len(windows)}.")
    nested = _windows_column(table.column("chunk_id").to_pylist(), _rows(windows, keep), spec)
    return table.append_column(pa.field("windows", nested.type, nullable=False), nested)


def _windows_column(ids: list[str], windows: list[Vectors], spec: IndexSpec) -> pa.ListArray:
    """The vectors of the windows as one column: a list for each passage."""
    owners = [chunk_id for chunk_id, some in zip(ids, windows, strict=True) for _ in some]
    matrix = checked_vectors(owners, [vector for some in windows for vector in some], spec)
    flat = pa.FixedSizeListArray.from_arrays(
        pa.array(matrix.astype(np.float16).reshape(-1), pa.float16()), spec.dimension
    )
    offsets = np.cumsum([0, *map(len, windows)], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), flat)


def passages_of(table: pa.Table) -> pa.Table:
    """``table`` without its vectors: the columns of ``schemas.CHUNKS``."""
    return table.drop_columns([name for name in ("vector", "windows") if name in table.column_names])


def _rows(vectors: Any, keep: Any) -> list[Any]:
    return [vector for vector, kept in zip(vectors, keep, strict=True) if kept]


def matrix_of(table: pa.Table) -> Vectors:
    """The column ``vector`` as one matrix, shape (rows, dimension)."""
    column = table.column("vector")
    flat = [np.asarray(chunk.flatten(), dtype=np.float32) for chunk in column.chunks]
    return np.concatenate([np.empty(0, dtype=np.float32), *flat]).reshape(-1, column.type.list_size)


def checked_vectors(ids: list[str], vectors: list[Any], spec: IndexSpec) -> Vectors:
    """``vectors`` as one float32 matrix of unit rows, after refusing by name what cannot be indexed."""
    matrix = np.empty((len(ids), spec.dimension), dtype=np.float32)
    for row, (chunk_id, vector) in enumerate(zip(ids, vectors, strict=True)):
        values = np.asarray(vector, dtype=np.float32).reshape(-1)
        problem = _problem(values, spec)
        if problem:
            raise VectorIndexError(
                f"The vector of passage {chunk_id} {problem}; nothing was written.",
                remedy="Delete the volume's embeddings and run `jung ingest`.",
            )
        matrix[row] = values
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    off = np.abs(norms[:, 0] - 1) > NORM_TOLERANCE
    matrix[off] /= norms[off]
    return matrix


def _problem(values: Vectors, spec: IndexSpec) -> str | None:
    if values.shape != (spec.dimension,):
        return f"has {values.size} numbers, where {spec.model} gives {spec.dimension}"
    if not np.isfinite(values).all():
        return "holds a value that is not a finite number"
    if not np.linalg.norm(values.astype(np.float64)) > 0:
        return "has zero length"
    return None


def check_question(vector: Vectors, spec: IndexSpec) -> Vectors:
    """The vector of a question as float32, after refusing one that cannot be compared."""
    values = np.asarray(vector, dtype=np.float32).reshape(-1)
    if values.shape != (spec.dimension,):
        raise ModelMismatchError(
            f"The question's vector has {values.size} numbers; the index holds vectors of {spec.dimension} "
            f"({spec.model}).",
            remedy="Ask with the model the index was built with, or run `jung ingest` to build it anew.",
        )
    problem = _problem(values, spec)
    if problem:
        raise VectorIndexError(f"The vector of the question {problem}.")
    return values


def _check_ids(volume: str, ids: list[str]) -> None:
    seen: set[str] = set()
    for chunk_id in ids:
        if not chunk_id.startswith(f"{volume}#"):
            raise VectorIndexError(f"Passage id {chunk_id!r} does not begin with {volume}#.")
        if not chunk_id.isascii() or not chunk_id.isprintable() or not 0 < len(chunk_id) <= 512:
            raise VectorIndexError(f"Passage id {chunk_id!r} is not 1 to 512 printable ASCII characters.")
        if chunk_id in seen:
            raise VectorIndexError(f"Passage id {chunk_id} occurs twice.")
        seen.add(chunk_id)


def digest_of(table: pa.Table, spec: IndexSpec) -> str:
    """The address of a segment's content: 24 hex of the rows' and the spec's sha256."""
    spec_json = json.dumps(asdict(spec), sort_keys=True)
    return hashlib.sha256(f"{tables.content_digest(table)} {spec_json}".encode()).hexdigest()[:24]


def write(path: Path, table: pa.Table, spec: IndexSpec) -> None:
    """Write ``table`` (see :func:`with_vectors`) to ``path``, all or nothing."""
    table = table.replace_schema_metadata({_SPEC_KEY: json.dumps(asdict(spec), sort_keys=True)})
    table = table.combine_chunks()

    def save(staged: Path) -> None:
        with pa.OSFile(str(staged), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)

    tables.write_atomically(path, save)


class Segment:
    """An open segment. Opening maps the file; rows are read where they are touched."""

    def __init__(self, path: Path) -> None:
        """Map the file at ``path``.

        Raises:
            VectorIndexError: the file is missing or damaged.
        """
        self.path = path
        try:
            with pa.memory_map(str(path)) as source:
                self.table: pa.Table = pa.ipc.open_file(source).read_all()
            self.spec = IndexSpec(**json.loads(self.table.schema.metadata[_SPEC_KEY]))
        except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
            raise VectorIndexError(
                f"Index segment {path} cannot be read ({getattr(error, 'strerror', None) or error}).",
                remedy=remedy_for(error, "Run `jung ingest`; the segment is written anew."),
            ) from error

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def verify(self, digest: str) -> None:
        """Read everything and hold it against the address that it was written under.

        Raises:
            VectorIndexError: it is not what was written: the disk has forgotten some of it.
        """
        try:
            self.table.validate(full=True)  # first: offsets that lead nowhere must not be followed
            same = digest_of(self.table, self.spec) == digest
        except (pa.ArrowException, ValueError, OSError):
            same = False
        if not same:
            raise VectorIndexError(
                f"Index segment {self.path} does not hold what was written to it.",
                remedy="Run `jung ingest`; the segment is written anew.",
            )

    @cached_property
    def ids(self) -> list[str]:
        """Passage ids in the order of the rows."""
        return list(self.table.column("chunk_id").to_pylist())

    def ids_of(self, rows: npt.NDArray[np.intp]) -> list[str]:
        """The passage ids of some rows, without reading those of the others."""
        return list(self.table.column("chunk_id").take(pa.array(rows)).to_pylist()) if len(rows) else []

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row of each passage id."""
        return {chunk_id: row for row, chunk_id in enumerate(self.ids)}

    @cached_property
    def matrix(self) -> Vectors:
        """The vectors, shape (rows, dimension), in place in the mapped file."""
        if not len(self):
            return np.empty((0, self.spec.dimension), dtype=np.float32)
        flat = self.table.column("vector").chunk(0).flatten()
        return np.asarray(flat.to_numpy(zero_copy_only=True)).reshape(-1, self.spec.dimension)

    @cached_property
    def passages(self) -> pa.Table:
        """The rows without their vectors (``schemas.CHUNKS``)."""
        return passages_of(self.table)

    @cached_property
    def windows(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float16]] | None:
        """The vectors of all windows, shape (windows, dimension), in place, and where each row's begin.

        Those of row ``n`` are from the ``n``-th place to the one after it. ``None``: there are no windows.
        """
        if "windows" not in self.table.column_names or not len(self):
            return None
        column = self.table.column("windows").chunk(0)
        vectors = column.values.flatten().to_numpy(zero_copy_only=True)
        return column.offsets.to_numpy(), vectors.reshape(-1, self.spec.dimension)

    @cached_property
    def filterable(self) -> Filterable:
        """The columns that filters look at."""
        return Filterable(self.passages)

    def row(self, number: int) -> dict[str, Any]:
        """The columns of one row, without the vector."""
        return dict(self.passages.slice(number, 1).to_pylist()[0])


def remedy_for(error: BaseException, otherwise: str) -> str:
    """What helps where a file of the index cannot be read: rights, where these are what is missing."""
    if isinstance(error, PermissionError):
        return "Give this user the right to read it."
    return otherwise


def open_segments(paths: Mapping[str, Path]) -> dict[str, Segment]:
    """The segments at ``paths``, by volume, in the order of the keys."""
    return {volume: Segment(paths[volume]) for volume in sorted(paths)}
