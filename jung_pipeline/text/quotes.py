"""Quotations: where they stand in a text, and whether a passage really holds their words.

Tolerated between quotation and passage: white space, line-end and other hyphens, quote and dash styles,
capitals, accents and punctuation; an ellipsis for words left out; square brackets for words put in. Not
tolerated: a changed, added, moved or dropped word, and an ellipsis or bracket that hides a negation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

import regex

from jung_pipeline.text.normalise import NEGATIONS, Letters, fold, letters, words

#: Opening mark to its closing marks, in every style that prose in English, German and French uses.
_PAIRS = {
    "“": "”",  # English
    "„": "“”",  # German
    "”": "”",  # Swedish and careless typing
    "«": "»",
    "»": "«",
    "‹": "›",
    "›": "‹",
    "‘": "’",
    "‚": "‘’",
    '"': '"',
    "'": "'",
    "`": "'",
}
_SINGLE = "‘‚'`"
_BLOCK = regex.compile(r"^[ \t]*>[^\n]*(?:\n[ \t]*>[^\n]*)*", regex.M)
_PARAGRAPH_END = regex.compile(r"\n[ \t]*\n")

#: An ellipsis, bracketed or bare, however it is typed.
_ELLIPSIS = regex.compile(
    r"[\[(]\s*(?:…|\.(?:\s*\.){2,3})\s*[\])]|…|\.(?:[ \u00a0]?\.){2,3}|[\[(]\s*-{2,}\s*[\])]"
)
#: A bracketed insertion that is a word or more; ``[t]he`` is only a changed capital and not one.
_INSERTION = regex.compile(r"(?<![\p{L}\p{N}])\[[^\[\]]*\](?![\p{L}\p{N}])")
#: A note mark that stands in book text: ``[5]``, ``[*]``, ``[A]``.
_NOTE_MARK = regex.compile(r"\[(?:\d{1,4}|[A-Z]|[*†‡§]+)\]")

_STOP = regex.compile(r"[.!?]")
#: A bracket may stand for this many words of the passage at most.
_INSERTION_REPLACES = 4


@dataclass(frozen=True)
class Quotation:
    """A stretch in quotation marks: ``text[start:end]`` with its marks, ``inner`` without them.

    Or a block set off with ``>`` at the line beginnings, which ``inner`` keeps.
    """

    start: int
    end: int
    inner: str

    @property
    def word_count(self) -> int:
        """Words between the marks."""
        return len(words(self.inner))


def find_quotations(text: str) -> list[Quotation]:
    """The outermost quotations of ``text``, in order; marks that do not close in their paragraph are none."""
    found: list[Quotation] = []
    at = 0
    while at < len(text):
        mark = text[at]
        if mark in _PAIRS and _opens(text, at):
            end = _closing(text, at)
            if end is not None:
                found.append(Quotation(at, end + 1, text[at + 1 : end]))
                at = end + 1
                continue
        at += 1
    # A block set off with ">" is a quotation without marks, unless its words are in marks as well.
    for block in _BLOCK.finditer(text):
        if not any(q.start < block.end() and q.end > block.start() for q in found):
            found.append(Quotation(block.start(), block.end(), block[0]))
    return sorted(found, key=lambda quotation: quotation.start)


def _opens(text: str, at: int) -> bool:
    """Whether the mark at ``at`` begins a quotation, by what stands on its two sides."""
    before = text[at - 1] if at else " "
    after = text[at + 1] if at + 1 < len(text) else " "
    if text[at] == "”" or text[at] in "'`":
        return not before.isalnum() and not after.isspace() and after not in ".,;:!?)"
    if text[at] in '‘"»':
        return not before.isalnum()
    return True


def _closing(text: str, at: int) -> int | None:
    """The position of the mark that closes the quotation opened at ``at``, within its paragraph."""
    mark = text[at]
    closers = _PAIRS[mark]
    stop = _PARAGRAPH_END.search(text, at)
    limit = stop.start() if stop else len(text)
    depth = 0
    for index in range(at + 1, limit):
        c = text[index]
        if c in closers and not (mark in _SINGLE and _is_apostrophe(text, index)):
            if mark == '"' or not depth:
                return index if index > at + 1 else None
            depth -= 1
        elif c == mark and mark in "“„«‹‘" and c not in closers:
            depth += 1
    return None


def _is_apostrophe(text: str, index: int) -> bool:
    """Whether the single mark at ``index`` stands inside a word rather than closing a quotation."""
    return 0 < index < len(text) - 1 and text[index - 1].isalnum() and text[index + 1].isalnum()


@lru_cache(maxsize=512)
def _letters_of(text: str, without_marks: bool) -> Letters:
    """The letters of a passage; with or without its bracketed note marks (blanked, so offsets hold)."""
    if without_marks:
        text = _NOTE_MARK.sub(lambda match: " " * len(match[0]), text)
    return letters(text)


def locate(quotation: str, passage: str) -> tuple[int, int] | None:
    """Where ``passage`` holds the words of ``quotation``, as (start, end) of the passage; ``None`` if not.

    The outer quotation marks may be there or not. An empty quotation stands nowhere.
    """
    plain = _locate(_pieces(quotation, insertions=False), _letters_of(passage, False), passage)
    if plain is None and _NOTE_MARK.search(passage):
        plain = _locate(_pieces(quotation, insertions=False), _letters_of(passage, True), passage)
    if plain is None and _INSERTION.search(quotation):
        pieces = _pieces(quotation, insertions=True)
        plain = _locate(pieces, _letters_of(passage, False), passage) or _locate(
            pieces, _letters_of(passage, True), passage
        )
    return plain


@dataclass(frozen=True)
class _Piece:
    """Words of a quotation that must stand together, and what stands between them and the piece before."""

    text: str  # folded letters
    gap: str  # "" (the first piece) | "ellipsis" | "insertion"


def _pieces(quotation: str, *, insertions: bool) -> list[_Piece]:
    """The quotation cut at its ellipses, and at its bracketed insertions where these are not book text."""
    marks = [(m.start(), m.end(), "ellipsis") for m in _ELLIPSIS.finditer(quotation)]
    if insertions:
        taken = {start for start, _, _ in marks}
        marks += [
            (m.start(), m.end(), "insertion")
            for m in _INSERTION.finditer(quotation)
            if m.start() not in taken
        ]
    pieces: list[_Piece] = []
    at, gap = 0, ""
    for start, end, kind in [*sorted(marks), (len(quotation), len(quotation), "")]:
        piece = letters(quotation[at:start]).letters
        if piece:
            pieces.append(_Piece(piece, gap if pieces else ""))
            gap = kind
        elif gap != "ellipsis":
            gap = kind
        at = end
    return pieces


def _locate(pieces: Sequence[_Piece], source: Letters, passage: str) -> tuple[int, int] | None:
    """Find the pieces in order; a first piece that leads nowhere is tried again further on."""
    if not pieces:
        return None
    start = source.find(pieces[0].text)
    while start != -1:
        end = _follow(pieces, source, passage, start + len(pieces[0].text))
        if end is not None:
            place = source.offsets[start], source.offsets[end - 1] + 1
            if negation_cut_off(passage, *place) is None:
                return place
        start = source.find(pieces[0].text, start + 1)
    return None


_NEGATION_BEFORE = regex.compile(r"(?:^|[.!?…;:][^\p{L}\p{N}]*|\n\s*\n)(\p{L}+)[^\p{L}\p{N}]*$")
_NEGATION_AFTER = regex.compile(r"[\s,]*(\p{L}+)[\s”\"’»“‘)\]]*(?:[.!?…;:]|$)")
#: The longest negation, with what may stand round it.
_REACH = 40
#: Fewer words than this are a turn of phrase, which says nothing that a negation could turn round.
_CLAUSE = 4


def negation_cut_off(passage: str, start: int, end: int) -> str | None:
    """The negation that is all that ``passage[start:end]`` leaves of its sentence, before it or behind it.

    "Every dream is a wish" is not what "Not every dream is a wish." says, nor „Ich weiß es“ what „Ich weiß es nicht.“
    """
    if len(passage[start:end].split()) < _CLAUSE:
        return None
    before = _NEGATION_BEFORE.search(passage[max(0, start - _REACH) : start])
    after = _NEGATION_AFTER.match(passage[end : end + _REACH])
    left_out = [match[1] for match in (before, after) if match is not None]
    return next((word for word in left_out if fold(word) in NEGATIONS), None)


def _follow(pieces: Sequence[_Piece], source: Letters, passage: str, end: int) -> int | None:
    """The end of the last piece when the others follow the first, which ends at ``end``; else ``None``."""
    for piece in pieces[1:]:
        at = source.find(piece.text, end)
        while at != -1 and not _may_skip(source, passage, end, at, piece.gap):
            at = source.find(piece.text, at + 1) if piece.gap == "ellipsis" else -1
        if at == -1:
            return None
        end = at + len(piece.text)
    return end


def _may_skip(source: Letters, passage: str, start: int, end: int, gap: str) -> bool:
    """Whether the words between two pieces may be left out: a few for a bracket, and never a negation of a piece."""
    if start == end:
        return True
    bounds = [at for at in range(start, end) if at in source.word_starts]
    skipped = [source.letters[a:b] for a, b in zip(bounds, [*bounds[1:], end], strict=True)]
    if gap == "insertion":
        return len(skipped) <= _INSERTION_REPLACES and not NEGATIONS.intersection(skipped)
    if len(skipped) <= 2 and NEGATIONS.intersection(skipped):
        return False
    # A longer gap may hold a negation, but not the one that belongs to what stands beside it.
    before = passage[source.offsets[start - 1] : source.offsets[start]]
    behind = passage[source.offsets[end - 1] : source.offsets[end]]
    return not (
        (skipped[0] in NEGATIONS and not _STOP.search(before))
        or (skipped[-1] in NEGATIONS and not _STOP.search(behind))
    )


# --------------------------------------------------------------------------------------------------
# altered quotations
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """One difference: the quotation has ``quoted`` where the passage has ``printed`` (either may be empty)."""

    quoted: str
    printed: str


@dataclass(frozen=True)
class Alignment:
    """The best place of a passage for a quotation that is not there word for word."""

    start: int  # the stretch of the passage that comes nearest
    end: int
    similarity: float  # share of the quotation's words that stand there in order, 0..1
    changes: tuple[Change, ...]


def align(quotation: str, passage: str) -> Alignment | None:
    """The stretch of ``passage`` nearest to ``quotation``, word by word, with the differences named."""
    quotation = _ELLIPSIS.sub(lambda match: " " * len(match[0]), quotation)
    quote = words(quotation)
    source = words(passage)
    if not quote or not source:
        return None
    quote_forms, source_forms = [w.form for w in quote], [w.form for w in source]
    first, last = _window(quote_forms, source_forms)
    matcher = SequenceMatcher(None, quote_forms, source_forms[first:last], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return None
    # Words before the first and after the last agreement count as changed, as many as the quotation has,
    # but not beyond the sentence.
    low, high = first + blocks[0].b, first + blocks[-1].b + blocks[-1].size
    for _ in range(blocks[0].a):
        if low == 0 or _STOP.search(passage, source[low - 1].end, source[low].start):
            break
        low -= 1
    for _ in range(len(quote) - (blocks[-1].a + blocks[-1].size)):
        if high == len(source) or _STOP.search(passage, source[high - 1].end, source[high].start):
            break
        high += 1
    changes = []
    matcher = SequenceMatcher(None, quote_forms, source_forms[low:high], autojunk=False)
    matched = sum(block.size for block in matcher.get_matching_blocks())
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag != "equal":
            quoted = quotation[quote[a1].start : quote[a2 - 1].end] if a2 > a1 else ""
            printed = passage[source[low + b1].start : source[low + b2 - 1].end] if b2 > b1 else ""
            changes.append(Change(quoted, printed))
    return Alignment(source[low].start, source[high - 1].end, matched / len(quote), tuple(changes))


def _window(quote: list[str], source: list[str]) -> tuple[int, int]:
    """The stretch of ``source``, half as long again as ``quote``, that shares most words with it."""
    span = len(quote) + max(8, len(quote) // 2)
    if len(source) <= span:
        return 0, len(source)
    bag = set(quote)
    hits = [form in bag for form in source]
    count = sum(hits[:span])
    best, at = count, 0
    for start in range(1, len(source) - span + 1):
        count += hits[start + span - 1] - hits[start - 1]
        if count > best:
            best, at = count, start
    return at, at + span
