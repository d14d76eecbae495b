"""What a reader gets back: passages with their addresses, and what a search found."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from jung_pipeline.schemas import PARAGRAPH_SEPARATOR


@dataclass(frozen=True)
class Passage:
    """A passage of the library and where it stands. Columns mean what ``schemas.CHUNKS`` says."""

    chunk_id: str
    volume: str
    work_title: str
    text: str
    author: str | None = None
    language: str | None = None
    kind: str = "body"
    part: str | None = None
    chapter: str | None = None
    concepts: tuple[str, ...] = ()
    page_first: int | None = None
    page_last: int | None = None
    label_first: str | None = None
    label_last: str | None = None
    numbered_first: str | None = None
    numbered_last: str | None = None
    prev_chunk_id: str | None = None
    next_chunk_id: str | None = None
    char_start: int | None = None
    char_end: int | None = None
    content_hash: str = ""
    cl100k_tokens: int | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Passage:
        """The passage of a row of ``schemas.CHUNKS``; columns it does not carry are passed over."""
        values = {name: row[name] for name in _FIELDS if name in row}
        values["concepts"] = tuple(values.get("concepts") or ())
        return cls(**values)

    @classmethod
    def from_text(cls, text: str, *, number: int = 1, work_title: str = "Passage") -> Passage:
        """A passage of bare text, for asking about a text that is in no library."""
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(f"text#{number}", "text", f"{work_title} {number}", text, content_hash=digest)

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the text."""
        return self.text.split(PARAGRAPH_SEPARATOR)

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {**asdict(self), "concepts": list(self.concepts)}


_FIELDS = tuple(f.name for f in fields(Passage))


@dataclass(frozen=True)
class Hit:
    """A passage that a search found, and how."""

    passage: Passage
    score: float  # of the ranking: fused scores, or the cosine under the seed policy
    cosine: float | None = None  # nearness of meaning, of passage and window; None where only words found it
    dense_rank: int | None = None  # 1-based; None where that index did not return it
    lexical_rank: int | None = None
    also_in: tuple[Passage, ...] = ()  # the same text in other volumes or places
    citation: str = ""  # the address in words, see query/citations.py
    also_cited: tuple[str, ...] = ()  # the addresses of ``also_in``

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            "passage": self.passage.to_dict(),
            "score": self.score,
            "cosine": self.cosine,
            "dense_rank": self.dense_rank,
            "lexical_rank": self.lexical_rank,
            "also_in": [passage.to_dict() for passage in self.also_in],
            "citation": self.citation,
            "also_cited": list(self.also_cited),
        }


@dataclass(frozen=True)
class SearchResult:
    """What a question found. Under ``not_found`` the hits are near misses, and none is kept."""

    question: str
    status: str  # ok | not_found
    policy: str  # calibrated | seed
    hits: tuple[Hit, ...]  # best first, at most top_k
    kept: tuple[Hit, ...]  # those fit to answer from
    probability: float | None = None  # that the library answers it; None without a calibration
    threshold: float | None = None  # the probability from which it is taken to
    signals: Mapping[str, float] = field(default_factory=dict)
    expansions: tuple[str, ...] = ()  # words of the concept lexicon that were searched for too
    unknown_words: tuple[str, ...] = ()  # words of the question that stand nowhere in the library
    note: str = ""  # something the reader should know, e.g. that the index has no calibration

    @property
    def answerable(self) -> bool:
        """Whether there is something to answer from."""
        return self.status == "ok"

    @property
    def near_misses(self) -> tuple[Hit, ...]:
        """The nearest passages when the library does not answer the question."""
        return () if self.answerable else self.hits

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            "question": self.question,
            "status": self.status,
            "policy": self.policy,
            "probability": self.probability,
            "threshold": self.threshold,
            "signals": dict(self.signals),
            "expansions": list(self.expansions),
            "unknown_words": list(self.unknown_words),
            "note": self.note,
            "hits": [hit.to_dict() for hit in self.hits],
            "kept": [hit.passage.chunk_id for hit in self.kept],
        }
