"""An answer: a reply of whatever writes answers, checked, numbered and put beside its sources."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, runtime_checkable

from jung_pipeline.query.checking import CheckedQuote, check, find_citations, rewrite
from jung_pipeline.query.citation_formats import CiteFormat, references
from jung_pipeline.query.citations import Source
from jung_pipeline.query.follow_ups import FollowUp
from jung_pipeline.query.frames import frame_of
from jung_pipeline.query.passages import Hit, Passage, SearchResult
from jung_pipeline.query.verify import QuoteVerdict
from jung_pipeline.text.quotes import find_quotations


@dataclass(frozen=True)
class Segment:
    """A stretch of a reply and the numbers of the passages it leans on, as the model stated them."""

    text: str
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Usage:
    """What a reply cost."""

    input_tokens: int
    output_tokens: int
    dollars: float | None  # at dated list prices (query/prices.py); None where no price is known
    prices_as_of: str


@dataclass(frozen=True)
class Reply:
    """What an answerer wrote, before any check."""

    segments: tuple[Segment, ...]
    model: str | None = None  # None: no language model was asked
    usage: Usage | None = None

    @property
    def marked_text(self) -> str:
        """The text with the numbers of every segment written behind it as ``[n]``."""
        return "".join(_marked(segment) for segment in self.segments)


def _marked(segment: Segment) -> str:
    """The segment with its numbers, before its closing full stop unless a quotation ends there."""
    if not segment.numbers or not segment.text.strip():
        return segment.text
    body = segment.text.rstrip()
    space = segment.text[len(body) :]
    numbers = [n for n in segment.numbers if not body.rstrip(".,;:!? ").endswith(f"[{n}]")]
    if not numbers:
        return segment.text
    mark = "".join(f"[{n}]" for n in dict.fromkeys(numbers))
    if body[-1] in ".!?" and not body.endswith(".."):
        return f"{body[:-1]} {mark}{body[-1]}{space}"
    return f"{body} {mark}{space}"


class Answerer(Protocol):
    """Writes a reply from numbered sources: a language model, or the passages' own sentences."""

    def answer(self, question: str, sources: Sequence[Source]) -> Reply:
        """A complete reply.

        Raises:
            AnswerError: none could be written (refused, cut off, empty).
            ServiceError: the service behind it failed.
        """
        ...


@runtime_checkable
class StreamingAnswerer(Protocol):
    """An answerer whose text can be followed as it is written."""

    def stream(self, question: str, sources: Sequence[Source]) -> Generator[str, None, Reply]:
        """Yields the text piece by piece and returns the complete reply; closing it stops the writing."""
        ...


@dataclass(frozen=True)
class Flag:
    """Something in the answer that the reader should not trust."""

    kind: str  # citation_without_passage | quote_elsewhere | quote_not_in_passage | no_citation
    message: str


@dataclass(frozen=True)
class Answer:
    """A checked answer. Under ``not_found`` the text says so, and no model was called."""

    question: str
    status: str  # ok | not_found
    text: str  # numbers refer to ``sources``; numbers without a passage are taken out
    sources: tuple[Source, ...] = ()  # cited ones first, in order of first use, then the others read
    cited: tuple[int, ...] = ()  # numbers that the text cites
    flagged_citations: tuple[int, ...] = ()  # numbers the reply used that no passage had
    quotes: tuple[CheckedQuote, ...] = ()
    flags: tuple[Flag, ...] = ()
    model: str | None = None  # None: no language model was asked
    usage: Usage | None = None
    verdicts: tuple[QuoteVerdict, ...] = ()  # one for each of ``quotes``, against the whole library
    follow_ups: tuple[FollowUp, ...] = ()  # questions to go on with; the library answers each
    search: SearchResult | None = None

    @property
    def related(self) -> tuple[str, ...]:
        """The concepts of the follow-ups."""
        return tuple(follow_up.concept for follow_up in self.follow_ups)

    @property
    def grounded(self) -> bool:
        """Whether it cites something and nothing in it is flagged."""
        return self.status == "ok" and bool(self.cited) and not self.flags

    @property
    def near_misses(self) -> tuple[Hit, ...]:
        """The nearest passages when the library does not answer the question."""
        return self.search.near_misses if self.search else ()

    @property
    def cited_sources(self) -> tuple[Source, ...]:
        """The sources that the text cites; all that it was written from where it cites none."""
        return tuple(s for s in self.sources if s.number in self.cited) or self.sources

    def references(self, form: CiteFormat = "text") -> str:
        """The cited sources as text, CSL-JSON, BibTeX or RIS."""
        return references(self.cited_sources, form)

    @property
    def how(self) -> str:
        """How the answer came about, in a line for the reader."""
        frame = frame_of(self.question)
        if self.status == "not_found":
            return frame.nobody_asked
        if self.model is None:
            return frame.quoted
        parts = [frame.written.format(model=self.model)]
        if self.usage:
            parts.append(
                frame.tokens.format(
                    tokens_in=f"{self.usage.input_tokens:,}", tokens_out=f"{self.usage.output_tokens:,}"
                )
            )
            if self.usage.dollars is not None:
                parts.append(frame.dollars.format(dollars=self.usage.dollars, date=self.usage.prices_as_of))
        return "; ".join(parts) + "."

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            "question": self.question,
            "status": self.status,
            "text": self.text,
            "grounded": self.grounded,
            "sources": [source.to_dict() for source in self.sources],
            "cited": list(self.cited),
            "flagged_citations": list(self.flagged_citations),
            "quotes": [{**asdict(quote), "numbers": list(quote.numbers)} for quote in self.quotes],
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "flags": [asdict(flag) for flag in self.flags],
            "model": self.model,
            "usage": asdict(self.usage) if self.usage else None,
            "related": list(self.related),
            "follow_ups": [asdict(follow_up) for follow_up in self.follow_ups],
            "search": self.search.to_dict() if self.search else None,
        }


