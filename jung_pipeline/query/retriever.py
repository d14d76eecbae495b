"""Two searches, one ranking: meaning (vectors) and words (lexical index), fused by their scores.

Meaning is looked up in two steps: the vectors of whole passages say which may be near, their windows
(``index/closeness.py``) which are. Footnotes are included but stand behind body text unless the question asks for
notes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np

from jung_pipeline.embed.embedder import Embedder
from jung_pipeline.index.vector_index import Match, VectorReader, Vectors, Where
from jung_pipeline.query import signals as signal
from jung_pipeline.query.fusion import collapse_duplicates, score_fusion, seed_policy
from jung_pipeline.query.lists import is_list
from jung_pipeline.query.passages import Hit, Passage
from jung_pipeline.text.normalise import content_terms, content_words, language_of, stem, stems, words
from jung_pipeline.text.quotes import find_quotations

#: How deep each index is asked before fusion.
POOL = 60
#: In a large library vectors are asked for more than that, one passage in fifty, up to so many: whole passages are
#: a coarse sieve. Of six books (2,776 passages) 60 lost nothing that windows would have found.
WIDEST, ONE_IN = 300, 50
#: Weights of the searches in the fusion. Other names of a concept (its German one, say) are a hint, not a word
#: that was asked for. From 0.1 to 0.5 for words recall@6 is the same; more favours questions in the book's own words,
#: less those in others.
WEIGHTS = {"meaning": 1.0, "words": 0.3, "other names": 0.15, "words quoted": 0.3}
#: Quotations in a question that are looked for apart have so many words.
FEWEST_QUOTED = 4
#: In a library of several languages, how many of the first so many passages are in another than the question's.
#: A model places texts of one language near each other, so without this the other volumes are hardly ever seen.
#: Measured with `jung eval` on English questions to English and German books: recall@6 of questions that German
#: books answer 0.33 instead of 0, of the others unchanged.
KEPT_FOR_OTHERS, AMONG = 2, 6
#: The part of its fused score that a footnote keeps: with words alike, the body comes first.
NOTE_FACTOR = 0.8
#: The part that a piece of an index or a bibliography keeps: it names everything and says nothing.
LIST_FACTOR = 0.7
#: Words with which a reader asks for footnotes.
_NOTE_WORDS = frozenset(
    {"note", "notes", "footnote", "footnotes", "fussnote", "fussnoten", "anmerkung", "anmerkungen"}
)


class PassageReader(Protocol):
    """The passages of an index version, by id."""

    def get(self, chunk_id: str) -> Mapping[str, Any] | None:
        """The row (``schemas.CHUNKS``), or ``None``."""
        ...


class LexicalReader(Protocol):
    """The word index of an index version."""

    def search(self, text: str, *, top_k: int, where: Where | None = None) -> list[Match]:
        """Passages that hold words of ``text``, best first by BM25; the text is words, never a query language."""
        ...

    def count(self) -> int:
        """Passages in it."""
        ...

    def frequency(self, word: str) -> int:
        """Passages that hold ``word`` in any of its forms."""
        ...


class ClosenessReader(Protocol):
    """How near passages come to a question, by all their vectors."""

    def __len__(self) -> int:
        """Passages."""
        ...

    def of(self, ids: Iterable[str], question: Vectors) -> dict[str, float]:
        """The closeness of the passages ``ids`` to ``question``; ids that are not there are left out."""
        ...


class NamedConcept(Protocol):
    """A concept with its names by language."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def en(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def de(self) -> Sequence[str]: ...  # noqa: D102


class ConceptLexicon(Protocol):
    """The concepts of the field with their names in English, German and Latin."""

    @property
    def concepts(self) -> Mapping[str, NamedConcept]:
        """The concepts by name."""
        ...

    def match_query(self, question: str) -> list[str]:
        """Names of the concepts that ``question`` speaks of."""
        ...

    def expand(self, term: str) -> Sequence[str]:
        """All names of the concept ``term``."""
        ...

    def related(self, name: str) -> Sequence[str]:
        """Names of the concepts next to ``name``."""
        ...


@dataclass(frozen=True)
class Candidates:
    """Everything the two indexes said about a question."""

    question: str
    vector: Vectors
    dense: tuple[Match, ...]  # closeness of passages and windows, best first, NaN dropped
    lexical: tuple[Match, ...]  # BM25, best first
    hits: tuple[Hit, ...]  # fused, each text once
    expansions: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True)
