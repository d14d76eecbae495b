"""Runs a golden set against a library and says how well it finds, refuses and checks. Asks no language model."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

import regex

from jung_pipeline.catalogue import Volume
from jung_pipeline.evaluation import metrics
from jung_pipeline.evaluation.golden import Book, GoldenSet, Question
from jung_pipeline.evaluation.matching import holds, plain_words, run_text, runs
from jung_pipeline.query.fusion import reciprocal_rank_fusion
from jung_pipeline.query.library import Library
from jung_pipeline.query.passages import Passage, SearchResult
from jung_pipeline.text.normalise import words

#: Passages looked at for one question.
DEPTH = 20
#: What a verdict of ours is called in a golden set.
_VERDICTS = {"not_in_library": "fabricated"}


@dataclass(frozen=True)
class QuestionResult:
    """How one question fared."""

    id: str
    kind: str
    language: str
    cross_lingual: bool
    ranks: tuple[int | None, ...]  # of its groups, among the first 20 passages
    probability: float  # that the library answers it, as the library sees it; 0 where a rule refused it
    answered: bool


@dataclass(frozen=True)
class Report:
    """The figures of one evaluation; ``to_dict`` gives them as one JSON object."""

    figures: Mapping[str, Any]
    questions: tuple[QuestionResult, ...]
    unanswerable: tuple[Mapping[str, Any], ...]
    quotations: tuple[Mapping[str, Any], ...]
    missing_books: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """The figures first, then what they were made from."""
        return {
            **self.figures,
            "missing_books": list(self.missing_books),
            "questions": [
                {**question.__dict__, "ranks": list(question.ranks)} for question in self.questions
            ],
            "unanswerable": [dict(row) for row in self.unanswerable],
            "quotations": [dict(row) for row in self.quotations],
        }


def evaluate(library: Library, golden: GoldenSet, *, ablations: bool = True) -> Report:
    """The figures of ``library`` on ``golden``.

    A question that needs a book which is not in the library is left out and the book named; so are quotations that are
    credited to them, or that really stand in them.
    """
    books = _Books(library)
    asked = [
        question
        for question in golden.questions
        if all(any(books.has(answer.book) for answer in answers) for answers in question.groups.values())
    ]
    results: list[QuestionResult] = []
    seconds: list[float] = []
    for question in asked:
        started = time.perf_counter()
        result = library.search(question.question, top_k=DEPTH)
        seconds.append(time.perf_counter() - started)
        ranked = [[hit.passage, *hit.also_in] for hit in result.hits]
        results.append(
            QuestionResult(
                question.id,
                question.kind,
                question.language,
                question.cross_lingual,
                group_ranks(question, ranked, books.of),
                _confidence(result),
                result.answerable,
            )
        )
    refused = []
    for unanswerable in golden.unanswerable:
        result = library.search(unanswerable.question)
        refused.append(
            {
                "id": unanswerable.id,
                "type": unanswerable.type,
                "probability": _confidence(result),
                "answered": result.answerable,
            }
        )
    verdicts = []
    for quotation in golden.quotations:
        if not all(map(books.has, quotation.books)):
            continue
        title = books.title(quotation.book)
        given = library.judge(quotation.quote, attributed_to=title).verdict
        given = _VERDICTS.get(given, given)
        verdicts.append(
            {"id": quotation.id, "verdict": quotation.verdict, "level": quotation.level, "given": given}
        )
    figures = {
        "questions_left_out": len(golden.questions) - len(asked),
        **_retrieval(results),
        **_relevance(results, refused),
        **_quotations(verdicts),
        "latency_ms": _latency(library, [q.question for q in asked], seconds),
    }
    if ablations and asked:
        figures["ablations"] = _ablations(library, asked, books.of)
    return Report(figures, tuple(results), tuple(refused), tuple(verdicts), books.missing(golden))


def group_ranks(
    question: Question, ranked: Sequence[Sequence[Passage]], of: Callable[[Book], Iterable[str]]
) -> tuple[int | None, ...]:
    """At which rank each group of ``question`` is first hit.

    ``ranked`` holds the passages found, best first; a rank holds all places where the same text stands. ``of``
    gives the volumes of a book: a passage counts only in the answer's own.
    """
    found = []
    for answers in question.groups.values():
        ranks = []
        for answer in answers:
            volumes, span = set(of(answer.book)), plain_words(answer.span)
            ranks.append(_first_rank(span, ranked, volumes))
        found.append(min((rank for rank in ranks if rank is not None), default=None))
    return tuple(found)


def _first_rank(span: list[str], ranked: Sequence[Sequence[Passage]], volumes: set[str]) -> int | None:
    """The number of passages after which ``span`` is held by one of them, or by neighbours joined."""
    so_far: list[Passage] = []
    for rank, places in enumerate(ranked, start=1):
        new = [passage for passage in places if passage.volume in volumes]
        so_far += new
        ids = {passage.chunk_id for passage in new}
        for run in runs(so_far) if new else ():
            if any(passage.chunk_id in ids for passage in run) and holds(plain_words(run_text(run)), span):
                return rank
    return None


def _confidence(result: SearchResult) -> float:
    """How sure the library is that it has an answer; a refusal by rule is certainty that it has none."""
    probability = result.probability if result.probability is not None else float(result.answerable)
    refused_by_rule = not result.answerable and probability >= (result.threshold or 0.0)
    return 0.0 if refused_by_rule else probability


class _Books:
    """Which volumes of a library are the books of a golden set: by Gutenberg number, else by title."""

    def __init__(self, library: Library) -> None:
        self._works = library.works()
        self._volumes: Mapping[str, Volume] = library.volumes
        self._found: dict[Book, tuple[str, ...]] = {}

    def of(self, book: Book) -> tuple[str, ...]:
        """Keys of the volumes that are ``book``; none if it is not there."""
        if book not in self._found:
            self._found[book] = tuple(
                work.volume for work in self._works if self._is(work.volume, work.title, book)
            )
        return self._found[book]

    def has(self, book: Book) -> bool:
        """Whether the library has ``book``."""
        return bool(self.of(book))

    def title(self, book: Book) -> str:
        """The title under which the library has ``book``."""
        mine = self.of(book)
        return next((work.title for work in self._works if work.volume in mine), book.title)

    def missing(self, golden: GoldenSet) -> tuple[str, ...]:
        """Titles of the books that the golden set asks about and the library lacks."""
        books = [answer.book for question in golden.questions for answer in question.answers]
        books += [book for quotation in golden.quotations for book in quotation.books]
        return tuple(dict.fromkeys(book.title for book in books if not self.has(book)))

    def _is(self, volume: str, title: str, book: Book) -> bool:
        entry = self._volumes.get(volume)
        name = Path(entry.file).stem if entry else volume
        if book.gutenberg is not None and str(book.gutenberg) in regex.findall(r"\d{2,}", name):
            return True
        ours, theirs = ([w.form for w in words(text)] for text in (title, book.title))
        return ours == theirs or (len(theirs) > 1 and ours[: len(theirs)] == theirs)


def _retrieval(results: Sequence[QuestionResult]) -> dict[str, Any]:
    """Figures of what was found."""

    def at(k: int, chosen: Iterable[QuestionResult] = results) -> float | None:
        return _rounded(metrics.mean([metrics.recall(result.ranks, k) for result in chosen]))

    def by(name: str) -> dict[str, Any]:
        groups: dict[str, list[QuestionResult]] = defaultdict(list)
        for result in results:
            groups[getattr(result, name)].append(result)
        return {
            key: {"questions": len(group), **{f"recall@{k}": at(k, group) for k in (3, 6, 20)}}
            for key, group in sorted(groups.items())
        }

    return {
        "questions_asked": len(results),
        **{f"recall@{k}": at(k) for k in (3, 6, 20)},
        "mrr": _rounded(metrics.mean([metrics.reciprocal_rank(result.ranks) for result in results])),
        "ndcg@10": _rounded(metrics.mean([metrics.ndcg(result.ranks, 10) for result in results])),
        "cross_lingual_recall@6": at(6, [result for result in results if result.cross_lingual]),
        "by_kind": by("kind"),
        "by_language": by("language"),
    }


def _relevance(results: Sequence[QuestionResult], refused: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Figures of what was answered and what was not."""
    answerable = [result.probability for result in results]
    scores = {
        kind: [row["probability"] for row in refused if row["type"] == kind]
        for kind in ("off_topic", "near_miss")
    }
    answered = {
        kind: metrics.mean([float(row["answered"]) for row in refused if row["type"] == kind])
        for kind in ("off_topic", "near_miss")
    }
    return {
        "auroc_off_topic": _rounded(metrics.auroc(answerable, scores["off_topic"])),
        "auroc_near_miss": _rounded(metrics.auroc(answerable, scores["near_miss"])),
        "false_answer_rate": _rounded(answered["off_topic"]),
        "near_miss_answer_rate": _rounded(answered["near_miss"]),
        "false_refusal_rate": _rounded(metrics.mean([float(not result.answered) for result in results])),
    }


