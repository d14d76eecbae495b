"""The checker: are the numbers in an answer real, and are its quotations the books' own words?

No model is asked. It reads citation numbers however they are typed, takes out those with no passage behind
them, and holds every quotation against the passage it cites.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

from jung_pipeline.text.quotes import Quotation, find_quotations, locate

# Up to three digits: a year in brackets is not a citation, nor is [sic] or [...].
_NUMBERS = r"\d{1,3}(?:\s*(?:[-–—,;&]|and|und)\s*\d{1,3})*"
_CITATION = regex.compile(
    rf"[\[【]\s*[\^#]?(?:(?:sources?|passages?|nos?\.?)\s*)?({_NUMBERS})\s*[\]】]", regex.I
)
_TRAILING_CITATION = regex.compile(rf"\s*{_CITATION.pattern}\s*[.,;:!?]*\s*$", regex.I)
_RANGE = regex.compile(r"(\d+)\s*[-–—]\s*(\d+)|(\d+)")
#: A range wider than this is not a list of passages; its ends alone are read.
_WIDEST_RANGE = 20

_SENTENCE_END = regex.compile(r"[.!?…][”\"’»“)\]]*\s+(?=[\p{Lu}“\"„«‘])|\n[ \t]*\n")
_ADJACENT = regex.compile(r"[\s.,;:!?)”\"’]*")

#: Quoted words up to this many without a citation next to them are a term that is talked about.
_TERM_WORDS = 2


@dataclass(frozen=True)
class Citation:
    """A bracket with citation numbers: ``text[start:end]``."""

    start: int
    end: int
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class CheckedQuote:
    """A quotation in an answer and what became of it."""

    text: str  # between the marks
    numbers: tuple[int, ...]  # the passages it cites; empty where it cites none
    verdict: str  # verbatim | elsewhere (in another of the passages) | not_in_passage
    found_in: int | None  # number of the passage that holds it

    @property
    def ok(self) -> bool:
        """Whether the words stand where the answer says."""
        return self.verdict == "verbatim"


@dataclass(frozen=True)
class CheckedText:
    """An answer's text after checking."""

    text: str  # without the numbers that have no passage
    citations: tuple[int, ...]  # distinct valid numbers, in order of first use
    flagged_citations: tuple[int, ...]  # distinct numbers with no passage behind them
    quotes: tuple[CheckedQuote, ...]  # those judged, in order

    @property
    def flagged_quotes(self) -> tuple[CheckedQuote, ...]:
        """The quotations that do not stand in the passage they cite."""
        return tuple(quote for quote in self.quotes if not quote.ok)


def check(text: str, passages: Mapping[int, str]) -> CheckedText:
    """Check ``text`` against the ``passages`` it was written from, by number."""
    quotations = find_quotations(text)
    citations, trimmed = find_citations(text, quotations, passages)
    quotes = []
    for index, quotation in enumerate(quotations):
        inner = trimmed.get(index, quotation.inner)
        numbers, adjacent = _cited_by(text, index, quotations, citations)
        if not numbers and quotation.word_count == 0:
            continue
        if quotation.word_count <= _TERM_WORDS and not adjacent:
            continue
        quotes.append(_judge(inner, numbers, passages))
    used = list(dict.fromkeys(n for citation in citations for n in citation.numbers))
    return CheckedText(
        text=rewrite(text, citations, {n: n for n in passages}),
        citations=tuple(n for n in used if n in passages),
        flagged_citations=tuple(n for n in used if n not in passages),
        quotes=tuple(quotes),
    )


