"""Verdicts on quotations that are nearly right: put together from two places, misread by a scanner, cut at a negation."""

from __future__ import annotations

import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline.query.library import Library
from jung_pipeline.query.misreadings import is_misreading
from jung_pipeline_tests.query.fixtures_library import rows
from jung_pipeline_tests.query.tiny_index import HashingEmbedder, TinyVersion, chain, row

SCAN = (
    "Tbe patient dreamed that the bridge over the valley had been removed by the workmen, and tliat nobody could say "
    "where the stones had gone. He did uot ask. Not every door that is closed has been locked."
)
SCHWANK = "Man fragte den Alten nach dem Weg. Er kannte den Weg durch den Wald seit vierzig Jahren nicht."


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    embedder = HashingEmbedder()
    more = [
        row("scan#0", SCAN, work_title="A Scan", author="Ida Grau"),
        row("wald#0", SCHWANK, work_title="Der Weg", author="Ida Grau", language="de"),
    ]
    version = TinyVersion([*rows(), *chain(more)], embedder)
    return Library(version, embedder, settings_module.load(tmp_path_factory.mktemp("home")))


def test_two_sentences_run_together_are_altered_and_both_places_are_named(library):
    quote = (
        "Only the third kind asks for interpretation; the cloth they use matters more than the glass, "
        "broken mirrors in dreams are not omens."
    )
    verdict = library.judge(quote)
    assert verdict.verdict == "altered"
    assert [place.chunk_id for place in verdict.places] == ["mirror#00", "mirror#01", "mirror#05"]
    assert verdict.places[1].printed == "The cloth they use matters more than the glass"


@pytest.mark.parametrize(
    "quote",
    [
        "He has wanted not to be seen … An empty mirror frightens the dreamer because it grants his wish",
        "Counting the pieces is useless … Broken mirrors in dreams are not omens",
    ],
)
def test_an_ellipsis_does_not_turn_the_order_round(library, quote):
    assert library.judge(quote).verdict == "altered"


def test_words_in_the_manner_of_a_book_are_no_splice(library):
    quote = "The ferryman of the northern lake dreams of mirrors before the traveller has turned round to greet the glass."
    assert library.judge(quote).verdict in ("not_in_library", "altered")
    assert library.judge("The soul of a ferryman is the lamp that a mirror has forgotten.").verdict == (
        "not_in_library"
    )


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("The patient dreamed that the bridge over the valley had been removed by the workmen", "verbatim"),
        ("The bridge over the valley had been removed by the workmen, and that nobody could say", "verbatim"),
        ("by the workmen, and that nobody could say where the stones had gone. He did not ask", "verbatim"),
        ("The patient dreamed that the bridge over the river had been removed by the workmen", "altered"),
        ("where the stones had gone. He did ask.", "altered"),
        ("Every door that is closed has been locked.", "altered"),
        ("Er kannte den Weg durch den Wald seit vierzig Jahren.", "altered"),
        ("Er kannte den Weg durch den Wald seit vierzig Jahren nicht.", "verbatim"),
    ],
)
def test_what_a_scanner_did_is_excused_and_what_a_writer_did_is_not(library, quote, verdict):
    assert library.judge(quote).verdict == verdict


@pytest.mark.parametrize(
    ("quoted", "printed", "excused"),
    [
        ("the", "tbe", True),
        ("that", "tliat", True),
        ("not", "uot", True),
        ("modern", "modem", False),  # both are words
        ("shadow", "meadow", False),
        ("shadow", "shxdow", False),
        ("", "not", False),
        ("not", "", False),
        ("conscious", "unconscious", False),
    ],
)
def test_a_misreading_is_no_word_and_looks_like_one(quoted, printed, excused):
    assert is_misreading(quoted, printed, "en") == excused
