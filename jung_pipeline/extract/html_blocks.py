"""Markup events to rows: one row per line of every block element, in reading order.

:class:`RowBuilder` is fed ``start``, ``data`` and ``end`` by whichever parser reads the document; it never
sees a tree, so the depth of a document costs no stack and its size little memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jung_pipeline.extract.html_lines import LineBuffer, Link, Mark, Row
from jung_pipeline.extract.html_roles import (
    STRONG,
    label_from_id,
    label_from_text,
    role_of,
    structure_type,
)
from jung_pipeline.extract.html_stack import NOTHING, Inside, OpenElement, PutAside, inside
from jung_pipeline.extract.html_tables import TableRows

#: Blocks that group others: rows of one note box, list or section share them.
_CONTAINERS = frozenset(
    [
        "div",
        "section",
        "aside",
        "article",
        "blockquote",
        "ul",
        "ol",
        "dl",
        "li",
        "table",
        "figure",
        "header",
        "footer",
    ]
)

_PREFORMATTED = frozenset(("pre", "xmp", "listing", "plaintext"))

#: Containers are told apart down to this depth; the corpus has up to 12.
_DEEPEST = 64

#: Longer text than this in a page-number element is no page number.
_MAX_PAGE_TEXT = 24


@dataclass
class RowBuilder:
    """Rows of one document.

    Args:
        file: name that qualifies ids.
        page: position of the document in the book.
        resolve: href → file-qualified target inside the book, or ``None`` for anything else.
        page_targets: file-qualified ids at which a printed page begins, with its label, from a page list.
    """

    file: str
    page: int
    resolve: Callable[[str], str | None]
    page_targets: Mapping[str, str] = field(default_factory=dict)

    rows: list[Row] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)  # file-qualified id, or the file → epub:type
    #: Page labels and ids that wait for the next row; at the end they belong to the next document.
    waiting_pages: list[str] = field(default_factory=list)
    waiting_ids: list[str] = field(default_factory=list)
    serial: int = 0  # of blocks, containers and notes; carried on from document to document

    def __post_init__(self) -> None:
        self._stack: list[OpenElement] = []
        self._marking: dict[str, OpenElement] = {}  # open elements whose text gets a mark, one a kind
        self._page_elements: list[OpenElement] = []  # open elements that hold a page number
        self._links: list[OpenElement] = []  # open <a> elements
        self._raised_links = 0  # so many of them hold raised letters
        self._put_aside = 0  # paragraphs put aside
        self._skipping = 0
        self._line = LineBuffer()
        self._block = 0
        self._breaks = 0
        self._deferred: list[Row] = []
        self._tables: list[TableRows] = []
        self._last_page: str | None = None
        self._preformatted = 0
        label = self.page_targets.get(self.file)
        if label:
            self._begin_page(label)

    # ---------------------------------------------------------------- events

    def start(self, tag: str, attrs: Mapping[str, str]) -> None:
        """An element begins; ``tag`` and attribute names in lower case."""
        if self._skipping:
            self._skipping += 1
            return
        role = role_of(tag, attrs)
        if role.skipped:
            self._skipping = 1
            return
        if tag == "br":
            self._break_line()
        elif tag == "img":
            self._drop_cap(attrs.get("alt", ""))
        parent = self._stack[-1] if self._stack else None
        element = OpenElement(
            tag,
            role,
            attrs.get("id") or (attrs.get("name") if tag == "a" else None) or None,
            note=parent.note if parent else None,
            containers=parent.containers if parent else (),
        )
        if role.block or role.box:
            self._start_block(element)
        if (tag in _CONTAINERS or role.box in STRONG) and len(element.containers) < _DEEPEST:
            self.serial += 1
            element.containers = (*element.containers, self.serial)
        if role.box == "footnote" and element.note is None:
            self.serial += 1
            element.note = self.serial
        self._note_structure(element, attrs)
        self._start_inline(element, attrs)
        self._start_table(tag)
        self._preformatted += tag in _PREFORMATTED
        element.inside = inside(self._inside, element)
        self._open(element)
        self._stack.append(element)

    def _open(self, element: OpenElement) -> None:
        """Note an element that later questions are about."""
        if element.mark == "pagebreak" or element.role.page_break:
            self._page_elements.append(element)
        marks = element.mark and element.mark not in ("pagebreak", "link")
        if marks and self._marking.setdefault(str(element.mark), element) is not element:
            element.mark = element.mark if element.href else None  # the one around it marks its text too
        if element.tag == "a":
            self._links.append(element)

    def _close(self, element: OpenElement) -> None:
        """Forget an element that has ended."""
        if self._page_elements and self._page_elements[-1] is element:
            self._page_elements.pop()
        if element.mark and self._marking.get(element.mark) is element:
            del self._marking[element.mark]
        if element.tag == "a":
            self._links.pop()
            self._raised_links = min(self._raised_links, len(self._links))

    @property
    def _inside(self) -> Inside:
        """What the open elements say of a row inside them."""
        return (self._stack[-1].inside if self._stack else None) or NOTHING

    def end(self, tag: str) -> None:
        """The element last begun ends."""
        if self._skipping:
            self._skipping -= 1
            return
        if not self._stack:
            return
        element = self._stack.pop()
        self._end_inline(element)
        if element.role.block or element.role.box:
            self._stack.append(element)  # its role still counts for its last line
            self._flush()
            self._stack.pop()
            self._end_block(element)
        self._close(element)
        self._end_table(tag)
        self._preformatted -= tag in _PREFORMATTED

    def data(self, text: str) -> None:
        """Text."""
        if self._skipping or not text:
            return
        if not self._preformatted:
            self._line.add(text)
            return
        for index, part in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
            if index:
                self._break_line()
            if part:
                self._line.add(part, preformatted=True)

    def close(self) -> list[Row]:
        """The rows, once the document has ended."""
        while self._stack:
            self.end(self._stack[-1].tag)
        self._flush()
        return self.rows

    # ---------------------------------------------------------------- blocks

    def _start_block(self, element: OpenElement) -> None:
        aside = element.role.box in ("footnote", "sidenote")
        around = self._inside
        if aside and not self._line.is_blank() and (around.in_paragraph or around.in_inline):
            element.suspended = PutAside(self._line, self._block, len(self.rows), len(self._deferred))
            self._put_aside += 1
            self._line = LineBuffer()
        else:
            self._flush()
        self._new_block()
        element.rows_before = len(self.rows)

    def _end_block(self, element: OpenElement) -> None:
        if element.role.page_break and len(self.rows) == element.rows_before and element.page_label:
            self._begin_page(element.page_label)
        saved = element.suspended
        if saved is not None:
            # A note inside this one follows it.
            self._deferred[saved.deferred_before : saved.deferred_before] = self.rows[saved.rows_before :]
            del self.rows[saved.rows_before :]
            self._line, self._block = saved.line, saved.block
            self._put_aside -= 1
        else:
            self._new_block()

    def _new_block(self) -> None:
        self.serial += 1
        self._block = self.serial
        self._breaks = 0

    def _break_line(self) -> None:
        """A line ends inside its block; two ends in a row make a new block, as readers see it."""
        if self._line.is_blank():
            self._breaks += 1
            self._flush(inside=True)
            if self._breaks >= 2 or self._preformatted:
                self._new_block()
        else:
            self._flush(inside=True)
            self._breaks = 1

    def _flush(self, *, inside: bool = False) -> None:
        """Make a row of the current line, if anything is on it; ``inside`` a block that goes on."""
        line = self._line
        if line.length or line.anchors or line.marks:
            for kind, element in self._marking.items():
                self._mark(element, kind)
            self._line = LineBuffer()
            if line.is_blank():
                self.waiting_ids += [anchor for _, anchor in line.anchors]
                self.waiting_pages += [m.target for m in line.marks if m.kind == "pagebreak" and m.target]
            else:
                self._emit(line)
        if self._deferred and not inside and not self._put_aside:
            self.rows += self._deferred
            self._deferred = []

    def _emit(self, line: LineBuffer) -> None:
        text = line.text if self._preformatted else line.text.rstrip(" ")
        around = self._inside
        block = around.block
        element, box = around.of_row()
        plain = around.of_row(strong=False)[0] if box else element
        marks = [Mark(0, 0, "pagebreak", label) for label in self.waiting_pages]
        marks += line.marks
        own_id = f"{self.file}#{block.element_id}" if block and block.element_id else None
        ids = self.waiting_ids
        element_id = own_id or (ids[-1] if ids else None)
        label = label_from_text(text) if block and block.role.page_break else None
        if label:
            marks = [m for m in marks if m.kind != "pagebreak"]
            marks.append(Mark(0, len(text), "pagebreak", label))
        pages = [m.target for m in marks if m.kind == "pagebreak" and m.target]
        if any(m.kind == "pagebreak" and m.start == 0 and m.end == len(text) for m in marks):
            element = "pagebreak"
        self.rows.append(
            Row(
                file=self.file,
                page=self.page,
                block=self._block,
                element=element,
                plain_element=plain,
                element_id=element_id,
                text=text,
                marks=[Mark(min(m.start, len(text)), min(m.end, len(text)), m.kind, m.target) for m in marks],
                links=line.links,
                anchors=[(0, i) for i in ids if i != element_id]
                + [(min(at, len(text)), i) for at, i in line.anchors],
                note=block.note if block else None,
                box_id=f"{self.file}#{box.element_id}" if box and box.element_id else None,
                box=box.containers[-1] if box and box.containers else None,
                among_notes=around.among_notes,
                containers=block.containers if block else (),
                pages=pages,
            )
        )
        self.waiting_ids = []
        self.waiting_pages = []

    # ---------------------------------------------------------------- inside a line

    def _start_inline(self, element: OpenElement, attrs: Mapping[str, str]) -> None:
        element.start, element.line = self._line.length, self._line
        element.mark = element.role.mark
        element.raised = element.mark == "superscript" or bool(self._stack and self._stack[-1].raised)
        if element.tag == "sup":
            for outer in self._links[self._raised_links :]:
                outer.raised = True
            self._raised_links = len(self._links)
        if element.tag == "a" and attrs.get("href"):
            element.href = self.resolve(attrs["href"])
            if element.mark is None and element.href:
                element.mark = "link"
        if element.element_id:
            self._start_id(element)
        if element.role.mark == "pagebreak" or element.role.page_break:
            element.page_label = (
                label_from_text(
                    attrs.get("aria-label", "") or attrs.get("title", "") or attrs.get("value", "")
                )
                or element.page_label
            )

    def _start_id(self, element: OpenElement) -> None:
        """Remember an id; it may name a printed page."""
        qualified = f"{self.file}#{element.element_id}"
        if element.role.block or (self._line.is_blank() and not self._line.length):
            self.waiting_ids.append(qualified)
        else:
            self._line.anchors.append((self._line.here, qualified))
        label = self.page_targets.get(qualified)
        if label is None and (not element.role.block or element.role.page_break):
            label = label_from_id(element.element_id or "")
        if label is None:
            return
        if self._page_elements:
            outer = self._page_elements[0]
            outer.page_label = outer.page_label or label
        elif element.mark == "pagebreak" or element.role.page_break:
            element.page_label = label
        elif element.role.block:
            self._begin_page(label)
        elif element.tag == "a" and element.href is None:
            element.mark, element.page_label = "pagebreak", label
        else:
            self._page_mark(self._line.here, self._line.here, label)

    def _end_inline(self, element: OpenElement) -> None:
        if element.mark == "pagebreak":
            self._end_page(element)
        elif element.mark in ("noteref", "backlink") or element.href:
            start, end = self._line.stretch(element.start_in(self._line))
            target = element.href or ""
            if start < end and (target or element.mark == "noteref"):
                named = element.mark if element.mark in ("noteref", "backlink") else None
                self._line.links.append(Link(start, end, target, named, element.raised))
        elif element.mark:
            self._mark(element, element.mark)

    def _mark(self, element: OpenElement, kind: str) -> None:
        if kind in ("noteref", "backlink", "link"):
            return
        start, end = self._line.stretch(element.start_in(self._line))
        if start < end:
            self._line.marks.append(Mark(start, end, kind))

    def _drop_cap(self, alt: str) -> None:
        """A picture of an initial stands for a letter of the text; its ``alt`` says which."""
        if len(alt) == 1 and alt.isalpha() and self._line.is_blank() and self._inside.in_paragraph:
            self._line.add(alt)

    # ---------------------------------------------------------------- printed pages

    def _end_page(self, element: OpenElement) -> None:
        start, end = self._line.stretch(element.start_in(self._line))
        long = end - start > _MAX_PAGE_TEXT
        text = "" if long else self._line.piece(start, end)
        printed = label_from_text(text) if text else None
        label = element.page_label or printed
        if label is None:
            return
        if long or (text and printed is None and element.role.mark != "pagebreak"):
            end = start  # the element holds words of the book
        elif not text:
            start = end = self._line.here
        self._page_mark(start, end, label)

    def _page_mark(self, start: int, end: int, label: str) -> None:
        if start == end and label == self._last_page:
            return
        self._last_page = label
        marks = self._line.marks
        if marks and marks[-1].kind == "pagebreak" and marks[-1].target == label:
            marks.pop()
        self._line.marks.append(Mark(start, end, "pagebreak", label))

    def _begin_page(self, label: str) -> None:
        if label != self._last_page:
            self._last_page = label
            self.waiting_pages.append(label)

    # ---------------------------------------------------------------- structure

    def _note_structure(self, element: OpenElement, attrs: Mapping[str, str]) -> None:
        if not element.role.block or not ("epub:type" in attrs or "role" in attrs):
            return
        kind = structure_type(attrs.get("epub:type", ""), attrs.get("role", ""))
        if kind:
            if element.element_id:
                self.types[f"{self.file}#{element.element_id}"] = kind
            if not self.rows:
                self.types.setdefault(self.file, kind)

    def _start_table(self, tag: str) -> None:
        if tag == "table":
            self._tables.append(TableRows(self.rows))
        elif self._tables and tag == "tr":
            self._tables[-1].start_row()
        elif self._tables and tag in ("td", "th"):
            self._tables[-1].start_cell()

    def _end_table(self, tag: str) -> None:
        if self._tables and tag in ("tr", "table"):
            self._tables[-1].end_row()
            if tag == "table":
                self._tables.pop()
