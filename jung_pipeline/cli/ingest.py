"""``jung ingest``: bring volumes up to date, with a bar for every stage."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from jung_pipeline import progress as stage_progress
from jung_pipeline.cli.output import command, console, error_console, load_settings, print_json
from jung_pipeline.errors import EXIT_FAILED, UsageError


@click.command()
@click.argument("volumes", nargs=-1)
@click.option("--force", is_flag=True, help="Make every stage again, also what is up to date.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many volumes at a time, each in a process of its own.",
)
@command
def ingest(volumes: tuple[str, ...], force: bool, workers: int, as_json: bool) -> int:
    """Bring the library up to date: only what changed, volume by volume, then publish the index.

    Runs the Dagster assets in this process, on the same instance as `jung ui`. A volume that fails stops no
    other; the command then ends with exit code 1. Stop it at any time: the next call goes on where it was.
    VOLUMES are keys from `jung status`; without any, all of them, and what belongs to books that are gone is
    taken out.
    """
    from jung_pipeline.library import files_in

    settings = load_settings()
    if not len(settings.paths.catalogue()) and not files_in(settings.paths):
        raise UsageError(
            f"The library at {settings.paths.path} is empty.", remedy="Add books first: jung add FILE…"
        )
    report = run(settings, volumes, force=force, workers=workers, quiet=as_json)
    if as_json:
        print_json(report)
    failed = any(row["status"] == "failed" for row in report["volumes"])
    return EXIT_FAILED if failed or report["not_taken"] or report["not_published"] else 0


def run(
    settings: Any,
    volumes: Sequence[str] = (),
    *,
    force: bool = False,
    workers: int = 1,
    quiet: bool = False,
) -> dict[str, Any]:
    """Ingest and report, with bars unless ``quiet``; what ``jung ingest`` and ``jung demo`` share."""
    from jung_pipeline.defs.running import Ingestion  # Dagster takes a second to import: only here

    started = time.monotonic()
    with _bars(quiet) as bars:
        shown = _StageBars(bars)
        ingestion = Ingestion(
            settings,
            on_volume=lambda volume, stages: shown.begin(volume.title, stages),
            on_waiting=lambda reason: error_console.print(f"Waiting: {escape(reason)} …", soft_wrap=True),
            workers=workers,
        )
        rows = []
        with stage_progress.reporting_to(shown.advance):
            for result in ingestion.run(volumes, force=force):
                shown.end()
                rows.append({**result.__dict__, "stages": list(result.stages)})
                if not quiet and result.status == "done":
                    bars.console.print(
                        f"[green]✓[/green] {escape(result.title)} ({result.volume})", soft_wrap=True
                    )
                elif not quiet and result.status == "failed":
                    bars.console.print(
                        f"[red]✗[/red] {escape(result.title)} ({result.volume}): {escape(result.problem)}",
                        soft_wrap=True,
                    )
            shown.end()
    _add_warnings(rows, settings)
    report = {
        "volumes": rows,
        "not_taken": [] if volumes else [asdict(failed) for failed in ingestion.not_taken],
        "removed": ingestion.removed,
        "index": ingestion.published.summary
        if ingestion.published
        else ingestion.not_published or "unchanged",
        "not_published": ingestion.not_published,  # why the version before stays live; "" where it need not
        "seconds": round(time.monotonic() - started, 1),
    }
    if not quiet:
        _summarise(report)
    return report


def _add_warnings(rows: list[dict[str, Any]], settings: Any) -> None:
    """What the checks of each volume brought up to date warn of: the names of promises that are not kept."""
    from jung_pipeline.freshness import outcomes

    catalogue = settings.paths.catalogue()
    for row in rows:
        row["warnings"] = [
            outcome["name"]
            for outcome in (
                outcomes(catalogue.get(row["volume"]), settings) if row["status"] == "done" else ()
            )
            if outcome["severity"] == "warning" and not outcome["passed"]
        ]


def _bars(quiet: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=error_console,
        transient=True,
        disable=quiet,
    )


class _StageBars:
    """One bar for each stage of the volume at work."""

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.tasks: dict[str, TaskID] = {}
        self.title: TaskID | None = None

    def begin(self, title: str, stages: Sequence[str]) -> None:
        self.end()
        self.title = self.bars.add_task(f"[dim]{escape(title)}[/dim]", total=None, start=False)
        for stage in stages:
            self.tasks[stage] = self.bars.add_task(f"  {stage:<14}", total=None, start=False)

    def advance(self, stage: str, done: int, total: int | None) -> None:
        if stage not in self.tasks:
            self.tasks[stage] = self.bars.add_task(f"  {stage:<14}", total=total, start=False)
        task = self.tasks[stage]
        self.bars.start_task(task)
        self.bars.update(task, completed=done, total=total)

    def end(self) -> None:
        for task in (*self.tasks.values(), *([] if self.title is None else [self.title])):
            self.bars.remove_task(task)
        self.title = None
        self.tasks.clear()


def _summarise(report: dict[str, Any]) -> None:
    rows = report["volumes"]
    done = sum(row["status"] == "done" for row in rows)
    fresh = sum(row["status"] == "fresh" for row in rows)
    failed = [row for row in rows if row["status"] == "failed"]
    parts = [f"{done} brought up to date", f"{fresh} unchanged"]
    if report["removed"]:
        parts.append(f"removed: {', '.join(report['removed'])}")
    if failed:
        parts.append(f"[red]{len(failed)} failed[/red]")
    for file in report["not_taken"]:
        console.print(f"[red]✗[/red] {escape(file['file'])}: {escape(file['problem'])}", soft_wrap=True)
    if report["not_taken"]:
        parts.append(f"[red]{len(report['not_taken'])} not taken up[/red]")
    console.print(
        f"{', '.join(parts)} in {report['seconds']} s. Index: {escape(str(report['index']).rstrip('.'))}.",
        soft_wrap=True,
    )
    for row in rows:
        if row["warnings"]:
            console.print(
                f"[yellow]![/yellow] {escape(row['volume'])}: not so: {', '.join(row['warnings'])}; "
                f"see: jung status {escape(row['volume'])}",
                soft_wrap=True,
            )
    if failed:
        console.print(f"Look closer: jung status {' '.join(row['volume'] for row in failed)}", soft_wrap=True)
