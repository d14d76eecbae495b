"""What in a cleaned text still looks wrong: misread words, broken ones, furniture of the page left in.

Nothing here is certain, and nothing is changed: every find says where it stands, so that a person can look. The
kinds are those that readers of scanned books stumble over; each was kept because books set from clean text have
next to none of it (``quality/card_rules.py`` has the figures).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import regex

from jung_pipeline.clean import tokens
from jung_pipeline.quality.leftover_lines import find_lines, find_quotes
from jung_pipeline.quality.leftover_text import WORD_AT, Leftovers, Text
from jung_pipeline.schemas import PARAGRAPH_SEPARATOR

#: Kind of leftover → what it is, for a reader.
KINDS: dict[str, str] = {
    "letters_and_digits": "Letters and digits in one word: 'w0rd', 'th1s'.",
    "capital_inside": "A capital inside a word: 'thE', 'AlleS'.",
    "no_vowel": "A word in small letters without a vowel: 'tbc', 'dcr'.",
    "spaced_letters": "A row of single letters: 's p a c e d'.",
    "lone_symbol": "A sign by itself that no book has there: '|', '^', '«'.",
    "open_hyphen": "A hyphen with a blank behind it, or at the end of a paragraph: 'sym- bol'.",
    "running_head": "A line in the text that was taken out elsewhere as a running head.",
    "repeated_line": "The same line on many pages, in the text.",
    "unbalanced_quotes": "Opening and closing quotation marks of a chapter that do not agree, by many.",
}
#: Kinds that are misread or broken words and dirt, counted against the words; the others are counted by themselves.
MISREAD = frozenset(
    {"letters_and_digits", "capital_inside", "no_vowel", "spaced_letters", "lone_symbol", "open_hyphen"}
)

_LONE = "|\\^~¬¦¶■□◆◊<>{}#_`¤°«»‹›"
_PLAIN_WITH_DIGITS = regex.compile(
    r"(?i:\d+(?:st|nd|rd|th|s|ff?|er[ns]?|ten?|te[rs]|sten?|me|mm|cm|km|kg|mg|pp?|vo|mo|to|a?m|pm|fl|[a-z]))"
    r"|\p{Lu}{1,4}\d+\w{0,2}|[a-zA-Z]\d{1,4}|(?i:(?:pp?|fol|no|vol|fig|n|ch|mp|utf|iso)\d+\w?)"
    r"|(?:\p{Lu}\p{Ll}?\d*)+|\d+\p{Lu}|\d+[dDx]\d*"
)
_NAME_WITH_CAPITAL = regex.compile(
    r"(?:Mac|Mc|Mᶜ|De|Di|Du|Da|Le|La|Van|Von|Fitz|O|D|St|El|Al|Ph|Lit|Dr|Mr|Ms)\p{Lu}\p{L}*|[ei]\p{Lu}\p{Ll}+"
)
#: "OpenOffice", "aRb", "NaCl".
_CAPITALS_MEANT = regex.compile(
    r"\p{Lu}?\p{Ll}+(?:\p{Lu}\p{Ll}{2,})+|\p{Ll}\p{Lu}\p{Ll}|(?:\p{Lu}\p{Ll}?){2,4}"
)
#: Diagrams, formulae and notations stand in these.
_DRAWN = frozenset({"table", "verse", "list"})
_CONSONANTS, _GLUE = "bcdfghjklmnpqrstvwxz", "'’.-/_@&0123456789"
#: Without a vowel and right: abbreviations and sounds. Those with a stop behind them are passed over anyway.
_FINE = frozenset(
    ["hmm", "brr", "pst", "psst", "tsk", "shh", "mss", "ms", "nth", "cwm", "crwth", "phth", "http", "https", "www", "html", "xml", "pdf", "bzw", "vgl", "usw", "dgl", "cm", "mm", "km", "kg", "mg", "ff", "pp", "st", "nd", "rd", "th", "xx", "xxx", "ccc"]
)  # fmt: skip
_SUSPENDED = frozenset(
    ["und", "oder", "and", "or", "nor", "bis", "wie", "als", "et", "to", "sowie", "bzw", "but", "as", "e", "o", "y", "ou", "u", "bezw", "resp", "respektive", "auch", "noch", "rather", "not"]
)  # fmt: skip
_ROMAN = regex.compile(r"[ivxlcdm]+")


def find_leftovers(raw_text: pa.Table, cleaned_text: pa.Table, ledger: pa.Table, *, paged: bool) -> Leftovers:
    """What looks wrong in ``cleaned_text``.

    Args:
        raw_text: the volume's lines.
        cleaned_text: its paragraphs.
        ledger: what was taken out and changed.
        paged: whether its pages are pages of paper, so that lines can be repeated from page to page.
    """
    found = Leftovers()
    if not cleaned_text.num_rows:
        return found
    text = Text(cleaned_text)
    for kind, stretches in (
        ("letters_and_digits", _letters_and_digits(text)),
        ("capital_inside", _capitals_inside(text)),
        ("no_vowel", _no_vowels(text)),
        ("spaced_letters", _spaced_letters(text)),
        ("lone_symbol", _lone_symbols(text)),
        ("open_hyphen", _open_hyphens(text)),
    ):
        for start, end in stretches:
            if kind in ("spaced_letters", "lone_symbol") and text.kind_at(start) in _DRAWN:
                continue
            found.add(kind, partial(text.leftover, kind, start, end))
    if paged:
        find_lines(found, text, raw_text, cleaned_text, ledger)
    find_quotes(found, text)
    return found


def _any_of(points: npt.NDArray[np.uint32], signs: str) -> npt.NDArray[np.bool_]:
    """Where ``signs`` (all of them common) stand."""
    table = np.zeros(0x3000, dtype=bool)
    table[[ord(sign) for sign in signs]] = True
    return table[np.minimum(points, 0x2FFF)]


def _at(where: npt.NDArray[np.bool_]) -> list[int]:
    """Offsets in the text of what is ``True`` in an array that has a blank before it."""
    return (np.flatnonzero(where) - 1).tolist()


def _letters_and_digits(text: Text) -> Iterator[tuple[int, int]]:
    letter, digit = text.letter, text.digit
    beside = np.zeros(len(letter), dtype=bool)
    beside[:-1] = (letter[:-1] & digit[1:]) | (digit[:-1] & letter[1:])
    last = -1
    for at in _at(beside):
        if at < last:
            continue
        start, end, word = text.word_around(at)
        last = end
        if (
            len(word) >= 2
            and not _PLAIN_WITH_DIGITS.fullmatch(word.strip("'’"))
            and not text.glued(start, end)
        ):
            yield start, end


def _capitals_inside(text: Text) -> Iterator[tuple[int, int]]:
    small = text.letter & ~text.capital
    inside = np.zeros(len(small), dtype=bool)
    inside[:-1] = small[:-1] & text.capital[1:]
    last = -1
    for at in _at(inside):
        if at < last:
            continue
        start, end, word = text.word_around(at)
        last = end
        meant = _NAME_WITH_CAPITAL.match(word) or _CAPITALS_MEANT.fullmatch(word)
        if len(word) >= 3 and not meant and not text.glued(start, end):
            yield start, end


def _no_vowels(text: Text) -> Iterator[tuple[int, int]]:
    points = text.points
    consonant = _any_of(points, _CONSONANTS)
    starts, ends = tokens.runs(consonant)
    whole_word = ~text.letter[np.maximum(starts - 1, 0)] & ~text.letter[np.minimum(ends, len(points) - 1)]
    behind = points[np.minimum(ends, len(points) - 1)]
    before = points[np.maximum(starts - 1, 0)]
    glued = _any_of(behind, _GLUE) | _any_of(before, _GLUE)
    for start, end in zip(
        starts[whole_word & ~glued & (ends - starts >= 3)].tolist(),
        ends[whole_word & ~glued & (ends - starts >= 3)].tolist(),
        strict=True,
    ):
        word = text.whole[start - 1 : end - 1]
        if word not in _FINE and not _ROMAN.fullmatch(word):
            yield start - 1, end - 1


def _spaced_letters(text: Text) -> Iterator[tuple[int, int]]:
    alone = np.zeros(len(text.letter), dtype=bool)
    alone[1:-1] = text.letter[1:-1] & text.white[:-2] & text.white[2:]
    at = np.flatnonzero(alone)
    if not len(at):
        return
    parts = np.split(at, np.flatnonzero((np.diff(at) != 2) | (text.points[at[:-1] + 1] != 32)) + 1)
    for row in parts:
        if len(row) >= 4:
            yield int(row[0]) - 1, int(row[-1])


def _lone_symbols(text: Text) -> Iterator[tuple[int, int]]:
    sign = _any_of(text.points, _LONE)
    starts, ends = tokens.runs(sign)
    alone = text.white[np.maximum(starts - 1, 0)] & text.white[np.minimum(ends, len(sign) - 1)]
    for start, end in zip(starts[alone].tolist(), ends[alone].tolist(), strict=True):
        yield start - 1, end - 1


def _open_hyphens(text: Text) -> Iterator[tuple[int, int]]:
    points, small = text.points, text.letter & ~text.capital
    hyphen = (points == ord("-")) | (points == ord("¬"))
    hyphen[1:] &= small[:-1]
    hyphen[:-1] &= text.white[1:]
    for at in _at(hyphen):
        if text.whole[at + 1 : at + 2] == "\n" and text.whole[at + 2 : at + 3] != "\n":
            continue  # a line of verse
        following = WORD_AT.match(text.whole, at + 2)
        left, _, _ = text.word_around(at - 1)
        if text.whole.startswith(PARAGRAPH_SEPARATOR, at + 1) or at + 1 >= len(text.whole):
            yield left, at + 1
        elif following and following.group()[0].islower() and following.group() not in _SUSPENDED:
            yield left, following.end()
