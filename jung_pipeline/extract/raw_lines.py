"""The raw_text table of a PDF, built column by column."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from jung_pipeline.extract.pdf_fragments import Fragment
from jung_pipeline.schemas import RAW_TEXT


class RawLines:
    """Columns of ``schemas.RAW_TEXT`` that grow page by page."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {name: [] for name in RAW_TEXT.names}
        self._block = -1

    def add_page(self, page: int, label: str | None, origin: str, lines: list[Fragment]) -> None:
        """Append a page's lines, in reading order; blocks are numbered on through the volume."""
        c = self._columns
        last_block: int | None = None
        number = 0
        for line in lines:
            text = line.text.rstrip()
            skip = len(text) - len(text.lstrip())
            text = text[skip:]
            if not text:
                continue
            if line.block != last_block:
                self._block += 1
                last_block, number = line.block, 0
            x0, y0, x1, y1 = line.box
            c["line_id"].append(len(c["line_id"]))
            c["page"].append(page)
            c["page_label"].append(label)
            c["block"].append(self._block)
            c["line"].append(number)
            c["x0"].append(x0)
            c["y0"].append(y0)
            c["x1"].append(x1)
            c["y1"].append(y1)
            c["font_size"].append(line.size)
            c["bold"].append(line.bold)
            c["italic"].append(line.italic)
            c["origin"].append(origin)
            c["text"].append(text)
            c["marks"].append(
                [
                    {"start": max(0, s - skip), "end": min(len(text), e - skip), "kind": kind, "target": None}
                    for s, e, kind in sorted(line.marks)
                    if min(len(text), e - skip) > max(0, s - skip)
                ]
                if line.marks
                else []
            )
            number += 1

    def table(self) -> pa.Table:
        """Everything added so far."""
        rows = len(self._columns["line_id"])
        arrays = []
        for field in RAW_TEXT:
            values = self._columns[field.name]
            arrays.append(pa.array(values, field.type) if values else pa.nulls(rows, field.type))
        return pa.Table.from_arrays(arrays, schema=RAW_TEXT)
