"""The order of the cleaning rules: raw lines in, paragraphs and the ledger out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import regex

from jung_pipeline import progress, tables
from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.book import Book, Paragraph, open_book
from jung_pipeline.clean.hyphenation import spaced_breaks
from jung_pipeline.clean.inline_marks import take_out_marks, take_out_page_numbers
from jung_pipeline.clean.ledger import Accounts, PageMap
from jung_pipeline.clean.matter import take_out_back_matter, take_out_contents, take_out_front_matter
from jung_pipeline.clean.misreadings import correct_misreadings
from jung_pipeline.clean.notes import find_gathered_notes, link_notes, strip_note_marks, take_out_anchors
from jung_pipeline.clean.numbered import take_out_paragraph_numbers
from jung_pipeline.clean.outline import locate_outline
from jung_pipeline.clean.page_notes import find_page_notes
from jung_pipeline.clean.paragraphs import assemble, fates_by_element
from jung_pipeline.clean.running_heads import find_page_furniture
from jung_pipeline.clean.spacing import letter_spacing, small_capitals
from jung_pipeline.clean.stamps import find_stamps
from jung_pipeline.clean.structure import Start, assign_places, chapters_of
from jung_pipeline.clean.tracked import Edit
from jung_pipeline.clean.unicode import normalise_characters
from jung_pipeline.extract.document import DocumentInfo
from jung_pipeline.schemas import CLEANED_TEXT, PARAGRAPH_SEPARATOR, REMOVAL_LEDGER

#: Changes whenever the rules do, so that volumes are cleaned anew.
CLEANING_VERSION = "1"

_STAGE = "cleaned_text"
_STEPS = 9
_REPEATED_SPACE = regex.compile(r"(?<=\S)(?:[ \t]{2,}|\t)(?=\S)|[ \t]+(?=\n|$)|(?<=\n)[ \t]+(?=\S)|^[ \t]+")


@dataclass(frozen=True)
class CleanedVolume:
    """A volume as a reader would read it, and the account of how it came about.

    Attributes:
        paragraphs: ``schemas.CLEANED_TEXT``.
        ledger: ``schemas.REMOVAL_LEDGER``.
        report: figures for the run's metadata: removals and changes by rule, chapters, labels, notes linked,
            pages without text, and ``leftovers`` (what looks as if a rule had missed it).
    """

    paragraphs: pa.Table
    ledger: pa.Table
    report: dict[str, Any]


def clean_volume(lines: pa.Table, info: DocumentInfo, volume: Volume) -> CleanedVolume:
    """Clean the raw lines of one volume.

    Args:
        lines: ``schemas.RAW_TEXT``.
        info: what is known about the file: pages, outline, metadata.
        volume: its catalogue entry.
    """
    book = open_book(lines, info, volume)
    if not book.lines:
        return CleanedVolume(
            CLEANED_TEXT.empty_table(),
            REMOVAL_LEDGER.empty_table(),
            _report(book, CLEANED_TEXT.empty_table(), []),
        )
    fates_by_element(book)
    _characters(book)
    progress.advance(_STAGE, 1, _STEPS)
    find_stamps(book.lines, len({line.page for line in book.lines}))
    _rotated_marks(book)
    find_page_furniture(book)
    progress.advance(_STAGE, 2, _STEPS)
    book.page_notes = find_page_notes(book)
    take_out_marks(book)
    take_out_page_numbers(book)
    progress.advance(_STAGE, 3, _STEPS)
    assemble(book)
    progress.advance(_STAGE, 4, _STEPS)
    _words(book)
    progress.advance(_STAGE, 5, _STEPS)
    strip_note_marks(book)
    find_gathered_notes(book)
    take_out_anchors(book)
    take_out_paragraph_numbers(book)
    progress.advance(_STAGE, 6, _STEPS)
    _structure(book)
    progress.advance(_STAGE, 7, _STEPS)
    paragraphs, entries = _tables(book)
    progress.advance(_STAGE, 8, _STEPS)
    cleaned = tables.from_rows(paragraphs, CLEANED_TEXT)
    ledger = tables.from_rows(entries, REMOVAL_LEDGER)
    report = _report(book, cleaned, entries)
    progress.advance(_STAGE, _STEPS, _STEPS)
    return CleanedVolume(cleaned, ledger, report)


def volume_text(paragraphs: pa.Table) -> str:
    """The volume's cleaned text: its paragraphs divided by a blank line. ``char_start`` counts in it."""
    return PARAGRAPH_SEPARATOR.join(paragraphs.column("text").to_pylist())


