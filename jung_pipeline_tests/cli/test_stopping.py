"""Stopping with Ctrl-C: the command ends at once and says so; the next call goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import dagster as dg

from jung_pipeline import settings as settings_module
from jung_pipeline.defs.running import Ingestion
from jung_pipeline_tests.small_books import put_epub


def begin(home):
    """`jung ingest` on three books, stopped by the caller while the first is being embedded."""
    for name in ("north", "south", "west"):
        put_epub(home / "library", name, chapters=4, paragraphs=24)
    environment = {**os.environ, "JUNG_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
    process = subprocess.Popen(
        [sys.executable, "-c", "from jung_pipeline.cli.main import main; main()", "ingest"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not list((home / "tables").glob("chunks/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    return process


def finish(home, monkeypatch):
    """The next call: everything is done in the end."""
    monkeypatch.setenv("DAGSTER_HOME", str(home / "dagster"))
    results = list(Ingestion(settings_module.load(home)).run())
    assert {result.status for result in results} <= {"done", "fresh"}
    assert len(results) == 3


def test_ctrl_c_stops_ingestion_and_the_next_call_goes_on(tmp_path, monkeypatch):
    process = begin(tmp_path)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "What is done is kept" in errors and "Traceback" not in errors
    assert len(list((tmp_path / "tables").glob("vector_index/*.parquet"))) < 3
    finish(tmp_path, monkeypatch)


def test_a_killed_ingestion_keeps_nothing_that_the_next_one_waits_for(tmp_path, monkeypatch):
    """Killed in a step with a pool: its slot and its run are given up by the next call."""
    process = begin(tmp_path)
    process.kill()
    process.communicate(timeout=120)
    finish(tmp_path, monkeypatch)
    with dg.DagsterInstance.get() as instance:
        unfinished = [run for run in instance.get_runs() if not run.is_finished]
    assert unfinished == []
