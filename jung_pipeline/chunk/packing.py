"""Which units (sentences, mostly) go together into one passage: a dynamic programme over unit ends.

The cost of a passage is that of its size plus that of the place where it ends, in the unit "one hundredth
of the cost of a passage of no length or of twice the target". What follows from the numbers:

* Size: ``100 * ((n - target) / target) ** 2``. Convex, so passages of a chapter come out balanced: two of
  350 rather than 600 and 100. Beyond :data:`BAND` off the target it rises by :data:`OUTSIDE_BAND` more, so that
  a rest is spread over many passages before any of them becomes odd.
* Ending inside a paragraph costs :data:`SENTENCE_END`: a paragraph end is worth some 55 tokens off a target
  of 400, no more.
* Ending inside a sentence is possible only where a sentence had to be divided (``units.py``), and then costs
  more the worse the place is; :data:`BELOW_MINIMUM` is dearer than any of these: the sentence is cut anyway.
* Above a maximum nothing is allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

#: Cost of ending a passage …
PARAGRAPH_END = 0.0
LEADING_IN = 4.0  # … at a paragraph that leads on to the next: "He said:"
SENTENCE_END = 2.0
LINE_END = 6.0  # … inside a sentence, at a line of verse, a list or a table
CLAUSE_END = 8.0  # ; :
DASH = 12.0  # dashes and closing brackets
COMMA = 14.0
SPACE = 40.0
HARD = 80.0  # inside a word
BETWEEN_HEADINGS = 300.0  # only where headings take a third of a passage or more
INSIDE_HEADING = 400.0
#: Cost of a passage shorter than the minimum, on top of that of its size.
BELOW_MINIMUM = 1000.0

#: Share of the target that a passage may be off it before that costs extra.
BAND = 0.2
#: Extra cost of a passage a whole target outside the band.
OUTSIDE_BAND = 250.0

_FORBIDDEN = float("inf")


@dataclass
class Units:
    """Stretches of one text, in order, that packing puts together but never divides.

    The tokens of units i to j together are ``heads[i] + tails[j]`` (see ``TokenCounts``), their embedder
    tokens the sum of ``embedder_tokens`` plus what prefix and special tokens take.
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    cut_costs: list[float] = field(default_factory=list)  # of ending a passage after the unit
    heads: list[int] = field(default_factory=list)
    tails: list[int] = field(default_factory=list)
    embedder_tokens: list[int] = field(default_factory=list)  # without prefix and special tokens

    def __len__(self) -> int:
        return len(self.starts)

    def add(self, start: int, end: int, cut_cost: float, head: int, tail: int, embedder_tokens: int) -> None:
        """Put a unit behind the others."""
        self.starts.append(start)
        self.ends.append(end)
        self.cut_costs.append(cut_cost)
        self.heads.append(head)
        self.tails.append(tail)
        self.embedder_tokens.append(max(embedder_tokens, 0))

    def extend(
        self,
        spans: Sequence[tuple[int, int]],
        cut_costs: Sequence[float],
        heads: Sequence[int],
        tails: Sequence[int],
        embedded: Sequence[int],
        overhead: int,
    ) -> None:
        """Put many units behind the others; of ``embedded`` the ``overhead`` of prefix and specials is taken off."""
        self.starts += [start for start, _ in spans]
        self.ends += [end for _, end in spans]
        self.cut_costs += cut_costs
        self.heads += heads
        self.tails += tails
        self.embedder_tokens += [max(tokens - overhead, 0) for tokens in embedded]


@cache
def size_costs(target: int, maximum: int, minimum: int) -> list[float]:
    """The cost of a passage by its tokens, from 0 to a little above ``maximum``."""
    costs = []
    for n in range(maximum + 1):
        off = abs(n - target) / target
        cost = 100 * off**2 + OUTSIDE_BAND * max(0.0, off - BAND)
        costs.append(cost + (BELOW_MINIMUM if n < minimum else 0))
    return costs + [_FORBIDDEN] * 64


def pack(
    units: Units, first: int, last: int, costs: Sequence[float], maximum: int, embedder_maximum: int
) -> list[int]:
    """The cheapest way to put units ``first`` to ``last`` (exclusive) into passages.

    Args:
        units: The units of a text.
        first: Index of the first unit to pack.
        last: Index after the last.
        costs: From :func:`size_costs`.
        maximum: Most tokens of a passage.
        embedder_maximum: Most embedder tokens of a passage, prefix and special tokens taken off.

    Returns:
        The unit index after each passage, rising; the last is ``last``. A single unit above a maximum is a
        passage of its own.
    """
    count = last - first
    heads, tails = units.heads[first:last], units.tails[first:last]
    cuts = units.cut_costs[first:last]
    if count:
        cuts[-1] = 0.0  # the text ends here whatever we do
    embedded = [0]
    for tokens in units.embedder_tokens[first:last]:
        embedded.append(embedded[-1] + tokens)
    best = [0.0]
    came_from = [0]
    low = 0
    for j in range(count):
        tail, embedded_end = tails[j], embedded[j + 1]
        while low < j and (heads[low] + tail > maximum or embedded_end - embedded[low] > embedder_maximum):
            low += 1
        if low == j:
            size = min(max(heads[j] + tail, 0), maximum)
            choices = [best[j] + costs[size]]
        else:
            choices = [
                before + costs[head + tail]
                for before, head in zip(best[low : j + 1], heads[low : j + 1], strict=True)
            ]
        least = min(choices)
        best.append(least + cuts[j])
        came_from.append(low + choices.index(least))
    ends = []
    at = count
    while at > 0:
        ends.append(first + at)
        at = came_from[at]
    return ends[::-1]
