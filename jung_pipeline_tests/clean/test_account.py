"""Nothing is lost: the tables account for every raw character, whatever the text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.cleaner import clean_volume, volume_text
from jung_pipeline.clean.replay import unaccounted
from jung_pipeline.clean.tracked import Edit, TrackedText
from jung_pipeline.extract.plain_text import raw_text_from_pages

from .helpers import VOLUME, checked, clean_pages

WORDS = st.sampled_from(
    [
        "the",
        "well",
        "two-",
        "faced",
        "CHAPTER",
        "I",
        "II",
        "[12]",
        "[Footnote",
        "1:",
        "1",
        "ﬁ",
        "eld",
        "un\xadder",
        "J",
        "u",
        "n",
        "g",
        "42",
        "*",
        "¹²",
        "_so_",
        "—",
        "INDEX",
        ",",
        "7",
        ".",
        ".",
        ".",
        ".",
        "CONTENTS",
        "Für̈",
        "\u200b",
        "\t",
        "he",
        "counted.",
        "Then",
        "IV.",
        "arche-",
        "type",
        "Notes",
    ]
)
LINES = st.lists(WORDS, min_size=0, max_size=9).map(" ".join)
PAGES = st.lists(st.lists(LINES, max_size=9).map("\n".join), min_size=1, max_size=4)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PAGES)
def test_every_character_is_in_the_text_or_in_the_ledger(pages: list[str]) -> None:
    document = raw_text_from_pages(pages)
    cleaned = checked(document.lines, document.info)
    text = volume_text(cleaned.paragraphs)
    for row in cleaned.paragraphs.to_pylist():
        assert text[row["char_start"] : row["char_end"]] == row["text"]
        assert row["text"].strip() == row["text"]
        assert "\n\n" not in row["text"]
        assert all(0 <= link["offset"] <= len(row["text"]) for link in row["note_links"])


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6), st.text(max_size=4)), max_size=6),
)
def test_edits_keep_text_and_source_in_step(raw: str, edits: list[tuple[int, int, str]]) -> None:
    text = TrackedText(raw)
    text.apply(Edit(start, start + length, after, "misreading") for start, length, after in edits)
    assert len(text.text) == len(text.source)
    for position, source in enumerate(text.source):
        if source >= 0 and text.touched_by[source] < 0:
            assert text.text[position] == raw[source]


def test_the_proof_finds_what_is_missing() -> None:
    document = raw_text_from_pages(["One two three.\n\nFour five six."])
    cleaned = clean_volume(document.lines, document.info, VOLUME)
    without = cleaned.paragraphs.slice(0, 1)
    missing = unaccounted(document.lines, without, cleaned.ledger)
    assert [(offence["line_id"], offence["text"]) for offence in missing] == [(1, "Four five six.")]


def test_an_empty_volume_is_empty_tables() -> None:
    cleaned = clean_pages("")
    assert (cleaned.paragraphs.num_rows, cleaned.ledger.num_rows) == (0, 0)


def test_the_ledger_speaks_to_readers() -> None:
    entries = clean_pages("The pro-\ncess began.\n- 3 -", "- 4 -\nIt ended.").ledger.to_pylist()
    hyphen = next(entry for entry in entries if entry["rule"] == "line_hyphen")
    assert (hyphen["before"], hyphen["after"], hyphen["action"]) == ("-", "", "removed")
    number = next(entry for entry in entries if entry["rule"] == "page_number")
    assert (number["before"], number["page"]) == ("- 3 -", 1)
    assert all(entry["reason"] for entry in entries)


CORPUS = Path(os.environ.get("JUNG_CORPUS_DIR", Path(__file__).parents[3] / "shared" / "corpus"))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "chapters"),
    [
        ("books/jung-collected-papers-1920-pg48225.txt", 22),
        ("books/jung-theory-of-psychoanalysis-1915-pg66041.htm", 11),
        ("pdf/silberer-hidden-symbolism-pg27755.pdf", 14),
        ("epub/winter-sports-ebookmaker.epub", 8),
    ],
)
def test_real_books_are_accounted_for_and_divided_into_their_chapters(name: str, chapters: int) -> None:
    path = CORPUS / name
    if not path.exists():
        pytest.skip(f"{name} is not here; set JUNG_CORPUS_DIR")
    from jung_pipeline.extract.extractor import extract

    document = extract(path)
    language = document.info.metadata.get("language")
    cleaned = checked(
        document.lines, document.info, Volume(key="k", file=path.name, title="t", language=language)
    )
    # Parts are counted as well; two more or fewer would be another reading of the same book.
    assert abs(cleaned.report["chapters"] - chapters) <= 2
    assert cleaned.report["leftovers"]["single letters in a row"] == 0
