"""When the words of an answer count as found, and the figures made of it."""

from __future__ import annotations

import importlib.util
import json
import math

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from jung_pipeline.evaluation import metrics
from jung_pipeline.evaluation.matching import holds, plain_words, run_text, runs
from jung_pipeline.query.passages import Passage
from jung_pipeline_tests.corpus import SHARED

SPAN = "The ferryman calls this sound the second shadow that follows a traveller home"


def found(passage: str, span: str = SPAN) -> bool:
    return holds(plain_words(passage), plain_words(span))


@pytest.mark.parametrize(
    "passage",
    [
        f"Before. {SPAN}. After.",
        "“The _ferryman_ calls this sound the second shad­ow[12] that follows a trav’eller home”",
        "the FERRYMAN calls this sound —\nthe second shadow(4) that\nfollows a traveller home",
        "The ferryman calls this the second shadow, one that follows every traveller home",
    ],
)
def test_typography_and_small_gaps_do_not_count(passage):
    assert found(passage)


@pytest.mark.parametrize(
    "passage",
    [
        "The ferryman calls this sound something else entirely, and nobody follows.",
        "home traveller a follows that shadow second the sound this calls ferryman The",
        "The ferryman "
        + "word " * 30
        + "calls this sound the second "
        + "word " * 30
        + "shadow that follows a traveller home",
        "",
    ],
)
def test_other_words_other_order_and_scattered_words_are_no_hit(passage):
    assert not found(passage)


def test_passages_that_follow_one_another_are_joined_and_others_are_not():
    first = Passage("a#1", "a", "A", "The ferryman calls this sound the second", next_chunk_id="a#2")
    second = Passage("a#2", "a", "A", "shadow that follows a traveller home.", prev_chunk_id="a#1")
    apart = Passage("a#9", "a", "A", "Something else.", prev_chunk_id="a#8")
    joined = runs([second, apart, first])
    assert sorted(len(run) for run in joined) == [1, 2]
    assert any(found(run_text(run)) for run in joined)
    assert not any(found(run_text(run)) for run in runs([second, apart]))


def test_figures_by_hand():
    assert metrics.recall((1, 7, None), 6) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank((None, 4)) == 0.25 and metrics.reciprocal_rank((None,)) == 0
    assert metrics.ndcg((1, 2), 10) == pytest.approx(1)
    assert metrics.ndcg((2,), 10) == pytest.approx(1 / math.log2(3))
    assert metrics.auroc([0.9, 0.5], [0.5, 0.1]) == pytest.approx(0.875)
    assert metrics.auroc([0.9], []) is None


def reference():
    """The matching rule as it came with the golden set."""
    path = SHARED / "golden" / "verify.py"
    if not path.exists():
        pytest.skip(f"{path} is not at hand; set JUNG_CORPUS_DIR")
    spec = importlib.util.spec_from_file_location("golden_verify", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_WORD = st.sampled_from(
    [
        "dream",
        "Traum",
        "œuvre",
        "naïve",
        "soul's",
        "soul’s",
        "dream-work",
        "dream-\nwork",
        "[12]",
        "word(45)",
        "_so_",
        "—",
        "…",
        "ſo",
        "ß",
    ]
)


@hypothesis_settings(max_examples=200, deadline=None)
@given(st.lists(_WORD, min_size=4, max_size=12), st.data())
def test_the_rule_is_the_one_that_the_golden_set_states(span, data):
    theirs = reference()
    passage = list(span)
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(passage)))
        if data.draw(st.booleans()) and passage:
            passage.pop(min(at, len(passage) - 1))
        else:
            passage.insert(at, data.draw(_WORD))
    text, wanted = " ".join(passage), " ".join(span)
    assert found(text, wanted) == theirs.hit(wanted, text)


def test_the_rule_agrees_on_real_spans():
    theirs = reference()
    path = SHARED / "golden" / "questions.jsonl"
    spans = [
        a["span"]
        for line in path.read_text(encoding="utf-8").splitlines()
        for a in json.loads(line)["answers"]
    ]
    for one, other in zip(spans, [*spans[1:], spans[0]], strict=True):
        half = " ".join(one.split()[: len(one.split()) * 5 // 6]) + " " + other
        for passage in (f"Well, {one.upper()} indeed", half, other):
            assert found(passage, one) == theirs.hit(one, passage)
