"""Misreadings that are words themselves: put right where their neighbours show it, left elsewhere."""

from __future__ import annotations

import pytest

from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.long_s import words_with_long_s

from .helpers import text_of


@pytest.mark.parametrize(
    ("read", "printed"),
    [
        ("The king arid his son came, aud 1 saw them.", "The king and his son came, and I saw them."),
        ("When 1 was young 1 had a dream. 1 think so.", "When I was young I had a dream. I think so."),
        ("| saw the man and | went home.", "I saw the man and I went home."),
        ("He carne in, hut he bad been sold.", "He came in, but he had been sold."),
        ("It is to bo told of bis mother in tum.", "It is to be told of his mother in turn."),
        ("He was iu the house ou the hill.", "He was in the house on the hill."),
        ("In 19l2 and 18O3 the 0ld man slept.", "In 1912 and 1803 the old man slept."),
    ],
)
def test_by_the_words_around(read: str, printed: str) -> None:
    assert text_of(read) == printed


@pytest.mark.parametrize(
    "text",
    [
        "The land was arid and dry, an arid plain of arid stones.",
        "It costs 30 AUD in Sydney. He went to the hut in the wood.",
        "See fig. 1 and vol. 1 of 3. At 1 he ate. The bad man came from the carne market.",
        "He read the passage bis in idem and slept.",
        "Take B0 and 10 of the A10 set, section 1O.",
    ],
)
def test_words_that_are_meant_stay(text: str) -> None:
    assert text_of(text) == text


def test_long_s_where_the_volume_shows_it() -> None:
    text = (
        "Die Seele ift ein Land, und der Menfch weiß nicht, was er ift. Und diefes fagte fie felbft, fo groß wie "
        "feine Seele, die fehr feft ift. Er fand ein Pferd auf dem Feld."
    )
    assert text_of(text) == (
        "Die Seele ist ein Land, und der Mensch weiß nicht, was er ist. Und dieses sagte sie selbst, so groß wie "
        "seine Seele, die sehr fest ist. Er fand ein Pferd auf dem Feld."
    )
    stays = "He found a fee of the same kind; the foul air was felt, and the fame of his fire was small."
    assert text_of(stays) == stays


def test_long_s_needs_clear_cases_and_keeps_frequent_words() -> None:
    words = {"fame": 2, "found": 3, "house": 4, "stone": 2}
    frequency = Lexicon("en", []).zipf
    assert words_with_long_s(words, 0, lambda word: 9 - frequency(word)) == {}
    found = words_with_long_s(words, 6, lambda word: 9 - frequency(word))
    assert {form: word for form, (word, _) in found.items()} == {"fame": "same"}


def test_words_in_three_pieces() -> None:
    assert text_of("The mind of the un con scious.") == "The mind of the unconscious."
