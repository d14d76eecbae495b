"""Old runs are forgotten; those that made what there is today are not."""

from __future__ import annotations

import dagster as dg

from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.resources import Library
from jung_pipeline.defs.retention import delete_old_runs, old_runs


def test_only_runs_that_nothing_rests_on_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("JUNG_HOME", str(tmp_path))
    books = dg.DynamicPartitionsDefinition(name="books")

    @dg.asset(partitions_def=books)
    def page():
        return 1

    @dg.asset
    def shelf():
        return 2

    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        instance.add_dynamic_partitions("books", ["a", "b"])
        first = {key: dg.materialize([page], partition_key=key, instance=instance).run_id for key in "ab"}
        second = dg.materialize([page], partition_key="a", instance=instance).run_id
        shelves = [dg.materialize([shelf], instance=instance).run_id for _ in range(2)]
        at_work = instance.create_run_for_job(dg.GraphDefinition("ingest_volume").to_job()).run_id
        assert old_runs(instance, before=0) == []
        later = float("inf")
        assert set(old_runs(instance, before=later)) == {first["a"], shelves[0]}
        monkeypatch.setattr("time.time", lambda: 4e9)
        with dg.build_op_context(
            instance=instance, resources={"library": Library(home=str(tmp_path))}
        ) as context:
            delete_old_runs(context)
        left = {run.run_id for run in instance.get_runs()}
        assert left == {first["b"], second, shelves[1], at_work}
        assert instance.get_materialized_partitions(dg.AssetKey("page")) == {"a", "b"}


def test_everything_is_kept_where_the_owner_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("JUNG_HOME", str(tmp_path))
    monkeypatch.setenv("JUNG_KEEP_RUNS_DAYS", "0")

    @dg.asset
    def shelf():
        return 2

    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        for _ in range(2):
            dg.materialize([shelf], instance=instance)
        monkeypatch.setattr("time.time", lambda: 4e9)
        with dg.build_op_context(
            instance=instance, resources={"library": Library(home=str(tmp_path))}
        ) as context:
            delete_old_runs(context)
        assert len(instance.get_runs()) == 2


def test_it_happens_by_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("JUNG_HOME", str(tmp_path))
    schedule = build_definitions().resolve_schedule_def("forget_old_runs")
    assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING
