"""Footnotes at the foot of pages: found, and told apart from the text they would interrupt.

With type sizes: lines smaller than the text at the bottom of a page, the first of them led by a mark. Without:
the last lines of a page from one that is led by ``*``, ``†`` or a raised digit, or by a number that hangs on a
word of the same page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import regex

from jung_pipeline.clean.book import Book, Line, PageNote
from jung_pipeline.clean.layout import SENTENCE_END

#: Type of notes is smaller than the text's by at least this factor.
_SMALLER = 0.93
#: Lines of one note differ in measured size by less than this factor.
_SAME_SIZE = 1.03
#: A scanner's sizes vary; type of another size differs by this factor from page to page.
_ANOTHER_SIZE = 1.06
#: So many notes show in what size notes are set.
_ENOUGH = 5
_MARK = regex.compile(
    r"\s*(?:\[(\d{1,3}|[*†‡§¶‖])\]|\((\d{1,3})\)(?=\s)|(\d{1,3})(?=[\s.)\p{Lu}“\"‘'(„»])|([*†‡§¶‖]{1,3})|([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))[.)]?\s*"
)
_SYMBOL = regex.compile(r"\s*([*†‡§¶‖]{1,3})\s*\S")
_RAISED_START = regex.compile(r"\s*[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}\s*\S")
_DIGITS_START = regex.compile(r"\s*(\d{1,3})[.)]?\s+\S")
#: Of a note whose mark is lost.
NO_MARK = ""
_UNFINISHED = regex.compile(r"[\p{L},-]$")
#: A note's beginning; the rest of a sentence; the rule over notes.
_NUMBERED = regex.compile(r"(?:\d{1,3}[.)]?|\[\d{1,3}\]|\(\d{1,3}\))\s+[\p{Lu}\"“‘«„]")
_GOES_ON = regex.compile(r"[\p{Ll}]")
_RULE = regex.compile(r"[_—–-]{3,}")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
#: A text of so few lines is a page by itself; its asterisks may be a list's.
_LEAF = 80
#: Without type sizes a note is sought in so many lines at the foot.
_DEPTH = 10


def find_page_notes(book: Book) -> list[PageNote]:
    """The notes at page feet; their lines get the number of their note."""
    leaf = not book.paged and not book.has_boxes
    if leaf and (book.info.format != "txt" or len(book.lines) > _LEAF):
        return []
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in book.live():
        if line.words:
            pages[line.page].append(line)
    notes: list[PageNote] = []
    raised_starts = {start for start, _, kind, _ in book.marks if kind in ("superscript", "noteref")}
    largest = _note_size(pages, book.body_size, raised_starts) if book.body_size is not None else None
    for page, page_lines in pages.items():
        running_on = _running_on(notes, page, book) if largest is not None else None
        foot = (
            _small_foot(page_lines, largest, whole_page=_unfinished(running_on, book))
            if largest is not None
            else _marked_foot(page_lines) or _foot_in_sentence(page_lines, pages.get(page + 1, ()))
        )
        if foot and not (leaf and _DIGITS_START.match(foot[0].text) is None):
            above = page_lines[: len(page_lines) - len(foot)]
            if above and _RULE.fullmatch(above[-1].words):
                above.pop().fate = "ornament"
            if running_on is not None and not _same_size(book.lines[running_on.lines[-1]], foot[0]):
                running_on = None  # a poem or a list in a type of its own
            count = len(notes)
            _divide(foot, page, notes, raised_starts, running_on, above)
            if (
                len(notes) == count
                and running_on is None
                and _in_sentence(above, pages.get(page + 1, ()), largest)
            ):
                notes.append(PageNote(NO_MARK, page, [line.index for line in foot]))
    for number, note in enumerate(notes):
        for index in note.lines:
            book.lines[index].note = number
    return notes


def _in_sentence(above: Sequence[Line], following: Sequence[Line], largest: float | None) -> bool:
    """Whether smaller lines without a mark part a sentence of the text that goes on at the next page's top."""
    if largest is None or not above or not following or (following[0].size or 0) <= largest:
        return False
    return _UNFINISHED.search(above[-1].words) is not None and _GOES_ON.match(following[0].words) is not None


def _same_size(one: Line, other: Line) -> bool:
    """Whether two lines are set in one type size, as far as is known."""
    if not one.size or not other.size:
        return True
    return max(one.size, other.size) < _ANOTHER_SIZE * min(one.size, other.size)


def _note_size(pages: Mapping[int, Sequence[Line]], body: float, raised_starts: set[int]) -> float:
    """The largest type size that notes have: where most notes begin in one size, quotations may be larger."""
    largest = _SMALLER * body
    begun: Counter[float] = Counter()
    plain: Counter[float] = Counter()  # by notes whose marks are not raised
    for page_lines in pages.values():
        for line in _small_foot(page_lines, largest, whole_page=False):
            if _mark_of(line) is not None:
                (begun if line.raw_start in raised_starts else plain)[round(line.size or 0, 1)] += 1
    if sum(begun.values()) < _ENOUGH:
        begun = plain
    if sum(begun.values()) < _ENOUGH:
        return largest
    size, count = begun.most_common(1)[0]
    return min(largest, _SAME_SIZE * size) if count >= 0.6 * sum(begun.values()) else largest


