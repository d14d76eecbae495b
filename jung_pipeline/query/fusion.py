"""From several searches to one list: fusion by scores or ranks, the seed's cut, duplicates shown once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from jung_pipeline.index.vector_index import Match
from jung_pipeline.query.passages import Hit

#: The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): it keeps the first few
#: ranks from outweighing everything else.
RRF_CONSTANT = 60

Key = TypeVar("Key", bound=Hashable)


def reciprocal_rank_fusion(
    rankings: Mapping[str, Sequence[Key]], weights: Mapping[str, float] | None = None
) -> list[tuple[Key, float]]:
    """The items of all rankings by the sum of ``weight / (60 + rank)``, best first.

    Equal sums keep the order of first appearance, so the result depends on nothing but the input.
    """
    weights = weights or {}
    scores: dict[Key, float] = {}
    for name, ranking in rankings.items():
        weight = weights.get(name, 1.0)
        for rank, key in enumerate(dict.fromkeys(ranking), start=1):
            scores[key] = scores.get(key, 0.0) + weight / (RRF_CONSTANT + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def score_fusion(
    scores: Mapping[str, tuple[Mapping[Key, float], float]], weights: Mapping[str, float] | None = None
) -> list[tuple[Key, float]]:
    """The items of all searches by the weighted sum of their scores, best first.

    Each search comes with the score that means nothing. Between that (0) and its best (1) its scores are taken as
    they are, so that a hit far above the rest counts as that, which ranks forget: a convex combination of scores
    finds more than reciprocal ranks (Bruch, Gai and Ingber, TOIS 2023). What a search did not find has 0 there.
    Equal sums keep the order of first appearance.
    """
    weights = weights or {}
    sums: dict[Key, float] = {}
    for name, (found, nothing) in scores.items():
        best = max(found.values(), default=nothing)
        for key, score in found.items():
            share = max(0.0, (score - nothing) / (best - nothing)) if best > nothing else 1.0
            sums[key] = sums.get(key, 0.0) + weights.get(name, 1.0) * share
    return sorted(sums.items(), key=lambda item: -item[1])


def seed_policy(
    matches: Iterable[Match], *, top_k: int = 6, min_score: float = 0.7, keep: int = 3
) -> list[Match]:
    """Of the best ``top_k`` by cosine those strictly above ``min_score``, at most ``keep``, best first.

    NaN is dropped; equal scores keep the order in which they came. This is the fixed cut the project was
    first asked for. With e5 models it lets nearly everything pass (their cosines lie between 0.7 and 1);
    see ``query/calibration.py`` for the cut that means something.
    """
    ordered = sorted((m for m in matches if not math.isnan(m.score)), key=lambda m: -m.score)
    return [m for m in ordered[:top_k] if m.score > min_score][:keep]


def collapse_duplicates(hits: Iterable[Hit]) -> list[Hit]:
    """Each text once, at its best place, the other addresses of the same text beside it."""
    kept: dict[str, Hit] = {}
    for hit in hits:
        key = hit.passage.content_hash or hit.passage.text
        first = kept.get(key)
        kept[key] = hit if first is None else replace(first, also_in=(*first.also_in, hit.passage))
    return list(kept.values())