def find_citations(
    text: str, quotations: Sequence[Quotation], passages: Mapping[int, str]
) -> tuple[list[Citation], dict[int, str]]:
    """The citations of ``text``; and, by index, the inner text of quotations that one was typed into.

    A bracket inside a quotation is the book's own, unless it ends the quotation and the words stand in that
    passage without it.
    """
    found: list[Citation] = []
    trimmed: dict[int, str] = {}
    for match in _CITATION.finditer(text):
        holder = next((i for i, q in enumerate(quotations) if q.start < match.start() < q.end), None)
        if holder is not None:
            quotation = quotations[holder]
            tail = _TRAILING_CITATION.search(quotation.inner)
            inside = tail is not None and match.start() >= quotation.start + 1 + tail.start()
            if not inside or any(
                locate(quotation.inner, p) and _CITATION.search(p) for p in passages.values()
            ):
                continue
            bare = quotation.inner[: tail.start()] if tail else quotation.inner
            if not any(locate(bare, passages[n]) for n in _numbers(match[1]) if n in passages):
                continue
            trimmed[holder] = bare
        found.append(Citation(match.start(), match.end(), _numbers(match[1])))
    return found, trimmed


def _numbers(inside: str) -> tuple[int, ...]:
    """The numbers of "1, 2", "1-3", "1 and 4"; a range runs from the smaller to the larger."""
    numbers: list[int] = []
    for first, last, single in _RANGE.findall(inside):
        if single:
            numbers.append(int(single))
            continue
        low, high = sorted((int(first), int(last)))
        numbers += range(low, high + 1) if high - low <= _WIDEST_RANGE else [low, high]
    return tuple(dict.fromkeys(numbers))


def _cited_by(
    text: str, index: int, quotations: Sequence[Quotation], citations: Sequence[Citation]
) -> tuple[tuple[int, ...], bool]:
    """The numbers that a quotation cites, and whether they stand right beside it.

    They are those of the first bracket after it in its sentence, with the brackets joined on to that one;
    else those of a bracket before it in its sentence that no other quotation has claimed.
    """
    quotation = quotations[index]
    within = [c for c in citations if quotation.start < c.start < quotation.end]
    if within:
        return within[0].numbers, True
    after = [c for c in citations if c.start >= quotation.end]
    if after and not _SENTENCE_END.search(text, max(quotation.start, quotation.end - 3), after[0].start):
        numbers = list(after[0].numbers)
        end = after[0].end
        for citation in after[1:]:
            if text[end : citation.start].strip():
                break
            numbers += citation.numbers
            end = citation.end
        adjacent = _ADJACENT.fullmatch(text, quotation.end, after[0].start) is not None
        return tuple(dict.fromkeys(numbers)), adjacent
    before = [c for c in citations if c.end <= quotation.start]
    if before and not _SENTENCE_END.search(text, before[-1].end, quotation.start):
        claimed = any(
            q.end <= before[-1].start and not _SENTENCE_END.search(text, max(0, q.end - 3), before[-1].start)
            for q in quotations[:index]
        )
        if not claimed:
            return before[-1].numbers, False
    return (), False


def _judge(inner: str, numbers: tuple[int, ...], passages: Mapping[int, str]) -> CheckedQuote:
    """Look for the words in the passages cited, then in the others."""
    cited = [n for n in numbers if n in passages] if numbers else list(passages)
    for number in cited:
        if locate(inner, passages[number]):
            return CheckedQuote(inner, numbers, "verbatim", number)
    for number, passage in passages.items():
        if number not in cited and locate(inner, passage):
            return CheckedQuote(inner, numbers, "elsewhere", number)
    return CheckedQuote(inner, numbers, "not_in_passage", None)


def rewrite(text: str, citations: Sequence[Citation], numbers: Mapping[int, int]) -> str:
    """``text`` with every citation number replaced by ``numbers[n]``, and taken out where there is none."""
    pieces: list[str] = []
    at = 0
    for citation in citations:
        kept = list(dict.fromkeys(numbers[n] for n in citation.numbers if n in numbers))
        before = text[at : citation.start]
        if kept == list(citation.numbers):
            pieces += [before, text[citation.start : citation.end]]
        elif kept:
            pieces += [before, f"[{', '.join(map(str, kept))}]"]
        else:
            pieces.append(before.rstrip(" \t\u00a0"))
        at = citation.end
    return "".join([*pieces, text[at:]])
