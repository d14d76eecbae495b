"""A version that finds clearly less than the live one does not go live by itself; the owner can make it."""

from __future__ import annotations

import json

from click.testing import CliRunner

from jung_pipeline import publishing
from jung_pipeline.cli.group import jung
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.embed.registry import make_embedder
from jung_pipeline.evaluation import gate
from jung_pipeline.index import versions
from jung_pipeline_tests.small_books import put_epub


def ask_about_chapter_two(library):
    """Golden questions whose answers stand in the second chapter."""
    (library.home / "golden").mkdir()
    questions = [
        {
            "id": f"q{n}",
            "question": f"Which wind came from the lake in night {n}?",
            "language": "en",
            "kind": "factual",
            "answers": [
                {
                    "group": 1,
                    "book": "The Book of the North",
                    "span": f"That was night {n}, and the wind came from the lake",
                }
            ],
        }
        for n in range(201, 206)
    ]
    text = "\n".join(json.dumps(question) for question in questions)
    (library.home / "golden" / "questions.jsonl").write_text(text, encoding="utf-8")


def test_a_worse_scan_is_held_back_with_the_reason_until_the_owner_promotes_it(library):
    put_epub(library.paths.library, "north")
    ask_about_chapter_two(library)
    list(Ingestion(library).run())
    live = publishing.current(library).manifest.version
    put_epub(library.paths.library, "north", chapters=1)  # another scan, half of whose pages are missing
    ingestion = Ingestion(library)
    assert [result.status for result in ingestion.run()] == ["done"]
    assert "recall among 6 passages fell from 1.00 to 0.00 (5 golden questions)" in ingestion.not_published
    assert "jung index promote" in ingestion.not_published
    assert publishing.current(library).manifest.version == live
    (late,) = publishing.late_volumes(library)
    assert "not published" in late["why"]
    done = CliRunner().invoke(jung, ["index", "promote", "--json"], catch_exceptions=False)
    assert done.exit_code == 0 and json.loads(done.output)["version"] > live
    again = Ingestion(library)
    assert [result.status for result in again.run()] == ["fresh"]
    assert not again.not_published
    # A better scan comes: nothing is held against it.
    put_epub(library.paths.library, "north", chapters=3)
    better = Ingestion(library)
    list(better.run())
    assert better.published and not better.not_published


def test_without_golden_questions_passages_of_both_are_asked_for(library, monkeypatch):
    monkeypatch.setattr(gate, "FEWEST_PASSAGES", 2)
    put_epub(library.paths.library, "north", chapters=4)
    list(Ingestion(library).run())
    live = versions.read_current(library.paths.index)
    embedder = make_embedder(library)
    assert gate.reasons_against(live, live, library, embedder, None) == []


def test_what_may_be_chance_is_not_held_against_a_version():
    def worse(pairs):
        return gate._worse("recall", pairs, "questions")

    assert worse([(1.0, 0.0)] * 4) == [], "too few"
    assert worse([(1.0, 1.0)] * 40) == []
    assert worse([(0.0, 1.0)] * 40) == [], "better"
    assert worse([(1.0, 0.0)] + [(1.0, 1.0)] * 39) == [], "one of forty"
    assert worse([(1.0, 0.0), (0.0, 1.0)] * 20) == [], "others are found instead"
    (reason,) = worse([(1.0, 0.0)] * 20 + [(1.0, 1.0)] * 20)
    assert "fell from 1.00 to 0.50 (40 questions)" in reason
