"""The normal forms in which words are compared: for search, for checking quotations, for telling languages.

Two texts that a reader calls the same words must be equal here: quote styles, dashes, soft hyphens, line
breaks, capitals, accents, ligatures and the long s do not count. Every form keeps the way back to offsets
(Unicode code points) in the text as it was, so that what was found can be shown as printed.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import regex

#: Letters that NFKD leaves whole but readers take for two.
_LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "þ": "th", "ð": "d"})

#: Characters that are not there for a reader: soft hyphen, zero-width space and joiners, byte order mark.
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

_WORD = regex.compile(rf"[\p{{L}}\p{{N}}](?:[\p{{L}}\p{{N}}\p{{M}}{INVISIBLE}]|['’ʼ](?=\p{{L}}))*")


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """``text`` in lower case without accents, ligatures opened, apostrophes and invisible marks gone.

    Other punctuation and white space stay: this is for single words and short names.
    """
    if text.isascii() and text.isalpha():
        return text.lower()
    text = unicodedata.normalize("NFKD", text.casefold().translate(_LIGATURES))
    return "".join(
        c for c in text if not unicodedata.combining(c) and c not in INVISIBLE and c not in "'’ʼ"
    ).casefold()


@dataclass(frozen=True)
class Word:
    """A word of a text: its folded form, and where it stands (``text[start:end]``)."""

    form: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """The words of ``text`` in order. An apostrophe inside a word belongs to it; hyphens divide."""
    found = []
    for match in _WORD.finditer(text):
        form = fold(match[0])
        if form:
            found.append(Word(form, match.start(), match.end()))
    return found


@dataclass(frozen=True)
class Letters:
    """A text as its folded letters and digits alone: no spaces, no punctuation.

    In this form "dream-work", "dream work" and the same at a line end are equal, so neither hyphens nor line
    breaks stand in the way of a comparison, while a changed or missing word still does.
    """

    letters: str
    offsets: tuple[int, ...]  # of the character of the text behind each letter
    word_starts: frozenset[int]  # positions in ``letters`` where a word begins

    def find(self, piece: str, start: int = 0) -> int:
        """Where ``piece`` (folded letters) stands at or after ``start`` as whole words; -1 if nowhere."""
        if not piece:
            return -1
        at = self.letters.find(piece, start)
        while at != -1:
            end = at + len(piece)
            if at in self.word_starts and (end == len(self.letters) or end in self.word_starts):
                return at
            at = self.letters.find(piece, at + 1)
        return -1


def letters(text: str) -> Letters:
    """``text`` as :class:`Letters`."""
    pieces: list[str] = []
    offsets: list[int] = []
    starts: set[int] = set()
    for match in _WORD.finditer(text):
        starts.add(len(offsets))
        for index in range(match.start(), match.end()):
            folded = fold(text[index])
            pieces.append(folded)
            offsets.extend([index] * len(folded))
    return Letters("".join(pieces), tuple(offsets), frozenset(starts))


# --------------------------------------------------------------------------------------------------
# content words and languages
# --------------------------------------------------------------------------------------------------


def _split(listed: str) -> list[str]:
    """The words of a list, folded."""
    return [fold(word) for word in listed.split()]


_ENGLISH = _split("""a about after again all also am an and any are as at be because been before being between both
but by can cannot could did do does doing down during each few for from further had has have having he her here
hers him his how i if in into is it its itself just me more most much my no nor not of off on once one only or
other our out over own same shall she should so some such than that the their them then there these they this
those through thus to too under until up upon us very was we were what when where which while who whom whose
why will with would you your""")

_GERMAN = _split("""aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann
das dass daß dein dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein
eine einem einen einer eines er es etwas euch für gegen haben hat hatte hier ich ihm ihn ihnen ihr ihre im in
ins ist ja jede jeder jedes jener jetzt kann kein keine können man mein mich mir mit muß muss nach nicht nichts
noch nun nur ob oder ohne sehr sein seine sich sie sind so soll solche um und uns unter vom von vor war waren
was weil welche welcher wenn wer werden wie wieder will wir wird wo worden zu zum zur zwar zwischen über""")

#: Words that carry grammar rather than matter, folded, by language.
STOP_WORDS = {
    "en": frozenset(_ENGLISH),
    "de": frozenset(_GERMAN),
}
_ALL_STOP_WORDS = STOP_WORDS["en"] | STOP_WORDS["de"]

#: Words of asking and of talking about books: in a question they say nothing about its subject.
ASKING_WORDS = frozenset(
    _split("""say says said tell tells mean means meant meaning explain explains describe describes define
    definition call calls called name names named give gives given think thinks thought write writes wrote
    written speak speaks according difference compare please find book books chapter page passage passages text
    author quote quotation line word words way part make makes made use uses used like get does kind there
    sagt sagen schreibt heißt bedeutet erklärt nennt meint buch kapitel seite stelle unterschied""")
)

#: Words that turn a sentence round. An omission or insertion in a quotation must not hide one.
NEGATIONS = frozenset(
    _split("""not no never nor neither none nothing nobody nowhere cannot can't don't doesn't didn't isn't
    aren't wasn't weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't without hardly scarcely
    nicht nie niemals kein keine keinen keinem keiner keines nichts niemand weder ohne kaum non nec ne pas
    """)
)


def language_of(text: str) -> str | None:
    """The language that the little words of ``text`` speak, "en" or "de"; ``None`` where they do not say."""
    forms = [word.form for word in words(text)]
    english = sum(form in STOP_WORDS["en"] for form in forms)
    german = sum(form in STOP_WORDS["de"] for form in forms) + 2 * sum(c in "äöüß" for c in text.lower())
    if english == german:
        return None
    return "en" if english > german else "de"


def content_terms(text: str) -> dict[str, str]:
    """The words of ``text`` that carry its matter, in order, each once: folded form to the word as written."""
    terms: dict[str, str] = {}
    for word in words(text):
        if len(word.form) > 1 and word.form not in _ALL_STOP_WORDS and word.form not in ASKING_WORDS:
            terms.setdefault(word.form, text[word.start : word.end])
    return terms


def content_words(text: str) -> list[str]:
    """The folded words of ``text`` that carry its matter, in order, each once."""
    return list(content_terms(text))


_ENDINGS = regex.compile(r"(?:ings?|edly|ed|ies|es|s|ly|en|er|ern|em|e|n|y)$")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A rough stem of a folded English or German word: common endings off, at least four letters left.

    Only good for asking whether two words belong together; it is never shown.
    """
    for _ in range(2):
        shorter = _ENDINGS.sub("", word)
        if len(shorter) < 4:
            break
        word = shorter
    return word


def stems(text: str) -> frozenset[str]:
    """The stems of all words of ``text``."""
    return frozenset(stem(word.form) for word in words(text))


def squeeze(text: str) -> str:
    """``text`` with every run of white space as one space, trimmed."""
    return " ".join(text.split())
