"""``jung explain``: a page as the file has it, what cleaning made of it, and how to have any of it back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from jung_pipeline.cli.output import command, console, load_settings, print_json
from jung_pipeline.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from jung_pipeline.clean.explain import Change, ExplainedLine, ExplainedPage
    from jung_pipeline.clean.explain_entries import ExplainedEntry

#: Not shown to people: every line has some.
_QUIET = frozenset({"white_space"})
#: What happened, in a sign that needs no colour, and the colour that goes with it.
_SIGNS = {"removed": ("−", "red"), "changed": ("~", "yellow"), "moved": ("→", "cyan")}


@click.command()
@click.argument("volume")
@click.option("--page", type=click.IntRange(1), help="The page's position in the file.")
@click.option("--label", help="The printed page number instead: 42, xiv.")
@click.option("--entry", type=click.IntRange(0), help="One entry of the ledger, by its number.")
@click.option("--rule", help="All that one rule did: running_head, misreading, …")
@click.option(
    "--from", "first", type=click.IntRange(1), default=1, help="With --rule: the first entry shown."
)
@click.option("--count", type=click.IntRange(1), default=20, help="With --rule: how many.")
@command
def explain(
    volume: str,
    page: int | None,
    label: str | None,
    entry: int | None,
    rule: str | None,
    first: int,
    count: int,
    as_json: bool,
) -> int:
    """What cleaning took out, changed and moved, why, and how to have it back.

    Without an option: the rules that acted on the VOLUME, and how often. With --page or --label: that page as
    the file has it beside the cleaned text. With --rule or --entry: what was done, in its surroundings.

    \b
    Example:  jung explain cw-09i --label 42
              jung explain cw-09i --rule running_head
    """
    from jung_pipeline import tables
    from jung_pipeline.clean import explain_entries
    from jung_pipeline.clean.explain import explain_page

    if sum(value is not None for value in (page, label, entry, rule)) > 1:
        raise UsageError("Name one of --page, --label, --entry and --rule.")
    home = load_settings().paths
    home.catalogue().get(volume)  # says which volumes there are
    raw_text, cleaned_text, ledger = (
        tables.read_table(home.table(stage, volume))
        for stage in ("raw_text", "cleaned_text", "removal_ledger")
    )
    if page is not None or label is not None:
        explained = explain_page(raw_text, cleaned_text, ledger, page=page, label=label)
        if as_json:
            print_json({"volume": volume, **explained.to_dict()})
        else:
            _show_page(volume, explained)
    elif entry is not None:
        single = explain_entries.explain_entry(raw_text, cleaned_text, ledger, entry)
        if as_json:
            print_json({"volume": volume, **single.to_dict()})
        else:
            _show_entry(single)
            _show_remedy(volume, [single])
    elif rule is not None:
        entries, total = explain_entries.explain_rule(
            raw_text, cleaned_text, ledger, rule, first=first, count=count
        )
        if as_json:
            rows = [one.to_dict() for one in entries]
            print_json({"volume": volume, "rule": rule, "total": total, "first": first, "entries": rows})
        else:
            _show_rule(volume, rule, entries, total, first)
    else:
        _show_rules(volume, ledger, as_json=as_json)
    return EXIT_OK


def _show_rules(volume: str, ledger: pa.Table, *, as_json: bool) -> None:
    """Every rule that acted, with its figures and its reason."""
    from jung_pipeline.clean.explain_entries import summarise_rules

    summaries = summarise_rules(ledger)
    if as_json:
        print_json({"volume": volume, "rules": [asdict(summary) for summary in summaries]})
        return
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("rule", no_wrap=True)
    for heading in ("removed", "changed", "moved", "characters"):
        table.add_column(heading, justify="right")
    table.add_column("why", overflow="fold")
    for summary in summaries:
        numbers = (summary.removed, summary.changed, summary.moved, summary.characters)
        table.add_row(summary.rule, *(f"{n:,}" if n else "" for n in numbers), escape(summary.reason))
    console.print(table)
    console.print(
        f"\n[dim]All that one did: jung explain {escape(volume)} --rule NAME; a page: --page N or --label N[/dim]",
        soft_wrap=True,
    )


def _show_page(volume: str, page: ExplainedPage) -> None:
    printed = f", printed page {', '.join(page.labels)}" if page.labels else ""
    positions = ", ".join(map(str, page.pages))
    console.print(f"[bold]{escape(volume)}[/bold], position {positions}{escape(printed)}\n")
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("", width=1)
    table.add_column("as the file has it", ratio=1)
    table.add_column("what became of it", ratio=1)
    for line in page.lines:
        changes = [change for change in line.changes if change.rule not in _QUIET]
        sign, colour = _sign_of(line, changes)
        table.add_row(
            f"[{colour}]{sign}[/{colour}]" if sign else "", _marked(line, changes), escape(_fate(line))
        )
    console.print(table)
    console.print("[dim]− removed, ~ changed, → moved; ⟦ ⟧ about the characters concerned[/dim]")
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
    if not reasons:
        return
    console.print()
    for rule, reason in reasons.items():
        console.print(f"[bold]{escape(rule)}[/bold]  {escape(reason)}")
    rules = [f"{rule}@{page.pages[0]}" for rule in reasons]
    _show_hint(volume, rules)


def _sign_of(line: ExplainedLine, changes: list[Change]) -> tuple[str, str]:
    """A sign for the whole line: what happened to it, the gravest first."""
    for action in ("removed", "moved", "changed"):
        whole = [c for c in changes if c.action == action and c.before.strip() == line.text.strip()]
        if whole or (action == "changed" and changes):
            return _SIGNS[action]
    return ("", "")


def _marked(line: ExplainedLine, changes: list[Change]) -> str:
    """The raw line with brackets about what was removed or changed; none where it is all of it."""
    pieces, at = [], 0
    for change in sorted(changes, key=lambda change: change.start):
        whole = change.before.strip() == line.text.strip()
        if change.start < at or change.action == "moved" or whole:
            continue
        colour = _SIGNS[change.action][1]
        pieces.append(escape(line.text[at : change.start]))
        pieces.append(f"[{colour}]⟦{escape(line.text[change.start : change.end])}⟧[/{colour}]")
        at = change.end
    return "".join([*pieces, escape(line.text[at:])])


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


def _show_rule(volume: str, rule: str, entries: list[ExplainedEntry], total: int, first: int) -> None:
    from jung_pipeline.clean.rules import REASONS

    console.print(f"[bold]{escape(rule)}[/bold]  {escape(REASONS[rule])}", soft_wrap=True)
    if not entries:
        console.print(f"There are {total:,} entries, none from number {first:,} on.")
        return
    last = first + len(entries) - 1
    console.print(f"[dim]{first:,} to {last:,} of {total:,} in {escape(volume)}[/dim]")
    for entry in entries:
        console.print()
        _show_entry(entry, with_reason=False)
    if last < total:
        console.print(f"\n[dim]More: jung explain {escape(volume)} --rule {rule} --from {last + 1}[/dim]")
    _show_remedy(volume, entries)


def _show_entry(entry: ExplainedEntry, *, with_reason: bool = True) -> None:
    """One entry: raw line and cleaned text, one under the other."""
    sign, colour = _SIGNS[entry.action]
    printed = f", printed page {', '.join(entry.labels)}" if entry.labels else ""
    head = f"[{colour}]{sign} {entry.action}[/{colour}]  entry {entry.entry}, position {entry.page}{escape(printed)}"
    console.print(f"{head}  [bold]{entry.rule}[/bold]" if with_reason else head)
    if with_reason:
        console.print(f"  {escape(entry.reason)}", soft_wrap=True)
    around: list[tuple[str, str]] = [("", escape(text)) for text in entry.lines_before]
    inside = escape(entry.line[entry.start : entry.end])
    marked = (
        f"{escape(entry.line[: entry.start])}[{colour}]⟦{inside}⟧[/{colour}]{escape(entry.line[entry.end :])}"
    )
    around.append(("file", marked))
    around += [("", escape(text)) for text in entry.lines_after]
    place = f"¶{entry.paragraph}" if entry.paragraph is not None else ""
    if entry.action == "changed":
        around.append(("", f"“{escape(entry.before)}” → “{escape(entry.after)}”"))
    if entry.cleaned:
        around.append((f"now {place}", escape(entry.cleaned)))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True, min_width=9)
    table.add_column(overflow="fold")
    for name, text in around:
        table.add_row(f"  {name}", text)
    console.print(table)


def _show_remedy(volume: str, entries: list[ExplainedEntry]) -> None:
    hints: list[Any] = list(dict.fromkeys(entry.restore for entry in entries if entry.restore))
    if hints:
        _show_hint(volume, hints)
    else:
        console.print("\n[dim]This rule always acts: without it the text would be no clean Unicode.[/dim]")


def _show_hint(volume: str, hints: list[str]) -> None:
    """How to hold a rule back: on a page, or in the whole volume."""
    from jung_pipeline.clean.keep import ALWAYS_ACT

    kept = next((hint for hint in hints if hint.split("@")[0] not in ALWAYS_ACT), None)
    if kept is None:
        return
    console.print(
        f"\n[dim]Wrong? In catalogue.toml, under \\[volumes.{escape(volume)}.hints], "
        f'keep = \\["{kept}"] holds that rule back on the page, "{kept.split("@")[0]}" in the whole volume; '
        f"then: jung ingest {escape(volume)}[/dim]",
        soft_wrap=True,
    )
