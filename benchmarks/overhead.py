"""What Dagster costs beside the work: per step and per check from the command line, per volume through the daemon.

    python benchmarks/overhead.py [--volumes 4] [--folder /dev/shm] [--daemon] [--json]

The same small books go through the line twice in one process: bare (the stages' plain functions, their checks and their
tables, without Dagster), and as `jung ingest` runs them. What a run costs more is shared between steps and checks by a
third measurement, of runs without checks. ``--daemon`` also starts the daemon's own processes on the library and waits
until the sensor has ingested the volumes: seconds from the first run's creation to the last one's end, a volume, less the
bare work. The folder should be in memory: on a slow disk the records of runs cost more than everything else.
Targets: 0.15 s a step, 0.05 s a check, 5 s a volume from the daemon.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

STEP_TARGET, CHECK_TARGET, DAEMON_TARGET = 0.15, 0.05, 5.0
_LONGEST = 900.0


@dataclass(frozen=True)
class Seconds:
    """Seconds by the clock, and of the processor: a busy machine makes the former larger, not the latter."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Seconds:
        """Both clocks as they stand."""
        return cls(time.perf_counter(), time.process_time())

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.wall - other.wall, self.cpu - other.cpu)

    def by(self, count: int) -> dict[str, float]:
        """Shared between ``count``."""
        return {"wall": round(self.wall / count, 4), "cpu": round(self.cpu / count, 4)}


def put_books(home: Path, count: int) -> list[str]:
    """``count`` small books in the library folder, long enough there to be whole."""
    from jung_pipeline_tests.small_books import put_epub

    names = [f"book{number}" for number in range(count)]
    for name in names:
        path = put_epub(home / "library", name)
        os.utime(path, (time.time() - 60, time.time() - 60))
    return names


def bare(settings: Any, names: list[str]) -> Seconds:
    """Seconds of the work itself: stages, checks, tables written and read, as a plain loop."""
    from jung_pipeline import stages, tables
    from jung_pipeline.chunk.chunker import Limits
    from jung_pipeline.index.registry import open_index
    from jung_pipeline.quality import card_rules, chunk_rules, embedding_rules, index_rules, text_rules
    from jung_pipeline.quality.card import quality_card

    limits = Limits(settings.chunk.target, settings.chunk.max, settings.chunk.min)
    spec = stages.index_spec(settings)
    started = Seconds.now()
    for name in names:
        volume = settings.paths.catalogue().get(name)

        def keep(stage: str, made: Any, key: str = name) -> Any:
            path = stages.stage_path(stage, key, settings)
            tables.write_table(path, made.table)
            return tables.read_table(path)

        raw = keep("raw_text", stages.make_raw_text(volume, settings))
        text_rules.check_raw_text(raw)
        text, ledger = stages.make_cleaned_text(volume, settings, raw)
        cleaned, removed = keep("cleaned_text", text), keep("removal_ledger", ledger)
        text_rules.check_cleaned_text(raw, cleaned, removed)
        card_rules.check_card(quality_card(raw, cleaned, removed))
        chunks = keep("chunks", stages.make_chunks(volume, settings, cleaned))
        chunk_rules.check_chunks(chunks, cleaned, limits, tables.info_of(chunks)["embedder_limit"])
        vectors = keep("embeddings", stages.make_embeddings(volume, settings, chunks))
        embedding_rules.check_embeddings(vectors, chunks, spec)
        keep("vector_index", stages.make_vector_index(volume, settings, chunks, vectors))
        index_rules.check_vector_index(open_index(settings, spec), name, chunks)
    return Seconds.now() - started


def through_dagster(settings: Any, names: list[str], *, checks: bool) -> tuple[Seconds, int, int]:
    """Seconds of the same as runs on the instance of `jung ingest`; steps and checks of one run."""
    import dagster as dg

    from jung_pipeline.definitions import build_definitions
    from jung_pipeline.defs.instance import open_instance
    from jung_pipeline.defs.jobs import assets_of
    from jung_pipeline.stages import STAGES

    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with open_instance(settings) as instance:
        instance.add_dynamic_partitions("volumes", names)
        wanted = dg.AssetSelection.assets(*assets_of(STAGES))
        bare_job = dg.define_asset_job("without_checks", selection=wanted.without_checks())
        definitions = dg.Definitions.merge(build_definitions(settings.home), dg.Definitions(jobs=[bare_job]))
        job = definitions.resolve_job_def("ingest_volume" if checks else bare_job.name)
        steps = evaluated = 0
        started = Seconds.now()
        for name in names:
            result = job.execute_in_process(partition_key=name, instance=instance, run_config=quiet)
            steps = sum(event.event_type == dg.DagsterEventType.STEP_SUCCESS for event in result.all_events)
            evaluated = len(result.get_asset_check_evaluations())
        return Seconds.now() - started, steps, evaluated


