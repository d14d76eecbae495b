"""Making pages: lines become pages with notes at the foot, heads and numbers, contents and an index."""

from __future__ import annotations

from dataclasses import dataclass

from jung_pipeline.demo.book import Book, Chapter, Note, Paragraph
from jung_pipeline.demo.lines import Advance, Line
from jung_pipeline.demo.setting import (
    FOOT,
    NOTE_GAP,
    SINK,
    STYLES,
    TOP,
    Page,
    Setter,
    roman,
)
from jung_pipeline.demo.truth import Item, items


@dataclass(frozen=True)
class Layout:
    """A book in pages; ``spans`` gives the first and last page (0-based) of each true paragraph."""

    book: Book
    pages: list[Page]
    items: list[Item]
    spans: dict[int, tuple[int, int]]


def lay_out(book: Book, advance: Advance, *, tracked_headings: bool = False) -> Layout:
    """``book`` in pages: title, imprint, contents, dedication, foreword (i, ii, …), chapters (1, 2, …), index."""
    setter = Setter(book, advance, tracking=2.2 if tracked_headings else 0.0)
    everything = list(items(book))
    front = [c for c in book.chapters if c.kind in ("preface", "foreword")]
    fore, body = _Flow(setter), _Flow(setter)
    for position, item in enumerate(everything):
        if not isinstance(item.content, Note):  # a note goes with the line that has its mark
            (fore if item.chapter in front else body).add(position, item)
    leaves = [setter.title(), setter.imprint(), Page("", matter="contents"), setter.dedication()]
    fore_pages, body_pages = fore.finish(), body.finish()
    for number, page in enumerate([*leaves, *fore_pages], start=1):
        page.label = roman(number)
    for number, page in enumerate(body_pages, start=1):
        page.label = str(number)
    index = setter.index(body_pages)
    for number, page in enumerate(index, start=len(body_pages) + 1):
        page.label = str(number)
    pages = [*leaves, *fore_pages, *body_pages, *index]
    setter.contents(leaves[2], pages, bool(index))
    for page in pages:
        setter.head(page)
    spans: dict[int, tuple[int, int]] = {}
    for number, page in enumerate(pages):
        for line in page.lines:
            if line.item is not None:
                spans[line.item] = (spans.get(line.item, (number, number))[0], number)
    return Layout(book, pages, everything, spans)


class _Flow:
    """Text running from page to page. Positions are set for a left margin of 0 and shifted at the end."""

    def __init__(self, setter: Setter) -> None:
        self.setter = setter
        self.pages: list[Page] = []
        self.y = 0.0
        self.notes: list[Line] = []
        self.notes_height = 0.0
        self.opened = False  # nothing stands below the heading yet

    def add(self, position: int, item: Item) -> None:
        """Set a heading (on a new page) or a paragraph; ``position`` is its place among the true paragraphs."""
        if isinstance(item.content, Chapter):
            self._new_page(item.chapter, opening=True)
            self.y += SINK * (3 if item.chapter.kind == "part" else 1)
            for line, space in self.setter.heading(item.chapter, position):
                self._place(line, space)
            self.y += 18
            self.opened = True
            return
        assert isinstance(item.content, Paragraph)
        paragraph, style = item.content, STYLES[item.content.kind]
        first = self.opened
        self.opened = False
        if not first:
            self.y += style.space
        lines = self.setter.paragraph(paragraph, position, flush=first)
        notes = {note.mark: position + 1 + i for i, note in enumerate(paragraph.notes)}
        foot = [self._notes_of(line, paragraph, notes) for line in lines]
        for i, line in enumerate(lines):
            # Neither the first nor the last line of a paragraph stands alone on a page.
            together = 2 if len(lines) > 1 and i in (0, len(lines) - 2) else 1
            needed = sum(style.leading for _ in lines[i : i + together])
            needed += sum(STYLES["footnote"].leading * len(f) for f in foot[i : i + together])
            if any(foot[i : i + together]) and not self.notes:
                needed += NOTE_GAP
            if self.y + needed > FOOT - self.notes_height:
                self._new_page(item.chapter)
            self._place(line, style.leading)
            if foot[i]:
                self.notes_height += STYLES["footnote"].leading * len(foot[i])
                self.notes_height += 0 if self.notes else NOTE_GAP
                self.notes.extend(foot[i])
        self.y += style.space

    def _notes_of(self, line: Line, paragraph: Paragraph, places: dict[str, int]) -> list[Line]:
        """The lines of the notes whose marks stand in ``line``."""
        found: list[Line] = []
        for piece in line.pieces:
            if piece.mark:
                note = next(n for n in paragraph.notes if n.mark == piece.text)
                found.extend(self.setter.note(note, places[note.mark]))
        return found

    def _place(self, line: Line, leading: float) -> None:
        self.y += leading
        line.y = self.y
        self.pages[-1].lines.append(line)

    def _new_page(self, chapter: Chapter, *, opening: bool = False) -> None:
        self._close()
        self.pages.append(Page("", chapter=chapter, opening=opening))
        self.y = TOP

    def _close(self) -> None:
        """Set the notes at the foot of the page that ends."""
        if self.notes:
            page, y = self.pages[-1], FOOT - self.notes_height + NOTE_GAP
            page.rule = y - 4
            for line in self.notes:
                y += STYLES["footnote"].leading
                line.y = y
            page.lines.extend(self.notes)
        self.notes, self.notes_height = [], 0.0

    def finish(self) -> list[Page]:
        """All pages, the last one closed."""
        self._close()
        return self.pages
