"""Raw lines for tests, made from strings."""

from __future__ import annotations

from typing import Any

from jung_pipeline import tables
from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.cleaner import CleanedVolume, clean_volume, volume_text
from jung_pipeline.clean.replay import replay, unaccounted
from jung_pipeline.extract.document import DocumentInfo, OutlineEntry, PageInfo
from jung_pipeline.extract.plain_text import raw_text_from_pages
from jung_pipeline.schemas import RAW_TEXT

VOLUME = Volume(key="test", file="test.txt", title="A Test")


def clean_pages(*pages: str, volume: Volume = VOLUME) -> CleanedVolume:
    """Pages of plain text, cleaned, with the account checked."""
    document = raw_text_from_pages(list(pages))
    return checked(document.lines, document.info, volume)


def checked(lines: Any, info: DocumentInfo, volume: Volume = VOLUME) -> CleanedVolume:
    """Clean, and prove that the tables account for every raw character."""
    cleaned = clean_volume(lines, info, volume)
    assert unaccounted(lines, cleaned.paragraphs, cleaned.ledger) == []
    assert replay(lines, cleaned.paragraphs, cleaned.ledger) == cleaned.paragraphs.column("text").to_pylist()
    assert "unexplained" not in cleaned.ledger.column("rule").to_pylist()
    return cleaned


def text_of(*pages: str, volume: Volume = VOLUME) -> str:
    """The cleaned text of pages, white space collapsed."""
    return " ".join(volume_text(clean_pages(*pages, volume=volume).paragraphs).split())


def texts(cleaned: CleanedVolume, kind: str | None = None) -> list[str]:
    """The paragraphs' texts, of one kind or all."""
    rows = cleaned.paragraphs.select(["kind", "text"]).to_pylist()
    return [row["text"] for row in rows if kind is None or row["kind"] == kind]


def raw_table(rows: list[dict[str, Any]]) -> Any:
    """A raw_text table; each row names what matters to the test."""
    full = []
    for number, row in enumerate(rows):
        base = {"line_id": number, "page": 1, "block": number, "line": 0, "origin": "text_layer", "marks": []}
        full.append({**base, **row})
    return tables.from_rows(full, RAW_TEXT)


def pdf_info(pages: int, outline: list[OutlineEntry] | None = None) -> DocumentInfo:
    """Facts about a PDF of ``pages`` pages."""
    return DocumentInfo(
        format="pdf",
        status="ok",
        extractor="test",
        pages=[PageInfo(page, None, 100, usable=True, width=400, height=600) for page in range(1, pages + 1)],
        outline=outline or [],
    )


def pdf_lines(page: int, first_y: float, lines: list[str], **row: Any) -> list[dict[str, Any]]:
    """Lines of a page, 14 points apart, from the left margin to the right one unless told otherwise."""
    return [
        {
            "page": page,
            "x0": row.get("x0", 60.0),
            "x1": row.get("x0", 60.0) + 5.0 * len(text),
            "y0": first_y + 14 * at,
            "y1": first_y + 14 * at + 10,
            "font_size": row.get("font_size", 10.0),
            "text": text,
        }
        for at, text in enumerate(lines)
    ]