class Retriever:
    """Asks the two indexes of one version."""

    passages: PassageReader
    vectors: VectorReader
    lexical: LexicalReader
    embedder: Embedder
    lexicon: ConceptLexicon | None = None
    background_ids: Sequence[str] = ()
    names: frozenset[str] = frozenset()  # folded words of the names of the library's authors
    languages: frozenset[str] = frozenset()  # of the library's volumes
    closeness: ClosenessReader | None = None  # without it, whole passages alone say how near they are
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)  # of the searches in the fusion
    kept_for_others: int = KEPT_FOR_OTHERS  # of the first passages, for other languages than the question's
    _frequency: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def background(self) -> Vectors:
        """The vectors against which a question's best cosine is judged."""
        found = self.vectors.fetch(list(self.background_ids)) if self.background_ids else {}
        rows = [found[i].vector for i in self.background_ids if i in found]
        return np.asarray(rows, dtype=np.float32) if rows else np.empty((0, 0), dtype=np.float32)

    def passage(self, chunk_id: str) -> Passage | None:
        """The passage ``chunk_id``, or ``None``."""
        return self._lookup(chunk_id)

    @cached_property
    def _lookup(self) -> Callable[[str], Passage | None]:
        """Reads a passage, and remembers the last few thousand: the same ones are found again and again."""

        @lru_cache(maxsize=4096)
        def read(chunk_id: str) -> Passage | None:
            row = self.passages.get(chunk_id)
            return Passage.from_row(row) if row is not None else None

        return read

    def candidates(
        self, question: str, *, where: Where | None = None, vector: Vectors | None = None, pool: int = POOL
    ) -> Candidates:
        """Search both indexes and fuse. ``question`` is clean (``query/question.py``)."""
        where = where or None
        vector = self.embedder.embed_query(question) if vector is None else vector
        lexical = self.lexical.search(question, top_k=pool, where=where)
        names = tuple(self.other_names(question))
        # Asked apart, so that a concept's many names do not drown the question's own words.
        bridged = self.lexical.search(" ".join(names), top_k=pool, where=where) if names else []
        quoted = self._quoted(question, pool, where)
        by_words = {"words": lexical, "other names": bridged, "words quoted": quoted}
        also = [match.chunk_id for found in by_words.values() for match in found]
        wide = min(WIDEST, len(self.closeness) // ONE_IN) if self.closeness is not None else 0
        near = self._near(vector, max(pool, wide), where, also)
        language = language_of(question)
        hits = collapse_duplicates(self._fused(question, vector, near, by_words))
        if self.kept_for_others:
            others = self._in_other_languages(vector, language, where)
            hits = with_other_languages(hits, others, language, self.kept_for_others)
        return Candidates(question, vector, tuple(near[:pool]), tuple(lexical), tuple(hits), names, language)

    def _near(self, vector: Vectors, pool: int, where: Where | None, also: Sequence[str] = ()) -> list[Match]:
        """The passages nearest in meaning, and those of ``also``, by their closeness, best first."""
        if self.closeness is None:
            return self._dense(vector, pool, where)
        found = [match.chunk_id for match in self._dense(vector, pool, where)]
        closeness = self.closeness.of([*found, *also], vector)
        return sorted((Match(i, near) for i, near in closeness.items()), key=lambda m: (-m.score, m.chunk_id))

    def _quoted(self, question: str, top_k: int, where: Where | None) -> list[Match]:
        """The passages nearest to the words that the question quotes: who asks where they stand knows them best."""
        quotations = [q.inner for q in find_quotations(question) if len(q.inner.split()) >= FEWEST_QUOTED]
        return self.lexical.search(" ".join(quotations), top_k=top_k, where=where) if quotations else []

    def _in_other_languages(self, vector: Vectors, language: str | None, where: Where | None) -> list[Hit]:
        """The nearest passages of the library's other languages, unless the question is narrowed to some."""
        others = tuple(sorted(self.languages - {language}))
        if language is None or not others or (where is not None and where.languages):
            return []
        matches = self._near(vector, POOL, replace(where or Where(), languages=others))
        found = [
            Hit(passage, 0.0, match.score)
            for match in matches[:AMONG]
            if (passage := self.passage(match.chunk_id)) is not None and passage.text.strip()
        ]
        return collapse_duplicates(hit for hit in found if not is_list(hit.passage.text))

    def _dense(self, vector: Vectors, top_k: int, where: Where | None) -> list[Match]:
        matches = self.vectors.query(vector, top_k=top_k, where=where)
        return sorted((m for m in matches if not np.isnan(m.score)), key=lambda m: -m.score)

    def _fused(
        self,
        question: str,
        vector: Vectors,
        near: Sequence[Match],
        by_words: Mapping[str, Sequence[Match]],
    ) -> list[Hit]:
        closeness = {match.chunk_id: match.score for match in near}
        dense_ranks = {match.chunk_id: rank for rank, match in enumerate(near, start=1)}
        lexical_ranks = {match.chunk_id: rank for rank, match in enumerate(by_words["words"], start=1)}
        # Whoever asks for notes gets them before the body.
        behind = "body" if not _NOTE_WORDS.isdisjoint(word.form for word in words(question)) else "note"
        scores = {"meaning": (closeness, self._unrelated(vector, near))} | {
            name: ({match.chunk_id: match.score for match in found}, 0.0) for name, found in by_words.items()
        }
        hits = []
        for chunk_id, score in score_fusion(scores, self.weights):
            passage = self.passage(chunk_id)
            if passage is None or not passage.text.strip():
                continue
            factor = NOTE_FACTOR if passage.kind == behind else 1.0
            if is_list(passage.text):
                factor *= LIST_FACTOR
            hits.append(
                Hit(
                    passage,
                    score * factor,
                    closeness.get(chunk_id),
                    dense_ranks.get(chunk_id),
                    lexical_ranks.get(chunk_id),
                )
            )
        return sorted(hits, key=lambda hit: -hit.score)

    def _unrelated(self, vector: Vectors, near: Sequence[Match]) -> float:
        """How near a question comes to passages that have nothing to do with it: near 0.75, not 0, under e5."""
        if len(self.background) > 1:
            return float((self.background @ vector).mean())
        return min((match.score for match in near), default=0.0)

    def seed_hits(
        self, question: str, *, top_k: int, min_score: float, keep: int, where: Where | None = None
    ) -> tuple[list[Hit], list[Hit]]:
        """The best ``top_k`` by cosine alone, and those that the seed's fixed cut keeps."""
        matches = self._dense(self.embedder.embed_query(question), top_k, where or None)
        kept_ids = {m.chunk_id for m in seed_policy(matches, top_k=top_k, min_score=min_score, keep=keep)}
        hits = []
        for rank, match in enumerate(matches, start=1):
            passage = self.passage(match.chunk_id)
            if passage is not None:
                hits.append(Hit(passage, match.score, match.score, rank))
        return hits, [hit for hit in hits if hit.passage.chunk_id in kept_ids]

    def frequency(self, word: str) -> int:
        """In how many passages of the library ``word`` stands, in any of its forms."""
        if word not in self._frequency:
            self._frequency[word] = self.lexical.frequency(word)
        return self._frequency[word]

    def knows(self, word: str) -> bool:
        """Whether ``word``, in any of its forms, stands anywhere in the library."""
        return self.frequency(word) > 0

    def weights_of(self, question: str) -> dict[str, float]:
        """The content words of ``question`` with how much each tells in this library: inverse passage frequency."""
        passages = self.lexical.count()
        return {
            word: math.log((passages + 1) / (self.frequency(written) + 0.5))
            for word, written in content_terms(question).items()
        }

    def bridges(self, question: str) -> dict[str, frozenset[str]]:
        """For each word of the question that belongs to a concept: the words of the concept's other names.

        Only names of one word are taken: a part of a longer name does not stand for the concept.
        """
        found: dict[str, frozenset[str]] = {}
        for concept in self.concepts_of(question):
            forms = self.lexicon.expand(concept) if self.lexicon else ()
            named = frozenset(stem(w) for form in forms for w in content_words(form))
            single = frozenset(form for form in forms if len(words(form)) == 1)
            for word in content_words(question):
                if stem(word) in named:
                    found[word] = found.get(word, frozenset()) | single
        return found

    def concepts_of(self, question: str) -> list[str]:
        """The concepts of the lexicon that ``question`` speaks of."""
        return self.lexicon.match_query(question) if self.lexicon else []

    def other_names(self, question: str) -> list[str]:
        """Names of those concepts in the languages that the question is not in.

        Other names in its own language are left out: they pull up passages that are about the concept in general
        and push down the one that was asked for.
        """
        if self.lexicon is None:
            return []
        language, used = language_of(question), stems(question)
        names: list[str] = []
        for name in self.concepts_of(question):
            concept = self.lexicon.concepts[name]
            if language != "de":
                names += concept.de
            if language != "en":
                names += [concept.name, *concept.en]
        return [n for n in dict.fromkeys(names) if not {stem(word.form) for word in words(n)} <= used]

    def unknown_words(self, question: str) -> list[str]:
        """The content words of ``question`` that stand nowhere in the library, under none of their names."""
        bridges = self.bridges(question)
        return [
            word
            for word, written in content_terms(question).items()
            if not self.knows(written) and not any(self.knows(other) for other in bridges.get(word, ()))
        ]

    def asks_after_nothing_known(self, question: str) -> bool:
        """Whether every word that says what ``question`` is about stands nowhere in the library.

        Names are set apart: of "When was Jung born?" a library full of Jung knows the name, and if it does not
        know "born" it holds no answer, however near its passages lie.
        """
        terms = content_terms(question)
        unknown = set(self.unknown_words(question))
        named = {form for form, written in terms.items() if form in self.names or _is_name(question, written)}
        matter = terms.keys() - named
        return bool(matter) and bool(named) and matter <= unknown

    def signals(self, candidates: Candidates) -> dict[str, float]:
        """The signals of a question (``query/signals.py``)."""
        return signal.signals(
            closeness=[match.score for match in candidates.dense[:1]],
            lexical=[match.score for match in candidates.lexical[:1]],
            weights=self.weights_of(candidates.question),
            unknown=self.unknown_words(candidates.question),
            passages=[hit.passage.text for hit in candidates.hits],
            bridges=self.bridges(candidates.question),
        )

    def crosses_languages(self, candidates: Candidates) -> bool:
        """Whether the nearest passages are in another language than the question, so that words cannot meet."""
        if candidates.language is None:
            return False
        nearest = [self.passage(match.chunk_id) for match in candidates.dense[:3]]
        languages = [p.language for p in nearest if p is not None and p.language]
        return bool(languages) and all(language != candidates.language for language in languages)


def with_other_languages(
    hits: Sequence[Hit], others: Sequence[Hit], language: str | None, kept: int = KEPT_FOR_OTHERS
) -> list[Hit]:
    """``hits`` with the best of ``others`` among the first few, behind what is there; the rest keeps its order.

    Nothing changes where as many of the first few are in another language than ``language`` already. Where one of
    ``others`` is a hit further down, it is moved up. All that come in have the score of the hit before them.
    """
    if not others or len(hits) <= AMONG - kept:
        return list(hits)
    first = hits[:AMONG]
    there = sum(hit.passage.language not in (language, None) for hit in first)
    known = {passage.chunk_id: hit for hit in hits for passage in (hit.passage, *hit.also_in)}
    seen = {passage.chunk_id for hit in first for passage in (hit.passage, *hit.also_in)}
    chosen = [hit for hit in others if hit.passage.chunk_id not in seen][: max(0, kept - there)]
    if not chosen:
        return list(hits)
    # What gives way is the lowest of the question's own language.
    giving_way = [hit for hit in first if hit.passage.language in (language, None)][-len(chosen) :]
    stay = [hit for hit in first if all(hit is not other for other in giving_way)]
    last = min(hit.score for hit in stay)
    moved = [known.get(hit.passage.chunk_id, hit) for hit in chosen]
    moved = [replace(hit, score=last) for hit in moved]
    ids = {hit.passage.chunk_id for hit in (*stay, *moved)}
    return [*stay, *moved, *(hit for hit in hits if hit.passage.chunk_id not in ids)]


def _is_name(question: str, written: str) -> bool:
    """Whether ``written`` is a name by its capital: not the first word, and not German, where nouns have one."""
    return (
        written[:1].isupper()
        and language_of(question) == "en"
        and not question.lstrip("“\"„«‘'(").startswith(written)
    )


def default_lexicon() -> ConceptLexicon:
    """The lexicon that ships with the package."""
    from jung_pipeline.concepts.lexicon import load_lexicon

    return load_lexicon()
