"""A golden set of our own against a small library: every figure can be worked out by hand."""

from __future__ import annotations

import json

import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline.errors import UsageError
from jung_pipeline.evaluation import record
from jung_pipeline.evaluation.evaluate import evaluate
from jung_pipeline.evaluation.golden import read
from jung_pipeline.query.calibration import calibrate
from jung_pipeline.query.library import Library
from jung_pipeline_tests.query.fixtures_library import rows
from jung_pipeline_tests.query.tiny_index import HashingEmbedder, TinyVersion


def question(ident, text, *answers, kind="factual", **values):
    return {
        "id": ident,
        "question": text,
        "language": "en",
        "kind": kind,
        "answers": [{"group": g, "book": book, "span": span} for g, book, span in answers],
        **values,
    }


QUESTIONS = [
    question(
        "q1",
        "Why does an empty mirror frighten the dreamer?",
        (1, "On Dream Mirrors", "An empty mirror frightens the dreamer because it grants his secret wish"),
    ),
    question(
        "q2",
        "Soll das Tagebuch eines Träumers Deutungen enthalten oder die Farben der Türen?",
        (1, "Vom Schatten", "Das Tagebuch eines Träumers soll keine Deutungen enthalten"),
        kind="conceptual",
        cross_lingual=True,
    ),
    # The words stand in these books, but not in the book that is asked for: no hit.
    question(
        "q3",
        "Who speaks only in questions at the orchard of white pears?",
        (1, "On Dream Mirrors", "Those who arrive there report an orchard of white pears and a gatekeeper"),
    ),
    question(
        "q4", "What is in it?", (1, "A Book Nobody Has", "these words stand nowhere at all in here today")
    ),
]
UNANSWERABLE = [
    {"id": "u1", "question": "What is the boiling point of tungsten?", "language": "en", "type": "off_topic"},
    {"id": "u2", "question": "Which football club won the cup?", "language": "en", "type": "off_topic"},
]
QUOTES = [
    (
        "c1",
        "The frame of the dream mirror is made of what the dreamer owns by day",
        "On Dream Mirrors",
        "verbatim",
    ),
    (
        "c2",
        "The frame of the dream mirror is made of what the dreamer fears by day",
        "On Dream Mirrors",
        "altered",
    ),
    ("c3", "No map shows the eastern landing", "On Dream Mirrors", "misattributed"),
    ("c4", "The soul is a lighthouse that nobody has ever climbed twice", "The Blue Lamp", "fabricated"),
]


@pytest.fixture
def golden(tmp_path):
    folder = tmp_path / "golden"
    folder.mkdir()
    elsewhere = {
        "id": "c5",
        "claimed_quote": "These words stand in a book that is not here",
        "attributed_to": {"book": "The Blue Lamp"},
        "verdict": "misattributed",
        "true_location": {"book": "A Book Nobody Has"},
    }
    quotes = [
        elsewhere,  # left out: nothing can be said about it without that book
        *(
            {"id": i, "claimed_quote": quote, "attributed_to": {"book": book}, "verdict": verdict}
            for i, quote, book, verdict in QUOTES
        ),
    ]
    for name, cases in (("questions", QUESTIONS), ("unanswerable", UNANSWERABLE), ("quotes", quotes)):
        text = "\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
        (folder / f"{name}.jsonl").write_text(text + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    embedder = HashingEmbedder()
    version = TinyVersion(rows(), embedder)
    version.manifest.calibration = calibrate(version, embedder)
    return Library(version, embedder, settings_module.load(tmp_path_factory.mktemp("home")))


def test_the_figures_are_what_they_are_by_hand(library, golden):
    report = evaluate(library, read(golden)).to_dict()
    assert report["questions_asked"] == 3 and report["missing_books"] == ["A Book Nobody Has"]
    ranks = {row["id"]: row["ranks"] for row in report["questions"]}
    assert ranks["q1"] == [1] and ranks["q2"] == [1] and ranks["q3"] == [None]
    assert report["recall@3"] == report["recall@6"] == pytest.approx(2 / 3, abs=1e-4)
    assert report["mrr"] == report["ndcg@10"] == pytest.approx(2 / 3, abs=1e-4)
    assert report["cross_lingual_recall@6"] == 1
    assert report["by_kind"]["conceptual"] == {"questions": 1, "recall@3": 1, "recall@6": 1, "recall@20": 1}
    assert report["false_answer_rate"] == 0
    assert report["auroc_off_topic"] == 1 and report["auroc_near_miss"] is None
    assert [row["given"] for row in report["quotations"]] == [verdict for *_, verdict in QUOTES]
    assert report["quote_accuracy"] == 1 and report["fabricated_called_verbatim"] == 0
    assert report["latency_ms"]["search_median"] > 0
    rows_of = report["ablations"]
    assert {"whole passages alone", "words alone", "both by scores", "without windows"} <= rows_of.keys()
    assert rows_of["everything"]["recall@6"] == report["recall@6"] and rows_of["everything"]["lost"] == 0
    without = rows_of["without other languages"]
    assert without["lost"] == pytest.approx(report["recall@6"] - without["recall@6"], abs=1e-3)
    assert without["lost_from"] <= without["lost"] <= without["lost_to"]
    json.dumps(report)


def test_evaluations_are_kept_and_held_against_the_last_one(library, golden, tmp_path):
    report = evaluate(library, read(golden), ablations=False).to_dict()
    assert record.last(tmp_path, golden="mine") is None
    record.keep(tmp_path, {**report, "recall@6": 0.5}, golden="mine", version="1")
    record.keep(tmp_path, {**report, "recall@6": 0.0}, golden="another", version="1")
    (record.folder(tmp_path) / "99999999T000000.json").write_text("{ torn", encoding="utf-8")
    changes = record.changes(report, record.last(tmp_path, golden="mine"))
    assert changes["recall@6"] == pytest.approx(2 / 3 - 0.5, abs=1e-3)
    assert changes["mrr"] == 0 and "auroc_near_miss" not in changes


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        ("questions", '{"id": "q9", "question": "What?"}', "line 5: 'answers' is missing"),
        ("questions", '{"id": "q9", "question": "What?", "answers": []}', "line 5: no answers"),
        ("quotes", "{ torn", "line 6: not JSON"),
        ("unanswerable", "[1]", "line 3: not a JSON object"),
    ],
)
def test_a_wrong_line_is_named(golden, name, line, says):
    path = golden / f"{name}.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        read(golden)


def test_a_folder_without_cases_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"questions\.jsonl"):
        read(tmp_path)


def test_a_question_is_asked_where_an_alternative_of_each_group_is_there(library, golden):
    both = question(
        "q5",
        "Why does an empty mirror frighten the dreamer?",
        (1, "On Dream Mirrors", "An empty mirror frightens the dreamer because it grants his secret wish"),
        (1, "A Book Nobody Has", "the same in a language that is not here, told at some length"),
    )
    (golden / "questions.jsonl").write_text(json.dumps(both), encoding="utf-8")
    report = evaluate(library, read(golden), ablations=False).to_dict()
    assert report["questions_asked"] == 1 and report["questions_left_out"] == 0 and report["recall@3"] == 1
    assert report["latency_ms"]["search_p95"] >= report["latency_ms"]["search_median"]
