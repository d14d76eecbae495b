"""A filter on passages, as a row mask over the columns of a segment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from jung_pipeline.index.vector_index import Where

Mask = npt.NDArray[np.bool_]

#: Field of :class:`Where` -> column of ``schemas.CHUNKS`` that must equal one of its values.
COLUMNS = {
    "volumes": "volume",
    "works": "work_title",
    "authors": "author",
    "languages": "language",
    "chapters": "chapter",
    "kinds": "kind",
}


def mask(table: pa.Table, where: Where | None) -> Mask | None:
    """Which rows of ``table`` (columns of ``schemas.CHUNKS``) pass ``where``; ``None``: all of them."""
    if not where:
        return None
    out = np.ones(table.num_rows, dtype=bool)
    for name, column in COLUMNS.items():
        values: Sequence[str] = getattr(where, name)
        if values:
            passes = pc.is_in(table.column(column), value_set=pa.array(values, pa.string()))
            out &= _bools(passes)
    if where.concepts:
        concepts = table.column("concepts").combine_chunks()
        found = np.zeros(table.num_rows, dtype=bool)
        if table.num_rows:
            hits = pc.is_in(pc.list_flatten(concepts), value_set=pa.array(where.concepts, pa.string()))
            found[_numbers(pc.list_parent_indices(concepts))[_bools(hits)]] = True
        out &= found
    if where.pages:
        first, last = where.pages
        out &= _numbers(table.column("page_first")) <= last
        out &= _numbers(table.column("page_last")) >= first
    return out


def _bools(array: pa.ChunkedArray | pa.Array) -> Mask:
    return np.asarray(array, dtype=bool)


def _numbers(array: pa.ChunkedArray | pa.Array) -> npt.NDArray[np.int64]:
    return np.asarray(array, dtype=np.int64)
