"""Figures about a cleaned volume for the run's metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import regex

from jung_pipeline.clean import tokens
from jung_pipeline.clean.book import Book
from jung_pipeline.clean.ledger import PageMap
from jung_pipeline.clean.structure import chapters_of

_LETTERS_IN_A_ROW = regex.compile(r"(?<!\S)(?:\p{L} ){3,}\p{L}(?!\S)")
_BROKEN = regex.compile(r"\p{Ll}- (?!(?:und|oder|and|or|bis|wie|als|et|to|sowie)\b)\p{Ll}")
_BRACKETED = regex.compile(r"\[\d{1,4}\]")
_EMPHASIS = regex.compile(r"(?<!\S)_\p{L}|\p{L}_(?!\S)")


def make_report(book: Book, cleaned: pa.Table, ledger: pa.Table) -> dict[str, Any]:
    """Removals and changes by rule, chapters, labels, notes, pages without text, and what looks left over."""
    rules = ledger.column("rule").to_pylist()
    by_rule = Counter(rules)
    characters: Counter[str] = Counter()
    for rule, before in zip(rules, ledger.column("before").to_pylist(), strict=True):
        characters[rule] += len(before)
    text = "\n\n".join(cleaned.column("text").to_pylist())
    bounds = zip(
        cleaned.column("page_first").to_pylist(), cleaned.column("page_last").to_pylist(), strict=True
    )
    pages_with_text = {page for first, last in bounds for page in range(first, last + 1)}
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
        "leftovers": _leftovers(text),
        "matter_given_back": book.report["matter given back"],
        "paragraphs": cleaned.num_rows,
        "characters": len(text),
    }


def _leftovers(text: str) -> dict[str, int]:
    """What looks as if a rule had missed it; the whole text is gone through only for what may be there."""
    return {
        "single letters in a row": sum(1 for _ in _letters_in_a_row(text)),
        "broken words": _count(_BROKEN, text, "- ", 1),
        "numbers in brackets": _count(_BRACKETED, text, "[", 0),
        "emphasis signs": len(_EMPHASIS.findall(text)) if "_" in text else 0,
    }


def _count(pattern: regex.Pattern[str], text: str, sign: str, before: int) -> int:
    """How often ``pattern`` matches, each time with ``sign`` behind its first ``before`` characters."""
    found = done = 0
    for at in tokens.all_places(text, [sign]):
        match = pattern.match(text, at - before) if at - before >= done else None
        if match is not None:
            found += 1
            done = match.end()
    return found


def _letters_in_a_row(text: str) -> Iterator[regex.Match[str]]:
    done = 0
    for start in tokens.rows_of_single_letters(text, 4, " "):
        match = _LETTERS_IN_A_ROW.match(text, start) if start >= done else None
        if match is not None:
            done = match.end()
            yield match
