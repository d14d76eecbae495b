"""A volume while it is being cleaned: its lines, its tracked text, its words, and what was found out so far."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.keep import Keep, keep_of
from jung_pipeline.clean.lexicon import Lexicon, guess_language
from jung_pipeline.clean.tracked import Edit, TrackedText
from jung_pipeline.extract.document import DocumentInfo

#: Rules that join what line ends part, besides ``line_hyphen``.
_REJOINING = frozenset({"split_word", "spaced_hyphen", "misreading"})


@dataclass(slots=True)
class Line:
    """A raw line, where it stands in the current text, and what the rules found out about it."""

    index: int  # row of the raw table; line_id
    page: int
    label: str | None
    block: int
    x0: float | None
    y0: float | None
    x1: float | None
    y1: float | None
    size: float | None
    bold: bool
    italic: bool
    element: str | None
    element_id: str | None
    raw_start: int  # in the raw text
    raw_end: int
    gap: int = 0  # blank lines before it (plain text), 1 at the beginning of a block otherwise
    start: int = 0  # in the current text; valid until the text is rebuilt
    end: int = 0
    text: str = ""  # current text, white space at the ends included
    words: str = ""  # the same without white space at its ends
    fate: str | None = None  # rule that takes the whole line out
    note: int | None = None  # number of the page-foot note it belongs to

    @property
    def indent(self) -> int:
        """Leading blanks."""
        return len(self.text) - len(self.text.lstrip())


@dataclass(slots=True)
class Anchor:
    """A note mark that stood in the raw text."""

    raw: int  # raw offset where it stood
    mark: str
    target: str | None = None  # element id of the note
    page: int = 0


@dataclass(slots=True)
class PageNote:
    """A note at the foot of ``page``, maybe running on at the foot of the next."""

    mark: str
    page: int
    lines: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Paragraph:
    """A paragraph in the making. ``start`` and ``end`` are offsets in the current text once assembled."""

    kind: str
    lines: list[int]
    joins: list[str] = field(default_factory=list)  # between the lines: " ", "\n", "" or "-" (drop a hyphen)
    heading_level: int | None = None
    from_heading_element: bool = False
    element_level: int | None = None  # of the heading element, as the file has it
    note_mark: str | None = None
    note_id: str | None = None  # element id of the note
    number: str | None = None
    fate: str | None = None  # rule that takes it out
    start: int = 0
    end: int = 0
    text: str = ""
    page: int = 1
    # place in the book
    section: str = "body"
    part: str | None = None
    chapter: str | None = None
    chapter_kind: str | None = None
    chapter_number: int | None = None
    chapter_title: str | None = None
    chapter_index: int = 0


@dataclass
class Book:
    """Everything the rules share about one volume."""

    table: pa.Table
    info: DocumentInfo
    volume: Volume
    lines: list[Line]
    tracked: TrackedText
    lexicon: Lexicon
    marks: list[tuple[int, int, str, str | None]]  # raw start, raw end, kind, target; in raw order
    body_size: float | None  # font size of most of the text
    page_starts: list[tuple[int, int, str | None]] = field(default_factory=list)  # raw offset, page, label
    labels: dict[int, str] = field(default_factory=dict)  # page → printed label found at its edge
    page_notes: list[PageNote] = field(default_factory=list)  # notes at page feet
    note_labels: dict[int, str] = field(
        default_factory=dict
    )  # line of a note → its mark, as the file links it
    anchors: list[Anchor] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    links: dict[int, int] = field(default_factory=dict)  # index of an anchor → index of its note's paragraph
    report: Counter[str] = field(default_factory=Counter)
    keep: Keep = field(default_factory=Keep)  # where which rule does not act, by the owner's word
    _owner: np.ndarray | None = None  # of line_of_raw
    _synced: str | None = None  # the text that the lines are up to date with

    def live(self) -> Iterable[Line]:
        """The lines that no rule has taken out."""
        return (line for line in self.lines if line.fate is None)

    def sync_lines(self) -> None:
        """Bring the lines' text and place up to date; the text still has a line feed after each line."""
        if self._synced is self.tracked.text:
            return
        at = 0
        for line, text in zip(self.lines, self.tracked.text.split("\n"), strict=True):
            line.start = at
            at += len(text)
            line.end = at
            at += 1
            if text != line.text:
                line.text, line.words = text, text.strip()
        self._synced = self.tracked.text

    def sync_raw_breaks(self) -> None:
        """Take line breaks inside raw lines for blanks, so that a line feed always ends a line."""
        ends = {line.raw_end for line in self.lines}
        if self.tracked.raw.count("\n") >= len(self.lines):
            self.tracked.apply(
                Edit(at, at + 1, " ", "white_space")
                for at, char in enumerate(self.tracked.raw)
                if char == "\n" and at not in ends
            )

    def sync_paragraphs(self) -> None:
        """Bring the paragraphs' text and place up to date; a blank line stands between paragraphs."""
        at = 0
        texts = self.tracked.text.split("\n\n") if self.paragraphs else []
        for paragraph, text in zip(self.paragraphs, texts, strict=True):
            paragraph.start, paragraph.end, paragraph.text = at, at + len(text), text
            at = paragraph.end + 2

    def give_back_lines(self) -> None:
        """Undo what rules did to whole lines where the owner wants them kept."""
        if not self.keep:
            return
        for line in self.lines:
            if line.fate is not None and self.keep.holds(line.fate, line.page):
                line.fate = None
        kept = [note for note in self.page_notes if self.keep.holds("footnote", note.page)]
        for note in kept:
            for index in note.lines:
                self.lines[index].note = None
        self.page_notes = [note for note in self.page_notes if note not in kept]

    def give_back_paragraphs(self) -> None:
        """Undo what rules did to whole paragraphs where the owner wants them kept."""
        if not self.keep:
            return
        for index, paragraph in enumerate(self.paragraphs):
            pages = {self.lines[line].page for line in paragraph.lines}
            if paragraph.fate and any(self.keep.holds(paragraph.fate, page) for page in pages):
                paragraph.fate = None
            if paragraph.kind == "footnote" and any(self.keep.holds("footnote", page) for page in pages):
                paragraph.kind, paragraph.note_mark = "body", None
                self.links = {anchor: note for anchor, note in self.links.items() if note != index}

    def _is_held_back(self, rule: str, first: int, last: int) -> bool:
        """Whether ``rule`` must not act on the raw characters ``first`` to ``last``."""
        joins = rule in _REJOINING and self.keep.names("line_hyphen")
        if not (joins or self.keep.names(rule)):
            return False
        from_line, to_line = (
            bisect_right(self.lines, raw, key=lambda line: line.raw_start) - 1 for raw in (first, last)
        )
        page = self.lines[from_line].page
        # A word left divided at a line's end is not to be joined by the next rule either.
        return self.keep.holds(rule, page) or (
            joins and from_line != to_line and self.keep.holds("line_hyphen", page)
        )

    @property
    def paged(self) -> bool:
        """Whether pages of paper can be told apart (a PDF, or text handed over page by page)."""
        return self.info.format in ("pdf", "txt") and len({line.page for line in self.lines}) > 1

    @property
    def has_boxes(self) -> bool:
        """Whether lines have places on the page."""
        return bool(self.lines) and self.lines[len(self.lines) // 2].y0 is not None

    def line_of_raw(self) -> np.ndarray:
        """For each raw character the index of its line; -1 for the line feeds between lines."""
        if self._owner is None:
            # Lines follow one another with a line feed between.
            lengths = [line.raw_end - line.raw_start + 1 for line in self.lines]
            owner = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
            owner[np.cumsum(lengths) - 1] = -1
            self._owner = owner[: len(self.tracked.raw)]
        return self._owner


def open_book(table: pa.Table, info: DocumentInfo, volume: Volume) -> Book:
    """The volume of raw lines ``table`` ready for the rules."""
    columns: dict[str, list[Any]] = {
        name: table.column(name).to_pylist() for name in table.schema.names if name not in ("line", "origin")
    }
    texts: list[str] = columns["text"]
    raw_starts = list(itertools.accumulate((len(text) + 1 for text in texts), initial=0))
    lines = list(
        map(
            Line,
            range(len(texts)),
            *(columns[name] for name in ("page", "page_label", "block", "x0", "y0", "x1", "y1", "font_size")),
            map(bool, columns["bold"]),
            map(bool, columns["italic"]),
            columns["element"],
            columns["element_id"],
            raw_starts,
            [end - 1 for end in raw_starts[1:]],
            _gaps(columns["page"], columns["block"]),
        )
    )
    marks = [
        (at + mark["start"], at + mark["end"], mark["kind"], mark["target"])
        for at, found in zip(raw_starts, columns["marks"], strict=False)
        if found
        for mark in found
    ]
    sizes: Counter[float] = Counter()
    for size, text in zip(columns["font_size"], texts, strict=True):
        if size:
            sizes[size] += len(text)
    steps: Counter[float] = Counter()
    for size, count in sizes.items():
        steps[round(size * 2) / 2] += count
    raw = "\n".join(texts)
    language = volume.language or info.metadata.get("language") or guess_language(raw)
    lexicon = Lexicon(str(language)[:2].lower(), texts)
    book = Book(
        table=table,
        info=info,
        volume=volume,
        lines=lines,
        tracked=TrackedText(raw),
        lexicon=lexicon,
        marks=marks,
        body_size=steps.most_common(1)[0][0] if steps else None,
        keep=keep_of(volume.hints, volume.key),
    )
    if book.keep:
        book.tracked.held_back = book._is_held_back
    if lines:
        book.sync_raw_breaks()
        book.sync_lines()
    return book


def _gaps(pages: list[int], blocks: list[int]) -> list[int]:
    """Blank lines before each line."""
    gaps = [0] * len(pages)
    for at, (before, page) in enumerate(itertools.pairwise(pages), 1):
        gaps[at] = max(0, blocks[at] - blocks[at - 1]) if page == before else 1
    return gaps
