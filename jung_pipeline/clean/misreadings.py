"""Misread words, put right on evidence.

A word that is no word (unknown to the languages of the volume, rare in it) is weighed against the frequent
words it may be a misreading of: how frequent each is, here and in general, times how likely a scanner reads the
one for the other (:mod:`jung_pipeline.clean.confusions`). It is corrected only if one word explains it far
better than every other and than the assumption that it is a name, a foreign or a rare word. How likely
misreadings are is learned from the volume: its clear cases are found first, and a volume without any is left
alone.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import regex

from jung_pipeline.clean import list_noise, one_off, shapes, tokens
from jung_pipeline.clean.confusions import LONGEST, Channel
from jung_pipeline.clean.lexicon import Lexicon, bands
from jung_pipeline.clean.long_s import words_with_long_s
from jung_pipeline.clean.spellings import is_compound, is_derived, is_inflected, modern_german, spellings
from jung_pipeline.clean.split_words import divided, of_small_words, two_small_words
from jung_pipeline.clean.tracked import Edit
from jung_pipeline.text import words as word_lists

#: A letter or sign directly before or behind what is no word of its own: an address, a part of a contraction.
_GLUED, _GLUED_BY_LETTER, _APOSTROPHES = "_@/", "'’.", "'’"
_CLITIC = regex.compile(r"(?:s|t|d|ll|re|ve|m)(?!\p{L})")
_LONGEST = 24
#: Behind the first part of a compound, or an abbreviation.
_CUT_SHORT = {"en": regex.compile(r"-|\.(?:,| \p{Ll})"), "de": regex.compile(r"[-.]")}
_SENTENCE_START = regex.compile(r"(?:^|[.!?:;]['\"”’)]*\s+|[\"“„‘«»(—–-]\s?|\n)$")

#: Costs (minus log10) that a running word is one that no list has: any; capitalised inside a sentence; a long
#: German one; more if it is short, for short words are listed.
_NEW_WORD, _NEW_NAME, _NEW_COMPOUND, _NEW_SHORT = 1.7, 0.6, 1.0, 0.4
#: A word of another language costs so much more than one of the volume's own.
_FOREIGN = 0.8
#: No word has capitals inside.
_CAPITALS_INSIDE = 2.0
#: Words this frequent (Zipf) are taken as read.
_KNOWN = 2.6
#: Rarer ones that are made of two small words are those, run together.
_RUN_TOGETHER = 3.5
#: Cost of spelling a word in another way, and German of before 1900 in its own.
_SPELLED, _OLDER = 2.2, 0.8
#: The best correction explains the reading this much better than the runner-up and than no correction.
_RUNNER_UP, _LEAVE = 0.8, 1.2
#: More is asked of names, and of words at the beginning of a sentence.
_LEAVE_NAME, _LEAVE_TITLE = 3.0, 0.8
#: What more is asked each time that the count of such a form doubles.
_AGAIN = 1.0
#: What more is asked where the reading sounds like the word: writers spell how people speak.
_SPEECH = 1.5
#: Or where two words ran together, or a letter is lost or put in.
_DIVIDED, _LETTER_MORE = 0.6, 1.2
_SOUNDS = (frozenset("aeiouy"), frozenset("vw"))
#: Words this frequent (Zipf) stand in every volume.
_EVERYWHERE = 5.0
#: Where misreadings are rarer than this (log10 below a middling scan), only the simplest are looked for.
_CLEAN = 0.6
#: Rarer words (Zipf) are known from the volume alone.
_LISTED = 2.6
#: In a volume with hardly any misreadings (log10 below a middling scan) what differs from the likelier word is
#: nearly always how its author spelled: only what no one would write, in a word of the book's own, is corrected.
_PROOFREAD, _PROOF, _OFTEN_HERE = 1.2, 4.0, 8
#: Letters that spellings differ by: "intrinsecally", "Rosencreutz", "Chirurgeons", "flouers".
_SPELLING = (
    frozenset("aeiouyäöüéèàæœ"),
    frozenset("ckqzs"),
    frozenset("ijy"),
    frozenset("uvw"),
    frozenset("dtb"),
)
#: Several letters read as others by their shape, that no one spells so.
_SHAPES = frozenset(
    {("rn", "m"), ("m", "rn"), ("ra", "m"), ("cl", "d"), ("d", "cl"), ("li", "h"), ("vv", "w")}
)
#: German of before 1901 writes c for k and z.
_OLD_C = frozenset({("c", "k"), ("c", "z"), ("k", "c"), ("z", "c")})
#: So many confusions, or letters lost or too many among several, make another word; unless it is this likely.
_MANY, _ANOTHER = 4, 9.0
#: Where they are this frequent, names are as likely to be misread as to be rare.
_NOISY = -0.3
_PLAIN = regex.compile(r"[a-z0-9äöüß]+")
_VOWELS = frozenset("aeiouyäöü")
#: Clear cases, to learn from.
_CLEAR = 2.4
#: How much better a frequent word is than its misreading that lists have too.
_LISTED_MISREADING = 5.0
#: Costs above which nothing is a correction.
_MOST = 12.0
#: Costs up to which the frequent words are kept apart, to see at once what cannot be a misreading.
_TIERS = (0.0, 2.5, 3.5, 4.5)
#: Words of volume that count like one of a general text of so many.
_GENERAL = 30_000


@dataclass(frozen=True, slots=True)
class Correction:
    """What a word was meant to be: ``word``, by ``confusions`` (read, printed), ``margin`` better than as read."""

    word: str
    margin: float
    confusions: tuple[tuple[str, str], ...]


class Corrector:
    """Weighs the words of one volume.

    Args:
        text: the volume's text.
        lexicon: its word evidence.
    """

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.language = lexicon.language
        self.starts, self.ends = _tokens(text)
        self.forms = tokens.forms(text, self.starts, self.ends)
        self.words = dict(zip(self.forms.strings, self.forms.counts(), strict=True))
        self.total = len(self.starts)
        self.channel = Channel(self.language, text)
        self.capitalised = self.language == "de"
        self._near: dict[tuple[str, bool], list[tuple[str, float]]] = {}
        self._read: dict[tuple[str, bool], float] = {}
        self._stands: dict[str, bool] = {}
        self._one_off: dict[str, list[str]] = {}
        self.seen: Counter[tuple[str, str]] = Counter()  # confusions of the clear cases

    def learn(self) -> None:
        """Learn the volume's confusions from its clear cases."""
        for _ in range(2):
            seen: Counter[tuple[str, str]] = Counter()
            for word in self.doubtful:
                name = not word.islower() and not self.capitalised
                found = self.correction(word, name=name, thorough=False, least=_CLEAR)
                if found is not None:
                    for pair in found.confusions:
                        seen[pair] += self.words[word]
            self.channel.learn(seen, self.total)
            self.seen = seen
            if self.channel.shift > _CLEAN:
                break

    @functools.cached_property
    def doubtful(self) -> list[str]:
        """The words of the volume that do not stand as read without weighing."""
        # Known words stand as read, unless lists know them for misreadings: most words, told at a glance.
        unsure = list_noise.misread_in_lists(self.language).keys() | two_small_words(self.language)
        listed = self.lexicon.listed.get
        return [
            word
            for word in self.words
            if (listed(lower := word.lower(), 0.0) < _KNOWN or lower in unsure) and not self._settled(word)
        ]

    def _settled(self, word: str) -> bool:
        """Whether ``word`` stands as read without weighing."""
        settled = self._stands.get(word)
        if settled is None:
            lower = word.lower()
            settled = self._stands[word] = list_noise.meant(word, self.language) is None and (
                len(word) < 3
                or self.lexicon.listed.get(lower, 0.0) >= _RUN_TOGETHER
                or not _is_judged(word)
                or self._known(word, lower)
            )
        return settled

    def correction(
        self, word: str, *, name: bool = False, thorough: bool = True, least: float = 0.0
    ) -> Correction | None:
        """What ``word`` was meant to be, or ``None`` if it stands as read.

        Args:
            word: as read.
            name: it has a capital where no sentence begins.
            thorough: look for words that differ by several confusions too.
            least: how much better than the reading it must be, whatever the word.
        """
        lower = word.lower()
        in_lists = None if name else list_noise.meant(word, self.language)
        if in_lists is not None:
            return Correction(_in_case_of(word, in_lists[0]), _LISTED_MISREADING, (in_lists[1],))
        return self._weighed(word, lower, name, thorough, least)

    def _weighed(self, word: str, lower: str, name: bool, thorough: bool, least: float) -> Correction | None:
        """As :meth:`correction`, by the costs of the readings."""
        if self._settled(word) or (not thorough and not _PLAIN.fullmatch(lower)):
            return None
        asked = max(least, self._asked(word, name))
        if (
            not thorough and (zipf := self.lexicon.zipf(lower)) > 0
        ):  # at least as likely as that it is this word
            most = 9.0 - zipf + (_CAPITALS_INSIDE if word[1:] != lower[1:] else 0.0)
            if not self._may_be_read_for(lower, most - asked - self.channel.cheapest):
                return None
        leave = self._leave(word, lower, name)
        if not thorough and not self._may_be_read_for(lower, leave - asked - self.channel.cheapest):
            return None
        ranked = self._ranked(word, lower, leave, thorough=thorough, name=name)
        if not ranked:
            return None
        total, candidate, confusions = ranked[0]
        margin = leave - total
        if margin < asked or any(other[0] - total < _RUNNER_UP for other in ranked[1:2]):
            return None
        if _is_another(confusions, margin) or not self._is_a_slip(candidate, margin, confusions):
            return None
        if self.lexicon.zipf(candidate) < _LISTED and lower[:-2] == candidate[: len(lower) - 2]:
            return None  # two forms of one word
        count = self.words[word]
        asked += self._more_asked(candidate, confusions)
        if count > 1 and not self.lexicon.count(candidate) and self.lexicon.zipf(candidate) < _EVERYWHERE:
            # A form that comes again, while the word it would be never does, is more likely the volume's own.
            asked += _AGAIN * math.log2(count) * (5.0 if self._sounds_alike(confusions) else 1.0)
        if margin < asked:
            return None
        if count > 3 and self.lexicon.count(candidate) < 8 * count and not self._must_be(candidate, margin):
            return None
        return Correction(candidate if " " in candidate else _in_case_of(word, candidate), margin, confusions)

    def _is_a_slip(self, candidate: str, margin: float, confusions: tuple[tuple[str, str], ...]) -> bool:
        """Whether ``confusions`` are a scanner's, not an author's way of spelling ``candidate``."""
        if self.language == "de" and any(pair in _OLD_C for pair in confusions):
            return False
        if self.channel.shift < _PROOFREAD:
            return True
        known = self.lexicon.zipf(candidate) >= _KNOWN or self.lexicon.count(candidate) >= _OFTEN_HERE
        return known and margin >= _PROOF and not any(_is_spelling(pair) for pair in confusions)

    def _more_asked(self, candidate: str, confusions: tuple[tuple[str, str], ...]) -> float:
        """What more is asked of a correction that may as well be the author's word or the printer's error."""
        quiet = self.channel.shift > _NOISY
        rare = self.lexicon.zipf(candidate) < _LISTED and not self.lexicon.count(candidate)
        if quiet and rare and confusions and self.language == "en":
            return _MOST  # a rare word is not read into a text that has it nowhere
        if not confusions:
            return 0.0 if of_small_words(candidate.replace(" ", "").lower(), self.language) else _DIVIDED
        if self._sounds_alike(confusions):
            return _SPEECH if quiet else 0.0
        if quiet and not all(read and printed for read, printed in confusions):
            return _LETTER_MORE
        return 0.0

    def _sounds_alike(self, confusions: tuple[tuple[str, str], ...]) -> bool:
        return self.language == "en" and _is_speech(confusions)

    def _must_be(self, candidate: str, margin: float) -> bool:
        """Whether ``candidate`` is so frequent a word that every volume has it, if only misread."""
        return margin >= 3.0 and self.lexicon.zipf(candidate) >= _EVERYWHERE

    def _leave(self, word: str, lower: str, name: bool) -> float:
        """Cost of leaving ``word`` as read."""
        if (word, name) not in self._read:
            self._read[word, name] = self.cost_as_read(word, lower, name)
        cost = self._read[word, name]
        if word[1:] != lower[1:]:
            cost += _CAPITALS_INSIDE
        if not set(lower) & _VOWELS:
            cost = min(cost, 8.0)  # an abbreviation or a numeral
        # A word that comes again and again is a word of this volume, unless it stands for a very frequent one.
        count = self.words[word]
        return cost - (min(3.0, 1.2 * math.log10(count)) if count > 1 else 0.0)

    def _asked(self, word: str, name: bool) -> float:
        """How much better than the reading a correction of ``word`` must be."""
        shift = self.channel.shift
        asked = _LEAVE + (shift if shift < 0 else 1.7 * shift)
        if word[0].isupper() and not self.capitalised:
            asked += (_LEAVE_NAME if name else _LEAVE_TITLE) * (1.0 if shift > _NOISY else 0.6)
        return asked

    def _ranked(
        self, word: str, lower: str, leave: float, *, thorough: bool, name: bool
    ) -> list[tuple[float, str, tuple[tuple[str, str], ...]]]:
        """Cost, word and confusions of what ``word`` may have been, the best first; the hopeless left out."""
        ranked: list[tuple[float, str, tuple[tuple[str, str], ...]]] = []
        best = leave
        for candidate, prior in self._candidates(lower, thorough):
            if prior + 1.0 >= best + _RUNNER_UP:
                break
            most = best + _RUNNER_UP - prior
            cost, confusions = self.channel.explain(lower, candidate, most)
            if word[0] != lower[0]:
                titled = self.channel.explain(word[0] + lower[1:], candidate.capitalize(), most)
                if titled[0] < cost:
                    cost, confusions = titled
            if cost < most:
                ranked.append((prior + cost, candidate, confusions))
                best = min(best, prior + cost)
        a_name = name and not self.capitalised
        apart = divided(word, self.lexicon) if word.isalpha() and thorough and not a_name else None
        if apart is not None and apart[0] < best + _RUNNER_UP:
            ranked.append((apart[0], apart[1], ()))
        return sorted(ranked)

    def _may_be_read_for(self, lower: str, most: float) -> bool:
        """Whether any word that costs ``most`` or less is one simple confusion away from ``lower``."""
        for number, (tier, words, longest) in enumerate(self._tiers):
            if most <= tier:
                if self._nearest.get(lower, 0) > number:
                    return False
                return len(lower) <= longest and not words.isdisjoint(self._variants(lower))
        return bool(self._candidates(lower, False))

    @functools.cached_property
    def _nearest(self) -> dict[str, int]:
        """The first of the tiers that may have a doubtful word with one confusion undone; their number if none."""
        lower = [word.lower() for word in self.doubtful]
        # Accents are taken off as well, in all places.
        lower = [word for word in dict.fromkeys(lower) if word.isascii()]
        tiers = [words for _, words, _ in self._tiers]
        return dict(zip(lower, one_off.nearest_tiers(lower, self.channel.by_read, tiers), strict=True))

    def _variants(self, lower: str) -> list[str]:
        variants = self._one_off.get(lower)
        if variants is None:
            variants = self._one_off[lower] = self.channel.variants(lower)
        return variants

    @functools.cached_property
    def _tiers(self) -> list[tuple[float, frozenset[str], int]]:
        """What words cost at most, the words, and the longest word that may be one of them misread."""
        own = [word for word, count in self.lexicon.vocabulary.items() if count >= 3]
        listed = [word for band in bands(self.language)[: int(100 * (_TIERS[-1] + 0.1))] for word in band]
        sharp = [word.replace("ss", "ß") for word in listed if "ss" in word] if self.language == "de" else []
        priced = [(word, self.cost_of(word)) for word in {*own, *listed, *sharp}]
        tiers = []
        for tier in _TIERS:
            words = frozenset(word for word, cost in priced if cost <= tier)
            tiers.append((tier, words, max(map(len, words), default=0) + LONGEST))
        return tiers

    def _candidates(self, lower: str, thorough: bool) -> list[tuple[str, float]]:
        """Words that ``lower`` may be a misreading of with their cost, the most frequent first."""
        known = self._near.get((lower, thorough))
        if known is not None:
            return known
        variants = self._variants(lower)
        found = set(variants)
        if thorough:
            found.update(shapes.candidates(lower, self.language))
            for variant in variants:
                found.update(shapes.same_shape(variant, self.language))
        found.discard(lower)
        most = 6.6 if len(lower) < 8 else 7.3
        priced = [(near, cost) for near in self._frequent(found) if (cost := self.cost_of(near)) < most]
        priced.sort(key=lambda pair: pair[1])
        self._near[lower, thorough] = priced
        return priced

    def _frequent(self, found: set[str]) -> list[str]:
        """Those of ``found`` that may cost little enough: the listed, and the volume's own."""
        listed, own = self.lexicon.listed, self.lexicon.vocabulary
        if self.language == "de":  # the list writes ß as ss
            return [word for word in found if word.casefold() in listed or word in own]
        return list((listed.keys() & found) | (own.keys() & found))

    def cost_of(self, word: str) -> float:
        """Minus the logarithm of how frequent ``word`` is, in general and in the volume."""
        share = 10.0 ** (self.lexicon.zipf(word) - 9)
        own = self.lexicon.count(word)
        if own >= 3 or share > 1e-8:
            share = (own * (own >= 3) + _GENERAL * share) / (self.total + _GENERAL)
        return -math.log10(share) if share > 1e-9 else _MOST

    def _known(self, word: str, lower: str) -> bool:
        lexicon = self.lexicon
        zipf = lexicon.zipf(lower)
        if zipf < _RUN_TOGETHER and of_small_words(lower, self.language):
            return False  # lists made of scans have "ofthe"
        if zipf >= _KNOWN or (word_lists.is_word(lower) and not (zipf and zipf < 2.0)):
            return True
        if self.language == "en":
            return is_derived(lower, lexicon)
        return is_inflected(lower, lexicon) or is_compound(lower, lexicon)

    def cost_as_read(self, word: str, lower: str, name: bool) -> float:
        """Cost of ``word`` as what was printed: a rare word, a foreign one, a name, or a new one."""
        new = _NEW_NAME if name and not self.capitalised else _NEW_WORD
        if self.language == "de" and len(lower) > 7:
            new = _NEW_COMPOUND
        elif len(lower) < 5:
            new += _NEW_SHORT
        cost = new + (shapes.letters_cost(lower, self.language) if lower.isalpha() else _MOST)
        if (zipf := self.lexicon.zipf(lower)) > 0:
            cost = min(cost, 9.0 - zipf)
        if (foreign := self.lexicon.zipf_anywhere(lower)) > 0:
            cost = min(cost, 9.0 - foreign + _FOREIGN)
        listed = self.lexicon.listed.get
        others = map(str.casefold, spellings(lower, self.language))
        spelled = max((listed(other, 0.0) for other in others), default=0.0)
        older = self.language == "de" and modern_german(lower) != lower
        if spelled >= (1.5 if older else 2.5):
            cost = min(cost, 9.0 - spelled + (_OLDER if older else _SPELLED))
        return cost


