"""Stopping with Ctrl-C: the command ends at once and says so; the next call goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from jung_pipeline import settings as settings_module
from jung_pipeline.defs.running import Ingestion
from jung_pipeline_tests.small_books import put_epub


def test_ctrl_c_stops_ingestion_and_the_next_call_goes_on(tmp_path):
    library = tmp_path / "library"
    for name in ("north", "south", "west"):
        put_epub(library, name, chapters=4, paragraphs=24)
    environment = {**os.environ, "JUNG_HOME": str(tmp_path), "DAGSTER_HOME": str(tmp_path / "dagster")}
    process = subprocess.Popen(
        [sys.executable, "-c", "from jung_pipeline.cli.main import main; main()", "ingest"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not list((tmp_path / "tables").glob("chunks/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.2)
    time.sleep(0.3)  # into the embedding of the first volume
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "What is done is kept" in errors and "Traceback" not in errors
    done = list((tmp_path / "tables").glob("vector_index/*.parquet"))
    assert len(done) < 3, "it stopped before the last volume"
    results = list(Ingestion(settings_module.load(tmp_path)).run())
    assert {result.status for result in results} <= {"done", "fresh"}
