"""What happens while a question is answered, in order: :meth:`Library.ask_events` yields these.

First what was found, then the answer's text as it comes in, then what the check made of it: the verdicts on its
quotations, its sources as they are numbered in the end, and questions to go on with. The last event holds the answer
whole. The text that came in is a preview, unchecked and without its numbers; the one in :class:`Finished` counts.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from jung_pipeline.query.answer import Answer, Flag
from jung_pipeline.query.citations import Source
from jung_pipeline.query.follow_ups import FollowUp
from jung_pipeline.query.passages import SearchResult
from jung_pipeline.query.verify import QuoteVerdict


@dataclass(frozen=True)
class PassagesFound:
    """The search is done; an answer follows if ``search.answerable``."""

    kind: ClassVar[str] = "passages"
    search: SearchResult

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {"kind": self.kind, "search": self.search.to_dict()}


@dataclass(frozen=True)
class AnswerText:
    """A piece of the answer as it comes in: a preview."""

    kind: ClassVar[str] = "text"
    text: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {"kind": self.kind, "text": self.text}


@dataclass(frozen=True)
class Verdicts:
    """The answer is whole and checked: what became of each of its quotations, and what not to trust."""

    kind: ClassVar[str] = "verdicts"
    verdicts: tuple[QuoteVerdict, ...]
    flags: tuple[Flag, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            "kind": self.kind,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "flags": [asdict(flag) for flag in self.flags],
        }


@dataclass(frozen=True)
class Citations:
    """The sources, numbered in order of first use, and the numbers that the text cites."""

    kind: ClassVar[str] = "citations"
    sources: tuple[Source, ...]
    cited: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            "kind": self.kind,
            "sources": [source.to_dict() for source in self.sources],
            "cited": list(self.cited),
        }


@dataclass(frozen=True)
class FollowUps:
    """Questions to go on with, each of which these books answer."""

    kind: ClassVar[str] = "follow_ups"
    follow_ups: tuple[FollowUp, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {"kind": self.kind, "follow_ups": [asdict(follow_up) for follow_up in self.follow_ups]}


@dataclass(frozen=True)
class Finished:
    """The last event: the answer whole."""

    kind: ClassVar[str] = "finished"
    answer: Answer

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {"kind": self.kind, "answer": self.answer.to_dict()}


Event = PassagesFound | AnswerText | Verdicts | Citations | FollowUps | Finished
