"""A line of HTML text in the making: white space as browsers show it, marks by position."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

import regex

#: White space that HTML collapses; no-break spaces are letters to it.
_SPACE = regex.compile(r"[ \t\n\r\f]+")


@dataclass(slots=True)
class Mark:
    """A stretch of a row, as in ``schemas.MARK``."""

    start: int
    end: int
    kind: str
    target: str | None = None


@dataclass(slots=True)
class Link:
    """A link inside the book. What it is (a note mark, a way back, neither) is decided later."""

    start: int
    end: int
    target: str  # file-qualified
    named: str | None  # "noteref" or "backlink" where the markup says so
    raised: bool  # inside <sup>, or holding one


@dataclass(slots=True)
class Row:
    """A row of raw_text before numbering."""

    file: str
    page: int
    block: int  # serial of the block it belongs to
    element: str
    plain_element: str  # what it would be without the part of the book around it
    element_id: str | None
    text: str
    marks: list[Mark]
    links: list[Link]
    anchors: list[tuple[int, str]]  # (offset, file-qualified id)
    note: int | None = None  # serial of the note box around it
    box_id: str | None = None  # id of the box that gives the element
    box: int | None = None  # serial of that box
    among_notes: bool = False  # inside a part that holds nothing but notes
    containers: tuple[int, ...] = ()  # serials of the enclosing <div>, <section>, …, outermost first
    pages: list[str] = field(default_factory=list)  # labels of the pages that begin in it, in order
    page_label: str | None = None
    bold: bool | None = None
    italic: bool | None = None


class LineBuffer:
    """Collects the text of one line; no question about it costs more than its answer is long."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._starts: list[int] = []  # of the parts
        self.length = 0
        self._space = False
        self._blank = True
        self.marks: list[Mark] = []
        self.links: list[Link] = []
        self.anchors: list[tuple[int, str]] = []

    def add(self, data: str, *, preformatted: bool = False) -> None:
        """Append text; runs of white space become one blank, none at the line's beginning or end."""
        if preformatted:
            self._append(data)
            return
        data = _SPACE.sub(" ", data)
        if data == " ":
            self._space = self._space or self.length > 0
            return
        if not data:
            return
        if data[0] == " ":
            self._space = True
            data = data[1:]
        trailing = data[-1] == " "
        if trailing:
            data = data[:-1]
        if self._space and self.length:
            data = " " + data
        self._append(data)
        self._space = trailing

    def _append(self, data: str) -> None:
        self._parts.append(data)
        self._starts.append(self.length)
        self.length += len(data)
        self._space = False
        self._blank = self._blank and not data.strip()

    @property
    def here(self) -> int:
        """Where the next letter will stand."""
        return self.length + (1 if self._space and self.length else 0)

    @property
    def text(self) -> str:
        """The line so far."""
        return "".join(self._parts)

    def piece(self, start: int, end: int) -> str:
        """What stands from ``start`` to ``end``."""
        first = max(0, bisect_right(self._starts, start) - 1)
        base = self._starts[first] if self._starts else 0
        pieces: list[str] = []
        for at in range(first, len(self._parts)):
            if self._starts[at] >= end:
                break
            pieces.append(self._parts[at])
        return "".join(pieces)[start - base : end - base]

    def stretch(self, start: int) -> tuple[int, int]:
        """From ``start`` to here, without the blanks before it."""
        end = self.length
        at = max(0, bisect_right(self._starts, start) - 1)
        while start < end and at < len(self._parts):
            part, base = self._parts[at], self._starts[at]
            inner = start - base
            rest = len(part) - inner - len(part[inner:].lstrip(" \n\t"))
            start += rest
            if start < base + len(part):
                break
            at += 1
        return min(start, end), end

    def is_blank(self) -> bool:
        """Whether nothing visible is on the line."""
        return self._blank
