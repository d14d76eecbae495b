"""Footnotes at the foot of pages: found, and told apart from the text they would interrupt.

With type sizes: lines smaller than the text at the bottom of a page, the first of them led by a mark. Without:
the last lines of a page from one that is led by ``*``, ``†`` or a raised digit, or by a number that hangs on a
word of the same page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import regex

from jung_pipeline.clean.book import Book, Line, PageNote

#: Type of notes is smaller than the text's by at least this factor.
_SMALLER = 0.93
_MARK = regex.compile(
    r"\s*(?:\[(\d{1,3}|[*†‡§¶‖])\]|(\d{1,3})(?=[\s.)\p{Lu}“\"‘'(„»])|([*†‡§¶‖]{1,3})|([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))[.)]?\s*"
)
_SYMBOL = regex.compile(r"\s*([*†‡§¶‖]{1,3})\s*\S")
_RAISED_START = regex.compile(r"\s*[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}\s*\S")
_DIGITS_START = regex.compile(r"\s*(\d{1,3})[.)]?\s+\S")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
#: Without type sizes a note is sought in so many lines at the foot.
_DEPTH = 10


def find_page_notes(book: Book) -> list[PageNote]:
    """The notes at page feet; their lines get the number of their note."""
    if not book.paged:
        return []
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in book.live():
        if line.words:
            pages[line.page].append(line)
    notes: list[PageNote] = []
    sized = book.body_size is not None
    raised_starts = {start for start, _, kind, _ in book.marks if kind in ("superscript", "noteref")}
    for page, page_lines in pages.items():
        foot = _small_foot(page_lines, book.body_size) if sized else _marked_foot(page_lines)
        if not foot:
            continue
        _divide(foot, page, notes, raised_starts, sized=sized)
    for number, note in enumerate(notes):
        for index in note.lines:
            book.lines[index].note = number
    return notes


def _small_foot(page_lines: Sequence[Line], body: float | None) -> list[Line]:
    """The run of small lines at the bottom of a page that has text above."""
    assert body is not None
    count = len(page_lines)
    first = count
    while first > 0 and (size := page_lines[first - 1].size) is not None and size <= _SMALLER * body:
        first -= 1
    foot = list(page_lines[first:])
    return foot if foot and first > 0 else []


def _marked_foot(page_lines: Sequence[Line]) -> list[Line]:
    """Without sizes: from the first line near the foot that is led by a note's mark."""
    count = len(page_lines)
    for at in range(max(1, count - _DEPTH), count):
        text = page_lines[at].text
        if _SYMBOL.match(text) and not regex.fullmatch(r"[\s*†‡§¶‖·•]+", text):
            return list(page_lines[at:])
        if _RAISED_START.match(text):
            return list(page_lines[at:])
        digits = _DIGITS_START.match(text)
        if digits and _hangs_on_a_word(digits.group(1), page_lines[:at]):
            return list(page_lines[at:])
    return []


def _hangs_on_a_word(number: str, lines: Sequence[Line]) -> bool:
    """Whether ``number`` is glued to a word or stop in one of ``lines``, as a mark is that lost its height."""
    glued = regex.compile(rf"(?:\p{{L}}{{3}}|[\p{{L}}][.,;:!?”\"’)])(?:{number}|\[{number}\])(?=[\s.,;:)]|$)")
    return any(glued.search(line.text) for line in lines)


def _divide(
    foot: Sequence[Line], page: int, notes: list[PageNote], raised_starts: set[int], *, sized: bool
) -> None:
    """Divide the lines of a foot into notes; what precedes the first mark goes on with the last page's note."""
    begun: PageNote | None = None
    leading: list[Line] = []
    for line in foot:
        mark = _mark_of(line, raised_starts)
        if mark is not None and (begun is None or _follows(begun.mark, mark)):
            begun = PageNote(mark, page, [line.index])
            notes.append(begun)
        elif begun is not None:
            begun.lines.append(line.index)
        else:
            leading.append(line)
    if leading and notes:
        earlier = [note for note in notes if note.page == page - 1]
        if earlier and sized and (begun is not None or _runs_on(foot[0])):
            earlier[-1].lines += [line.index for line in leading]


def _mark_of(line: Line, raised_starts: set[int]) -> str | None:
    match = _MARK.match(line.text)
    if not match or (match.end() >= len(line.text.rstrip()) and len(line.words) > 4):
        return None
    mark = next(group for group in match.groups() if group is not None).translate(_SUPERSCRIPTS)
    if mark.isdigit() and int(mark) == 0:
        return None
    return mark


def _follows(last: str, mark: str) -> bool:
    """Whether ``mark`` can be the next note's: the next number, or another sign."""
    if last.isdigit() and mark.isdigit():
        return int(mark) == int(last) + 1 or int(mark) == 1
    return last.isdigit() == mark.isdigit()


def _runs_on(line: Line) -> bool:
    """Whether a line begins in the middle of a sentence."""
    return line.words[:1].islower()
