"""``jung add`` and ``jung status``: the library and how it stands."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from jung_pipeline.catalogue import Volume
from jung_pipeline.cli.output import command, console, error_console, load_settings, print_json
from jung_pipeline.errors import EXIT_FAILED, JungError, UsageError

_SHOWN = (
    "title",
    "author",
    "translator",
    "editor",
    "publisher",
    "year",
    "original_year",
    "language",
    "cw_volume",
)


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--replace", "replacing", is_flag=True, help="The file is a better copy of a book already there."
)
@command
def add(files: tuple[Path, ...], replacing: bool, as_json: bool) -> int:
    """Copy books (PDF, EPUB, HTML, plain text) into the library and give each an entry in the catalogue.

    The entry comes from the file's own metadata; what the file does not say stays empty. Correct it in
    catalogue.toml: the title and author there are what citations show.

    \b
    Example:  jung add "~/books/Psychological Types.epub" ~/books/cw-09i.pdf
    """
    from jung_pipeline.volumes import add_file

    home = load_settings().paths
    results: list[dict[str, Any]] = []
    failed = 0
    for path in files:
        try:
            volume, happened = add_file(home, path.expanduser(), replacing=replacing)
            results.append({"file": str(path), "result": happened, "volume": _entry(volume)})
            if not as_json:
                _show_entry(volume, happened)
        except JungError as error:
            failed += 1
            results.append({"file": str(path), "result": "failed", "error": str(error)})
            if not as_json:
                error_console.print(f"[red]jung:[/red] {escape(str(error))}", soft_wrap=True)
    if as_json:
        print_json({"catalogue": str(home.catalogue_path), "files": results})
    elif failed < len(files):
        console.print(
            f"Entries: {escape(str(home.catalogue_path))}   Next: [bold]jung ingest[/bold]", soft_wrap=True
        )
    return EXIT_FAILED if failed else 0


def _entry(volume: Volume) -> dict[str, Any]:
    return {name: value for name, value in asdict(volume).items() if value not in (None, {})}


def _show_entry(volume: Volume, happened: str) -> None:
    """The catalogue entry as it was written: the key, then a line for each field, labels in a narrow column."""
    console.print(f"[bold]{escape(volume.key)}[/bold]  {happened}", soft_wrap=True)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, min_width=2 + max(map(len, _SHOWN)))
    table.add_column(overflow="fold")
    from_name = volume.title == Path(volume.file).stem
    for name in _SHOWN:
        value = getattr(volume, name)
        if value is not None:
            note = "  [dim](from the file's name)[/dim]" if name == "title" and from_name else ""
            table.add_row(f"  {name}", escape(str(value)) + note)
        elif name == "author":
            table.add_row("  author", "[dim]not in the file; fill it in for citations[/dim]")
    console.print(table)


_MARKS = {
    "fresh": "[green]✓[/green]",
    "stale": "[yellow]stale[/yellow]",
    "missing": "–",
    "failed": "[red]fails[/red]",
}


@click.command()
@click.argument("volumes", nargs=-1)
@command
def status(volumes: tuple[str, ...], as_json: bool) -> int:
    """Where every volume stands: each stage fresh, stale, failed or not made yet, and why.

    Name VOLUMES (keys) to see one in full, with what its checks found.
    """
    from jung_pipeline import freshness, publishing
    from jung_pipeline.library import files_in
    from jung_pipeline.volumes import present_volumes

    settings = load_settings()
    home = settings.paths
    catalogue = home.catalogue()
    chosen = [catalogue.get(key) for key in volumes] if volumes else list(catalogue)
    present = {volume.key for volume in present_volumes(home, catalogue)}
    uncatalogued = [name for name in files_in(home) if catalogue.by_file(name) is None]
    report = []
    for volume in chosen:
        states = freshness.states(volume, settings) if volume.key in present else []
        report.append(
            {
                "volume": volume.key,
                "title": volume.title,
                "file": volume.file,
                "file_is_there": volume.key in present,
                "stages": {state.stage: {"status": state.status, "reason": state.reason} for state in states},
                **_counts(states),
                "warnings": [o["name"] for o in freshness.outcomes(volume, settings) if _is_warning(o)],
                "checks": freshness.outcomes(volume, settings) if volumes else None,
            }
        )
    index = publishing.summary(settings)
    if as_json:
        print_json(
            {"home": str(home.path), "volumes": report, "not_catalogued": uncatalogued, "index": index}
        )
        return 0
    if not report and not uncatalogued:
        raise UsageError(
            f"The library at {home.path} is empty.", remedy="Add books: jung add FILE… (or try: jung demo)"
        )
    _show_status(report)
    for row in report:
        for stage, state in row["stages"].items():
            if state["status"] == "failed" or (volumes and state["status"] != "fresh"):
                console.print(f"  {row['volume']} · {stage}: {escape(state['reason'])}", soft_wrap=True)
        if volumes:
            _show_checks(row["checks"] or [])
    for name in uncatalogued:
        console.print(f"  {escape(name)}: in the folder, not in the catalogue yet; `jung ingest` takes it up")
    console.print(escape(index["summary"]), soft_wrap=True)
    return 0


def _is_warning(outcome: dict[str, Any]) -> bool:
    """A warning that stands and is not told in words of its own anyway."""
    return (
        not outcome["passed"]
        and outcome["severity"] == "warning"
        and outcome["name"] != "every_page_has_text"
    )


def _counts(states: list[Any]) -> dict[str, Any]:
    """Counts from the tables' footers: pages, pages without text, passages."""
    from jung_pipeline.quality.text_rules import pages_without_text

    info = {state.stage: dict(state.info or {}) for state in states}
    document = info.get("raw_text", {}).get("document", {})
    return {
        "pages": len(document.get("pages", [])) or None,
        "pages_without_text": len(pages_without_text(document)) if document else None,
        "chapters": info.get("cleaned_text", {}).get("report", {}).get("chapters"),
        "passages": info.get("vector_index", {}).get("count"),
    }


