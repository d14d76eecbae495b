"""What in a cleaned text still looks wrong: misread words, broken ones, furniture of the page left in.

Nothing here is certain, and nothing is changed: every find says where it stands, so that a person can look. The
kinds are those that readers of scanned books stumble over; each was kept because books set from clean text have
next to none of it (``quality/card_rules.py`` has the figures).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import regex

from jung_pipeline.clean import tokens
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
#: So many of a kind are kept with their place; all are counted.
MOST_SHOWN = 50
#: Characters of surroundings on each side of a find.
_AROUND = 40

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
_WORD_AT = regex.compile(r"[\p{L}\p{M}\p{N}'’]+")
_ROMAN = regex.compile(r"[ivxlcdm]+")
#: A line of so many letters is told again; on so many pages it is no chance.
_LETTERS_OF_A_LINE, _PAGES, _A_TITLE = 10, 4, 60
#: Paragraphs of a chapter whose quotation marks do not agree: so many, and this share of those that have any.
_QUOTES, _QUOTES_SHARE = 8, 0.2


@dataclass(frozen=True)
class Leftover:
    """A stretch of cleaned text that looks wrong.

    Attributes:
        kind: one of :data:`KINDS`.
        page: position in the file.
        label: printed page, where known.
        paragraph: row of ``cleaned_text``.
        text: the stretch.
        snippet: the stretch in its surroundings.
    """

    kind: str
    page: int
    label: str | None
    paragraph: int
    text: str
    snippet: str


class Leftovers:
    """All leftovers of a volume: how many of each kind, and the first of each with their places."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.shown: list[Leftover] = []

    def add(self, kind: str, make: Any) -> None:
        """Count one; ``make()`` is asked for its place only if it will be shown."""
        self.counts[kind] += 1
        if self.counts[kind] <= MOST_SHOWN:
            self.shown.append(make())


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
    text = _Text(cleaned_text)
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
            found.add(kind, lambda kind=kind, start=start, end=end: text.leftover(kind, start, end))
    if paged:
        _lines(found, text, raw_text, cleaned_text, ledger)
    _quotes(found, text)
    return found


class _Text:
    """The volume's cleaned text with what the searches share."""

    def __init__(self, cleaned_text: pa.Table) -> None:
        self.table = cleaned_text
        self.texts: list[str] = cleaned_text.column("text").to_pylist()
        self.kinds: list[str] = cleaned_text.column("kind").to_pylist()
        self.starts: list[int] = cleaned_text.column("char_start").to_pylist()
        self.whole = PARAGRAPH_SEPARATOR.join(self.texts)
        points = tokens.code_points(self.whole)
        # A blank on each side, so that neighbours can be looked at without asking for the ends.
        self.points = np.concatenate([[32], points, [32]]).astype(np.uint32)
        classes = tokens.classes(self.points)
        self.letter = (classes & tokens.LETTER) > 0
        self.capital = (classes & tokens.CAPITAL) > 0
        self.digit = (self.points >= 48) & (self.points <= 57)
        self.white = (self.points == 32) | (self.points == 10)

    def word_around(self, at: int) -> tuple[int, int, str]:
        """The word at offset ``at``, with what is glued to it left out."""
        begin = max(0, at - 30)
        for match in _WORD_AT.finditer(self.whole, begin, min(len(self.whole), at + 30)):
            if match.start() <= at < match.end():
                return match.start(), match.end(), match.group()
        return at, at + 1, self.whole[at : at + 1]

    def glued(self, start: int, end: int) -> bool:
        """Whether the stretch is part of an address, a file name or a formula."""
        around = self.whole[max(0, start - 1) : start] + self.whole[end : end + 1]
        if any(sign in "_@/\\=+<>%#&~^" for sign in around):
            return True
        left = self.whole.rfind(" ", max(0, start - 80), start)
        right = self.whole.find(" ", end, end + 80)
        chunk = self.whole[left + 1 : right if right >= 0 else end + 80]
        return "://" in chunk or "www." in chunk or "@" in chunk

    def kind_at(self, at: int) -> str:
        """The kind of the paragraph at offset ``at``."""
        return self.kinds[bisect_right(self.starts, at) - 1]

    def leftover(self, kind: str, start: int, end: int) -> Leftover:
        """The find at ``whole[start:end]``."""
        row = bisect_right(self.starts, start) - 1
        begin = self.starts[row]
        page, label = self._place(row, start - begin)
        own = self.texts[row]
        a, b = max(0, start - begin - _AROUND), min(len(own), end - begin + _AROUND)
        snippet = ("…" if a else "") + own[a:b].replace("\n", " / ") + ("…" if b < len(own) else "")
        return Leftover(kind, page, label, row, self.whole[start:end], snippet)

    def _place(self, row: int, offset: int) -> tuple[int, str | None]:
        values = self.table.select(["page_first", "label_first", "page_starts"]).slice(row, 1).to_pylist()[0]
        page, label = values["page_first"], values["label_first"]
        for begins in values["page_starts"]:
            if begins["offset"] <= offset:
                page, label = begins["page"], begins["label"]
        return page, label


