"""Everything that happens without being asked, in one place: the sensor on the folder, what follows from it, the hours.

With the local embedder and the embedded store all of it runs by default. Where a paid service is set up, nothing of it
runs until the owner switches it on (in the UI, under *Automation*).
"""

from collections.abc import Mapping
from datetime import UTC, datetime

import dagster as dg

from jung_pipeline import freshness
from jung_pipeline import volumes as library_volumes
from jung_pipeline.catalogue import Volume
from jung_pipeline.defs.at_work import end_dead_runs
from jung_pipeline.defs.jobs import assets_of, check_index, evaluate_index, ingest_volume, publish_index
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library
from jung_pipeline.defs.sources import CATALOGUE_ENTRY, observe
from jung_pipeline.errors import JungError
from jung_pipeline.settings import Settings

# --------------------------------------------------------------------------------------------------
# conditions on assets
# --------------------------------------------------------------------------------------------------

#: A stage that somebody made anew by hand is followed by the ones below it, unless it failed a blocking check, in
#: whatever run. What a new file or a corrected entry asks for is the sensor's matter.
FOLLOWS_ITS_INPUTS = (
    dg.AutomationCondition.any_deps_updated().since_last_handled()
    & ~dg.AutomationCondition.any_deps_missing()
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
    & dg.AutomationCondition.all_deps_blocking_checks_passed()
).ignore(dg.AssetSelection.assets(CATALOGUE_ENTRY))

#: The index is published after volumes in it changed and none is at work any more. At least one must stand; that another
#: failed its checks keeps nobody waiting, for it goes in as it last was.
PUBLISHES_WHAT_STANDS = (
    dg.AutomationCondition.any_deps_updated().since_last_handled()
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
    & dg.AutomationCondition.any_deps_match(
        dg.AutomationCondition.all_checks_match(dg.AutomationCondition.check_passed(), blocking_only=True)
    )
)

CONDITIONS: Mapping[str, dg.AutomationCondition] = {
    **dict.fromkeys(
        ("cleaned_text", "removal_ledger", "chunks", "embeddings", "vector_index"), FOLLOWS_ITS_INPUTS
    ),
    "index_manifest": PUBLISHES_WHAT_STANDS,
}

# --------------------------------------------------------------------------------------------------
# what runs by default
# --------------------------------------------------------------------------------------------------


def calls_a_paid_service(settings: Settings) -> bool:
    """Whether ingesting or evaluating with ``settings`` asks a service that sends bills."""
    return settings.store != "embedded" or settings.embedder.startswith("pinecone-")


def _on_by_default(settings: Settings) -> bool:
    return not calls_a_paid_service(settings)


def _paid_meanwhile(settings: Settings, *, on_by_default: bool) -> dg.SkipReason | None:
    """Why not to go on: what is on by default was loaded before a paid service was set up."""
    if on_by_default and calls_a_paid_service(settings):
        return dg.SkipReason(
            "The settings name a paid service now. Reload the definitions; this is off then until it is switched on."
        )
    return None


# --------------------------------------------------------------------------------------------------
# the sensor on the library folder
# --------------------------------------------------------------------------------------------------

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
    runs = instance.get_runs(dg.RunsFilter(statuses=_BUSY))
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


def _request(volume: Volume, settings: Settings, run_key: str) -> dg.RunRequest:
    """A run of the stages that are due for ``volume``, and of no other."""
    return dg.RunRequest(
        job_name=ingest_volume.name,
        partition_key=volume.key,
        run_key=run_key,
        asset_selection=assets_of(freshness.due_stages(volume, settings)),
    )


