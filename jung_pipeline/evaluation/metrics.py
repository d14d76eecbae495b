"""The figures of retrieval and of judging relevance, from ranks and scores alone.

A rank is 1-based; ``None`` means not found among the passages looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

Ranks = Sequence[int | None]  # of the groups of one question


def recall(ranks: Ranks, k: int) -> float:
    """Share of a question's groups that were hit among the first ``k`` passages."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def reciprocal_rank(ranks: Ranks) -> float:
    """One over the rank of the first hit of any group; 0 without one."""
    best = min((rank for rank in ranks if rank is not None), default=None)
    return 1 / best if best else 0.0


def ndcg(ranks: Ranks, k: int) -> float:
    """Discounted gain of the groups' first hits among the first ``k`` passages, over the best possible one."""
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank is not None and rank <= k)
    best = sum(1 / math.log2(place + 1) for place in range(1, min(len(ranks), k) + 1))
    return min(1.0, gain / best)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Chance that a score of the one kind is above one of the other, ties half; ``None`` without both kinds."""
    if not positive or not negative:
        return None
    above = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return above / (len(positive) * len(negative))


def mean(values: Sequence[float]) -> float | None:
    """The mean; ``None`` of nothing."""
    return sum(values) / len(values) if values else None


def bootstrapped(values: Sequence[float], *, draws: int = 1000) -> tuple[float, float]:
    """Between which values nine tenths of the means lie when as many ``values`` are drawn again; always the same."""
    if not values:
        return 0.0, 0.0
    random = Random(0)
    means = sorted(sum(random.choices(values, k=len(values))) / len(values) for _ in range(draws))
    return means[draws // 20], means[-draws // 20 - 1]
