"""Answers without a language model: the passages' own best sentences, quoted and numbered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from jung_pipeline.embed.embedder import Embedder
from jung_pipeline.query.answer import Reply, Segment
from jung_pipeline.query.citations import Source
from jung_pipeline.query.signals import matched, weights_of
from jung_pipeline.text.normalise import language_of, squeeze, stems, words
from jung_pipeline.text.sentences import sentence_spans

#: Sentences quoted at most; and the total length in words after which no further one is added.
MOST_SENTENCES = 3
MOST_WORDS = 110
#: A sentence shorter than this says too little alone, a longer one is too much to quote.
SENTENCE_WORDS = (6, 60)
#: The sentences richest in words of the question that are compared by meaning as well.
_COMPARED = 12
#: A sentence is quoted beside the best only if it comes this near to it.
_NEAR_ENOUGH = 0.72

#: What a sentence loses that asks instead of saying, that leans on the one before it, that is very short.
_ASKS, _LEANS, _SHORT = 0.3, 0.25, 0.15
_SHORT_WORDS = 10
#: First words that point to what was said before.
_LEANING = frozenset(
    [
        "this",
        "that",
        "these",
        "those",
        "it",
        "he",
        "she",
        "they",
        "him",
        "her",
        "them",
        "such",
        "so",
        "then",
        "thus",
        "hence",
        "therefore",
        "but",
        "and",
        "or",
        "yet",
        "here",
        "there",
        "dies",
        "dieser",
        "diese",
        "dieses",
        "das",
        "er",
        "sie",
        "es",
        "ihm",
        "ihn",
        "ihr",
        "solche",
        "so",
        "dann",
        "daher",
        "also",
        "aber",
        "und",
        "oder",
        "doch",
        "hier",
        "dort",
    ]
)

_LEAD = {"en": "In the books' own words: ", "de": "Mit den Worten der Bücher: "}


@dataclass(frozen=True)
class _Sentence:
    text: str
    source: Source
    order: int  # place among all sentences: passages in their order, sentences in theirs
    shared: float  # rarity-weighted share of the question's words in it


class ExtractiveAnswerer:
    """Chooses sentences by the words and the meaning they share with the question."""

    def __init__(
        self,
        embedder: Embedder | None = None,
        bridges: Callable[[str], Mapping[str, frozenset[str]]] | None = None,
    ) -> None:
        """With an embedder sentences are compared by meaning too, without one by words alone.

        ``bridges`` gives other names for words of a question (:meth:`Retriever.bridges`).
        """
        self._embedder = embedder
        self._bridges = bridges

    def answer(self, question: str, sources: Sequence[Source]) -> Reply:
        """One to three sentences in quotation marks, each followed by the number of its passage."""
        ranked = self._ranked(question, self._sentences(question, sources))
        if not ranked:  # passages without a single whole sentence: quote how the first begins
            first = sources[0]
            beginning = " ".join(first.text.split()[:40])
            return _reply(question, [(_quoted(beginning), first.number)])
        chosen: list[_Sentence] = []
        length = 0
        best = ranked[0][1]
        for sentence, score in ranked:
            count = len(words(sentence.text))
            if len(chosen) == MOST_SENTENCES or (
                chosen and (length + count > MOST_WORDS or score < _NEAR_ENOUGH * best)
            ):
                break
            if any(_same(sentence.text, other.text) for other in chosen):
                continue
            chosen.append(sentence)
            length += count
        # The best first; sentences of one passage in the order in which they stand there.
        by_source: dict[int, list[_Sentence]] = {}
        for sentence in chosen:
            by_source.setdefault(sentence.source.number, []).append(sentence)
        ordered = [s for group in by_source.values() for s in sorted(group, key=lambda s: s.order)]
        return _reply(question, [(_quoted(s.text), s.source.number) for s in ordered])

    def _sentences(self, question: str, sources: Sequence[Source]) -> list[_Sentence]:
        weights = weights_of(question, language_of(question))
        bridges = self._bridges(question) if self._bridges else {}
        total = sum(weights.values()) or 1.0
        found: list[_Sentence] = []
        for source in sources:
            for start, end in sentence_spans(source.text):
                text = squeeze(source.text[start:end])
                if SENTENCE_WORDS[0] <= len(words(text)) <= SENTENCE_WORDS[1] and not _is_fragment(text):
                    shared = matched(weights, text, bridges) / total
                    found.append(_Sentence(text, source, len(found), shared))
        return found

    def _ranked(self, question: str, sentences: Sequence[_Sentence]) -> list[tuple[_Sentence, float]]:
        """Sentences with a score, best first; on equal scores the earlier passage, then the earlier sentence."""
        # sorted() is stable: equal shares keep the order of the passages.
        compared = sorted(sentences, key=lambda s: -s.shared)[:_COMPARED]
        if not compared:
            return []
        closeness = np.zeros(len(compared))
        if self._embedder is not None and len(compared) > 1:
            vectors = self._embedder.embed_passages([s.text for s in compared])
            cosines = vectors @ self._embedder.embed_query(question)
            # Cosines of one model bunch together: what counts is the place within their range.
            closeness = (cosines - cosines.min()) / max(float(np.ptp(cosines)), 1e-6)
        # A passage that ranks first has already been judged the best answer.
        numbers = list(dict.fromkeys(s.source.number for s in sentences))
        scores = [
            s.shared + float(near) + 0.15 / (1 + numbers.index(s.source.number)) - _shortcomings(s.text)
            for s, near in zip(compared, closeness, strict=True)
        ]
        order = sorted(range(len(compared)), key=lambda i: (-scores[i], compared[i].order))
        return [(compared[i], scores[i]) for i in order]


_BEGINS = regex.compile(r"[\p{Lu}\p{N}“\"„«‘'(\[—–-]")


def _is_fragment(text: str) -> bool:
    """Whether the text begins in the middle of a sentence, never ends, or has a heading run into it."""
    shouted = sum(len(word) > 1 and word.isupper() for word in text.split())
    return (
        not _BEGINS.match(text)
        or not regex.search(r"[.!?…:][”\"’»“)\]]*$", text)
        or shouted > max(2, len(text.split()) // 5)
    )


def _shortcomings(text: str) -> float:
    """What speaks against quoting the sentence alone."""
    found = words(text)
    return (
        (_ASKS if text.rstrip('”’»"').endswith("?") else 0.0)
        + (_LEANS if found[0].form in _LEANING else 0.0)
        + (_SHORT if len(found) < _SHORT_WORDS else 0.0)
    )


def _same(one: str, other: str) -> bool:
    a, b = stems(one), stems(other)
    return len(a & b) > 0.8 * min(len(a), len(b))


def _quoted(text: str) -> str:
    """``text`` in double quotation marks, its own double marks made single as print does."""
    inner = regex.sub(r"[“„«]", "‘", text)
    inner = regex.sub(r"[”»]", "’", inner)
    inner = regex.sub(r"\"(?=\w)", "‘", inner).replace('"', "’")
    return f"“{inner}”"


def _reply(question: str, quotes: Sequence[tuple[str, int]]) -> Reply:
    lead = _LEAD.get(language_of(question) or "en", _LEAD["en"])
    segments = [Segment(lead)]
    for index, (quote, number) in enumerate(quotes):
        segments.append(Segment((" " if index else "") + quote, (number,)))
    return Reply(tuple(segments))
