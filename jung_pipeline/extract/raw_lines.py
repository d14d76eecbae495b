"""The raw_text table of a PDF, built column by column, a page at a time.

Lines are held as Arrow columns, so that thousands of pages take little more room than their text.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from jung_pipeline.extract.pdf_fragments import Fragment, Mark
from jung_pipeline.schemas import MARK, RAW_TEXT

#: So many rows are gathered as Python objects before they become an Arrow batch.
_BATCH_ROWS = 4096


class RawLines:
    """Rows of ``schemas.RAW_TEXT`` that grow page by page."""

    def __init__(self) -> None:
        self._batches: list[pa.RecordBatch] = []
        self._block = -1
        self._clear()

    def _clear(self) -> None:
        """Begin a new batch."""
        self._lines: list[Fragment] = []
        self._texts: list[str] = []
        self._blocks: list[int] = []
        self._numbers: list[int] = []
        self._marks: list[Mark] = []
        self._marked: list[tuple[int, int]] = []  # row, how many marks
        self._pages: list[tuple[int, str | None, str, int]] = []  # page, label, origin, rows

    def add_page(self, page: int, label: str | None, origin: str, lines: list[Fragment]) -> None:
        """Append a page's lines, in reading order; blocks are numbered on through the volume."""
        texts, first = self._texts, len(self._texts)
        blocks, numbers = self._blocks, self._numbers
        block, last_block, number = self._block, None, 0
        for line in lines:
            text = line.text.strip()
            if not text:
                continue
            if line.block != last_block:
                block += 1
                last_block, number = line.block, 0
            if line.marks:
                self._add_marks(line, text)
            texts.append(text)
            blocks.append(block)
            numbers.append(number)
            self._lines.append(line)
            number += 1
        self._block = block
        self._pages.append((page, label, origin, len(texts) - first))
        if len(texts) >= _BATCH_ROWS:
            self._finish_batch()

    def _add_marks(self, line: Fragment, text: str) -> None:
        """The marks of the next row, moved and cut to its text without the blanks around it."""
        skip = len(line.text) - len(line.text.lstrip())
        marks = [
            (max(0, start - skip), min(len(text), end - skip), kind)
            for start, end, kind in sorted(line.marks)
            if min(len(text), end - skip) > max(0, start - skip)
        ]
        if marks:
            self._marks.extend(marks)
            self._marked.append((len(self._texts), len(marks)))

    def _finish_batch(self) -> None:
        """Turn what was gathered into an Arrow batch."""
        rows = len(self._texts)
        if not rows:
            return
        lines = self._lines
        boxes = np.array([line.box for line in lines], dtype=np.float64).astype(np.float32)
        counts = [page[3] for page in self._pages]
        columns = {
            "line_id": _numbers(np.zeros(rows, np.int32)),  # given in table()
            "page": _numbers(np.repeat(np.array([page[0] for page in self._pages], np.int32), counts)),
            "page_label": _strings([page[1] for page in self._pages], counts),
            "block": _numbers(np.array(self._blocks, np.int32)),
            "line": _numbers(np.array(self._numbers, np.int32)),
            "font_size": _numbers(np.array([line.size for line in lines], np.float64).astype(np.float32)),
            "bold": _booleans([line.bold for line in lines]),
            "italic": _booleans([line.italic for line in lines]),
            "origin": _strings([page[2] for page in self._pages], counts),
            "element": pa.nulls(rows, pa.string()),
            "element_id": pa.nulls(rows, pa.string()),
            "text": _strings(self._texts),
            "marks": self._marks_array(rows),
        }
        columns |= {name: _numbers(boxes[:, index]) for index, name in enumerate(("x0", "y0", "x1", "y1"))}
        self._batches.append(
            pa.RecordBatch.from_arrays([columns[n] for n in RAW_TEXT.names], schema=RAW_TEXT)
        )
        self._clear()

    def _marks_array(self, rows: int) -> pa.Array:
        """The column of marks."""
        counts = np.zeros(rows + 1, np.int32)
        for row, count in self._marked:
            counts[row + 1] = count
        values = pa.StructArray.from_arrays(
            [
                _numbers(np.array([mark[0] for mark in self._marks], np.int32)),
                _numbers(np.array([mark[1] for mark in self._marks], np.int32)),
                _strings([mark[2] for mark in self._marks]),
                pa.nulls(len(self._marks), pa.string()),
            ],
            fields=list(MARK),
        )
        offsets = _numbers(np.cumsum(counts, dtype=np.int32))
        return pa.ListArray.from_arrays(offsets, values, type=RAW_TEXT.field("marks").type)

    def table(self, *, without_pages: Collection[int] = ()) -> pa.Table:
        """Everything added so far, except for some pages; lines and blocks are numbered without gaps."""
        self._finish_batch()
        table = pa.Table.from_batches(self._batches, schema=RAW_TEXT)
        blocks = self._integers("block")
        if without_pages:
            keep = ~np.isin(self._integers("page"), np.array(sorted(without_pages), np.int32))
            table, blocks = table.filter(_booleans(keep)), blocks[keep]
        return _renumbered(table.combine_chunks(), blocks)

    def _integers(self, name: str) -> np.ndarray:
        """A column of int32 in all batches."""
        buffers = [batch.column(name).buffers()[1] for batch in self._batches]
        return np.concatenate([np.zeros(0, np.int32), *(np.frombuffer(b, np.int32) for b in buffers)])


