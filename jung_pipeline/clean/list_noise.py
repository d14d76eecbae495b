"""Misreadings that word lists hold as words, because they were counted over scanned books too.

Lists of word frequencies have "tbe", "tlie" and "uot" for English and "uud" and "icb" for German: as rare as the
frequent words beside them are misread. Weighed as rare words they would stand wherever they come often. What a list
says of such a form is no evidence for it.
"""

from __future__ import annotations

import functools

from jung_pipeline.clean import lexicon
from jung_pipeline.text import words as word_lists

#: Read for printed: what scanners take for each other by its shape, and no writer does.
_SHAPES = (
    ("b", "h"), ("h", "b"), ("li", "h"), ("tb", "th"), ("u", "n"), ("n", "u"), ("rn", "m"), ("ri", "n"), ("ii", "n"),
    ("c", "e"), ("e", "c"), ("vv", "w"), ("f", "t"), ("l", "t"), ("i", "l"), ("l", "i"), ("j", "i"), ("f", "s"),
)  # fmt: skip
#: The frequent word (Zipf), how much rarer the form is than it, and what the form may be at most, here and in another
#: language. Looked at one by one for English and German: no form that passes is a word of either.
_FREQUENT, _RARER, _MOST, _MOST_ELSEWHERE = 6.0, 4.3, 2.6, 3.3
_SHORTEST = 3
#: Those that make no name or abbreviation where the form has a capital ("Wilh. Wundt", "Thal").
_WITH_CAPITAL = frozenset(("b", "li", "tb", "rn", "ii", "vv", "u"))


def meant(word: str, language: str) -> tuple[str, tuple[str, str]] | None:
    """The frequent word that ``word`` is a listed misreading of, in small letters, and the confusion; else None."""
    lower = word.lower()
    found = misread_in_lists(language).get(lower)
    if found is None or word == lower:
        return found
    return found if word[1:] == lower[1:] and found[1][0] in _WITH_CAPITAL else None


@functools.cache
def misread_in_lists(language: str) -> dict[str, tuple[str, tuple[str, str]]]:
    """Form to the word that it was printed as, and the confusion (read, printed); empty for other languages."""
    found: dict[str, tuple[str, tuple[str, str]]] = {}
    if language not in ("en", "de"):
        return found
    zipfs = lexicon.zipfs(language)
    others = [other for other in word_lists.LANGUAGES if other != language]
    for word in _frequent(language):
        for read, printed in _SHAPES:
            at = word.find(printed)
            while at >= 0:
                form = word[:at] + read + word[at + len(printed) :]
                if (
                    0 < zipfs.get(form, 0.0) <= min(_MOST, zipfs[word] - _RARER)
                    and max(word_lists.zipf(form, other) for other in others) <= _MOST_ELSEWHERE
                ):
                    found.setdefault(form, (word, (read, printed)))
                at = word.find(printed, at + 1)
    return found


def _frequent(language: str) -> list[str]:
    """The most frequent words of a list, the most frequent first."""
    return [
        word
        for band in lexicon.bands(language)[: round(100 * (9.0 - _FREQUENT)) + 1]
        for word in band
        if len(word) >= _SHORTEST and word.isalpha()
    ]
