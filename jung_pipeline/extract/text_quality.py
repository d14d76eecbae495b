"""Whether the text of a page can be trusted at all.

Two things go wrong with the text of a PDF as a whole. Fonts without a character map give replacement
characters, private-use or random code points. Fonts with a wrong map give well-formed nonsense, such as
the alphabet shifted by some places. Noisy OCR is neither: it is usable, and the cleaner's task.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from jung_pipeline.text.words import LANGUAGES, letter_pair_score, plausible_share, tokens

#: A page with a larger share of characters that are no text is unusable.
MAX_BAD_SHARE = 0.3
#: A line with a larger share of them holds nothing to read.
MAX_BAD_SHARE_LINE = 0.6
#: Nonsense: fewer words known, and letter pairs less likely, than in any language or name list measured
#: (Latin 0.37/-5.5, Sanskrit terms 0.0/-6.1, Hungarian 0.0/-6.8, Fraktur OCR 0.74/-5.7; substitution
#: ciphers of English 0.02..0.16/-7.3..-8.7).
_NONSENSE_WORDS, _NONSENSE_PAIRS = 0.2, -7.2
#: A page alone is judged by so many words, a volume by so many.
_PAGE_WORDS, _VOLUME_WORDS = 60, 25

#: Scripts of scholarly books in European languages and what they quote at length.
_KNOWN_SCRIPTS = (
    "LATIN",
    "GREEK",
    "CYRILLIC",
    "HEBREW",
    "ARABIC",
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "DEVANAGARI",
    "HANGUL",
)

#: Everything but the characters of ordinary European print; a page without them needs no closer look.
_UNUSUAL = re.compile(
    "[^\t-\r -~\xa0-\u017f\u0300-\u036f\u1e00-\u1eff\u2000-\u206f\u20a0-\u20bf\u2100-\u2193\ufb00-\ufb06]"
)


#: The ASCII characters among the usual ones.
_USUAL_ASCII = bytes(code for code in range(128) if not _UNUSUAL.match(chr(code)))


def _has_unusual(text: str) -> bool:
    """Whether a text has characters outside ordinary European print; most texts are settled by ASCII alone."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _USUAL_ASCII)
    return bool(rest) and _UNUSUAL.search(rest.decode("utf-8", "surrogatepass")) is not None


def is_ordinary(text: str) -> bool:
    """Whether a text is made of the characters of ordinary European print alone; there is no more to ask then."""
    return "(cid:" not in text and not _has_unusual(text)


@lru_cache(maxsize=8192)
def _kind(char: str) -> str:
    """``bad``, ``blank``, ``other``, or the script of a letter (``?`` for one outside the known scripts)."""
    category = unicodedata.category(char)
    if char == "\ufffd" or category in ("Co", "Cn", "Cs") or (category == "Cc" and not char.isspace()):
        return "bad"
    if char.isspace():
        return "blank"
    if category[0] not in "LM" or category == "Lm":
        return "other"
    if category[0] == "M":
        return "other"
    name = unicodedata.name(char, "")
    return next((script for script in _KNOWN_SCRIPTS if name.startswith(script)), "?")


def bad_share(text: str) -> float:
    """Share (0..1) of the characters, blanks aside, that stand for no text: U+FFFD, private use, ``(cid:n)``."""
    if is_ordinary(text):
        return 0.0
    counts: Counter[str] = Counter()
    for char, number in Counter(text).items():
        counts[_kind(char)] += number
    solid = sum(counts.values()) - counts["blank"]
    cids = text.count("(cid:") * 7
    return min(1.0, (counts["bad"] + cids) / solid) if solid else 0.0


def foreign_looking(text: str) -> bool:
    """Whether the letters are a jumble: of scripts no such book uses, or of several within most words.

    A font without a character map may give glyph numbers as code points; they fall into whatever scripts
    stand at those numbers.
    """
    if not _has_unusual(text) or len(_UNUSUAL.findall(text)) <= 0.1 * len(text):
        return False
    letters: Counter[str] = Counter()
    words = mixed = 0
    for word in text.split():
        scripts = {k for k in map(_kind, set(word)) if k not in ("bad", "blank", "other")}
        if scripts:
            words += 1
            mixed += len(scripts) > 1
    for char, number in Counter(text).items():
        kind = _kind(char)
        if kind not in ("bad", "blank", "other"):
            letters[kind] += number
    total = sum(letters.values())
    if total < 20:
        return False
    return letters["?"] > 0.5 * total or (words >= 5 and mixed > 0.5 * words) or _unspoken(text, total)


def _unspoken(text: str, letters: int) -> bool:
    """Whether most letters of a non-Latin text are of kinds that running text hardly uses.

    Greek and Cyrillic have blocks of historic and Coptic letters; glyph numbers fall into them.
    """
    rare = sum(
        1 for c in text if "\u03d0" <= c <= "\u03ff" or "\u0460" <= c <= "\u052f" or "\u0180" <= c <= "\u024f"
    )
    return rare > 0.4 * letters


def has_usable_characters(text: str) -> bool:
    """Whether a page's characters are text at all; an empty page has nothing to distrust."""
    return bad_share(text) <= MAX_BAD_SHARE and not foreign_looking(text)


def is_nonsense(words: list[str], *, at_least: int = _PAGE_WORDS) -> bool:
    """Whether so many words are nearly all no words of any language, nor made like words.

    Only Latin letters are judged. Fewer than ``at_least`` words of three letters are not judged.
    """
    words = _judged(words)
    return len(words) >= at_least and _likely_language(words, LANGUAGES) is None and _is_unlike_words(words)


def _judged(words: list[str]) -> list[str]:
    """The words that are judged: of three letters or more, Latin."""
    return [w for w in words if len(w) >= 3 and w[0] <= "\u024f"]


def _likely_language(words: list[str], languages: Sequence[str]) -> str | None:
    """The first language that knows enough of the words for them to be no nonsense."""
    return next((x for x in languages if plausible_share(words, (x,)) > _NONSENSE_WORDS), None)


def _is_unlike_words(words: list[str]) -> bool:
    """Whether words that no single language knows are not made like words either."""
    return plausible_share(words) <= _NONSENSE_WORDS and letter_pair_score(words) < _NONSENSE_PAIRS


def surely_words(known: int, text: str) -> bool:
    """Whether ``known`` words of one language are enough for a text to be no nonsense, whatever the rest is.

    A text has no more words of three letters than a quarter of its characters.
    """
    return known > max(_NONSENSE_WORDS * ((len(text) + 1) // 4), _PAGE_WORDS)


def nonsense_pages(texts: dict[int, str]) -> set[int]:
    """Which pages of a volume (page number to text) are well-formed nonsense.

    A page with enough words is judged alone; the short ones together, and only if all of them taken
    together are nonsense, so that a page of names or a Latin motto stands.
    """
    found: set[int] = set()
    short: dict[int, list[str]] = {}
    likely = list(LANGUAGES)  # the language of the page before first
    for page, text in texts.items():
        words = [w for w in tokens(text) if len(w) >= 3]
        if len(words) < _PAGE_WORDS:
            short[page] = words
            continue
        judged = _judged(words)
        if len(judged) < _PAGE_WORDS:
            continue
        language = _likely_language(judged, likely)
        if language:
            likely.remove(language)
            likely.insert(0, language)
        elif _is_unlike_words(judged):
            found.add(page)
    together = [w for words in short.values() for w in words]
    if is_nonsense(together[:2000], at_least=_VOLUME_WORDS):
        found.update(page for page, words in short.items() if words)
    return found
