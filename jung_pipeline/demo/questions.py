"""Questions to ask the demo library, with the passages that answer them, from ``golden.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal


@dataclass(frozen=True)
class GoldenQuestion:
    """A question that one passage of the library answers."""

    id: str
    question: str
    answer: str  # in short
    volume: str  # catalogue key
    chapter: str  # as cited
    span: str  # stands exactly once in the library's true text, and carries the answer
    language: str = "en"


@dataclass(frozen=True)
class UnanswerableQuestion:
    """A question that nothing in the library answers."""

    id: str
    question: str
    kind: Literal["near_miss", "off_topic"]
    absent_terms: tuple[str, ...]  # none of them occurs in the library, in any case


@cache
def golden_questions() -> tuple[GoldenQuestion, ...]:
    """The answerable questions, in the order of the volumes."""
    return tuple(GoldenQuestion(**entry) for entry in _data()["answerable"])


@cache
def unanswerable_questions() -> tuple[UnanswerableQuestion, ...]:
    """The questions to which "not in these books" is the right answer."""
    return tuple(
        UnanswerableQuestion(**{**entry, "absent_terms": tuple(entry["absent_terms"])})
        for entry in _data()["unanswerable"]
    )


@cache
def demo_questions() -> tuple[GoldenQuestion | UnanswerableQuestion, ...]:
    """The three questions of the demo: two from different volumes, and one that lies plainly outside."""
    known: dict[str, GoldenQuestion | UnanswerableQuestion] = {
        question.id: question for question in golden_questions()
    }
    known.update((question.id, question) for question in unanswerable_questions())
    return tuple(known[name] for name in _data()["demo"])


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("golden.toml").read_text(encoding="utf-8"))
