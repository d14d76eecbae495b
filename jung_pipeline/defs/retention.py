"""Forgetting old runs: Dagster keeps the events of every run for ever, about a quarter of a megabyte each."""

import time

import dagster as dg

from jung_pipeline.defs.resources import Library

#: Runs looked at a time, so that memory does not grow with the history.
_LOT = 200


def spared_runs(instance: dg.DagsterInstance) -> set[str]:
    """Runs that the state of today rests on: the last to make each asset, of each partition that there is."""
    spared = set()
    for asset in instance.get_asset_keys():
        storage = instance.event_log_storage
        newest = storage.get_latest_storage_id_by_partition(asset, dg.DagsterEventType.ASSET_MATERIALIZATION)
        ids = list(newest.values())
        for start in range(0, len(ids), _LOT):
            wanted = dg.EventRecordsFilter(
                dg.DagsterEventType.ASSET_MATERIALIZATION,
                asset_key=asset,
                storage_ids=ids[start : start + _LOT],
            )
            spared |= {record.run_id for record in instance.get_event_records(wanted)}
        event = instance.get_latest_materialization_event(asset)
        if event:
            spared.add(event.run_id)
    return spared


def old_runs(instance: dg.DagsterInstance, before: float) -> list[str]:
    """Finished runs created before the time ``before`` (seconds of the epoch) that nothing of today rests on."""
    spared, found, cursor = spared_runs(instance), [], None
    while True:
        records = instance.get_run_records(limit=_LOT, cursor=cursor)
        for record in records:
            run = record.dagster_run
            if run.is_finished and record.create_timestamp.timestamp() < before and run.run_id not in spared:
                found.append(run.run_id)
        if len(records) < _LOT:
            return found
        cursor = records[-1].dagster_run.run_id


@dg.op(description="Deletes finished runs older than the setting keep_runs_days, with their events.")
def delete_old_runs(context: dg.OpExecutionContext, library: Library) -> None:
    """Delete them one by one: another look takes what a stopped one left."""
    days = library.settings().keep_runs_days
    if not days:
        context.log.info("The setting keep_runs_days is 0: everything is kept.")
        return
    runs = old_runs(context.instance, time.time() - days * 86_400)
    for run_id in runs:
        context.instance.delete_run(run_id)
    context.log.info(f"{len(runs)} run(s) older than {days} days forgotten.")


@dg.job(description="Forget old runs and their events; what the state of today rests on is kept.")
def forget_runs() -> None:
    """One step."""
    delete_old_runs()


forget_old_runs = dg.ScheduleDefinition(
    name="forget_old_runs",
    job=forget_runs,
    cron_schedule="30 4 1 * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="On the first of each month, forget runs older than the setting keep_runs_days.",
)

JOBS = [forget_runs]
SCHEDULES = [forget_old_runs]
