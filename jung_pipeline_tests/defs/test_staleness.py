"""Which volumes are stale, and why, as Dagster's own stale status says it; and what follows by itself."""

from __future__ import annotations

import dagster as dg
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from jung_pipeline import freshness
from jung_pipeline.clean import cleaner
from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.instance import open_instance
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.defs.sources import observe
from jung_pipeline.stages import STAGES
from jung_pipeline_tests.small_books import put_epub

ASSETS = ("raw_text", "cleaned_text", "removal_ledger", *STAGES[2:])


def stale(library, instance, key="north") -> dict[str, list[tuple[str, str]]]:
    """The assets of a volume that Dagster calls stale: each with category and source of its causes."""
    graph = build_definitions(library.home).resolve_asset_graph()
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    found = {}
    for name in ASSETS:
        asset = dg.AssetKey(name)
        if resolver.get_status(asset, key).value != "FRESH":
            causes = resolver.get_stale_causes(asset, key)
            found[name] = [
                (
                    cause.category.value,
                    (cause.dependency_asset_key or cause.asset_key).path[-1],
                )
                for cause in causes
            ]
    return found


def materialise(library, instance, *names, key="north"):
    job = build_definitions(library.home).resolve_job_def("ingest_volume")
    done = job.execute_in_process(
        instance=instance, partition_key=key, asset_selection=[dg.AssetKey(name) for name in names]
    )
    assert done.success


def test_another_file_other_rules_and_a_corrected_title_are_each_seen_where_they_matter(library, monkeypatch):
    put_epub(library.paths.library, "north")
    list(Ingestion(library).run())
    with open_instance(library) as instance:
        volume = library.paths.catalogue().get("north")

        def look():
            observe(instance, [library.paths.catalogue().get("north")], library)
            return stale(library, instance)

        assert look() == {}
        assert observe(instance, [volume], library) == [], "what has not changed is not recorded again"

        monkeypatch.setattr(cleaner, "CLEANING_VERSION", "of another rule")
        assert look() == {
            "cleaned_text": [("CODE", "cleaned_text")],
            "removal_ledger": [("CODE", "removal_ledger")],
        }
        assert freshness.due_stages(volume, library) == list(STAGES[1:]), "status tells what follows from it"
        materialise(library, instance, "cleaned_text", "removal_ledger")
        assert look() == {}, "the other rule made the same text: nothing below is stale"
        assert freshness.due_stages(volume, library) == []

        catalogue = library.paths.catalogue_path
        catalogue.write_text(catalogue.read_text().replace("The Book of the North", "The Northern Book"))
        assert look() == {"chunks": [("DATA", "catalogue_entry")]}

        put_epub(library.paths.library, "north", paragraphs=6)
        assert look() == {"raw_text": [("DATA", "book_file")], "chunks": [("DATA", "catalogue_entry")]}
        materialise(library, instance, "raw_text")
        assert set(look()) == {"cleaned_text", "removal_ledger", "chunks"}
        assert look()["cleaned_text"] == [("DATA", "raw_text")]
    list(Ingestion(library).run())
    with open_instance(library) as instance:
        assert stale(library, instance) == {}


def requested(result) -> dict[str, set[str]]:
    """What conditions ask for: partitions by asset, {None} for an asset that has none."""
    names = (*ASSETS, "index_manifest")
    asked = {name: result.get_requested_partitions(dg.AssetKey(name)) for name in names}
    return {name: keys for name, keys in asked.items() if keys}


def test_a_stage_made_by_hand_is_followed_unless_a_check_failed_in_whatever_run(library):
    put_epub(library.paths.library, "north")
    (library.paths.library / "blank.txt").write_text("* * *\n\n* * *\n", encoding="utf-8")
    results = {result.volume: result.status for result in Ingestion(library).run()}
    assert results == {"north": "done", "blank": "failed"}
    with open_instance(library) as instance:
        definitions = build_definitions(library.home)
        first = dg.evaluate_automation_conditions(definitions, instance)
        assert requested(first) == {}, "what the command line did is done"
        materialise(library, instance, "raw_text")
        materialise(library, instance, "raw_text", key="blank")
        job = definitions.resolve_job_def("ingest_volume")
        job.execute_in_process(
            instance=instance,
            partition_key="blank",
            asset_selection=[dg.AssetKey("cleaned_text"), dg.AssetKey("removal_ledger")],
            raise_on_error=False,
        )
        second = dg.evaluate_automation_conditions(definitions, instance, cursor=first.cursor)
        asked = requested(second)
        assert asked["cleaned_text"] == {"north"} and "north" in asked["vector_index"]
        assert "blank" not in asked.get("chunks", set()), "its text failed a blocking check"
        job.execute_in_process(
            instance=instance,
            partition_key="north",
            asset_selection=[dg.AssetKey(name) for name in ("chunks", "embeddings", "vector_index")],
        )
        third = dg.evaluate_automation_conditions(definitions, instance, cursor=second.cursor)
        assert "index_manifest" in requested(third), "one volume that failed keeps nobody waiting"
