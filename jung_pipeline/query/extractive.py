"""Answers without a language model: the passages' own best sentences, quoted and numbered."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from jung_pipeline.embed.embedder import Embedder
from jung_pipeline.query.answer import Reply, Segment
from jung_pipeline.query.asking import Wanted, forms_of, verbs_of_asking
from jung_pipeline.query.citations import Source
from jung_pipeline.query.frames import Frame, frame_of
from jung_pipeline.query.lists import is_list
from jung_pipeline.query.signals import weights_of
from jung_pipeline.text.normalise import fold, language_of, squeeze, stem, stems, words
from jung_pipeline.text.sentences import sentence_spans

#: Quotations at most; and the total length in words after which no further one is added.
MOST_SENTENCES = 3
MOST_WORDS = 110
#: A sentence shorter than this says too little alone, a longer one is too much to quote.
SENTENCE_WORDS = (4, 60)
#: Two sentences that are quoted together have at most so many words.
_WINDOW_WORDS = 75
#: The sentences richest in words of the question that are compared by meaning as well.
_COMPARED = 16
#: A sentence is quoted beside the best only if it comes this near to it.
_NEAR_ENOUGH = 0.7

#: What meaning weighs against words (1), and the first passage against the next.
_MEANING, _RANK = 1.4, 0.2
#: The part of a word that stands in the sentence before, or after, that a sentence may count as its own; the
#: first is for sentences that lean on the one before and are quoted with it.
_LEANT_ON, _BEFORE, _AFTER = 0.9, 0.6, 0.15
#: What is left of that with every further sentence back: a topic is named once and then spoken of.
_FADING = 0.85
#: A verb of asking ("tell", "give") says little, but more than nothing.
_VERB_WEIGHT = 2.5
#: What a sentence loses that asks instead of saying, that is very short.
_ASKS, _SHORT = 0.35, 0.1
_SHORT_WORDS = 6
#: First words that point to what was said before.
_LEANING = frozenset(
    fold(word)
    for word in [
        "this",
        "that",
        "these",
        "those",
        "it",
        "its",
        "he",
        "his",
        "she",
        "her",
        "they",
        "their",
        "him",
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
        "both",
        "neither",
        "either",
        "another",
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
        "sein",
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
        "beide",
    ]
)
#: A word that points back without the sentence beginning with it: "Of the other two he made …".
_POINTING = frozenset({"it", "he", "she", "they", "him", "them", "er", "sie", "es", "ihm", "ihn", "ihnen"})


@dataclass(frozen=True)
class _Sentence:
    """A sentence that may be quoted, alone or with the one before it."""

    text: str  # as it would be quoted
    own: str  # without the sentence before it
    before: str | None  # the sentence that it leans on
    source: Source
    span: tuple[int, int]  # in the passage
    shared: float  # weighted share of the question's words in it and, less, round it


class ExtractiveAnswerer:
    """Chooses sentences by the words and the meaning they share with the question, and by their shape."""

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
        """One to three quotations of a sentence or two, each followed by the number of its passage."""
        sources = [
            source for source in sources if source.surrounds is None
        ]  # neighbours are to read, not to quote
        bridges = self._bridges(question) if self._bridges else {}
        ranked = self._ranked(question, _sentences(question, sources, bridges), bridges)
        if not ranked:  # passages without a single whole sentence: quote how the first begins
            first = sources[0]
            beginning = " ".join(first.text.split()[:40])
            return _reply(question, [(beginning, first.number)])
        chosen: list[_Sentence] = []
        length = 0
        best = ranked[0][1]
        for sentence, score in ranked:
            count = len(words(sentence.text))
            if len(chosen) == MOST_SENTENCES or (
                chosen and (length + count > MOST_WORDS or score < _NEAR_ENOUGH * best)
            ):
                break
            if any(_overlap(sentence, other) or _same(sentence.text, other.text) for other in chosen):
                continue
            chosen.append(sentence)
            length += count
        # The best first; sentences of one passage in the order in which they stand there.
        by_source: dict[int, list[_Sentence]] = {}
        for sentence in chosen:
            by_source.setdefault(sentence.source.number, []).append(sentence)
        ordered = [s for group in by_source.values() for s in sorted(group, key=lambda s: s.span)]
        return _reply(question, [(s.text, s.source.number) for s in ordered])

    def _ranked(
        self, question: str, sentences: Sequence[_Sentence], bridges: Mapping[str, frozenset[str]]
    ) -> list[tuple[_Sentence, float]]:
        """Sentences with a score, best first; on equal scores the earlier passage, then the earlier sentence."""
        wanted = Wanted(question)
        others = [name for names in bridges.values() for name in sorted(names)]
        fits = {id(s): wanted.fit(s.own, s.before, others) for s in sentences}
        # sorted() is stable: equal shares keep the order of the passages.
        compared = sorted(sentences, key=lambda s: -(s.shared + fits[id(s)]))[:_COMPARED]
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
            s.shared
            + fits[id(s)]
            + _MEANING * float(near)
            + _RANK / (1 + numbers.index(s.source.number))
            - _shortcomings(s.text)
            for s, near in zip(compared, closeness, strict=True)
        ]
        order = sorted(range(len(compared)), key=lambda i: -scores[i])
        return [(compared[i], scores[i]) for i in order]


def _sentences(
    question: str, sources: Sequence[Source], bridges: Mapping[str, frozenset[str]]
) -> list[_Sentence]:
    """All sentences of the passages that may be quoted, with their share of the question's words.

    A word weighs by its rarity in the language and among these sentences: the topic that all of them share
    tells them apart least.
    """
    spans = [(source, start, end) for source in sources for start, end in sentence_spans(source.text)]
    stemmed = [stems(source.text[start:end]) for source, start, end in spans]
    weights = {
        word: (forms_of(word) | {stem(fold(other)) for other in bridges.get(word, ())}, weight)
        for word, weight in weights_of(question, language_of(question)).items()
    }
    for verb in verbs_of_asking(question):
        weights.setdefault(verb, (forms_of(verb), _VERB_WEIGHT))
    count = len(spans)
    shares: list[dict[str, float]] = [{} for _ in spans]
    for word, (forms, weight) in weights.items():
        holding = [i for i, have in enumerate(stemmed) if not forms.isdisjoint(have)]
        for i in holding:
            shares[i][word] = weight * math.log((1 + count) / len(holding))
    total = sum(max((share.get(word, 0.0) for share in shares), default=0.0) for word in weights) or 1.0
    found: list[_Sentence] = []
    for i, (source, start, end) in enumerate(spans):
        own = squeeze(source.text[start:end])
        if not SENTENCE_WORDS[0] <= len(words(own)) <= SENTENCE_WORDS[1] or _is_fragment(own):
            continue
        if is_list(own):
            continue
        before = squeeze(source.text[slice(*spans[i - 1][1:])]) if _follow(spans, i - 1, i) else None
        leans = before is not None and _leans(own) and _quotable_with(before, own)
        follows = _follow(spans, i, i + 1)
        heard = _heard(shares, spans, i)
        shared = sum(
            max(
                shares[i].get(word, 0.0),
                shares[i - 1].get(word, 0.0) * _LEANT_ON if leans else 0.0,
                heard.get(word, 0.0),
                shares[i + 1].get(word, 0.0) * _AFTER if follows else 0.0,
            )
            for word in weights
        )
        text = squeeze(source.text[spans[i - 1][1] : end]) if leans else own
        begin = spans[i - 1][1] if leans else start
        found.append(_Sentence(text, own, before if leans else None, source, (begin, end), shared / total))
    return found


def _heard(
    shares: Sequence[Mapping[str, float]], spans: Sequence[tuple[Source, int, int]], at: int
) -> dict[str, float]:
    """What the sentences before this one in its paragraph have of the question's words, fading."""
    heard: dict[str, float] = {}
    kept = _BEFORE
    while _follow(spans, at - 1, at) and kept > 0.1:
        at -= 1
        for word, share in shares[at].items():
            heard[word] = max(heard.get(word, 0.0), kept * share)
        kept *= _FADING
    return heard


