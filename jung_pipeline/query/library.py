"""The library as a reader uses it: search, ask, look up, verify. Opens from the finished index alone.

    >>> from jung_pipeline import settings
    >>> from jung_pipeline.query.library import Library
    >>> library = Library.open(settings.load())             # doctest: +SKIP
    >>> print(library.ask("What is the shadow?").text)      # doctest: +SKIP

A library holds one version of the index and never changes under its reader; a version published later is
seen by the next :meth:`Library.open`. It keeps no state between questions and may be shared by threads.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from jung_pipeline.catalogue import Volume
from jung_pipeline.embed.embedder import Embedder
from jung_pipeline.errors import CatalogueError, ModelMismatchError, UsageError, VectorIndexError
from jung_pipeline.index.vector_index import Vectors, Where
from jung_pipeline.query import calibration as calibrating
from jung_pipeline.query.answer import Answer, Answerer
from jung_pipeline.query.citation_formats import CiteFormat, references
from jung_pipeline.query.citations import Source, cite
from jung_pipeline.query.dialogue import Dialogue
from jung_pipeline.query.events import Event, Finished
from jung_pipeline.query.filters import COLUMNS, Known, nothing_passes, resolved
from jung_pipeline.query.follow_ups import Cooccurrence
from jung_pipeline.query.lists import is_list
from jung_pipeline.query.passages import Hit, Passage, SearchResult
from jung_pipeline.query.question import clean_question, fitting_question
from jung_pipeline.query.retriever import POOL, Retriever, default_lexicon
from jung_pipeline.query.surroundings import MOST_CONTEXT
from jung_pipeline.query.verify import QuoteVerdict, Verifier
from jung_pipeline.settings import Settings
from jung_pipeline.text.normalise import language_of, words

Policy = Literal["calibrated", "seed"]

#: Results of follow-ups that are remembered.
_SEARCHES_KEPT = 512
#: Neighbours that one call gives at most on each side.
MOST_NEIGHBOURS = 100


@dataclass(frozen=True)
class Work:
    """A work in the library and how much of it there is."""

    volume: str
    title: str
    author: str | None
    language: str | None
    passages: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            "volume": self.volume,
            "title": self.title,
            "author": self.author,
            "language": self.language,
            "passages": self.passages,
        }


class Library:
    """One version of the index with the embedder that made it."""

    def __init__(
        self,
        version: Any,
        embedder: Embedder,
        settings: Settings,
        *,
        volumes: Mapping[str, Volume] | None = None,
        lexicon: Any = None,
    ) -> None:
        """Put the parts together; most callers use :meth:`open`.

        Raises:
            ModelMismatchError: the index was built with another model than ``embedder``.
        """
        spec = version.manifest.spec
        if (spec.model, spec.dimension) != (embedder.spec.model, embedder.spec.dimension):
            raise ModelMismatchError(
                f"The index was built with {spec.model} ({spec.dimension} dimensions), the settings name "
                f"{embedder.spec.model} ({embedder.spec.dimension}).",
                remedy=f"Set embedder to {spec.model}, or run `jung ingest` to build the index anew.",
            )
        self.version = version
        self.settings = settings
        self.volumes: Mapping[str, Volume] = volumes or {}
        stored = version.manifest.calibration
        self.calibration = stored if calibrating.usable(stored, embedder.spec.model) else None
        self._embedder = embedder
        self._searched: dict[tuple[str, str], SearchResult] = {}
        self._lexicon = lexicon if lexicon is not None else default_lexicon()
        self._retriever = Retriever(
            version.passages,
            version.vectors,
            version.lexical,
            embedder,
            self._lexicon,
            (self.calibration or {}).get("background", ()),
            frozenset(w.form for work in version.passages.works() for w in words(work.author or "")),
            frozenset(work.language for work in version.passages.works() if work.language),
            version.closeness,
        )

    @classmethod
    def open(cls, settings: Settings) -> Library:
        """The current version of the library at ``settings.home``.

        Raises:
            VectorIndexError: there is no index yet, nothing is in it, or it is damaged.
            ModelMismatchError: it was built with another model than the settings name.
            ServiceError: the depot that the setting ``data_url`` names cannot be reached.
        """
        from jung_pipeline.embed.registry import make_embedder
        from jung_pipeline.index.versions import open_current

        if settings.data_url:
            from jung_pipeline.depot.index_copy import take_index
            from jung_pipeline.depot.place import open_depot
            from jung_pipeline.depot.working_copy import WorkingCopy

            copy = WorkingCopy(settings.paths, open_depot(settings.data_url))
            copy.sync_catalogue()  # for the editions in citations
            take_index(copy)
        version = open_current(settings.paths.index, settings)
        if not version.manifest.passages:
            raise VectorIndexError(
                f"The index in {settings.paths.index} holds no passages.",
                remedy="Run `jung ingest`; `jung status` says what each volume lacks.",
            )
        return cls(version, make_embedder(settings), settings, volumes=_volumes(settings))

    def is_current(self) -> bool:
        """Whether this is still the version that is live, for whoever keeps a library open for long."""
        from jung_pipeline.index.versions import current_id

        return current_id(self.settings.paths.index) == self.version.manifest.version

    @property
    def retriever(self) -> Retriever:
        """What ranks the passages, for whoever measures its parts."""
        return self._retriever

    # ---------------------------------------------------------------------------------------------
    # search and ask
    # ---------------------------------------------------------------------------------------------

    def search(
        self,
        question: str,
        *,
        top_k: int | None = None,
        where: Where | None = None,
        policy: Policy | None = None,
    ) -> SearchResult:
        """The passages nearest to ``question``, and whether they are near enough to answer it.

        Args:
            question: in any words or language, at most 2,000 characters and what the embedder reads.
            top_k: how many passages; the settings' ``top_k`` by default.
            where: a filter; the default is the whole library. Volumes may be named by key or title, authors by
                surname, languages by name, concepts by any of their names.
            policy: how relevance is judged; the settings' ``policy`` by default.

        Raises:
            UsageError: the question is empty or too long, ``top_k`` makes no sense, or the filter names
                something that is not in the library.
        """
        question = fitting_question(clean_question(question), self._embedder)
        top_k = self.settings.top_k if top_k is None else top_k
        if not 1 <= top_k <= 1000:
            raise UsageError(f"top_k is {top_k}.", remedy="Ask for 1 to 1,000 passages.")
        where = resolved(where, self._known, self._lexicon) if where else None
        if (policy or self.settings.policy) == "seed":
            return self._seed_search(question, top_k, where)
        return self._calibrated_search(question, top_k, where)

    def _seed_search(self, question: str, top_k: int, where: Where | None) -> SearchResult:
        hits, kept = self._retriever.seed_hits(
            question, top_k=top_k, min_score=self.settings.min_score, keep=self.settings.keep, where=where
        )
        hits, kept = self._addressed(hits), self._addressed(kept)
        note = _why_empty(question, hits, where)
        return SearchResult(
            question, "ok" if kept else "not_found", "seed", tuple(hits), tuple(kept), note=note
        )

    def _calibrated_search(
        self, question: str, top_k: int, where: Where | None, vector: Vectors | None = None
    ) -> SearchResult:
        candidates = self._retriever.candidates(question, where=where, vector=vector, pool=max(POOL, top_k))
        ranked = candidates.hits
        if self.settings.reranker == "pinecone":
            from jung_pipeline.query.reranker_pinecone import rerank

            ranked = tuple(rerank(question, ranked, self.settings))
        hits = self._addressed(ranked[:top_k])
        unknown = self._retriever.unknown_words(question)
        common: dict[str, Any] = {
            "question": question,
            "policy": "calibrated",
            "hits": tuple(hits),
            "expansions": candidates.expansions,
            "unknown_words": tuple(unknown),
            "note": _why_empty(question, hits, where),
        }
        if not hits:
            return SearchResult(status="not_found", kept=(), **common)
        # A piece of an index or a bibliography is shown where it is near, but nothing is answered from it.
        fit = tuple([hit for hit in hits if not is_list(hit.passage.text)][: self.settings.keep])
        if self.calibration is None:
            common["note"] = (
                "This index carries no calibration, so relevance was not judged; `jung ingest` adds one."
            )
            return SearchResult(status="ok" if fit else "not_found", kept=fit, **common)
        signals = self._retriever.signals(candidates)
        crosses = self._retriever.crosses_languages(candidates)
        probability, threshold = calibrating.judge(signals, self.calibration, crosses_languages=crosses)
        found = bool(fit) and probability >= threshold
        if found and not crosses and self._retriever.asks_after_nothing_known(question):
            found = False
            common["note"] = _unknown_matter(question, unknown)
        return SearchResult(
            status="ok" if found else "not_found",
            kept=fit if found else (),
            probability=round(probability, 4),
            threshold=threshold,
            signals={name: round(value, 4) for name, value in signals.items()},
            **common,
        )

    @cached_property
    def _known(self) -> Known:
        """What a filter may name; read when the first filter is given."""
        return Known.of(self.version.passages.iterate(columns=list(COLUMNS)))

    def ask(
        self,
        question: str,
        *,
        where: Where | None = None,
        answerer: Answerer | None = None,
        use_model: bool | None = None,
        policy: Policy | None = None,
        on_text: Callable[[str], None] | None = None,
        context: int | None = None,
    ) -> Answer:
        """A checked answer from the library's own passages, or ``not_found`` without asking any model.

        Args:
            question: as for :meth:`search`.
            where: a filter.
            answerer: who writes; by default Claude where a key is set, else the passages' own sentences.
            use_model: false: never a language model; true: one, or an error.
            policy: as for :meth:`search`.
            on_text: is given a model's text as it comes in, unchecked, for a preview.
            context: so many neighbours on each side of every passage are read as well, and shown with it; by
                default those that a passage cut off inside a paragraph leans on, for the model alone.

        Raises:
            UsageError: see :meth:`search`.
            AnswerError, ServiceError: the model gave no usable answer; no half answer is passed on.
        """
        events = self._events(
            question, where, lambda: answerer or self._dialogue.answerer(use_model, on_text), policy, context
        )
        return next(event.answer for event in events if isinstance(event, Finished))

    def ask_events(
        self,
        question: str,
        *,
        where: Where | None = None,
        answerer: Answerer | None = None,
        use_model: bool | None = None,
        policy: Policy | None = None,
        context: int | None = None,
    ) -> Generator[Event, None, None]:
        """The same step by step: what was found, the text as it comes in, verdicts, sources, the whole answer.

        Closing the generator stops a model in mid-sentence; nothing further is asked or paid for.

            >>> for event in library.ask_events("What is the shadow?"):                    # doctest: +SKIP
            ...     if isinstance(event, AnswerText):
            ...         print(event.text, end="")

        Raises:
            UsageError, AnswerError, ServiceError: see :meth:`ask`.
        """
        yield from self._events(
            question, where, lambda: answerer or self._dialogue.answerer(use_model), policy, context
        )

    def _events(
        self,
        question: str,
        where: Where | None,
        answerers: Callable[[], Answerer],
        policy: Policy | None,
        context: int | None,
    ) -> Generator[Event, None, None]:
        if context is not None and not 0 <= context <= MOST_CONTEXT:
            raise UsageError(f"{context} passages of context.", remedy=f"Ask for 0 to {MOST_CONTEXT}.")
        result = self.search(question, where=where, policy=policy)
        yield from self._dialogue.events(
            result,
            answerers,
            lambda questions: self._searches(questions, where, policy),
            context,
        )

    @cached_property
    def _dialogue(self) -> Dialogue:
        return Dialogue(
            self.settings,
            self._embedder,
            self._retriever,
            self.volumes,
            self._verifier,
            lambda: self.cooccurrence,
        )

    @cached_property
    def cooccurrence(self) -> Cooccurrence:
        """How concepts stand together in the passages; counted when first asked for."""
        return Cooccurrence.of(
            row["concepts"] or () for row in self.version.passages.iterate(columns=["concepts"])
        )

    def _searches(
        self, questions: Sequence[str], where: Where | None, policy: Policy | None
    ) -> list[SearchResult]:
        """Several searches, their questions embedded together; the same follow-ups come up again and again."""
        narrowed = repr((where, policy))  # not the filter itself: its values may be lists
        # Looked up once each: another thread may be forgetting them all.
        kept = {q: known for q in questions if (known := self._searched.get((q, narrowed))) is not None}
        new = [q for q in dict.fromkeys(questions) if q not in kept]
        found = dict(zip(new, self._search_anew(new, where, policy), strict=True)) if new else {}
        if len(self._searched) + len(found) > _SEARCHES_KEPT:
            self._searched.clear()
        self._searched.update({(q, narrowed): result for q, result in found.items()})
        found.update(kept)
        return [found[q] for q in questions]

    def _search_anew(
        self, questions: Sequence[str], where: Where | None, policy: Policy | None
    ) -> list[SearchResult]:
        if (policy or self.settings.policy) == "seed":
            return [self.search(question, where=where, policy=policy) for question in questions]
        where = resolved(where, self._known, self._lexicon) if where else None
        vectors = self._embedder.embed_queries(questions)
        return [
            self._calibrated_search(question, self.settings.top_k, where, vector)
            for question, vector in zip(questions, vectors, strict=True)
        ]

    # ---------------------------------------------------------------------------------------------
    # looking up
    # ---------------------------------------------------------------------------------------------

    def passage(self, chunk_id: str) -> Passage:
        """The passage ``chunk_id``; the part after the volume's key, or its beginning, is enough where unique.

        Raises:
            UsageError: there is none, or several begin so.
        """
        passage = self._retriever.passage(chunk_id)
        if passage is not None:
            return passage
        asked = chunk_id.strip().lstrip("#")
        rows = self.version.passages.iterate(columns=["chunk_id"]) if asked else ()
        ids = [i for i in (row["chunk_id"] for row in rows) if i.rpartition("#")[2].startswith(asked)]
        exact = [i for i in ids if i.rpartition("#")[2] == asked]
        ids = exact or ids
        passage = self._retriever.passage(ids[0]) if len(ids) == 1 else None
        if passage is None:
            if ids:
                raise UsageError(
                    f"{len(ids)} passages begin with {asked!r}.",
                    remedy=f"Give one of them whole: {', '.join(sorted(ids)[:5])}{', …' if ids[5:] else '.'}",
                )
            raise UsageError(f"There is no passage {chunk_id!r}.", remedy="`jung search` prints the ids.")
        return passage

    def neighbours(self, chunk_id: str, n: int = 1) -> tuple[list[Passage], list[Passage]]:
        """Up to ``n`` passages before and after ``chunk_id``, both in reading order.

        Raises:
            UsageError: there is no such passage, or ``n`` makes no sense.
        """
        if not 0 <= n <= MOST_NEIGHBOURS:
            raise UsageError(f"{n} neighbours.", remedy=f"Ask for 0 to {MOST_NEIGHBOURS}.")
        here = self.passage(chunk_id)
        before = self._walk(here.prev_chunk_id, n, "prev_chunk_id")
        return before[::-1], self._walk(here.next_chunk_id, n, "next_chunk_id")

    def _walk(self, chunk_id: str | None, n: int, link: str) -> list[Passage]:
        found: list[Passage] = []
        while chunk_id is not None and len(found) < n:
            passage = self._retriever.passage(chunk_id)
            if passage is None:
                break
            found.append(passage)
            chunk_id = getattr(passage, link)
        return found

    def works(self) -> list[Work]:
        """The works in this version of the index, by volume."""
        return [
            Work(work.volume, work.work_title, work.author, work.language, work.passages)
            for work in self.version.passages.works()
        ]

    def cite(self, passage: Passage) -> str:
        """The address of ``passage`` in words."""
        return cite(passage, self.volumes.get(passage.volume))

    def references(self, passages: Iterable[Passage], form: CiteFormat = "text") -> str:
        """References to ``passages``, numbered in their order, as text, CSL-JSON, BibTeX or RIS."""
        sources = [
            Source(number, passage, self.volumes.get(passage.volume))
            for number, passage in enumerate(passages, start=1)
        ]
        return references(sources, form)

    def verify(self, text: str, *, attributed_to: str | None = None) -> list[QuoteVerdict]:
        """A verdict for every quotation of ``text``: verbatim, altered, misattributed or not in these books.

        ``attributed_to`` names the author or work all of them are said to be from.
        """
        return self._verifier().verify(text, attributed_to=attributed_to)

    def judge(self, quote: str, *, attributed_to: str | None = None) -> QuoteVerdict:
        """The verdict on one quotation, given without its quotation marks."""
        return self._verifier().judge(quote, attributed_to=attributed_to)

    def _verifier(self) -> Verifier:
        works = list(dict.fromkeys((work.title, work.author) for work in self.works()))
        return Verifier(self._retriever, works, self.volumes)

    def _addressed(self, hits: Any) -> list[Hit]:
        return [
            replace(
                hit,
                citation=self.cite(hit.passage),
                also_cited=tuple(self.cite(passage) for passage in hit.also_in),
            )
            for hit in hits
        ]


def _why_empty(question: str, hits: Any, where: Where | None) -> str:
    """Why there are no passages at all; empty where there are some."""
    return nothing_passes(where, language_of(question)) if where and not hits else ""


def _unknown_matter(question: str, unknown: list[str]) -> str:
    """Why passages near enough were not taken for an answer."""
    if language_of(question) == "de":
        return f"In dieser Bibliothek steht nirgends: {', '.join(unknown)}."
    return f"Nowhere in this library: {', '.join(unknown)}."


def _volumes(settings: Settings) -> Mapping[str, Volume]:
    """Facts about the editions from the catalogue; none where it is not at hand: the index stands alone."""
    try:
        return settings.paths.catalogue().volumes
    except (CatalogueError, OSError):
        return {}
