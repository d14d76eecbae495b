"""The order of the cleaning rules: raw lines in, paragraphs and the ledger out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from jung_pipeline import progress
from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.book import Book, Paragraph, open_book
from jung_pipeline.clean.contents import take_out_contents
from jung_pipeline.clean.hyphenation import spaced_breaks
from jung_pipeline.clean.inline_marks import take_out_marks, take_out_page_numbers
from jung_pipeline.clean.matter import take_out_back_matter, take_out_front_matter
from jung_pipeline.clean.misreadings import correct_misreadings
from jung_pipeline.clean.note_anchors import take_out_anchors
from jung_pipeline.clean.note_places import place_footnotes
from jung_pipeline.clean.notes import find_gathered_notes, strip_note_marks
from jung_pipeline.clean.numbered import take_out_paragraph_numbers
from jung_pipeline.clean.outline import locate_outline, titles_of
from jung_pipeline.clean.page_notes import find_page_notes
from jung_pipeline.clean.paragraphs import assemble, fates_by_element
from jung_pipeline.clean.report import make_report
from jung_pipeline.clean.rows import make_tables
from jung_pipeline.clean.running_heads import find_page_furniture
from jung_pipeline.clean.small_words import misread_small_words
from jung_pipeline.clean.spacing import letter_spacing, small_capitals, spaced_signs
from jung_pipeline.clean.split_words import join_split_words
from jung_pipeline.clean.stamps import find_stamps
from jung_pipeline.clean.structure import assign_places
from jung_pipeline.clean.symbol_notes import find_symbol_notes
from jung_pipeline.clean.tracked import NOWHERE
from jung_pipeline.clean.unicode import compose, normalise_characters
from jung_pipeline.extract.document import DocumentInfo
from jung_pipeline.garbage import collector_at_rest
from jung_pipeline.schemas import CLEANED_TEXT, PARAGRAPH_SEPARATOR, REMOVAL_LEDGER

#: Changes whenever the rules do, so that volumes are cleaned anew.
CLEANING_VERSION = "5"

#: Rules that take out what stands around the text, by judgement.
_MATTER = frozenset({"contents", "front_matter", "back_matter", "index", "bibliography"})
#: Characters that make a book rather than a leaflet, and the share of it that matter never is.
_A_BOOK, _MOST = 20_000, 0.4

_STAGE = "cleaned_text"

_STEPS = 9
#: Where more than one word in so many fell apart, some did so twice.
_SELDOM = 300
#: Signs below this share of the type size are specks; footnote marks are set at two thirds of it.
_SPECK = 0.6


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


@collector_at_rest()
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
            make_report(book, CLEANED_TEXT.empty_table(), REMOVAL_LEDGER.empty_table()),
        )
    fates_by_element(book)
    _characters(book)
    progress.advance(_STAGE, 1, _STEPS)
    find_stamps(book.lines, len({line.page for line in book.lines}))
    _rotated_marks(book)
    _specks(book)
    find_page_furniture(book)
    _undo_if_nothing_is_left(book)
    progress.advance(_STAGE, 2, _STEPS)
    book.page_notes = find_page_notes(book)
    take_out_marks(book)
    take_out_page_numbers(book)
    progress.advance(_STAGE, 3, _STEPS)
    book.give_back_lines()
    assemble(book)
    if compose(book.tracked):
        book.sync_paragraphs()
    progress.advance(_STAGE, 4, _STEPS)
    _words(book)
    progress.advance(_STAGE, 5, _STEPS)
    strip_note_marks(book)
    find_symbol_notes(book)
    find_gathered_notes(book)
    take_out_anchors(book)
    take_out_paragraph_numbers(book)
    if compose(book.tracked):  # where a note's mark stood between a letter and its accent
        book.sync_paragraphs()
    progress.advance(_STAGE, 6, _STEPS)
    _structure(book)
    progress.advance(_STAGE, 7, _STEPS)
    cleaned, ledger = make_tables(book)
    progress.advance(_STAGE, 8, _STEPS)
    report = make_report(book, cleaned, ledger)
    progress.advance(_STAGE, _STEPS, _STEPS)
    return CleanedVolume(cleaned, ledger, report)


def volume_text(paragraphs: pa.Table) -> str:
    """The volume's cleaned text: its paragraphs divided by a blank line. ``char_start`` counts in it."""
    return PARAGRAPH_SEPARATOR.join(paragraphs.column("text").to_pylist())


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


