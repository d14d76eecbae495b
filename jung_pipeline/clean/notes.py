"""Notes gathered at the end of chapters or of the book, and the links from the text to every note.

``[Footnote 12: …]``, ``Footnote 12:`` over its text, ``[12] …`` and, under a heading such as "FOOTNOTES" or
"Anmerkungen", ``12. …``. A number in brackets in the text is a note's mark only if there is such a note.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import regex

from jung_pipeline.clean.book import Book, Paragraph
from jung_pipeline.clean.headings import parse_heading
from jung_pipeline.clean.tracked import Edit

_I = regex.IGNORECASE
_HEADING = regex.compile(
    r"\W*(?:foot ?notes?|end ?notes?|notes?|notes (?:to|on) .{1,60}|references|remarks|fu(?:ß|ss)noten?|anmerkungen?|anm\.)\W*",
    _I,
)
_FRAMED = regex.compile(r"\[Foot-?note[ ]?(?P<mark>\w{1,4}|[*†‡§]{1,3})?\s*[:.]\s*", _I)
_OVER = regex.compile(r"\[?Foot-?note (?P<mark>\d{1,4}|[A-Z])\s*[:.]\]?(?=\s|$)", _I)
_INLINE = regex.compile(r"(?:Foot-?note|Note|Anmerkung|Anm\.|Fußnote) (?P<mark>\d{1,3})\s*[:.]\s+(?=\S)")
_BRACKET = regex.compile(r"\[(?P<mark>\d{1,4}[a-z]?|[A-Z]{1,2}|[*†‡§]{1,3})\][.:]?\s+(?=\S)")
_PLAIN = regex.compile(r"(?P<mark>\d{1,4}|[*†‡§]{1,3})(?:[.)]\s+|\s+)(?=\S)")
_LED = regex.compile(r"[\[(]?(?:\d{1,4}|[*†‡§]{1,3})[\])]?[.:]?\s+(?=\S)")
_ROUND = regex.compile(r"\((?P<mark>\d{1,4}|[*†‡§]{1,3})\)\s+(?=\S)")
_LEADING = regex.compile(
    r"[\[(]?(?P<mark>\d{1,4}|[*†‡§¶‖#]{1,4}|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}|[A-Za-z]{1,2}(?=\]))[\])]?[.:)]?\s*(?=\S)"
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def find_gathered_notes(book: Book) -> None:
    """Make footnotes of the paragraphs that are notes, with their marks; headings over them go."""
    paragraphs = book.paragraphs
    in_text, in_round = _marks_in_text(paragraphs)
    in_round = set() if _are_under_heading(book, in_round) else in_round
    section = False
    open_bracket = False
    current: Paragraph | None = None
    over = False
    level: int | None = None  # of the heading over the notes, as the file has it
    edits: list[Edit] = []
    for index, paragraph in enumerate(paragraphs):
        if paragraph.fate is not None or (paragraph.kind == "footnote" and not open_bracket):
            continue
        text = paragraph.text
        if _is_over_notes(book, index) or (section and _is_chapters_name(paragraphs, index, level)):
            level = paragraph.element_level if _HEADING.fullmatch(text) else level
            paragraph.fate = "note_heading"
            section, current, over = True, None, False
            continue
        if open_bracket:
            _becomes_note(paragraph, current)
            open_bracket = not _closes(text, edits, paragraph)
            continue
        found = _note_start(text, section, in_text, in_round, current)
        if found is not None:
            mark, length, framed = found
            paragraph.kind, paragraph.note_mark = "footnote", mark
            current, over = paragraph, framed == "over"
            if length:
                edits.append(Edit(paragraph.start, paragraph.start + length, "", "note_frame"))
            if length == len(text):
                paragraph.fate = "note_frame"
            if framed == "bracket":
                open_bracket = not _closes(text, edits, paragraph)
            continue
        if paragraph.kind == "heading":
            section, current, over = section and parse_heading(text) is None and len(text) <= 3, None, False
            continue
        if current is not None and (over or section):
            _becomes_note(paragraph, current)
            over = over and current.fate is None and paragraph.kind != "body"
            if current.fate == "note_frame":
                current.fate, current = "note_frame", paragraph
                over = False
    _take_out_headings_over_notes(book)
    book.tracked.apply(edits)
    book.sync_paragraphs()


def _take_out_headings_over_notes(book: Book) -> None:
    """Headings with nothing under them but notes to text before them, which move there: "Notes", "Chapter I"."""
    anchored = {anchor.target: anchor.raw for anchor in reversed(book.anchors) if anchor.target}
    notes = other = False  # what stands from here to the next heading that stays
    last_mark = 0
    for paragraph in reversed(book.paragraphs):
        if paragraph.fate is not None:
            continue
        if paragraph.kind == "footnote":
            if paragraph.note_id in anchored:
                notes, last_mark = True, max(last_mark, anchored[paragraph.note_id])
        elif paragraph.kind != "heading":
            other = True
        elif notes and not other and last_mark < book.lines[paragraph.lines[0]].raw_start:
            paragraph.fate = "note_heading"
        else:
            notes, other, last_mark = False, False, 0


def _is_over_notes(book: Book, index: int) -> bool:
    """Whether the paragraph at ``index`` is a heading such as "Notes" with notes under it."""
    text = book.paragraphs[index].text
    if len(text) >= 80 or not _HEADING.fullmatch(text):
        return False
    behind = book.paragraphs[index + 1 :] if book.page_notes else []
    if behind and all(p.fate is not None or p.kind == "footnote" for p in behind):
        return True  # over the notes of an edition whose pages have them at their feet
    return _notes_follow(book.paragraphs, index, at_foot=bool(book.page_notes)) or _heads_lists(
        book.paragraphs, index
    )


def _is_chapters_name(paragraphs: Sequence[Paragraph], index: int, level: int | None) -> bool:
    """Whether the paragraph at ``index`` is the name of a chapter whose notes follow, under the heading over all."""
    return _is_under(paragraphs[index], level) and _notes_follow(paragraphs, index, at_foot=False)


def _is_under(paragraph: Paragraph, level: int | None) -> bool:
    """Whether a paragraph is a heading that the file puts under one of ``level``."""
    own = paragraph.element_level if paragraph.kind == "heading" else None
    return own is not None and level is not None and own > level


def _heads_lists(paragraphs: Sequence[Paragraph], index: int) -> bool:
    """Whether the heading at ``index`` stands over the names of chapters and they over notes."""
    following = next((i for i in range(index + 1, len(paragraphs)) if paragraphs[i].fate is None), None)
    return (
        following is not None
        and _is_under(paragraphs[following], paragraphs[index].element_level)
        and _notes_follow(paragraphs, following, at_foot=False)
    )


def _becomes_note(paragraph: Paragraph, head: Paragraph | None) -> None:
    paragraph.kind = "footnote"
    paragraph.note_mark = head.note_mark if head else None


def _are_under_heading(book: Book, marks: set[str]) -> bool:
    """Whether the notes stand under a heading of their own, for the most part.

    Then paragraphs elsewhere that begin with such round marks are points that the author counts.
    """
    live = [i for i, p in enumerate(book.paragraphs) if p.fate is None]
    over = next((i for i in live if _is_over_notes(book, i)), None) if marks else None
    if over is None:
        return False
    texts = ((i, book.paragraphs[i].text) for i in live)
    led = [i for i, text in texts if (_ROUND if i < over else _LED).match(text)]
    return sum(i > over for i in led) >= 0.5 * len(led)


_INSIDE_BRACKETS = regex.compile(r"(?<=\S\s?)\[(\d{1,4}[a-z]?|[A-Z]{1,2}|\*+)\]")
_INSIDE_ROUND = regex.compile(r"(?<=[\p{L}.,;:!?”\"’»\])])\((\d{1,4}[a-z]?|[*†‡§]{1,3})\)")


def _marks_in_text(paragraphs: Sequence[Paragraph]) -> tuple[set[str], set[str]]:
    """Marks inside paragraphs, not at their beginning: in brackets, and in round brackets directly behind a word.

    They count only if notes begin with such marks, one note or so for each.
    """
    brackets: Counter[str] = Counter()
    rounds: Counter[str] = Counter()
    led: Counter[str] = Counter()
    led_round: Counter[str] = Counter()
    for paragraph in paragraphs:
        if paragraph.fate is not None:
            continue
        # A note stands behind its mark; a number before a paragraph that is mentioned only later is the paragraph's.
        if (start := _BRACKET.match(paragraph.text) or _INLINE.match(paragraph.text)) and (
            brackets[start["mark"]] or not start.group().startswith("[")
        ):
            led[start["mark"]] += 1
        if "[" in paragraph.text:
            brackets.update(match.group(1) for match in _INSIDE_BRACKETS.finditer(paragraph.text))
        if "(" in paragraph.text:
            rounds.update(match.group(1) for match in _INSIDE_ROUND.finditer(paragraph.text))
            if start := _ROUND.match(paragraph.text):
                led_round[start["mark"]] += 1
    return _that_pair(brackets, led, 1), _that_pair(rounds, led_round, 3)


def _that_pair(inside: Counter[str], led: Counter[str], least: int) -> set[str]:
    """Marks that stand both inside paragraphs and before some, about as often: a note has one mark in the text."""
    both = inside.keys() & led.keys()
    marks, notes = sum(inside[mark] for mark in both), sum(led[mark] for mark in both)
    return set(both) if len(both) >= least and marks <= 2 * notes + 1 else set()


def _notes_follow(paragraphs: Sequence[Paragraph], index: int, *, at_foot: bool) -> bool:
    """Whether the paragraphs under a heading such as "Notes" begin with marks.

    ``at_foot``: the volume has notes at page feet, which only happen to stand below the heading.
    """
    following = [p for p in paragraphs[index + 1 : index + 40] if p.fate is None]
    # A chapter may have a single note: what stands behind the next heading is not under this one.
    following = list(itertools.takewhile(lambda p: p.kind != "heading", following)) or following
    if not at_foot:
        return _mostly_led(following)
    return _mostly_led([p for p in following if p.kind != "footnote"])


def _mostly_led(following: Sequence[Paragraph]) -> bool:
    led = [
        bool(
            _FRAMED.match(p.text)
            or _OVER.match(p.text)
            or _BRACKET.match(p.text)
            or _PLAIN.match(p.text)
            or _ROUND.match(p.text)
            or p.kind == "footnote"
        )
        for p in following
    ]
    return bool(led) and led[0] and (sum(led) >= 2 or len(led) == 1)


def _note_start(
    text: str, section: bool, in_text: set[str], in_round: set[str], current: Paragraph | None
) -> tuple[str, int, str] | None:
    """Mark, length of the frame, and kind of frame, if ``text`` begins a note."""
    framed = _FRAMED.match(text)
    if framed:
        return framed["mark"] or "*", framed.end(), "bracket"
    over = _OVER.match(text)
    if over:
        end = over.end()
        while end < len(text) and text[end].isspace():
            end += 1
        return over["mark"], end, "over"
    bracket = _BRACKET.match(text) or _INLINE.match(text)
    if bracket and (section or bracket["mark"] in in_text):
        return bracket["mark"], bracket.end(), "mark"
    round_mark = _ROUND.match(text)
    if round_mark and round_mark["mark"] in in_round:
        return round_mark["mark"], round_mark.end(), "mark"
    if section:
        plain = _ROUND.match(text) or _PLAIN.match(text)
        if plain and _in_sequence(plain["mark"], current):
            return plain["mark"], plain.end(), "mark"
    return None


def _in_sequence(mark: str, current: Paragraph | None) -> bool:
    if not mark.isdigit():
        return True
    if current is None or current.note_mark is None or not current.note_mark.isdigit():
        return True
    return int(mark) == 1 or 0 < int(mark) - int(current.note_mark) <= 3


def _closes(text: str, edits: list[Edit], paragraph: Paragraph) -> bool:
    """Whether a framed note ends with this paragraph; its closing bracket goes."""
    stripped = text.rstrip()
    if not stripped.endswith("]"):
        return False
    opened = text.count("[") - (1 if _FRAMED.match(text) else 0)
    if text.count("]") <= opened:
        return False
    end = paragraph.start + len(stripped)
    edits.append(Edit(end - 1, end, "", "note_frame"))
    return True


def strip_note_marks(book: Book) -> None:
    """Take the leading mark off footnotes from page feet and HTML; it is kept in ``note_mark``."""
    edits = []
    last: Paragraph | None = None
    for paragraph in book.paragraphs:
        if paragraph.kind != "footnote" or paragraph.fate is not None:
            continue
        same_note = last is not None and paragraph.note_id is not None and last.note_id == paragraph.note_id
        label = next((book.note_labels[i] for i in paragraph.lines if i in book.note_labels), None)
        if label is not None:
            paragraph.note_mark = label
            if rest := regex.match(r"[.:)\]\s]+", paragraph.text):
                edits.append(Edit(paragraph.start, paragraph.start + rest.end(), "", "note_frame"))
        elif same_note:
            paragraph.note_mark = last.note_mark if last else None
        elif paragraph.note_mark is None or any(book.lines[i].note is not None for i in paragraph.lines[:1]):
            match = _LEADING.match(paragraph.text)
            if match and (
                paragraph.note_mark is None or match["mark"].translate(_SUPERSCRIPTS) == paragraph.note_mark
            ):
                paragraph.note_mark = match["mark"].translate(_SUPERSCRIPTS)
                edits.append(Edit(paragraph.start, paragraph.start + match.end(), "", "note_frame"))
        last = paragraph
    for paragraph in book.paragraphs:
        paragraph.note_mark = paragraph.note_mark or None
    book.tracked.apply(edits)
    book.sync_paragraphs()
