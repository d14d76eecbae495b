"""Where paragraphs end: from boxes on the page, or from blanks, indents and line lengths of a text file."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import regex

from jung_pipeline.clean.book import Book, Line
from jung_pipeline.clean.headings import is_contents_line, parse_heading

SENTENCE_END = regex.compile(r"[.!?…]['\"”’»›)\]*]*$")
#: No text file is set narrower (characters).
_NARROWEST = 55
#: Left and right pages have margins of their own where so many lines show them.
_ENOUGH_LINES = 40
#: So many lines show how wide a column is.
_FULL_COLUMN = 10
#: What no line of verse ends with: a word or a range of numbers that goes on in the next.
_BROKEN_WORD = regex.compile(r"(?:(?<=\p{L})[-¬]|(?<=\d)[-–])$")
#: A note's or a list's mark at the beginning of a line.
_LED = regex.compile(r"(?:\[\d{1,4}\]|[*†‡]{1,3})\s?[\p{Lu}\"“‘«„(]")
_OPENS_LOWER = regex.compile(r"^['\"“‘«(\[]*\p{Ll}")
_OPENS_UPPER = regex.compile(r"^['\"“”‘’«»„‚(\[—–-]*[\p{Lu}\d]")


@dataclass(frozen=True, slots=True)
class Frame:
    """The column a line stands in: its left and right edge and the usual distance of base lines, in points."""

    left: float
    right: float
    pitch: float


def frames(lines: Sequence[Line]) -> dict[int, Frame]:
    """For each line (by index) of a volume with boxes the column it stands in."""
    by_page: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        if line.x0 is not None and line.x1 is not None:
            by_page[line.page].append(line)
    pitches = Counter(_pitches(lines))
    pitch = float(pitches.most_common(1)[0][0]) if pitches else 14.0
    lefts: dict[int, list[float]] = {}
    everywhere: dict[int, Counter[int]] = {0: Counter(), 1: Counter()}
    for page, page_lines in by_page.items():
        counts = Counter([round(line.x0) for line in page_lines if line.x0 is not None])
        everywhere[page % 2].update(counts)
        least = max(3, 0.2 * len(page_lines))
        near = counts.get
        lefts[page] = sorted(x for x, n in counts.items() if n + near(x + 1, 0) + near(x - 1, 0) >= least)
    both = everywhere[0] + everywhere[1]
    usual = {
        parity: (counts if counts.total() >= _ENOUGH_LINES else both).most_common(1)[0][0] if both else 0
        for parity, counts in everywhere.items()
    }
    columns = {page: _columns(lefts[page] or [usual[page % 2]], usual[page % 2]) for page in by_page}
    rights: dict[tuple[int, float], tuple[int, float]] = {}
    for page, page_lines in by_page.items():
        for column in columns[page]:
            alone = len(columns[page]) == 1
            ends = sorted(
                [
                    x
                    for line in page_lines
                    if (x := line.x1) is not None and (alone or _column(line, columns[page]) == column)
                ]
            )
            if ends:
                rights[page, column] = (len(ends), ends[min(len(ends) - 1, int(0.9 * len(ends)))])
    widths = [right - column for (_, column), (count, right) in rights.items() if count >= _FULL_COLUMN]
    width = (
        median(widths)
        if widths
        else max((right - left for (_, left), (_, right) in rights.items()), default=0)
    )
    found: dict[int, Frame] = {}
    for page, page_lines in by_page.items():
        its: dict[float, Frame] = {}
        for column in columns[page]:
            if (page, column) in rights:
                count, right = rights[page, column]
                right = right if count >= _FULL_COLUMN else max(right, column + width)
                its[column] = Frame(column, right, pitch)
        if len(columns[page]) == 1:
            found.update(dict.fromkeys([line.index for line in page_lines], its[columns[page][0]]))
        else:
            found.update((line.index, its[_column(line, columns[page])]) for line in page_lines)
    return found


def _pitches(lines: Sequence[Line]) -> list[float]:
    """Distances from line to line within pages, in whole points, as far as they may be those of running text."""
    heights = np.array([np.nan if line.y0 is None else line.y0 for line in lines], dtype=np.float64)
    pages = np.array([line.page for line in lines], dtype=np.int64)
    steps = np.diff(heights)[np.diff(pages) == 0]
    return np.round(steps[(steps > 4) & (steps < 60)]).tolist()


def _columns(edges: Sequence[float], usual: float) -> list[float]:
    """Left edges of columns: an edge close to the right of another is an indent."""
    columns = [x for i, x in enumerate(edges) if i == 0 or x - edges[i - 1] > 60]
    if len(columns) == 1 and usual < columns[0] <= usual + 60:
        return [usual]  # a page of nothing but indented lines
    return columns


def _column(line: Line, columns: Sequence[float]) -> float:
    assert line.x0 is not None
    fitting = [x for x in columns if x <= line.x0 + 3]
    return fitting[-1] if fitting else columns[0]


def mark_verse(book: Book, lines: Sequence[Line], framed: dict[int, Frame]) -> set[int]:
    """Indices of the lines of verse: runs of short lines, set in, most of them beginning with a capital."""
    verse: set[int] = set()
    run: list[Line] = []
    width = max(_text_width(lines), _NARROWEST)
    for line in lines:
        possible = _may_be_verse(line, framed.get(line.index), width)
        if possible and _goes_on(run, line):
            run.append(line)
            continue
        if len(run) > 1:
            verse.update(_verse_of(run, framed, width))
        run = [line] if possible else []
    verse.update(_verse_of(run, framed, width))
    return verse


def _text_width(lines: Sequence[Line]) -> int:
    """Length of the full lines of a text file."""
    lengths = sorted([len(line.words) for line in lines if not line.text[:1].isspace()])
    return lengths[min(len(lengths) - 1, int(0.9 * len(lengths)))] if lengths else 72


def _goes_on(run: Sequence[Line], line: Line) -> bool:
    return not run or (line.gap == 0 or (line.y0 is not None and line.page == run[-1].page))


def _may_be_verse(line: Line, frame: Frame | None, width: int) -> bool:
    if line.note is not None or line.element is not None:
        return False
    if frame is not None:
        assert line.x0 is not None and line.x1 is not None
        return line.x0 > frame.left + 8 and line.x1 < frame.right - 0.08 * (frame.right - frame.left)
    return len(line.words) <= 0.86 * width


def _verse_of(run: Sequence[Line], framed: dict[int, Frame], width: int) -> list[int]:
    if len(run) < 2:
        return []
    set_in = all(line.index in framed or line.indent >= 2 for line in run)
    capitals = sum(bool(_OPENS_UPPER.match(line.words)) for line in run) / len(run)
    if any(line.index not in framed and _BROKEN_WORD.search(line.words) for line in run[:-1]):
        return []  # a typesetter's lines, not a poet's
    if not set_in and (len(run) < 4 or capitals < 0.9 or max(len(line.words) for line in run) > 0.75 * width):
        return []
    if capitals < 0.6 or sum(bool(SENTENCE_END.search(line.words)) for line in run) > 0.7 * len(run):
        return []  # speeches, each a line long
    if len(run) <= 3 and framed:
        lefts = [line.x0 for line in run if line.x0 is not None]
        if capitals < 1.0 or max(lefts) - min(lefts) > 3:
            return []  # the end of one paragraph and the beginning of the next
    if any(parse_heading(line.words) for line in run):
        return []
    # Lines broken on purpose: the next line's first word would have fitted.
    fits = 0
    for line, following in itertools.pairwise(run):
        first = following.words.split(" ", 1)[0]
        frame = framed.get(line.index)
        if frame is not None and line.x0 is not None and line.x1 is not None:
            per_char = (line.x1 - line.x0) / max(1, len(line.words))
            fits += line.x1 + per_char * (len(first) + 1) < frame.right
        else:
            fits += line.indent + len(line.words) + 1 + len(first) <= width - 3
    return [line.index for line in run] if fits >= 0.7 * (len(run) - 1) else []


def breaks_between(before: Line, after: Line, book: Book, framed: dict[int, Frame], indents: bool) -> bool:
    """Whether a new paragraph begins with ``after``."""
    if before.element is not None or after.element is not None:
        return before.block != after.block
    if framed:
        return _breaks_by_boxes(before, after, book, framed, indents)
    if before.page != after.page:
        return _breaks_over_page(before, after, book)
    if after.gap > 0 or (_LED.match(after.words) and SENTENCE_END.search(before.words)):
        return True
    set_in = 2 <= after.indent <= 8 and before.indent == 0
    return set_in and bool(SENTENCE_END.search(before.words)) and bool(_OPENS_UPPER.match(after.words))


def _breaks_over_page(before: Line, after: Line, book: Book) -> bool:
    """Whether a paragraph ends with the page: it does if its sentence does and the next does not go on."""
    if _OPENS_LOWER.match(after.words):
        return False
    if SENTENCE_END.search(before.words) or is_contents_line(before.words):
        return True
    following = book.lines[after.index + 1] if after.index + 1 < len(book.lines) else None
    stands_alone = following is not None and following.page == after.page and following.gap > 0
    if stands_alone and len(after.words) < 60 and not SENTENCE_END.search(after.words):
        return True  # a title
    return looks_like_heading(before.words) or looks_like_heading(after.words)


def looks_like_heading(text: str) -> bool:
    """Capitals throughout, or a chapter's heading."""
    letters = "".join(filter(str.isalpha, text))
    return (len(letters) >= 4 and letters.isupper() and len(text) < 100) or parse_heading(text) is not None


