"""``jung eval``: how good the library is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from jung_pipeline.cli.output import command, console, load_settings, print_json
from jung_pipeline.errors import EXIT_OK


@click.command(name="eval")
@click.option(
    "--golden",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with questions.jsonl, unanswerable.jsonl and quotes.jsonl; default: golden/ in the library.",
)
@click.option("--keep/--no-keep", default=True, help="Keep the figures for the next run to be held against.")
@command
def evaluation(golden: Path | None, keep: bool, as_json: bool) -> int:
    """Ask golden questions and say how well the library finds, refuses and checks. Asks no language model.

    A question counts as found where the words of its answer are among the passages. Questions on books that are
    not in the library are left out. Without a golden set the figures are those of the calibration's own probes.
    """
    from jung_pipeline.evaluation.run import PROBES, golden_folder, run

    settings = load_settings()
    done = run(settings, golden.expanduser() if golden else golden_folder(settings), keep=keep)
    if as_json:
        print_json({**done.report, "golden": done.golden, "changes": done.changes})
    elif done.golden == PROBES:
        _show_probes(done.report)
    else:
        _show(done.report, done.changes)
    return EXIT_OK


def _show_probes(report: dict[str, Any]) -> None:
    if not report:
        console.print("This index carries no calibration: it holds too little to ask about.")
        return
    table = _table("figure", "value")
    for name, value in report.items():
        table.add_row(name, f"{value:,}" if isinstance(value, int) else _number(value))
    console.print(table)
    console.print(
        "These are the probes of the calibration: they say how well a refusal can be trusted. Write golden questions "
        "to learn how well passages are found (docs/evaluation.md).",
        soft_wrap=True,
    )


def _show(report: dict[str, Any], changes: dict[str, float]) -> None:
    from jung_pipeline.evaluation.record import COMPARED, LOWER_IS_BETTER

    if report["missing_books"]:
        console.print(
            f"[yellow]Not in this library:[/yellow] {escape('; '.join(report['missing_books']))}. Left out: "
            f"{report['questions_left_out']} question(s) that need them.",
            soft_wrap=True,
        )
    table = _table("figure", "value", "change")
    for name in COMPARED:
        table.add_row(name, _number(report[name]), _change(changes.get(name), name in LOWER_IS_BETTER))
    table.add_row("near_miss_answer_rate", _number(report["near_miss_answer_rate"]), "")
    console.print(table)
    for title, groups in (("kind", report["by_kind"]), ("language", report["by_language"])):
        table = _table(title, "questions", "recall@3", "recall@6", "recall@20")
        for name, row in groups.items():
            numbers = (_number(row[f"recall@{k}"]) for k in (3, 6, 20))
            table.add_row(escape(name), str(row["questions"]), *numbers)
        console.print(table)
    if report.get("ablations"):
        table = _table("ranking", "recall@3", "recall@6", "recall@20", "mrr", "lost of recall@6 (9 in 10)")
        for name, row in report["ablations"].items():
            lost = f"{row['lost']:+.3f} ({row['lost_from']:+.3f} to {row['lost_to']:+.3f})"
            numbers = (_number(row[key]) for key in ("recall@3", "recall@6", "recall@20", "mrr"))
            table.add_row(name, *numbers, "" if name == "everything" else lost)
        console.print(table)
    table = _table("quotations", "cases", "right")
    for name, row in report["quote_accuracy_by_verdict"].items():
        table.add_row(escape(name), str(row["quotations"]), _number(row["accuracy"]))
    console.print(table)
    latency = report["latency_ms"]
    if latency:
        console.print(
            f"A search takes {latency['search_median']} ms (95 of 100 under {latency['search_p95']} ms), "
            f"{latency['search_over_embedding']} times the embedding of its question.",
            soft_wrap=True,
        )


def _table(*headings: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left", no_wrap=True)
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _change(value: float | None, lower_is_better: bool) -> str:
    if not value:
        return ""
    better = (value < 0) == lower_is_better
    return f"[{'green' if better else 'red'}]{value:+.3f} {'better' if better else 'worse'}[/]"
