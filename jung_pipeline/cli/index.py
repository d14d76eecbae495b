"""``jung index``: what an ingestion would do to the index, its versions, and going back to an older one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from jung_pipeline.cli.output import command, console, load_settings, print_json
from jung_pipeline.errors import UsageError


@click.group()
def index() -> None:
    """The index: plan a change before it is made, see its versions, go back to an older one.

    \b
    Example:  jung index plan          what `jung ingest` would do, with tokens, bytes, time and price
              jung index versions      what is kept, and which one readers see
              jung index rollback      back to the version before
    """


@index.command()
@command
def plan(as_json: bool) -> None:
    """What `jung ingest` would add, change and remove, volume by volume, and what that costs.

    Nothing is embedded, written or sent. A volume whose passages have to be made first is named; its numbers
    are told once they are there.
    """
    from jung_pipeline import planning

    planned = planning.plan(load_settings())
    if as_json:
        names = (
            "added",
            "kept",
            "updated",
            "removed",
            "to_embed",
            "tokens",
            "bytes",
            "requests",
            "write_units",
        )
        print_json({**asdict(planned), "totals": {name: planned.total(name) for name in names}})
        return
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("volume", overflow="fold")
    headings = {"added": "added", "kept": "kept", "updated": "changed", "removed": "removed"}
    headings |= {"to_embed": "to embed", "tokens": "tokens", "bytes": "bytes"}
    if planned.store == "pinecone":
        headings["requests"] = "requests"
    for heading in headings.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for one in planned.volumes:
        numbers = ["?" if one.first and name != "kept" else f"{getattr(one, name):,}" for name in headings]
        table.add_row(escape(one.volume), *numbers)
    if len(planned.volumes) > 1:
        table.add_row("[bold]all[/bold]", *(f"{planned.total(name):,}" for name in headings))
    console.print(table)
    for one in planned.volumes:
        if one.first:
            console.print(f"  {escape(one.volume)}: {escape(one.first)}", soft_wrap=True)
        for changed in one.changed:
            columns = ", ".join(name for name in changed if name != "chunk_id")
            console.print(
                f"  {escape(changed['chunk_id'])} keeps its vector; changed: {columns}", soft_wrap=True
            )
    console.print(_cost(planned), soft_wrap=True)


def _cost(planned: Any) -> str:
    """Time and price in one line."""
    if not planned.changes_anything:
        return "The index is up to date."
    parts = [f"{planned.model} into the {planned.store} store"]
    parts.append(
        "time for embedding not known before the first run"
        if planned.seconds is None
        else f"about {planned.seconds:,.0f} s of embedding"
    )
    if planned.dollars is not None:
        parts.append(f"about ${planned.dollars:,.2f} at the prices of {planned.prices_of}")
    else:
        parts.append("nothing to pay")
    return f"{'; '.join(parts)}. Do it: [bold]jung ingest[/bold]"


@index.command()
@command
def versions(as_json: bool) -> None:
    """The versions of the index that are kept, newest last; the live one is the one that readers see."""
    from jung_pipeline import publishing

    kept = publishing.versions_kept(load_settings())
    if as_json:
        print_json({"versions": kept})
        return
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", "version", "made", "volumes", "passages", "model", "store"):
        table.add_column(heading, no_wrap=heading == "version")
    for row in kept:
        mark = "[green]live[/green]" if row["live"] else ""
        if row["problem"]:
            table.add_row("[red]damaged[/red]", row["version"], escape(row["problem"]))
            continue
        made = row["created"][:16].replace("T", " ")
        numbers = (str(row["volumes"]), f"{row['passages']:,}")
        table.add_row(mark, row["version"], made, *numbers, row["model"], row["store"])
    console.print(table)


@index.command()
@click.argument("version", required=False)
@command
def rollback(version: str | None, as_json: bool) -> None:
    """Make an older version live again: VERSION, or the one made before the live one.

    It stays live until something in the library changes, or `jung index promote` releases it. With Pinecone,
    vectors that were deleted since are gone: their passages are found by words alone.
    """
    from jung_pipeline import publishing

    settings = load_settings()
    chosen = version or publishing.version_before(settings)
    if chosen is None:
        raise UsageError(
            "There is no older version to go back to.", remedy="`jung index versions` lists them."
        )
    published = publishing.roll_back(settings, chosen)
    if as_json:
        print_json({"version": published.manifest.version, "live": True})
        return
    console.print(f"Live now: {escape(published.summary)}", soft_wrap=True)


@index.command()
@command
def promote(as_json: bool) -> None:
    """Make the newest good state of the library live: after a rollback, or though it evaluates worse.

    A new version that finds clearly less than the live one (your golden questions, or questions made from passages
    of both) is not made live by `jung ingest`, which says in what it is worse. This command makes it live all the same.
    """
    from jung_pipeline import publishing

    published = publishing.promote(load_settings())
    if as_json:
        print_json({"version": published.manifest.version, "changed": published.changed, "live": True})
        return
    console.print(f"Live now: {escape(published.summary)}", soft_wrap=True)


@index.command()
@click.option("--keep", type=click.IntRange(min=1), default=None, help="How many of the last ones to keep.")
@command
def prune(keep: int | None, as_json: bool) -> None:
    """Remove old versions, never the live one."""
    from jung_pipeline import publishing

    removed = publishing.prune(load_settings(), keep)
    if as_json:
        print_json({"removed": removed})
        return
    console.print(f"Removed: {', '.join(removed) or 'none'}", soft_wrap=True)


@index.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@command
def export(folder: Path, as_json: bool) -> None:
    """Write the live index to FOLDER as Parquet that Pinecone imports in bulk from object storage.

    For libraries of millions of passages. The folder inside FOLDER is the namespace to import into; it must be
    a new one.
    """
    from jung_pipeline.index.bulk_import import write_volume
    from jung_pipeline.index.pinecone_index import namespace_of
    from jung_pipeline.index.versions import open_current

    version = open_current(load_settings().paths.index)
    namespace = namespace_of(version.manifest.spec)
    files = [write_volume(folder / namespace, key, segment) for key, segment in version.segments.items()]
    if as_json:
        print_json({"namespace": namespace, "files": [{**asdict(f), "path": str(f.path)} for f in files]})
        return
    for file in files:
        console.print(
            f"{escape(str(file.path))}  {file.passages:,} passages, {file.bytes:,} bytes", soft_wrap=True
        )
