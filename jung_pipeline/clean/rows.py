"""The rows of both tables, from the finished tracked text: footnotes behind their chapter, offsets, spans, links."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
import pyarrow as pa
import regex

from jung_pipeline import tables
from jung_pipeline.clean.book import Book, Paragraph
from jung_pipeline.clean.ledger import Accounts, PageMap
from jung_pipeline.clean.tracked import Edit
from jung_pipeline.schemas import CLEANED_TEXT, PARAGRAPH_SEPARATOR

_REPEATED_SPACE = regex.compile(r"(?<=\S)(?:[ \t]{2,}|\t)(?=\S)|[ \t]+(?=\n|$)|(?<=\n)[ \t]+(?=\S)|^[ \t]+")


def make_tables(book: Book) -> tuple[pa.Table, pa.Table]:
    """The volume's ``schemas.CLEANED_TEXT`` and its ``schemas.REMOVAL_LEDGER``."""
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
        for match in (_REPEATED_SPACE.finditer(tracked.text) if _may_have_spare_space(tracked.text) else ())
    )
    texts = tracked.text.split(PARAGRAPH_SEPARATOR) if order else []
    accounts = Accounts(book)
    pages = PageMap(book)
    links = _links_by_row(book, new_place)
    starts, ends = _bounds(texts)
    rows = [
        _row(book, place, book.paragraphs[index], text, at, pages, links.get(place, []))
        for place, (index, text, at) in enumerate(zip(order, texts, starts.tolist(), strict=True))
    ]
    spans = CLEANED_TEXT.get_field_index("spans")
    table = tables.from_rows(rows, CLEANED_TEXT.remove(spans))
    table = table.add_column(spans, CLEANED_TEXT.field(spans), accounts.spans(starts, ends))
    return table, accounts.ledger()


def _may_have_spare_space(text: str) -> bool:
    """Whether ``_REPEATED_SPACE`` may find anything."""
    return any(sign in text for sign in ("  ", "\t", " \n", "\n ")) or text[:1] == " " or text[-1:] == " "


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


def _bounds(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Where paragraphs begin and end in the volume's text."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    ends = np.cumsum(lengths + len(PARAGRAPH_SEPARATOR)) - len(PARAGRAPH_SEPARATOR)
    return ends - lengths, ends


def _row(
    book: Book,
    place: int,
    paragraph: Paragraph,
    text: str,
    at: int,
    pages: PageMap,
    links: list[tuple[int, str, int | None]],
) -> dict[str, Any]:
    source = book.tracked.source[at : at + len(text)]
    first = int(np.argmax(source >= 0)) if len(source) else 0
    first_raw = max(0, int(source[first])) if len(source) else 0
    last_raw = max(0, int(source.max())) if len(source) else 0
    page_first, label_first = pages.at(first_raw)
    page_last, label_last = pages.at(last_raw)
    within = pages.within(first_raw, last_raw)
    known = np.flatnonzero(source >= 0) if within else source[:0]
    raws = source[known]
    starts = [
        {
            "offset": int(known[np.searchsorted(raws, raw)]) if raw <= last_raw else len(text),
            "page": page,
            "label": label,
        }
        for raw, page, label in within
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
        "text": text,
    }
