"""Schedules: what happens at night, and once a week."""

import dagster as dg

from jung_pipeline import freshness
from jung_pipeline import volumes as library_volumes
from jung_pipeline.defs.jobs import evaluate_index, ingest_volume
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library
from jung_pipeline.errors import JungError


@dg.schedule(
    job=ingest_volume,
    cron_schedule="0 3 * * *",
    execution_timezone="UTC",
    description="At three in the morning, ingest every volume that is not up to date. Off until switched on.",
)
def nightly_ingestion(
    context: dg.ScheduleEvaluationContext, library: Library
) -> list[dg.RunRequest] | dg.SkipReason:
    """One run for every volume that is not up to date."""
    settings = library.settings()
    night = f"{context.scheduled_execution_time:%Y-%m-%d}"
    try:
        library_volumes.catalogue_new_files(settings.paths, settled_only=True)
        present = library_volumes.present_volumes(settings.paths)
    except JungError as error:  # a folder that cannot be read is not an empty library
        return dg.SkipReason(str(error))
    context.instance.add_dynamic_partitions(volumes.name or "", [volume.key for volume in present])
    due = [
        dg.RunRequest(run_key=f"{night}:{volume.key}", partition_key=volume.key)
        for volume in present
        if any(state.status != "fresh" for state in freshness.states(volume, settings))
    ]
    return due or dg.SkipReason("Every volume is up to date.")


#: Sundays, after the night's ingestion.
weekly_evaluation = dg.ScheduleDefinition(
    name="weekly_evaluation",
    job=evaluate_index,
    cron_schedule="0 5 * * 0",
    execution_timezone="UTC",
    description="On Sundays at five in the morning, evaluate the live index. Off until switched on.",
)

ALL = [nightly_ingestion, weekly_evaluation]
