"""Where an English word may be parted at a line end: a few safe rules, enough to set a page.

Not a dictionary: it parts doubled consonants (let-ter), pairs of consonants between vowels (con-tent),
and before common endings (-ness, -ment, -tion), always three letters from either end.
"""

from __future__ import annotations

import re

_VOWELS = "aeiouy"
#: Pairs that sound as one or begin syllables together, so that no break falls between them.
_TOGETHER = frozenset(
    [
        "ch",
        "sh",
        "th",
        "ph",
        "wh",
        "gh",
        "ck",
        "qu",
        "bl",
        "br",
        "cl",
        "cr",
        "dr",
        "fl",
        "fr",
        "gl",
        "gr",
        "pl",
        "pr",
        "sc",
        "sk",
        "sl",
        "sm",
        "sn",
        "sp",
        "st",
        "sw",
        "tr",
        "tw",
        "ng",
        "nk",
        "ld",
        "rd",
    ]
)
_ENDINGS = re.compile(r"(?:tions?|sions?|ness|ments?|less|ful(?:ly)?|ings?|ship|thing|body|where|self)$")
_PREFIXES = re.compile(r"^(?:under|over|inter|trans|counter|dis|con|com)(?=[a-z]{4})")


def break_points(word: str) -> list[int]:
    """Positions in ``word`` before which it may be parted, rising; empty for short or odd words.

    A hyphen that the word has of itself always allows a break after it.
    """
    points = {match.end() for match in re.finditer(r"(?<=[A-Za-z]{2})-(?=[A-Za-z]{3})", word)}
    if points:  # a compound is parted at its own hyphen only
        return sorted(points)
    match = re.search(r"[A-Za-z]{6,}", word)
    if match is None or any(ord(c) > 127 for c in word if c.isalpha()):
        return []
    start, letters = match.start(), match[0].lower()
    if match[0][1:] != match[0][1:].lower():  # capitals: not parted
        return []
    for rule in (_PREFIXES, _ENDINGS):
        found = rule.search(letters)
        if found:
            points.add(found.end() if rule is _PREFIXES else found.start())
    for i in range(1, len(letters) - 2):
        before, left, right, after = list(letters[i - 1 : i + 3])
        pair_between_vowels = before in _VOWELS and after in _VOWELS and left not in _VOWELS
        if pair_between_vowels and right not in _VOWELS and left + right not in _TOGETHER:
            points.add(i + 1)

    def good(point: int) -> bool:
        stem, tail = letters[:point], letters[point:]
        past_tense = len(tail) == 3 and tail.endswith("ed")  # "pin-ned" has no second syllable
        return 3 <= point <= len(letters) - 3 and not past_tense and not stem.endswith(("yth", "eth", "oth"))

    return sorted(start + p for p in points if good(p))
