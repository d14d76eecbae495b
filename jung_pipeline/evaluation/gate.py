"""Whether a new version of the index is clearly worse than the live one: then it is not made live by itself.

Both are asked the same questions: the owner's golden ones, as far as both have their books, else questions made from a
sample of the passages that both have. What a new volume adds is not held against it, nor what left with a book; only
that something which was found is not found any more, or is refused.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from jung_pipeline.embed.embedder import Embedder
from jung_pipeline.errors import UsageError, VectorIndexError
from jung_pipeline.evaluation import metrics
from jung_pipeline.evaluation.evaluate import QuestionResult, evaluate
from jung_pipeline.evaluation.golden import GoldenSet, read
from jung_pipeline.index.reading import IndexVersion
from jung_pipeline.query import probes as probe_module
from jung_pipeline.query.library import Library
from jung_pipeline.settings import Settings

#: Among how many passages the right one has to be.
WITHIN = 6
#: Fewer questions than this, or fewer passages in common, say nothing.
FEWEST_QUESTIONS, FEWEST_PASSAGES = 5, 30
#: Passages from which questions are made.
_SAMPLE = 100
#: How much a share may fall, and how many standard errors of the differences: less may be chance.
_MAY_FALL, _STANDARD_ERRORS = 0.05, 3.0


def reasons_against(
    new: IndexVersion, live: IndexVersion, settings: Settings, embedder: Embedder, golden: Path | None
) -> list[str]:
    """Why ``new`` is clearly worse than ``live``, in words with figures; none where it is not, or cannot be told.

    Versions of two models have no question vectors in common and are not compared here.
    """
    if (new.manifest.spec.model, new.manifest.spec.dimension) != (
        live.manifest.spec.model,
        live.manifest.spec.dimension,
    ):
        return []
    try:
        before = Library(replace(live, settings=settings, local=True), embedder, settings)
        after = Library(replace(new, settings=settings, local=True), embedder, settings)
    except VectorIndexError:  # a damaged live version is to be replaced, not to be kept
        return []
    if golden is not None:
        with contextlib.suppress(
            UsageError
        ):  # questions that cannot be read hold up nobody; `jung eval` tells
            return _by_golden(before, after, read(golden))
    return _by_passages(before, after)


def _by_golden(before: Library, after: Library, golden: GoldenSet) -> list[str]:
    questions = replace(golden, quotations=())
    old, new = (
        _by_id(evaluate(library, questions, ablations=False).questions) for library in (before, after)
    )
    common = [key for key in old if key in new]
    found = [
        (metrics.recall(old[key].ranks, WITHIN), metrics.recall(new[key].ranks, WITHIN)) for key in common
    ]
    answered = [(float(old[key].answered), float(new[key].answered)) for key in common]
    return [
        *_worse(f"recall among {WITHIN} passages", found, "golden questions"),
        *_worse("the share of questions that are answered", answered, "golden questions"),
    ]


def _by_id(results: Sequence[QuestionResult]) -> Mapping[str, QuestionResult]:
    return {result.id: result for result in results}


def _by_passages(before: Library, after: Library) -> list[str]:
    bodies = [
        {
            row["chunk_id"]
            for row in library.version.passages.iterate(columns=["chunk_id", "kind"])
            if row["kind"] == "body"
        }
        for library in (before, after)
    ]
    common = bodies[0] & bodies[1]
    if len(common) < FEWEST_PASSAGES:
        return []
    sample = probe_module.sample_ids(common, _SAMPLE, "gate")
    made = probe_module.in_corpus([p for p in map(before.retriever.passage, sample) if p is not None])
    pairs = []
    for probe in made[:_SAMPLE]:
        vector = before.retriever.embedder.embed_query(probe.text)
        pairs.append(
            (
                _found(before, probe.text, probe.chunk_id, vector),
                _found(after, probe.text, probe.chunk_id, vector),
            )
        )
    return _worse(
        f"the share of passages found again among {WITHIN}", pairs, "questions made from passages of both"
    )


def _found(library: Library, text: str, chunk_id: str | None, vector: Any) -> float:
    hits = library.retriever.candidates(text, vector=vector).hits[:WITHIN]
    return float(any(chunk_id in (hit.passage.chunk_id, *(p.chunk_id for p in hit.also_in)) for hit in hits))


def _worse(what: str, pairs: Sequence[tuple[float, float]], of: str) -> list[str]:
    """The reason, if the second values are clearly below the first ones: a paired comparison."""
    if len(pairs) < FEWEST_QUESTIONS:
        return []
    falls = [old - new for old, new in pairs]
    error = stdev(falls) / math.sqrt(len(falls))
    if mean(falls) <= max(_MAY_FALL, _STANDARD_ERRORS * error):
        return []
    old, new = (mean(values) for values in zip(*pairs, strict=True))
    return [f"{what} fell from {old:.2f} to {new:.2f} ({len(pairs)} {of})"]
