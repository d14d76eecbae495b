"""Marks inside lines: emphasis signs, printed page numbers, note marks. Out of the text, kept as facts.

Extraction says where links to notes, page breaks and raised letters stand; Unicode superscripts are found
here. A raised number is a note mark only where text stands before it: powers (10³), units (m²), formulas and
ordinals (19th, Mme) stay.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict

import regex

from jung_pipeline.clean import tokens
from jung_pipeline.clean.book import Anchor, Book, Line
from jung_pipeline.clean.tracked import Edit

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789–")
_RAISED = regex.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?:[,⁻–-][⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})*")
#: What a raised stretch must look like to be a note mark.
NOTE_MARK = regex.compile(r"\d{1,4}(?:\s*[,–-]\s*\d{1,4})*|[*†‡§¶‖#]{1,4}")
_UNIT_BEFORE = regex.compile(
    r"(?:^|[^\p{L}])(?:\p{L}|[mkcd]m|ft|in|yd|sec|min|log|sin|cos|tan)$|[=+*/·−] ?\p{L}{1,2}$"
)
#: Marks that cover no text of the author's → the rule that takes it out.
_RULE_OF = {"pagebreak": "page_mark", "backlink": "note_frame", "line_number": "line_number"}
_BRACKETS = {"[": "]", "(": ")", "{": "}"}


def take_out_marks(book: Book) -> None:
    """Remove what the raw marks cover, where it is no text; remember page starts and note anchors."""
    at_or_after = book.tracked.at_or_after()
    owner = book.line_of_raw()
    notes_on_page = _note_marks_by_page(book)
    linked = [(start, end) for start, end, kind, _ in book.marks if kind == "noteref"]
    edits: list[Edit] = []
    for raw_start, raw_end, kind, target in book.marks:
        line = book.lines[int(owner[min(raw_start, len(owner) - 1)])]
        if line.fate is not None:
            continue
        start, end = int(at_or_after[raw_start]), int(at_or_after[raw_end])
        if kind == "superscript":
            if not any(a <= raw_start and raw_end <= b for a, b in _near(linked, raw_start)):
                edits += _raised(book, line, start, end, raw_start, notes_on_page[line.page])
        else:
            edits += _marked(book, line, (start, end), raw_start, kind, target)
    book.tracked.apply(edits)
    _take_out_superscripts(book, notes_on_page)
    book.sync_lines()


def _marked(
    book: Book, line: Line, stretch: tuple[int, int], raw: int, kind: str, target: str | None
) -> list[Edit]:
    """What becomes of a mark whose meaning is certain."""
    start, end = stretch
    text = book.tracked.text
    if kind == "emphasis_mark":
        return [Edit(start, end, "", "emphasis_mark")]
    if kind == "noteref":
        return _anchor(book, text, start, end, raw, target, line.page)
    if kind == "pagebreak":
        book.page_starts.append((raw, line.page, target))
    elif kind == "backlink":
        mark = text[start:end].strip(" []().:")
        if NOTE_MARK.fullmatch(mark) or regex.fullmatch(r"[A-Za-z]{1,3}", mark):
            book.note_labels.setdefault(line.index, mark)
    rule = _RULE_OF.get(kind)
    return [_whole(text, start, end, rule)] if rule and end > start else []


def _raised(book: Book, line: Line, start: int, end: int, raw: int, notes: set[str]) -> list[Edit]:
    """What becomes of a raised stretch: an anchor if it is a note's mark, else it is text."""
    text = book.tracked.text
    if line.note is not None and text[line.start : start].strip("[( ") == "":
        return []  # the note's own mark
    if _is_note_mark(text, start, end, notes):
        return _anchor(book, text, start, end, raw, None, line.page)
    return []


def _near(spans: list[tuple[int, int]], at: int) -> list[tuple[int, int]]:
    """The spans that may hold ``at`` (they are in raw order and short)."""
    index = bisect_right(spans, (at, 1 << 40))
    return spans[max(0, index - 2) : index + 1]


def _whole(text: str, start: int, end: int, rule: str) -> Edit:
    """Removal of ``text[start:end]`` and of one of the blanks around it."""
    if text[start - 1 : start] == " " and text[end : end + 1] in ("", " ", "\n", ".", ",", ";", ":"):
        start -= 1
    elif (start == 0 or text[start - 1] == "\n") and text[end : end + 1] == " ":
        end += 1
    return Edit(start, end, "", rule)


