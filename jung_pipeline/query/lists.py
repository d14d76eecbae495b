"""Does a text read like a list? Pieces of a back-of-book index, a bibliography or a table of contents.

Such pieces hold the words of every question and answer none, so they are neither kept to answer from nor quoted.
Prose in every language is held together by little words; a list by commas, numbers and full stops.
"""

from __future__ import annotations

from functools import lru_cache

import regex

from jung_pipeline.text.normalise import FUNCTION_WORDS, words

#: Least number of words on which a text is judged as a passage; a sentence may be shorter.
FEWEST_WORDS = 12
#: A list has at most this share of little words (English and German prose: 0.35 to 0.6) …
_MOST_LITTLE_WORDS = 0.28
#: … and at least this many numbers and dividing marks to a word (prose: 0.1 to 0.25).
_FEWEST_DIVIDERS = 0.4
#: So many numbers to a word make a list whatever else is there: an index of pages.
_PAGE_NUMBERS = 0.3

_LITTLE = FUNCTION_WORDS["en"] | FUNCTION_WORDS["de"]
_DIVIDERS = regex.compile(r"[,;:.()\[\]]|\p{N}+(?:\s*[-–—]\s*\p{N}+)?[a-z]{0,2}\b")


@lru_cache(maxsize=8192)
def is_list(text: str, fewest: int = FEWEST_WORDS) -> bool:
    """Whether ``text`` reads like entries of an index, a bibliography or a table of contents.

    Texts of less than ``fewest`` words are never told to be.
    """
    forms = [word.form for word in words(text)]
    if len(forms) < fewest:
        return False
    numbers = sum(form[0].isdigit() for form in forms) / len(forms)
    little = sum(form in _LITTLE for form in forms) / len(forms)
    dividers = len(_DIVIDERS.findall(text)) / len(forms)
    return little <= _MOST_LITTLE_WORDS and (numbers >= _PAGE_NUMBERS or dividers >= _FEWEST_DIVIDERS)