def _renumbered(table: pa.Table, blocks: np.ndarray) -> pa.Table:
    """The table with lines and blocks numbered without gaps; ``blocks`` changes wherever a block begins."""
    block = np.cumsum(np.diff(blocks, prepend=blocks[:1]) != 0, dtype=np.int32)
    for name, values in (("block", block), ("line_id", np.arange(len(table), dtype=np.int32))):
        index = RAW_TEXT.get_field_index(name)
        table = table.set_column(index, RAW_TEXT.field(index), _numbers(values))
    return table


def with_pages(table: pa.Table, others: pa.Table, pages: Collection[int]) -> pa.Table:
    """``table`` with the rows of ``pages`` taken out and those of ``others`` put where their pages belong."""
    keep = ~np.isin(table["page"].to_numpy(), np.array(sorted(pages), np.int32))
    both = pa.concat_tables([table.filter(_booleans(keep)), others])
    # No block of one is a block of the other.
    own = np.arange(len(both)) < np.count_nonzero(keep)
    blocks = both["block"].to_numpy() + np.where(own, 0, 1 + table["block"].to_numpy().max(initial=0))
    order = np.argsort(both["page"].to_numpy(), kind="stable")
    return _renumbered(both.take(_numbers(order.astype(np.int32))).combine_chunks(), blocks[order])


# Arrow arrays from buffers: pa.array() would import pandas to see whether it is given some of it, which
# costs as much as two hundred pages.


def _numbers(values: np.ndarray) -> pa.Array:
    """An array of int32 or float32."""
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values.tobytes())]
    )


def _bits(values: Sequence[bool] | np.ndarray) -> pa.Buffer:
    """Truth values as Arrow packs them."""
    return pa.py_buffer(np.packbits(np.asarray(values, np.bool_), bitorder="little").tobytes())


def _booleans(values: Sequence[bool] | np.ndarray) -> pa.Array:
    """An array of booleans."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(values)])


def _strings(values: Sequence[str | None], counts: Sequence[int] | None = None) -> pa.Array:
    """An array of strings, each as often as its count says; half a surrogate pair, no character, is U+FFFD."""
    encoded = [_utf8(value) if value is not None else b"" for value in values]
    lengths = np.array([len(data) for data in encoded], np.int32)
    present = np.array([value is not None for value in values], np.bool_)
    if counts is not None:
        lengths, present = np.repeat(lengths, counts), np.repeat(present, counts)
        encoded = [data * count for data, count in zip(encoded, counts, strict=True)]
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    valid = None if present.all() else _bits(present)
    buffers = [valid, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(lengths), buffers)


def _utf8(text: str) -> bytes:
    """The bytes of a text."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
