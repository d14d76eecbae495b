"""Misreadings that word lists hold as words: corrected however clean the volume is and however often they come."""

from __future__ import annotations

import random

import pytest
import regex

from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.misreadings import correct_misreadings
from jung_pipeline.demo.book import BOOK_KEYS, load_book


def prose():
    """A long clean text of ours."""
    texts = [
        p.text for book in map(load_book, BOOK_KEYS) for chapter in book.chapters for p in chapter.paragraphs
    ]
    return "\n\n".join(texts * 3)


def corrected(text, language="en"):
    """The text with its misreadings corrected."""
    for edit in sorted(correct_misreadings(text, Lexicon(language, [text])), key=lambda e: -e.start):
        text = text[: edit.start] + edit.after + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("word", "read"),
    [("the", "tbe"), ("the", "tlie"), ("not", "uot"), ("have", "bave"), ("with", "witb"), ("was", "vvas")],
)
@pytest.mark.parametrize("share", [0.01, 0.3])
def test_frequent_words_misread_are_mended_in_a_clean_volume(word, read, share):
    chance = random.Random(5)
    text = prose()
    spoiled = regex.sub(rf"\b{word}\b", lambda m: read if chance.random() < share else m.group(), text)
    assert read in spoiled
    assert not regex.search(rf"\b{read}\b", corrected(spoiled))


@pytest.mark.parametrize(
    "sentence",
    [
        "Wilh. Wundt and Thal were named in the notes of that year, and nobody else was.",
        "He was ill, she said, and the lias and the arid plain lay before them both.",
        "The German words Bast and Lias stand here, and so does the French word piace.",
    ],
)
def test_names_abbreviations_and_rare_words_stay(sentence):
    text = prose() + "\n\n" + sentence
    assert corrected(text).endswith(sentence)


def test_german_too():
    text = (
        "Das Haus war alt, und der Garten war groß, und nicht weit von dem See stand es still. " * 40
    ).strip()
    assert corrected(f"{text} Er uud sie sahen es uicht, und icb sah es.", "de").endswith(
        "Er und sie sahen es nicht, und ich sah es."
    )
