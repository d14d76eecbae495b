"""Which words exist: general frequencies of the volume's languages, and the volume's own words.

The one place where cleaning asks for evidence about words. Frequencies are wordfreq's large lists (joining and
correcting words needs rare ones, which :mod:`jung_pipeline.text.words` leaves out), on the Zipf scale: log10 of
occurrences per billion words; 3 is a word of books, 6 one of the most frequent.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable
from itertools import chain, repeat

import numpy as np
import regex

from jung_pipeline.clean import tokens
from jung_pipeline.text import languages, words

_WORD = regex.compile(r"\p{L}+(?:-\p{L}+)*")

#: Frequent small words by which a text's language is told.
_MARKERS: dict[str, frozenset[str]] = {
    "en": frozenset(
        ["the", "of", "and", "to", "in", "that", "is", "was", "he", "for", "it", "with", "as", "his", "not"]
    ),
    "de": frozenset(
        [
            "der",
            "die",
            "und",
            "das",
            "den",
            "von",
            "zu",
            "ist",
            "nicht",
            "ein",
            "mit",
            "des",
            "dem",
            "sich",
            "auf",
            "eine",
        ]
    ),
    "fr": frozenset(
        [
            "le",
            "la",
            "les",
            "des",
            "et",
            "est",
            "une",
            "que",
            "dans",
            "qui",
            "pour",
            "pas",
            "sur",
            "du",
            "au",
            "ce",
        ]
    ),
}

#: Languages that wordfreq has and these books are written in; others are judged as English.
_SUPPORTED = ("en", "de", "fr", "es", "it", "nl")


@functools.cache
def bands(language: str) -> list[list[str]]:
    """The words of the large list (the small one if there is none), :func:`words.bands`."""
    return words.bands(language, "large") or words.bands(language)


@functools.cache
def zipfs(language: str) -> dict[str, float]:
    """Frequency on the Zipf scale by word (case-folded: ß is ss), the most frequent first."""
    listed = bands(language)
    values = (repeat(math.log10(10 ** (-number / 100)) + 9, len(band)) for number, band in enumerate(listed))
    return dict(zip(chain.from_iterable(listed), chain.from_iterable(values), strict=True))


def guess_language(text: str) -> str:
    """The language of the lexicon for ``text``: the one it tells, English if there are no frequencies for that.

    A short or mixed text, which tells none, is English, German or French by the small words of its middle;
    English in doubt.
    """
    told = languages.told_language(languages.sample(text))
    if told is not None:
        return told if told in _SUPPORTED else "en"
    middle = max(0, len(text) // 2 - 100_000)
    counts = Counter(word.lower() for word in _WORD.findall(text[middle : middle + 200_000]))
    scores = {lang: sum(counts[w] for w in small) / len(small) for lang, small in _MARKERS.items()}
    best = max(scores, key=lambda lang: scores[lang])
    return best if scores[best] > 1.2 * scores["en"] else "en"


class Lexicon:
    """Word evidence for one volume.

    Attributes:
        language: primary tag of the volume's main language.
        vocabulary: how often each word form (lower case, hyphens kept) stands in the volume itself.
        total: running words of the volume.
        listed: Zipf frequency by word (case-folded) in the volume's language.
    """

    def __init__(self, language: str, texts: Iterable[str]) -> None:
        self.language = language
        self._listed = language if language in _SUPPORTED else "en"
        self.vocabulary = vocabulary_of(texts)
        self.total = self.vocabulary.total()
        self.listed = zipfs(self._listed)

    def zipf(self, word: str) -> float:
        """Frequency of ``word`` in the volume's language on the Zipf scale; 0 if it is not listed."""
        return self.listed.get(word.casefold(), 0.0)

    def zipf_anywhere(self, word: str) -> float:
        """The highest frequency of ``word`` in any language these books quote at length."""
        return max(self.zipf(word), *(words.zipf(word.casefold(), language) for language in words.LANGUAGES))

    def count(self, word: str) -> int:
        """How often ``word`` stands in the volume, whatever its capitals."""
        return self.vocabulary.get(word.lower(), 0)

    def is_word(self, word: str, least: float = 2.0) -> bool:
        """Whether ``word`` is listed with at least ``least``, or stands in the volume three times."""
        return self.zipf(word) >= least or self.count(word) >= 3


def vocabulary_of(texts: Iterable[str]) -> Counter[str]:
    """How often each word form stands in ``texts`` (lower case, hyphens kept)."""
    text = "\n".join(texts)
    points = tokens.code_points(text)
    inside = (tokens.classes(points) & tokens.LETTER) > 0
    hyphens = np.flatnonzero(points == ord("-"))
    hyphens = hyphens[(hyphens > 0) & (hyphens < len(points) - 1)]
    inside[hyphens[inside[hyphens - 1] & inside[hyphens + 1]]] = True
    forms = tokens.forms(text, *tokens.runs(inside))
    found: Counter[str] = Counter()
    for word, count in zip(forms.strings, forms.counts(), strict=True):
        found[word.lower()] += count
    return found
