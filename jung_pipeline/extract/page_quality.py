"""How good the text of a page is, as a number from 0 to 1 that can be explained.

What misreading leaves behind can be counted without knowing the truth: words that no list has, words that
are not even made like words of the language, letters standing alone, figures inside words, stray signs. The
weights are those that rank the pages of transcribed scans best, English and German alike
(``benchmarks/page_quality.py``).

Words between anything that is no letter are looked up as bytes: that costs a fiftieth of reading the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice

from jung_pipeline.text.words import LANGUAGES, bands

#: So many characters of a page are judged; what follows is of the same make.
JUDGED_CHARACTERS = 1500
#: Fewer words of three letters say nothing about a page.
_ENOUGH_WORDS = 20
#: A page of which the likeliest language knows a smaller share may be in another one: of a scan, and of
#: typeset text, where an index of names is likelier than a change of language.
_SURELY_SHARE, _SURELY_SHARE_TYPESET = 0.5, 0.2
#: What an unknown word costs that is made like a word (a name, a compound, an old spelling), and one that is not.
_UNKNOWN_COST, _MISMADE_COST = 0.5, 1.5
#: Three letters in a row are usual in a language if so many of its most frequent words have them.
_PATTERN_WORDS, _PATTERN_COUNT = 10_000, 2

#: Letters and figures stand for themselves, all else for a blank.
_TO_WORDS = bytes(code if chr(code).isalpha() or chr(code) in "0123456789" else 32 for code in range(256))
#: What belongs to ordinary print, and so is no stray sign. ``?`` stands for everything outside Latin-1.
_ORDINARY = bytes(
    code
    for code in range(256)
    if chr(code).isalnum() or chr(code).isspace() or chr(code) in ".,;:!?'\"()-[]«»§°"
)
_BLANKS = b" \t\n\r\x0b\x0c\xa0"
#: Figures or capitals where a word has small letters. An ordinal (1st, 5th) is none.
_MIXED = re.compile("[a-zß-ÿ][A-ZÀ-Þ0-9]|[0-9](?!(?:st|nd|rd|th)\\b)[a-zß-ÿ]")
#: Single letters that are words.
_LONE_WORDS = frozenset((b"a", b"i", b"o"))


@dataclass(frozen=True)
class PageQuality:
    """What was found on a page: shares of its words (of its characters for ``stray``), 0..1."""

    language: str  # whose list knows most of the words
    words: int  # of three letters or more: those that are judged
    unknown: float  # that no list has
    mismade: float  # that are not even made like words; part of ``unknown``
    spaced: float  # letters standing alone, of all words
    mixed: float  # figures or capitals inside words, to the words judged
    stray: float  # signs outside ordinary print, of all characters

    @property
    def score(self) -> float | None:
        """From 0 (noise) to 1 (every word known), to three places; ``None`` where there is too little to judge."""
        if self.words < _ENOUGH_WORDS:
            return None
        loss = _UNKNOWN_COST * (self.unknown - self.mismade) + _MISMADE_COST * self.mismade
        return round(max(0.0, 1.0 - loss - self.spaced - self.mixed - self.stray), 3)

    @property
    def known(self) -> int:
        """How many words a list has."""
        return round(self.words * (1.0 - self.unknown))

    @property
    def readable(self) -> int:
        """How many words are known, or at least made like words."""
        return round(self.words * (1.0 - self.mismade))

    @property
    def reason(self) -> str:
        """The score in words: what was counted, the weightiest first."""
        found = (
            (_MISMADE_COST * self.mismade, f"{self.mismade:.0%} of the words are not made like words"),
            (_UNKNOWN_COST * (self.unknown - self.mismade), f"{self.unknown - self.mismade:.0%} are unknown"),
            (self.spaced, f"{self.spaced:.0%} are single letters"),
            (self.mixed, f"{self.mixed:.1%} have figures or capitals inside"),
            (self.stray, f"{self.stray:.1%} of the characters are stray signs"),
        )
        said = [text for cost, text in sorted(found, key=lambda item: -item[0]) if cost >= 0.005]
        return ", ".join(said) or "every word is known"


def judge(text: str, languages: Sequence[str] = LANGUAGES, *, scanned: bool = True) -> PageQuality:
    """The quality of a text.

    Args:
        text: of one page, or its first :data:`JUDGED_CHARACTERS`.
        languages: codes of the lists to look in, the likeliest first; the others are asked only where it
            knows too few of the words.
        scanned: whether to look into the words. In typeset text an unknown word is a rare one, in a scan it
            may be a misread one.
    """
    text = text[:JUDGED_CHARACTERS]
    raw = latin_bytes(text)
    words = raw.translate(_TO_WORDS).split()
    judged = [word for word in words if len(word) > 2]
    sure = _SURELY_SHARE if scanned else _SURELY_SHARE_TYPESET
    language, unknown = _least_unknown(judged, languages, sure)
    usual = letter_patterns(language) if scanned and unknown else frozenset()
    mismade = sum(not _is_made_of(word, usual) for word in unknown) if usual else 0
    count = max(1, len(judged))
    lone = sum(1 for word in words if len(word) == 1 and word.isalpha() and word not in _LONE_WORDS)
    solid = max(1, len(raw.translate(None, _BLANKS)))
    return PageQuality(
        language=language,
        words=len(judged),
        unknown=len(unknown) / count,
        mismade=mismade / count,
        spaced=lone / max(1, len(words)),
        mixed=len(_MIXED.findall(text)) / count if scanned else 0.0,
        stray=len(raw.translate(None, _ORDINARY)) / solid,
    )


def latin_bytes(text: str) -> bytes:
    """A text as the word lists write it (in lower case, ß as ss, long s as s) in Latin-1; a question mark for the rest."""
    return text.casefold().encode("latin-1", "replace")


def _least_unknown(words: list[bytes], languages: Sequence[str], sure: float) -> tuple[str, list[bytes]]:
    """The language that knows most of the words, and the words it does not know; the first that knows enough."""
    best, unknown = languages[0], words
    for language in languages:
        known = judged_words(language)
        left = [word for word in words if word not in known]
        if len(left) < len(unknown):
            best, unknown = language, left
        if len(left) <= (1 - sure) * len(words) or len(words) < _ENOUGH_WORDS:
            break
    return best, unknown


@cache
def judged_words(language: str) -> frozenset[bytes]:
    """The words of a language's list, as :func:`latin_bytes` writes them."""
    # One encoding of all: a word at a time would take longer than a chapter.
    return frozenset(latin_bytes("\n".join(chain.from_iterable(bands(language)))).split())


@cache
def letter_patterns(language: str) -> frozenset[bytes]:
    """The runs of three letters that are usual in a language, ``^`` and ``$`` for the ends of a word."""
    counts: dict[bytes, int] = {}
    for word in islice(chain.from_iterable(bands(language)), _PATTERN_WORDS):
        if word.isalpha():
            for pattern in _patterns(word.encode("latin-1", "replace")):
                counts[pattern] = counts.get(pattern, 0) + 1
    return frozenset(pattern for pattern, count in counts.items() if count >= _PATTERN_COUNT)


def _patterns(word: bytes) -> list[bytes]:
    word = b"^" + word + b"$"
    return [word[i : i + 3] for i in range(len(word) - 2)]


def _is_made_of(word: bytes, usual: frozenset[bytes]) -> bool:
    """Whether all of a word's letters follow one another as is usual; a number does."""
    return word.isdigit() or usual.issuperset(_patterns(word))
