"""How parts and chapters are cited: label and title in the case of running text."""

from __future__ import annotations

from functools import lru_cache

import regex

from jung_pipeline.clean.headings import SMALL
from jung_pipeline.clean.numerals import roman_value


@lru_cache(maxsize=4096)
def cited(label: str, title: str | None, language: str) -> str:
    """A chapter as it is cited: "Chapter VII: The Broken Jar"."""
    head = in_title_case(label, language)
    number = label.rstrip(".").rpartition(" ")[2]
    if " " in label and roman_value(number) and number.isupper():
        head = head[: -len(number)] + number  # a word of a title may be "Li", the number of a chapter is LI
    if not head:
        return in_title_case(title or "", language)
    return f"{head}: {in_title_case(title, language)}" if title else head


@lru_cache(maxsize=4096)
def in_title_case(text: str, language: str) -> str:
    """Text set in capitals as a title is cited; anything else, and German (where case has meaning), as it is."""
    text = regex.sub(r"\s+", " ", text).strip().rstrip(".")
    letters = [char for char in text if char.isalpha()]
    if (
        not letters
        or sum(char.isupper() for char in letters) < 0.8 * len(letters)
        or (language == "de" and len(text.split()) > 2)
    ):
        return text
    words = text.split(" ")
    return " ".join(
        _word_case(
            word, at == 0 or words[at - 1].endswith((":", "—")) or (at == len(words) - 1 and len(word) == 1)
        )
        for at, word in enumerate(words)
    )


def _word_case(word: str, first: bool) -> str:
    bare = word.strip("().,:;'\"“”‘’—–-")
    if (
        roman_value(bare)
        and bare.isupper()
        and bare
        not in ("I", "MIX", "DI", "MI", "LI", "DIM", "CIVIL", "DID", "MID", "VIM", "LID", "MILD", "VIVID")
    ):
        return word
    if bare == "I" or regex.fullmatch(r"(?:\p{Lu}\.)+", word):
        return word
    if not first and bare.lower() in SMALL:
        return word.lower()
    return regex.sub(
        r"\p{L}[\p{L}'’]*", lambda match: match.group()[0].upper() + match.group()[1:].lower(), word
    )
