"""What a question and what it found look like to the calibration: a handful of numbers.

Signals of meaning come from the vectors, signals of words from the lexical index and the passages found.
None of them knows which embedder is in use: their scale is learnt by ``calibration.py`` on the index itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from jung_pipeline.text.normalise import content_words, fold, stem, stems

#: Signals that hold for every pair of languages.
MEANING = ("closeness",)
#: Signals that count words too; for a question in the language of what it found. Left out for telling nothing more:
#: the distance from the question's cosines with unrelated passages, the gap behind the best, agreement of the two
#: searches, the best of the first six passages, the share of words unknown to the library (support has it already).
MEANING_AND_WORDS = (*MEANING, "support", "words", "known_words")

#: Passages, best first, in which the words of the question are looked for.
SUPPORT_DEPTH = 1


@lru_cache(maxsize=16384)
def rarity(word: str, language: str = "en") -> float:
    """How much a word tells, 0.5 to 7: the distance of its Zipf frequency in the language from 8.

    Frequencies are those of the wordfreq package (Speer, 2022); a word it does not know is of the rarest.
    """
    from wordfreq import zipf_frequency  # its word lists load at the first look-up, not at import of this

    return max(0.5, 7.0 - max(0.0, zipf_frequency(word, language) - 1.0))


def weights_of(question: str, language: str | None) -> dict[str, float]:
    """The content words of ``question`` with their rarity."""
    return {word: rarity(word, language or "en") for word in content_words(question)}


@lru_cache(maxsize=4096)
def _stems_of(text: str) -> frozenset[str]:
    """The stems of a passage, remembered: calibration asks for the same passages hundreds of times."""
    return frozenset(stems(text))


def matched(weights: Mapping[str, float], text: str, bridges: Mapping[str, frozenset[str]]) -> float:
    """The rarity of the question's words that ``text`` holds, themselves or under another name."""
    have = _stems_of(text)
    return sum(
        weight
        for word, weight in weights.items()
        if stem(word) in have or not have.isdisjoint(stem(fold(other)) for other in bridges.get(word, ()))
    )


def support(
    weights: Mapping[str, float], passages: Iterable[str], bridges: Mapping[str, frozenset[str]]
) -> float:
    """The largest rarity-weighted share of the question's words that one passage holds, 0..1.

    ``bridges`` gives other names for words of the question (the German one, say).
    """
    total = sum(weights.values())
    return max((matched(weights, text, bridges) / total for text in passages), default=0.0) if total else 0.0


def signals(
    *,
    closeness: Sequence[float],
    lexical: Sequence[float],
    weights: dict[str, float],
    unknown: Sequence[str],
    passages: Sequence[str],
    bridges: dict[str, frozenset[str]],
) -> dict[str, float]:
    """All signals of a question; ``closeness``, ``lexical`` and ``passages`` are what it found, best first.

    ``closeness`` is that of the nearest passage; ``support``, the share of the question's words, by what they tell
    (``weights``), that stands in the first one; ``words``, the best BM25 score (logarithm);
    ``known_words``, how many of its words stand anywhere in the library (logarithm).
    """
    return {
        "closeness": float(closeness[0]) if closeness else 0.0,
        "support": support(weights, passages[:SUPPORT_DEPTH], bridges),
        "words": float(np.log1p(max(0.0, lexical[0]))) if lexical else 0.0,
        "known_words": float(np.log1p(len(weights) - len(unknown))),
    }
