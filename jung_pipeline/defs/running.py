"""Materialising from the command line: the same jobs as in the UI, in this process, on the same instance."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import dagster as dg

from jung_pipeline import freshness, publishing
from jung_pipeline import volumes as library_volumes
from jung_pipeline.catalogue import Volume
from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.at_work import OF_THE_COMMAND, at_work, end_dead_runs
from jung_pipeline.defs.automation import busy_volumes
from jung_pipeline.defs.instance import open_instance
from jung_pipeline.defs.interrupts import interrupts_noticed
from jung_pipeline.defs.jobs import assets_of, ingest_volume, publish_index
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.sources import observe
from jung_pipeline.defs.workers import side_by_side
from jung_pipeline.depot.index_copy import take_index
from jung_pipeline.depot.working_copy import working_copy
from jung_pipeline.errors import JungError
from jung_pipeline.index.files import exclusive
from jung_pipeline.settings import Settings
from jung_pipeline.stages import STAGES

#: Dagster's own log lines would drown the progress bars; everything is in the UI.
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}

_UNFINISHED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]

#: How often a waiting command looks whether it may go on.
_LOOK_AGAIN_SECONDS = 1.0


@dataclass(frozen=True)
class VolumeResult:
    """What ingestion did with one volume: ``fresh`` (nothing to do), ``done`` or ``failed``."""

    volume: str
    title: str
    status: str
    stages: tuple[str, ...] = ()
    problem: str = ""
    run_id: str = ""


@dataclass
class Ingestion:
    """One call of ``jung ingest``: volumes one after the other, or ``workers`` at a time, then the index published."""

    settings: Settings
    on_volume: Callable[[Volume, Sequence[str]], None] = lambda volume, stages: None
    on_waiting: Callable[[str], None] = lambda reason: None
    workers: int = 1

    def run(self, keys: Sequence[str] = (), *, force: bool = False) -> Iterator[VolumeResult]:
        """Bring the volumes ``keys`` (all of them, if none is named) up to date; yields as it goes.

        A volume that fails stops no other. With no keys named, volumes whose book is gone are removed.
        """
        self.removed: list[str] = []
        self.published: publishing.Published | None = None
        self.not_published = ""  # why the version before stays live, where that is so
        home, copy = self.settings.paths, working_copy(self.settings)
        if copy:
            copy.refresh()
            take_index(copy)
        self.not_taken = library_volumes.take_up_new_files(self.settings).failed
        present = {volume.key: volume for volume in library_volumes.present_volumes(home)}
        for key in keys:
            home.catalogue().get(key)
        chosen = [present[key] for key in keys if key in present] if keys else list(present.values())
        yield from (
            VolumeResult(
                key,
                home.catalogue().get(key).title,
                "failed",
                problem="its file is not in the library folder",
            )
            for key in keys
            if key not in present
        )
        # Everything fresh and nothing to remove: answered without starting Dagster at all.
        due = {
            volume.key: list(STAGES) if force else freshness.due_stages(volume, self.settings)
            for volume in chosen
        }
        orphans = [] if keys else library_volumes.volumes_with_data(self.settings, present)
        if not any(due.values()) and not orphans and publishing.is_current(self.settings, list(present)):
            yield from (VolumeResult(volume.key, volume.title, "fresh") for volume in chosen)
            return
        with self._alone(), open_instance(self.settings) as instance, interrupts_noticed() as stop_if_told:
            mend_killed_runs(instance)
            yield from self._follow_library(instance, list(present), orphans, all_of_it=not keys)
            definitions = build_definitions(self.settings.home)
            to_do = []
            for volume in chosen:
                stop_if_told()
                # Told anew: somebody else may have brought the volume up to date while this call waited.
                self._wait_for_others(instance)
                due_now = list(STAGES) if force else freshness.due_stages(volume, self.settings)
                known = "" if force or keys or not due_now else self._lasting(volume)
                if known:
                    yield VolumeResult(volume.key, volume.title, "failed", problem=known)
                elif not due_now:
                    yield VolumeResult(volume.key, volume.title, "fresh")
                elif self.workers > 1:
                    to_do.append(volume)
                else:
                    yield self.bring_up_to_date(definitions, instance, volume, force=force)
            if to_do:
                yield from side_by_side(
                    self.settings,
                    to_do,
                    self.workers,
                    force=force,
                    on_lost=lambda: end_dead_runs(instance),
                )
            stop_if_told()
            self._wait_for_others(instance)
            self._publish(definitions, instance)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """The lock of the library: one command at a time."""
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(exclusive(self.settings.home, wait=False))
            except BlockingIOError:
                self.on_waiting("another `jung ingest` is at work on this library")
                stack.enter_context(exclusive(self.settings.home))
            yield

    def _wait_for_others(self, instance: dg.DagsterInstance) -> None:
        """Wait for the runs of `jung ui` that are at work: two at once on one volume would undo each other."""
        said = ""
        while others := [work for work in at_work(instance) if not work.by_command]:
            reason = "; ".join(map(str, others))
            if reason != said:
                self.on_waiting(f"`jung ui` is at work ({reason})")
                said = reason
            time.sleep(_LOOK_AGAIN_SECONDS)
            end_dead_runs(instance)

    def _lasting(self, volume: Volume) -> str:
        """Why trying this volume again would end as the last time; "" if it may not."""
        failure = freshness.lasting_failure(volume, self.settings)
        return f"{failure} (unchanged since it failed; --force tries again)" if failure else ""

    def _follow_library(
        self, instance: dg.DagsterInstance, present: list[str], orphans: list[str], *, all_of_it: bool
    ) -> Iterator[VolumeResult]:
        """Keep the partitions equal to the library; take away what belongs to books that are gone.

        What cannot be taken away (a store that does not answer) is yielded as failed, and tried the next time.
        """
        partitions = instance.get_dynamic_partitions(volumes.name or "")
        plan = library_volumes.plan_partitions(present, partitions, busy_volumes(instance))
        if plan.add:
            instance.add_dynamic_partitions(volumes.name or "", list(plan.add))
        if all_of_it:
            for key in dict.fromkeys([*plan.remove, *orphans]):
                if key in plan.wait:
                    continue
                try:
                    library_volumes.remove_data(self.settings, key)
                except JungError as error:
                    entry = self.settings.paths.catalogue().volumes.get(key)
                    problem = f"its book is gone, but what was made from it cannot be taken out: {error}"
                    yield VolumeResult(key, entry.title if entry else key, "failed", problem=problem)
                    continue
                if key in partitions:
                    instance.delete_dynamic_partition(volumes.name or "", key)
                self.removed.append(key)

    def bring_up_to_date(
        self, definitions: dg.Definitions, instance: dg.DagsterInstance, volume: Volume, *, force: bool
    ) -> VolumeResult:
        """Materialise the stages that are due for one volume."""
        self._wait_for_others(instance)
        due = list(STAGES) if force else freshness.due_stages(volume, self.settings)
        if not due:
            return VolumeResult(volume.key, volume.title, "fresh")
        self.on_volume(volume, due)
        observe(instance, [volume], self.settings)
        result = definitions.resolve_job_def(ingest_volume.name).execute_in_process(
            partition_key=volume.key,
            instance=instance,
            asset_selection=assets_of(due),
            run_config=_QUIET,
            raise_on_error=False,
            tags=OF_THE_COMMAND,
        )
        if _was_interrupted(result):
            raise KeyboardInterrupt
        problem = "" if result.success else self._problem(volume)
        status = "failed" if problem or not result.success else "done"
        return VolumeResult(volume.key, volume.title, status, tuple(due), problem, result.run_id)

    def _problem(self, volume: Volume) -> str:
        """Why the volume is not up to date, in the words of the stage that failed."""
        for state in freshness.states(volume, self.settings):
            if state.status == "failed":
                return f"{state.stage}: {state.reason}"
        return "the run failed; look at it with `jung ui`"

    def _publish(self, definitions: dg.Definitions, instance: dg.DagsterInstance) -> None:
        """Publish the index unless it already is what it should be."""
        present = [volume.key for volume in library_volumes.present_volumes(self.settings.paths)]
        if publishing.is_current(self.settings, present):
            return
        try:
            publishing.check_ready(self.settings)
            result = definitions.resolve_job_def(publish_index.name).execute_in_process(
                instance=instance, run_config=_QUIET, raise_on_error=False, tags=OF_THE_COMMAND
            )
        except JungError as error:  # what was done with the volumes is to be told all the same
            self.not_published = str(error)
            return
        if _was_interrupted(result):
            raise KeyboardInterrupt
        if result.success:
            self.published = publishing.current(self.settings)
        else:
            self.not_published = _why_failed(result)


def mend_killed_runs(instance: dg.DagsterInstance) -> None:
    """End the runs whose process was killed and free what they held, so that nobody waits for them.

    The caller holds the lock of the library, so no run of the command line can be at work, not even one that
    has not taken its own lock yet.
    """
    for run in instance.get_runs(dg.RunsFilter(tags=OF_THE_COMMAND, statuses=_UNFINISHED)):
        instance.report_run_failed(run, "The process that was at work on it was killed.")
    end_dead_runs(instance)


def _why_failed(result: dg.ExecuteInProcessResult) -> str:
    """What the step that failed said, in our words where it was an error of ours; the last try counts."""
    for event in reversed(result.all_events):
        if event.is_step_failure:
            said = event.step_failure_data.user_failure_data
            if said and said.description:
                return str(said.description)
    return "the run failed; look at it with `jung ui`"


def _was_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    """Whether someone stopped the run: Dagster turns Ctrl-C into the failure of a step."""
    causes = [event.step_failure_data.error for event in result.all_events if event.is_step_failure]
    while causes:
        error = causes.pop()
        if error is None:
            continue
        if error.cls_name in ("DagsterExecutionInterruptedError", "KeyboardInterrupt"):
            return True
        causes.append(error.cause)
    return False