def _anchor(
    book: Book, text: str, start: int, end: int, raw: int, target: str | None, page: int
) -> list[Edit]:
    """Removal of a note mark with its brackets, and the anchor remembered."""
    mark = text[start:end].translate(_SUPERSCRIPTS).strip(" []()")
    closing = _BRACKETS.get(text[start - 1 : start])
    if closing and text[end : end + 1] == closing:
        start, end = start - 1, end + 1
    if not mark and target is None:
        return []
    book.anchors.append(Anchor(raw, mark or "*", target, page))
    book.report["note marks taken out"] += 1
    return [_whole(text, start, end, "note_mark")] if end > start else []


def _note_marks_by_page(book: Book) -> defaultdict[int, set[str]]:
    """Marks of the notes at each page's foot."""
    marks: defaultdict[int, set[str]] = defaultdict(set)
    for note in book.page_notes:
        marks[note.page].add(note.mark)
    return marks


def _is_note_mark(text: str, start: int, end: int, notes: set[str]) -> bool:
    """Whether the raised ``text[start:end]`` is the mark of a note rather than a power, unit or ordinal."""
    mark = text[start:end].translate(_SUPERSCRIPTS).strip(" []().,")
    if not NOTE_MARK.fullmatch(mark):
        return False
    if mark in notes:
        return True
    before = text[max(0, start - 8) : start].rstrip(" ").split("\n")[-1]
    after = text[end : end + 1]
    if not before or (after.isalnum() and not text[start:end].endswith(" ")):
        return False
    if before[-1].isdigit():
        return False
    return not _UNIT_BEFORE.search(before)


def _take_out_superscripts(book: Book, notes_on_page: defaultdict[int, set[str]]) -> None:
    """Note marks written with the superscript digits of Unicode."""
    text = book.tracked.text
    if not _RAISED.search(text):
        return
    book.sync_lines()
    starts = [line.start for line in book.lines]
    edits = []
    for match in _RAISED.finditer(text):
        line = book.lines[bisect_right(starts, match.start()) - 1]
        if line.fate is not None or (line.note is not None and not text[line.start : match.start()].strip()):
            continue
        if _is_note_mark(text, match.start(), match.end(), notes_on_page[line.page]):
            raw = int(book.tracked.source[match.start()])
            edits += _anchor(book, text, match.start(), match.end(), raw, None, line.page)
    book.tracked.apply(edits)


#: A printed page number in the flow: "[165]", "{12}", "[Pg 12]", "[S. 12]".
_IN_FLOW = re.compile(r"\[(?:Pg?\.? ?|p\.? ?|S\. ?|Seite )?(\d{1,4})\]|\{(\d{1,4})\}")
#: The beginning of a gathered note.
_NOTE_LINE = regex.compile(r"\[?Foot-?note\s+(\d{1,4})[:\]]|\[(\d{1,4})\](?=.*\S)", regex.IGNORECASE)
_BEGINS_NOTE = frozenset("[Ff")
#: Fewer numbers than ``_LEAST`` are pages' only from here on, and between words of one sentence.
_NO_NOTE, _A_YEAR = 10, 1000
_WORD_BEFORE = regex.compile(
    r"(?<!\b(?:see|cf|par|paras|pp?|nos?|fig|in|of|vgl|siehe|nr)\.?)(?<=\p{Ll},?) ?$"
)
_WORD_BEHIND = regex.compile(r"\s?\p{Ll}")
_SENTENCE_OVER = regex.compile(r"(?:[.!?:…]['\"”’»)\]]*|^|\p{Lu}{4})$")
#: A rising series must have so many members, and rise by one so often.
_LEAST, _BY_ONE = 6, 0.75
#: Pages hold text: marks lie at least this far apart (median, characters).
_PAGE_LENGTH = 700


