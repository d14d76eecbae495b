"""Sensors: what follows the library folder without being asked."""

from datetime import UTC, datetime

import dagster as dg

from jung_pipeline import freshness
from jung_pipeline import volumes as library_volumes
from jung_pipeline.catalogue import Volume
from jung_pipeline.defs.at_work import end_dead_runs
from jung_pipeline.defs.jobs import ingest_volume, publish_index
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library
from jung_pipeline.errors import JungError
from jung_pipeline.settings import Settings

#: Runs that still hold a volume.
_BUSY = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def busy_volumes(instance: dg.DagsterInstance) -> set[str]:
    """Keys of the volumes that a run is at work on, or about to be."""
    runs = instance.get_runs(dg.RunsFilter(job_name=ingest_volume.name, statuses=_BUSY))
    return {run.tags["dagster/partition"] for run in runs if "dagster/partition" in run.tags}


def _run_key(volume: Volume, settings: Settings) -> str:
    """What the volume is to be run for; "" if it is up to date.

    The same file under the same rules is asked for once: a volume that fails does not run for ever. A table or
    segment that was made and is gone is another matter each time it is lost: the time of its last checks, which
    every making renews, tells the losses apart.
    """
    for state in freshness.states(volume, settings):
        if state.status == "missing":
            checked = settings.paths.checks(state.stage, volume.key)
            made_before = f":{checked.stat().st_mtime_ns}" if checked.exists() else ""
            return f"{volume.key}:{freshness.wanted(volume, settings)}{made_before}"
        if state.status != "fresh":
            return f"{volume.key}:{freshness.wanted(volume, settings)}"
    return ""


@dg.sensor(
    jobs=[ingest_volume, publish_index],
    minimum_interval_seconds=30,
    description="Gives new files an entry and a partition, takes away the partitions of books that are gone, and "
    "ingests every volume that is not up to date. Files that are still being copied are left alone.",
)
def library_folder(context: dg.SensorEvaluationContext, library: Library) -> dg.SensorResult | dg.SkipReason:
    """Follow the library folder."""
    settings = library.settings()
    home = settings.paths
    try:
        not_taken = library_volumes.catalogue_new_files(home, settled_only=True).failed
        present = {volume.key: volume for volume in library_volumes.present_volumes(home)}
    except JungError as error:  # a folder that cannot be read is not an empty library
        return dg.SkipReason(str(error))
    end_dead_runs(context.instance)
    partitions = context.instance.get_dynamic_partitions(volumes.name or "")
    busy = busy_volumes(context.instance)
    plan = library_volumes.plan_partitions(list(present), partitions, busy)
    for file in not_taken:
        context.log.warning(f"{file.file}: {file.problem}")
    removed = []
    for key in plan.remove:
        try:
            library_volumes.remove_data(settings, key)
            removed.append(key)
        except JungError as error:  # tried again at the next look; the other volumes go on
            context.log.warning(f"{key} could not be taken out: {error}")
    requests = [
        dg.RunRequest(job_name=ingest_volume.name, partition_key=key, run_key=run_key)
        for key, volume in present.items()
        if key not in busy and (run_key := _run_key(volume, settings))
    ]
    if removed:
        stamp = datetime.now(UTC).isoformat(timespec="seconds")
        requests.append(
            dg.RunRequest(job_name=publish_index.name, run_key=f"removed:{','.join(removed)}:{stamp}")
        )
    if not requests and not plan.add and not removed:
        waiting = f", {len(busy)} at work" if busy else ""
        odd = f"; not taken up: {', '.join(file.file for file in not_taken)}" if not_taken else ""
        return dg.SkipReason(f"{len(present)} volume(s), nothing new{waiting}{odd}.")
    return dg.SensorResult(
        run_requests=requests,
        dynamic_partitions_requests=[
            request
            for request, keys in (
                (volumes.build_add_request(list(plan.add)), plan.add),
                (volumes.build_delete_request(removed), removed),
            )
            if keys
        ],
    )


#: Publishes the index whenever a volume in it changed (the condition stands on the asset).
index_follows_volumes = dg.AutomationConditionSensorDefinition(
    "index_follows_volumes",
    target=dg.AssetSelection.assets("index_manifest"),
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=30,
    description="Publishes the index after volumes in it have changed.",
)

ALL = [library_folder, index_follows_volumes]
