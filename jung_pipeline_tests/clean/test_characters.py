"""Characters: one form for each letter, nothing invisible, and nothing else touched."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.tracked import TrackedText
from jung_pipeline.clean.unicode import normalise_characters

from .helpers import text_of


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("A ﬂame ﬁlled the oﬃce.", "A flame filled the office."),
        ("The ﬁ sh swam oﬀ the coast.", "The fish swam off the coast."),
        ("The cra\u00addle rocked.", "The cradle rocked."),
        ("Der Ko\u0308nig schlief.", "Der König schlief."),
        ("Ein B¨ar und ein K¨onig.", "Ein Bär und ein König."),
        ("A\u00a0thin\u2009space.", "A thin space."),
        ("Ze\u200bro \ufeffwidth.", "Zero width."),
        ("Mi\u017ftre\u017fs of the hou\u017fe.", "Mistress of the house."),
        ("Half a mark \ufffd here.", "Half a mark here."),
        ("The λόγος was first.", "The λόγος was first."),
    ],
)
def test_each_letter_has_one_form(raw: str, clean: str) -> None:
    assert text_of(raw) == clean


def test_a_font_that_stores_hyphens_as_soft_ones_keeps_its_compounds() -> None:
    assert (
        text_of("A two\u00adfaced god and a half\u00adblind seer.")
        == "A two-faced god and a half-blind seer."
    )


def test_oxia_becomes_tonos() -> None:
    assert text_of("The word ψυχ\u1f75 stays.") == unicodedata.normalize("NFC", "The word ψυχ\u1f75 stays.")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_any_text_comes_out_composed_and_visible(raw: str) -> None:
    text = TrackedText(raw.replace("\n", " "))
    normalise_characters(text, Lexicon("en", [raw]))
    assert unicodedata.is_normalized("NFC", text.text)
    assert not any(char in text.text for char in "\u00ad\u200b\ufeff\ufffd\x00\x07")
    assert len(text.source) == len(text.text)