def _any_of(points: npt.NDArray[np.uint32], signs: str) -> npt.NDArray[np.bool_]:
    """Where ``signs`` (all of them common) stand."""
    table = np.zeros(0x3000, dtype=bool)
    table[[ord(sign) for sign in signs]] = True
    return table[np.minimum(points, 0x2FFF)]


def _at(where: npt.NDArray[np.bool_]) -> list[int]:
    """Offsets in the text of what is ``True`` in an array that has a blank before it."""
    return (np.flatnonzero(where) - 1).tolist()


def _letters_and_digits(text: _Text) -> Iterator[tuple[int, int]]:
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


def _capitals_inside(text: _Text) -> Iterator[tuple[int, int]]:
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


def _no_vowels(text: _Text) -> Iterator[tuple[int, int]]:
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


def _spaced_letters(text: _Text) -> Iterator[tuple[int, int]]:
    alone = np.zeros(len(text.letter), dtype=bool)
    alone[1:-1] = text.letter[1:-1] & text.white[:-2] & text.white[2:]
    at = np.flatnonzero(alone)
    if not len(at):
        return
    parts = np.split(at, np.flatnonzero((np.diff(at) != 2) | (text.points[at[:-1] + 1] != 32)) + 1)
    for row in parts:
        if len(row) >= 4:
            yield int(row[0]) - 1, int(row[-1])


def _lone_symbols(text: _Text) -> Iterator[tuple[int, int]]:
    sign = _any_of(text.points, _LONE)
    starts, ends = tokens.runs(sign)
    alone = text.white[np.maximum(starts - 1, 0)] & text.white[np.minimum(ends, len(sign) - 1)]
    for start, end in zip(starts[alone].tolist(), ends[alone].tolist(), strict=True):
        yield start - 1, end - 1


def _open_hyphens(text: _Text) -> Iterator[tuple[int, int]]:
    points, small = text.points, text.letter & ~text.capital
    hyphen = (points == ord("-")) | (points == ord("¬"))
    hyphen[1:] &= small[:-1]
    hyphen[:-1] &= text.white[1:]
    for at in _at(hyphen):
        if text.whole[at + 1 : at + 2] == "\n" and text.whole[at + 2 : at + 3] != "\n":
            continue  # a line of verse
        following = _WORD_AT.match(text.whole, at + 2)
        left, _, _ = text.word_around(at - 1)
        if text.whole.startswith(PARAGRAPH_SEPARATOR, at + 1) or at + 1 >= len(text.whole):
            yield left, at + 1
        elif following and following.group()[0].islower() and following.group() not in _SUSPENDED:
            yield left, following.end()


def template(line: str) -> str:
    """A line without digits, signs and blanks, in small letters: what a running head is from page to page."""
    return "".join(filter(str.isalpha, line)).casefold()


