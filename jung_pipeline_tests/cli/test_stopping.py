"""Stopping with Ctrl-C: the command ends at once and says so; the next call goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import dagster as dg
import pytest
from dagster._utils.interrupts import capture_interrupts

from jung_pipeline import settings as settings_module
from jung_pipeline.defs.interrupts import interrupts_noticed
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
    return process


#: A run as the daemon starts it: without the mark of the command line.
_AS_THE_DAEMON = """
import sys
import dagster as dg
from jung_pipeline import settings
from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.instance import open_instance
from jung_pipeline.volumes import catalogue_new_files
library = settings.load()
catalogue_new_files(library.paths)
with open_instance(library) as instance:
    instance.add_dynamic_partitions("volumes", ["north"])
    job = build_definitions(library.home).resolve_job_def("ingest_volume")
    job.execute_in_process(partition_key="north", instance=instance)
"""


def begin_as_the_daemon(home):
    """A run of `jung ui` on one long book, stopped by the caller while it is being embedded."""
    put_epub(home / "library", "north", chapters=8, paragraphs=40)
    environment = {**os.environ, "JUNG_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
    process = subprocess.Popen(
        [sys.executable, "-c", _AS_THE_DAEMON],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while not list((home / "tables").glob("chunks/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert process.poll() is None, "still at work"
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


def test_ctrl_c_that_comes_while_dagster_does_not_listen_is_not_lost():
    with interrupts_noticed() as stop_if_told:
        stop_if_told()
        with capture_interrupts():  # as while the records of a run's last step are written
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            stop_if_told()
        stop_if_told()


def test_a_killed_ingestion_keeps_nothing_that_the_next_one_waits_for(tmp_path, monkeypatch):
    """Killed in a step with a pool: its slot and its run are given up by the next call."""
    process = begin(tmp_path)
    process.kill()
    process.communicate(timeout=120)
    finish(tmp_path, monkeypatch)
    with dg.DagsterInstance.get() as instance:
        unfinished = [run for run in instance.get_runs() if not run.is_finished]
    assert unfinished == []


def test_a_killed_run_of_the_daemon_is_not_waited_for(tmp_path, monkeypatch):
    process = begin_as_the_daemon(tmp_path)
    process.kill()
    process.wait(timeout=120)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    waits: list[str] = []
    ingestion = Ingestion(settings_module.load(tmp_path), on_waiting=waits.append)
    assert [result.status for result in ingestion.run()] == ["done"]
    assert waits == []
    with dg.DagsterInstance.get() as instance:
        assert [run for run in instance.get_runs() if not run.is_finished] == []


def test_a_living_run_of_the_daemon_is_waited_for_and_its_work_is_not_done_twice(tmp_path, monkeypatch):
    process = begin_as_the_daemon(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    waits: list[str] = []
    ingestion = Ingestion(settings_module.load(tmp_path), on_waiting=waits.append)
    results = list(ingestion.run())
    assert [(result.status, result.stages) for result in results] == [("fresh", ())]
    assert "ingesting north" in waits[0]
    assert process.wait(timeout=120) == 0
