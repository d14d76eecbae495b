"""Frequent words found by their shape, and how word-like a string of letters is.

A word's shape maps letters that look alike to one sign and wide letters to the strokes they are made of ("m"
is three strokes, "d" a bow and a stroke), so that a word read with any number of the usual confusions has the
shape it was printed with, or nearly. The index is built at first use, once a process and language.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

import numpy as np

_SHAPES = {
    "i": "iljtfr1!|I7ſJ",
    "ii": "nuhbkü",
    "iii": "m",
    "c": "ceoasöä03",
    "ci": "d",
    "vv": "wW",
    "v": "vyVY",
    "g": "gq9",
    "p": "p",
    "x": "xz2",
}
_TABLE = {ord(char): shape for shape, chars in _SHAPES.items() for char in chars}
_TABLE |= {ord("6"): "ii", ord("ß"): "ii", ord("8"): "c", ord("5"): "c", ord("4"): "ci"}
for _chars, _shape in (("éèêëáàâãåóòôõ", "c"), ("íìîï", "i"), ("úùûñ", "ii"), ("ç", "c")):
    _TABLE |= {ord(_char): _shape for _char in _chars}
_ALPHABET = "icvgpx"
#: Length of a word up to → how frequent it must be (Zipf) to be a candidate.
_LEAST = ((4, 3.0), (6, 2.45), (99, 1.75))
#: Words a shape leads to at most, the most frequent ones.
_MOST = 12


def shape(word: str) -> str:
    """The shape of ``word`` (lower case)."""
    return word.translate(_TABLE)


@functools.cache
def index(language: str) -> dict[str, list[str]]:
    """Shape → the frequent words of ``language`` that have it, the most frequent first."""
    from jung_pipeline.clean.lexicon import bands

    least = {
        length: 10.0 ** (zipf - 9) for length in range(100) for most, zipf in _LEAST[::-1] if length <= most
    }
    rarest = min(least.values())
    found: dict[str, list[str]] = {}
    for number, band in enumerate(bands(language)):
        share = 10 ** (-number / 100)
        if share < rarest:
            break  # the most frequent come first
        lengths = {length for length, at_least in least.items() if length > 1 and share >= at_least}
        for word in band:
            if len(word) in lengths and word.isalpha():
                found.setdefault(word.translate(_TABLE), []).append(word)
                if language == "de" and "ss" in word:  # the lists write ß as ss
                    sharp = word.replace("ss", "ß")
                    found.setdefault(sharp.translate(_TABLE), []).append(sharp)
    return found


def near_shapes(of: str) -> Iterator[str]:
    """``of`` itself and all shapes that differ from it by one sign."""
    yield of
    for at in range(len(of) + 1):
        head, tail = of[:at], of[at:]
        if tail:
            yield head + tail[1:]
            for sign in _ALPHABET:
                if sign != tail[0]:
                    yield head + sign + tail[1:]
        for sign in _ALPHABET:
            yield head + sign + tail


def same_shape(word: str, language: str) -> list[str]:
    """Frequent words whose shape is that of ``word`` (lower case)."""
    return index(language).get(word.translate(_TABLE), [])[:_MOST]


def candidates(word: str, language: str) -> list[str]:
    """Frequent words whose shape is that of ``word`` (lower case) or differs by one sign."""
    known = index(language)
    found: list[str] = []
    for near in near_shapes(shape(word)):
        words = known.get(near)
        if words is not None:
            found += words[:_MOST]
    return list(dict.fromkeys(found))


#: Words whose letters make the model of what a word looks like; rarer ones are full of other languages' words.
_MODEL_WORDS = 40_000


class _Letters:
    """Counts of up to four letters in a row and of those before the last, over the distinct frequent words.

    A string of letters is the number whose digits are the letters' places in the alphabet.
    """

    def __init__(self, model_words: list[str]) -> None:
        joined = "".join(f"^{word}$" for word in model_words)
        points = np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32)
        alphabet, digits = np.unique(points, return_inverse=True)
        self.base = len(alphabet) + 1  # the last digit is no letter of the alphabet
        self.digits = {chr(point): digit for digit, point in enumerate(alphabet.tolist())}
        ends = points == ord("$")
        self.grams: list[dict[int, int]] = [{}]
        self.contexts: list[dict[int, int]] = []
        # Half as wide numbers are sorted in a third of the time.
        narrow = self.base**4 < np.iinfo(np.int32).max
        digits = digits.astype(np.int32 if narrow else np.int64)
        codes = np.zeros(len(points), dtype=digits.dtype)
        whole = np.ones(len(points), dtype=bool)  # no word ends before the last letter
        for size in (1, 2, 3, 4):
            last = len(points) - size + 1
            codes = codes[:last] * self.base + digits[size - 1 :]
            if size > 1:
                whole = whole[:last] & ~ends[size - 2 : len(points) - 1]
            found, counts = np.unique(codes[whole], return_counts=True)
            self.grams.append(dict(zip(found.tolist(), counts.tolist(), strict=True)))
            before = found // self.base
            first = np.flatnonzero(np.diff(before, prepend=-1))
            sums = np.add.reduceat(counts, first)
            self.contexts.append(dict(zip(before[first].tolist(), sums.tolist(), strict=True)))


@functools.cache
def _letters(language: str) -> _Letters:
    from jung_pipeline.clean.lexicon import bands

    frequent = itertools.islice(itertools.chain.from_iterable(bands(language)), _MODEL_WORDS)
    return _Letters([word for word in frequent if word.isalpha()])


@functools.lru_cache(maxsize=100_000)
def letters_cost(word: str, language: str) -> float:
    """Minus the common logarithm of the likelihood of ``word`` (lower case) as a new word of ``language``."""
    model = _letters(language)
    base, grams, contexts = model.base, model.grams, model.contexts
    digits = [model.digits.get(char, base - 1) for char in f"^{word}$"]
    cost = 0.0
    context = [0, 0, 0, 0]  # by length, the letters before this one
    for at in range(1, len(digits)):
        before = digits[at - 1]
        context = [0, before, context[1] * base + before, context[2] * base + before]
        weight, likely = 1.0, 0.0
        for size in range(min(at, 3), -1, -1):
            seen = contexts[size].get(context[size], 0)
            if not seen:
                continue
            # Witten-Bell-like: trust a context as far as it was seen.
            trust = seen / (seen + 5.0)
            likely += weight * trust * grams[size + 1].get(context[size] * base + digits[at], 0) / seen
            weight *= 1.0 - trust
        likely += weight / 40.0
        cost -= math.log10(max(likely, 1e-6))
    return cost
