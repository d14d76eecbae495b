"""What an author wrote stays: other languages, hyphens, old spellings, apostrophes, addresses."""

from __future__ import annotations

import pytest

from jung_pipeline.clean.hyphenation import join_between
from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.misreadings import correct_misreadings
from jung_pipeline.clean.split_words import join_split_words
from jung_pipeline.clean.tracked import TrackedText
from jung_pipeline.clean.unicode import normalise_characters

#: A book's length of clean prose.
PROSE = (
    "The keeper of the lake went down to the water every morning and counted the stones by the door. " * 1200
)


def rewritten(text: str, rule, language: str = "en") -> str:
    tracked = TrackedText(PROSE + "\n\n" + text)
    tracked.apply(rule(tracked.text, Lexicon(language, [tracked.text])))
    return tracked.text.rsplit("\n\n", 1)[1]


@pytest.mark.parametrize(
    "text",
    [
        "Das ist alle in einem Haus, wie der Mann es sagt, bei den Leuten, wo man es weiss, hat es Sinn.",
        "He called it dis-ease, and the thumb-sucking of the child an e-mail from the socio-political past.",
        "It signifies no thing, and any one may see it.",
        "The sentence s and the sentences n are given.",
    ],
)
def test_words_side_by_side_and_hyphens_in_a_clean_book_are_its_author_s(text):
    assert rewritten(text, join_split_words) == text


def test_a_word_that_fell_apart_is_still_closed_up():
    assert (
        rewritten("She was the mistres s of the house.", join_split_words)
        == "She was the mistress of the house."
    )


@pytest.mark.parametrize(
    "text",
    [
        "All psychoanalyses of this kind, and the psychoanalysis of the psychoanalysis, are psychoanalysis.",
        "The soveraignty encreaseth intrinsecally, as the Chirurgeons say.",
        "Christian Rosencreutz met Rosenkreutz, and Rosenkreutz saw Rosenkreutz.",
        "It was the girl M——l was fond of.",
    ],
)
def test_spellings_in_a_proofread_book_are_its_author_s(text):
    assert rewritten(text, correct_misreadings) == text


def test_what_nobody_spells_so_is_corrected_even_there():
    assert rewritten("They hid it from themeelves.", correct_misreadings) == "They hid it from themselves."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Amazon´s shop and Kobo´s shop", "Amazon´s shop and Kobo´s shop"),
        ("the curve MN´ goes down", "the curve MN´ goes down"),
        ("in the cafe´ of the town", "in the café of the town"),
    ],
)
def test_an_acute_that_is_an_apostrophe_or_a_prime_is_put_on_no_letter(text, expected):
    tracked = TrackedText(text)
    normalise_characters(tracked, Lexicon("en", [text]))
    assert tracked.text == expected


def test_where_a_font_shows_soft_hyphens_all_of_them_are_hyphens():
    text = "so\u00adcalled self\u00adorganized well\u00adknown avant\u00adgarde multi\u00adbillion\u00addollar co\u00adoptation"
    tracked = TrackedText(text)
    normalise_characters(tracked, Lexicon("en", [text]))
    assert tracked.text == text.replace("\u00ad", "-")


def test_where_words_might_be_divided_the_signs_go():
    text = "The psy\u00adchol\u00ado\u00adgy of the un\u00adcon\u00adscious was known to the keep\u00ader of the ta\u00adbles."
    tracked = TrackedText(text)
    normalise_characters(tracked, Lexicon("en", [text]))
    assert tracked.text == text.replace("\u00ad", "")


def test_an_address_keeps_the_hyphen_it_has():
    lexicon = Lexicon("en", ["a page on keeper and category and on towers", "towers and keeper"])
    assert join_between("see http://example.org/the-", "keeper-of-stones", lexicon) == ""
    assert join_between("see http://example.org/cat-", "egory", lexicon) == "-"
