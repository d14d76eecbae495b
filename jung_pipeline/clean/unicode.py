"""Characters: one form for each letter, nothing invisible, nothing unreadable.

Greek and every other script is left as it is but for NFC; nothing is transliterated.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import regex

from jung_pipeline.clean.hyphenation import HARD_HYPHEN, joined_without_hyphen
from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.tracked import Edit, TrackedText

_LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_SPACES = frozenset(
    "\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\u2028\u2029\x0b\x0c\x85\r"
)
#: Hyphens of typographers; dashes are not among them.
_HYPHENS = frozenset("\u2010\u2011\u2e17\u2e40")
#: Accents that stand free, and the combining mark each means.
_ACCENTS = {
    "\u00a8": "\u0308",
    "\u00b4": "\u0301",
    "\u02c6": "\u0302",
    "\u02dc": "\u0303",
    "\u00b8": "\u0327",
    "\u02c7": "\u030c",
    "\u02da": "\u030a",
    "\u02d8": "\u0306",
}
#: A grave accent from a keyboard, between a letter and a vowel: "d´ej`a"; "l`amour" is elided.
_FREE_GRAVE = regex.compile(
    r"(?<=\p{L})(?<!\b(?:[ldjnsmtc]|qu))`([aeiouAEIOU])|(?<=\p{L})([aeu])`(?!\p{L}|`)"
)
#: UTF-8 that was read as Windows-1252: a lead byte and its continuations, as that code page shows them.
_MOJIBAKE = regex.compile(
    "[\u00c2-\u00df][\x80-\xbf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]"
    "|[\u00e0-\u00ef][\x80-\xbf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]{2}"
)
#: What such text always has: no writer puts these side by side.
_TELLS_MOJIBAKE = re.compile(
    "\u00c3[\xa0-\xbf\x80-\x9f\u201e\u2013\u0152\u0178\u0153\u0161\u2030\u2039]|\u00e2\u20ac[\u0153\u2122\u02dc\x9d\u201c\u201d\u00a6]"
)

#: Letters that lose their dot under an accent.
_DOTTED = {"ı": "i", "ȷ": "j"}
#: The acute also stands for an apostrophe or a prime: on other letters than these only if that makes a word.
_ACUTE = "\u00b4"
_TAKES_ACUTE = frozenset("aeiouyAEIOUY")

#: Everything the one pass over the text looks at.
_SPECIAL = regex.compile(
    "["
    + "".join(_LIGATURES)
    + "".join(_SPACES)
    + "".join(_HYPHENS)
    + "\u00ad\u017f\ufffd"
    + r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
    + "\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
    + "\ud800-\udfff"
    + "]"
)
_SEVERAL = regex.compile(r"\p{L}+\u00ad\p{L}")
_SEVERAL_BEFORE = regex.compile(r"\p{L}\u00ad\p{L}+$")
_SOFT_INSIDE = regex.compile(r"(?<!\p{L})(\p{L}+)\u00ad(\p{L}+)(?!\p{L})")
#: So many soft hyphens are looked at, and so many of them must be hyphens.
_JUDGED, _REAL = 400, 3
_CLUSTER = regex.compile(r"\X")
_FREE_ACCENT = regex.compile("(\\p{L}?)([" + "".join(_ACCENTS) + "])(\\p{L}?)")
_LETTERS_BEFORE = regex.compile(r"\p{L}*$")
_LETTERS_AFTER = regex.compile(r"\p{L}*")


def normalise_characters(text: TrackedText, lexicon: Lexicon) -> None:
    """All rules about single characters, in an order that leaves the text in NFC."""
    if text.text.isascii() and not _SPECIAL.search(text.text):
        return
    if _TELLS_MOJIBAKE.search(text.text):
        text.apply(_misdecoded(text.text))
    text.apply(_ligature_gaps(text.text, lexicon))
    text.apply(_special_characters(text.text, lexicon))
    text.apply(_free_accents(text.text, lexicon))
    compose(text)


def _misdecoded(text: str) -> Iterator[Edit]:
    """UTF-8 read as Windows-1252, read again as what it is: "ZÃ¼rich", "wasnâ€™t"."""
    for match in _MOJIBAKE.finditer(text):
        try:
            read = b"".join(map(_byte_of, match.group())).decode("utf-8")
        except UnicodeError:
            continue
        yield Edit(match.start(), match.end(), read, "encoding")


def _byte_of(char: str) -> bytes:
    """The byte that Windows-1252 shows as ``char``; the few it does not define are shown as control characters."""
    return bytes([ord(char)]) if char < "\u00a0" else char.encode("cp1252")


def compose(text: TrackedText) -> bool:
    """Put the text in NFC; whether it was not.

    Joining lines and taking out what stood between letters may bring an accent behind its letter.
    """
    if unicodedata.is_normalized("NFC", text.text):
        return False
    text.apply(_composed(text.text))
    return True


def _special_characters(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    always_seen = _soft_hyphens_are_hyphens(text, lexicon)
    present = "".join(char for char in set(text) if _SPECIAL.match(char))
    for match in re.finditer("[" + re.escape(present) + "]", text) if present else ():
        char, at = match.group(), match.start()
        if char in _LIGATURES:
            yield Edit(at, at + 1, _LIGATURES[char], "ligature")
        elif char in _SPACES:
            yield Edit(at, at + 1, " ", "space_form")
        elif char == "\u00ad":
            seen = always_seen and text[at + 1 : at + 2].isalnum()
            yield (Edit(at, at + 1, "-", "soft_hyphen_visible") if seen else _soft_hyphen(text, at, lexicon))
        elif char in _HYPHENS:
            yield Edit(at, at + 1, "-", "hyphen_form")
        elif char == "\u017f":
            yield Edit(at, at + 1, "s", "long_s")
        elif "\ud800" <= char <= "\udbff" and "\udc00" <= text[at + 1 : at + 2] <= "\udfff":
            pair = char + text[at + 1]
            yield Edit(at, at + 2, pair.encode("utf-16-le", "surrogatepass").decode("utf-16-le"), "composed")
        else:
            yield Edit(at, at + 1, "", "invisible")


def _soft_hyphens_are_hyphens(text: str, lexicon: Lexicon) -> bool:
    """Whether the volume's soft hyphens inside lines are the hyphens that its font shows.

    Where words might be divided, what stands around a soft hyphen is nearly always a word without it.
    """
    inside = list(_SOFT_INSIDE.finditer(text, overlapped=True))[:_JUDGED]
    real = sum(
        not joined_without_hyphen(match.group(1), match.group(2), lexicon, doubt=True) for match in inside
    )
    return real >= _REAL and real >= 0.25 * len(inside)


def _soft_hyphen(text: str, at: int, lexicon: Lexicon) -> Edit:
    """What becomes of the soft hyphen at ``at``.

    Some fonts store every hyphen as a soft one, so it is dropped inside a line only if the word without it
    is the better word; at the end of a line it becomes a hyphen, and the joining of words decides.
    """
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    at_line_end = after in ("\n", "") or (after == " " and text[at + 2 : at + 3] == "\n")
    if before in _HYPHENS | {"-"}:
        # A hyphen printed before it is the author's; HARD_HYPHEN keeps the joining of lines off it.
        return (
            Edit(at - 1, at + 1, HARD_HYPHEN, "soft_hyphen")
            if at_line_end
            else Edit(at, at + 1, "", "soft_hyphen")
        )
    if not before or before == "\u00ad" or (before.isspace() and not after.isspace()):
        return Edit(at, at + 1, "", "soft_hyphen")
    if at_line_end:
        return Edit(at, at + 1, "-", "soft_hyphen_visible")
    if _SEVERAL.match(text, at + 1) or _SEVERAL_BEFORE.search(text, max(0, at - 30), at):
        return Edit(at, at + 1, "", "soft_hyphen")  # every place where the word might be divided
    if before.isalpha() and after.isalpha():
        left = _LETTERS_BEFORE.search(text, max(0, at - 40), at)
        right = _LETTERS_AFTER.match(text, at + 1)
        if (
            left
            and right
            and left.group()
            and not joined_without_hyphen(left.group(), right.group(), lexicon, doubt=True)
        ):
            return Edit(at, at + 1, "-", "soft_hyphen_visible")
        return Edit(at, at + 1, "", "soft_hyphen")
    if before.isdigit() or after.isdigit():
        return Edit(at, at + 1, "-", "soft_hyphen_visible")
    return Edit(at, at + 1, "", "soft_hyphen")


def _ligature_gaps(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Blanks directly beside a ligature that divide a word: "ﬁ eld", but not "oﬀ the"."""
    if not any(ligature in text for ligature in _LIGATURES):
        return
    table = str.maketrans(_LIGATURES)
    signs = "".join(_LIGATURES)
    for match in regex.finditer(
        rf"([\p{{L}}{signs}]*[{signs}])( )(\p{{Ll}}[\p{{L}}{signs}]*)|([\p{{L}}]+)( )([{signs}][\p{{L}}{signs}]*)",
        text,
        overlapped=True,
    ):
        group = 1 if match.group(1) is not None else 4
        left, right = match.group(group).translate(table), match.group(group + 2).translate(table)
        whole = lexicon.zipf(left + right)
        if whole >= 2.5 and whole > min(lexicon.zipf(left), lexicon.zipf(right)):
            yield Edit(match.start(group + 1), match.end(group + 1), "", "ligature_gap")


