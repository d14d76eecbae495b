"""``jung add`` and ``jung status``: the library and how it stands."""

from __future__ import annotations

import unicodedata
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from jung_pipeline.catalogue import SUFFIXES, Volume
from jung_pipeline.cli.output import command, console, load_settings, print_json, show_error
from jung_pipeline.errors import EXIT_FAILED, JungError, UsageError, file_error
from jung_pipeline.settings import Settings

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
                _show_entry(volume, happened, path.name)
        except (JungError, OSError, RuntimeError) as error:
            failed += 1
            problem = _problem_with(path, error)
            results.append({"file": str(path), "result": "failed", "error": str(problem)})
            if not as_json:
                show_error(problem)
    if as_json:
        print_json({"catalogue": str(home.catalogue_path), "files": results})
    elif failed < len(files):
        console.print(
            f"Entries: {escape(str(home.catalogue_path))}   Next: [bold]jung ingest[/bold]", soft_wrap=True
        )
    return EXIT_FAILED if failed else 0


def _problem_with(path: Path, error: JungError | OSError | RuntimeError) -> JungError:
    """What kept a book out, as an error for the user."""
    if isinstance(error, JungError):
        return error
    if isinstance(error, OSError):
        return file_error(error, path)
    return UsageError(f"{path}: {error}.")  # "~nobody": there is no home of that user


def _entry(volume: Volume) -> dict[str, Any]:
    return {name: value for name, value in asdict(volume).items() if value not in (None, {})}


def _show_entry(volume: Volume, happened: str, name: str) -> None:
    """The catalogue entry as it was written: the key, then a line for each field, labels in a narrow column."""
    if unicodedata.normalize("NFC", name) != volume.file:
        happened += f": the very same file is in the library as {escape(volume.file)}"
    console.print(f"[bold]{escape(volume.key)}[/bold]  {happened}", soft_wrap=True)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, min_width=2 + max(map(len, _SHOWN)))
    table.add_column(overflow="fold")
    from_name = volume.title == Path(volume.file).stem
    for name in _SHOWN:
        value = getattr(volume, name)
        if value is not None:
            note = "  [dim](as the file is called)[/dim]" if name == "title" and from_name else ""
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
@click.option(
    "--quality", is_flag=True, help="How good the text is: pages, corrections, chapters, what looks wrong."
)
@command
def status(volumes: tuple[str, ...], quality: bool, as_json: bool) -> int:
    """Where every volume stands: each stage fresh, stale, failed or not made yet, and why.

    Name VOLUMES (keys) to see one in full, with what its checks found, or with --quality its quality card.
    """
    from jung_pipeline import publishing
    from jung_pipeline.index.versions import current_id
    from jung_pipeline.library import files_in, passed_over
    from jung_pipeline.volumes import present_volumes

    settings = load_settings()
    if quality:
        from jung_pipeline.cli.quality import show_quality

        return show_quality(settings, volumes, as_json=as_json)
    home = settings.paths
    catalogue = home.catalogue()
    chosen = [catalogue.get(key) for key in volumes] if volumes else list(catalogue)
    problem = None
    try:
        present = {volume.key for volume in present_volumes(home, catalogue)}
    except UsageError as error:  # the folder is gone or empty: that is how the library stands, and it is said
        problem, present = error, set()
    uncatalogued = [name for name in files_in(home) if catalogue.by_file(name) is None]
    report = [
        _standing(volume, settings, volume.key in present, with_checks=bool(volumes)) for volume in chosen
    ]
    index = publishing.summary(settings)
    if current_id(home.index) is None:
        index["summary"] = "Index: not made yet; run `jung ingest`."
    if as_json:
        print_json(
            {
                "home": str(home.path),
                "volumes": report,
                "not_catalogued": uncatalogued,
                "passed_over": passed_over(home),
                "problem": str(problem) if problem else None,
                "index": index,
            }
        )
        return 0
    if not report and not uncatalogued:
        console.print(
            f"The library at {escape(str(home.path))} is empty. Add books: jung add FILE… (or try: jung demo)",
            soft_wrap=True,
        )
        return 0
    if report:
        _show_status(report, all_gone=problem is not None)
        _show_reasons(report, in_full=bool(volumes))
    _show_uncatalogued(uncatalogued)
    _show_passed_over(passed_over(home))
    if problem:
        console.print(f"[red]{escape(str(problem))}[/red]", soft_wrap=True)
    late = sum(any(state["status"] != "fresh" for state in row["stages"].values()) for row in report)
    if late and index["version"] is not None:
        console.print(f"{late} of {len(report)} not up to date; run `jung ingest`.", soft_wrap=True)
    console.print(escape(index["summary"]), soft_wrap=True)
    return 0


def _standing(volume: Volume, settings: Settings, is_there: bool, *, with_checks: bool) -> dict[str, Any]:
    """How one volume stands, as plain data."""
    from jung_pipeline import freshness

    states = freshness.states(volume, settings) if is_there else []
    outcomes = freshness.outcomes(volume, settings)
    return {
        "volume": volume.key,
        "title": volume.title,
        "file": volume.file,
        "file_is_there": is_there,
        "stages": {state.stage: {"status": state.status, "reason": state.reason} for state in states},
        **_counts(states),
        "warnings": [outcome["name"] for outcome in outcomes if _is_warning(outcome)],
        "checks": outcomes if with_checks else None,
    }


def _show_reasons(report: list[dict[str, Any]], *, in_full: bool) -> None:
    """Why stages failed or what they lost; ``in_full`` also why they are late, and what the checks found."""
    from jung_pipeline import freshness

    for row in report:
        for stage, state in row["stages"].items():
            lost = state["status"] == "missing" and state["reason"] != freshness.NOT_MADE
            if state["status"] == "failed" or lost or (in_full and state["status"] != "fresh"):
                console.print(f"  {row['volume']} · {stage}: {escape(state['reason'])}", soft_wrap=True)
        if in_full:
            _show_checks(row["checks"] or [])


def _show_passed_over(names: list[str]) -> None:
    if names:
        more = f" and {len(names) - 5} more" if names[5:] else ""
        shown = ", ".join(map(escape, names[:5]))
        console.print(
            f"  Passed over in the library folder: {shown}{more} (books are files of the types "
            f"{', '.join(sorted(SUFFIXES))}, not in folders of their own)",
            soft_wrap=True,
        )


def _show_uncatalogued(names: list[str]) -> None:
    from jung_pipeline.catalogue_fields import name_problem

    for name in names:
        says = name_problem(name)
        what = f"it cannot be taken up: its name {says}. Rename it" if says else "`jung ingest` takes it up"
        console.print(f"  {escape(name)}: in the folder, not in the catalogue yet; {what}", soft_wrap=True)


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


def _show_status(report: list[dict[str, Any]], *, all_gone: bool = False) -> None:
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
        if not row["file_is_there"] and not all_gone:
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
