"""The library as a program with the official client sees it."""

from __future__ import annotations

import asyncio
import sys

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp import Client, StdioServerParameters

from jung_pipeline import settings as settings_module
from jung_pipeline.query.calibration import calibrate
from jung_pipeline.query.library import Library
from jung_pipeline.query.tools_mcp import make_server
from jung_pipeline_tests.query.fixtures_library import rows
from jung_pipeline_tests.query.tiny_index import HashingEmbedder, TinyVersion


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    embedder = HashingEmbedder()
    version = TinyVersion(rows(), embedder)
    version.manifest.calibration = calibrate(version, embedder)
    return Library(version, embedder, settings_module.load(tmp_path_factory.mktemp("home")))


def call(server, tool, **arguments):
    """What a client is given: the structured result, or the text of the error."""

    async def asked():
        async with Client(server) as client:
            result = await client.call_tool(tool, arguments)
            text = "".join(getattr(part, "text", "") for part in result.content)
            return result.is_error, result.structured_content, text

    return asyncio.run(asked())


def test_searching_reading_on_and_listing(library):
    server = make_server(lambda: library)
    failed, found, _ = call(server, "search", question="Why does an empty mirror frighten the dreamer?")
    assert not failed and found["answerable"]
    best = found["passages"][0]
    assert best["chunk_id"] == "mirror#02" and "On Dream Mirrors" in best["citation"]
    _, read, _ = call(server, "read_passage", chunk_id="mirror#02", around=1)
    assert [p["chunk_id"] for p in (*read["before"], read["passage"], *read["after"])] == [
        "mirror#01",
        "mirror#02",
        "mirror#03",
    ]
    _, works, _ = call(server, "list_works")
    assert {work["title"] for work in works["works"]} >= {"The Blue Lamp", "On Dream Mirrors", "Vom Schatten"}


def test_a_filter_narrows_and_a_wrong_one_is_told(library):
    server = make_server(lambda: library)
    _, found, _ = call(server, "search", question="the shadow", language="de")
    assert {p["chunk_id"].split("#")[0] for p in found["passages"]} == {"schatten"}
    failed, _, text = call(server, "search", question="the shadow", author="Nobody")
    assert failed and "Nobody" in text


def test_what_the_books_do_not_answer_is_said(library):
    _, found, _ = call(
        make_server(lambda: library), "search", question="What is the boiling point of tungsten?"
    )
    assert not found["answerable"] and "does not answer" in found["note"]


@pytest.mark.parametrize(
    ("quotation", "verdict"),
    [
        ("Broken mirrors in dreams are not omens", "verbatim"),
        ("Broken mirrors in dreams are omens, they are drafts: the dreamer tries several faces", "altered"),
        ("The soul is a lighthouse that nobody has climbed", "not_in_library"),
    ],
)
def test_quotations_are_judged(library, quotation, verdict):
    _, judged, _ = call(make_server(lambda: library), "verify_quotation", quotation=quotation)
    assert judged["verdict"] == verdict


def test_an_unknown_passage_is_one_clear_error(library):
    failed, _, text = call(make_server(lambda: library), "read_passage", chunk_id="mirror#99")
    assert failed and "mirror#99" in text and "Traceback" not in text


def test_the_command_speaks_over_standard_input_and_output(tmp_path):
    """A real subprocess; the library is empty, which a tool says in a sentence."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from jung_pipeline.cli.main import main; main()", "--home", str(tmp_path), "mcp"],
    )

    async def asked():
        async with Client(parameters) as client:
            tools = await client.list_tools()
            result = await client.call_tool("search", {"question": "What is the shadow?"})
            return [tool.name for tool in tools.tools], result

    names, result = asyncio.run(asked())
    assert sorted(names) == ["list_works", "read_passage", "search", "verify_quotation"]
    assert result.is_error and "jung ingest" in result.content[0].text
