"""What chunking promises, checked on the tables alone: the rules know nothing of how passages are made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from jung_pipeline.quality.outcome import CheckOutcome, Severity, outcome
from jung_pipeline.schemas import CHUNKS, CLEANED_TEXT, PARAGRAPH_SEPARATOR
from jung_pipeline.tables import check_schema

if TYPE_CHECKING:
    from jung_pipeline.chunk.chunker import Limits

#: The checks in the order of :func:`check_chunks`: name and description.
CHUNK_PROMISES: dict[str, str] = {
    "chunks_are_not_empty": "A volume with text has passages, and every passage has text.",
    "chunk_ids_are_unique": "No two passages of a volume share an id, and ids are ASCII.",
    "chunks_form_one_chain": "Each passage names the one before and the one after it, body first, then notes.",
    "chunk_tokens_are_in_bounds": (
        "The stored token count is the real one; no passage is above the maximum or longer than the embedder "
        "reads."
    ),
    "chunks_reach_the_minimum": "No passage is below the minimum unless its whole chapter is (a warning).",
    "chunks_cover_the_body_text": (
        "Every character of the cleaned text is in exactly one passage, in order, at the offsets it names."
    ),
    "chunks_end_at_sentences": "A passage ends where a paragraph or a sentence ends (a warning).",
    "no_chunk_runs_over_a_chapter": "All paragraphs of a passage belong to one chapter.",
    "no_chunk_ends_with_a_heading": "A heading is in one passage with the text that follows it.",
}
_WARNINGS = {"chunks_reach_the_minimum", "chunks_end_at_sentences"}

_BLANK = re.compile(r"\s+")


def check_chunks(
    chunks: pa.Table, paragraphs: pa.Table, limits: Limits, embedder_limit: int
) -> list[CheckOutcome]:
    """The outcome of every promise in :data:`CHUNK_PROMISES` for one volume.

    Args:
        chunks: Schema CHUNKS.
        paragraphs: The cleaned text the passages were made from, schema CLEANED_TEXT.
        limits: In cl100k tokens.
        embedder_limit: The most the embedder reads, prefix and special tokens counted.

    Raises:
        StageError: a table is not in its schema.
    """
    check_schema(chunks, CHUNKS, where="chunks")
    check_schema(paragraphs, CLEANED_TEXT, where="cleaned_text")
    rows = chunks.drop_columns(["spans"]).to_pylist()
    book = _Book(paragraphs)
    tokens = sorted(row["cl100k_tokens"] for row in rows) or [0]
    found: dict[str, Iterator[dict[str, Any]]] = {
        "chunks_are_not_empty": _empty(rows, book),
        "chunk_ids_are_unique": _bad_ids(rows),
        "chunks_form_one_chain": _broken_links(rows),
        "chunk_tokens_are_in_bounds": _out_of_bounds(rows, limits, embedder_limit),
        "chunks_reach_the_minimum": _too_short(rows, limits),
        "chunks_cover_the_body_text": _uncovered(rows, book),
        "chunks_end_at_sentences": _cut_sentences(rows, book),
        "no_chunk_runs_over_a_chapter": _over_chapters(rows, book),
        "no_chunk_ends_with_a_heading": _trailing_headings(rows, book),
    }
    facts = {
        "chunk_tokens_are_in_bounds": {
            "chunks": len(rows),
            "tokens_median": tokens[len(tokens) // 2],
            "tokens_largest": tokens[-1],
            "tokens_smallest": tokens[0],
            "embedder_tokens_largest": max((row["embedder_tokens"] for row in rows), default=0),
        }
    }
    return [
        outcome(
            name,
            description,
            found[name],
            severity=_severity(name),
            metrics=facts.get(name),
        )
        for name, description in CHUNK_PROMISES.items()
    ]


def _severity(name: str) -> Severity:
    return "warning" if name in _WARNINGS else "error"


class _Book:
    """The paragraphs as the rules look at them."""

    def __init__(self, paragraphs: pa.Table) -> None:
        names = ["paragraph", "kind", "chapter_index", "char_start", "text"]
        self.rows: list[dict[str, Any]] = [
            row for row in paragraphs.select(names).to_pylist() if row["text"].strip()
        ]
        self.by_number = {row["paragraph"]: row for row in self.rows}
        self._at = {row["paragraph"]: index for index, row in enumerate(self.rows)}

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """The rows that make body passages, or notes."""
        return [row for row in self.rows if (row["kind"] == "footnote") == (kind == "note")]

    def within(self, chunk: dict[str, Any]) -> list[dict[str, Any]]:
        """The paragraphs that a passage is made of."""
        first, last = self._at.get(chunk["paragraph_first"]), self._at.get(chunk["paragraph_last"])
        if first is None or last is None:
            return []
        note = chunk["kind"] == "note"
        return [row for row in self.rows[first : last + 1] if (row["kind"] == "footnote") == note]

    def slice(self, chunk: dict[str, Any]) -> str:
        """The text at the offsets that a passage names."""
        parts = []
        for row in self.within(chunk):
            start = max(0, chunk["char_start"] - row["char_start"])
            end = max(0, chunk["char_end"] - row["char_start"])
            parts.append(row["text"][start:end])
        return PARAGRAPH_SEPARATOR.join(parts)


def _where(chunk: dict[str, Any]) -> dict[str, Any]:
    return {"chunk_id": chunk["chunk_id"], "position": chunk["position"], "page": chunk["page_first"]}


def _empty(rows: list[dict[str, Any]], book: _Book) -> Iterator[dict[str, Any]]:
    if book.rows and not rows:
        yield {"paragraphs": len(book.rows), "problem": "no passages"}
    for row in rows:
        if not row["text"].strip():
            yield _where(row)


def _bad_ids(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for chunk_id, number in Counter(row["chunk_id"] for row in rows).items():
        if number > 1 or not chunk_id.isascii():
            yield {"chunk_id": chunk_id, "times": number}


def _broken_links(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    ids = [None, *(row["chunk_id"] for row in rows), None]
    notes_began = False
    for index, row in enumerate(rows):
        linked = (row["prev_chunk_id"], row["next_chunk_id"]) == (ids[index], ids[index + 2])
        in_order = row["position"] == index and not (notes_began and row["kind"] != "note")
        notes_began = notes_began or row["kind"] == "note"
        if not (linked and in_order):
            yield {**_where(row), "prev": row["prev_chunk_id"], "next": row["next_chunk_id"]}


def _out_of_bounds(
    rows: list[dict[str, Any]], limits: Limits, embedder_limit: int
) -> Iterator[dict[str, Any]]:
    from jung_pipeline.chunk.tokens_tiktoken import count_tokens

    for row in rows:
        counted = count_tokens(row["text"])
        if counted != row["cl100k_tokens"] or counted > limits.max or row["embedder_tokens"] > embedder_limit:
            yield {
                **_where(row),
                "tokens": counted,
                "tokens_stored": row["cl100k_tokens"],
                "embedder_tokens": row["embedder_tokens"],
            }


def _too_short(rows: list[dict[str, Any]], limits: Limits) -> Iterator[dict[str, Any]]:
    sizes: Counter[tuple[str, int]] = Counter()
    for row in rows:
        sizes[row["kind"], row["chapter_index"]] += row["cl100k_tokens"]
    for row in rows:
        if row["cl100k_tokens"] < limits.min <= sizes[row["kind"], row["chapter_index"]]:
            yield {**_where(row), "tokens": row["cl100k_tokens"]}


def _uncovered(rows: list[dict[str, Any]], book: _Book) -> Iterator[dict[str, Any]]:
    for row in rows:
        if book.slice(row) != row["text"]:
            yield {**_where(row), "problem": "the text is not what stands at its offsets"}
    for kind in ("body", "note"):
        whole = _BLANK.sub("", "".join(row["text"] for row in book.of_kind(kind)))
        covered = _BLANK.sub("", "".join(row["text"] for row in rows if row["kind"] == kind))
        if whole != covered:
            at = next(
                (i for i, (a, b) in enumerate(zip(whole, covered, strict=False)) if a != b),
                min(len(whole), len(covered)),
            )
            yield {
                "kind": kind,
                "problem": f"passages hold {len(covered)} of {len(whole)} characters",
                "near": whole[max(0, at - 30) : at + 30],
            }


def _cut_sentences(rows: list[dict[str, Any]], book: _Book) -> Iterator[dict[str, Any]]:
    from jung_pipeline.text.sentences import is_sentence_end

    for row in rows:
        last = book.by_number.get(row["paragraph_last"])
        whole = last is not None and row["char_end"] >= last["char_start"] + len(last["text"].rstrip())
        if not whole and not is_sentence_end(row["text"]):
            yield {**_where(row), "end": row["text"][-60:]}


def _over_chapters(rows: list[dict[str, Any]], book: _Book) -> Iterator[dict[str, Any]]:
    for row in rows:
        chapters = {paragraph["chapter_index"] for paragraph in book.within(row)}
        if chapters != {row["chapter_index"]}:
            yield {**_where(row), "chapters": sorted(chapters)}


def _trailing_headings(rows: list[dict[str, Any]], book: _Book) -> Iterator[dict[str, Any]]:
    # A heading before another one may end a passage: a run of headings can be longer than a passage.
    body = book.of_kind("body")
    leads_to_text = {
        row["paragraph"]: row["chapter_index"] == after["chapter_index"] and after["kind"] != "heading"
        for row, after in pairwise(body)
    }
    for row in rows:
        last = book.by_number.get(row["paragraph_last"])
        if (
            row["kind"] == "body"
            and last is not None
            and last["kind"] == "heading"
            and row["char_end"] >= last["char_start"] + len(last["text"].rstrip())
            and leads_to_text.get(last["paragraph"], False)
        ):
            yield {**_where(row), "heading": last["text"][:80]}