def _follow(context: dg.SensorEvaluationContext, settings: Settings) -> dg.SensorResult | dg.SkipReason:
    """One look at the library: entries, partitions, observations, runs."""
    home = settings.paths
    try:
        not_taken = library_volumes.take_up_new_files(settings, settled_only=True).failed
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
    observe(context.instance, present.values(), settings)
    requests = [
        _request(volume, settings, run_key)
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


def sensors(settings: Settings) -> list[dg.SensorDefinition]:
    """The sensors of a library with ``settings``."""
    on = _on_by_default(settings)
    status = dg.DefaultSensorStatus.RUNNING if on else dg.DefaultSensorStatus.STOPPED

    @dg.sensor(
        jobs=[ingest_volume, publish_index],
        minimum_interval_seconds=30,
        default_status=status,
        description="Gives new files an entry and a partition, takes away the partitions of books that are gone, and "
        "ingests every volume that is not up to date. Files that are still being copied are left alone.",
    )
    def library_folder(
        context: dg.SensorEvaluationContext, library: Library
    ) -> dg.SensorResult | dg.SkipReason:
        """Follow the library folder."""
        now = library.settings()
        return _paid_meanwhile(now, on_by_default=on) or _follow(context, now)

    what_follows = dg.AutomationConditionSensorDefinition(
        "what_follows",
        target=dg.AssetSelection.assets(*CONDITIONS),
        default_status=status,
        minimum_interval_seconds=30,
        description="Makes the stages below one that was made anew, unless a blocking check failed, and publishes the "
        "index after volumes in it changed. The conditions stand on the assets.",
    )
    return [library_folder, what_follows]


# --------------------------------------------------------------------------------------------------
# the hours
# --------------------------------------------------------------------------------------------------


def _tonight(
    context: dg.ScheduleEvaluationContext, settings: Settings
) -> list[dg.RunRequest] | dg.SkipReason:
    """One run for every volume that is not up to date; the folder's and the volumes' lasting faults are told."""
    night = f"{context.scheduled_execution_time:%Y-%m-%d}"
    try:
        not_taken = library_volumes.take_up_new_files(settings, settled_only=True).failed
        present = library_volumes.present_volumes(settings.paths)
    except JungError as error:  # a folder that cannot be read is not an empty library
        return dg.SkipReason(str(error))
    context.instance.add_dynamic_partitions(volumes.name or "", [volume.key for volume in present])
    observe(context.instance, present, settings)
    told = [f"{file.file}: {file.problem}" for file in not_taken]
    due = []
    for volume in present:
        lasting = freshness.lasting_failure(volume, settings)
        if lasting:
            told.append(f"{volume.key}: {lasting} (unchanged since it failed)")
        elif freshness.due_stages(volume, settings):
            due.append(_request(volume, settings, f"{night}:{volume.key}"))
    for problem in told:
        context.log.warning(problem)
    if due:
        return due
    if told:
        return dg.SkipReason(f"Nothing to do but for what a person has to look at: {' | '.join(told)}")
    return dg.SkipReason("Every volume is up to date.")


def schedules(settings: Settings) -> list[dg.ScheduleDefinition]:
    """The schedules of a library with ``settings``; hours are UTC."""
    on = _on_by_default(settings)
    status = dg.DefaultScheduleStatus.RUNNING if on else dg.DefaultScheduleStatus.STOPPED

    @dg.schedule(
        job=ingest_volume,
        cron_schedule="0 3 * * *",
        execution_timezone="UTC",
        default_status=status,
        description="At three in the morning, ingest every volume that is not up to date.",
    )
    def nightly_ingestion(
        context: dg.ScheduleEvaluationContext, library: Library
    ) -> list[dg.RunRequest] | dg.SkipReason:
        """One run for every volume that is not up to date."""
        now = library.settings()
        return _paid_meanwhile(now, on_by_default=on) or _tonight(context, now)

    @dg.schedule(
        job=evaluate_index,
        cron_schedule="0 5 * * 0",
        execution_timezone="UTC",
        default_status=status,
        description="On Sundays at five in the morning, after the night's ingestion, evaluate the live index.",
    )
    def weekly_evaluation(
        context: dg.ScheduleEvaluationContext, library: Library
    ) -> dg.RunRequest | dg.SkipReason:
        """One evaluation of the live index."""
        week = f"{context.scheduled_execution_time:%Y-%m-%d}"
        return _paid_meanwhile(library.settings(), on_by_default=on) or dg.RunRequest(run_key=week)

    daily_check = dg.ScheduleDefinition(
        name="daily_check",
        job=check_index,
        cron_schedule="0 6 * * *",
        execution_timezone="UTC",
        # Looks at files alone, and asks nobody.
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="At six in the morning, look whether the live index is what the library would give now.",
    )
    return [nightly_ingestion, weekly_evaluation, daily_check]