# --------------------------------------------------------------------------------------------------
# steps
# --------------------------------------------------------------------------------------------------


def _characters(book: Book) -> None:
    """Characters, then letter-spacing, while gaps inside lines are still as they were."""
    normalise_characters(book.tracked, book.lexicon)
    author = (book.volume.author or str(book.info.metadata.get("author") or "")).split()
    names = frozenset({"jung", "freud", *(word.lower().strip(".,") for word in author[-1:])})
    book.tracked.apply(letter_spacing(book.tracked.text, book.lexicon, names))
    book.tracked.apply(small_capitals(book.tracked.text, book.lexicon))
    book.sync_lines()


def _rotated_marks(book: Book) -> None:
    """Lines that run in another direction than the page's text are stamps, if they come again or are few words."""
    rotated = {start for start, _, kind, _ in book.marks if kind == "rotated"}
    if rotated:
        for line in book.lines:
            if line.fate is None and line.raw_start in rotated:
                line.fate = "stamp"


def _words(book: Book) -> None:
    """Words broken in joined lines, and misread words; both need whole paragraphs."""
    book.tracked.apply(spaced_breaks(book.tracked.text, book.lexicon))
    book.tracked.apply(correct_misreadings(book.tracked.text, book.lexicon))
    book.sync_paragraphs()


def _structure(book: Book) -> None:
    """Contents, chapters, front and back matter; then the places of all paragraphs."""
    listed = take_out_contents(book)
    take_out_back_matter(book)
    outline = locate_outline(book)
    language = book.lexicon.language
    starts = assign_places(book.paragraphs, language, outline=outline, contents=listed)
    take_out_front_matter(book, [start.paragraph for start in starts])
    for paragraph in book.paragraphs:
        if paragraph.fate is None and not paragraph.text.strip():
            paragraph.fate = "white_space"
        _forget_place(paragraph)
    alive = [start for start in outline if book.paragraphs[start.paragraph].fate is None]
    starts = assign_places(book.paragraphs, language, outline=alive, contents=listed)
    _footnotes_follow_their_chapter(book)


def _forget_place(paragraph: Paragraph) -> None:
    paragraph.part = paragraph.chapter = paragraph.chapter_kind = paragraph.chapter_title = None
    paragraph.chapter_number, paragraph.chapter_index, paragraph.section = None, 0, "body"


def _footnotes_follow_their_chapter(book: Book) -> None:
    """Give each footnote the place of the paragraph its mark stood in."""
    owner = _paragraph_of_raw(book)
    order = {index: index for index in range(len(book.paragraphs))}
    links = link_notes(book, owner, order)
    book.links = links
    placed: set[int] = set()
    for number, note in links.items():
        raw = book.anchors[number].raw
        home = _home(owner, raw)
        if home is None or note in placed or book.paragraphs[home].kind == "footnote":
            continue
        placed.add(note)
        for paragraph in _whole_note(book.paragraphs, note):
            _take_place(paragraph, book.paragraphs[home])
    book.report["footnotes linked"] = len(set(links.values()))


def _whole_note(paragraphs: list[Paragraph], first: int) -> list[Paragraph]:
    """The rows of one note: the first and those that go on with it."""
    rows = [paragraphs[first]]
    for paragraph in paragraphs[first + 1 :]:
        if paragraph.fate == "note_frame":
            continue
        same = (
            paragraph.kind == "footnote"
            and paragraph.fate is None
            and paragraph.note_mark == rows[0].note_mark
        )
        if not same or (paragraph.note_id != rows[0].note_id) or rows[0].note_mark is None:
            break
        rows.append(paragraph)
    return rows


def _take_place(paragraph: Paragraph, home: Paragraph) -> None:
    for name in (
        "section",
        "part",
        "chapter",
        "chapter_kind",
        "chapter_number",
        "chapter_title",
        "chapter_index",
    ):
        setattr(paragraph, name, getattr(home, name))


