"""Ingestion through Dagster: only what changed, a failure that stops no other, removal, the same instance as the UI."""

from __future__ import annotations

import os

import dagster as dg
import pytest

from jung_pipeline import freshness, publishing, tables
from jung_pipeline import settings as settings_module
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.index.versions import open_current
from jung_pipeline_tests.small_books import put_epub


def ingest(settings, *keys, **options):
    """Run it; status by volume."""
    ingestion = Ingestion(settings)
    results = {result.volume: result for result in ingestion.run(keys, **options)}
    return ingestion, results


def statuses(settings, key):
    volume = settings.paths.catalogue().get(key)
    return {state.stage: state.status for state in freshness.states(volume, settings)}


def test_a_second_run_does_nothing_and_touching_a_file_changes_nothing(library):
    path = put_epub(library.paths.library, "north")
    _, first = ingest(library)
    assert first["north"].status == "done"
    version = publishing.current(library).manifest.version
    before = {p: p.read_bytes() for p in (library.home / "tables").rglob("*.parquet")}
    os.utime(path)
    _, second = ingest(library)
    assert second["north"].status == "fresh"
    assert publishing.current(library).manifest.version == version
    assert {p: p.read_bytes() for p in (library.home / "tables").rglob("*.parquet")} == before


def test_a_bad_volume_stops_no_other_and_says_why(library):
    put_epub(library.paths.library, "north")
    (library.paths.library / "torn.pdf").write_bytes(b"%PDF-1.4\n%")
    _, results = ingest(library)
    assert results["north"].status == "done"
    assert results["torn"].status == "failed"
    assert "torn.pdf" in results["torn"].problem and "raw_text" in results["torn"].problem
    assert open_current(library.paths.index).passages.volumes() == ["north"]
    assert statuses(library, "torn")["raw_text"] == "failed"
    with dg.DagsterInstance.get() as instance:
        runs = instance.get_runs_count()
    _, again = ingest(library)
    assert "unchanged since it failed" in again["torn"].problem
    with dg.DagsterInstance.get() as instance:
        assert instance.get_runs_count() == runs, "what is wrong with the file is wrong with it again"
    put_epub(library.paths.library, "torn").rename(library.paths.library / "torn.pdf")
    _, mended = ingest(library)
    assert mended["torn"].status == "done", "read by its content, whatever its name"
    assert open_current(library.paths.index).passages.volumes() == ["north", "torn"]


def test_a_changed_title_embeds_nothing_and_reaches_the_citation(library):
    put_epub(library.paths.library, "north")
    ingest(library)
    text = library.paths.catalogue_path.read_text(encoding="utf-8")
    library.paths.catalogue_path.write_text(
        text.replace("The Book of the North", "The Northern Book"), encoding="utf-8"
    )
    assert statuses(library, "north")["chunks"] == "stale"
    assert statuses(library, "north")["cleaned_text"] == "fresh"
    _, results = ingest(library)
    assert results["north"].stages == ("chunks", "embeddings", "vector_index")
    info = tables.read_info(library.paths.embeddings(library.embedder, "north"))
    assert (info["embedded"], info["reused"]) == (0, info["reused"])
    passages = open_current(library.paths.index).passages
    assert {row["work_title"] for row in passages} == {"The Northern Book"}


def test_a_book_that_is_gone_loses_partition_tables_and_vectors_and_a_renamed_one_keeps_its_ids(library):
    put_epub(library.paths.library, "north")
    gone = put_epub(library.paths.library, "south")
    ingest(library)
    ids = {row["chunk_id"] for row in open_current(library.paths.index).passages if row["volume"] == "north"}
    gone.unlink()
    (library.paths.library / "north.epub").rename(library.paths.library / "North, second copy.epub")
    ingestion, results = ingest(library)
    assert ingestion.removed == ["south"]
    assert results["north"].status == "fresh"
    with dg.DagsterInstance.get() as instance:
        assert instance.get_dynamic_partitions("volumes") == ["north"]
    passages = open_current(library.paths.index).passages
    assert {row["chunk_id"] for row in passages} == ids
    assert not library.paths.table("chunks", "south").exists()


def test_runs_checks_and_metadata_are_on_the_instance_that_the_ui_shows(library):
    put_epub(library.paths.library, "north")
    ingest(library)
    with dg.DagsterInstance.get() as instance:
        assert [run.status for run in instance.get_runs()] == [dg.DagsterRunStatus.SUCCESS] * 2
        filters = dg.AssetRecordsFilter(asset_key=dg.AssetKey("chunks"), asset_partitions=["north"])
        record = instance.fetch_materializations(filters, limit=1).records[0]
        metadata = record.asset_materialization.metadata
        assert (
            metadata["dagster/row_count"].value
            == tables.read_table(library.paths.table("chunks", "north")).num_rows
        )
        assert "keeper" in metadata["sample"].value
        data_version = tables.read_info(library.paths.table("chunks", "north"))["data_version"]
        assert record.asset_materialization.tags["dagster/data_version"] == data_version


def test_a_volume_that_fails_a_blocking_check_stays_failed_until_it_is_mended(library):
    path = library.paths.library / "blank.txt"
    path.write_text("* * *\n\n* * *\n", encoding="utf-8")
    _, results = ingest(library)
    assert results["blank"].status == "failed"
    _, again = ingest(library)
    assert again["blank"].status == "failed"
    assert "vector_index" not in {s for s, status in statuses(library, "blank").items() if status == "fresh"}
    path.write_text(
        "CHAPTER I\n\nThe keeper counted the stones, and the stones were many.\n", encoding="utf-8"
    )
    _, mended = ingest(library)
    assert mended["blank"].status == "done"


def test_force_makes_every_stage_again_with_the_same_bytes(library):
    put_epub(library.paths.library, "north")
    ingest(library)
    before = {
        p: p.read_bytes()
        for p in (library.home / "tables").rglob("*.parquet")
        if p.parent.name != "vector_index"
    }
    before = {p: b for p, b in before.items() if "embeddings" not in p.parts}
    _, results = ingest(library, force=True)
    assert results["north"].stages[0] == "raw_text"
    assert {p: p.read_bytes() for p in before} == before


def test_an_unknown_volume_is_refused_by_name(library):
    from jung_pipeline.errors import CatalogueError

    put_epub(library.paths.library, "north")
    with pytest.raises(CatalogueError, match=r"nort'.*Known: north"):
        ingest(library, "nort")


def test_a_change_of_model_that_fails_leaves_the_working_index_alone(library, monkeypatch):
    put_epub(library.paths.library, "north")
    ingest(library)
    version = publishing.current(library).manifest.version
    monkeypatch.setenv("JUNG_EMBEDDER", "pinecone-multilingual-e5-large")
    monkeypatch.delenv("PINECONE_API_KEY", raising=False)
    other = settings_module.load(library.home)
    ingestion, results = ingest(other)
    assert results["north"].status == "failed" and "PINECONE_API_KEY" in results["north"].problem
    assert "multilingual-e5-small" in ingestion.not_published
    assert publishing.current(library).manifest.version == version
    monkeypatch.delenv("JUNG_EMBEDDER")
    assert ingest(settings_module.load(library.home))[1]["north"].status in {"fresh", "done"}
