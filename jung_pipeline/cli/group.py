"""The ``jung`` command: its name, its help and its parts."""

from __future__ import annotations

from pathlib import Path

import click

from jung_pipeline.cli import (
    doctor,
    evaluation,
    explain,
    index,
    ingest,
    library,
    mcp,
    reading,
    serve,
    showing,
    sync,
    verifying,
)

_HELP = """From your own books by and about C. G. Jung to cited answers.

\b
  jung add ~/books/*.epub     take books into the library
  jung ingest                 read, clean, cut, embed and index what changed
  jung status                 where every volume stands
  jung ask "What is the shadow?"
  jung search enantiodromia   passages only
  jung show CHUNK             a passage in its surroundings
  jung verify TEXT            whether its quotations stand in these books
  jung explain VOLUME         a page as the file has it, and what cleaning made of it
  jung eval --golden DIR      how well it finds, refuses and checks
  jung index plan             what an ingestion would change in the index, and its price
  jung serve                  the reading room: ask and read on in the browser
  jung ui                     the same line as a graph, in the browser
  jung demo                   all of it on three small books of ours

The library lies in JUNG_HOME (default: ./data). Every command takes --json.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not in these books (with --strict).
"""


@click.group(help=_HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="jung-pipeline", prog_name="jung")
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="The library folder; wins over JUNG_HOME.",
)
def jung(home: Path | None) -> None:
    """The group; its help is above."""


for _command in (
    library.add,
    ingest.ingest,
    library.status,
    reading.search,
    reading.ask,
    reading.show,
    verifying.verify,
    evaluation.evaluation,
    explain.explain,
    index.index,
    mcp.mcp,
    sync.sync,
    doctor.doctor,
    serve.serve,
    showing.ui,
    showing.demo,
):
    jung.add_command(_command)
