"""The benchmarks over the removal ledger: drawing, verdicts, and the search for lost words."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from jung_pipeline.clean.rules import REASONS
from jung_pipeline.extract.plain_text import raw_text_from_pages
from jung_pipeline_tests.clean.helpers import clean_pages

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import lost_words
import removals

PAGES = [
    f"{40 + n}  THE KEEPER OF STONES\n\nThe keeper of the lake went down to the water every morning and counted\n"
    f"the stones of day {n}, and his wife wrote the number on the door of the tow-\ner, where it stayed.\n"
    for n in range(12)
]


def volume():
    cleaned = clean_pages(*PAGES)
    return SimpleNamespace(
        path=Path("keeper.txt"), sha256="0" * 64, document=raw_text_from_pages(PAGES), cleaned=cleaned
    )


def drawn(labels=()):
    ledgers = removals.Ledgers(list(labels))
    ledgers.add(volume())
    return ledgers


def test_every_rule_is_drawn_as_often_as_promised_and_the_rest_in_proportion():
    shares = removals.shares(Counter({"a": 9000, "b": 1000, "c": 3}), number=100, least=8)
    assert shares["c"] == 3 and shares["b"] >= 8 + 5 and shares["a"] > 4 * shares["b"]
    assert abs(sum(shares.values()) - 100) <= 2


def test_the_draw_is_the_same_whatever_the_order_and_whatever_other_rules_do():
    first = [entry.place for entry in drawn().drawn()]
    assert first == [entry.place for entry in drawn().drawn()]
    without = volume()
    rules = without.cleaned.ledger.column("rule").to_pylist()
    kept = [n for n, rule in enumerate(rules) if rule != "line_hyphen"]
    without.cleaned = SimpleNamespace(ledger=without.cleaned.ledger.take(kept))
    ledgers = removals.Ledgers([])
    ledgers.add(without)
    heads = [place for place in first if place.rule == "running_head"]
    assert (
        heads and heads == [e.place for e in ledgers.drawn() if e.place.rule == "running_head"][: len(heads)]
    )


def test_a_verdict_finds_its_entry_again_although_lines_are_numbered_anew():
    entry = next(entry for entry in drawn().drawn() if entry.place.rule == "running_head")
    label = {**removals.label_of(entry, "right", ""), "line_id": entry.place.line_id + 500}
    assert drawn([label]).of_label(label).place == entry.place
    gone = {**label, "start": label["start"] + 1}
    assert drawn([gone]).of_label(gone) is None


def test_a_verdict_holds_no_word_of_the_book():
    words = set(" ".join(PAGES).lower().split())
    for entry in drawn().drawn():
        kept = json.dumps(removals.label_of(entry, "right", "")).lower()
        assert not {word for word in words if len(word) > 4 and word.isalpha()} & set(kept.split('"'))


def test_the_verdicts_in_the_repository_are_whole_and_free_of_text():
    labels = removals.read_labels()
    assert len(labels) >= 200
    assert {tuple(sorted(label)) for label in labels} == {
        ("draw", "end", "file", "line_digest", "line_id", "note", "rule", "sha256", "start", "verdict")
    }
    assert {label["verdict"] for label in labels} == {"right", "wrong"}
    assert all(label["rule"] in REASONS and len(label["sha256"]) == 64 for label in labels)
    assert all(bool(label["note"]) == (label["verdict"] == "wrong") for label in labels)
    places = [
        (label["file"], label["line_id"], label["start"], label["end"], label["rule"]) for label in labels
    ]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize(
    ("right", "number", "low", "high"), [(198, 200, 0.964, 0.997), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0)]
)
def test_the_interval_is_wilson_s(right, number, low, high):
    assert removals.wilson(right, number) == pytest.approx((low, high), abs=0.001)


def test_the_report_tells_what_is_still_made_from_what_was_mended():
    right = {
        "draw": 1,
        "file": "a",
        "line_id": 1,
        "start": 0,
        "end": 2,
        "rule": "stamp",
        "verdict": "right",
        "note": "",
    }
    wrong = {**right, "verdict": "wrong", "note": "another_word"}
    lines = removals.report([right, wrong, wrong], [True, True, False])
    assert "1 no longer (of these 1 were wrong: mended)" in lines[0]
    assert "right: 1 of 2 = 50.00%" in lines[1]
    assert removals.as_drawn(["right", None, "wrong", "right"]).startswith(
        "drawn now: 4, 1 of them without a verdict; right: 2 of 3 = 66.67%"
    )
    assert sum("another_word" in line for line in lines) == 1


def test_a_lost_line_is_missed_and_other_divisions_and_orders_are_not():
    lines = PROSE.splitlines()
    assert lost_words.lost_in_extraction(PROSE, lines) == Counter()
    assert lost_words.lost_in_extraction(PROSE, lines[3:] + lines[:3]) == Counter()
    divided = [line.replace("keeper17", "kee per17") for line in lines]
    assert lost_words.lost_in_extraction(PROSE, divided) == Counter()
    lost = lost_words.lost_in_extraction(PROSE, lines[:10] + lines[11:])
    assert lost == Counter(removals_words(lines[10]))


def removals_words(line: str) -> list[str]:
    from twins import words_of

    return words_of(line)


_RANDOM = random.Random(7)
PROSE = "\n".join(
    " ".join("".join(_RANDOM.choices("abcdefgh", k=6)) for _ in range(9)) + f" keeper{n}" for n in range(30)
)


def test_what_cleaning_does_is_accounted_for():
    assert lost_words.lost_in_cleaning(volume()) == 0
