"""Rows of a table: the cells of a ``tr`` that each hold one line become one row, divided by tabs."""

from __future__ import annotations

from jung_pipeline.extract.html_lines import Link, Mark, Row

#: Elements of rows that may be joined; headings and notes in a table stay as they are.
_CELLS = frozenset(("td", "p", "li", "pre"))

#: A table that only lays out the page holds paragraphs in its cells; so long a line is one.
_LONGEST_CELL = 400


class TableRows:
    """Watches the rows that one table adds to ``rows``."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows
        self._cells: list[int] | None = None  # index of the first row of each cell

    def start_row(self) -> None:
        """A ``tr`` begins; one left open ends."""
        self.end_row()
        self._cells = []

    def start_cell(self) -> None:
        """A cell begins."""
        if self._cells is None:
            self._cells = []
        self._cells.append(len(self._rows))

    def end_row(self) -> None:
        """A ``tr`` ends: join its cells if each is one line."""
        cells, self._cells = self._cells, None
        if not cells:
            return
        bounds = [*cells[1:], len(self._rows)]
        if any(end - start > 1 for start, end in zip(cells, bounds, strict=True)):
            return  # a table inside a cell may be the whole book: it is not looked at again
        rows = self._rows[cells[0] :]
        if len(rows) < 2:
            for row in rows:
                row.element = "tr" if row.element == "td" else row.element
            return
        kinds = {row.element for row in rows}
        if not (kinds <= _CELLS or len(kinds) == 1) or any(len(row.text) > _LONGEST_CELL for row in rows):
            return
        # An empty cell keeps its place.
        texts = [
            self._rows[start].text if end > start else "" for start, end in zip(cells, bounds, strict=True)
        ]
        joined = rows[0]
        element = "tr" if kinds <= _CELLS else joined.element
        offset = 0
        marks: list[Mark] = []
        links: list[Link] = []
        anchors: list[tuple[int, str]] = []
        pages: list[str] = []
        filled = iter(rows)
        for text in texts:
            if text:
                row = next(filled)
                marks += [Mark(m.start + offset, m.end + offset, m.kind, m.target) for m in row.marks]
                links += [
                    Link(k.start + offset, k.end + offset, k.target, k.named, k.raised) for k in row.links
                ]
                anchors += [(at + offset, name) for at, name in row.anchors]
                if row is not joined and row.element_id:
                    anchors.append((offset, row.element_id))
                pages += row.pages
            offset += len(text) + 1
        joined.text = "\t".join(texts).rstrip("\t")
        joined.element, joined.marks, joined.links = element, marks, links
        joined.anchors, joined.pages = anchors, pages
        del self._rows[cells[0] + 1 :]
