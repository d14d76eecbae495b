"""``jung explain``: a page as the file has it, and what cleaning made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from jung_pipeline.cli.output import command, console, load_settings, print_json
from jung_pipeline.errors import EXIT_OK

if TYPE_CHECKING:
    from jung_pipeline.clean.explain import ExplainedLine, ExplainedPage

#: Not shown to people: every line has some.
_QUIET = frozenset({"white_space"})


@click.command()
@click.argument("volume")
@click.option("--page", type=click.IntRange(1), help="The page's position in the file.")
@click.option("--label", help="The printed page number instead: 42, xiv.")
@command
def explain(volume: str, page: int | None, label: str | None, as_json: bool) -> int:
    """A page as the file has it beside the cleaned text, with the reason of every removal and change.

    \b
    Example:  jung explain cw-09i --label 42
    """
    from jung_pipeline import tables
    from jung_pipeline.clean.explain import explain_page

    home = load_settings().paths
    home.catalogue().get(volume)  # says which volumes there are
    raw_text, cleaned_text, ledger = (
        tables.read_table(home.table(stage, volume))
        for stage in ("raw_text", "cleaned_text", "removal_ledger")
    )
    explained = explain_page(raw_text, cleaned_text, ledger, page=page, label=label)
    if as_json:
        print_json({"volume": volume, **explained.to_dict()})
    else:
        _show(volume, explained)
    return EXIT_OK


def _show(volume: str, page: ExplainedPage) -> None:
    printed = f", printed page {', '.join(page.labels)}" if page.labels else ""
    positions = ", ".join(map(str, page.pages))
    console.print(f"[bold]{escape(volume)}[/bold], position {positions}{escape(printed)}\n")
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("as the file has it", ratio=1)
    table.add_column("what became of it", ratio=1)
    for line in page.lines:
        table.add_row(escape(line.text), escape(_fate(line)))
    console.print(table)
    console.print("\n[dim]the cleaned text[/dim]")
    for paragraph in page.paragraphs:
        place = f" · {paragraph.chapter}" if paragraph.chapter else ""
        console.print(f"\n[dim]¶{paragraph.paragraph} {paragraph.kind}{escape(place)}[/dim]")
        console.print(Padding(escape(paragraph.text), (0, 0, 0, 2)))
    reasons = {
        change.rule: change.reason
        for line in page.lines
        for change in line.changes
        if change.rule not in _QUIET
    }
    if reasons:
        console.print()
        for rule, reason in reasons.items():
            console.print(f"[bold]{escape(rule)}[/bold]  {escape(reason)}")


def _fate(line: ExplainedLine) -> str:
    """Where a line went, and the rules that acted on it."""
    parts = [f"¶{', ¶'.join(map(str, line.paragraphs))}"] if line.paragraphs else []
    for change in line.changes:
        if change.rule in _QUIET:
            continue
        whole = change.before.strip() == line.text.strip()
        if change.action == "moved":
            parts.append(change.rule)
        elif change.action == "removed":
            parts.append(change.rule if whole else f"{change.rule}: “{change.before}” removed")
        else:
            parts.append(f"{change.rule}: “{change.before}” → “{change.after}”")
    return " · ".join(dict.fromkeys(parts)) or "blank"