def _free_accents(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Free accents put on the letter after them (old TeX) or before them, whichever composes to a letter."""
    for match in _FREE_GRAVE.finditer(text) if "`" in text else ():
        letter = unicodedata.normalize("NFC", (match.group(1) or match.group(2)) + "\u0300")
        yield Edit(match.start(), match.end(), letter, "spacing_accent")
    if not any(accent in text for accent in _ACCENTS):
        return
    for match in _FREE_ACCENT.finditer(text):
        before, accent, after = match.groups()
        on_next = unicodedata.normalize("NFC", _DOTTED.get(after, after) + _ACCENTS[accent]) if after else ""
        on_last = unicodedata.normalize("NFC", before + _ACCENTS[accent]) if before else ""
        can_next, can_last = len(on_next) == 1 and bool(after), len(on_last) == 1 and bool(before)
        left = _LETTERS_BEFORE.search(text, max(0, match.start() - 30), match.start())
        right = _LETTERS_AFTER.match(text, match.end())
        head, tail = left.group() if left else "", right.group() if right else ""
        if accent == _ACUTE:
            can_next &= after in _TAKES_ACUTE or lexicon.zipf_anywhere(head + before + on_next + tail) > 0
            can_last &= (before in _TAKES_ACUTE and not after) or (
                lexicon.zipf_anywhere(head + on_last + after + tail) > 0
            )
        if can_next and can_last:
            can_next = lexicon.zipf(head + before + on_next + tail) >= lexicon.zipf(
                head + on_last + after + tail
            )
        if can_next:
            yield Edit(match.start(2), match.end(), on_next, "spacing_accent")
        elif can_last:
            yield Edit(match.start(), match.end(2), on_last, "spacing_accent")


def _composed(text: str) -> Iterator[Edit]:
    """Every cluster of letter and marks that is not in NFC, put in NFC."""
    at = 0
    for line in text.split("\n"):
        if not unicodedata.is_normalized("NFC", line):
            for match in _CLUSTER.finditer(line):
                composed = unicodedata.normalize("NFC", match.group())
                if composed != match.group():
                    # Not the blank that accents stand on: it may go, at a line's beginning, for reasons of its own.
                    blank = len(composed) - len(composed.lstrip()) if composed[1:] else 0
                    start = at + match.start() + blank
                    yield Edit(start, at + match.end(), composed[blank:], "composed")
        at += len(line) + 1
