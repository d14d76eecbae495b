"""Running heads, running feet and page numbers at the edges of pages.

Evidence is position and repetition: a line at the edge of a page whose words come again at the edge of other
pages, or whose number rises with the pages. Misread letters are forgiven ("MIRR0RS OF NlGHT"), left and
right pages may differ, the number may stand before or after the words. A chapter's title that comes again as
a running head is kept where it opens the chapter.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from jung_pipeline.clean.book import Book, Line
from jung_pipeline.clean.headings import is_contents_line, parse_heading
from jung_pipeline.clean.numerals import roman_numeral, roman_value

#: Lines looked at on each edge of a page.
_DEPTH = 3
_NUMBER_LINE = regex.compile(
    r"[\s\-–—~•·.|*\[\](){}]*(\d{1,4}|[ivxlcIVXLC]{1,8}|(?=\D?\d)[\dlIOSB]{2,3})[\s\-–—~•·.|*\[\](){}]*"
)
_DECORATED = regex.compile(
    r"\s*(?:[-–—~]\s*(?:\d{1,4}|[ivxlc]{1,8})\s*[-–—~]|(?:page|seite|p\.|S\.) \d{1,4}(?: (?:of|von) \d+)?)\s*",
    regex.IGNORECASE,
)
_NUMBER_FIRST = regex.compile(r"^[\s\[(]*([\dlIO|]{1,4}|[ivxlc]{1,7})[\])]?[\s|.·•—–-]+(?=\S)")
_NUMBER_LAST = regex.compile(r"(?<=\S)[\s|.·•—–-]+[\[(]?([\dlIO|]{1,4}|[ivxlc]{1,7})[\])]?[\s.]*$")
_CONFUSED = str.maketrans(
    {"0": "O", "1": "I", "L": "I", "|": "I", "!": "I", "5": "S", "8": "B", "6": "G", "Q": "O"}
)
_MISREAD_DIGITS = str.maketrans({"l": "1", "I": "1", "|": "1", "O": "0", "S": "5", "B": "8"})
_NUMBER = regex.compile(r"\d+|[ivxlc]+")
_ROMAN = frozenset("ivxlcIVXLC")
#: Heads are short.
_LONGEST = 90
#: A page number is judged by the pages this near.
_NEAR = 12
#: Share of letters that two readings of one head have in common (Dice coefficient of letter pairs).
_ALIKE = 0.72
#: Shorter words are not misread beyond recognition but others.
_SHORTEST_READING = 6


@dataclass(slots=True)
class _Edge:
    """A line at an edge of a page."""

    line: Line
    top: bool
    depth: int  # 0 is outermost
    numbers: list[tuple[int, bool]]  # (value, is roman) at either end of the line
    words: str  # folded letters without the numbers
    alone: bool  # nothing but the number

    @property
    def page(self) -> int:
        return self.line.page


def find_page_furniture(book: Book) -> None:
    """Give running heads, feet and page numbers their fates, and learn the printed page numbers from them."""
    if not book.paged:
        return
    pages = _pages(book)
    if len(pages) < 2:
        return
    edges = [edge for page_lines in pages.values() for edge in _edges(page_lines)]
    offsets = _number_series(edges, len(pages))
    heads = _repeated_words(edges, len(pages), offsets)
    height = _head_height(edges, heads, offsets, len(pages)) if book.has_boxes else None
    for page_lines in pages.values():
        for top in (True, False):
            _strip(page_lines, top, offsets, heads, book, len(pages), height if top else None)
    _keep_titles(book, edges, heads)
    _learn_labels(book, edges, offsets)


def _pages(book: Book) -> dict[int, list[Line]]:
    """Live lines of each page, top to bottom."""
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in book.live():
        if line.words:
            pages[line.page].append(line)
    if book.has_boxes:
        for page_lines in pages.values():
            page_lines.sort(key=lambda line: line.y0 if line.y0 is not None else 0.0)
    return pages


def _edges(page_lines: Sequence[Line]) -> list[_Edge]:
    count = len(page_lines)
    found = []
    for depth in range(min(_DEPTH, count)):
        found.append(_edge(page_lines[depth], True, depth))
    for depth in range(min(_DEPTH, count - min(_DEPTH, count))):
        found.append(_edge(page_lines[count - 1 - depth], False, depth))
    if count <= _DEPTH:  # a short page: its last lines are its foot as well
        found += [_edge(page_lines[count - 1 - depth], False, depth) for depth in range(count)]
    return found


def _edge(line: Line, top: bool, depth: int) -> _Edge:
    return _Edge(line, top, depth, *_edge_text(line.words))


@functools.lru_cache(maxsize=20_000)
def _edge_text(text: str) -> tuple[list[tuple[int, bool]], str, bool]:
    """Numbers, words and whether there is nothing but a number, of an ``_Edge``."""
    alone = _NUMBER_LINE.fullmatch(text)
    numbers: list[tuple[int, bool]] = []
    rest = text
    if alone or _DECORATED.fullmatch(text):
        token = (alone.group(1) if alone else None) or _NUMBER.findall(text)[0]
        value = _value(token)
        numbers = [value] if value else []
        rest = ""
    elif is_contents_line(text):
        rest = ""
    elif len(text) <= _LONGEST and parse_heading(text) is None:
        for pattern in (_NUMBER_FIRST, _NUMBER_LAST):
            match = pattern.search(rest)
            if match and (value := _value(match.group(1))):
                numbers.append(value)
                rest = rest[match.end() :] if pattern is _NUMBER_FIRST else rest[: match.start()]
    words = _fold(rest)
    if (head := parse_heading(rest)) is not None and head.number is not None:
        words = f"{words}§{head.number}"  # "CHAPTER II" is no misreading of "CHAPTER I"
    return numbers, words, bool(alone) or bool(_DECORATED.fullmatch(text))


def _value(token: str) -> tuple[int, bool] | None:
    if _ROMAN.issuperset(token):
        value = roman_value(token.lower())
        if value:
            return value, True
    digits = token.translate(_MISREAD_DIGITS)
    return (int(digits), False) if digits.isdigit() and any(char.isdigit() for char in token) else None


def _fold(text: str) -> str:
    """Letters only, capitals, with what scanners confuse made one."""
    return "".join(filter(str.isalpha, text.upper().translate(_CONFUSED)))


def _number_series(edges: Sequence[_Edge], pages: int) -> dict[tuple[int, bool], set[int]]:
    """Differences between printed and position page, with the pages that show each; only those to be trusted."""
    votes: dict[tuple[int, bool], set[int]] = defaultdict(set)
    for edge in edges:
        for value, roman in edge.numbers:
            votes[(value - edge.page, roman)].add(edge.page)
    least = 2 if pages <= 6 else 3
    return {offset: on for offset, on in votes.items() if len(on) >= least and _dense(on, least)}


def _dense(on: set[int], least: int) -> bool:
    """Whether ``least`` of the pages lie close together, as pages of one series do."""
    ordered = sorted(on)
    return any(ordered[i + least - 1] - ordered[i] <= 3 * least + 2 for i in range(len(ordered) - least + 1))


def _agrees(edge: _Edge, offsets: dict[tuple[int, bool], set[int]], *, least: int = 1) -> bool:
    """Whether a number of the line is the one that its page should bear.

    Args:
        edge: the line.
        offsets: of :func:`_number_series`.
        least: so many pages around must show the same series; notes are counted as well as pages.
    """
    for value, roman in edge.numbers:
        on = offsets.get((value - edge.page, roman))
        if on is None:
            continue
        near = sum(page in on for page in range(edge.page - _NEAR, edge.page + _NEAR + 1))
        if near - (edge.page in on) >= least:
            return True
    return False


def _repeated_words(
    edges: Sequence[_Edge], pages: int, offsets: dict[tuple[int, bool], set[int]]
) -> dict[str, str]:
    """Folded words at page edges → the reading they count as, for those that are running heads."""
    where: dict[str, set[int]] = defaultdict(set)
    at_top: set[str] = set()
    numbered: Counter[str] = Counter()
    for edge in edges:
        if len(edge.words) >= 3 and len(edge.line.words) <= _LONGEST and not _like_prose(edge.line.words):
            where[edge.words].add(edge.page)
            if edge.top:
                at_top.add(edge.words)
            numbered[edge.words] += _agrees(edge, offsets)
    centres: list[tuple[str, int, int, int]] = []
    bits: dict[str, int] = {}
    reading: dict[str, str] = {}
    for words in sorted(where, key=lambda w: (-len(where[w]), w)):
        pairs = _pairs(words, bits)
        centre = _centre_of(words, pairs, centres)
        if centre is None and (len(where[words]) >= 2 or numbered[words] or pages <= 12):
            centre = words
            if len(centres) < 400:
                centres.append((words, pairs, len(words), pairs.bit_count()))
        if centre is not None:
            reading[words] = centre
    tops = {centre for words, centre in reading.items() if words in at_top}
    total: dict[str, set[int]] = defaultdict(set)
    with_number: Counter[str] = Counter()
    for words, centre in reading.items():
        total[centre] |= where[words]
        with_number[centre] += numbered[words]
    least = 2 if pages <= 6 else 3
    accepted = {
        centre
        for centre, on in total.items()
        if (len(on) >= least and _dense(on, least)) or (len(on) >= 2 and with_number[centre] >= 1)
        # At the foot stand notes, which quote the same works again and again.
        if centre in tops or len(on) >= max(least, 0.08 * pages)
    }
    return {words: centre for words, centre in reading.items() if centre in accepted}


def _like_prose(text: str) -> bool:
    """Whether a line is a piece of a sentence rather than a title: many words, most of them small."""
    words = text.split()
    return len(words) >= 8 and sum(word[0].islower() for word in words) >= 0.8 * len(words)


def _pairs(words: str, bits: dict[str, int]) -> int:
    """The pairs of letters in ``words`` as a set of bits, by ``bits``; one that comes again has another bit."""
    seen: dict[str, int] = {}
    pairs = 0
    for at in range(len(words) - 1):
        pair = words[at : at + 2]
        seen[pair] = times = seen.get(pair, 0) + 1
        pairs |= 1 << bits.setdefault(f"{pair}{times}" if times > 1 else pair, len(bits))
    return pairs


def _centre_of(words: str, pairs: int, centres: Sequence[tuple[str, int, int, int]]) -> str | None:
    """The first of ``centres`` (words, pairs, how many letters and pairs) that ``words`` are another reading of."""
    length, own = len(words), pairs.bit_count()
    if length < _SHORTEST_READING or "§" in words:
        return None
    for centre, its, letters, count in centres:
        longer, shorter = (length, letters) if length > letters else (letters, length)
        if shorter < _SHORTEST_READING or shorter < 0.75 * longer:
            continue
        if 2 * (pairs & its).bit_count() / (own + count) >= _ALIKE and "§" not in centre:
            return centre
    return None


def _strip(
    page_lines: list[Line],
    top: bool,
    offsets: dict[tuple[int, bool], set[int]],
    heads: dict[str, str],
    book: Book,
    pages: int,
    height: float | None,
) -> None:
    """Take furniture from one edge of a page inward, until a line is text.

    ``height`` is where heads stand, where boxes tell: what stands there is one even if it comes only once.
    """
    ordered = page_lines if top else page_lines[::-1]
    least = 1 if pages <= 6 else max(2, min(8, pages // 4))
    numbered = False  # an edge bears the page's number once; another is text
    taken: set[str] = (
        set()
    )  # a head's words come once at an edge; again, they are the title they are taken from
    for depth, line in enumerate(ordered[:_DEPTH]):
        if line.fate is not None:
            continue
        edge = _edge(line, top, depth)
        if edge.alone:
            bare = not _DECORATED.fullmatch(line.words)
            if bare and numbered:
                return
            # The file itself may say what number the page bears.
            own = line.label is not None and line.words.strip("-–—.[]() ").lower() == line.label.lower()
            if bare and not (own or _agrees(edge, offsets) or _far_from_text(ordered, depth, book)):
                return
            line.fate = "page_number"
            numbered = True
        elif (
            edge.words in heads
            or (
                height is not None
                and line.y0 is not None
                and abs(line.y0 - height) < 1.5
                and len(line.words) <= _LONGEST
            )
        ) or (
            edge.numbers and _agrees(edge, offsets, least=least) and depth == 0 and _like_a_head(line.words)
        ):
            if _larger_than_text(line, book) or (edge.words and heads.get(edge.words, edge.words) in taken):
                return
            taken.add(heads.get(edge.words, edge.words))
            line.fate = "running_head"
            numbered = numbered or _agrees(edge, offsets)
        else:
            return


def _head_height(
    edges: Sequence[_Edge], heads: dict[str, str], offsets: dict[tuple[int, bool], set[int]], pages: int
) -> float | None:
    """The height at which the heads of most pages stand, in points from the top."""
    heights: dict[int, set[int]] = defaultdict(set)
    for edge in edges:
        if (
            edge.top
            and edge.line.y0 is not None
            and (edge.words in heads or (edge.alone and _agrees(edge, offsets)))
        ):
            heights[round(edge.line.y0)].add(edge.page)
    if not heights:
        return None
    best = max(heights, key=lambda height: len(heights[height]))
    return float(best) if len(heights[best]) >= max(5, 0.4 * pages) else None


def _like_a_head(text: str) -> bool:
    """Whether a line with the page's number is a title beside it and not a sentence that has a number."""
    words = regex.sub(r"^[\W\d]+|[\W\d]+$", "", text)
    if not words or len(words) > 70:
        return False
    if words.isupper():
        return True
    longer = [word for word in regex.findall(r"\p{L}+", words) if len(word) > 3]
    return bool(longer) and all(word[0].isupper() for word in longer)


