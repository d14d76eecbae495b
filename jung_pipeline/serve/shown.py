"""Passages and answers as the page shows them: text, and its place in words and in fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jung_pipeline.query.answer import Answer
from jung_pipeline.query.citations import Source, pages
from jung_pipeline.query.library import Library
from jung_pipeline.query.passages import Hit, Passage, SearchResult


def shown_passage(passage: Passage, library: Library) -> dict[str, Any]:
    """A passage with its address; what is not known is null."""
    numbered = None
    if passage.numbered_first:
        last = passage.numbered_last or passage.numbered_first
        numbered = (
            passage.numbered_first if last == passage.numbered_first else f"{passage.numbered_first}–{last}"
        )
    return {
        "chunk_id": passage.chunk_id,
        "volume": passage.volume,
        "work": passage.work_title,
        "author": passage.author,
        "language": passage.language,
        "kind": passage.kind,
        "part": passage.part,
        "chapter": passage.chapter,
        "paragraph": numbered,
        "pages": pages(passage, library.volumes.get(passage.volume)) or None,
        "page": passage.page_first,
        "page_last": passage.page_last,
        "concepts": list(passage.concepts),
        "paragraphs": passage.paragraphs,
        "citation": library.cite(passage),
    }


def shown_hit(hit: Hit, library: Library) -> dict[str, Any]:
    """A passage that was found, with the other places where the same is printed."""
    return {
        **shown_passage(hit.passage, library),
        "also": [
            {"chunk_id": passage.chunk_id, "citation": citation}
            for passage, citation in zip(hit.also_in, hit.also_cited, strict=True)
        ],
    }


def shown_found(found: SearchResult, library: Library) -> dict[str, Any]:
    """What a search found; ``kept`` are the passages that an answer is written from."""
    kept = {hit.passage.chunk_id for hit in found.kept}
    return {
        "status": found.status,
        "note": found.note,
        "searched_too": list(found.expansions),
        "unknown_words": list(found.unknown_words),
        "passages": [{**shown_hit(hit, library), "kept": hit.passage.chunk_id in kept} for hit in found.hits],
    }


def shown_sources(sources: Sequence[Source], cited: Sequence[int], library: Library) -> list[dict[str, Any]]:
    """Numbered sources, with whether the answer cites them."""
    return [
        {
            **shown_passage(source.passage, library),
            "number": source.number,
            "citation": source.citation,
            "cited": source.number in cited,
        }
        for source in sources
    ]


def shown_quotes(answer: Answer) -> list[dict[str, Any]]:
    """Each quotation of an answer: what the passages cited say to it, and the whole library."""
    verdicts = [*answer.verdicts, *[None] * len(answer.quotes)]
    return [
        {
            "text": quote.text,
            "verdict": quote.verdict,
            "numbers": list(quote.numbers),
            "found_in": quote.found_in,
            "in_library": verdict.verdict if verdict else None,
            "places": [place.citation for place in verdict.places] if verdict else [],
            "changes": [{"quoted": a, "printed": b} for a, b in verdict.changes] if verdict else [],
        }
        for quote, verdict in zip(answer.quotes, verdicts, strict=False)
    ]


def shown_answer(answer: Answer, library: Library) -> dict[str, Any]:
    """An answer as the page shows it, but for its quotations."""
    usage = answer.usage
    return {
        "question": answer.question,
        "status": answer.status,
        "text": answer.text,
        "grounded": answer.grounded,
        "how": answer.how,
        "model": answer.model,
        "sources": shown_sources(answer.sources, answer.cited, library),
        "flags": [{"kind": flag.kind, "message": flag.message} for flag in answer.flags],
        "near_misses": [shown_hit(hit, library) for hit in answer.near_misses[:3]],
        "usage": usage
        and {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "dollars": usage.dollars,
        },
    }