def _is_another(confusions: tuple[tuple[str, str], ...], margin: float) -> bool:
    """Whether so much is different that the word found is likelier another word."""
    lost = any("" in pair for pair in confusions)
    return (len(confusions) >= _MANY or (lost and len(confusions) >= 2)) and margin < _ANOTHER


def _is_spelling(pair: tuple[str, str]) -> bool:
    """Whether writers may differ by ``pair`` (read, meant)."""
    if pair in _SHAPES:
        return False
    one, other = pair
    return len(one) != 1 or len(other) != 1 or any(one in kind and other in kind for kind in _SPELLING)


def correct_misreadings(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Corrections of misread words in ``text`` (paragraphs divided by blank lines)."""
    if lexicon.language not in ("en", "de"):
        return
    corrector = Corrector(text, lexicon)
    corrector.learn()
    known: dict[tuple[str, bool], Correction | None] = {}
    thorough = corrector.channel.shift <= _CLEAN
    proofread = corrector.channel.shift >= _PROOFREAD
    cut_short = _CUT_SHORT[lexicon.language]
    doubtful = set(corrector.doubtful)
    for word, (printed, margin) in words_with_long_s(
        corrector.words, corrector.seen["f", "s"], corrector.cost_of
    ).items():
        found = Correction(_in_case_of(word, printed), margin, (("f", "s"),))
        known |= {(word, False): found, (word, True): None if lexicon.language == "en" else found}
        doubtful.add(word)
    strings = corrector.forms.strings
    in_doubt = np.array([word in doubtful for word in strings], dtype=bool)
    for number in np.flatnonzero(in_doubt[corrector.forms.of]).tolist() if strings else ():
        word, start = strings[corrector.forms.of[number]], int(corrector.starts[number])
        lower = word.islower()
        name = not lower and not _SENTENCE_START.search(text, max(0, start - 6), start)
        if (word, name) not in known:
            known[word, name] = corrector.correction(word, name=name, thorough=thorough)
        better = known[word, name]
        # The first word of a paragraph in small letters is the rest of a word.
        if better is None or (lower and start > 0 and text[start - 1] == "\n"):
            continue
        if not (proofread and cut_short.match(text, start + len(word))):
            rule = "run_together" if " " in better.word else "misreading"
            yield Edit(start, start + len(word), better.word, rule)


def _tokens(text: str) -> tuple[tokens.Places, tokens.Places]:
    """Where the words of ``text`` begin and end: letters and digits, nothing glued to them but clitics."""
    points = tokens.code_points(text)
    kinds = tokens.classes(points)
    starts, ends = tokens.runs((kinds & (tokens.LETTER | tokens.DIGIT)) > 0)
    padded = np.concatenate([np.zeros(2, points.dtype), points, np.zeros(2, points.dtype)])
    of_kind = np.concatenate([np.zeros(2, kinds.dtype), kinds, np.zeros(2, kinds.dtype)])
    before, behind = padded[starts + 1], padded[ends + 2]
    letter_before, letter_behind = ((of_kind[at] & tokens.LETTER) > 0 for at in (starts, ends + 3))
    clitics = letter_behind & _among(behind, _APOSTROPHES)
    glued = (
        _among(before, _GLUED)
        | (of_kind[starts + 1] == tokens.MARK)
        | (letter_before & _among(before, _GLUED_BY_LETTER))
        | _among(behind, "_@")
        | (of_kind[ends + 2] == tokens.MARK)
        | (letter_behind & _among(behind, "./"))
    )
    lengths = ends - starts
    taken = ~glued & (lengths >= 2) & (lengths <= _LONGEST)
    for number in np.flatnonzero(taken & clitics).tolist():
        taken[number] = _CLITIC.match(text, int(ends[number]) + 1) is not None
    return starts[taken], ends[taken]


def _among(points: npt.NDArray[np.uint32], signs: str) -> npt.NDArray[np.bool_]:
    found = points == ord(signs[0])
    for sign in signs[1:]:
        found |= points == ord(sign)
    return found


def _is_speech(confusions: tuple[tuple[str, str], ...]) -> bool:
    """Whether all ``confusions`` are vowels for vowels, or v and w; but e and o look alike above all."""
    return bool(confusions) and all(
        any(read in sounds and printed in sounds for sounds in _SOUNDS) and {read, printed} != {"e", "o"}
        for read, printed in confusions
    )


def _is_judged(word: str) -> bool:
    """Whether ``word`` is of a kind that is corrected: no abbreviation, no number."""
    if word.isalpha():
        if word[1:].islower():
            return True
        inner = sum(char.isupper() for char in word[1:])
        return inner == 0 or (word[0].islower() and inner * 3 <= len(word))
    digits = sum(char.isdigit() for char in word)
    letters = regex.sub(r"\d", "", word)
    return (
        digits <= len(word) / 3
        and letters.isalpha()
        and (len(letters) >= 3)
        and (letters.islower() or letters[1:].islower())
        and regex.search(r"\d{3}|\d(?:st|nd|rd|th|d|s)$", word) is None
    )


def _in_case_of(word: str, candidate: str) -> str:
    return candidate.capitalize() if word[0].isupper() else candidate
