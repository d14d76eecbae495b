from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.demo.builder import FaultRates, build_scan, load_book
from jung_pipeline.extract.document import DocumentInfo
from jung_pipeline.extract.extractor import extract
from jung_pipeline.extract.page_quality import judge

ENGLISH = """When the patient came back in the spring he spoke of the dream again, and of the lamp that had burned
all night in the empty house. Nobody had seen it but the old woman who kept the door, and she would not say who had
asked her to leave it there. It seemed to him that the light had been meant for someone else."""
GERMAN = """Als der Kranke im Frühjahr wiederkam, sprach er noch einmal von dem Traum und von der Lampe, die in dem
leeren Haus die ganze Nacht gebrannt hatte. Niemand hatte sie gesehen außer der alten Frau, welche die Tür hütete,
und sie wollte nicht sagen, wer sie gebeten hatte, sie dort stehen zu lassen."""
MISREAD = {
    "e": "c",
    "h": "li",
    "m": "rn",
    "n": "u",
    "t": "l",
    "a": "o",
    "s": "5",
    "i": "1",
    "u": "n",
    "r": "i",
}


def misread(text: str, rate: float, seed: int = 1) -> str:
    chance = random.Random(seed)
    return "".join(MISREAD[c] if c in MISREAD and chance.random() < rate else c for c in text)


@pytest.mark.parametrize("text", [ENGLISH, GERMAN])
def test_the_worse_a_text_is_misread_the_lower_it_scores(text: str) -> None:
    scores = [judge(misread(text, rate)).score for rate in (0.0, 0.04, 0.12, 0.4)]
    assert None not in scores
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == 4  # type: ignore[type-var]
    assert scores[0] > 0.85 > 0.5 > scores[-1]  # type: ignore[operator]


def test_long_s_and_sharp_s_are_letters_like_others() -> None:
    assert judge(GERMAN.replace("s", "ſ")).score == judge(GERMAN).score
    assert judge("daß es weiß, wie groß und süß die Straße heißt " * 4).unknown == 0


def test_letter_spaced_words_are_told_and_named() -> None:
    spaced = judge(ENGLISH.replace("patient", "p a t i e n t").replace("empty", "e m p t y"))
    assert spaced.score < judge(ENGLISH).score  # type: ignore[operator]
    assert "single letters" in spaced.reason


def test_a_name_costs_less_than_a_misreading() -> None:
    name, noise = (judge(ENGLISH + f" {word} said so.") for word in ("Mortensen", "Mqvtfnwfu"))
    assert name.score > noise.score  # type: ignore[operator]
    assert "not made like words" in noise.reason and "not made like words" not in name.reason


@pytest.mark.parametrize("text", ["", "17", "PART TWO", "— * — | .'"])
def test_too_little_to_judge_has_no_score(text: str) -> None:
    assert judge(text).score is None


@given(st.text(max_size=400))
def test_any_text_scores_between_nought_and_one(text: str) -> None:
    found = judge(text)
    assert found.score is None or 0 <= found.score <= 1
    assert 0 <= found.mismade <= found.unknown <= 1
    assert found.readable >= found.known


def test_pages_of_a_badly_read_scan_score_below_those_of_a_well_read_one(tmp_path: Path) -> None:
    book = load_book("letters-from-the-night-school")
    bad_rates = FaultRates(misreading=0.3)
    scores = []
    for name, rates in (("bad", bad_rates), ("usual", FaultRates())):
        found = extract(build_scan(tmp_path / f"{name}.pdf", book, rates).path).info.pages
        scores.append({page.page: page.quality for page in found if page.characters > 800})
        assert all((page.quality is None) == (page.quality_reason is None) for page in found)
    bad, usual = scores
    judged = sorted(bad.keys() & usual.keys())
    assert len(judged) > 10
    assert sum(bad[page] < usual[page] for page in judged) > 0.95 * len(judged)


def test_facts_written_before_there_were_scores_are_read() -> None:
    page = {"page": 1, "label": None, "characters": 5, "usable": True}
    info = DocumentInfo.from_dict({"format": "pdf", "status": "ok", "extractor": "x", "pages": [page]})
    assert info.pages[0].quality is None and info.ocr == {}
