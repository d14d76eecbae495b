"""Verdicts on the quotations of an answer: against the passages it cites, then against the whole library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jung_pipeline.query.answer import Answer, Flag
from jung_pipeline.query.checking import CheckedQuote
from jung_pipeline.query.verify import Place, QuoteVerdict, Verifier
from jung_pipeline.text.normalise import squeeze
from jung_pipeline.text.quotes import locate


def judged(answer: Answer, verifier: Callable[[], Verifier]) -> Answer:
    """``answer`` with a verdict for each of its quotations, in their order, and what its flags lack added.

    A quotation is ``verbatim`` where it stands in the passage that it cites, ``misattributed`` where it stands
    somewhere else in the library; ``altered`` and ``not_in_library`` as for any text (``query/verify.py``).
    """
    verdicts = tuple(_verdict(answer, quote, verifier) for quote in answer.quotes)
    # Words that run over the end of the passage cited into the next one are where the answer says they are.
    cited = {source.number: source.chunk_id for source in answer.sources}
    quotes = tuple(
        replace(quote, verdict="verbatim", found_in=next(n for n in quote.numbers if cited.get(n) in places))
        if not quote.ok and verdict.verdict == "verbatim"
        else quote
        for quote, verdict in zip(answer.quotes, verdicts, strict=True)
        for places in [{place.chunk_id for place in verdict.places}]
    )
    lost = iter([(q, v) for q, v in zip(answer.quotes, verdicts, strict=True) if not q.ok])
    flags: list[Flag] = []
    for flag in answer.flags:
        if flag.kind.startswith("quote_"):
            quote, verdict = next(lost)
            if verdict.verdict == "verbatim":
                continue
            flag = replace(flag, message=f"{flag.message}{_explained(quote, verdict)}")
        flags.append(flag)
    return replace(answer, quotes=quotes, verdicts=verdicts, flags=tuple(flags))


def _verdict(answer: Answer, quote: CheckedQuote, verifier: Callable[[], Verifier]) -> QuoteVerdict:
    source = next((source for source in answer.sources if source.number == quote.found_in), None)
    if source is not None:
        span = locate(quote.text, source.text)
        printed = squeeze(source.text[slice(*span)]) if span else ""
        place = Place(source.chunk_id, source.citation, printed)
        said = "verbatim" if quote.ok else "misattributed"
        return QuoteVerdict(quote.text, said, (place,), similarity=1.0)
    verdict = verifier().judge(quote.text)
    if verdict.verdict == "verbatim":
        cited = {source.chunk_id for source in answer.sources if source.number in quote.numbers}
        if not any(place.chunk_id in cited for place in verdict.places):
            return replace(verdict, verdict="misattributed")
    return verdict


def _explained(quote: CheckedQuote, verdict: QuoteVerdict) -> str:
    """What the library knows of a quotation that is not where the answer says."""
    if quote.verdict == "elsewhere" or not verdict.places:
        return ""
    place = verdict.places[0]
    if verdict.verdict == "misattributed":
        return f" It stands in: {place.citation}."
    return f" Printed in {place.citation}: “{place.printed}”."