def _paragraph_of_raw(book: Book) -> np.ndarray:
    """For each raw character the index of the live paragraph it stands in, or -1; int32."""
    owner = np.full(len(book.tracked.raw) + 1, -1, dtype=np.int32)
    for index, paragraph in enumerate(book.paragraphs):
        if paragraph.fate is None:
            source = book.tracked.source[paragraph.start : paragraph.end]
            owner[source[source >= 0]] = index
    return owner


def _home(owner: np.ndarray, raw: int) -> int | None:
    """The paragraph at ``raw``, or the nearest before it (or directly behind) where the mark itself is gone."""
    before = owner[max(0, raw - 400) : raw + 1]
    known = before[before >= 0]
    if len(known):
        return int(known[-1])
    after = owner[raw : raw + 400]
    known = after[after >= 0]
    return int(known[0]) if len(known) else None


# --------------------------------------------------------------------------------------------------
# tables
# --------------------------------------------------------------------------------------------------


def _tables(book: Book) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of both tables."""
    tracked = book.tracked
    pieces: list[tuple[int, int] | str] = []
    order: list[int] = []
    for index, paragraph in enumerate(book.paragraphs):
        if paragraph.fate is not None:
            tracked.touch(paragraph.start, paragraph.end, paragraph.fate)
        else:
            order.append(index)
    # Footnotes stand behind the body of their chapter.
    order.sort(key=lambda i: (book.paragraphs[i].chapter_index, book.paragraphs[i].kind == "footnote", i))
    new_place = {index: place for place, index in enumerate(order)}
    for index in order:
        paragraph = book.paragraphs[index]
        if paragraph.kind == "footnote":
            _touch_untouched(book, paragraph)
    for place, index in enumerate(order):
        paragraph = book.paragraphs[index]
        if place:
            pieces.append(PARAGRAPH_SEPARATOR)
        pieces.append((paragraph.start, paragraph.end))
    tracked.rebuild(pieces)
    tracked.apply(
        Edit(
            match.start(),
            match.end(),
            " " if match.group()[0] in " \t" and _inside(tracked.text, match) else "",
            "white_space",
        )
        for match in _REPEATED_SPACE.finditer(tracked.text)
    )
    texts = tracked.text.split(PARAGRAPH_SEPARATOR) if order else []
    accounts = Accounts(book)
    pages = PageMap(book)
    links = _links_by_row(book, new_place)
    rows, at = [], 0
    for place, (index, text) in enumerate(zip(order, texts, strict=True)):
        rows.append(
            _row(book, place, book.paragraphs[index], text, at, accounts, pages, links.get(place, []))
        )
        at += len(text) + len(PARAGRAPH_SEPARATOR)
    return rows, accounts.entries()


def _inside(text: str, match: regex.Match[str]) -> bool:
    """Whether white space stands between two words of one line."""
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    return bool(before) and bool(after) and before != "\n" and after != "\n"


def _touch_untouched(book: Book, paragraph: Paragraph) -> None:
    """Note the moving of a footnote's characters, line by line, without hiding other changes to them."""
    source = book.tracked.source[paragraph.start : paragraph.end]
    source = source[source >= 0]
    free = source[book.tracked.touched_by[source] < 0]
    if len(free):
        book.tracked.touched_by[free] = len(book.tracked.edits)
        book.tracked.edits.append("footnote")


def _links_by_row(book: Book, new_place: dict[int, int]) -> dict[int, list[tuple[int, str, int | None]]]:
    """For each row the anchors in it: current offset in the volume, mark, row of the note."""
    where = book.tracked.positions()
    known = np.flatnonzero(where >= 0)
    borders: list[int] = []
    at = 0
    for text in book.tracked.text.split(PARAGRAPH_SEPARATOR):
        borders.append(at)
        at += len(text) + len(PARAGRAPH_SEPARATOR)
    from bisect import bisect_right

    owner = book.line_of_raw()
    found: dict[int, list[tuple[int, str, int | None]]] = {}
    for number, anchor in enumerate(book.anchors):
        if not len(known):
            break
        index = int(np.searchsorted(known, anchor.raw))
        line = owner[min(anchor.raw, len(owner) - 1)]
        before = int(known[index - 1]) if index else None
        behind = int(known[index]) if index < len(known) else None
        if before is not None and (owner[before] == line or behind is None or owner[behind] != line):
            offset = int(where[before]) + 1
            row = bisect_right(borders, offset - 1) - 1
        elif behind is not None:
            offset = int(where[behind])
            row = bisect_right(borders, offset) - 1
        else:
            continue
        note = book.links.get(number)
        found.setdefault(row, []).append(
            (offset - borders[row], anchor.mark, new_place.get(note) if note is not None else None)
        )
    return found


