"""Setting type: paragraphs, headings, notes and the standing pages of a book as lines at their places.

The page is that of a pocket book, about 4.3 by 7 inches. Everything is computed from the text and the
widths of the letters, so the same book always gives the same pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from jung_pipeline.demo.book import Book, Chapter, Note, Paragraph, Run
from jung_pipeline.demo.lines import Advance, Char, Line, break_lines, characters, set_line, width, words_of

WIDTH, HEIGHT = 312.0, 502.0
MEASURE = 222.0
TOP, FOOT = 54.0, 452.0  # of the type area
INNER, OUTER = 49.0, 41.0
SINK = 44.0  # white above a chapter's opening
NOTE_GAP = 12.0  # between text and notes, with the rule in it


@dataclass(frozen=True)
class Style:
    """How paragraphs of one kind are set, in points."""

    size: float
    leading: float
    indent: float = 0.0  # of the first line
    inset: float = 0.0  # of the whole, left and right
    space: float = 0.0  # above and below


STYLES = {
    "body": Style(10.5, 13.2, indent=14),
    "quotation": Style(9.5, 12, inset=18, space=6),
    "verse": Style(10, 13, inset=40, space=7),
    "footnote": Style(8.3, 10.2, indent=9),
    "index": Style(8.3, 10.6),
}


@dataclass
class Page:
    """A page: its printed number and its lines, in reading order."""

    label: str
    lines: list[Line] = field(default_factory=list)
    chapter: Chapter | None = None
    opening: bool = False  # a chapter begins here: no running head
    rule: float | None = None  # height of the rule above the notes
    matter: str = "body"  # title | imprint | contents | dedication | body | index


def roman(number: int) -> str:
    """``number`` below forty in small Roman numerals."""
    text = ""
    for value, letters in ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        count, number = divmod(number, value)
        text += letters * count
    return text


def left_margin(label: str) -> float:
    """Where the type area begins: left-hand pages have even numbers."""
    number = int(label) if label.isdecimal() else _ROMAN.index(label) + 1 if label in _ROMAN else 1
    return INNER if number % 2 else OUTER


_ROMAN = [roman(number) for number in range(1, 40)]


class Setter:
    """Sets the pieces of a book in lines; what does not flow (title, contents, index, heads) in pages."""

    def __init__(self, book: Book, advance: Advance, tracking: float) -> None:
        self.book, self.advance, self.tracking = book, advance, tracking

    def paragraph(self, paragraph: Paragraph, item: int, *, flush: bool) -> list[Line]:
        """The lines of a paragraph; ``flush`` without indent, as after a heading."""
        style = STYLES[paragraph.kind]
        if paragraph.kind == "verse":
            return self._verse(characters(paragraph.runs, style.size), item)
        indent = 0.0 if flush else style.indent
        measure = MEASURE - 2 * style.inset
        broken = break_lines(
            words_of(characters(paragraph.runs, style.size)), self.advance, measure, indent=indent
        )
        lines = []
        for i, row in enumerate(broken):
            shift = indent if i == 0 else 0.0
            lines.append(
                set_line(
                    row,
                    self.advance,
                    role=paragraph.kind,
                    x=style.inset + shift,
                    measure=measure - shift,
                    item=item,
                )
            )
        if paragraph.number is not None:  # in the margin, as the Collected Works have it
            number = self._simple(str(paragraph.number), 8.0, "margin", x=0.0)
            x = -8.0 - number.words[0][1]
            lines[0].pieces.insert(0, shifted(number, x).pieces[0])
            lines[0].words.insert(0, shifted(number, x).words[0])
        return lines

    def _verse(self, chars: Sequence[Char], item: int) -> list[Line]:
        """Line for line as written; a line too long for the page turns over, further in."""
        inset, lines = STYLES["verse"].inset, []
        ends = [i for i, char in enumerate(chars) if char.text == "\n"]
        for start, end in zip([0, *(i + 1 for i in ends)], [*ends, len(chars)], strict=True):
            rows = break_lines(words_of(chars[start:end]), self.advance, MEASURE - inset, hyphenate=False)
            for i, row in enumerate(rows):
                x = inset + (12.0 if i else 0.0)
                lines.append(
                    set_line(row, self.advance, role="verse", x=x, measure=MEASURE, justify=False, item=item)
                )
        return lines

    def note(self, note: Note, item: int) -> list[Line]:
        """The lines of a footnote, its mark raised."""
        style = STYLES["footnote"]
        runs = (Run(note.mark, "noteref"), Run(" "), *note.runs)
        broken = break_lines(
            words_of(characters(runs, style.size)), self.advance, MEASURE, indent=style.indent
        )
        return [
            set_line(
                row,
                self.advance,
                role="footnote",
                x=0.0 if i else style.indent,
                measure=MEASURE - (0.0 if i else style.indent),
                item=item,
            )
            for i, row in enumerate(broken)
        ]

    def heading(self, chapter: Chapter, item: int) -> list[tuple[Line, float]]:
        """The lines of a chapter's heading, in capitals, each with the space before its baseline."""
        lines: list[tuple[Line, float]] = []
        if chapter.label:
            label = chapter.label.upper()
            for line in self._centred(label, 10.5, "heading", item=item, tracking=self.tracking):
                lines.append((line, 14.0))
        title = self._centred(chapter.title.upper(), 13.0, "heading", item=item, tracking=self.tracking)
        lines.extend((line, 26.0 if i == 0 and chapter.label else 18.0) for i, line in enumerate(title))
        return lines

    def title(self) -> Page:
        """The title page."""
        page = Page("", matter="title")
        self._stack(page, 130, self._centred(self.book.title.upper(), 18.0, "title"), 26)
        if self.book.subtitle:
            self._stack(page, 190, self._centred(self.book.subtitle, 12.5, "title", font="italic"), 17)
        self._stack(page, 268, self._centred(self.book.author, 11.0, "title"), 14)
        if self.book.year:
            self._stack(
                page, 430, self._centred(f"The Demonstration Library · {self.book.year}", 9, "title"), 12
            )
        return page

    def imprint(self) -> Page:
        """The page behind the title."""
        page, y = Page("", matter="imprint"), 370.0
        for text in (
            f"{self.book.title}" + (f": {self.book.subtitle}" if self.book.subtitle else ""),
            f"First published {self.book.year}" if self.book.year else "First published without a date",
            "No rights reserved: dedicated to the public domain (CC0 1.0).",
            "Set in Times. Printed on nothing, bound in nothing.",
        ):
            y += 14
            line = self._simple(text, 7.8, "imprint", x=0.0)
            line.y = y
            page.lines.append(line)
        return page

    def dedication(self) -> Page:
        """The last leaf before the foreword."""
        page = Page("", matter="dedication")
        self._stack(
            page, 170, self._centred("For all who read with a pencil", 10.5, "title", font="italic"), 14
        )
        return page

    def contents(self, page: Page, pages: Sequence[Page], has_index: bool) -> None:
        """Fill the contents page now that every page has its number."""
        self._stack(page, TOP + 30, self._centred("CONTENTS", 13.0, "contents", tracking=self.tracking), 14)
        entries = [
            (p.chapter.heading, p.label, p.chapter.kind == "part") for p in pages if p.opening and p.chapter
        ]
        if has_index:
            entries.append(("Index", next(p.label for p in pages if p.matter == "index"), False))
        y = TOP + 56
        for text, label, is_part in entries:
            y += 24 if is_part else 17
            page.lines.append(self._leaders(text, label, y))

    def index(self, body: Sequence[Page]) -> list[Page]:
        """The index in two columns; a term that does not occur is left out."""
        entries = []
        for term in sorted(self.book.index_terms, key=str.casefold):
            labels = _occurrences(term, body)
            if labels:
                entries.append(f"{term}, {', '.join(labels)}")
        if not entries:
            return []
        page = Page("", matter="index", opening=True)
        self._stack(page, TOP + SINK, self._centred("INDEX", 13.0, "index", tracking=self.tracking), 18)
        style, column = STYLES["index"], 104.0
        rows: list[Line] = []
        for entry in entries:
            words = words_of(characters((Run(entry),), style.size))
            for i, broken in enumerate(
                break_lines(words, self.advance, column - 9, hyphenate=False)
            ):  # turned lines hang
                rows.append(
                    set_line(
                        broken, self.advance, role="index", x=9.0 if i else 0.0, measure=column, justify=False
                    )
                )
        half = (len(rows) + 1) // 2
        for i, line in enumerate(rows):
            placed = shifted(line, 0.0 if i < half else MEASURE - column)
            placed.y = TOP + SINK + 34 + (i % half) * style.leading
            page.lines.append(placed)
        return [page]

    def head(self, page: Page) -> None:
        """Shift the page to its margin; add the running head and the number, outside at the top, or below."""
        margin = left_margin(page.label)
        page.lines = [shifted(line, margin) for line in page.lines]
        if page.matter not in ("body", "index", "contents"):
            return
        label = self._simple(page.label, 9.0, "number", x=0.0)
        extent = label.words[0][1]
        if page.opening or page.matter == "contents":
            number = shifted(label, margin + (MEASURE - extent) / 2)
            number.y = FOOT + 22
            page.lines.append(number)
            return
        even = margin == OUTER
        title = self.book.title if even or page.chapter is None else page.chapter.title
        head = self._centred(title.upper(), 8.3, "head", tracking=0.6)[0]
        number = shifted(label, margin if even else margin + MEASURE - extent)
        head = shifted(head, margin)
        head.y = number.y = TOP - 16
        page.lines[:0] = [number, head] if even else [head, number]

    def _simple(self, text: str, size: float, role: str, *, x: float, item: int | None = None) -> Line:
        words = words_of(characters((Run(text),), size))
        broken = break_lines(words, self.advance, WIDTH, hyphenate=False)[0]
        return set_line(broken, self.advance, role=role, x=x, measure=MEASURE, justify=False, item=item)

    def _centred(
        self,
        text: str,
        size: float,
        role: str,
        *,
        font: str = "roman",
        item: int | None = None,
        tracking: float = 0.0,
    ) -> list[Line]:
        words = words_of(characters((Run(text),), size, base=font))
        measure = MEASURE - 30
        return [
            set_line(
                broken,
                self.advance,
                role=role,
                x=15.0,
                measure=measure,
                justify=False,
                centre=True,
                tracking=tracking,
                item=item,
            )
            for broken in break_lines(words, self.advance, measure, hyphenate=False, tracking=tracking)
        ]

    def _leaders(self, text: str, label: str, y: float) -> Line:
        """A line of the contents: the heading, dots, the page number at the right."""
        size = 9.0
        chars = words_of(characters((Run(text),), size))
        gap = self.advance("roman", " ") * size
        used = sum(width(w, self.advance) for w in chars) + gap * (len(chars) - 1)
        number = width(characters((Run(label),), size), self.advance)
        dot = (self.advance("roman", ".") + self.advance("roman", " ")) * size
        dots = max(2, int((MEASURE - used - number - 3 * gap) / dot))
        line = self._simple(f"{text} {'. ' * dots}".strip(), size, "contents", x=0.0)
        tail = shifted(self._simple(label, size, "contents", x=0.0), MEASURE - number)
        line.pieces += tail.pieces
        line.words += tail.words
        line.y = y
        return line

    @staticmethod
    def _stack(page: Page, y: float, lines: list[Line], leading: float) -> None:
        for i, line in enumerate(lines):
            line.y = y + i * leading
            page.lines.append(line)


def shifted(line: Line, dx: float) -> Line:
    """``line`` moved to the right by ``dx`` points."""
    line.pieces = [replace(piece, x=piece.x + dx) for piece in line.pieces]
    line.words = [(x + dx, extent, word) for x, extent, word in line.words]
    return line


def _occurrences(term: str, body: Sequence[Page]) -> list[str]:
    """The numbers of the pages whose text or notes have ``term``, also in the plural."""
    head = term.split(",")[0]
    plural = head[:-1] + "(?:y|ies)" if head.endswith("y") else head + "(?:e?s)?"
    pattern = re.compile(rf"\b{plural if head.isascii() else re.escape(head)}\b", re.IGNORECASE)
    labels = []
    for page in body:
        roles = ("body", "quotation", "verse", "footnote")
        text = " ".join(line.text for line in page.lines if line.role in roles)
        if pattern.search(text.replace("- ", "")):
            labels.append(page.label)
    return labels
