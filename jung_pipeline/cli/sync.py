"""``jung sync``: this home and the depot that it is a working copy of."""

from __future__ import annotations

import click
from rich.markup import escape

from jung_pipeline.cli.output import command, console, load_settings, print_json
from jung_pipeline.errors import UsageError


@click.command()
@click.option("--books", is_flag=True, help="Have all book files here too.")
@command
def sync(books: bool, as_json: bool) -> int:
    """Bring this working copy up to date with its depot (the setting data_url), and hand over what is new here.

    `jung ingest`, `jung ask` and every run do by themselves what they need of this. Wanted before `jung status` on a
    machine that did not do the work, and to have everything on one disk: a backup.
    """
    from jung_pipeline.depot.index_copy import hand_over_index, take_index
    from jung_pipeline.depot.working_copy import working_copy
    from jung_pipeline.index.versions import current_id
    from jung_pipeline.publishing import KEPT_VERSIONS

    settings = load_settings()
    copy = working_copy(settings)
    if copy is None:
        raise UsageError(
            "This library is no working copy of anything.",
            remedy="Set data_url (JUNG_DATA_URL=s3://bucket/folder, or a folder that all machines mount).",
        )
    copy.refresh()
    keys = copy.volumes()
    for key in keys:
        copy.hand_over(key)
    if take_index(copy) is None:
        hand_over_index(copy, keep=KEPT_VERSIONS)
    if books:
        for name in settings.paths.books_elsewhere():
            copy.take_book(name)
    there, version, url = (
        sorted(settings.paths.books_elsewhere()),
        current_id(settings.paths.index),
        copy.depot.url,
    )
    if as_json:
        print_json({"data_url": url, "volumes": keys, "books": there, "version": version})
    else:
        console.print(
            f"{len(keys)} volume(s), {len(there)} book(s), index {escape(version or 'none yet')}: as in {escape(url)}.",
            soft_wrap=True,
        )
    return 0