def _undo_if_nothing_is_left(book: Book) -> None:
    """Give back what looked like running heads if nothing else stands on any page: then it is the text."""
    if not any(line.fate is None and line.words for line in book.lines):
        for line in book.lines:
            if line.fate == "running_head":
                line.fate = None


def _specks(book: Book) -> None:
    """Dirt on a scanned page that OCR read as a sign or two; it must not part the lines it fell between."""
    for line in book.lines:
        signs = line.words
        small = line.size is not None and book.body_size is not None and line.size < _SPECK * book.body_size
        if line.fate is None and small and 0 < len(signs) <= 4 and not any(c.isalnum() for c in signs):
            line.fate = "speck"


def _words(book: Book) -> None:
    """Words broken in joined lines, fallen apart, run together and misread; all need whole paragraphs."""
    book.tracked.apply(spaced_breaks(book.tracked.text, book.lexicon))
    tracked = book.tracked
    put_in = np.flatnonzero(tracked.source == NOWHERE).tolist()
    line_ends = [place for place in put_in if tracked.text[place] == " "]
    joined = list(join_split_words(tracked.text, book.lexicon, line_ends))
    tracked.apply(joined)
    if len(joined) * _SELDOM > book.lexicon.total:  # "under stand ing": the rest of words in three pieces
        tracked.apply(join_split_words(tracked.text, book.lexicon, []))
    tracked.apply(correct_misreadings(tracked.text, book.lexicon))
    tracked.apply(misread_small_words(tracked.text, book.lexicon))
    tracked.apply(spaced_signs(tracked.text, book.lexicon))
    book.sync_paragraphs()


def _structure(book: Book) -> None:
    """Contents, chapters, front and back matter; then the places of all paragraphs."""
    listed = take_out_contents(book)
    outline = locate_outline(book)
    take_out_back_matter(book, {start.paragraph for start in outline})
    language, own = book.lexicon.language, titles_of(book)
    starts = assign_places(book.paragraphs, language, outline=outline, contents=listed, own_titles=own)
    take_out_front_matter(book, [start.paragraph for start in starts])
    _undo_if_too_much(book)
    book.give_back_paragraphs()
    for paragraph in book.paragraphs:
        if paragraph.fate is None and not paragraph.text.strip():
            paragraph.fate = "white_space"
        _forget_place(paragraph)
    alive = [start for start in outline if book.paragraphs[start.paragraph].fate is None]
    starts = assign_places(book.paragraphs, language, outline=alive, contents=listed, own_titles=own)
    place_footnotes(book)


def _undo_if_too_much(book: Book) -> None:
    """Give back what looked like matter around the text if that would be most of a book: then it was the book."""
    total = sum(len(paragraph.text) for paragraph in book.paragraphs)
    taken = [paragraph for paragraph in book.paragraphs if paragraph.fate in _MATTER]
    if total > _A_BOOK and sum(len(paragraph.text) for paragraph in taken) > _MOST * total:
        for paragraph in taken:
            paragraph.fate = None
        book.report["matter given back"] = len(taken)


def _forget_place(paragraph: Paragraph) -> None:
    paragraph.part = paragraph.chapter = paragraph.chapter_kind = paragraph.chapter_title = None
    paragraph.chapter_number, paragraph.chapter_index, paragraph.section = None, 0, "body"
