"""Words that lists lack and that are not misread: other spellings, other forms, German compounds."""

from __future__ import annotations

from collections.abc import Iterator

from jung_pipeline.clean.confusions import bare_word
from jung_pipeline.clean.lexicon import Lexicon

#: Older and regional spellings: this for that, at every place or at one.
_SPELLINGS = {
    "en": (
        ("'d", "ed"),
        ("our", "or"),
        ("or", "our"),
        ("z", "s"),
        ("s", "z"),
        ("ie", "y"),
        ("y", "i"),
        ("i", "y"),
        ("ck", "c"),
        ("ae", "e"),
        ("oe", "e"),
        ("e", "ae"),
        ("ll", "l"),
        ("l", "ll"),
        ("ence", "ense"),
        ("ense", "ence"),
        ("c", "s"),
        ("v", "u"),
        ("u", "v"),
        ("j", "i"),
        ("i", "j"),
        ("ew", "ow"),
        ("er", "re"),
        ("k", "c"),
        ("im", "em"),
        ("es", "s"),
        ("est", "st"),
        ("d", "ed"),
        ("t", "ed"),
        ("g", "gue"),
        ("x", "ct"),
        ("que", "k"),
        ("aun", "an"),
        ("ph", "f"),
        ("rh", "r"),
    ),
    "de": (
        ("ß", "s"),
        ("s", "ss"),
        ("th", "t"),
        ("ey", "ei"),
        ("ay", "ai"),
        ("y", "i"),
        ("i", "ie"),
        ("ie", "i"),
        ("dt", "t"),
        ("dt", "d"),
        ("d", "t"),
        ("t", "d"),
        ("aa", "a"),
        ("uft", "uf"),
        ("ee", "e"),
        ("oo", "o"),
        ("c", "k"),
        ("c", "z"),
        ("z", "c"),
        ("ü", "i"),
        ("i", "ü"),
        ("ä", "e"),
        ("e", "ä"),
        ("ff", "f"),
        ("nn", "n"),
        ("n", "nn"),
        ("k", "ck"),
        ("tz", "z"),
        ("z", "tz"),
        ("ph", "f"),
        ("ue", "ü"),
        ("ae", "ä"),
        ("oe", "ö"),
        ("niß", "nis"),
        ("iren", "ieren"),
        ("irt", "iert"),
        ("mm", "m"),
        ("ll", "l"),
        ("l", "ll"),
        ("ai", "ei"),
        ("v", "f"),
        ("eu", "äu"),
        ("ö", "e"),
        ("e", "ö"),
        ("gieng", "ging"),
        ("rh", "r"),
        ("ens", "en"),
    ),
}
#: What German of before 1900 writes otherwise throughout.
_OLD_GERMAN = (("th", "t"), ("ey", "ei"), ("ß", "ss"), ("dt", "d"), ("aa", "a"), ("niss", "nis"))
#: Endings that English puts to any verb, noun or adjective, more often than lists show.
_RARE_ENDINGS = ("est", "edst", "eth", "ness", "nesses", "less", "like", "ish")
#: Zipf frequency of what they are put to.
_STEM = 3.0
_ENDINGS = ("e", "em", "en", "er", "es", "eren", "erer", "eres", "erem")


def spellings(word: str, language: str) -> Iterator[str]:
    """Other spellings of ``word`` (lower case): older or regional ones, letters doubled or not, a silent e."""
    if language == "en" and any(char in "äëïöü" for char in word):
        yield bare_word(word)
    if language == "de":
        modern = modern_german(word)
        if modern != word:
            yield modern
            yield from spellings(modern, language)
            return
    for old, new in _SPELLINGS.get(language, ()):
        at = word.find(old)
        if at < 0:
            continue
        if word.find(old, at + 1) >= 0:
            yield word.replace(old, new)
        while at >= 0:
            yield word[:at] + new + word[at + len(old) :]
            at = word.find(old, at + 1)
    yield from (word + "e", word.removesuffix("e"))
    for at in range(1, len(word)):
        if word[at] == word[at - 1]:
            yield word[:at] + word[at + 1 :]
        else:
            yield word[:at] + word[at - 1] + word[at:]


def modern_german(word: str) -> str:
    """``word`` with what German wrote otherwise before 1900 as it is written now."""
    for old, new in _OLD_GERMAN:
        word = word.replace(old, new)
    return word


def is_inflected(word: str, lexicon: Lexicon) -> bool:
    """Whether ``word`` is another form of a listed German word."""
    for ending in _ENDINGS:
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            stem = word.removesuffix(ending)
            if any(
                lexicon.zipf(stem + other) >= 1.8 or lexicon.count(stem + other) >= 2
                for other in _ENDINGS
                if other != ending
            ):
                return True
    return False


def is_derived(word: str, lexicon: Lexicon) -> bool:
    """Whether ``word`` is an English form of a listed word that lists seldom have: "mistakest", "agoing"."""
    if word.startswith("a") and word.endswith("ing") and lexicon.zipf(word[1:]) >= _STEM:
        return True
    for ending in _RARE_ENDINGS:
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            stem = word.removesuffix(ending)
            stems = [stem, stem + "e"]
            if stem[-1] == "i":
                stems.append(stem[:-1] + "y")
            if stem[-1] == stem[-2]:
                stems.append(stem[:-1])
            if any(lexicon.zipf(other) >= _STEM for other in stems):
                return True
    return False


def is_compound(word: str, lexicon: Lexicon) -> bool:
    """Whether ``word`` is two known words written as one, as German does."""
    for at in range(4, len(word) - 3):
        right = word[at:]
        if lexicon.zipf(right) < 3.0:
            continue
        left = word[:at]
        for ending in ("", "s", "es", "n", "en", "e"):
            if ending and not left.endswith(ending):
                continue
            stem = left[: len(left) - len(ending)]
            if len(stem) >= 4 and lexicon.zipf(stem) >= 3.0:
                return True
    return False
