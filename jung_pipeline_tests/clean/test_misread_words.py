"""Misread words put right, words that fell apart closed up, and everything else left as it was printed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.confusions import Channel
from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.misreadings import Corrector

from .helpers import clean_pages, text_of

GERMAN = Volume(key="de", file="de.txt", title="Ein Buch", language="de")


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("The keeper tliought of tlie garden.", "The keeper thought of the garden."),
        ("She carried a ladder bcfore breakfaft.", "She carried a ladder before breakfast."),
        ("The conict with his brother ended.", "The conflict with his brother ended."),
        ("Her happinefs was in the orchard.", "Her happiness was in the orchard."),
        ("They waited wiih him by the mi1l.", "They waited with him by the mill."),
    ],
)
def test_misread_words_are_put_right(raw: str, clean: str) -> None:
    assert text_of(raw) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("There was noth ing in the drawer.", "There was nothing in the drawer."),
        ("His atti tude was con scious and kind.", "His attitude was conscious and kind."),
        ("The peo ple came to the meet ing early.", "The people came to the meeting early."),
        ("She fol-lowed the path and disappear-ed.", "She followed the path and disappeared."),
        ("It was Excel . lency who wrote the letter.", "It was Excellency who wrote the letter."),
        ("She hurt her . self on the gate.", "She hurt herself on the gate."),
        ("He said that 's enough, and it's late.", "He said that's enough, and it's late."),
        ("A basket ofthe best pears.", "A basket of the best pears."),
    ],
)
def test_words_that_fell_apart_or_ran_together(raw: str, clean: str) -> None:
    assert text_of(raw) == clean


def test_a_hyphen_misread_at_a_line_end_closes_up_in_german() -> None:
    assert (
        text_of("Die große Un«\nruhe und die Deutlich»\nkeit mit Ver-—\nstand der Rü-\n·cken.", volume=GERMAN)
        == "Die große Unruhe und die Deutlichkeit mit Verstand der Rücken."
    )


def test_black_letter_misread_in_german() -> None:
    assert (
        text_of("Die Unterhaltnng war zufammen mit nnserer Arbeit gefchehen.", volume=GERMAN)
        == "Die Unterhaltung war zusammen mit unserer Arbeit geschehen."
    )


UNTOUCHED = [
    "Any one may go for ever to the same place, and some thing remains.",
    "The numinosum, the mana and the enantiodromia of Lamarck and Bleuler.",
    "He connex'd the colour of his honour with a favourite almanack and shewed it.",
    "A two-faced, self-made, moon-lit, good-natured co-operation of to-day.",
    "Quod erat demonstrandum, in saecula saeculorum, natura naturans.",
    "Un vieux jardin où la lumière était douce et le silence profond.",
    "A modem stood arid and bad on the form of the dock.",
    "Fifty per cent of the coördinate re-entry.",
    "He wasn't able to say so, and she couldn't able-bodied men blame.",
    "Thou swimmest and it thundereth; the gauntest of them was agoing home in snaillike treeless woe.",
    "We drove to Whichby and Myher.",
    "She had writ~ten down the ne~ver in the par_ish book.",
]


@pytest.mark.parametrize("raw", UNTOUCHED)
def test_words_that_are_not_misread_stay(raw: str) -> None:
    assert text_of(raw) == raw


def test_a_form_that_comes_again_while_its_word_never_does_is_meant() -> None:
    raw = "The parochiol clerk looked at the pond and the parochiol beadle slept."
    assert text_of(raw) == raw


def test_a_stray_hyphen_behind_a_frequent_german_word_joins_nothing() -> None:
    text = text_of("Für uns- behde war es genug, aber die Vor- unterfuchung dauerte.", volume=GERMAN)
    assert text == "Für uns- beide war es genug, aber die Voruntersuchung dauerte."


def test_older_german_stays() -> None:
    raw = "Die Noth that seyn Theil; daß beyde Gegenwärtigen muthig vorbeygiengen, war Ueberfluß."
    assert text_of(raw, volume=GERMAN) == raw


def test_what_a_volume_repeats_is_its_word() -> None:
    raw = "The thrang of the moor was loud. " * 30
    assert text_of(raw) == raw.strip()


def test_names_are_not_corrected_to_words() -> None:
    raw = "We met Thring and Bleuler beside Mrs. Wanstone near Hallowmere."
    assert text_of(raw) == raw


def test_a_change_keeps_the_case_and_is_in_the_ledger() -> None:
    cleaned = clean_pages("Tlie old man told tlie tale. He noth ing knew.")
    text = " ".join(cleaned.paragraphs.column("text").to_pylist())
    assert text == "The old man told the tale. He nothing knew."
    rules = cleaned.ledger.column("rule").to_pylist()
    assert rules.count("misreading") == 2
    assert "split_word" in rules


def test_a_clean_volume_makes_confusions_dear_and_a_noisy_one_its_own_cheap() -> None:
    prose = "the keeper of the garden went to the house and when she spoke of the winter with her mother at the gate that was for them "
    clean = Corrector(prose * 200, Lexicon("en", [prose * 200]))
    noisy_text = (prose * 20 + "tbe keeper saw tbat motber wben sbe went witb tbem to tbe gate ") * 10
    noisy = Corrector(noisy_text, Lexicon("en", [noisy_text]))
    clean.learn()
    noisy.learn()
    prior = Channel("en").cost("tbe", "the")
    assert noisy.channel.cost("tbe", "the") < prior < clean.channel.cost("tbe", "the")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "the",
                "tlie",
                "noth",
                "ing",
                "con",
                "scious",
                "garden",
                "wben",
                "of",
                "keeper",
                "Jung",
                "1875",
                "a-b",
            ]
        ),
        max_size=12,
    )
)
def test_cleaning_cleaned_text_changes_nothing_more(pieces: list[str]) -> None:
    once = text_of("He saw " + " ".join(pieces) + ".")
    assert text_of(once) == once


@given(st.text(alphabet="abcdeilmnrtuh", min_size=1, max_size=8))
def test_no_confusion_costs_nothing(word: str) -> None:
    channel = Channel("en")
    assert channel.cost(word, word) == 0
    assert channel.cost(word, word + "zz") > 0
