"""The long s read as f, where the form with f is a word too: "fo", "fie", "fame", "fein".

A volume shows in its clear cases ("felbft", "faid") that its long s is read as f, and how often. Where that is
often, a word with f stands for the one with s if that one is so much more frequent; "found" and "fest" stay.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping

#: So many clear cases, and this share of all that may be a long s.
_CASES, _SHARE = 3, 0.1
#: How much likelier (log10) the word with s must be, its misreading included.
_LIKELIER = 1.0
#: A long s does not end a word; words have few of them.
_MOST = 4


def words_with_long_s(
    words: Mapping[str, int], cases: int, cost_of: Callable[[str], float]
) -> dict[str, tuple[str, float]]:
    """Word form of the volume to the word it stands for, in small letters, and how much likelier that is.

    Args:
        words: forms of the volume and how often each stands there.
        cases: clear misreadings of s as f in it.
        cost_of: minus the common logarithm of how frequent a word is, in general and in the volume.
    """
    if cases < _CASES:
        return {}
    printed = sum(count * word[:-1].count("s") for word, count in words.items())
    share = cases / (cases + printed)
    if share < _SHARE:
        return {}
    once = -math.log10(share)
    found: dict[str, tuple[str, float]] = {}
    for word in words:
        lower = word.lower()
        if "f" not in lower[:-1] or word[1:] != lower[1:]:
            continue
        as_read = cost_of(lower)
        best = min(((cost_of(other) + once * n, other) for other, n in _readings(lower)), default=None)
        if best is not None and as_read - best[0] >= _LIKELIER:
            found[word] = (best[1], as_read - best[0])
    return found


def _readings(word: str) -> list[tuple[str, int]]:
    """``word`` with one or more of its f as s, and how many; not the last letter."""
    places = [at for at, char in enumerate(word[:-1]) if char == "f"][:_MOST]
    readings = []
    for count in range(1, len(places) + 1):
        for chosen in itertools.combinations(places, count):
            letters = list(word)
            for at in chosen:
                letters[at] = "s"
            readings.append(("".join(letters), count))
    return readings