def take_out_page_numbers(book: Book) -> None:
    """Printed page numbers that fell from the margin into the text: a rising series, a page apart each."""
    if any(kind == "pagebreak" for _, _, kind, _ in book.marks):
        return
    text = book.tracked.text
    brackets = tokens.all_places(text, "[{")
    found = [match for at in brackets if (match := _IN_FLOW.match(text, at)) is not None]
    if any(match.group().startswith(("[0", "{0")) for match in found):  # "[002]": others are no page numbers
        found = [match for match in found if len(match.group(1) or match.group(2)) >= 3]
    few = [match for match in found if int(match.group(1) or match.group(2)) < _A_YEAR]
    if _stand_in_sentences(text, few):
        _take_out(book, few)
        return
    if len(found) < _LEAST:
        return
    values = [int(match.group(1) or match.group(2)) for match in found]
    chain = longest_rise(values)
    if len(chain) < _LEAST or len(chain) < 0.7 * len(found):
        return
    by_one = sum(values[b] - values[a] == 1 for a, b in itertools.pairwise(chain))
    gaps = sorted(found[b].start() - found[a].start() for a, b in itertools.pairwise(chain))
    if by_one < _BY_ONE * (len(chain) - 1) or gaps[len(gaps) // 2] < _PAGE_LENGTH:
        return
    noted = _gathered_notes(text)
    if sum(values[i] in noted for i in chain) > 0.3 * len(chain):
        return  # marks of notes that are gathered elsewhere
    if sum(_opens_paragraph(text, found[i]) for i in chain) > 0.7 * len(chain):
        return  # numbers of paragraphs; pages end anywhere in a sentence
    _take_out(book, [found[i] for i in chain])


def _gathered_notes(text: str) -> set[int]:
    """The numbers of the notes that begin a line."""
    lines = (line.lstrip() for line in text.split("\n"))
    begun = (_NOTE_LINE.match(line) for line in lines if line[:1] in _BEGINS_NOTE)
    return {int(match[1] or match[2]) for match in begun if match is not None}


def _stand_in_sentences(text: str, found: list[re.Match[str]]) -> bool:
    """Whether the few numbers of a short text count on by one, each in the middle of a sentence."""
    if not 2 <= len(found) < _LEAST:
        return False
    values = [int(match.group(1) or match.group(2)) for match in found]
    return (
        values[0] >= _NO_NOTE
        and all(b - a == 1 for a, b in itertools.pairwise(values))
        and all(
            _WORD_BEFORE.search(text, max(0, match.start() - 40), match.start())
            and _WORD_BEHIND.match(text, match.end())
            for match in found
        )
        and not _gathered_notes(text)
    )


def _take_out(book: Book, found: list[re.Match[str]]) -> None:
    """Take printed page numbers out of the text, and keep them as the beginnings of pages."""
    text = book.tracked.text
    edits = []
    book.sync_lines()
    starts = [line.start for line in book.lines]
    for match in found:
        line = book.lines[bisect_right(starts, match.start()) - 1]
        if line.fate is None:
            edits.append(_whole(text, match.start(), match.end(), "page_mark"))
            raw = int(book.tracked.source[match.start()])
            book.page_starts.append((raw, line.page, str(int(match.group(1) or match.group(2)))))
    book.tracked.apply(edits)
    book.labels.clear()
    book.report["page numbers in the text taken out"] += len(edits)
    book.sync_lines()


def _opens_paragraph(text: str, match: re.Match[str]) -> bool:
    """Whether a number stands between the end of a sentence and the beginning of one, on a new line."""
    before = text[max(0, match.start() - 80) : match.start()].rstrip(" ")
    after = text[match.end() : match.end() + 80].lstrip()
    return (
        (not before or before[-1] == "\n")
        and _SENTENCE_OVER.search(before.rstrip()) is not None
        and not after[:1].islower()
    )


def longest_rise(values: list[int]) -> list[int]:
    """Indices of the longest strictly rising subsequence."""
    tails: list[int] = []
    tail_index: list[int] = []
    before: list[int] = []
    for index, value in enumerate(values):
        at = bisect_left(tails, value)
        before.append(tail_index[at - 1] if at else -1)
        if at == len(tails):
            tails.append(value)
            tail_index.append(index)
        else:
            tails[at], tail_index[at] = value, index
    chain, current = [], tail_index[-1] if tail_index else -1
    while current >= 0:
        chain.append(current)
        current = before[current]
    return chain[::-1]
