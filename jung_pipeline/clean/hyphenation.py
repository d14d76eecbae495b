"""Words broken by the typesetter: joined where the words say so, left alone where the hyphen is the author's.

Evidence, strongest first: how the volume itself spells the word elsewhere; whether the joined form is a
word; whether both halves are words on their own ("two-faced"), which makes a hyphen likely in English and
unlikely in German, where compounds are written as one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import regex

from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.numerals import roman_value
from jung_pipeline.clean.tracked import Edit

#: Stands for a hyphen at a line end that is certainly the author's; it never leaves the joining of lines.
HARD_HYPHEN = "\u2011"

#: First halves that English writes with a hyphen before any word.
_HYPHEN_PREFIXES = frozenset(["self", "well", "ill", "half", "ex", "quasi", "all", "vice", "cross", "twice"])

#: Forms that English puts before a word without a hyphen, however rare the whole is.
_COMBINING = frozenset(["counter", "hyper", "infra", "intra", "macro", "micro", "neuro", "photo", "proto", "pseudo", "psycho", "retro", "socio", "super", "supra", "theo", "trans", "ultra", "under"])  # fmt: skip
#: So long first halves that are words are words of a compound.
_LONG = 8

#: After a hyphen these show a suspended one: "pre- and post-war", "Vor- und Nachteile".
_SUSPENDED = frozenset(
    ["and", "or", "nor", "to", "but", "as", "und", "oder", "bis", "sowie", "bzw", "et", "ou", "e", "o"]
)

#: After other signs a blank stands between two lines, but for a dash at the beginning of the next.
LINE_END_SIGNS = frozenset("-¬—―–/" + HARD_HYPHEN)
_BEFORE = regex.compile(r"([\p{L}\p{M}\p{N}'’]+(?:-[\p{L}\p{M}]+)*)([-¬])[ \t]*$")
#: An address of the web broken at a hyphen of its own.
_ADDRESS = regex.compile(r"(?:://|www\.)\S+-$")
#: A compound behind its suspended twin: "pre- and post-".
_PAIRED = regex.compile(r"\p{L}- (?:and|or|nor|to) \p{L}+-$")
_AFTER = regex.compile(r"[\p{L}\p{M}'’]+")
_DASH_END = regex.compile(r"(?:[—―]|(?<=\S)–|(?<=[^\s-])--+)$")
_SPACED_BREAK = regex.compile(r"(?<![\p{L}-])([\p{L}\p{M}]{2,})- (\p{Ll}[\p{L}\p{M}]*)")

#: Both halves at least this frequent are words on their own.
_OWN_WORD = 3.0
#: After words this frequent, which begin no longer ones, a hyphen and a blank are dirt: "sich- darein".
_FREQUENT = 4.8
_GERMAN_PREFIXES = frozenset(["ab", "an", "auf", "aus", "be", "bei", "da", "dar", "durch", "ein", "ent", "er", "ge", "haupt", "her", "hin", "in", "mit", "nach", "selbst", "über", "um", "un", "unter", "ver", "vor", "weg", "wider", "wieder", "zer", "zu", "zurück", "zusammen"])  # fmt: skip
#: How much rarer than its rarer half a joined word may be and still be the likelier reading.
_RARER = 2.4


def joined_without_hyphen(left: str, right: str, lexicon: Lexicon, *, doubt: bool = True) -> bool:
    """Whether ``left`` and ``right``, divided by a hyphen at a line end, are one word without it.

    Args:
        left: letters before the hyphen.
        right: letters after it, lower case.
        lexicon: word evidence.
        doubt: the answer where neither form is known.
    """
    whole, divided = left + right, f"{left}-{right}"
    joined_here, divided_here = lexicon.count(whole), lexicon.count(divided)
    if not joined_here and not divided_here:  # another form of the word may stand elsewhere
        for form in _other_forms(right):
            joined_here += lexicon.count(left + form)
            divided_here += lexicon.count(f"{left}-{form}")
    if joined_here or divided_here:
        return joined_here >= divided_here
    likely = lexicon.zipf(whole)
    left_likely, right_likely = lexicon.zipf(left), lexicon.zipf(right)
    if left.lower() in _HYPHEN_PREFIXES and lexicon.language == "en" and right_likely >= 2.0:
        return likely >= 3.5
    if lexicon.language != "en":
        return likely >= 1.5 or doubt  # compounds are written as one
    if left_likely >= _OWN_WORD and right_likely >= _OWN_WORD and len(left) > 1:
        return likely >= 1.5 and likely >= min(left_likely, right_likely) - _RARER
    if likely >= 1.5:
        return True
    right_known = right_likely >= 2.0 or lexicon.count(right) >= 2
    if not likely and len(left) >= 6 and left_likely >= _OWN_WORD and len(right) >= 5 and right_known:
        return False  # "capitalist-exploitative": two long words that nobody writes as one
    long = len(left) >= _LONG and len(right) >= 5 and left.lower() not in _COMBINING
    if (
        not likely
        and long
        and (left_likely >= 2.0 or lexicon.count(left) >= 2)
        and (right_likely >= 2.5 or lexicon.count(right) >= 2)
    ):
        return False  # "participative-social"
    return doubt


def _other_forms(word: str) -> tuple[str, ...]:
    """Singular or plural of ``word``, by its look."""
    if word.endswith("s") and len(word) > 4:
        return (word[:-1],)
    return (word + "s",) if len(word) > 3 else ()


def join_between(before: str, after: str, lexicon: Lexicon) -> str:
    """What stands between two lines of one paragraph: ``" "``, ``""`` (close up) or ``"-"`` (drop a hyphen).

    Args:
        before: the earlier line, without white space at its end.
        after: the later line, without white space at its beginning.
        lexicon: word evidence.
    """
    if before[-1:] not in LINE_END_SIGNS:
        return "" if after[:1] == "—" and before[-1:].isalnum() else " "
    if before[-1] == HARD_HYPHEN or (before[-1] == "/" and before[-2:-1].isdigit() and after[:1].isdigit()):
        return ""
    if _DASH_END.search(before):
        return "" if not before.endswith("–") or after[:1].isalnum() else " "
    broken = _BEFORE.search(before)
    if broken is None:
        return " "
    left = broken.group(1)
    following = _AFTER.match(after)
    if following is None:
        return "" if after[:1].isdigit() else " "
    right = following.group()
    last = left.rsplit("-", 1)[-1]
    if _ADDRESS.search(before):
        if joined_without_hyphen(last, right, lexicon, doubt=False):
            return "-"
        return "" if lexicon.zipf_anywhere(right) >= 2.0 or lexicon.count(right) >= 2 else "-"
    if right.lower() in _SUSPENDED and lexicon.zipf(last + right) < 3.0:
        return " "
    paired = lexicon.language == "en" and _PAIRED.search(before)
    if paired or last[-1:].isdigit() or (len(last) == 1 and last.isupper()):
        return ""
    if broken.group(2) == "¬" and right[0].islower():
        return "-"  # a scanner's sign for a hyphen that only the line's end called for
    if right[0].isupper():
        capitals = last.isupper() and len(last) > 1 and (right.isupper() or len(right) == 1)
        numerals = roman_value(last) and roman_value(right)  # "MDCCCCVII-MDCCCCVIII"
        return "-" if capitals and not numerals and joined_without_hyphen(last, right, lexicon) else ""
    return "-" if joined_without_hyphen(last, right, lexicon) else ""


def spaced_breaks(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Breaks in text whose lines were joined before us: "symp- tom" → "symptom"; "pre- and" stays."""
    for match in _spaced_breaks(text):
        left, right = match.groups()
        if right in _SUSPENDED and lexicon.zipf(left + right) < 3.0:
            continue
        whole, divided = left + right, f"{left}-{right}"
        gap = (match.end(1), match.start(2))
        known = lexicon.zipf(whole) >= 2.0 or lexicon.count(whole) > 0
        own_words = lexicon.zipf(left) >= _OWN_WORD and lexicon.zipf(right) >= _OWN_WORD
        if known and joined_without_hyphen(left, right, lexicon, doubt=False):
            yield Edit(*gap, "", "spaced_hyphen")
        elif not own_words and not known and lexicon.count(divided) == 0 and len(whole) >= 7:
            stray = lexicon.zipf(left) >= _FREQUENT and left.lower() not in _GERMAN_PREFIXES
            if lexicon.language != "en" and lexicon.zipf(right) < _OWN_WORD and not stray:
                yield Edit(*gap, "", "spaced_hyphen")
        elif lexicon.count(divided) or (left.lower() in _HYPHEN_PREFIXES and lexicon.language == "en"):
            yield Edit(*gap, "-", "spaced_hyphen")


def _spaced_breaks(text: str) -> Iterator[regex.Match[str]]:
    """The matches of ``_SPACED_BREAK``, looked for only where a hyphen and a blank stand behind a letter."""
    at = text.find("- ")
    done = 0
    while at >= 0:
        start = at
        while start > done and (text[start - 1].isalpha() or unicodedata.category(text[start - 1])[0] == "M"):
            start -= 1
        tries = (_SPACED_BREAK.match(text, begin) for begin in range(start, at - 1))
        match = next((match for match in tries if match is not None), None)
        if match is not None:
            yield match
            done = match.end()
        at = text.find("- ", at + 1)
