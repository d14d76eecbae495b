"""Note marks that no markup tells, taken out of the text where a note bears that mark.

Numbers in brackets, hanging asterisks and daggers, and numbers glued to words that lost their height.
"""

from __future__ import annotations

from collections import defaultdict

import regex

from jung_pipeline.clean.book import Anchor, Book, Paragraph
from jung_pipeline.clean.symbol_notes import hanging_signs
from jung_pipeline.clean.tracked import Edit

_BRACKETED = regex.compile(r" ?\[(\d{1,4}[a-z]?|[A-Z]{1,2}|[*†‡§]{1,3})\]")
_ROUNDED = regex.compile(r"(?<=[\p{L}.,;:!?”\"’)\]])\((\d{1,4})\)")
_GLUED = regex.compile(r"(?:(?<=\p{L}{3})|(?<=\p{L}[.,;:!?”\"’)]))(\d{1,3})(?=[\s.,;:)]|$)")


def take_out_anchors(book: Book) -> None:
    """Remove marks in brackets and hanging asterisks from the text where a note bears that mark."""
    noted = [p for p in book.paragraphs if p.note_mark and (p.kind == "footnote" or p.fate == "note_frame")]
    marks = {p.note_mark for p in noted if p.note_mark and p.fate != "note_heading"}
    if not marks:
        return
    page_marks: dict[int, set[str]] = defaultdict(set)
    for note in book.page_notes:
        page_marks[note.page].add(note.mark)
    anchors_on: dict[int, set[str]] = defaultdict(set)
    for anchor in book.anchors:
        anchors_on[anchor.page].add(anchor.mark)
    use_round = _use_round(book, _ROUNDED, marks)
    edits: list[Edit] = []
    for paragraph in book.paragraphs:
        if paragraph.fate is not None or not paragraph.text:
            continue
        text = paragraph.text
        found = (
            [m for m in _BRACKETED.finditer(text) if m.group(1) in marks and m.start()] if "[" in text else []
        )
        if paragraph.kind != "footnote":
            if use_round:
                found += [m for m in _ROUNDED.finditer(paragraph.text) if m.group(1) in marks]
            on_page = page_marks.get(paragraph.page, set()) | page_marks.get(paragraph.page + 1, set())
            anchored = {mark for page in range(-1, 2) for mark in anchors_on.get(paragraph.page + page, ())}
            found += _without_brackets(book, paragraph, on_page, anchored, marks)
        for match in found:
            _take_anchor(book, paragraph, match, edits)
            anchors_on[paragraph.page].add(match.group(1))
    book.tracked.apply(edits)
    book.sync_paragraphs()


def _without_brackets(
    book: Book, paragraph: Paragraph, on_page: set[str], anchored: set[str], marks: set[str]
) -> list[regex.Match[str]]:
    """Hanging asterisks, and numbers glued to words, that notes on the same page (or the next) bear."""
    text = paragraph.text
    found: list[regex.Match[str]] = []
    if any(char in text for char in "*†‡§"):
        known = on_page or (set() if book.page_notes else marks)
        found += [m for m in hanging_signs(text) if m.group(1) in known]
    if missing := on_page - anchored:
        found += [m for m in _GLUED.finditer(text) if m.group(1) in missing and m.group(1) != "0"]
    return found


def _use_round(book: Book, rounded: regex.Pattern[str], marks: set[str]) -> bool:
    """Whether "(12)" directly behind a word is this volume's note mark: most of the notes have one."""
    found = {
        match.group(1)
        for p in book.paragraphs
        if p.kind != "footnote" and "(" in p.text
        for match in rounded.finditer(p.text)
    }
    return len(found & marks) >= max(2, 0.5 * len(marks))


def _take_anchor(book: Book, paragraph: Paragraph, match: regex.Match[str], edits: list[Edit]) -> None:
    start, end = paragraph.start + match.start(), paragraph.start + match.end()
    if match.group().startswith(" ") and end < len(book.tracked.text) and book.tracked.text[end].isalnum():
        start += 1
    raw = int(book.tracked.source[paragraph.start + match.start(1)])
    book.anchors.append(Anchor(raw, match.group(1), None, paragraph.page))
    book.report["note marks taken out"] += 1
    edits.append(Edit(start, end, "", "note_mark"))
