"""How likely a string is a word: frequencies from wordfreq's small lists, and the letter pairs they are made of.

The frequencies decide doubtful joins ('A' + 'man', 'be-' + 'wusst'), the pairs tell a language nobody has a
list for (Latin, names, noisy OCR) from a scrambled alphabet. Everything is loaded at first use and cached.
"""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import math
import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgpack

#: Languages of the books and of what they quote; wordfreq has no Latin, which Italian and Spanish words
#: and the letter pairs stand in for.
LANGUAGES = ("en", "de", "fr", "it", "es")

#: Words per language that make the letter-pair model.
_PAIR_WORDS = 4000

_WORD = re.compile(r"[^\W\d_]+")


@cache
def bands(language: str, size: str = "small") -> list[list[str]]:
    """The words of a language's list by frequency, index n for ten to the power of -n/100; empty without a list.

    Words are case-folded (ß is ss). Read from wordfreq's file, which its release 3, the last, documents:
    importing the package costs twenty times as much as the list, for languages and repairs of text that are
    not asked for here.

    Args:
        language: primary tag.
        size: ``"small"`` (words down to about once in a million) or ``"large"`` (once in a hundred million,
            which some languages lack).
    """
    found = importlib.util.find_spec("wordfreq")
    for folder in (found.submodule_search_locations or ()) if found else ():
        file = Path(folder) / "data" / f"{size}_{language}.msgpack.gz"
        if file.exists():
            header, *listed = msgpack.unpackb(gzip.decompress(file.read_bytes()))
            if (header.get("format"), header.get("version")) == ("cB", 1):
                return listed
    return []


@cache
def _list(language: str) -> dict[str, float]:
    """Frequency (share of running words) by word; empty for a language without a list."""
    listed = bands(language)
    shares = (itertools.repeat(10 ** (-index / 100), len(band)) for index, band in enumerate(listed))
    chained = itertools.chain.from_iterable
    return dict(zip(chained(listed), chained(shares), strict=True))


@cache
def known_words(language: str) -> frozenset[str]:
    """The words of a language's list, in lower case; none for a language without a list."""
    return frozenset(itertools.chain.from_iterable(bands(language)))


@lru_cache(maxsize=200_000)
def frequency(word: str, language: str = "en") -> float:
    """Share of running words in ``language`` that are ``word``; 0.0 where the list lacks it.

    The small lists hold what occurs more than about once in a million words.
    """
    return _list(language).get(word.lower(), 0.0)


def zipf(word: str, language: str = "en") -> float:
    """Frequency on the Zipf scale (log10 per thousand million words, 3 = once in a million); 0.0 if unknown."""
    share = frequency(word, language)
    return math.log10(share) + 9 if share else 0.0


def is_word(word: str, languages: Sequence[str] = LANGUAGES) -> bool:
    """Whether any of the lists knows the word."""
    return any(frequency(word, language) for language in languages)


def plausible_share(words: Iterable[str], languages: Sequence[str] = LANGUAGES) -> float:
    """Share (0..1) of the words of three letters or more that one of the lists knows; 1.0 without any.

    Shorter strings are left out: nearly every pair of letters is an abbreviation of something.
    """
    lists = [known_words(language) for language in languages]
    judged = [word.lower() for word in words if len(word) >= 3]
    if not judged:
        return 1.0
    if len(lists) == 1:
        return sum(map(lists[0].__contains__, judged)) / len(judged)
    return sum(any(word in listed for listed in lists) for word in judged) / len(judged)


def tokens(text: str) -> list[str]:
    """The runs of letters in a text."""
    return _WORD.findall(text)


@cache
def _pair_scores() -> dict[str, float]:
    """Natural logarithm of the likelihood of each letter pair within words, over all the languages."""
    counts: dict[str, float] = {}
    for language in LANGUAGES:
        for word, _ in sorted(_list(language).items(), key=lambda item: -item[1])[:_PAIR_WORDS]:
            for pair in zip(f"^{word}", f"{word}$", strict=True):
                counts["".join(pair)] = counts.get("".join(pair), 0) + 1
    total = sum(counts.values())
    return {pair: math.log(count / total) for pair, count in counts.items()}


def letter_pair_score(words: Iterable[str]) -> float:
    """Mean log likelihood of the letter pairs of ``words``: about -5.5 for prose, under -7.5 for nonsense."""
    scores = _pair_scores()
    total, count = 0.0, 0
    for word in words:
        lower = word.lower()
        for pair in zip(f"^{lower}", f"{lower}$", strict=True):
            total += scores.get("".join(pair), -12.0)
            count += 1
    return total / count if count else 0.0