def uses_indents(lines: Sequence[Line], framed: dict[int, Frame]) -> bool:
    """Whether paragraphs of the volume begin with an indent."""
    indented = sum(
        1
        for line in lines
        if (frame := framed.get(line.index)) and line.x0 is not None and 5 < line.x0 - frame.left < 45
    )
    return indented >= max(3, 0.02 * len(lines))


def _in_other_type(before: Line, after: Line) -> bool:
    """Whether two lines differ in type size, if only a little."""
    return bool(before.size and after.size) and not 0.95 <= (after.size or 1) / (before.size or 1) <= 1.05


def _breaks_by_boxes(before: Line, after: Line, book: Book, framed: dict[int, Frame], indents: bool) -> bool:
    a, b = framed.get(before.index), framed.get(after.index)
    if a is None or b is None:
        return before.block != after.block
    if before.size and after.size and not 0.88 <= after.size / before.size <= 1.14:
        return True
    if before.bold != after.bold and (len(before.words) < 60 or len(after.words) < 60):
        return True
    assert before.x1 is not None and after.x0 is not None
    short = before.x1 < a.right - 0.12 * (a.right - a.left)
    if before.page != after.page or after.y0 is None or before.y0 is None or after.y0 < before.y0 - 2:
        return _breaks_over_columns(before, after, a, after.x0 - b.left, short=short, indents=indents)
    return _breaks_in_column(before, after, a, b, short=short, indents=indents)


