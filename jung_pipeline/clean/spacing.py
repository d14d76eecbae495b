"""Letter-spacing and small capitals in two sizes: closed up to words.

"P A R T   T W O" has a wider gap between words; "T H E S E L F" has none, and its words are found by their
frequencies; "k o l l e k t i v e" inside a sentence is German emphasis. Single letters that mean letters
("Cards A B C D", "C. G. Jung") are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import regex

from jung_pipeline.clean import tokens
from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.numerals import roman_value
from jung_pipeline.clean.tracked import Edit

#: Three single letters or more, divided by blanks; the last may carry a sign of punctuation.
_RUN = regex.compile(
    r"(?<![^\s(„“\"'‘«»—-])\p{L}(?:(?: +|(?<=\p{L}) ?['’] ?)\p{L}(?![\p{L}\p{M}\p{N}])){2,}(?!\.\s?\p{Lu}\.)"
)
#: An initial and the rest of its word, all capitals: "M YTH".
_INITIAL = regex.compile(r"(?<![\p{L}\p{N}.'’-])(\p{Lu}) (\p{Lu}{2,})(?![\p{L}\p{N}])")
#: What a letter-spaced word goes on with in the next line.
_REST = regex.compile(r"[-¬]\s*\n\s*(\p{Ll}(?: \p{Ll})+)(?!\p{L})")
#: Behind a sign that stands close to its word: not the first of several ("word . . ."), nor before French quotes.
_BEHIND_SIGN = re.compile(r"(?=\s|$|[”’\"')\]])(?! [.»])")

#: So far behind its end ``_RUN`` looks.
_LOOK_AHEAD = 5
_WORD_LIKELY = 2.5
#: Short words need to be this frequent to be found inside a run of letters.
_SHORT_LIKELY = {1: 6.0, 2: 5.0, 3: 4.4}
_LONGEST = 18


def letter_spacing(text: str, lexicon: Lexicon, names: frozenset[str]) -> Iterator[Edit]:
    """Runs of single letters that are words, closed up.

    Args:
        text: lines divided by line feeds; gaps inside lines as they were.
        lexicon: word evidence.
        names: names (lower case) that get their capital back when they were spaced in small letters.
    """
    for match in _runs(text):
        line_start = text.rfind("\n", 0, match.start()) + 1
        line_end = text.find("\n", match.end())
        line = text[line_start : line_end if line_end >= 0 else len(text)]
        alone = not regex.search(r"[\p{L}]", line.replace(match.group(), "", 1))
        closed = _close(match.group(), lexicon, alone=alone)
        if closed is None:
            closed = _broken(match, text, lexicon)
        if closed is None:
            continue
        bare = regex.sub(r"['’]s$", "", closed)
        if (
            bare.lower() in names
            and not bare.isupper()
            and (bare != bare.lower() or lexicon.language != "de")
        ):
            closed = closed[0].upper() + closed[1:].lower()
        if closed != match.group():
            # The gaps around the run were as wide as those between its words: "L E C T U R E   1".
            before = regex.search(r"(?<=\S) {2,}$", text[line_start : match.start()])
            after = regex.match(r" {2,}(?=\S)", text[match.end() : line_end if line_end >= 0 else None])
            yield Edit(
                match.start() - (len(before.group()) if before else 0),
                match.end() + (after.end() if after else 0),
                (" " if before else "") + closed + (" " if after else ""),
                "letter_spacing",
            )


def spaced_signs(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Blanks between a word and the sign of punctuation that English and German put close to it: "He came , saw"."""
    if lexicon.language not in ("en", "de"):
        return
    found = []
    for sign in ",;:?!.":
        at = text.find(f" {sign}")
        while at >= 0:
            close = text[at - 1 : at].isalpha() or text[at - 1 : at] in (")", "]", "”", "’")
            if at and close and _BEHIND_SIGN.match(text, at + 2):
                found.append(at)
            at = text.find(f" {sign}", at + 2)
    for at in sorted(found):
        if text[at + 1 : at + 3] != "?)":
            yield Edit(at, at + 1, "", "space_before_sign")


def _runs(text: str) -> Iterator[regex.Match[str]]:
    """The matches of ``_RUN``, looked for only in lines that have three letters, each by itself, in a row."""
    last = -1
    for start in tokens.rows_of_single_letters(text, 3, " '’"):
        if start < last:
            continue
        begin = text.rfind("\n", 0, start) + 1
        last = text.find("\n", start)
        last = last if last >= 0 else len(text)
        for match in _RUN.finditer(text, begin, min(len(text), last + _LOOK_AHEAD)):
            if match.start() < last:
                yield match


def _broken(match: regex.Match[str], text: str, lexicon: Lexicon) -> str | None:
    """The first part of a letter-spaced word that a line's end divides ("U n b e-"), closed up; else ``None``."""
    rest = _REST.match(text, match.end())
    if rest is None:
        return None
    part = match.group().replace(" ", "")
    return part if lexicon.is_word(part + rest.group(1).replace(" ", "")) else None


