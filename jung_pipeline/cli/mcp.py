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
    from jung_pipeline.query.live import LiveLibrary
    from jung_pipeline.query.tools_mcp import make_server

    live = LiveLibrary(load_settings())
    make_server(live.library, importlib.metadata.version("jung-pipeline")).run("stdio")
