"""Parts and chapters: which paragraphs stand in which, and how each is cited."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
import regex

from jung_pipeline import tables
from jung_pipeline.clean.book import Paragraph
from jung_pipeline.clean.citing import cited, in_title_case
from jung_pipeline.clean.headings import bare_numeral, is_contents_line, parse_heading
from jung_pipeline.clean.lexicon import guess_language
from jung_pipeline.clean.numeral_runs import Start
from jung_pipeline.clean.numerals import word_value
from jung_pipeline.clean.start_filters import (
    outside_appendices,
    without_contents,
    without_empty_ends,
    without_inner_parts,
    without_sections,
    without_title_page,
)
from jung_pipeline.clean.starts import (
    BACK_KINDS,
    FRONT_KINDS,
    choose_starts,
    with_titles,
    worded_headings,
)
from jung_pipeline.schemas import CLEANED_TEXT, PARAGRAPH_SEPARATOR


def assign_places(
    paragraphs: Sequence[Paragraph],
    language: str,
    *,
    outline: Sequence[Start] = (),
    contents: Collection[str] = (),
    own_titles: Collection[str] = (),
) -> list[Start]:
    """Give every paragraph its part, chapter and section; returns the starts in order.

    Args:
        paragraphs: of one volume; those with a fate are passed over.
        language: of the volume, for how titles are cited.
        outline: starts that the file's outline or navigation names, already located.
        contents: keys (:func:`key_of`) of the titles in the table of contents.
        own_titles: keys of the volume's own title and of its author's name, which head no chapter.
    """
    worded = without_inner_parts(without_contents(worded_headings(paragraphs)))
    starts = choose_starts(paragraphs, worded, outline, contents, own_titles)
    starts = with_titles(paragraphs, starts)
    starts = without_title_page(paragraphs, starts)
    starts = without_empty_ends(paragraphs, outside_appendices(without_sections(starts)))
    _walk(paragraphs, starts, language)
    return starts


@dataclass
class _Walk:
    """Where in the book the walk through the paragraphs has come."""

    language: str
    starts: dict[int, Start]
    lectures_inside: bool  # lectures that divide chapters
    part: str | None = None
    outer: str | None = None  # the chapter around a lecture
    current: Start | None = None
    index: int = 0
    begun: bool = False
    waiting: bool = False  # a part's heading whose first chapter has not come yet
    heading_until: int = -1

    def enter(self, start: Start, place: int, behind_chapters: bool) -> None:
        """A part or chapter begins at ``place``."""
        self.heading_until = place + start.rows - 1
        if self.begun and not self.waiting:
            self.index += 1
        self.current = start
        self.waiting = start.level == 1
        if start.level == 1:
            self.part, self.outer = cited(start.label, start.title, self.language), None
            return
        if self.lectures_inside and start.kind == "chapter":
            self.outer = cited(start.label, start.title, self.language)
        elif start.kind != "lecture":
            self.outer = None
        if start.kind in BACK_KINDS and behind_chapters:
            self.part = None

    def container(self) -> str | None:
        """What stands around the current chapter: part, and chapter around a lecture."""
        inside = self.outer if self.current is not None and self.current.kind == "lecture" else None
        return ", ".join(name for name in (self.part, inside) if name) or None


def _walk(paragraphs: Sequence[Paragraph], starts: Sequence[Start], language: str) -> None:
    """Give every paragraph its place, in order."""
    numbered = [s.paragraph for s in starts if s.kind not in FRONT_KINDS | BACK_KINDS]
    first, last = (numbered[0], numbered[-1]) if numbered else (None, None)
    before = sum(len(p.text) for p in paragraphs[: first or 0] if p.fate is None)
    little_before = before < 0.1 * (sum(len(p.text) for p in paragraphs) or 1)
    walk = _Walk(
        language,
        {start.paragraph: start for start in starts},
        sum(s.kind == "chapter" for s in starts) >= 2 and any(s.kind == "lecture" for s in starts),
    )
    pending: list[Paragraph] = []
    for place, paragraph in enumerate(paragraphs):
        if paragraph.fate is not None:
            continue
        if (start := walk.starts.get(place)) is not None:
            walk.enter(start, place, last is not None and place > last)
        walk.begun = True
        _set_heading(paragraph, walk, place)
        if walk.waiting and paragraph.kind not in ("heading", "footnote", "caption"):
            walk.waiting = False  # text directly under the part's heading: the part is its chapter
        _place(paragraph, walk.current, walk.container(), walk.index, language)
        paragraph.section = _section(place, walk.current, first, last, little_before)
        if walk.waiting:
            pending.append(paragraph)
        elif pending:
            # A part's heading stands in front of its first chapter and belongs to it.
            if walk.current is not None and walk.current.level == 2:
                for heading in pending:
                    _place(heading, walk.current, walk.part, walk.index, language)
            pending = []


def _set_heading(paragraph: Paragraph, walk: _Walk, place: int) -> None:
    """Make a heading of what stands in the rows of the current start; lower all other headings."""
    if place <= walk.heading_until and paragraph.kind in ("heading", "body", "quotation", "verse", "list"):
        paragraph.kind = "heading"
        paragraph.heading_level = walk.current.level if walk.current else 2
    elif paragraph.kind == "heading":
        paragraph.heading_level = max(3, paragraph.heading_level or 3)


def _place(
    paragraph: Paragraph, start: Start | None, container: str | None, index: int, language: str
) -> None:
    """Write part and chapter into a paragraph."""
    paragraph.part = container
    paragraph.chapter_index = index
    if start is None:
        return
    paragraph.chapter_kind = start.kind
    paragraph.chapter_number = start.number
    paragraph.chapter_title = start.title
    paragraph.chapter = _citation(start.label, start.title, language)


@lru_cache(maxsize=4096)
def _citation(label: str, title: str | None, language: str) -> str | None:
    """How the chapter with this label and title is cited."""
    if not label:
        return in_title_case(title or "", language) or None
    if regex.fullmatch(r"[IVXLC]+|\d+", label) or word_value(label):
        label = in_title_case(label, language) if word_value(label) else label
        if title:
            return f"{label}. {in_title_case(title, language)}"
        return f"{'Kapitel' if language == 'de' else 'Chapter'} {label}"
    return cited(label, title, language)


def _section(
    place: int, start: Start | None, first: int | None, last: int | None, little_before: bool
) -> str:
    """``front``, ``body`` or ``back``."""
    if start is not None and start.kind in FRONT_KINDS and first is not None and place < first:
        return "front"
    if start is not None and start.kind in BACK_KINDS and (last is None or place > last):
        return "back"
    if start is None and first is not None and little_before:
        return "front"
    return "body"


def chapters_of(paragraphs: pa.Table) -> list[dict[str, object]]:
    """The parts and chapters of a volume in order, read off its paragraphs.

    Args:
        paragraphs: a ``cleaned_text`` table.

    Returns:
        ``kind``, ``number``, ``title`` (as printed), ``chapter`` (as cited) and ``paragraph`` (where it begins)
        of each part and chapter; text before the first chapter has no entry.
    """
    found: list[dict[str, object]] = []
    last_index, last_part = -1, None
    columns = ["paragraph", "kind", "heading_level", "part", "chapter", "chapter_index", "text"]
    columns += ["chapter_kind", "chapter_number", "chapter_title"]
    for row in paragraphs.select(columns).to_pylist():
        if row["kind"] == "footnote":
            continue
        if row["kind"] == "heading" and row["heading_level"] == 1:
            if row["part"] != last_part:
                last_part = row["part"]
                found.append(_part_entry(row))
            if row["chapter_kind"] == "part":
                last_index = row["chapter_index"]
        elif row["chapter_index"] != last_index:
            last_index = row["chapter_index"]
            if row["chapter_kind"] is not None:
                found.append(
                    _entry(
                        row, row["chapter_kind"], row["chapter_number"], row["chapter_title"], row["chapter"]
                    )
                )
    return found


def _part_entry(row: Mapping[str, object]) -> dict[str, object]:
    """A part: number and title are in its heading and its citation, as its row may bear those of its chapter."""
    part = str(row["part"] or "")
    head = parse_heading(str(row["text"]))
    title = (head.title if head else None) or (part.split(": ", 1)[1] if ": " in part else None)
    if row["chapter_kind"] == "part":
        title = str(row["chapter_title"]) if row["chapter_title"] else title
    return _entry(row, "part", head.number if head else None, title, part)


def _entry(
    row: Mapping[str, object], kind: object, number: object, title: object, chapter: object
) -> dict[str, object]:
    return {"kind": kind, "number": number, "title": title, "chapter": chapter, "paragraph": row["paragraph"]}


def _is_counted_title(text: str) -> bool:
    """Whether a paragraph is a numeral and a title that ends without a stop: "3. The Sky"."""
    numeral = bare_numeral(text) if len(text) < 80 and "\n" not in text else None
    return numeral is not None and numeral[1] is not None and text[-1] not in ".!?:;,"


def paragraphs_from_text(text: str) -> pa.Table:
    """Clean text, paragraphs divided by blank lines, as a ``cleaned_text`` table with its chapters.

    The paragraphs' texts are kept to the letter but for white space at their ends; there are no raw lines,
    so ``spans`` is empty and everything stands on page 1.
    """
    paragraphs = []
    for block in regex.split(r"\n[ \t]*\n\s*", text.strip("\n")):
        if block.strip():
            head = parse_heading(block.strip())
            capitals = len(block) < 120 and block.isupper() and sum(char.isalpha() for char in block) >= 4
            set_apart = (capitals and not is_contents_line(block)) or _is_counted_title(block.strip())
            kind = "heading" if head is not None or set_apart else "body"
            level = head.level if head else 3 if kind == "heading" else None
            paragraphs.append(Paragraph(kind, [], heading_level=level, text=block.strip()))
    assign_places(paragraphs, guess_language(text))
    rows, at = [], 0
    for number, paragraph in enumerate(paragraphs):
        rows.append(
            {
                "paragraph": number,
                "kind": paragraph.kind,
                "section": paragraph.section,
                "part": paragraph.part,
                "chapter": paragraph.chapter,
                "chapter_kind": paragraph.chapter_kind,
                "chapter_number": paragraph.chapter_number,
                "chapter_title": paragraph.chapter_title,
                "chapter_index": paragraph.chapter_index,
                "heading_level": paragraph.heading_level if paragraph.kind == "heading" else None,
                "page_first": 1,
                "page_last": 1,
                "page_starts": [],
                "note_links": [],
                "char_start": at,
                "char_end": at + len(paragraph.text),
                "spans": [],
                "text": paragraph.text,
            }
        )
        at += len(paragraph.text) + len(PARAGRAPH_SEPARATOR)
    return tables.from_rows(rows, CLEANED_TEXT)
