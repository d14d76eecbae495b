"""The instance of a team: Dagster's records in PostgreSQL, from the shipped example."""

from __future__ import annotations

import multiprocessing
import signal

import dagster as dg
import pytest
import yaml
from click.testing import CliRunner
from dagster._core.events import DagsterEvent

from jung_pipeline.defs.at_work import at_work, end_dead_runs, hold
from jung_pipeline.defs.instance import open_instance
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.index.versions import open_current
from jung_pipeline_tests.production.conftest import DEPLOY
from jung_pipeline_tests.production.services import wait_until
from jung_pipeline_tests.small_books import put_epub


def hold_until_killed(run_id):
    """In another process: take the lock of a run and keep it."""
    with dg.DagsterInstance.get() as instance:
        hold(instance, run_id)
        signal.pause()


pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_assets_run_on_postgresql_and_leave_their_records_there(team_library):
    put_epub(team_library.paths.library, "north")
    (team_library.paths.library / "torn.pdf").write_bytes(b"%PDF-1.4\n%")
    results = {result.volume: result.status for result in Ingestion(team_library).run()}
    assert results == {"north": "done", "torn": "failed"}
    assert open_current(team_library.paths.index).passages.volumes() == ["north"]
    with open_instance(team_library) as instance:
        assert "Postgres" in type(instance.run_storage).__name__
        assert sorted(instance.get_dynamic_partitions("volumes")) == ["north", "torn"]
        by_status = {run.tags.get("dagster/partition"): run.status for run in instance.get_runs()}
        assert by_status["north"] == dg.DagsterRunStatus.SUCCESS
        assert by_status["torn"] == dg.DagsterRunStatus.FAILURE
        assert instance.get_materialized_partitions(dg.AssetKey("vector_index")) == {"north"}
    assert [result.status for result in Ingestion(team_library).run(["north"])] == ["fresh"]


def test_migrating_the_instance_of_a_team_changes_nothing_that_is_there(team_library):
    from dagster._cli.instance import migrate_command

    with open_instance(team_library) as instance:
        instance.add_dynamic_partitions("volumes", ["south"])
    done = CliRunner().invoke(migrate_command, [])
    assert done.exit_code == 0, done.output
    with open_instance(team_library) as instance:
        assert instance.get_dynamic_partitions("volumes") == ["south"]


def test_a_killed_run_is_told_from_one_at_work_on_whatever_machine(team_library):
    """A run's lock is in the database, and goes with the connection of the process that has it."""
    with open_instance(team_library) as instance:
        job = dg.GraphDefinition("ingest_volume").to_job()
        run = instance.create_run_for_job(job)
        instance.report_dagster_event(DagsterEvent("PIPELINE_START", run.job_name), run.run_id)
        assert [work.run_id for work in at_work(instance)] == [run.run_id], "it may be about to take its lock"
        holder = multiprocessing.get_context("spawn").Process(target=hold_until_killed, args=(run.run_id,))
        holder.start()
        wait_until(lambda: "jung/host" in instance.get_run_by_id(run.run_id).tags, "taking the lock")
        assert end_dead_runs(instance) == []
        holder.kill()
        holder.join()
        wait_until(lambda: at_work(instance) == [], "the end of its connection")
        assert end_dead_runs(instance) == [run.run_id]
        assert instance.get_run_by_id(run.run_id).status == dg.DagsterRunStatus.FAILURE


@pytest.mark.parametrize("example", sorted(path.parent.name for path in DEPLOY.glob("*/dagster.yaml")))
def test_examples_hold_no_secret_and_keep_two_runs_from_one_volume(example):
    text = (DEPLOY / example / "dagster.yaml").read_text(encoding="utf-8")
    values = yaml.safe_load(text)
    assert values["concurrency"]["runs"]["tag_concurrency_limits"] == [
        {"key": "dagster/partition", "value": {"applyLimitPerUniqueValue": True}, "limit": 1}
    ]
    assert values["run_monitoring"]["enabled"] and values["retention"]
    assert values["telemetry"] == {"enabled": False}
    if "storage" in values:
        database = values["storage"]["postgres"]["postgres_db"]
        assert database["password"] == {"env": "DAGSTER_PG_PASSWORD"}


def test_the_values_for_kubernetes_say_the_same():
    values = yaml.safe_load((DEPLOY / "kubernetes" / "values.yaml").read_text(encoding="utf-8"))
    queue = values["dagsterDaemon"]["runCoordinator"]["config"]["queuedRunCoordinator"]
    assert queue["tagConcurrencyLimits"] == [
        {"key": "dagster/partition", "value": {"applyLimitPerUniqueValue": True}, "limit": 1}
    ]
    assert values["postgresql"]["postgresqlScheme"] == "postgresql+psycopg2"
    (deployment,) = values["dagster-user-deployments"]["deployments"]
    assert deployment["includeConfigInLaunchedRuns"]["enabled"], "runs need the address of the bucket too"
    assert "JUNG_DATA_URL" in {variable["name"] for variable in deployment["env"]}


def test_the_example_for_one_machine_is_taken(library):
    home = library.paths.dagster
    home.mkdir()
    (home / "dagster.yaml").write_bytes((DEPLOY / "one-machine" / "dagster.yaml").read_bytes())
    with open_instance(library) as instance:
        assert "Sqlite" in type(instance.run_storage).__name__
        queue = instance.get_concurrency_config().run_queue_config
        assert queue is not None and queue.max_concurrent_runs == 2
        assert instance.run_monitoring_enabled
