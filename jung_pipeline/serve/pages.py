"""A page of a book with the lines of a passage marked, or, where there is no page to show, the section around it."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

from jung_pipeline import tables
from jung_pipeline.catalogue import Volume
from jung_pipeline.errors import JungError, UsageError
from jung_pipeline.query.library import Library
from jung_pipeline.query.passages import Passage
from jung_pipeline.text.quotes import locate

_COLUMNS = ["line_id", "page", "page_label", "x0", "y0", "x1", "y1"]
#: Passages on each side that a section shows.
_AROUND = 2


def pdf_of(library: Library, volume: str) -> tuple[Path, Volume] | None:
    """The PDF of ``volume`` and its entry, where both are at hand. The key is looked up, never made into a path."""
    entry = library.volumes.get(volume)
    if entry is None:
        return None
    path = library.settings.paths.source(entry)
    return (path, entry) if path.suffix.lower() == ".pdf" and path.is_file() else None


def page_of(
    library: Library, volume: str, page: int, chunk_id: str | None, quote: str | None = None
) -> dict[str, Any]:
    """Page ``page`` of ``volume`` as the reading pane shows it; ``quoted`` are the boxes that hold ``quote``.

    Boxes are ``[x0, y0, x1, y1]`` in points from the top left of the page as it is drawn.

    Raises:
        UsageError: there is no such volume, page or passage.
    """
    if volume not in library.version.passages.volumes():
        raise UsageError(f"There is no volume {volume!r} in this library.")
    passage = library.passage(chunk_id) if chunk_id else None
    if passage is not None and passage.volume != volume:
        raise UsageError(f"Passage {passage.chunk_id} is not one of {volume}.")
    shown = _pictured(library, volume, page, passage, quote)
    return shown or _section(library, volume, page, passage)


def _pictured(
    library: Library, volume: str, page: int, passage: Passage | None, quote: str | None
) -> dict[str, Any] | None:
    """The page as a picture; ``None`` where the file, its raw text or the page is not at hand."""
    from jung_pipeline.serve.picture_pymupdf import size_of

    found = pdf_of(library, volume)
    if found is None:
        return None
    path, entry = found
    try:
        width, height, count = size_of(path, entry.hints, page)
    except JungError:
        return None
    lines = [line for line in _lines(library, volume) if line["page"] == page]
    label = next((line["page_label"] for line in lines if line["page_label"]), None)
    return {
        "kind": "picture",
        "volume": volume,
        "page": page,
        "pages": count,
        "label": label,
        "picture": f"/api/pages/{volume}/{page}/picture",
        "width": width,
        "height": height,
        "boxes": _boxes(lines, lines_of(library, passage)),
        "quoted": _boxes(lines, lines_of(library, passage, quote)) if quote else [],
    }


def start_page(library: Library, passage: Passage, quote: str | None = None) -> int | None:
    """The page to open for ``passage``: where ``quote`` begins, else the one that holds most of its lines."""
    on_page = {line["line_id"]: line["page"] for line in _lines(library, passage.volume)}
    quoted = sorted(lines_of(library, passage, quote)) if quote else []
    if quoted and quoted[0] in on_page:
        return int(on_page[quoted[0]])
    counts = Counter(on_page[line] for line in lines_of(library, passage) if line in on_page)
    return max(sorted(counts), key=counts.__getitem__) if counts else passage.page_first


def lines_of(library: Library, passage: Passage | None, quote: str | None = None) -> set[int]:
    """The raw lines that ``passage``, or the words of ``quote`` in it, were read from."""
    row = library.version.passages.get(passage.chunk_id) if passage else None
    if row is None or passage is None:
        return set()
    place = locate(quote, passage.text) if quote else (0, len(passage.text))
    if place is None:
        return set()
    return {span["line_id"] for span in row["spans"] if span["start"] < place[1] and span["end"] > place[0]}


def _lines(library: Library, volume: str) -> list[dict[str, Any]]:
    """Page and box of every raw line of ``volume``; none where its table is not at hand."""
    return _read(library.settings.paths.table("raw_text", volume), library.version.manifest.version)


@lru_cache(maxsize=4)
def _read(path: Path, version: str) -> list[dict[str, Any]]:
    """The lines in the table at ``path``, kept for the volumes that are being read, as long as a version lives."""
    try:
        return list(tables.read_table(path, columns=_COLUMNS).to_pylist())
    except JungError:
        return []


def _boxes(lines: list[dict[str, Any]], chosen: set[int]) -> list[list[float]]:
    return [
        [round(line[edge], 1) for edge in ("x0", "y0", "x1", "y1")]
        for line in lines
        if line["line_id"] in chosen and line["x0"] is not None
    ]


def _section(library: Library, volume: str, page: int, passage: Passage | None) -> dict[str, Any]:
    """The text around ``passage``, or where ``page`` begins."""
    if passage is None:
        first = next(
            (
                row["chunk_id"]
                for row in library.version.passages.iterate(volume, ["chunk_id", "page_first", "page_last"])
                if row["page_first"] <= page <= row["page_last"]
            ),
            None,
        )
        if first is None:
            raise UsageError(f"{volume} has no page {page}.")
        here = library.passage(first)
        before: list[Passage] = []
        _, after = library.neighbours(first, _AROUND)
    else:
        here = passage
        before, after = library.neighbours(passage.chunk_id, _AROUND)
    return {
        "kind": "section",
        "volume": volume,
        "page": page,
        "label": here.label_first,
        "chapter": here.chapter,
        "passages": [
            {
                "chunk_id": each.chunk_id,
                "paragraphs": each.paragraphs,
                "marked": passage is not None and each.chunk_id == passage.chunk_id,
            }
            for each in [*before, here, *after]
        ],
    }
