"""Breaking paragraphs into lines: characters with their fonts, words, justified lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from jung_pipeline.demo.book import Run
from jung_pipeline.demo.hyphenation import break_points

#: Width of a character: (font, character) -> width at a size of one point. Fonts: roman, italic, bold, greek.
Advance = Callable[[str, str], float]

#: A line is parted with a hyphen only where its gaps would grow by more than this share of the type size.
_LOOSE = 0.07
_MAX_HYPHENS_IN_A_ROW = 2


class Char(NamedTuple):
    """A character as it is set."""

    text: str
    font: str
    size: float
    rise: float = 0.0  # points above the baseline; note marks are raised
    mark: bool = False  # part of a note mark, not of the words


Word = tuple[Char, ...]


@dataclass(frozen=True)
class Split:
    """A word parted between a line and the next."""

    head: str  # with the hyphen
    tail: str
    word: str  # whole, as it is written


@dataclass
class BrokenLine:
    """The words of one line, and how it ends."""

    words: list[Word]
    split: Split | None = None
    last: bool = False  # of its paragraph: not justified
    continued: bool = False  # begins with the rest of a parted word


@dataclass(frozen=True)
class Piece:
    """Text in one font, to be drawn at one place."""

    x: float
    text: str
    font: str
    size: float
    width: float  # natural, without the stretching of spaces
    rise: float = 0.0
    mark: bool = False


@dataclass
class Line:
    """A line of a page, ready to be drawn. Coordinates in points from the top left; y is the baseline."""

    role: str  # title | imprint | contents | heading | body | quotation | verse | footnote | index | head | number
    y: float
    pieces: list[Piece]
    words: list[tuple[float, float, Word]] = field(default_factory=list)  # x, width, word
    word_space: float = 0.0  # added to every space
    tracking: float = 0.0  # added to every character
    item: int | None = None  # position of its true paragraph
    split: Split | None = None
    continued: bool = False  # begins with the rest of a parted word

    @property
    def text(self) -> str:
        """As printed, note marks and all."""
        return " ".join("".join(c.text for c in word) for _, _, word in self.words)


def characters(runs: Sequence[Run], size: float, base: str = "roman") -> list[Char]:
    """``runs`` character by character; what the Latin fonts lack is set in the Greek one."""
    chars: list[Char] = []
    for run in runs:
        if run.style == "noteref":
            chars.extend(Char(c, base, size * 0.65, size * 0.33, True) for c in run.text)
            continue
        font = "italic" if run.style == "italic" else base
        chars.extend(Char(c, font if in_latin_font(c) else "greek", size) for c in run.text)
    return chars


def in_latin_font(character: str) -> bool:
    """Whether the built-in fonts, which are set in Windows-1252, have ``character``."""
    try:
        character.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def words_of(chars: Sequence[Char]) -> list[Word]:
    """``chars`` divided at white space."""
    words: list[Word] = []
    word: list[Char] = []
    for char in chars:
        if char.text.isspace():
            if word:
                words.append(tuple(word))
            word = []
        else:
            word.append(char)
    if word:
        words.append(tuple(word))
    return words


def width(word: Sequence[Char], advance: Advance, tracking: float = 0.0) -> float:
    """Width of ``word`` in points."""
    return sum(advance(c.font, c.text) * c.size + tracking for c in word)


def break_lines(
    words: Sequence[Word],
    advance: Advance,
    measure: float,
    *,
    indent: float = 0.0,
    hyphenate: bool = True,
    tracking: float = 0.0,
) -> list[BrokenLine]:
    """``words`` in lines no wider than ``measure`` points, the first one shorter by ``indent``.

    Greedy: each line takes what it can, and part of the next word where it would be too loose without.
    """
    lines: list[BrokenLine] = []
    queue = list(reversed(words))
    hyphens = 0
    while queue:
        room = measure - (indent if not lines else 0.0)
        size = max(char.size for char in queue[-1])
        gap = advance("roman", " ") * size + tracking
        line: list[Word] = []
        used = 0.0
        while queue and (not line or used + gap + width(queue[-1], advance, tracking) <= room):
            used += (gap if line else 0.0) + width(queue[-1], advance, tracking)
            line.append(queue.pop())
        broken = BrokenLine(line, last=not queue, continued=hyphens > 0)
        loose = queue and len(line) > 1 and (room - used) / (len(line) - 1) > _LOOSE * size
        if hyphenate and loose and hyphens < _MAX_HYPHENS_IN_A_ROW:
            parted = _part(queue[-1], advance, room - used - gap)
            if parted is not None:
                head, tail, broken.split = parted
                broken.words.append(head)
                queue[-1] = tail
        hyphens = hyphens + 1 if broken.split else 0
        lines.append(broken)
    return lines


def _part(word: Word, advance: Advance, room: float) -> tuple[Word, Word, Split] | None:
    """``word`` parted so that as much as possible of it fits into ``room`` points."""
    text = "".join(c.text for c in word)
    for point in reversed(break_points(text)):
        own_hyphen = text[point - 1] == "-"
        hyphen = () if own_hyphen else (word[point - 1]._replace(text="-"),)
        head = (*word[:point], *hyphen)
        if width(head, advance) <= room:
            spoken = "".join(c.text for c in word if not c.mark)
            tail = "".join(c.text for c in word[point:] if not c.mark)
            return head, word[point:], Split("".join(c.text for c in head), tail, spoken)
    return None


def set_line(
    broken: BrokenLine,
    advance: Advance,
    *,
    role: str,
    x: float,
    measure: float,
    justify: bool = True,
    centre: bool = False,
    tracking: float = 0.0,
    item: int | None = None,
) -> Line:
    """``broken`` put in its place between ``x`` and ``x + measure``; its ``y`` is set later."""
    gaps = len(broken.words) - 1
    size = max((char.size for word in broken.words for char in word), default=0.0)
    gap = advance("roman", " ") * size + tracking
    natural = sum(width(word, advance, tracking) for word in broken.words) + gap * gaps
    stretch = (measure - natural) / gaps if justify and gaps and not broken.last else 0.0
    if centre:
        x += (measure - natural) / 2
    placed: list[tuple[float, float, Word]] = []
    for word in broken.words:
        extent = width(word, advance, tracking)
        placed.append((x, extent, word))
        x += extent + gap + stretch
    return Line(
        role=role,
        y=0.0,
        pieces=pieces_of(placed, advance, tracking),
        words=placed,
        word_space=stretch,
        tracking=tracking,
        item=item,
        split=broken.split,
        continued=broken.continued,
    )


def pieces_of(
    placed: Sequence[tuple[float, float, Word]], advance: Advance, tracking: float = 0.0
) -> list[Piece]:
    """The fewest pieces that draw the words: a new one only where font, size or height change."""
    pieces: list[Piece] = []
    for position, (x, _, word) in enumerate(placed):
        for start, group in _same_font(word):
            head = group[0]
            here = x + width(word[:start], advance, tracking)
            text = "".join(c.text for c in group)
            extent = width(group, advance, tracking)
            previous = pieces[-1] if pieces else None
            joins = start == 0 and position and previous is not None and head.font != "greek"
            if joins and previous is not None and (previous.font, previous.size) == (head.font, head.size):
                extent += previous.width + advance(head.font, " ") * head.size + tracking
                pieces[-1] = Piece(
                    previous.x, f"{previous.text} {text}", head.font, head.size, extent, head.rise, head.mark
                )
            else:
                if start == 0 and previous is not None and previous.font != "greek" and not previous.mark:
                    pieces[-1] = Piece(
                        previous.x,
                        previous.text + " ",
                        previous.font,
                        previous.size,
                        previous.width,
                        previous.rise,
                    )
                pieces.append(Piece(here, text, head.font, head.size, extent, head.rise, head.mark))
    return pieces


def _same_font(word: Word) -> list[tuple[int, Word]]:
    """``word`` divided where the font changes, with the position of each part."""
    groups: list[tuple[int, Word]] = []
    start = 0
    for i in range(1, len(word) + 1):
        if i == len(word) or word[i][1:] != word[start][1:]:
            groups.append((start, word[start:i]))
            start = i
    return groups