def _close(run: str, lexicon: Lexicon, *, alone: bool) -> str | None:
    """The words of a run of single letters, or ``None`` if they are letters and no words."""
    gaps = [len(gap) for gap in regex.findall(r" +", run)]
    narrow = min(gaps) if gaps else 1
    groups = regex.split(" {" + str(narrow + 1) + ",}", run) if max(gaps, default=1) > narrow else [run]
    words = []
    headed = len(groups) > 1 and any(len(group.replace(" ", "")) >= 4 for group in groups)
    for group in groups:
        letters = group.replace(" ", "")
        if alone and headed and (roman_value(letters) or letters in ("A", "I")) and letters.isupper():
            words.append(letters)  # "C H A P T E R  I I"
            continue
        word = _words_of(letters, lexicon, sure=alone and len(groups) > 1)
        if word is None:
            return None
        words.append(word)
    return " ".join(words)


def _words_of(letters: str, lexicon: Lexicon, *, sure: bool) -> str | None:
    """``letters`` as one word or several, by evidence; ``sure`` if the gaps already show word boundaries."""
    owner = regex.fullmatch(r"(.{3,})(['’]s)", letters)
    if owner:
        inner = _words_of(owner.group(1), lexicon, sure=sure)
        return inner + owner.group(2) if inner else None
    capitals = regex.split(r"(?<=\p{Ll})(?=\p{Lu})", letters)
    if len(capitals) > 1:
        found = [_words_of(word, lexicon, sure=True) for word in capitals if len(word) > 2]
        closed = [word for word in found if word is not None]
        return " ".join(closed) if len(closed) == len(capitals) else None
    mixed = regex.fullmatch(r"(\p{Lu}*)(\p{Lu}\p{Ll}+)", letters)
    if mixed and mixed.group(1):
        # "C G J u n g": the capitals before a spaced name are initials.
        inner = _words_of(mixed.group(2), lexicon, sure=sure)
        return " ".join([*mixed.group(1), inner]) if inner else None
    bare = letters.replace("'", "").replace("’", "")
    if _alphabetical(bare) or len(set(bare)) == 1:
        return None
    if sure:
        return letters
    if len(bare) >= 4 and (lexicon.zipf(bare) >= _WORD_LIKELY or lexicon.count(bare) >= 2):
        return letters
    if len(bare) == 3 and lexicon.zipf(bare) >= 4.5:
        return letters
    if len(bare) < 5:
        return None
    parts = segment(bare, lexicon)
    if parts and len(bare) / len(parts) >= 2.6:
        at, words = 0, []
        for part in parts:
            words.append(letters[at : at + len(part)])
            at += len(part)
        return " ".join(words) if bare == letters else letters
    vowels = sum(char in "aeiouyäöüéèàAEIOUYÄÖÜ" for char in bare) / len(bare)
    if len(bare) >= 6 and 0.2 <= vowels <= 0.7:
        return letters
    return None


def _alphabetical(letters: str) -> bool:
    """Whether the letters follow one another in the alphabet."""
    steps = [ord(b) - ord(a) for a, b in zip(letters.lower(), letters.lower()[1:], strict=False)]
    return all(step == 1 for step in steps)


def segment(letters: str, lexicon: Lexicon) -> list[str] | None:
    """``letters`` divided into frequent words, the likeliest way; ``None`` if there is none."""
    lower = letters.lower()
    best: list[tuple[float, int]] = [(0.0, 0)] + [(float("-inf"), 0)] * len(lower)
    for end in range(1, len(lower) + 1):
        for start in range(max(0, end - _LONGEST), end):
            word = lower[start:end]
            likely = lexicon.zipf(word)
            if likely < _SHORT_LIKELY.get(len(word), 3.0):
                continue
            score = best[start][0] + likely - 9.0
            if score > best[end][0]:
                best[end] = (score, start)
    if best[-1][0] == float("-inf"):
        return None
    words, end = [], len(lower)
    while end:
        start = best[end][1]
        words.append(letters[start:end])
        end = start
    return words[::-1]


def small_capitals(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Initials set larger than the rest of a word in capitals: "P SYCHOLOGY" → "PSYCHOLOGY"."""
    points = tokens.code_points(text)
    capital = (tokens.classes(points) & tokens.CAPITAL) > 0
    begins = capital[:-3] & (points[1:-2] == ord(" ")) & capital[2:-1] & capital[3:]
    for start in np.flatnonzero(begins).tolist():
        match = _INITIAL.match(text, start)
        if match is None:
            continue
        initial, rest = match.groups()
        whole, alone = lexicon.zipf(initial + rest), lexicon.zipf(rest)
        is_word = initial in "AIOÉ"
        if (whole >= 2.0 and whole > alone and not (is_word and alone >= 3.0)) or (
            not is_word and alone < 1.5 and len(rest) >= 3 and lexicon.count(initial + rest) > 0
        ):
            yield Edit(match.end(1), match.start(2), "", "small_capitals")
