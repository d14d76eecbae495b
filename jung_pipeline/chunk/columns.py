"""What a passage inherits from its paragraphs: place in the book, pages, labels, numbers, raw lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jung_pipeline.schemas import PARAGRAPH_SEPARATOR, SPAN

_PLACE = (
    "section",
    "part",
    "chapter",
    "chapter_kind",
    "chapter_number",
    "chapter_title",
    "chapter_index",
)
_SCALARS = (
    "paragraph",
    "kind",
    *_PLACE,
    "page_first",
    "label_first",
    "page_starts",
    "numbered_paragraph",
    "char_start",
    "text",
)


class Stream:
    """The rows of one kind (body, or notes) as one text: their texts joined by a blank line."""

    def __init__(self, rows: pa.Table) -> None:
        """Join ``rows`` (schema CLEANED_TEXT, none of them blank)."""
        self._values: dict[str, list[Any]] = {name: rows.column(name).to_pylist() for name in _SCALARS}
        texts: list[str] = self._values["text"]
        self.text = PARAGRAPH_SEPARATOR.join(texts)
        lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
        steps = lengths + len(PARAGRAPH_SEPARATOR)
        starts = np.concatenate(([0], np.cumsum(steps)))[:-1] if len(texts) else steps
        self.starts: list[int] = starts.tolist()
        self._spans = _Spans(rows.column("spans"), starts)
        self._numbers = self._numbers_in_force()

    def __len__(self) -> int:
        return len(self.starts)

    def value(self, name: str, row: int) -> Any:
        """The value of a column."""
        return self._values[name][row]

    def _numbers_in_force(self) -> list[str | None]:
        """The numbered paragraph that each row belongs to: its own, or the last one before in its chapter."""
        numbers: list[str | None] = []
        current, chapter = None, None
        for number, index, kind in zip(
            self._values["numbered_paragraph"],
            self._values["chapter_index"],
            self._values["kind"],
            strict=True,
        ):
            if index != chapter:
                current, chapter = None, index
            current = number or current
            # A footnote or heading is not part of the paragraph that stands before it.
            numbers.append(number if kind in ("footnote", "heading") else current)
        return numbers

    def inherited(self, starts: Sequence[int], ends: Sequence[int]) -> dict[str, Any]:
        """The columns of the passages ``text[starts[i]:ends[i]]``, as lists, spans as an Arrow array."""
        columns: dict[str, Any] = {
            name: []
            for name in (
                *_PLACE,
                "page_first",
                "page_last",
                "label_first",
                "label_last",
                "numbered_first",
                "numbered_last",
                "paragraph_first",
                "paragraph_last",
                "char_start",
                "char_end",
            )
        }
        for start, end in zip(starts, ends, strict=True):
            first = bisect_right(self.starts, start) - 1
            last = bisect_right(self.starts, end - 1) - 1
            lead = first
            while lead < last and self._values["kind"][lead] == "heading":
                lead += 1
            for name in _PLACE:
                columns[name].append(self._values[name][lead])
            for which, row, at in (("first", first, start), ("last", last, end - 1)):
                page, label = self._page(row, at - self.starts[row])
                columns[f"page_{which}"].append(page)
                columns[f"label_{which}"].append(label)
                columns[f"paragraph_{which}"].append(self._values["paragraph"][row])
            numbers = [number for number in self._numbers[first : last + 1] if number is not None]
            columns["numbered_first"].append(numbers[0] if numbers else None)
            columns["numbered_last"].append(numbers[-1] if numbers else None)
            char_start = self._values["char_start"]
            columns["char_start"].append(char_start[first] + start - self.starts[first])
            columns["char_end"].append(char_start[last] + end - self.starts[last])
        columns["spans"] = self._spans.of(starts, ends)
        return columns

    def _page(self, row: int, offset: int) -> tuple[int, str | None]:
        """Page and printed label in force at ``offset`` of a row."""
        page, label = self._values["page_first"][row], self._values["label_first"][row]
        for begin in self._values["page_starts"][row]:
            if begin["offset"] > offset:
                break
            page, label = begin["page"], begin["label"]
        return page, label


class _Spans:
    """The spans back to raw lines of all rows of a stream, in the stream's own offsets."""

    def __init__(self, spans: pa.ChunkedArray, row_starts: np.ndarray) -> None:
        counts = pc.fill_null(pc.list_value_length(spans), 0).to_numpy()
        flat = pc.list_flatten(spans)
        if isinstance(flat, pa.ChunkedArray):
            flat = flat.combine_chunks()
        shift = np.repeat(row_starts, counts)
        columns = {field.name: np.asarray(flat.field(i), dtype=np.int64) for i, field in enumerate(SPAN)}
        start = columns["start"] + shift
        order = np.argsort(start, kind="stable")
        self._start = start[order]
        self._end = (columns["end"] + shift)[order]
        self._line = columns["line_id"][order]
        self._raw_start = columns["raw_start"][order]
        self._raw_end = columns["raw_end"][order]
        self._reach = np.maximum.accumulate(self._end) if len(order) else self._end

    def of(self, starts: Sequence[int], ends: Sequence[int]) -> pa.ListArray:
        """The spans of each passage, cut to it, in its own offsets."""
        offsets = [0]
        picked: list[np.ndarray] = []
        lows = np.searchsorted(self._reach, np.asarray(starts), side="right")
        highs = np.searchsorted(self._start, np.asarray(ends), side="left")
        for low, high, passage_start in zip(lows.tolist(), highs.tolist(), starts, strict=True):
            index = np.arange(low, max(low, high))
            index = index[self._end[index] > passage_start]
            picked.append(index)
            offsets.append(offsets[-1] + len(index))
        rows = np.concatenate(picked) if picked else np.zeros(0, dtype=np.int64)
        owner = np.repeat(np.arange(len(starts)), np.diff(offsets))
        begin, finish = np.asarray(starts, dtype=np.int64)[owner], np.asarray(ends, dtype=np.int64)[owner]
        start, end = self._start[rows], self._end[rows]
        raw_start, raw_end = self._raw_start[rows], self._raw_end[rows]
        # Only where text and raw line run side by side is a part of the one a known part of the other.
        parallel = (raw_end - raw_start) == (end - start)
        before, after = np.maximum(begin - start, 0), np.maximum(end - finish, 0)
        fields = {
            "start": start + before - begin,
            "end": end - after - begin,
            "line_id": self._line[rows],
            "raw_start": np.where(parallel, raw_start + before, raw_start),
            "raw_end": np.where(parallel, raw_end - after, raw_end),
        }
        struct = pa.StructArray.from_arrays(
            [pa.array(fields[field.name], type=field.type) for field in SPAN], fields=list(SPAN)
        )
        return pa.ListArray.from_arrays(pa.array(offsets, type=pa.int32()), struct)