def _follow(spans: Sequence[tuple[Source, int, int]], first: int, second: int) -> bool:
    """Whether two sentences stand next to each other in one paragraph."""
    if first < 0 or second >= len(spans) or spans[first][0] is not spans[second][0]:
        return False
    between = spans[first][0].text[spans[first][2] : spans[second][1]]
    return "\n\n" not in between


def _leans(text: str) -> bool:
    """Whether the sentence points to the one before it."""
    forms = [word.form for word in words(text)]
    return forms[0] in _LEANING or not _POINTING.isdisjoint(forms[:4])


def _quotable_with(before: str, own: str) -> bool:
    return (
        not _is_fragment(before)
        and not is_list(before)
        and len(words(before)) + len(words(own)) <= _WINDOW_WORDS
    )


def _overlap(one: _Sentence, other: _Sentence) -> bool:
    return one.source is other.source and one.span[0] < other.span[1] and other.span[0] < one.span[1]


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
    """What speaks against quoting the sentence."""
    return (_ASKS if text.rstrip('”’»"').endswith("?") else 0.0) + (
        _SHORT if len(words(text)) < _SHORT_WORDS else 0.0
    )


def _same(one: str, other: str) -> bool:
    a, b = stems(one), stems(other)
    return len(a & b) > 0.8 * min(len(a), len(b))


_PAIRED = regex.compile(r"“([^“”„]*)”|„([^“”„]*)[“”]|«([^«»]*)»|»([^«»]*)«|\"(?=\S)([^\"]*)\"")


def _quoted(text: str, frame: Frame) -> str:
    """``text`` in the quotation marks of ``frame``, its own double marks made inner ones as print does."""
    opening, closing = frame.inner_marks

    def inner(match: regex.Match[str]) -> str:
        return opening + next(group for group in match.groups() if group is not None) + closing

    text = _PAIRED.sub(inner, text)
    # Marks whose other half stands outside the sentence.
    text = regex.sub(r"[“„«](?=\w)|\"(?=\w)", opening, text)
    text = regex.sub(r"[“”„«»\"]", closing, text)
    return f"{frame.marks[0]}{text}{frame.marks[1]}"


def _reply(question: str, quotes: Sequence[tuple[str, int]]) -> Reply:
    frame = frame_of(question)
    segments = [Segment(frame.lead)]
    for index, (text, number) in enumerate(quotes):
        segments.append(Segment((" " if index else "") + _quoted(text, frame), (number,)))
    return Reply(tuple(segments))