def _breaks_over_columns(
    before: Line, after: Line, a: Frame, indent: float, *, short: bool, indents: bool
) -> bool:
    """Whether a paragraph ends with a column or page whose frame is ``a``; ``indent`` of the next line in points."""
    ended = bool(SENTENCE_END.search(before.words))
    if _OPENS_LOWER.match(after.words) and not (short and ended):
        return False
    if looks_like_heading(before.words) or looks_like_heading(after.words):
        return True
    far_short = before.x1 is not None and before.x1 < a.right - 0.3 * (a.right - a.left)
    if ended and (_in_other_type(before, after) or far_short):
        return True  # the last line of a paragraph, whether or not the next is set in
    if indents:
        return 5 < indent < 60 and (ended or short)
    return ended and (short or before.page != after.page)


def _breaks_in_column(before: Line, after: Line, a: Frame, b: Frame, *, short: bool, indents: bool) -> bool:
    """Whether a new paragraph begins with a line in the same column, whose frame is ``b``."""
    assert before.x0 is not None and before.x1 is not None and after.x0 is not None
    assert after.y0 is not None and before.y0 is not None
    gap, indent = after.y0 - before.y0, after.x0 - b.left
    usual = max(b.pitch, 0.9 * (after.size or 0))
    if gap <= 1.45 * usual and not short and not 5 < indent < 60:
        return False  # a full line and the next, whatever they say
    ended = bool(SENTENCE_END.search(before.words))
    goes_on = bool(_OPENS_LOWER.match(after.words))
    if gap > 1.45 * usual:
        return not (goes_on and not ended and gap < 2.5 * usual)
    if goes_on and not ended:
        return False  # a hanging indent
    if 5 < indent < 60 and before.x0 - a.left < 5:
        return True
    if before.x0 - a.left > 5 and abs(after.x0 - before.x0) < 3 and indent < 60:
        return short and ended and indents and indent < 30
    return (
        short
        and ended
        and not goes_on
        and (before.x1 < a.right - 0.25 * (a.right - a.left) or gap > 1.2 * usual)
    )
