"""Marks in plain text: emphasis written with signs, printed page numbers kept in brackets.

Project Gutenberg writes italics as ``_so_``, bold as ``=so=``, letter-spacing as ``~so~``, ``#so#`` or ``_so_``,
raised letters as ``^{so}``, lowered ones as ``_{so}``. The signs stay in the raw text; a mark of kind
``emphasis_mark`` covers each, so that the cleaner can take them out with a reason, and a mark ``italic``,
``bold``, ``superscript`` or ``subscript`` covers what stands between them (letter-spacing has none: it
says nothing about the face).

Printed page numbers appear as ``{12}``, ``[Pg 12]``, ``[S. 12]`` or ``[12]`` alone on a line. One number in
brackets may be anything; a rising sequence of them is a pagination.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

#: (start, end, kind, target): see ``schemas.MARK``.
Mark = tuple[int, int, str, str | None]

#: Sign → kind of the stretch between two of them.
_SIGNS = {"_": "italic", "=": "bold", "~": None, "#": None}

#: A sign that may open or close: not doubled, and not between blanks.
_SIGN = regex.compile(r"(?<![_=~#])([_=~#])(?![_=~#])")
_RAISED = regex.compile(r"([\^_])\{([^{}\n]{1,40})\}")

_WITH_WORD = regex.compile(
    r"[\[{(]\s*(?:Pg|Page|p\.|pp\.|S\.|Seite|P\.)\s*(\d{1,4}[a-z]?|[ivxlcdm]{1,8})\s*[\]})]",
    flags=regex.IGNORECASE,
)
_IN_BRACES = regex.compile(r"\{\s*(\d{1,4}|[ivxlcdm]{1,8})\s*\}")
_ALONE = regex.compile(r"^\s*[\[(]\s*(\d{1,4}|[ivxlcdm]{1,8})\s*[\])]\s*$")

#: So many numbers make a sequence: with a word such as "Pg" they explain themselves.
_ENOUGH = {"word": 3, "braces": 5, "alone": 5}

#: Mean step between neighbours up to which a rising chain is a pagination, not references to pages.
_STEP = 4

#: Share of the numbers that must lie on one rising chain.
_RISING = 0.9

_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def emphasis_marks(lines: Sequence[str]) -> list[list[Mark]]:
    """The marks of emphasis in the lines of one paragraph, which may run from line to line."""
    marks: list[list[Mark]] = [[] for _ in lines]
    taken = _mark_raised(lines, marks)
    for sign, kind in _SIGNS.items():
        opened: tuple[int, int] | None = None
        for at in _places_of(sign, lines, taken):
            line = lines[at[0]]
            if opened is not None and _closes(line, at[1], sign):
                _cover(lines, marks, opened, at, kind)
                opened = None
            elif _opens(line, at[1], sign):
                opened = at  # one before it had no end
    for row_marks in marks:
        row_marks.sort()
    return marks


def _mark_raised(lines: Sequence[str], marks: list[list[Mark]]) -> set[tuple[int, int]]:
    """Mark ``^{…}`` and ``_{…}``; (row, offset) of their signs."""
    taken = set()
    for row, line in enumerate(lines):
        for found in _RAISED.finditer(line) if "{" in line else ():
            start, end = found.span(2)
            marks[row] += [
                (found.start(), start, "emphasis_mark", None),
                (start, end, "superscript" if found.group(1) == "^" else "subscript", None),
                (end, found.end(), "emphasis_mark", None),
            ]
            taken.add((row, found.start()))
    return taken


def _places_of(sign: str, lines: Sequence[str], taken: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """(row, offset) of every ``sign`` that may be a mark."""
    for row, line in enumerate(lines):
        for found in _SIGN.finditer(line) if sign in line else ():
            if found.group(1) == sign and (row, found.start()) not in taken:
                yield row, found.start()


def _opens(line: str, at: int, sign: str) -> bool:
    before, after = line[at - 1 : at], line[at + 1 : at + 2]
    if not after or after.isspace():
        return False
    # "a=b" is a formula; "_" may begin inside a word, as in "Un_bewusst_".
    return not (before.isalnum() and (sign != "_" or not after.isalpha()))


def _closes(line: str, at: int, sign: str) -> bool:
    before, after = line[at - 1 : at], line[at + 1 : at + 2]
    if not before or before.isspace():
        return False
    return not (after.isalnum() and (sign != "_" or not after.isalpha()))


def _cover(
    lines: Sequence[str],
    marks: list[list[Mark]],
    opened: tuple[int, int],
    closed: tuple[int, int],
    kind: str | None,
) -> None:
    """Mark both signs, and the stretch between them on each line."""
    for row, at in (opened, closed):
        marks[row].append((at, at + 1, "emphasis_mark", None))
    if kind is None:
        return
    for row in range(opened[0], closed[0] + 1):
        line = lines[row]
        start = opened[1] + 1 if row == opened[0] else len(line) - len(line.lstrip())
        end = closed[1] if row == closed[0] else len(line.rstrip())
        if start < end:
            marks[row].append((start, end, kind, None))


# --------------------------------------------------------------------------------------------------
# printed page numbers
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Candidate:
    row: int
    start: int
    end: int
    label: str
    value: int
    roman: bool


def page_marks(lines: Sequence[str]) -> dict[int, list[Mark]]:
    """Row → ``pagebreak`` marks, for the numbers that make a pagination."""
    found: dict[str, list[_Candidate]] = {"word": [], "braces": [], "alone": []}
    for row, line in enumerate(lines):
        if "[" not in line and "{" not in line and "(" not in line:
            continue
        for pattern, way in ((_WITH_WORD, "word"), (_IN_BRACES, "braces"), (_ALONE, "alone")):
            for match in pattern.finditer(line):
                if way == "braces" and match.start() and line[match.start() - 1] in "^_":
                    continue
                candidate = _candidate(row, match)
                if candidate:
                    found[way].append(candidate)
    for way in ("word", "braces", "alone"):
        chain = _rising(found[way])
        if (
            len(chain) >= _ENOUGH[way]
            and len(chain) >= _RISING * len(found[way])
            and _is_dense([p for p in chain if not p.roman] or chain)
        ):
            marks: dict[int, list[Mark]] = {}
            for page in chain:
                marks.setdefault(page.row, []).append((page.start, page.end, "pagebreak", page.label))
            return marks
    return {}


def _candidate(row: int, match: regex.Match[str]) -> _Candidate | None:
    label = match.group(1)
    value = page_value(label)
    if value is None:
        return None
    start, end = match.start(), match.end()
    text = match.group(0)
    start += len(text) - len(text.lstrip())
    end -= len(text) - len(text.rstrip())
    return _Candidate(row, start, end, label, value, not label[0].isdigit())


def page_value(label: str) -> int | None:
    """The number of a printed page, "12", "12a" or "xii"; ``None`` if it is none."""
    digits = regex.match(r"\d+", label)
    if digits:
        return int(digits.group(0))
    if not regex.fullmatch(r"m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})", label.lower()):
        return None
    values = [_ROMAN[char] for char in label.lower()]
    return sum(-v if v < n else v for v, n in zip(values, [*values[1:], 0], strict=True)) or None


def _rising(pages: list[_Candidate]) -> list[_Candidate]:
    """The roman chain and the arabic chain after it, each the longest that rises."""
    return [
        *_longest_rise([p for p in pages if p.roman]),
        *_longest_rise([p for p in pages if not p.roman]),
    ]


def _is_dense(chain: list[_Candidate]) -> bool:
    """Whether a rising chain counts pages one by one, a few missing."""
    return chain[-1].value - chain[0].value <= _STEP * (len(chain) - 1)


def _longest_rise(pages: list[_Candidate]) -> list[_Candidate]:
    """The longest strictly rising subsequence by value (patience sorting, O(n log n))."""
    tails: list[int] = []
    tail_index: list[int] = []
    before: list[int | None] = []
    for index, page in enumerate(pages):
        at = bisect_left(tails, page.value)
        before.append(tail_index[at - 1] if at else None)
        if at == len(tails):
            tails.append(page.value)
            tail_index.append(index)
        else:
            tails[at] = page.value
            tail_index[at] = index
    chain: list[_Candidate] = []
    current: int | None = tail_index[-1] if tail_index else None
    while current is not None:
        chain.append(pages[current])
        current = before[current]
    return chain[::-1]