def _small_foot(page_lines: Sequence[Line], largest: float, *, whole_page: bool) -> list[Line]:
    """The run of lines at the bottom of a page that are no larger than ``largest``, below text that is.

    ``whole_page`` allows a page that has no text at all.
    """
    first = len(page_lines)
    while first > 0 and (size := page_lines[first - 1].size) is not None and size <= largest:
        first -= 1
    return list(page_lines[first:]) if first > 0 or whole_page else []


def _unfinished(note: PageNote | None, book: Book) -> bool:
    """Whether a note breaks off in a sentence, so that a whole page may go on with it."""
    return note is not None and not SENTENCE_END.search(book.lines[note.lines[-1]].words)


def _running_on(notes: Sequence[PageNote], page: int, book: Book) -> PageNote | None:
    """The last note of the page before, which may run on at the foot of ``page``."""
    if notes and book.lines[notes[-1].lines[-1]].page == page - 1:
        return notes[-1]
    return None


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


def _foot_in_sentence(page_lines: Sequence[Line], following: Sequence[Line]) -> list[Line]:
    """Without sizes or a mark in the text: a whole note that stands in a sentence which the next page goes on with.

    Were it text, a sentence that has ended would go on in small letters.
    """
    if (
        not following
        or not _GOES_ON.match(following[0].words)
        or not SENTENCE_END.search(page_lines[-1].words)
    ):
        return []
    count = len(page_lines)
    for at in range(max(1, count - _DEPTH), count):
        if (
            _RULE.fullmatch(page_lines[at].words)
            and at + 1 < count
            and _NUMBERED.match(page_lines[at + 1].words)
        ):
            return list(page_lines[at + 1 :])
        if _NUMBERED.match(page_lines[at].words) and not SENTENCE_END.search(page_lines[at - 1].words):
            return list(page_lines[at:])
    return []


def _hangs_on_a_word(number: str, lines: Sequence[Line]) -> bool:
    """Whether ``number`` is glued to a word or stop in one of ``lines``, as a mark is that lost its height."""
    glued = regex.compile(rf"(?:\p{{L}}{{3}}|[\p{{L}}][.,;:!?”\"’)])(?:{number}|\[{number}\])(?=[\s.,;:)]|$)")
    return any(glued.search(line.text) for line in lines)


def _divide(
    foot: Sequence[Line],
    page: int,
    notes: list[PageNote],
    raised_starts: set[int],
    running_on: PageNote | None,
    above: Sequence[Line],
) -> None:
    """Divide the lines of a foot into notes; what precedes the first mark goes on with the last page's note."""
    begun: PageNote | None = None
    leading: list[int] = []
    raised = any(line.raw_start in raised_starts for line in foot)
    found: list[PageNote] = []
    for line in foot:
        mark = _mark_of(line, zero=line.raw_start in raised_starts)
        if mark is not None and raised and line.raw_start not in raised_starts and mark.isdigit():
            mark = None  # a year or a number that a line of a note happens to begin with
        if (
            mark is not None
            and line.words.startswith("[")
            and not (
                _stands_in(f"[{mark}]", above)
                or (line is foot[0] and above and _GOES_ON.search(above[-1].words[-1:]))
            )
        ):
            mark = None  # a numbered paragraph
        if mark is not None and (begun is None or _follows(begun.mark, mark)):
            begun = PageNote(mark, page, [line.index])
            found.append(begun)
        elif begun is not None:
            begun.lines.append(line.index)
        else:
            leading.append(line.index)
    if leading and running_on is not None:
        running_on.lines += leading
    elif leading and found and raised:
        found[-1].lines += leading  # typesetters that divide a note badly put its end above its beginning
    notes += found


def _stands_in(mark: str, lines: Sequence[Line]) -> bool:
    """Whether ``mark`` stands in one of ``lines``, behind other text."""
    return any(mark in line.words[1:] for line in lines)


def _mark_of(line: Line, *, zero: bool = False) -> str | None:
    """The mark that ``line`` begins with, if any; a 0 only where ``zero`` allows it, as raised ones are."""
    match = _MARK.match(line.text)
    if not match or (match.end() >= len(line.text.rstrip()) and len(line.words) > 4):
        return None
    mark = next(group for group in match.groups() if group is not None).translate(_SUPERSCRIPTS)
    if mark.isdigit() and int(mark) == 0 and not zero:
        return None
    return mark


def _follows(last: str, mark: str) -> bool:
    """Whether ``mark`` can be the next note's: the next number, or another sign."""
    if last.isdigit() and mark.isdigit():
        return int(mark) == int(last) + 1 or int(mark) == 1
    return last.isdigit() == mark.isdigit()