#: Columns that give way, the first ones first, where the terminal is narrow; and the widths they are worth.
_OPTIONAL = (("title", 150), ("pages", 90), ("chap.", 84), ("passages", 76))


def _show_status(report: list[dict[str, Any]]) -> None:
    """One row a volume; a key is never cut, whole columns give way on a narrow terminal."""
    shown = {name for name, width in _OPTIONAL if console.width >= width}
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("volume", overflow="fold")
    if "title" in shown:
        table.add_column("title", overflow="fold", max_width=40)
    for heading in ("raw", "clean", "chunk", "embed", "index"):
        table.add_column(heading, no_wrap=True, min_width=5)
    numbers = {"pages": "pages", "chap.": "chapters", "passages": "passages"}
    for heading in numbers:
        if heading in shown:
            table.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    for row in report:
        marks = [_MARKS[state["status"]] for state in row["stages"].values()] or [
            "[red]gone[/red]",
            *["–"] * 4,
        ]
        names = [row["volume"], row["title"]] if "title" in shown else [row["volume"]]
        counts = [row[key] for heading, key in numbers.items() if heading in shown]
        table.add_row(*map(escape, names), *marks, *("" if n is None else f"{n:,}" for n in counts))
    console.print(table)
    for row in report:
        if not row["file_is_there"]:
            console.print(
                f"  {row['volume']}: {escape(row['file'])} is no longer in the library folder. Put it back, or "
                f"delete the entry from catalogue.toml.",
                soft_wrap=True,
            )
        if row["pages_without_text"]:
            count, pages = row["pages_without_text"], row["pages"]
            console.print(f"  {row['volume']}: {count} of {pages} pages without text", soft_wrap=True)
        if row["warnings"]:
            console.print(
                f"  {row['volume']}: {', '.join(row['warnings'])}; see: jung status {row['volume']}",
                soft_wrap=True,
            )


def _show_checks(outcomes: list[dict[str, Any]]) -> None:
    for outcome in outcomes:
        mark = "[green]✓[/green]" if outcome["passed"] else f"[red]✗ {outcome['severity']}[/red]"
        console.print(f"  {mark} {outcome['name']}: {escape(outcome['description'])}", soft_wrap=True)
        for offender in outcome["offenders"][:5]:
            console.print(f"      {escape(str(offender))}", soft_wrap=True)
