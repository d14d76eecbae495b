"""Dividing a stream of paragraphs into the units that packing puts together.

A unit is a sentence. A heading is one unit with the sentence after it, so that no passage ends with a
heading. A sentence longer than a passage may be is divided at inner boundaries, best first: line of verse,
``; :``, dash or bracket, comma, space, and inside a word on a token boundary that divides no grapheme.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from jung_pipeline.chunk import packing
from jung_pipeline.chunk.packing import Units
from jung_pipeline.chunk.tokens_tiktoken import TokenCounts
from jung_pipeline.text.sentences import sentence_spans

#: Tokens of each text as the embedder would read it, prefix and special tokens counted.
EmbedderCounter = Callable[[list[str]], list[int]]

_CLOSERS = r"[\"'”’“»«›‹)\]}]*"
#: Inner boundaries, best first: a cut may be made behind the match.
_INNER = (
    (packing.LINE_END, regex.compile(r"\n\s*")),
    (packing.CLAUSE_END, regex.compile(rf"[;:]{_CLOSERS}\s+")),
    (packing.DASH, regex.compile(r"(?:—|–|--)\s*|[)\]]\s+")),
    (packing.COMMA, regex.compile(rf",{_CLOSERS}\s+")),
)
_SPACES = regex.compile(r"\s+")
_GRAPHEME = regex.compile(r"\X")


@dataclass(frozen=True)
class Paragraph:
    """A paragraph's place in the stream."""

    start: int
    end: int
    chapter: int
    heading: bool


@dataclass(frozen=True)
class UnitLimits:
    """What a single unit may not exceed."""

    tokens: int
    embedder_tokens: int  # prefix and special tokens counted


def fixed_tokens(count_embedder_tokens: EmbedderCounter) -> int:
    """Tokens that every text has besides its own: prefix and special tokens.

    Taken from what two words cost apart and together: an empty text is no guide, since the blank behind a
    prefix may be a token only where nothing follows it.
    """
    apart, together = count_embedder_tokens(["word", "word word"])
    return max(0, 2 * apart - together)


def divide(
    text: str,
    paragraphs: Sequence[Paragraph],
    counts: TokenCounts,
    limits: UnitLimits,
    count_embedder_tokens: EmbedderCounter,
    *,
    language: str | None,
    sentence_end: float = packing.SENTENCE_END,
) -> tuple[Units, list[int]]:
    """The units of a stream, and the index after the last unit of each chapter.

    Args:
        text: The paragraphs joined by blank lines.
        paragraphs: Their places in ``text``, in order.
        counts: The tokens of ``text``.
        limits: What a unit may not exceed; longer sentences are divided.
        count_embedder_tokens: See :data:`EmbedderCounter`.
        language: Of the text, for the sentence rules.
        sentence_end: Cost of ending a passage inside a paragraph.
    """
    spans, costs, bodies, chapters = _sentences(text, paragraphs, language, sentence_end)
    overhead = fixed_tokens(count_embedder_tokens)
    embedded = count_embedder_tokens([text[start:end] for start, end in spans]) if spans else []
    heads, tails, _ = counts.edges([start for start, _ in spans], [end for _, end in spans])
    units = Units()
    chapter_ends: list[int] = []
    done = 0  # spans that are units already
    for i, (start, end) in enumerate(spans):
        new_chapter = bool(i) and chapters[i] != chapters[i - 1]
        tokens = heads[i] + tails[i]
        fits = tokens <= limits.tokens and embedded[i] <= limits.embedder_tokens
        if fits and not new_chapter:
            continue
        units.extend(spans[done:i], costs[done:i], heads[done:i], tails[done:i], embedded[done:i], overhead)
        done = i
        if new_chapter:
            chapter_ends.append(len(units))
        if fits:
            continue
        done = i + 1
        splitter = _Splitter(text, counts, limits, count_embedder_tokens, overhead)
        pieces = splitter.split(start, end, bodies[i], tokens, embedded[i])
        piece_heads, piece_tails, _ = counts.edges(
            [piece[0] for piece in pieces], [piece[1] for piece in pieces]
        )
        for (low, high, cost, number), head, tail in zip(pieces, piece_heads, piece_tails, strict=True):
            units.add(low, high, cost, head, tail, number - overhead)
        units.cut_costs[-1] = costs[i]
    if spans:
        units.extend(spans[done:], costs[done:], heads[done:], tails[done:], embedded[done:], overhead)
        chapter_ends.append(len(units))
    return units, chapter_ends


def _sentences(
    text: str, paragraphs: Sequence[Paragraph], language: str | None, sentence_end: float
) -> tuple[list[tuple[int, int]], list[float], list[int], list[int]]:
    """Sentences, headings glued to what follows.

    Returns:
        Their spans, the costs of a cut behind them, where the sentence without its heading begins, and the
        chapters.
    """
    spans: list[tuple[int, int]] = []
    costs: list[float] = []
    bodies: list[int] = []
    chapters: list[int] = []
    at = 0
    heading_start = -1
    for start, end in sentence_spans(text, language=language):
        while paragraphs[at].end <= start:
            at += 1
        paragraph = paragraphs[at]
        last = end >= paragraph.end
        if paragraph.heading:
            if heading_start < 0:
                heading_start = start
            more = at + 1 < len(paragraphs) and paragraphs[at + 1].chapter == paragraph.chapter
            if more or not last:
                continue
        spans.append((start if heading_start < 0 else heading_start, end))
        bodies.append(start)
        chapters.append(paragraph.chapter)
        if not last:
            costs.append(sentence_end)
        else:
            leads_in = text[end - 1] in ":,;—–" or text.endswith("--", start, end)
            costs.append(packing.LEADING_IN if leads_in else packing.PARAGRAPH_END)
        heading_start = -1
    return spans, costs, bodies, chapters


