"""``jung mcp``: the library as tools for other programs."""

from __future__ import annotations

import importlib.metadata
import importlib.util

import click

from jung_pipeline.cli.output import command, load_settings
from jung_pipeline.errors import UsageError


@click.command()
@command
def mcp(as_json: bool) -> None:
    """Serve the library to programs that speak the Model Context Protocol, over standard input and output.

    Tools: search, read_passage, verify_quotation, list_works. They only read, and ask no language model.

    \b
    Claude Code, for instance:  claude mcp add jung -- jung --home ~/jung mcp
    """
    if importlib.util.find_spec("mcp") is None:
        raise UsageError("The MCP SDK is not installed.", remedy="pip install 'jung-pipeline[mcp]'")
    from jung_pipeline.query.library import Library
    from jung_pipeline.query.tools_mcp import make_server

    settings = load_settings()
    kept: list[Library] = []

    def current() -> Library:
        """The library as it is published now; a server runs for days."""
        if not kept or not kept[0].is_current():
            kept[:] = [Library.open(settings)]
        return kept[0]

    server = make_server(current, importlib.metadata.version("jung-pipeline"))
    server.run("stdio")
