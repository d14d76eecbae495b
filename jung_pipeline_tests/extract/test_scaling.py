"""Reading takes steps in proportion to the size of a file, whatever its markup: four times as much, four times as long."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from jung_pipeline.extract.epub_ebooklib import extract_epub
from jung_pipeline.extract.html_bs4 import extract_html
from jung_pipeline_tests.extract.epub_maker import make_epub, page

WORDS = "Six words of a long book. "

#: n → the body of a page; nothing is closed that need not be.
SHAPES: dict[str, Callable[[int], str]] = {
    "divisions never closed": lambda n: f"<div>{WORDS}" * n,
    "divisions one in another": lambda n: "<div>x" * n + "</div>" * n,
    "bold never closed": lambda n: f"<b>{WORDS}<p>" * n,
    "spans never closed": lambda n: "<p>" + f"<span>{WORDS}<br>" * n,
    "notes never closed": lambda n: f"<p>{WORDS}<aside class=footnote>{WORDS}" * n,
    "raised letters never closed": lambda n: "<sup>1" * n,
    "links never closed": lambda n: "".join(f"<a id=p{i} href=#p{i}><sup>{i}" for i in range(n)),
    "page numbers never closed": lambda n: "".join(f"<span class=pagenum id=page_{i}>x" for i in range(n)),
    "paragraphs": lambda n: f"<p>{WORDS}</p>" * n,
    "lines of a heading": lambda n: "<h1>" + f"{WORDS}<br>" * n + "</h1>",
    "emphasis in one paragraph": lambda n: "<p>" + f"<b>{WORDS}</b> " * n,
    "anchors in one paragraph": lambda n: "<p>" + "".join(f"<a id=a{i}></a>{WORDS}" for i in range(n)),
    "notes to one paragraph": lambda n: (
        "<p>"
        + "".join(f"{WORDS}<a href=#n{i} id=r{i}><sup>{i}</sup></a>" for i in range(n))
        + "".join(f"<p id=n{i}><a href=#r{i}>{i}</a> {WORDS}" for i in range(n))
    ),
    "cells of one row": lambda n: "<table><tr>" + f"<td>{WORDS}" * n,
    "tables one in another": lambda n: f"<table><tr><td>{WORDS}<td>" * n,
    "notes of transcribers": lambda n: f"<p>Transcriber's note: {WORDS}</p>" * n,
    "tags never ended": lambda n: "<p>x</p>" + "<a " * n + "<" * n + "<!--" * n,
}


def steps(work: Callable[[], Any]) -> int:
    """How many lines of our code run."""
    count = 0

    def line(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def call(frame: FrameType, _: str, __: Any) -> Any:
        return line if "jung_pipeline" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_pages(shape: str) -> None:
    def work(n: int) -> Callable[[], Any]:
        data = f"<html><body>{SHAPES[shape](n)}".encode()
        return lambda: extract_html(data, "page.html", {})

    steps(work(10))  # what is imported and cached at first
    few, many = steps(work(100)), steps(work(400))
    assert many < 5 * few, f"{few:,} steps for 100, {many:,} for 400"


def _documents(n: int) -> dict[str, Any]:
    return {"documents": {f"c{i}.xhtml": page(f"<h1>{i}</h1><p>{WORDS}</p>") for i in range(n)}}


def _outside_the_spine(n: int) -> dict[str, Any]:
    links = "".join(f"<p>{WORDS}<a href='n{i}.xhtml'>{i}</a></p>" for i in range(n))
    notes = {f"n{i}.xhtml": page("<p>A note.</p>") for i in range(n)}
    return {"documents": {"a.xhtml": page(links), **notes}, "spine": ["d0"]}


def _landmarks(n: int) -> dict[str, Any]:
    guide = "".join(f'<reference type="index" href="a.xhtml?{i}"/>' for i in range(n))
    documents = {"a.xhtml": page(f"<p>{WORDS}</p>" * n), "b.xhtml": page("<p>x</p>")}
    return {"documents": documents, "guide": f"<guide>{guide}</guide>"}


@pytest.mark.parametrize("make", [_documents, _outside_the_spine, _landmarks])
def test_books(make: Callable[[int], dict[str, Any]], tmp_path: Path) -> None:
    def work(n: int) -> Callable[[], Any]:
        path = make_epub(tmp_path / f"{n}.epub", **make(n))
        return lambda: extract_epub(path, {})

    steps(work(5))
    few, many = steps(work(50)), steps(work(200))
    assert many < 5 * few, f"{few:,} steps for 50, {many:,} for 200"
