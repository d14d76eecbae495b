"""Frequent words found by their shape, and how word-like a string of letters is.

A word's shape maps letters that look alike to one sign and wide letters to the strokes they are made of ("m"
is three strokes, "d" a bow and a stroke), so that a word read with any number of the usual confusions has the
shape it was printed with, or nearly. The index is built at first use, once a process and language.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

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
    from jung_pipeline.clean.lexicon import frequencies

    least = {
        length: 10.0 ** (zipf - 9) for length in range(100) for most, zipf in _LEAST[::-1] if length <= most
    }
    rarest = min(least.values())
    found: dict[str, list[str]] = {}
    for word, share in frequencies(language).items():
        if share < rarest:
            break  # the most frequent come first
        if 1 < len(word) < 100 and share >= least[len(word)] and word.isalpha():
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
_BACK_OFF = 0.2


@functools.cache
def _letters(language: str) -> tuple[dict[str, int], dict[str, int]]:
    """Counts of four letters and of their first three, over the distinct frequent words."""
    from jung_pipeline.clean.lexicon import frequencies

    grams: dict[str, int] = {}
    for number, word in enumerate(frequencies(language)):
        if number >= _MODEL_WORDS:
            break
        if not word.isalpha():
            continue
        padded = f"^{word}$"
        for size in (1, 2, 3, 4):
            for at in range(len(padded) - size + 1):
                gram = padded[at : at + size]
                grams[gram] = grams.get(gram, 0) + 1
    contexts: dict[str, int] = {}
    for gram, count in grams.items():
        contexts[gram[:-1]] = contexts.get(gram[:-1], 0) + count
    return grams, contexts


@functools.lru_cache(maxsize=100_000)
def letters_cost(word: str, language: str) -> float:
    """Minus the common logarithm of the likelihood of ``word`` (lower case) as a new word of ``language``."""
    grams, contexts = _letters(language)
    padded = f"^{word}$"
    cost = 0.0
    for at in range(1, len(padded)):
        weight, likely = 1.0, 0.0
        for size in (3, 2, 1, 0):
            context = padded[max(0, at - size) : at] if size else ""
            if len(context) < size:
                continue
            seen = contexts.get(context, 0)
            if not seen:
                continue
            # Witten-Bell-like: trust a context as far as it was seen.
            trust = seen / (seen + 5.0)
            likely += weight * trust * grams.get(context + padded[at], 0) / seen
            weight *= 1.0 - trust
        likely += weight / 40.0
        cost -= math.log10(max(likely, 1e-6))
    return cost
