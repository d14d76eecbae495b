"""`hints.keep`: what the owner of a book wants left as it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline.clean.keep import ALWAYS_ACT, Keep, keep_of
from jung_pipeline.clean.rules import REASONS
from jung_pipeline.errors import CatalogueError
from jung_pipeline.stages import fingerprint
from jung_pipeline_tests.clean.helpers import VOLUME, clean_pages, text_of

PROSE = (
    "The keeper of the lake went down to the water every morning and counted the stones, and his wife\n"
    "wrote the number on the door, where the rain had washed away the number of the day be-\n"
    "fore; {n} it was on most days, and nobody in the village could say why it was never more.\n"
)
PAGES = [
    f"{41 + at}  THE KEEPER OF STONES\n\n{PROSE.format(n=name)}"
    for at, name in enumerate(["seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen"])
]


def keeping(*items: str):
    return replace(VOLUME, hints={"keep": list(items)})


def test_without_the_hint_the_heads_go_and_the_words_are_joined():
    text = text_of(*PAGES)
    assert "KEEPER OF STONES" not in text and "the day before; nine" in text


def test_a_rule_held_back_acts_nowhere_in_the_volume():
    cleaned = clean_pages(*PAGES, volume=keeping("running_head"))
    assert "running_head" not in cleaned.ledger.column("rule").to_pylist()
    assert text_of(*PAGES, volume=keeping("running_head")).count("THE KEEPER OF STONES") == len(PAGES)


def test_a_rule_held_back_on_pages_acts_on_the_others():
    text = text_of(*PAGES, volume=keeping("running_head@3", "line_hyphen@4-5"))
    assert text.count("THE KEEPER OF STONES") == 1
    assert text.index("nine it was") > text.index("THE KEEPER OF STONES") > text.index("eight it was")
    assert [n for n in ("nine", "ten", "eleven", "twelve") if f"day be-fore; {n} it" in text] == [
        "ten",
        "eleven",
    ]


def test_a_word_that_a_rule_would_correct_stays_as_it_is():
    pages = [*PAGES, "He saw the ﬁre.\n"]
    assert "the fire" in text_of(*pages)
    assert "the ﬁre" in text_of(*pages, volume=keeping("ligature"))


def test_a_note_is_left_where_it_stands():
    page = "CHAPTER I\n\nHe said so to his brother.[1] And the rest.\n\n[Footnote 1: A note on it.]\n\nHe went home.\n"
    moved = clean_pages(page).paragraphs.to_pylist()
    assert [row["kind"] for row in moved][-1] == "footnote" and "A note on it." in moved[-1]["text"]
    kept = clean_pages(page, volume=keeping("footnote")).paragraphs.to_pylist()
    assert "footnote" not in [row["kind"] for row in kept]
    assert "A note on it." in kept[-2]["text"] and kept[-1]["text"] == "He went home."


@pytest.mark.parametrize(
    "wrong",
    ["running_heads", "running_head@", "running_head@x", "white_space", 7, ["stamp", 3], {"stamp": 1}],
)
def test_a_wrong_hint_is_refused_with_the_names_there_are(wrong):
    with pytest.raises(CatalogueError, match=r"test.*hints\.keep"):
        keep_of({"keep": wrong}, "test")


def test_every_rule_but_those_that_make_text_can_be_held_back():
    keep = keep_of({"keep": [f"{rule}@5" for rule in REASONS if rule not in ALWAYS_ACT]}, "test")
    assert all(keep.holds(rule, 5) and not keep.holds(rule, 6) for rule in REASONS if rule not in ALWAYS_ACT)
    assert not Keep()


def test_another_hint_cleans_the_volume_anew_and_reads_no_file_again(tmp_path):
    settings = settings_module.load(tmp_path)
    with_hint = keeping("stamp@2")
    for stage, changes in (("raw_text", False), ("cleaned_text", True), ("chunks", False)):
        before, after = (fingerprint(stage, volume, settings, {}) for volume in (VOLUME, with_hint))
        assert (before != after) == changes
