"""Characters: one form for each letter, nothing invisible, and nothing else touched."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jung_pipeline.clean.cleaner import volume_text
from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.tracked import TrackedText
from jung_pipeline.clean.unicode import normalise_characters
from jung_pipeline.extract.document import DocumentInfo

from .helpers import checked, clean_pages, raw_table, text_of, texts


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


FILLER = "The lamp burned on the table and nobody spoke of the journey that lay before us all."


@pytest.mark.parametrize("hyphen", ["\u00ad", "-", "\u2010"])
@pytest.mark.parametrize("mark", ["\u0301", "\u0308", "\u0327\u0301", "\u0345"])
def test_an_accent_at_the_beginning_of_a_line_joins_its_letter(hyphen: str, mark: str) -> None:
    cleaned = clean_pages(f"{FILLER}\nIn the old cafe{hyphen}\n{mark}s of the town they read.\n\n{FILLER}")
    text = volume_text(cleaned.paragraphs)
    assert unicodedata.is_normalized("NFC", text)
    assert unicodedata.normalize("NFC", f"cafe{mark}s") in text


def test_an_accent_behind_a_notes_mark_joins_its_letter() -> None:
    rows = [
        {"text": FILLER, "element": "p", "origin": "html"},
        {
            "text": "They met at the cafe1\u0301 of the town.",
            "element": "p",
            "origin": "html",
            "marks": [{"start": 20, "end": 21, "kind": "noteref", "target": "n1"}],
        },
        {"text": "1 A note.", "element": "footnote", "element_id": "n1", "origin": "html"},
    ]
    info = DocumentInfo(format="html", status="ok", extractor="test")
    cleaned = checked(raw_table(rows), info)
    assert "They met at the café of the town." in texts(cleaned)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.text(alphabet=st.sampled_from("aeo \n\u00ad-\u0301\u0308\u0327\u1100\u1161\u11a8"), max_size=60),
        max_size=6,
    )
)
@example([" \u0301\u0327"])
def test_joined_lines_are_composed_and_accounted_for(pieces: list[str]) -> None:
    cleaned = clean_pages(*("\n".join([FILLER, piece, FILLER]) for piece in pieces))
    assert unicodedata.is_normalized("NFC", volume_text(cleaned.paragraphs))
