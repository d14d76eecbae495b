"""The definitions: they load without secrets and say what the docs say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.instance import dagster_home
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
        "raw_text": set(),
        "cleaned_text": {"raw_text"},
        "chunks": {"cleaned_text"},
        "embeddings": {"chunks"},
        "vector_index": {"chunks", "embeddings"},
    }


def test_every_stage_has_blocking_checks_that_say_what_they_promise(definitions):
    graph = definitions.resolve_asset_graph()
    checked = {key.asset_key.path[-1] for key in graph.asset_check_keys}
    assert checked == {*STAGES, "index_manifest", "evaluation"}
    for key in graph.asset_check_keys:
        spec = graph.get_check_spec(key)
        assert spec.description
        assert spec.blocking or key.asset_key.path[-1] in ("index_manifest", "evaluation")


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