def _far_from_text(ordered: Sequence[Line], depth: int, book: Book) -> bool:
    """Whether a line stands clearly apart from the next one inward (boxes needed)."""
    if not book.has_boxes or depth + 1 >= len(ordered):
        return False
    line, inner = ordered[depth], ordered[depth + 1]
    if line.y0 is None or inner.y0 is None or line.y1 is None or inner.y1 is None:
        return False
    gap = max(inner.y0 - line.y1, line.y0 - inner.y1)
    return gap > 1.2 * (line.y1 - line.y0)


def _larger_than_text(line: Line, book: Book) -> bool:
    """Whether a line is set like a heading: clearly larger than the text."""
    return bool(line.size and book.body_size and line.size >= 1.25 * book.body_size)


def _keep_titles(book: Book, edges: Sequence[_Edge], heads: dict[str, str]) -> None:
    """Give a running head's first appearance back if it opens a chapter: no number, and apart from the text."""
    seen: set[str] = set()
    for edge in sorted(edges, key=lambda edge: edge.line.index):
        centre = heads.get(edge.words)
        if centre is None or centre in seen:
            continue
        seen.add(centre)
        line = edge.line
        if line.fate != "running_head" or edge.numbers or not edge.top:
            continue
        following = next((other for other in book.lines[line.index + 1 :] if other.fate is None), None)
        if following is None or following.page != line.page or book.has_boxes:
            continue
        if following.gap > 0:
            line.fate = None


def _learn_labels(book: Book, edges: Sequence[_Edge], offsets: dict[tuple[int, bool], set[int]]) -> None:
    """Printed page numbers for the pages between those that show theirs, one series at a time."""
    if any(page.label for page in book.info.pages) or any(line.label for line in book.lines):
        return
    shown: dict[int, tuple[int, bool]] = {}
    for edge in edges:
        if edge.line.fate in ("page_number", "running_head"):
            for value, roman in edge.numbers:
                if (value - edge.page, roman) in offsets:
                    shown.setdefault(edge.page, (value - edge.page, roman))
    pages = sorted(shown)
    for page, following in zip(pages, [*pages[1:], None], strict=False):
        offset, roman = shown[page]
        last = following if following is not None and shown[following] == shown[page] else page + 1
        for between in range(page, last):
            book.labels[between] = roman_numeral(between + offset).lower() if roman else str(between + offset)
