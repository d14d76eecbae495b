"""Whether passages hold the words of an answer, by the rule that golden sets state.

A span of the book's own words counts as found where a passage has it whole, or at least four fifths of its
words in order within a stretch no longer than twice the span. Typography, emphasis, note marks, line ends,
accents and capitals do not count, so that editions and ways of cutting do not either.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import regex

from jung_pipeline.query.passages import Passage
from jung_pipeline.text.normalise import words

#: The share of a span's words that must be there in order, and the stretch they may fill, in lengths of the span.
SHARE, STRETCH = 0.8, 2

_APOSTROPHES = dict.fromkeys(map(ord, "‘’‚‛‹›′´`"), "'")
#: Marks of footnotes ("[123]", "[A]", "(45)" close to a word), and signs of emphasis of plain-text editions.
_MARKS = regex.compile(r"\[(?:\d{1,4}|[A-Z*])\]|(?<=[^\s(])\(\d{1,3}\)|[_~#]")


def plain_words(text: str) -> list[str]:
    """The words of ``text`` as they are compared."""
    text = unicodedata.normalize("NFC", text).translate(_APOSTROPHES)
    return [word.form for word in words(_MARKS.sub("", text))]


def holds(passage: Sequence[str], span: Sequence[str]) -> bool:
    """Whether ``passage`` holds ``span``; both are :func:`plain_words`."""
    if not span:
        return False
    size, wanted = len(span), set(span)
    places = [at for at, word in enumerate(passage) if word in wanted]
    if any(list(passage[at : at + size]) == list(span) for at in places if passage[at] == span[0]):
        return True
    need = -(-size * round(SHARE * 100) // 100)
    for number, at in enumerate(places):
        window = [passage[place] for place in places[number:] if place < at + STRETCH * size]
        if len(window) >= need and _in_order(span, window) >= need:
            return True
    return False


def _in_order(span: Sequence[str], window: Sequence[str]) -> int:
    """Words of ``span`` that stand in ``window`` in the same order: the longest common subsequence, by bits."""
    where: dict[str, int] = {}
    for bit, word in enumerate(span):
        where[word] = where.get(word, 0) | (1 << bit)
    everything = (1 << len(span)) - 1
    row = everything  # a zero for each word matched so far
    for word in window:
        matched = row & where.get(word, 0)
        row = ((row + matched) | (row - matched)) & everything
    return len(span) - row.bit_count()


def runs(passages: Iterable[Passage]) -> list[list[Passage]]:
    """``passages`` in runs of such as follow one another in the book, each run in the order of the book."""
    by_id = {passage.chunk_id: passage for passage in passages}
    heads = [p for p in by_id.values() if p.prev_chunk_id not in by_id]
    found = []
    for head in heads:
        run, following = [head], by_id.get(head.next_chunk_id or "")
        while following is not None:
            run.append(following)
            following = by_id.get(following.next_chunk_id or "")
        found.append(run)
    return found


def run_text(run: Sequence[Passage]) -> str:
    """The text of a run, so that a cut through the middle of a span is not held against anyone."""
    return "\n".join(passage.text for passage in run)
