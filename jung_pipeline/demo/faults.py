"""The faults of a scan read by a machine in the manner of the 1950s page: injected by a seeded table.

Whoever builds a scan gets the same faults each time, and a list of them with the right readings.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, fields

#: Whole words as a reader of worn type takes them; each is a known fault of such files.
_WORDS = {
    "the": ("tbe", "tlie", "thc"),
    "The": ("Tbe", "Tlie"),
    "and": ("arid", "aud"),
    "that": ("tbat", "tliat"),
    "with": ("witb", "wilh"),
    "which": ("whicb", "wliich"),
    "have": ("bave",),
    "had": ("bad", "liad"),
    "he": ("be", "lie"),
    "him": ("bim", "liim"),
    "his": ("bis", "liis"),
    "not": ("riot",),
    "one": ("onc",),
    "dream": ("drearn",),
    "dreams": ("drearns",),
    "of": ("oi",),
}
#: Letters and groups of letters taken for others, tried in this order where they occur in a longer word.
_LETTERS = (
    ("m", "rn"),
    ("rn", "m"),
    ("cl", "d"),
    ("li", "h"),
    ("ll", "11"),
    ("l", "1"),
    ("h", "b"),
    ("e", "c"),
    ("in", "m"),
    ("o", "0"),
    ("u", "n"),
)
_CAPITALS = (("O", "0"), ("I", "l"), ("E", "F"), ("S", "5"), ("H", "II"), ("T", "7"), ("R", "K"), ("G", "C"))
_DIGITS = (("1", "l"), ("0", "O"), ("5", "S"), ("2", "z"))
_GREEK = str.maketrans("αάβγδεέἐζηήθικλμνξοόπρσςτυύφχψωώίἰὁ", "aaByScecCqq0ixAuvEoonpccruuqxywwiio")
#: What stains and paper edges are read as.
SPECKS = (".", "'", "~", "•", ",", "|", "- .", "_")


@dataclass(frozen=True)
class FaultRates:
    """How often each fault strikes, as a share of the places where it can (0 never, 1 always)."""

    seed: int = 1950
    misreading: float = 0.03  # of words
    split_word: float = 0.004  # of words of seven letters or more
    joined_words: float = 0.003  # of words
    author_spaced: float = 0.8  # of the occurrences of "Jung"
    greek_misread: float = 1.0  # of Greek words
    letter_spaced_heading: float = 1.0  # of headings
    running_head: float = 0.8  # of running heads
    page_number: float = 0.1  # of page numbers
    speck: float = 0.2  # of pages
    stamp: float = 1.0  # of pages

    def __post_init__(self) -> None:
        """Refuse shares outside 0..1."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "seed" and not 0 <= value <= 1:
                raise ValueError(f"{field.name} is a share between 0 and 1, not {value}.")


#: A scan whose text layer is right, for comparison: no stamp, nothing misread.
NO_FAULTS = FaultRates(
    misreading=0,
    split_word=0,
    joined_words=0,
    author_spaced=0,
    greek_misread=0,
    letter_spaced_heading=0,
    running_head=0,
    page_number=0,
    speck=0,
    stamp=0,
)


class Misreader:
    """Reads words wrongly, always in the same way for the same seed, book, and order of questions."""

    def __init__(self, rates: FaultRates, key: str) -> None:
        self.rates = rates
        self.random = random.Random(f"{rates.seed}:{key}")
        self.authors = 0  # occurrences of the author's name so far

    def strikes(self, rate: float) -> bool:
        """Whether a fault of this rate happens now."""
        return self.random.random() < rate

    def word(self, word: str) -> tuple[str, str] | None:
        """``(kind of fault, reading)`` for a printed word, or ``None`` where it is read rightly."""
        core = re.search(r"[^\W\d_]+", word)
        if core is None:
            return None
        letters = core[0]
        if any("\u0370" <= c <= "\u03ff" or "\u1f00" <= c <= "\u1fff" for c in letters):
            return self._if("greek_misread", word, word.translate(_GREEK))
        if letters == "Jung":
            self.authors += 1
            spaced = ("j u n g", "J u n g")[self.authors % 2]
            return self._if("author_spaced", word, word.replace("Jung", spaced))
        if len(letters) >= 7 and letters.isascii() and self.strikes(self.rates.split_word):
            middle = core.start() + self.random.randrange(3, len(letters) - 2)
            return "split_word", f"{word[:middle]} {word[middle:]}"
        if self.strikes(self.rates.misreading):
            reading = self._misread(letters)
            if reading != letters:
                return "misreading", word[: core.start()] + reading + word[core.end() :]
        return None

    def _if(self, kind: str, word: str, reading: str) -> tuple[str, str] | None:
        return (kind, reading) if self.strikes(getattr(self.rates, kind)) and reading != word else None

    def _misread(self, letters: str) -> str:
        if letters in _WORDS:
            return self.random.choice(_WORDS[letters])
        if len(letters) < 4:
            return letters
        possible = [pair for pair in _LETTERS if pair[0] in letters[1:]]
        if not possible:
            return letters
        old, new = self.random.choice(possible)
        places = [m.start() for m in re.finditer(re.escape(old), letters) if m.start()]
        place = self.random.choice(places)
        return letters[:place] + new + letters[place + len(old) :]

    def running_head(self, head: str) -> str:
        """A head in capitals with one or two of its letters taken for others."""
        if not self.strikes(self.rates.running_head):
            return head
        for _ in range(self.random.choice((1, 1, 2))):
            head = self._swap(head, _CAPITALS)
        return head + "." if self.random.random() < 0.15 else head

    def page_number(self, label: str) -> str:
        """A page number, now and then with a letter for a digit."""
        return self._swap(label, _DIGITS) if self.strikes(self.rates.page_number) else label

    def speck(self) -> str | None:
        """What a stain on this page is read as, or ``None``."""
        return self.random.choice(SPECKS) if self.strikes(self.rates.speck) else None

    def _swap(self, text: str, pairs: tuple[tuple[str, str], ...]) -> str:
        places = [(m.start(), old, new) for old, new in pairs for m in re.finditer(old, text)]
        if not places:
            return text
        place, old, new = self.random.choice(places)
        return text[:place] + new + text[place + len(old) :]
