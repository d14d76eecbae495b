"""The definitions: they load without secrets and say what the docs say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.instance import dagster_home
from jung_pipeline.quality.promises import promises
from jung_pipeline.stages import STAGES, code_version

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def definitions(library, monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "PINECONE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return build_definitions(library.home)


def test_every_stage_is_an_asset_partitioned_by_volume(definitions):
    graph = definitions.resolve_asset_graph()
    for stage in (*STAGES, "removal_ledger"):
        node = graph.get(dg.AssetKey(stage))
        assert node.partitions_def.name == "volumes"
        assert node.group_name != "default"
        assert node.owners and node.kinds and node.description
    assert graph.get(dg.AssetKey("index_manifest")).partitions_def is None


def test_the_graph_is_the_line(definitions):
    graph = definitions.resolve_asset_graph()
    parents = {stage: {key.path[-1] for key in graph.get(dg.AssetKey(stage)).parent_keys} for stage in STAGES}
    assert parents == {
        "raw_text": {"book_file"},
        "cleaned_text": {"raw_text"},
        "chunks": {"cleaned_text", "catalogue_entry"},
        "embeddings": {"chunks"},
        "vector_index": {"chunks", "embeddings"},
    }


def test_every_promise_is_a_check_and_only_errors_block(definitions):
    graph = definitions.resolve_asset_graph()
    declared = {(one.stage, one.name): one for one in promises()}
    assert {key.asset_key.path[-1] for key in graph.asset_check_keys} == {
        *STAGES,
        "index_manifest",
        "evaluation",
    }
    assert {(key.asset_key.path[-1], key.name) for key in graph.asset_check_keys} == set(declared)
    assert len({name for _, name in declared}) == len(declared), "no two share a name"
    for key in graph.asset_check_keys:
        spec, one = graph.get_check_spec(key), declared[(key.asset_key.path[-1], key.name)]
        assert spec.description == one.description and one.description
        assert spec.blocking == (one.severity == "error")


def test_what_is_on_by_default_asks_no_paid_service(library, definitions, monkeypatch):
    def states(loaded):
        repository = loaded.get_repository_def()
        named = [*repository.sensor_defs, *repository.schedule_defs]
        return {one.name: one.default_status.value for one in named}

    on = states(definitions)
    assert set(on) == {
        "library_folder",
        "what_follows",
        "nightly_ingestion",
        "weekly_evaluation",
        "daily_check",
        "failed_runs",
        "forget_old_runs",
    }
    assert set(on.values()) == {"RUNNING"}
    for name, value in (("JUNG_EMBEDDER", "pinecone-multilingual-e5-large"), ("JUNG_STORE", "pinecone")):
        monkeypatch.setenv(name, value)
        off = {key for key, status in states(build_definitions(library.home)).items() if status == "STOPPED"}
        assert off == set(on) - {"daily_check", "failed_runs", "forget_old_runs"}
        with dg.build_sensor_context(
            definitions=definitions, resources={"library": definitions.resources["library"]}
        ) as context:
            looked = definitions.resolve_sensor_def("library_folder")(context)
        assert "paid service" in looked.skip_message, "loaded before the setting changed"
        monkeypatch.delenv(name)


def test_code_versions_follow_the_settings_that_matter(library, definitions):
    from jung_pipeline import settings as settings_module

    graph = definitions.resolve_asset_graph()
    assert graph.get(dg.AssetKey("chunks")).code_version == code_version("chunks", library)
    (library.home / "jung.toml").write_text("chunk = { target = 300 }\n", encoding="utf-8")
    changed = settings_module.load(library.home)
    differing = [stage for stage in STAGES if code_version(stage, changed) != code_version(stage, library)]
    assert differing == ["chunks"]


@pytest.mark.slow
def test_dagster_validates_the_workspace(library):
    dagster_home(library)
    done = subprocess.run(
        [sys.executable, "-m", "dagster", "definitions", "validate", "-w", str(ROOT / "workspace.yaml")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-2000:]
