"""Two workers side by side: results told as one, the records unharmed, a killed worker no loss but of its volume."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys

import dagster as dg

from jung_pipeline.defs.running import Ingestion
from jung_pipeline.index.versions import open_current
from jung_pipeline_tests.small_books import put_epub

#: A worker that is killed when it comes to the volume "east", as a page too large for the memory would do it.
KILLED_BY_EAST = """
import os, signal
from jung_pipeline import stages
from jung_pipeline.defs import workers
make_chunks, work = stages.make_chunks, workers._work
def killing(volume, *rest):
    if volume.key == "east":
        os.kill(os.getpid(), signal.SIGKILL)
    return make_chunks(volume, *rest)
def killable_work(*arguments):
    stages.make_chunks = killing
    work(*arguments)
"""
COMMAND = """
import killed_by_east
from jung_pipeline.cli.main import main
from jung_pipeline.defs import workers
workers._work = killed_by_east.killable_work
main()
"""


def test_two_workers_are_told_as_one_and_one_that_is_killed_costs_its_volume_alone(library):
    for name in ("east", "north", "south"):
        put_epub(library.paths.library, name)
    (library.paths.library / "torn.pdf").write_bytes(b"%PDF-1.4\n%")
    (library.home / "killed_by_east.py").write_text(KILLED_BY_EAST)
    path = f"{library.home}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "ingest", "--workers", "2", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 1, done.stderr
    report = {row["volume"]: row for row in json.loads(done.stdout)["volumes"]}
    said = {key: row["problem"] for key, row in report.items()}
    assert {key: row["status"] for key, row in report.items()} == {
        "east": "failed",
        "north": "done",
        "south": "done",
        "torn": "failed",
    }, said
    assert f"signal {int(signal.SIGKILL)}" in report["east"]["problem"]
    assert "raw_text" in report["torn"]["problem"] and "torn.pdf" in report["torn"]["problem"]
    assert open_current(library.paths.index).passages.volumes() == ["north", "south"]
    with dg.DagsterInstance.get() as instance:
        runs = instance.get_runs(dg.RunsFilter(job_name="ingest_volume"))
        assert len(runs) == 4 and all(run.is_finished for run in runs)
        for name in ("north", "south"):
            filters = dg.AssetRecordsFilter(asset_key=dg.AssetKey("vector_index"), asset_partitions=[name])
            assert len(instance.fetch_materializations(filters, limit=5).records) == 1
    for file in (library.home / "dagster").rglob("*.db"):
        with sqlite3.connect(file) as records:
            assert records.execute("pragma integrity_check").fetchone() == ("ok",)
    again = {result.volume: result for result in Ingestion(library).run()}
    assert again["east"].status == "done" and again["east"].stages[0] == "chunks", "only what was left"
    assert {again[name].status for name in ("north", "south")} == {"fresh"}