def _quotations(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Shares of right verdicts; misattributions to another speaker in the right book also apart."""
    by_verdict: dict[str, list[float]] = defaultdict(list)
    for row in verdicts:
        name = f"{row['verdict']} ({row['level']})" if row["level"] else str(row["verdict"])
        by_verdict[name].append(float(row["given"] == row["verdict"]))
    fabricated = [row for row in verdicts if row["verdict"] == "fabricated"]
    return {
        "quote_accuracy": _rounded(metrics.mean([float(row["given"] == row["verdict"]) for row in verdicts])),
        "quote_accuracy_by_verdict": {
            name: {"quotations": len(right), "accuracy": _rounded(metrics.mean(right))}
            for name, right in sorted(by_verdict.items())
        },
        "fabricated_called_verbatim": sum(row["given"] == "verbatim" for row in fabricated),
    }


def _latency(library: Library, questions: Sequence[str], seconds: Sequence[float]) -> dict[str, Any]:
    """Milliseconds of a whole search, and of embedding its question alone, warm, in one run."""
    if not seconds:
        return {}
    embedding = []
    for question in questions:
        started = time.perf_counter()
        library.retriever.embedder.embed_query(question)
        embedding.append(time.perf_counter() - started)
    ordered = sorted(seconds)
    return {
        "search_median": round(1000 * median(seconds), 2),
        "search_p95": round(1000 * ordered[math.ceil(0.95 * len(ordered)) - 1], 2),
        "embedding_median": round(1000 * median(embedding), 2),
        "search_over_embedding": round(median(seconds) / median(embedding), 2),
    }


def _ablations(
    library: Library, asked: Sequence[Question], of: Callable[[Book], Iterable[str]]
) -> dict[str, dict[str, Any]]:
    """Recall and rank of the ingredients alone, and of everything but one, so that each is seen to earn its place.

    ``lost`` is how much lower recall@6 is than with everything, over the same questions, with the middle nine tenths
    of what it would be over as many others (a bootstrap).
    """
    everything = library.retriever
    plain = replace(everything, weights={"meaning": 1.0, "words": everything.weights["words"]})
    variants = {
        "without windows": replace(everything, closeness=None),
        "without words quoted": replace(everything, weights={**everything.weights, "words quoted": 0.0}),
        "without other names": replace(everything, weights={**everything.weights, "other names": 0.0}),
        "without other languages": replace(everything, kept_for_others=0),
        "everything": everything,
    }
    orders: dict[str, list[tuple[int | None, ...]]] = defaultdict(list)
    for question in asked:
        vector = everything.embedder.embed_query(question.question)
        searched = replace(plain, kept_for_others=0).candidates(question.question, vector=vector)
        whole = replace(plain, closeness=None, kept_for_others=0).candidates(question.question, vector=vector)
        dense, lexical = ([m.chunk_id for m in found] for found in (searched.dense, searched.lexical))
        ranked = {
            "whole passages alone": [match.chunk_id for match in whole.dense],
            "meaning alone": dense,
            "words alone": lexical,
            "both by ranks": [k for k, _ in reciprocal_rank_fusion({"meaning": dense, "words": lexical})],
            "both by scores": [hit.passage.chunk_id for hit in searched.hits],
        }
        for name, ids in ranked.items():
            passages = [p for p in map(everything.passage, ids[:DEPTH]) if p is not None]
            orders[name].append(group_ranks(question, [[p] for p in passages], of))
        for name, retriever in variants.items():
            hits = retriever.candidates(question.question, vector=vector).hits[:DEPTH]
            orders[name].append(group_ranks(question, [[h.passage, *h.also_in] for h in hits], of))
    best = [metrics.recall(ranks, 6) for ranks in orders["everything"]]
    found = {}
    for name, of_all in orders.items():
        lost = [all_of_it - metrics.recall(ranks, 6) for all_of_it, ranks in zip(best, of_all, strict=True)]
        low, high = metrics.bootstrapped(lost)
        found[name] = {
            **{
                f"recall@{k}": _rounded(metrics.mean([metrics.recall(ranks, k) for ranks in of_all]))
                for k in (3, 6, 20)
            },
            "mrr": _rounded(metrics.mean([metrics.reciprocal_rank(ranks) for ranks in of_all])),
            "lost": _rounded(metrics.mean(lost)),
            "lost_from": round(low, 4),
            "lost_to": round(high, 4),
        }
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
