"""A filter on passages, as a row mask over the columns of a segment.

Columns are kept as small numbers (codes into their distinct values) once they have been used, so that a
filter costs a comparison of numbers, not of text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from jung_pipeline.index.vector_index import Where

Mask = npt.NDArray[np.bool_]
_Numbers = npt.NDArray[np.int64]

#: Field of :class:`Where` -> column of ``schemas.CHUNKS`` that must equal one of its values.
COLUMNS = {
    "volumes": "volume",
    "works": "work_title",
    "authors": "author",
    "languages": "language",
    "chapters": "chapter",
    "kinds": "kind",
}


class Filterable:
    """The columns of a table of passages (``schemas.CHUNKS``) that filters look at."""

    def __init__(self, table: pa.Table) -> None:
        """Nothing is read before a filter asks for it."""
        self._table = table
        self._codes: dict[str, tuple[_Numbers, dict[str, int]]] = {}
        self._numbers: dict[str, _Numbers] = {}
        self._full: dict[str, bool] = {}

    def mask(self, where: Where | None) -> Mask | None:
        """Which rows pass ``where``; ``None``: all of them."""
        if not where:
            return None
        masks = []
        for name, column in COLUMNS.items():
            if getattr(where, name):
                masks.append(self._is_one_of(column, getattr(where, name)))
        if where.concepts:
            tagged = np.zeros(self._table.num_rows, dtype=bool)
            found = self._is_one_of("concepts", where.concepts)
            rows = self._number("concepts")
            tagged[rows if found is None else rows[found]] = True
            masks.append(tagged)
        if where.pages:
            first, last = where.pages
            masks.append((self._number("page_first") <= last) & (self._number("page_last") >= first))
        out: Mask | None = None
        for mask in masks:
            if mask is not None:
                out = mask if out is None else out & mask
        return out

    def _is_one_of(self, name: str, values: Sequence[str]) -> Mask | None:
        """Where the column, or the flat items of a list column, equals one of ``values``; ``None``: everywhere.

        A column with one value, as most are within a volume, is told without looking at its rows.
        """
        if name not in self._codes:
            column = self._table.column(name)
            items = pc.list_flatten(column) if pa.types.is_list(column.type) else column
            encoded = pa.concat_arrays([pa.array([], pa.string()), *items.chunks]).dictionary_encode()
            codes = np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)
            self._codes[name] = (
                codes,
                {value: code for code, value in enumerate(encoded.dictionary.to_pylist())},
            )
        codes, known = self._codes[name]
        wanted = {known[value] for value in values if value in known}
        if wanted and len(wanted) == len(known) and self._is_full(name):
            return None
        out = np.zeros(len(codes), dtype=bool)
        for code in wanted:
            out |= codes == code
        return out

    def _is_full(self, name: str) -> bool:
        """Whether every row of the column, or every item of a list column, has a value."""
        if name not in self._full:
            self._full[name] = bool((self._codes[name][0] >= 0).all())
        return self._full[name]

    def _number(self, name: str) -> _Numbers:
        """A column of numbers; for a list column, the row of each of its items."""
        if name not in self._numbers:
            column = self._table.column(name)
            values = pc.list_parent_indices(column) if pa.types.is_list(column.type) else column
            self._numbers[name] = np.asarray(values, dtype=np.int64)
        return self._numbers[name]