def _lines(
    found: Leftovers, text: _Text, raw_text: pa.Table, cleaned_text: pa.Table, ledger: pa.Table
) -> None:
    """Lines of the text that are running heads elsewhere, or stand on many pages."""
    heads = ledger.filter(pc.is_in(ledger["rule"], pa.array(["running_head", "stamp"])))
    known: Counter[str] = Counter()
    begins: dict[str, int] = {}  # the heading that a running head repeats stands before it
    for before, line_id in zip(heads["before"].to_pylist(), heads["line_id"].to_pylist(), strict=True):
        key = template(before)
        known[key] += 1
        begins.setdefault(key, line_id)
    spans = pc.list_flatten(cleaned_text["spans"]).combine_chunks()
    line_of = pc.struct_field(spans, "line_id").to_numpy()
    row_of = pc.list_parent_indices(cleaned_text["spans"]).to_numpy()
    first = dict(
        zip(line_of[::-1].tolist(), zip(row_of[::-1].tolist(), _starts(spans), strict=True), strict=True)
    )
    lines = raw_text.column("text").to_pylist()
    pages = raw_text.column("page").to_pylist()
    by_template: dict[str, list[int]] = defaultdict(list)
    # Most lines are told at a glance: by their first and last letter, or as running text.
    ends = {(key[0], key[-1]) for key in known if key}
    for line_id in np.unique(line_of).tolist():
        line = lines[line_id]
        if len(line) >= 6 and (_ends_of(line) in ends or (len(line) <= _A_TITLE and _like_a_title(line))):
            key = template(line)
            if len(key) >= 6:
                by_template[key].append(line_id)
    for key, line_ids in by_template.items():
        is_head = known[key] >= 2 and len(key) >= 6
        on_pages = {pages[line_id] for line_id in line_ids}
        repeated = len(key) >= _LETTERS_OF_A_LINE and len(on_pages) >= _PAGES
        if not (is_head or repeated):
            continue
        for line_id in line_ids:
            row, start = first[line_id]
            if text.kinds[row] in ("heading", "verse", "footnote", "table"):
                continue
            if is_head and line_id < begins[key]:
                continue
            if not _stands_alone(text, row, start, lines[line_id]):
                continue
            if not is_head and not _like_a_title(lines[line_id]):
                continue
            begin = text.starts[row] + start
            kind = "running_head" if is_head else "repeated_line"
            end = begin + len(lines[line_id].strip())
            found.add(kind, lambda kind=kind, b=begin, e=end: text.leftover(kind, b, e))


def _ends_of(line: str) -> tuple[str, str]:
    """First and last letter, small; empty where there is none."""
    first = next(filter(str.isalpha, line), "")
    return first.casefold(), next(filter(str.isalpha, reversed(line)), "").casefold()


def _starts(spans: pa.StructArray) -> Sequence[int]:
    return pc.struct_field(spans, "start").to_numpy()[::-1].tolist()


def _stands_alone(text: _Text, row: int, start: int, line: str) -> bool:
    """Whether the line is whole in the text: the same words, which a sentence may have too, are not a head."""
    line = unicodedata.normalize("NFC", line.strip())
    return text.texts[row][start : start + len(line)] == line


def _like_a_title(line: str) -> bool:
    """Whether most words begin with a capital, as in a title and at no end of a sentence."""
    words = [word for word in line.split() if word[0].isalpha()]
    return len(words) >= 2 and sum(word[0].isupper() for word in words) >= 0.6 * len(words)


def _quotes(found: Leftovers, text: _Text) -> None:
    """Chapters in many of whose paragraphs quotation marks do not agree.

    A quotation over several paragraphs opens in the first and closes in the last; those between may open too.
    """
    chapters = text.table.column("chapter_index").to_pylist()
    tally: dict[int, list[int]] = {}
    still_open: dict[int, int] = {}
    for row, (chapter, own) in enumerate(zip(chapters, text.texts, strict=True)):
        low, left, right = own.count("„"), own.count("“"), own.count("”")
        inward, outward = own.count("»"), own.count("«")
        if not (low or left or right or inward or outward):
            continue
        sums = tally.setdefault(chapter, [row, 0, 0])
        sums[1] += 1
        opened, closed = (low, left + right) if low else (left, right)
        before = still_open.get(chapter, 0)
        again = int(before > 0 and own[:1] in "“„")
        depth = before + opened - again - closed
        agree = depth in (0, 1) and abs(inward - outward) in (0, int(own[:1] in "«»"))
        still_open[chapter] = min(max(depth, 0), 1)
        sums[2] += not agree
    for row, quoting, wrong in tally.values():
        if wrong >= _QUOTES and wrong >= _QUOTES_SHARE * quoting:
            start = text.starts[row]
            found.add(
                "unbalanced_quotes",
                lambda start=start, wrong=wrong, quoting=quoting: replace(
                    text.leftover("unbalanced_quotes", start, start + 1),
                    text=f"in {wrong} of {quoting} paragraphs with quotation marks",
                ),
            )
