"""Paragraph tables for tests, made from plain descriptions."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

from jung_pipeline.schemas import CLEANED_TEXT, PARAGRAPH_SEPARATOR
from jung_pipeline.tables import from_rows


def paragraph_table(rows: list[dict[str, Any]]) -> pa.Table:
    """A CLEANED_TEXT table; each row needs ``text``, everything else has a default."""
    out, at = [], 0
    for number, given in enumerate(rows):
        text = given["text"]
        row = {
            "paragraph": number,
            "kind": "body",
            "section": "body",
            "part": None,
            "chapter": None,
            "chapter_kind": None,
            "chapter_number": None,
            "chapter_title": None,
            "chapter_index": 0,
            "heading_level": None,
            "page_first": 1,
            "page_last": 1,
            "label_first": None,
            "label_last": None,
            "page_starts": [],
            "numbered_paragraph": None,
            "note_mark": None,
            "note_links": [],
            "char_start": at,
            "char_end": at + len(text),
            "spans": [
                {"start": 0, "end": len(text), "line_id": number, "raw_start": 3, "raw_end": 3 + len(text)}
            ],
            **given,
        }
        at += len(text) + len(PARAGRAPH_SEPARATOR)
        out.append(row)
    return from_rows(out, CLEANED_TEXT)


def from_text(text: str) -> pa.Table:
    """Paragraphs of a plain text; a short line in capitals, or "CHAPTER …", is a heading and begins a chapter."""
    rows, chapter = [], 0
    for block in re.split(r"\n\s*\n", text):
        block = block.strip()
        if not block:
            continue
        heading = bool(re.fullmatch(r"(?:(?:CHAPTER|LECTURE|BOOK|PART) [\w. ]+|[A-Z .]{4,60})", block))
        if heading and rows and rows[-1].get("kind") != "heading":
            chapter += 1
        rows.append({"text": block, "kind": "heading" if heading else "body", "chapter_index": chapter})
    return paragraph_table(rows)