class _Splitter:
    """Divides one over-long unit."""

    def __init__(
        self,
        text: str,
        counts: TokenCounts,
        limits: UnitLimits,
        count_embedder_tokens: EmbedderCounter,
        overhead: int,
    ) -> None:
        self.text, self.counts, self.limits = text, counts, limits
        self.count_embedder_tokens, self.overhead = count_embedder_tokens, overhead
        self.body = 0

    def split(
        self, start: int, end: int, body: int, tokens: int, embedded: int
    ) -> list[tuple[int, int, float, int]]:
        """Pieces of ``text[start:end]`` as (start, end, cost of a cut behind, embedder tokens).

        ``body`` is where a heading glued to the front ends.
        """
        self.body = body
        # Pieces of a third of the limit leave packing some choice. Both limits in cl100k tokens:
        per_token = max(embedded - self.overhead, 1) / max(tokens, 1)
        room = max(self.limits.embedder_tokens - self.overhead, 1) / per_token
        grain = max(1, int(min(self.limits.tokens, room) / 3))
        cuts: dict[int, float] = {}
        if body > start and self.counts.estimate(start, body) > grain:
            for match in _INNER[0][1].finditer(self.text, start, body):
                if match.end() < body:
                    cuts[match.end()] = packing.BETWEEN_HEADINGS
        for cost, pattern in _INNER:
            for match in pattern.finditer(self.text, body, end):
                cuts.setdefault(match.end(), cost)
        self._cut_finer(start, end, grain, cuts)
        return self._checked(start, end, cuts)

    def _cut_finer(self, start: int, end: int, grain: int, cuts: dict[int, float]) -> None:
        """Add cuts at spaces, then inside words, where pieces are longer than ``grain``."""
        step = max(1, grain // 16)
        for cost in (packing.SPACE, packing.HARD):
            for low, high in self._pieces(start, end, cuts):
                if self.counts.estimate(low, high) <= grain:
                    continue
                places: Sequence[int]
                if cost == packing.SPACE:
                    found = [m.end() for m in _SPACES.finditer(self.text, low, high)]
                    places = [place for place in found if not self._ends_heading(place)]
                else:
                    places = self._hard_places(low, high)
                before = low
                for place in places:
                    if low < place < high and self.counts.estimate(before, place) >= step:
                        cuts.setdefault(place, packing.INSIDE_HEADING if place < self.body else cost)
                        before = place

    def _hard_places(self, low: int, high: int) -> list[int]:
        """Offsets where a token and a grapheme begin together; else graphemes; else characters."""
        graphemes = [match.start() for match in _GRAPHEME.finditer(self.text, low, high)][1:]
        both = [
            place
            for place, begins in zip(graphemes, self.counts.begins_token(graphemes), strict=True)
            if begins
        ]
        for places in (both, graphemes, list(range(low + 1, high))):
            inside = [place for place in places if not self._ends_heading(place)]
            if inside:
                return inside
        return [low + 1]

    def _ends_heading(self, place: int) -> bool:
        """Whether a cut here would part a heading from its text."""
        return place <= self.body and not self.text[place : self.body].strip()

    def _pieces(self, start: int, end: int, cuts: dict[int, float]) -> list[tuple[int, int]]:
        places = [start, *sorted(place for place in cuts if start < place < end), end]
        return list(pairwise(places))

    def _checked(self, start: int, end: int, cuts: dict[int, float]) -> list[tuple[int, int, float, int]]:
        """The pieces with their embedder tokens; those that are still too long are halved until they fit."""
        while True:
            pieces = self._trimmed(start, end, cuts)
            embedded = self.count_embedder_tokens([self.text[low:high] for low, high, _ in pieces])
            again = False
            for (low, high, _), number in zip(pieces, embedded, strict=True):
                too_long = (
                    number > self.limits.embedder_tokens or self.counts.count(low, high) > self.limits.tokens
                )
                if too_long and high - low > 1:
                    places = self._hard_places(low, high)
                    cuts[places[len(places) // 2]] = packing.HARD
                    again = True
            if not again:
                return [(*piece, number) for piece, number in zip(pieces, embedded, strict=True)]

    def _trimmed(self, start: int, end: int, cuts: dict[int, float]) -> list[tuple[int, int, float]]:
        """The pieces without white space at their ends; blank ones are left out."""
        pieces = []
        for low, high in self._pieces(start, end, cuts):
            stripped = self.text[low:high].strip()
            if stripped:
                low += len(self.text[low:high]) - len(self.text[low:high].lstrip())
                pieces.append((low, low + len(stripped), cuts.get(high, 0.0)))
        return pieces
