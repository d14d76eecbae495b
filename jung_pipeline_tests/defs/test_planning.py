"""The plan says beforehand what ingestion then does, and going back is a command."""

from __future__ import annotations

import json

from click.testing import CliRunner

from jung_pipeline import publishing, tables
from jung_pipeline import settings as settings_module
from jung_pipeline.cli.group import jung
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.planning import plan
from jung_pipeline_tests.small_books import put_epub


def run(*arguments: str):
    result = CliRunner().invoke(jung, ["index", *arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def change_of(library, key):
    """What the last run did to the volume in the index."""
    return tables.read_table(library.paths.table("vector_index", key)).to_pylist()[0]


def test_the_plan_is_what_then_happens(library):
    put_epub(library.paths.library, "north", chapters=3)
    put_epub(library.paths.library, "south")
    list(Ingestion(library).run())
    done = plan(library)
    assert (
        not done.changes_anything
        and done.total("kept")
        == change_of(library, "north")["added"] + (change_of(library, "south")["added"])
    )
    # Another title in the catalogue: every citation changes, no vector does.
    catalogue = library.paths.catalogue_path
    catalogue.write_text(catalogue.read_text().replace("The Book of the North", "The North, corrected"))
    assert plan(library).unknown == ("north",), "its passages have to be made first"
    list(Ingestion(library).run(["south"]))
    chunks_only = settings_module.load()
    from jung_pipeline import stages

    volume = library.paths.catalogue().get("north")
    made = stages.make_chunks(
        volume, chunks_only, tables.read_table(library.paths.table("cleaned_text", "north"))
    )
    tables.write_table(library.paths.table("chunks", "north"), made.table)
    from jung_pipeline.chunk.chunker import Limits
    from jung_pipeline.quality.chunk_rules import check_chunks
    from jung_pipeline.quality.record import write_outcomes

    outcomes = check_chunks(
        made.table, tables.read_table(library.paths.table("cleaned_text", "north")), Limits(400, 600, 80), 512
    )
    write_outcomes(library.paths.checks("chunks", "north"), made.data_version, outcomes)
    planned = {one.volume: one for one in plan(library).volumes}["north"]
    assert (planned.added, planned.removed, planned.to_embed) == (0, 0, 0)
    assert planned.updated == made.table.num_rows
    assert planned.changed[0]["work_title"] == ["The Book of the North", "The North, corrected"]
    (library.paths.library / "south.epub").unlink()
    everything = {one.volume: one for one in plan(library).volumes}
    assert everything["south"].removed > 0
    list(Ingestion(library).run())
    assert change_of(library, "north")["updated"] == planned.updated
    assert not plan(library).changes_anything


def test_what_pinecone_would_cost_is_told_without_asking_it(library, monkeypatch):
    put_epub(library.paths.library, "north", chapters=3)
    list(Ingestion(library).run())
    monkeypatch.setenv("JUNG_STORE", "pinecone")
    monkeypatch.setenv("JUNG_EMBEDDER", "pinecone-multilingual-e5-large")
    monkeypatch.delenv("PINECONE_API_KEY", raising=False)
    told = run("plan")
    totals = told["totals"]
    assert told["unknown"] in ([], ["north"])
    if not told["unknown"]:
        assert totals["to_embed"] == totals["added"] > 0 and totals["tokens"] > 0
        assert totals["requests"] >= 1 and totals["bytes"] > 1024 * 4 * totals["added"]
        assert told["dollars"] > 0 and told["prices_of"] and told["seconds"] > 0


def test_going_back_and_forward_by_command(library):
    put_epub(library.paths.library, "north")
    list(Ingestion(library).run())
    first = publishing.current(library).manifest.version
    put_epub(library.paths.library, "south")
    list(Ingestion(library).run())
    second = publishing.current(library).manifest.version
    assert [row["version"] for row in run("versions")["versions"]] == [first, second]
    assert run("rollback")["version"] == first
    list(Ingestion(library).run())
    assert publishing.current(library).manifest.version == first, "the hold outlasts an idle ingestion"
    assert run("promote")["version"] != first
    assert set(publishing.current(library).manifest.volumes) == {"north", "south"}
    live = publishing.current(library).manifest.version
    run("prune", "--keep", "1")
    assert live in [row["version"] for row in run("versions")["versions"]]