def _row(
    book: Book,
    place: int,
    paragraph: Paragraph,
    text: str,
    at: int,
    accounts: Accounts,
    pages: PageMap,
    links: list[tuple[int, str, int | None]],
) -> dict[str, Any]:
    source = book.tracked.source[at : at + len(text)]
    known = np.flatnonzero(source >= 0)
    first_raw = int(source[known[0]]) if len(known) else 0
    last_raw = int(source[known].max()) if len(known) else 0
    page_first, label_first = pages.at(first_raw)
    page_last, label_last = pages.at(last_raw)
    starts = [
        {
            "offset": int(known[np.searchsorted(source[known], raw)]) if raw <= last_raw else len(text),
            "page": page,
            "label": label,
        }
        for raw, page, label in pages.within(first_raw, last_raw)
    ]
    return {
        "paragraph": place,
        "kind": paragraph.kind,
        "section": paragraph.section,
        "part": paragraph.part,
        "chapter": paragraph.chapter,
        "chapter_kind": paragraph.chapter_kind,
        "chapter_number": paragraph.chapter_number,
        "chapter_title": paragraph.chapter_title,
        "chapter_index": paragraph.chapter_index,
        "heading_level": paragraph.heading_level if paragraph.kind == "heading" else None,
        "page_first": page_first,
        "page_last": page_last,
        "label_first": label_first,
        "label_last": label_last,
        "page_starts": starts,
        "numbered_paragraph": paragraph.number,
        "note_mark": paragraph.note_mark if paragraph.kind == "footnote" else None,
        "note_links": [
            {"offset": min(offset, len(text)), "mark": mark, "paragraph": note}
            for offset, mark, note in sorted(links, key=lambda link: link[0])
        ],
        "char_start": at,
        "char_end": at + len(text),
        "spans": accounts.spans(at, at + len(text)),
        "text": text,
    }


# --------------------------------------------------------------------------------------------------
# report
# --------------------------------------------------------------------------------------------------

_LEFTOVERS = {
    "single letters in a row": regex.compile(r"(?<!\S)(?:\p{L} ){3,}\p{L}(?!\S)"),
    "broken words": regex.compile(r"\p{Ll}- (?!(?:und|oder|and|or|bis|wie|als|et|to|sowie)\b)\p{Ll}"),
    "numbers in brackets": regex.compile(r"\[\d{1,4}\]"),
    "emphasis signs": regex.compile(r"(?<!\S)_\p{L}|\p{L}_(?!\S)"),
}


def _report(book: Book, cleaned: pa.Table, entries: list[dict[str, Any]]) -> dict[str, Any]:
    by_rule = Counter(entry["rule"] for entry in entries)
    characters: Counter[str] = Counter()
    for entry in entries:
        characters[entry["rule"]] += len(entry["before"])
    text = volume_text(cleaned)
    pages_with_text = {
        page
        for row in cleaned.select(["page_first", "page_last"]).to_pylist()
        for page in range(row["page_first"], row["page_last"] + 1)
    }
    labels = {start[2] for start in PageMap(book).starts if start[2]} if book.lines else set()
    return {
        "ledger_entries_by_rule": dict(by_rule.most_common()),
        "ledger_characters_by_rule": dict(characters.most_common()),
        "words_corrected": by_rule["misreading"],
        "words_joined": by_rule["line_hyphen"] + by_rule["spaced_hyphen"],
        "chapters": len(chapters_of(cleaned)),
        "labels": len(labels),
        "footnotes": sum(kind == "footnote" for kind in cleaned.column("kind").to_pylist()),
        "footnotes_linked": book.report["footnotes linked"],
        "note_marks": book.report["note marks taken out"],
        "numbered_paragraphs": book.report["numbered paragraphs"],
        "pages_without_text": sorted(
            page.page for page in book.info.pages if page.page not in pages_with_text
        ),
        "leftovers": {name: len(pattern.findall(text)) for name, pattern in _LEFTOVERS.items()},
        "paragraphs": cleaned.num_rows,
        "characters": len(text),
    }


__all__ = ["CLEANING_VERSION", "CleanedVolume", "Start", "clean_volume", "volume_text"]
