"""A process killed in any stage, a full disk, a clock set back: one clear error, and a re-run that ends green."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from jung_pipeline import publishing
from jung_pipeline import settings as settings_module
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.index import versions
from jung_pipeline.stages import STAGES
from jung_pipeline_tests.defs.conftest import fast_folder
from jung_pipeline_tests.defs.damage import ingest, is_well
from jung_pipeline_tests.small_books import put_epub

#: Ingests once for every stage and for publishing, each time in a process that is killed when that work is done and
#: nothing of it written. Forked, so that Dagster is imported once.
KILLED_IN_EACH = """
import os, signal, sys
from jung_pipeline import publishing, settings, stages
from jung_pipeline.defs.running import Ingestion

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

chosen = settings.load()
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        if name == "publish":
            publishing.versions._make_current = die
        else:
            make = getattr(stages, "make_" + name)
            setattr(stages, "make_" + name, lambda *given, make=make: (make(*given), die()))
        list(Ingestion(chosen).run())
        os._exit(3)
    _, status = os.waitpid(child, 0)
    print(name, os.WTERMSIG(status) if os.WIFSIGNALED(status) else -os.WEXITSTATUS(status), flush=True)
"""


def tables_of(settings) -> dict[str, bytes]:
    """The bytes of the tables whose content alone decides them."""
    folder = settings.home / "tables"
    names = ("raw_text", "cleaned_text", "removal_ledger", "chunks")
    return {name: (folder / name / "north.parquet").read_bytes() for name in names}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_killed_in_each_stage_the_next_call_goes_on_and_ends_with_the_same_bytes(library, monkeypatch):
    put_epub(library.paths.library, "north")
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_IN_EACH, *STAGES, "publish"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert killed.stdout.split("\n")[:-1] == [f"{name} 9" for name in (*STAGES, "publish")], killed.stderr
    with dg.DagsterInstance.get() as instance:
        runs = instance.get_runs(dg.RunsFilter(job_name="ingest_volume"))
        assert len(runs) == len(STAGES) + 1, (
            "the call that was killed while publishing had finished the volume"
        )
    _, results = ingest(library)
    assert results["north"].status == "fresh"
    assert is_well(library)
    with dg.DagsterInstance.get() as instance:
        assert all(run.is_finished for run in instance.get_runs())
    with fast_folder() as folder:
        monkeypatch.setenv("JUNG_HOME", str(folder))
        monkeypatch.setenv("DAGSTER_HOME", str(folder / "dagster"))
        whole = settings_module.load()
        whole.paths.library.mkdir()
        shutil.copy2(library.paths.library / "north.epub", whole.paths.library)  # its time is in the footer
        ingest(whole)
        assert tables_of(whole) == tables_of(library)


def test_a_full_disk_is_one_clear_error_and_with_room_again_the_next_call_ends_green(library):
    tables = library.home / "tables"
    tables.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(tables)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        put_epub(library.paths.library, "north")
        _, results = ingest(library)
        assert results["north"].status == "failed"
        assert "No space left" in results["north"].problem and "\n" not in results["north"].problem
        subprocess.run(["mount", "-o", "remount,size=64m", str(tables)], check=True)
        _, results = ingest(library)
        assert results["north"].status == "done"
        assert is_well(library)
    finally:
        subprocess.run(["umount", "-l", str(tables)], check=False)


def test_a_clock_that_was_set_back_makes_no_version_older_than_the_live_one(library, monkeypatch):
    put_epub(library.paths.library, "north")
    ingest(library)
    before = publishing.current(library).manifest.version

    class SetBack(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz or UTC) - timedelta(days=400)

    monkeypatch.setattr(versions, "datetime", SetBack)
    path = put_epub(library.paths.library, "south")
    long_ago = datetime(2001, 1, 1, tzinfo=UTC).timestamp()
    os.utime(path, (long_ago, long_ago))
    ingestion = Ingestion(library)
    assert {result.volume: result.status for result in ingestion.run()} == {"north": "fresh", "south": "done"}
    assert publishing.current(library).manifest.version > before
    assert is_well(library)
