"""The quality card: what a volume's tables say about it, and what makes it warn."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline import tables
from jung_pipeline.extract.document import DocumentInfo, PageInfo
from jung_pipeline.extract.plain_text import raw_text_from_pages
from jung_pipeline.quality.card import PageQuality, QualityCard, facts_of, quality_card
from jung_pipeline.quality.card_rules import CARD_PROMISES, check_card
from jung_pipeline.quality.leftovers import KINDS, MISREAD
from jung_pipeline.quality.plots import text_plot
from jung_pipeline_tests.clean.helpers import checked, clean_pages, pdf_info, pdf_lines, raw_table

PROSE = (
    "The keeper of the lake went down to the water every morning and counted the stones, and his wife\n"
    "wrote the number on the door, where the rain had washed away the number of the day before; {n} it\n"
    "was on most days, and nobody in the village could say why it was never more or less than that.\n"
)
NUMBERS = ["seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen"]


def card_of(*pages: str, document: DocumentInfo | None = None) -> QualityCard:
    raw = raw_text_from_pages(list(pages))
    cleaned = clean_pages(*pages)
    lines = tables.with_info(raw.lines, {"document": (document or raw.info).to_dict()})
    return quality_card(lines, cleaned.paragraphs, cleaned.ledger)


def kinds_in(text: str) -> dict[str, int]:
    return card_of(f"{PROSE.format(n='seven')}\n{text}\n").leftovers


def test_a_clean_book_has_nothing_suspicious_and_breaks_no_promise():
    card = card_of(
        *(f"{41 + at}  THE KEEPER OF STONES\n\n{PROSE.format(n=n)}" for at, n in enumerate(NUMBERS))
    )
    assert card.leftovers == {} and card.suspects == []
    assert all(outcome.passed for outcome in check_card(card))
    assert card.removed["running_head"].entries == len(NUMBERS)
    assert card.page_labels == len(NUMBERS)
    assert card.words == sum(len(PROSE.format(n=n).split()) for n in NUMBERS)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("He saw the zq0lf on the wall.", "letters_and_digits"),
        ("Then daSs was all of it.", "capital_inside"),
        ("It was dcrf and no more.", "no_vowel"),
        ("The word was q z x v j k today.", "spaced_letters"),
        ("A sign ^ stood by itself.", "lone_symbol"),
        ("The sym- zwgle was broken.", "open_hyphen"),
    ],
)
def test_what_looks_misread_is_found_with_its_place(text, kind):
    assert kinds_in(text) == {kind: 1}
    suspect = card_of(PROSE.format(n="seven"), f"{text}\n").suspects[0]
    assert (suspect.kind, suspect.page) == (kind, 2)
    assert suspect.text in suspect.snippet and suspect.snippet.strip("…") in text


@pytest.mark.parametrize(
    "text",
    [
        "On the 3rd and the 21st of the 1890s, in room 12a, pp. 5ff., he read B12 and H2O.",
        "McDonald and MacArthur met O'Neill; the iPhone and the OpenOffice were there, and NaCl and aRb.",
        "He said hmm and pst, in vol. xxv, cf. p. 12, at http://www.example.org/x9y?b1=c2 too.",
        "Pre- and post-war times, and Vor- und Nachteile; a & b, 3 + 4 = 7, and § 5 – so.",
        "A – dash, an … ellipsis . . . and a * star.",
    ],
)
def test_what_books_write_is_not_suspected(text):
    assert kinds_in(text) == {}


def test_a_running_head_left_in_the_text_is_found():
    rows = []
    for page in range(1, 9):
        rows += pdf_lines(page, 30, ["The Keeper of Stones"])
        rows += pdf_lines(
            page,
            60,
            [f"The rain of day {NUMBERS[page - 1]} had fallen and the river was", "high at the door."],
        )
    rows += pdf_lines(
        9,
        60,
        ["The rain had fallen again and the river was", "The Keeper of Stones", "high at the door of him."],
    )
    lines = raw_table(rows)
    info = pdf_info(9)
    cleaned = checked(lines, info)
    assert "running_head" in cleaned.ledger.column("rule").to_pylist()
    card = quality_card(
        tables.with_info(lines, {"document": info.to_dict()}), cleaned.paragraphs, cleaned.ledger
    )
    assert [(s.kind, s.page, s.text) for s in card.suspects] == [("running_head", 9, "The Keeper of Stones")]
    assert [o.name for o in check_card(card) if not o.passed] == [
        "no_furniture_is_left_in_the_text",
    ]


def test_pages_their_quality_and_those_without_text_are_on_the_card():
    pages = [
        PageInfo(1, None, 300, usable=True),
        PageInfo(2, "7", 300, usable=True),
        PageInfo(3, None, 0, usable=False),
    ]
    dicts = [
        {**page.__dict__, "quality": quality} for page, quality in zip(pages, (0.9, 0.3, None), strict=True)
    ]
    raw = raw_text_from_pages([PROSE.format(n="seven"), PROSE.format(n="eight"), ""])
    document = {**raw.info.to_dict(), "pages": dicts}
    cleaned = clean_pages(PROSE.format(n="seven"), PROSE.format(n="eight"), "")
    card = quality_card(
        tables.with_info(raw.lines, {"document": document}), cleaned.paragraphs, cleaned.ledger
    )
    assert card.pages_without_text == [3] and card.poor_pages == [2]
    assert card.mean_quality == pytest.approx(0.6)
    assert card.page_quality[1].label == "7"
    assert "pages_read_well" in [o.name for o in check_card(card) if not o.passed]
    assert text_plot(card.page_quality) == "█▃×"
    facts = dict(facts_of(card))
    assert facts["without usable text"] == "1: 3" and "poor: 2" in facts["quality of the text"]
    again = json.loads(json.dumps(card.to_dict()))
    assert again["poor_pages"] == [2] and again["page_quality"][0]["quality"] == 0.9


def test_a_table_from_before_pages_were_scored_has_an_unknown_quality():
    card = card_of(PROSE.format(n="seven"), PROSE.format(n="eight"))
    unknown = [replace(page, quality=None) for page in card.page_quality]
    card = replace(card, page_quality=unknown)
    assert card.mean_quality is None and card.poor_pages == []
    assert text_plot(unknown) == "··"
    assert all(outcome.passed for outcome in check_card(card))


def test_a_file_without_text_has_a_card_too():
    card = card_of("")
    assert (card.words, card.leftovers_per_10000, card.removed) == (0, 0.0, {})
    assert all(outcome.passed for outcome in check_card(card))


BASE = card_of(PROSE.format(n="seven"))


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({"leftovers": {"no_vowel": 30}, "leftovers_per_10000": 60.0}, "little_looks_misread"),
        ({"footnotes": 40, "footnotes_linked": 20}, "footnotes_are_linked"),
        ({"marks_without_note": 30}, "note_marks_lead_to_notes"),
        ({"pages": 200, "pages_with_label": 0.1}, "pages_have_printed_numbers"),
    ],
)
def test_a_warning_names_what_is_not_so_and_stops_nothing(change, broken):
    card = replace(BASE, **change)
    if broken == "little_looks_misread":
        card = replace(card, suspects=card_of("It was dcrf and trpz and qvxn here.\n").suspects)
    outcomes = [outcome for outcome in check_card(card) if not outcome.passed]
    assert [outcome.name for outcome in outcomes] == [broken]
    assert outcomes[0].severity == "warning" and outcomes[0].offenders


def test_every_promise_is_checked_and_every_kind_is_told_apart():
    assert [outcome.name for outcome in check_card(BASE)] == list(CARD_PROMISES)
    assert set(KINDS) > MISREAD


@given(
    qualities=st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=300),
    width=st.integers(1, 80),
)
def test_a_plot_has_a_sign_for_every_group_of_pages_and_shows_the_worst(qualities, width):
    pages = [PageQuality(n, None, quality, 10, usable=True) for n, quality in enumerate(qualities, start=1)]
    plot = text_plot(pages, width)
    assert len(plot) == min(width, len(pages))
    worst = min((quality for quality in qualities if quality is not None), default=None)
    assert ("▁" in plot) == (worst is not None and worst < 1 / 8)
