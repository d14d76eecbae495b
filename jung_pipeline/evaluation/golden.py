"""Golden sets: questions with the places of their answers, questions without any, and quotations with verdicts.

A folder with ``questions.jsonl``, ``unanswerable.jsonl`` and ``quotes.jsonl`` (each may be missing), one JSON object
a line. Fields that are not named here are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jung_pipeline.errors import UsageError


@dataclass(frozen=True)
class Book:
    """The book of an answer: its title, and its number at Project Gutenberg where it has one."""

    title: str
    gutenberg: int | None = None


@dataclass(frozen=True)
class Answer:
    """A place that answers a question; answers of one group are alternatives."""

    group: int
    book: Book
    span: str  # 8 to 25 words of the book


@dataclass(frozen=True)
class Question:
    """A question that the books answer."""

    id: str
    question: str
    language: str
    kind: str
    cross_lingual: bool
    answers: tuple[Answer, ...]

    @property
    def groups(self) -> dict[int, list[Answer]]:
        """The answers by group; a question is answered in full by one of each."""
        found: dict[int, list[Answer]] = {}
        for answer in self.answers:
            found.setdefault(answer.group, []).append(answer)
        return found


@dataclass(frozen=True)
class Unanswerable:
    """A question that the books do not answer: ``off_topic``, or a ``near_miss`` that sounds at home in them."""

    id: str
    question: str
    language: str
    type: str


@dataclass(frozen=True)
class Quotation:
    """A claimed quotation and what is true of it: verbatim, altered, misattributed or fabricated."""

    id: str
    quote: str
    book: Book  # that it is credited to
    verdict: str
    level: str | None = None  # of a misattribution: "book", or "speaker" within the right book
    true_book: Book | None = None  # where its words stand; None: nowhere, or not said

    @property
    def books(self) -> tuple[Book, ...]:
        """The books that have to be there for a verdict to mean anything."""
        return (self.book,) if self.true_book is None else (self.book, self.true_book)


@dataclass(frozen=True)
class GoldenSet:
    """One folder of cases."""

    questions: tuple[Question, ...]
    unanswerable: tuple[Unanswerable, ...]
    quotations: tuple[Quotation, ...]


def read(folder: Path) -> GoldenSet:
    """The golden set in ``folder``.

    Raises:
        UsageError: the folder has none of the files, or a line is wrong; the message names file, line and field.
    """
    names = ("questions.jsonl", "unanswerable.jsonl", "quotes.jsonl")
    if not any((folder / name).is_file() for name in names):
        raise UsageError(f"{folder} holds no golden set.", remedy=f"It needs one of {', '.join(names)}.")
    made: list[tuple[Any, ...]] = []
    for name, make in zip(names, (_question, _unanswerable, _quotation), strict=True):
        rows = []
        for number, row in _lines(folder / name):
            try:
                rows.append(make(row))
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
                raise UsageError(f"{folder / name}, line {number}: {what}.") from error
        made.append(tuple(rows))
    return GoldenSet(*made)


def _lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if not path.is_file():
        return
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({error}).") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UsageError(f"{path}, line {number}: not JSON ({error}).") from error
            if not isinstance(row, dict):
                raise UsageError(f"{path}, line {number}: not a JSON object.")
            yield number, row


def _book(row: Mapping[str, Any]) -> Book:
    number = row.get("gutenberg")
    return Book(str(row["book"]), int(number) if number is not None else None)


def _question(row: Mapping[str, Any]) -> Question:
    answers = tuple(
        Answer(int(answer.get("group", 1)), _book(answer), str(answer["span"])) for answer in row["answers"]
    )
    if not answers:
        raise ValueError("no answers")
    return Question(
        str(row["id"]),
        str(row["question"]),
        str(row.get("language", "")),
        str(row.get("kind", "")),
        bool(row.get("cross_lingual", False)),
        answers,
    )


def _unanswerable(row: Mapping[str, Any]) -> Unanswerable:
    return Unanswerable(
        str(row["id"]), str(row["question"]), str(row.get("language", "")), str(row.get("type", "off_topic"))
    )


def _quotation(row: Mapping[str, Any]) -> Quotation:
    return Quotation(
        str(row["id"]),
        str(row["claimed_quote"]),
        _book(row["attributed_to"]),
        str(row["verdict"]),
        row.get("level"),
        _book(row["true_location"]) if row.get("true_location") else None,
    )
