"""Runs on several workers through a queue, from the shipped files: one worker is killed in the middle, nothing is lost."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from jung_pipeline import freshness
from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.at_work import end_dead_runs
from jung_pipeline.defs.instance import open_instance
from jung_pipeline.depot.working_copy import working_copy
from jung_pipeline.query.library import Library
from jung_pipeline.volumes import take_up_new_files
from jung_pipeline_tests.production.conftest import DEPLOY
from jung_pipeline_tests.production.services import redis_server, wait_until
from jung_pipeline_tests.production.test_depot import home_of, tables_of
from jung_pipeline_tests.small_books import put_epub

pytest.importorskip("dagster_celery", reason="needs the extra `celery`")
pytestmark = pytest.mark.slow

#: Longer than anything takes on a machine at its limits; only waited out where something hangs.
LONG = 600.0


class Worker:
    """A worker with a home and a Dagster home of its own, as on a machine of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        self.home, self.dagster = folder / "home", folder / "dagster"
        self.dagster.mkdir(parents=True)
        shutil.copy(DEPLOY / "celery" / "dagster.yaml", self.dagster)
        segments = self.home / "index" / "segments"
        segments.mkdir(parents=True)
        self._lock = (segments / ".lock").open("w")
        environment = {
            **os.environ,
            "JUNG_HOME": str(self.home),
            "DAGSTER_HOME": str(self.dagster),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "C_FORCE_ROOT": "1",
        }
        command = [
            sys.executable, "-c", "from dagster_celery.cli import main; main()", "worker", "start",
            "-A", "dagster_celery.app", "-y", str(DEPLOY / "celery" / "worker.yaml"), "-q", "dagster", "-n", name,
            "--", "--concurrency=1",
        ]  # fmt: skip
        self._log = (folder / "log").open("wb")
        self.process = subprocess.Popen(
            command, env=environment, stdout=self._log, stderr=self._log, start_new_session=True
        )

    def hold_up(self) -> None:
        """Let every run here wait at its last stage: somebody else is writing to the index."""
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def let_go(self) -> None:
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def kill(self) -> None:
        """As if the machine were gone."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._lock.close()
        self._log.close()


@pytest.fixture
def queue(tmp_path_factory, monkeypatch):
    """A broker of its own; the variables of the shipped files lead to it."""
    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        monkeypatch.setenv("DAGSTER_CELERY_BROKER_URL", url)
        monkeypatch.setenv("DAGSTER_CELERY_RESULTS_URL", url)
        yield url


@pytest.fixture
def workers(team_library, bucket, queue, probe_vectors, tmp_path_factory, monkeypatch):
    """Two workers with PostgreSQL, the bucket and the queue in common, and nothing else."""
    monkeypatch.setenv("JUNG_DATA_URL", bucket)
    made = [Worker(tmp_path_factory.mktemp(name), name) for name in ("first", "second")]
    for worker in made:
        shutil.copytree(probe_vectors, worker.home / "index", dirs_exist_ok=True)
        worker.hold_up()
    yield made
    for worker in made:
        if worker.process.poll() is None:
            worker.kill()


def launch(instance, job_name, key="", stages=()):
    """Hand a run to the launcher of the instance, as the daemon does; its id."""
    from dagster._core.definitions.reconstruct import ReconstructableRepository
    from dagster._core.launcher import LaunchRunContext

    repository = ReconstructableRepository.for_module("jung_pipeline.definitions", "defs")
    selection = frozenset(dg.AssetKey(stage) for stage in stages) or None
    job = build_definitions().resolve_job_def(job_name)
    run = instance.create_run_for_job(
        job.get_subset(asset_selection=selection) if selection else job,
        tags={"dagster/partition": key} if key else {},
        asset_selection=selection,
        job_code_origin=repository.get_reconstructable_job(job_name).get_python_origin(),
    )
    instance.run_launcher.launch_run(LaunchRunContext(run, workspace=None))
    return run.run_id


def test_a_worker_killed_in_the_middle_loses_nothing(
    team_library,
    workers,
    bucket,
    tmp_path_factory,
    monkeypatch,
):
    shutil.copy(DEPLOY / "celery" / "dagster.yaml", team_library.paths.dagster)
    owner = home_of(team_library.home, monkeypatch, bucket)
    for name in ("north", "south"):
        put_epub(owner.paths.library, name)
    take_up_new_files(owner)
    copy = working_copy(owner)
    with open_instance(owner) as instance:
        instance.add_dynamic_partitions("volumes", ["north", "south"])
        runs = {key: launch(instance, "ingest_volume", key) for key in ("north", "south")}

        def are_embedded():
            for worker in workers:
                assert worker.process.poll() is None, "a worker ended by itself"
            states = [copy.depot.get(f"states/{key}.json") for key in runs]
            return all(state and "tables/embeddings" in state[0].decode() for state in states)

        wait_until(are_embedded, "the work on both volumes", LONG)
        hosts = {key: instance.get_run_by_id(run).tags["jung/host"] for key, run in runs.items()}
        assert len(set(hosts.values())) == 2, "a run each"
        of_north = next(worker for worker in workers if str(worker.dagster) in hosts["north"])
        survivor = next(worker for worker in workers if worker is not of_north)
        of_north.kill()
        wait_until(lambda: end_dead_runs(instance) == [runs["north"]], "the end of the killed run", LONG)
        survivor.let_go()

        def ended(run):
            return lambda: instance.get_run_by_id(run).is_finished

        wait_until(ended(runs["south"]), "the end of the other run", LONG)
        assert instance.get_run_by_id(runs["south"]).status == dg.DagsterRunStatus.SUCCESS
        copy.refresh()
        before = tables_of(owner)
        states = freshness.states(owner.paths.catalogue().get("north"), owner)
        due = [state.stage for state in states if state.status != "fresh"]
        assert due and set(due) <= {"embeddings", "vector_index"}, "what was finished is not made again"
        again = launch(instance, "ingest_volume", "north", due)
        wait_until(ended(again), "the end of the run that goes on", LONG)
        assert instance.get_run_by_id(again).status == dg.DagsterRunStatus.SUCCESS
        assert str(survivor.dagster) in instance.get_run_by_id(again).tags["jung/host"]
        published = launch(instance, "publish_index")
        wait_until(ended(published), "the end of the publication", LONG)
        assert instance.get_run_by_id(published).status == dg.DagsterRunStatus.SUCCESS
    copy.refresh()
    kept = {
        name: data for name, data in before.items() if not name.startswith(("embeddings", "vector_index"))
    }
    assert kept.items() <= tables_of(owner).items()
    reader = home_of(tmp_path_factory.mktemp("reader"), monkeypatch, bucket)
    assert Library.open(reader).version.passages.volumes() == ["north", "south"]
    assert json.loads(copy.depot.get("CURRENT")[0])["version"]