def through_the_daemon(home: Path, names: list[str]) -> float:
    """Seconds from the first run created to the last run ended, by the daemon, the sensor on by default."""
    import dagster as dg

    from jung_pipeline import settings as settings_module
    from jung_pipeline.defs.instance import open_instance

    settings = settings_module.load(home)
    environment = {**os.environ, "JUNG_HOME": str(home)}
    with open_instance(settings) as instance:
        workspace = Path(instance.root_directory) / "workspace.yaml"
        workspace.write_text(
            "load_from:\n  - python_module: {module_name: jung_pipeline.definitions, location_name: jung_pipeline}\n"
        )
        daemon = subprocess.Popen(
            [sys.executable, "-m", "dagster._daemon", "run", "-w", str(workspace)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            deadline = time.monotonic() + _LONGEST
            done: list[Any] = []
            while len(done) < len(names) and time.monotonic() < deadline:
                time.sleep(1)
                done = list(
                    instance.get_run_records(
                        dg.RunsFilter(job_name="ingest_volume", statuses=[dg.DagsterRunStatus.SUCCESS])
                    )
                )
        finally:
            os.killpg(daemon.pid, signal.SIGTERM)
            daemon.wait(60)
    if len(done) < len(names):
        raise SystemExit("The daemon did not get done; is the machine very busy?")
    return max(r.end_time or 0.0 for r in done) - min(r.create_timestamp.timestamp() for r in done)


def measure(folder: Path, count: int, *, daemon: bool) -> dict[str, Any]:
    """All figures."""
    from jung_pipeline import settings as settings_module
    from jung_pipeline import volumes

    def library(name: str) -> tuple[Any, list[str]]:
        home = folder / name
        names = put_books(home, count)
        os.environ["DAGSTER_HOME"] = str(home / "dagster")
        settings = settings_module.load(home)
        volumes.catalogue_new_files(settings.paths)
        return settings, names

    bare(*library("warm"))  # the model, the word lists
    work = bare(*library("bare"))
    without, _, _ = through_dagster(*library("without"), checks=False)
    with_checks, all_steps, checks = through_dagster(*library("with"), checks=True)
    over = with_checks - work
    figures: dict[str, Any] = {
        "volumes": count,
        "steps_a_volume": all_steps,
        "checks_a_volume": checks,
        "bare_s_a_volume": work.by(count),
        "dagster_s_a_volume": with_checks.by(count),
        "overhead_s_a_step": over.by(count * all_steps),
        "overhead_s_a_check": (with_checks - without).by(count * checks),
    }
    if daemon:
        settings, names = library("daemon")
        seconds = through_the_daemon(settings.home, names)
        figures["daemon_s_a_volume"] = {"wall": round((seconds - work.wall) / count, 2)}
    return figures


def main() -> None:
    """Measure, tell, and say what is above its target."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--volumes", type=int, default=4)
    parser.add_argument(
        "--folder", type=Path, default=Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    )
    parser.add_argument("--daemon", action="store_true")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jung-overhead-", dir=chosen.folder) as folder:
        figures = measure(Path(folder), chosen.volumes, daemon=chosen.daemon)
    targets = {
        "overhead_s_a_step": STEP_TARGET,
        "overhead_s_a_check": CHECK_TARGET,
        "daemon_s_a_volume": DAEMON_TARGET,
    }
    if chosen.json:
        print(json.dumps({**figures, "targets": targets}))
        return
    for name, value in figures.items():
        target = targets.get(name)
        shown = (
            ", ".join(f"{kind} {seconds}" for kind, seconds in value.items())
            if isinstance(value, dict)
            else value
        )
        verdict = (
            "" if target is None else f"   target {target}: {'yes' if value['wall'] <= target else 'NO'}"
        )
        print(f"{name:20} {shown}{verdict}")


if __name__ == "__main__":
    main()
