"""Common misreadings of scanners, put right only on evidence.

A word is corrected if it is no word (unknown to the language, rare in the volume), exactly one confusion of
letters that scanners are known for makes a frequent word of it, and the volume shows enough such cases to be
a scan. Names, capitals, Greek, Latin and technical words are never touched: a word that the volume repeats is
its own evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import regex

from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.tracked import Edit

_TOKEN = regex.compile(r"(?<![\p{L}\p{N}\p{M}'’-])([\p{L}\p{N}]{2,24})(?![\p{L}\p{N}\p{M}'’-])")
#: What is read → what was printed; one of these, once or all over the word.
_CONFUSIONS: tuple[tuple[str, str], ...] = (
    ("b", "h"),
    ("h", "b"),
    ("rn", "m"),
    ("m", "rn"),
    ("ni", "m"),
    ("in", "m"),
    ("iu", "m"),
    ("tn", "m"),
    ("ra", "m"),
    ("cl", "d"),
    ("d", "cl"),
    ("li", "h"),
    ("h", "li"),
    ("ii", "n"),
    ("ii", "u"),
    ("u", "n"),
    ("n", "u"),
    ("u", "ii"),
    ("n", "ri"),
    ("ri", "n"),
    ("c", "e"),
    ("e", "c"),
    ("o", "e"),
    ("e", "o"),
    ("a", "o"),
    ("c", "o"),
    ("o", "c"),
    ("vv", "w"),
    ("av", "w"),
    ("tv", "w"),
    ("w", "vv"),
    ("1", "l"),
    ("1", "i"),
    ("0", "o"),
    ("5", "s"),
    ("6", "b"),
    ("8", "s"),
    ("l", "i"),
    ("i", "l"),
    ("l", "t"),
    ("t", "l"),
    ("i", "t"),
    ("t", "i"),
    ("f", "s"),
    ("f", "t"),
    ("t", "f"),
    ("r", "t"),
    ("j", "i"),
    ("ji", "n"),
    ("y", "v"),
    ("v", "y"),
    ("q", "g"),
    ("g", "q"),
    ("ln", "in"),
    ("lu", "in"),
    ("hl", "bl"),
    ("tli", "th"),
    ("tb", "th"),
    ("ib", "th"),
    ("ih", "th"),
    ("lh", "th"),
    ("fh", "th"),
    ("iv", "w"),
    ("iy", "ly"),
    ("iug", "ing"),
    ("mg", "ing"),
    ("ud", "nd"),
    ("aud", "and"),
    ("aii", "an"),
    ("lhe", "the"),
)
#: A corrected word must be this frequent; a misread one at most that frequent.
_FREQUENT, _UNKNOWN = 3.9, 2.75
#: The corrected word is at least so much more frequent (three orders of magnitude).
_GAP = 2.6
#: So many corrections per 10,000 words make a volume a scan worth correcting; short texts are given the benefit.
_RATE, _SHORT = 4.0, 3000
_ONE_FOR_I = regex.compile(
    r"(?<![\p{N}.,:;/§$£–-]\s?)(?<!(?:[Nn]o|[Pp]p?|[Ff]ig|[Vv]ol|[Cc]h|[Cc]hap|[Pp]art|[Ll]ecture|[Ss]tage|[Tt]ype|[Nn]umber|[Cc]ase|[Tt]able)\.? )\b(?:1|l|\|)\b"
    r"(?= (?:am|was|have|had|shall|will|should|would|could|can|cannot|may|might|must|do|did|think|thought|know|knew|believe|saw|see|said|say|mean|wish|want|went|came|found|felt|feel|hope|suppose|remember|never|myself)\b)"
)


def correct_misreadings(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Corrections of misread words in ``text``."""
    if lexicon.language not in ("en", "de"):
        return
    words = Counter(match.group(1) for match in _TOKEN.finditer(text))
    total = sum(words.values())
    right: dict[str, str] = {}
    for word, count in words.items():
        better = _correction(word, count, lexicon)
        if better is not None:
            right[word] = better
    made = sum(words[word] for word in right)
    if total > _SHORT and made < _RATE * total / 10_000:
        right = {}
    if right:
        for match in _TOKEN.finditer(text):
            better = right.get(match.group(1))
            if better is not None:
                yield Edit(match.start(1), match.end(1), better, "misreading")
    if lexicon.language == "en":
        for match in _ONE_FOR_I.finditer(text):
            yield Edit(match.start(), match.end(), "I", "misreading")


def _correction(word: str, count: int, lexicon: Lexicon) -> str | None:
    """The one frequent word that ``word`` is a misreading of, or ``None``."""
    has_digit = any(char.isdigit() for char in word)
    lower = word.lower()
    if not word.isascii() or (
        has_digit and (word[0].isdigit() or sum(c.isdigit() for c in word) > len(word) / 3)
    ):
        return None
    if has_digit and (
        len(word) < 3 or not lower.replace("0", "").replace("1", "").replace("5", "").isalpha()
    ):
        return None
    if not has_digit and (
        len(word) < 3 or (not word.islower() and not (word[1:].islower() and lower in _TITLE))
    ):
        return None
    own = lexicon.zipf(lower)
    if own > _UNKNOWN or (lexicon.zipf_anywhere(lower) > 3.0 and lower not in _KNOWN):
        return None
    candidates = {
        candidate: lexicon.zipf(candidate)
        for candidate in _variants(lower)
        if lexicon.zipf(candidate) >= (_FREQUENT if len(lower) > 3 else 5.0)
    }
    if not candidates:
        return None
    ranked = sorted(candidates, key=lambda c: -candidates[c])
    best = ranked[0]
    if len(ranked) > 1 and candidates[ranked[1]] > candidates[best] - 1.5:
        return None
    if candidates[best] - own < _GAP and not has_digit:
        return None
    if count > 4 and not has_digit and lexicon.count(best) < 20 * count:
        return None  # a word the volume keeps using
    return best.capitalize() if word[0].isupper() else best


#: Capitalised readings that begin sentences and are nobody's name.
_TITLE = frozenset(
    [
        "tbe",
        "tlie",
        "tbis",
        "tliis",
        "tbat",
        "tliat",
        "tbey",
        "tliey",
        "tbere",
        "tliere",
        "wbat",
        "wlien",
        "wben",
        "wbich",
        "wliich",
        "bis",
        "hnt",
        "bnt",
        "aud",
        "iu",
        "iii",
        "ou",
    ]
)
_KNOWN = frozenset(["tbe", "tlie"])


def _variants(word: str) -> set[str]:
    """``word`` with one confusion undone at one place, or at every place."""
    found: set[str] = set()
    for read, printed in _CONFUSIONS:
        at = word.find(read)
        if at < 0:
            continue
        if word.count(read) > 1:
            found.add(word.replace(read, printed))
        while at >= 0:
            found.add(word[:at] + printed + word[at + len(read) :])
            at = word.find(read, at + 1)
    found.discard(word)
    return found
