"""A version that finds clearly less than the live one does not go live by itself; the owner can make it."""

from __future__ import annotations

import json

from click.testing import CliRunner

from jung_pipeline import publishing, stages, tables, volumes
from jung_pipeline.cli.group import jung
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.embed.registry import make_embedder
from jung_pipeline.evaluation import gate
from jung_pipeline.index import versions

FIRST = (
    "CHAPTER I\n\nThe keeper of the tower counted the stones every night and wrote their number on the wall. When "
    "the wind came from the lake he closed the shutters and listened to the water under the floor.\n\n"
)
SECOND = (
    "A ferryman sold him a lamp of blue glass that burned without oil for seven winters.",
    "His sister planted apple trees along the northern wall before the river froze.",
    "Three travellers asked for bread and paid with a silver coin from the old mint.",
    "The bell in the chapel was cast by a deaf founder who felt its tone with his hands.",
    "In spring the archive burned and nobody could say which letters had been inside.",
)
QUESTIONS = (
    "What did the ferryman sell?",
    "What did the sister plant along the wall?",
    "With what did the three travellers pay for bread?",
    "Who cast the bell in the chapel?",
    "When did the archive burn?",
)


def put_book(library, *sentences):
    text = f"Title: The Book of the North\nAuthor: A. Keeper\n\n{FIRST}"
    text += "CHAPTER II\n\n" + "\n\n".join(sentences) if sentences else ""
    (library.paths.library / "north.txt").write_text(text, encoding="utf-8")


def ask_about_chapter_two(library):
    """Golden questions whose answers stand in the second chapter."""
    (library.home / "golden").mkdir()
    rows = [
        {
            "id": f"q{number}",
            "question": question,
            "language": "en",
            "kind": "factual",
            "answers": [{"group": 1, "book": "The Book of the North", "span": span}],
        }
        for number, (question, span) in enumerate(zip(QUESTIONS, SECOND, strict=True))
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    (library.home / "golden" / "questions.jsonl").write_text(text, encoding="utf-8")


def make(library):
    """The volume's stages, without Dagster."""
    volumes.catalogue_new_files(library.paths)
    volume = library.paths.catalogue().get("north")

    def keep(made):
        path = stages.stage_path(made.info["stage"], volume.key, library)
        tables.write_table(path, made.table)
        return tables.read_table(path)

    text, ledger = stages.make_cleaned_text(volume, library, keep(stages.make_raw_text(volume, library)))
    keep(ledger)
    chunks = keep(stages.make_chunks(volume, library, keep(text)))
    keep(
        stages.make_vector_index(
            volume, library, chunks, keep(stages.make_embeddings(volume, library, chunks))
        )
    )


def test_a_worse_scan_is_held_back_with_the_reason_until_the_owner_promotes_it(library):
    put_book(library, *SECOND)
    ask_about_chapter_two(library)
    make(library)
    live = publishing.publish(library).manifest.version
    put_book(library)  # another scan, half of whose pages are missing
    ingestion = Ingestion(library)
    assert [result.status for result in ingestion.run()] == ["done"]
    assert "recall among 6 passages fell from 1.00 to 0.00 (5 golden questions)" in ingestion.not_published
    assert "jung index promote" in ingestion.not_published
    assert publishing.current(library).manifest.version == live
    (late,) = publishing.late_volumes(library)
    assert "not published" in late["why"]
    done = CliRunner().invoke(jung, ["index", "promote", "--json"], catch_exceptions=False)
    assert done.exit_code == 0 and json.loads(done.output)["version"] > live
    assert publishing.late_volumes(library) == []
    put_book(library, *SECOND, "And a page that no scan had before.")
    make(library)
    assert publishing.publish(library).changed, "nothing is held against a better one"


def test_without_golden_questions_passages_of_both_are_asked_for(library, monkeypatch):
    monkeypatch.setattr(gate, "FEWEST_PASSAGES", 2)
    put_book(library, *SECOND)
    make(library)
    publishing.publish(library)
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
