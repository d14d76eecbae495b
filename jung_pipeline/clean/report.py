"""Figures about a cleaned volume for the run's metadata."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import regex

from jung_pipeline.clean.book import Book
from jung_pipeline.clean.ledger import PageMap
from jung_pipeline.clean.structure import chapters_of

_LEFTOVERS = {
    "single letters in a row": regex.compile(r"(?<!\S)(?:\p{L} ){3,}\p{L}(?!\S)"),
    "broken words": regex.compile(r"\p{Ll}- (?!(?:und|oder|and|or|bis|wie|als|et|to|sowie)\b)\p{Ll}"),
    "numbers in brackets": regex.compile(r"\[\d{1,4}\]"),
    "emphasis signs": regex.compile(r"(?<!\S)_\p{L}|\p{L}_(?!\S)"),
}


def make_report(book: Book, cleaned: pa.Table, entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Removals and changes by rule, chapters, labels, notes, pages without text, and what looks left over."""
    by_rule = Counter(entry["rule"] for entry in entries)
    characters: Counter[str] = Counter()
    for entry in entries:
        characters[entry["rule"]] += len(entry["before"])
    text = "\n\n".join(cleaned.column("text").to_pylist())
    pages_with_text = {
        page
        for row in cleaned.select(["page_first", "page_last"]).to_pylist()
        for page in range(row["page_first"], row["page_last"] + 1)
    }
    labels = {start[2] for start in PageMap(book).starts if start[2]} if book.lines else set()
    return {
        "ledger_entries_by_rule": dict(by_rule.most_common()),
        "ledger_characters_by_rule": dict(characters.most_common()),
        "words_corrected": by_rule["misreading"],
        "words_joined": by_rule["line_hyphen"] + by_rule["spaced_hyphen"],
        "chapters": len(chapters_of(cleaned)),
        "labels": len(labels),
        "footnotes": sum(kind == "footnote" for kind in cleaned.column("kind").to_pylist()),
        "footnotes_linked": book.report["footnotes linked"],
        "note_marks": book.report["note marks taken out"],
        "numbered_paragraphs": book.report["numbered paragraphs"],
        "pages_without_text": sorted(
            page.page for page in book.info.pages if page.page not in pages_with_text
        ),
        "leftovers": {name: len(pattern.findall(text)) for name, pattern in _LEFTOVERS.items()},
        "matter_given_back": book.report["matter given back"],
        "paragraphs": cleaned.num_rows,
        "characters": len(text),
    }
