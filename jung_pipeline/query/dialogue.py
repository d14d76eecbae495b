"""A question from search to checked answer, step by step, each step told as an event (``query/events.py``)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

from jung_pipeline.catalogue import Volume
from jung_pipeline.embed.embedder import Embedder
from jung_pipeline.query.answer import (
    Answer,
    Answerer,
    Reply,
    StreamingAnswerer,
    checked,
    not_found,
    renumber,
)
from jung_pipeline.query.citations import Source
from jung_pipeline.query.events import (
    AnswerText,
    Citations,
    Event,
    Finished,
    FollowUps,
    PassagesFound,
    Verdicts,
)
from jung_pipeline.query.follow_ups import Cooccurrence, FollowUp, follow_ups
from jung_pipeline.query.passages import SearchResult
from jung_pipeline.query.retriever import Retriever
from jung_pipeline.query.surroundings import with_surroundings
from jung_pipeline.query.verdicts import judged
from jung_pipeline.query.verify import Verifier
from jung_pipeline.settings import Settings, secret


@dataclass(frozen=True)
class Dialogue:
    """What it takes to answer questions from one version of a library."""

    settings: Settings
    embedder: Embedder
    retriever: Retriever
    volumes: Mapping[str, Volume]
    verifier: Callable[[], Verifier]
    cooccurrence: Callable[[], Cooccurrence]

    def events(
        self,
        result: SearchResult,
        answerers: Callable[[], Answerer],
        searches: Callable[[Sequence[str]], list[SearchResult]],
        context: int | None,
    ) -> Generator[Event, None, None]:
        """The events of an answer to what was found; closing the generator stops a model in mid-sentence.

        Raises:
            AnswerError, ServiceError: the model gave no usable answer; what came in before counts for nothing.
        """
        yield PassagesFound(result)
        passages = [hit.passage for hit in result.kept]
        sources = with_surroundings(passages, self.retriever.passage, self.volumes, context)
        if not sources:
            # Nothing passed the filter: that says more than that there is no answer.
            answer = not_found(result.question, result.note if not result.hits else "")
            answer = replace(answer, search=result)
            yield AnswerText(answer.text)
            yield Finished(answer)
            return
        answerer = answerers()
        reply = yield from _written(answerer, result.question, sources)
        answer = renumber(checked(result.question, sources, reply))
        if not isinstance(answerer, StreamingAnswerer):
            yield AnswerText(answer.text)
        answer = replace(judged(answer, self.verifier), search=result)
        yield Verdicts(answer.verdicts, answer.flags)
        yield Citations(answer.sources, answer.cited)
        answer = replace(answer, follow_ups=self._follow_ups(result, answer, searches))
        yield FollowUps(answer.follow_ups)
        yield Finished(answer)

    def answerer(self, use_model: bool | None, on_text: Callable[[str], None] | None = None) -> Answerer:
        """Claude where a key is set or ``use_model`` is true, else the passages' own sentences.

        Raises:
            SettingsError: a model is wanted and there is no key.
        """
        from jung_pipeline.query.extractive import ExtractiveAnswerer

        if use_model is False or (use_model is None and secret("ANTHROPIC_API_KEY") is None):
            return ExtractiveAnswerer(self.embedder, self.retriever.bridges)
        from jung_pipeline.query.claude_anthropic import ClaudeAnswerer

        return ClaudeAnswerer(self.settings, on_text=on_text)

    def _follow_ups(
        self,
        result: SearchResult,
        answer: Answer,
        searches: Callable[[Sequence[str]], list[SearchResult]],
    ) -> tuple[FollowUp, ...]:
        lexicon = self.retriever.lexicon
        if lexicon is None:
            return ()
        return follow_ups(result, answer.text, lexicon, self.cooccurrence(), searches)


def _written(answerer: Answerer, question: str, sources: Sequence[Source]) -> Generator[Event, None, Reply]:
    """The reply, its text told as it comes in where the answerer can."""
    if not isinstance(answerer, StreamingAnswerer):
        return answerer.answer(question, sources)
    pieces = answerer.stream(question, sources)
    try:
        while True:
            try:
                yield AnswerText(next(pieces))
            except StopIteration as done:
                reply: Reply = done.value
                return reply
    finally:
        pieces.close()
