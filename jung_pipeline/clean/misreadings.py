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
#: Fraktur and other confusions of German print.
_GERMAN: tuple[tuple[str, str], ...] = (
    ("s", "f"), ("st", "ft"), ("ö", "s"), ("ü", "s"), ("b", "d"), ("d", "b"), ("k", "t"), ("v", "b"), ("ck", "ch"), ("z", "i"), ("a", "ä"), ("o", "ö"), ("u", "ü"),
)  # fmt: skip
#: Confusions that also tell real but rare words apart: for long words and noisy volumes only.
_RISKY = frozenset(
    [("r", "t"), ("j", "i"), ("f", "t"), ("t", "f"), ("y", "v"), ("v", "y"), ("l", "t"), ("t", "l"), ("i", "t"), ("t", "i"), ("h", "b"), ("e", "c"), ("o", "c"), ("c", "o"), ("w", "vv"), ("q", "g"), ("g", "q"), ("n", "ri"), ("a", "o"), ("f", "s"), ("s", "f"), ("k", "t"), ("v", "b"), ("b", "d"), ("d", "b"), ("o", "ö"), ("u", "ü"), ("a", "ä")]
)  # fmt: skip
#: Vowels taken for each other: only long words, or volumes full of errors, are safe to judge by them.
_VOWELS = frozenset("oea")
#: Length of a word up to → how frequent a corrected word must be, and how frequent the misread one may be.
_LIMITS = ((3, 5.0, 1.6), (4, 4.4, 1.6), (6, 3.9, 2.3), (99, 3.2, 2.6))
#: The corrected word is at least so much more frequent (2.6: four hundred times).
_GAP = 2.6
#: A second candidate must be so much rarer.
_CLEAR = 1.5
#: Corrections per 10,000 words that make a volume a scan worth correcting, and one full of errors.
_RATE, _NOISY = 4.0, 20.0
#: Short texts are given the benefit of the doubt (words).
_SHORT = 3000
_ONE_FOR_I = regex.compile(
    r"(?<![\p{N}.,:;/§$£–-]\s?)(?<!(?:[Nn]o|[Pp]p?|[Ff]ig|[Vv]ol|[Cc]h|[Cc]hap|[Pp]art|[Ll]ecture|[Ss]tage|[Tt]ype|[Nn]umber|[Cc]ase|[Tt]able)\.? )\b(?:1|l|\|)\b"
    r"(?= (?:am|was|have|had|shall|should|would|could|cannot|might|must|did|think|thought|know|knew|believe|said|went|suppose|remember|myself)\b)"
)


def correct_misreadings(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Corrections of misread words in ``text`` (paragraphs divided by blank lines)."""
    if lexicon.language not in ("en", "de"):
        return
    words = Counter(match.group(1) for match in _TOKEN.finditer(text))
    total = sum(words.values())
    right = _corrections(words, lexicon, noisy=False)
    rate = sum(words[word] for word in right) * 10_000 / max(total, 1)
    if total > _SHORT and rate < _RATE:
        right = {}
    elif rate >= _NOISY and total > 100:
        right |= _corrections(words, lexicon, noisy=True)
    if right:
        for match in _TOKEN.finditer(text):
            better = right.get(match.group(1))
            # The first word of a paragraph in small letters is the rest of a word.
            if better is not None and (
                match.start() > 0 and (text[match.start() - 1] != "\n" or better[0].isupper())
            ):
                yield Edit(match.start(1), match.end(1), better, "misreading")
    if lexicon.language == "en":
        for match in _ONE_FOR_I.finditer(text):
            yield Edit(match.start(), match.end(), "I", "misreading")


def _corrections(words: Counter[str], lexicon: Lexicon, *, noisy: bool) -> dict[str, str]:
    """Misread word → the word meant, for those of ``words`` where that is beyond doubt."""
    confusions = _CONFUSIONS + (_GERMAN if lexicon.language == "de" else ())
    found: dict[str, str] = {}
    for word, count in words.items():
        if (better := _correction(word, count, lexicon, confusions, noisy=noisy)) is not None:
            found[word] = better
    return found


def _correction(
    word: str, count: int, lexicon: Lexicon, confusions: tuple[tuple[str, str], ...], *, noisy: bool
) -> str | None:
    """The one frequent word that ``word`` is a misreading of, or ``None``."""
    lower = word.lower()
    has_digit = not word.isalpha()
    if not _judged(word, lower, has_digit, lexicon.language):
        return None
    frequent, unknown = next((f, u) for length, f, u in _LIMITS if len(lower) <= length)
    own = lexicon.zipf(lower)
    if lower not in _KNOWN and (own > unknown or lexicon.zipf_anywhere(lower) > 3.0):
        return None
    risky = noisy or len(lower) >= 8
    candidates = _likely(_variants(lower, confusions, risky=risky), lexicon, frequent)
    if not candidates and noisy and len(lower) >= 6:
        twice = (
            two
            for one in _variants(lower, confusions, risky=True)
            for two in _variants(one, confusions, risky=True)
        )
        candidates = _likely(set(twice), lexicon, max(frequent, 3.6))
    if not candidates:
        return None
    ranked = sorted(candidates, key=lambda candidate: -candidates[candidate])
    best = ranked[0]
    if len(ranked) > 1 and candidates[ranked[1]] > candidates[best] - _CLEAR:
        return None
    if candidates[best] - own < _GAP and not has_digit:
        return None
    if count > 4 and not has_digit and lexicon.count(best) < 20 * count:
        return None  # a word the volume keeps using
    return best.capitalize() if word[0].isupper() else best


def _judged(word: str, lower: str, has_digit: bool, language: str) -> bool:
    """Whether ``word`` is of a kind that is corrected at all: no name, no abbreviation, no number."""
    if len(word) < 3 or not (word.isascii() or language == "de"):
        return False
    if has_digit:
        digits = sum(char.isdigit() for char in word)
        letters = lower.replace("0", "").replace("1", "").replace("5", "")
        return not word[0].isdigit() and digits <= len(word) / 3 and letters.isalpha()
    return word.islower() or (word[1:].islower() and lower in _TITLE)


def _likely(variants: set[str], lexicon: Lexicon, least: float) -> dict[str, float]:
    return {variant: likely for variant in variants if (likely := lexicon.zipf(variant)) >= least}


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
        "hnt",
        "bnt",
        "aud",
        "iii",
        "ou",
        "tho",
        "thc",
    ]
)
_KNOWN = frozenset(["tbe", "tlie"])


def _variants(word: str, confusions: tuple[tuple[str, str], ...], *, risky: bool) -> set[str]:
    """``word`` with one confusion undone at one place, or at every place."""
    found: set[str] = set()
    for read, printed in confusions:
        at = word.find(read)
        if at < 0 or (not risky and ((read in _VOWELS and printed in _VOWELS) or (read, printed) in _RISKY)):
            continue
        if word.count(read) > 1:
            found.add(word.replace(read, printed))
        while at >= 0:
            found.add(word[:at] + printed + word[at + len(read) :])
            at = word.find(read, at + 1)
    found.discard(word)
    return found