def number_sources(passages: Sequence[Passage], volumes: Any = None) -> list[Source]:
    """The passages that have any text, numbered by their place in ``passages`` (1-based)."""
    volumes = volumes or {}
    return [
        Source(number, passage, volumes.get(passage.volume))
        for number, passage in enumerate(passages, start=1)
        if passage.text.strip()
    ]


def compose(question: str, sources: Sequence[Source], answerer: Answerer) -> Answer:
    """Ask ``answerer``, check what it wrote, and number the sources by first use.

    Without sources nothing is asked: the answer says that the library does not hold one.

    Raises:
        AnswerError, ServiceError: see :class:`Answerer`.
    """
    if not sources:
        return not_found(question)
    return renumber(checked(question, sources, answerer.answer(question, sources)))


def not_found(question: str, text: str = "") -> Answer:
    """The answer that there is none: ``text``, or that the books do not answer."""
    return Answer(question, "not_found", text or frame_of(question).not_found)


def checked(question: str, sources: Sequence[Source], reply: Reply) -> Answer:
    """The reply as an answer, every citation and quotation judged; sources keep the numbers they had."""
    result = check(reply.marked_text.strip(), {s.number: s.passage.text for s in sources})
    flags = [
        Flag(
            "citation_without_passage",
            f"The reply cited [{n}]; there is no such passage. The number was taken out.",
        )
        for n in result.flagged_citations
    ]
    flags += [_quote_flag(quote) for quote in result.flagged_quotes]
    if not result.citations:
        flags.append(Flag("no_citation", "The reply cites no passage; nothing ties it to these books."))
    return Answer(
        question=question,
        status="ok",
        text=result.text,
        sources=tuple(sources),
        cited=result.citations,
        flagged_citations=result.flagged_citations,
        quotes=result.quotes,
        flags=tuple(flags),
        model=reply.model,
        usage=reply.usage,
    )


def _quote_flag(quote: CheckedQuote) -> Flag:
    shown = quote.text if len(quote.text) <= 120 else quote.text[:119] + "…"
    if quote.verdict == "elsewhere":
        return Flag(
            "quote_elsewhere", f"“{shown}” stands in passage [{quote.found_in}], not in the one cited."
        )
    return Flag("quote_not_in_passage", f"“{shown}” does not stand in the passage it is quoted from.")


def renumber(answer: Answer) -> Answer:
    """The answer with its sources numbered in order of first use, those only read after those cited.

    Neighbours that were given for context and are not cited are no sources; they stay with the one they surround.
    """
    uncited = [s for s in answer.sources if s.number not in answer.cited and s.surrounds is None]
    answer = replace(
        answer,
        sources=tuple(s for s in answer.sources if s.surrounds is None or s.number in answer.cited),
    )
    order = [*answer.cited, *(s.number for s in uncited)]
    new = {old: number for number, old in enumerate(order, start=1)}
    if all(old == number for old, number in new.items()):
        return answer
    by_number = {source.number: source for source in answer.sources}
    passages = {source.number: source.passage.text for source in answer.sources}
    citations, _ = find_citations(answer.text, find_quotations(answer.text), passages)
    quotes = tuple(
        replace(
            quote,
            numbers=tuple(new[n] for n in quote.numbers if n in new),
            found_in=new.get(quote.found_in) if quote.found_in is not None else None,
        )
        for quote in answer.quotes
    )
    flags = [flag for flag in answer.flags if not flag.kind.startswith("quote_")]
    flags[len(answer.flagged_citations) : len(answer.flagged_citations)] = [
        _quote_flag(quote) for quote in quotes if not quote.ok
    ]
    return replace(
        answer,
        text=rewrite(answer.text, citations, new),
        sources=tuple(replace(by_number[old], number=number) for old, number in new.items()),
        cited=tuple(new[n] for n in answer.cited),
        quotes=quotes,
        flags=tuple(flags),
    )
