"""From scores to a probability: does this library answer this question?

e5 cosines bunch between 0.7 and 1 whatever is asked, so no fixed cut means anything. When an index version is
published, questions that it can answer (made from its own passages) and questions that it cannot (shipped in
``probes_out_of_corpus.toml``) are put to it, and a ridge logistic regression over a few signals is fitted: by
Newton's method, classes weighted equally, checked by five-fold cross-validation.

The operating point is set from the side where the probes are real questions: the threshold at which
:data:`FALSE_ANSWER_TARGET` of the out-of-corpus probes would be answered. Those that sound at home in the library
(``neighbouring``) are fitted too, but reported apart: whether such a one is answered is a matter of what it asks.
The probes made from the passages are no reader's questions; their error rate is reported but decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from jung_pipeline.embed.embedder import Embedder
from jung_pipeline.index.vector_index import VectorReader
from jung_pipeline.progress import advance
from jung_pipeline.query import probes as probe_module
from jung_pipeline.query.probes import Probe, ProbeVectors
from jung_pipeline.query.retriever import (
    ClosenessReader,
    ConceptLexicon,
    LexicalReader,
    Retriever,
    default_lexicon,
)
from jung_pipeline.query.rewording import OtherWords
from jung_pipeline.query.signals import MEANING, MEANING_AND_WORDS

Floats = npt.NDArray[np.float64]

#: Raised whenever signals, probes or fit change meaning: an older calibration is then made anew.
CALIBRATION_VERSION = "4"
#: The models that are fitted: over all signals, and over those of meaning alone.
MODELS = ("meaning_and_words", "meaning")
#: Share of the out-of-corpus probes that may be answered.
FALSE_ANSWER_TARGET = 0.05
#: A made probe counts as answerable only if its own passage comes back among this many: exchanging words can make
#: another question of it.
FOUND_WITHIN = 6
#: With fewer made probes than this nothing can be fitted.
FEWEST_FOUND = 5
#: Passages that show how near a question comes to what has nothing to do with it.
BACKGROUND_PASSAGES = 128

#: Out-of-corpus probes in another language than what they found, from which a threshold of their own is set.
FEWEST_CROSSING = 10

_FOLDS = 5
_RIDGE = 1e-2
_CURVE_POINTS = 41


class Passages(Protocol):
    """The passages of an index version: rows of ``schemas.CHUNKS`` by id, and all of them."""

    def get(self, chunk_id: str) -> Mapping[str, Any] | None:
        """The row, or ``None``."""
        ...

    def iterate(self, *, columns: Sequence[str] | None = None) -> Iterable[Mapping[str, Any]]:
        """All rows, with these columns alone if given."""
        ...


class Version(Protocol):
    """What calibration needs of an index version."""

    @property
    def passages(self) -> Passages: ...  # noqa: D102
    @property
    def vectors(self) -> VectorReader: ...  # noqa: D102
    @property
    def lexical(self) -> LexicalReader: ...  # noqa: D102
    @property
    def closeness(self) -> ClosenessReader: ...  # noqa: D102


def calibrate(
    version: Version,
    embedder: Embedder,
    *,
    lexicon: ConceptLexicon | None = None,
    vectors: ProbeVectors | None = None,
) -> dict[str, Any]:
    """The calibration of an index version, as JSON-able data for its manifest.

    Args:
        version: passages, vectors and lexical index, readable but not necessarily published.
        embedder: the one that made the vectors.
        lexicon: the concept lexicon; by default the one that ships with the package.
        vectors: a cache of the probes' vectors, so that publishing again costs nothing.

    Returns:
        Models (coefficients over standardised signals), threshold, curve, counts and rates. Empty where the
        index holds too little to ask about: a few sentences.
    """
    kinds = {row["chunk_id"]: row["kind"] for row in version.passages.iterate(columns=["chunk_id", "kind"])}
    lexicon = lexicon or default_lexicon()
    background = probe_module.sample_ids(kinds, BACKGROUND_PASSAGES, "background")
    languages = frozenset(
        row["language"] for row in version.passages.iterate(columns=["language"]) if row["language"]
    )
    retriever = Retriever(
        version.passages,
        version.vectors,
        version.lexical,
        embedder,
        lexicon,
        background,
        languages=languages,
        closeness=version.closeness,
    )
    vectors = vectors or ProbeVectors(None)
    body = [chunk_id for chunk_id, kind in kinds.items() if kind == "body"]
    asked = probe_module.sample_ids(body or kinds, probe_module.IN_CORPUS_PROBES, "probe")
    passages = [p for p in map(retriever.passage, asked) if p is not None and p.text.strip()]
    vocabulary = probe_module.vocabulary(passages)
    others = OtherWords(vocabulary, vectors.of(vocabulary, embedder) if vocabulary else [])
    made = probe_module.in_corpus(passages, others)
    shipped = [
        Probe(text, None, field) for field, texts in probe_module.out_of_corpus().items() for text in texts
    ]
    measured = list(_measure(retriever, embedder, vectors, [*made, *shipped]))
    vectors.save()
    inside = [m for m in measured if m[0].chunk_id is not None and m[2]]
    # A shipped probe whose every word stands in one passage may well be answered here after all.
    outside = [m for m in measured if m[0].chunk_id is None and m[1]["support"] <= 0.99]
    if len(inside) < FEWEST_FOUND:
        return {}
    signals = [m[1] for m in (*inside, *outside)]
    labels = np.array([1.0] * len(inside) + [0.0] * len(outside))
    near = np.array([m[0].field == probe_module.NEIGHBOURING for m in (*inside, *outside)])
    crossing = np.array([m[3] for m in (*inside, *outside)])
    models = {
        name: _fitted(signals, labels, near, crossing, names)
        for name, names in zip(MODELS, (MEANING_AND_WORDS, MEANING), strict=True)
    }
    return {
        "version": CALIBRATION_VERSION,
        "model": embedder.spec.model,
        "background": background,
        "models": models,
        "probes": {
            "in_corpus": len(made),
            "in_corpus_found": len(inside),
            "out_of_corpus": len(shipped),
            "out_of_corpus_used": len(outside),
            "crossing_languages": sum(m[3] for m in outside),
        },
    }


def _measure(
    retriever: Retriever, embedder: Embedder, vectors: ProbeVectors, probes: Sequence[Probe]
) -> Iterable[tuple[Probe, dict[str, float], bool, bool]]:
    """Each probe, its signals, whether its passage came back near the top, whether languages were crossed."""
    of_probes = vectors.of([probe.text for probe in probes], embedder)
    for done, (probe, vector) in enumerate(zip(probes, of_probes, strict=True), start=1):
        candidates = retriever.candidates(probe.text, vector=vector)
        top = candidates.hits[:FOUND_WITHIN]
        found = any(
            probe.chunk_id in (hit.passage.chunk_id, *(p.chunk_id for p in hit.also_in)) for hit in top
        )
        yield probe, retriever.signals(candidates), found, retriever.crosses_languages(candidates)
        if done % 50 == 0 or done == len(probes):
            advance("calibrate", done, len(probes))


# --------------------------------------------------------------------------------------------------
# the fit
# --------------------------------------------------------------------------------------------------


def _fitted(
    signals: Sequence[Mapping[str, float]],
    labels: Floats,
    near: npt.NDArray[np.bool_],
    crossing: npt.NDArray[np.bool_],
    names: Sequence[str],
) -> dict[str, Any]:
    """A model over the signals ``names`` with its operating point and what it costs.

    ``near`` marks the out-of-corpus probes that sound at home in the library; they are reported apart.
    ``crossing`` marks the probes in another language than what they found: all cosines across languages are
    lower, so such questions have an operating point of their own, set from such probes alone.
    """
    values = np.array([[row[name] for name in names] for row in signals], dtype=np.float64)
    mean, spread = values.mean(axis=0), values.std(axis=0)
    scale = np.where(spread < 1e-8, 1.0, spread)  # a signal that never varies says nothing; 0 it must not be
    scaled = (values - mean) / scale
    held_out = _cross_validated(scaled, labels)
    off_topic = (labels == 0) & ~near
    threshold = _operating_point(held_out[off_topic])
    weights = _newton(scaled, labels)
    across = held_out[off_topic & crossing]
    return {
        "signals": list(names),
        "mean": _rounded(mean),
        "scale": _rounded(scale),
        "coefficients": _rounded(weights[1:]),
        "intercept": float(np.round(weights[0], 8)),
        "threshold": threshold,
        "threshold_crossing": (
            min(threshold, _operating_point(across)) if len(across) >= FEWEST_CROSSING else threshold
        ),
        "false_answers": _share(held_out[off_topic] >= threshold),
        "false_answers_neighbouring": _share(held_out[near] >= threshold),
        "false_refusals": _share(held_out[labels == 1] < threshold),
        "curve": _curve(held_out[~near], labels[~near]),
    }


def _newton(values: Floats, labels: Floats) -> Floats:
    """Ridge logistic regression, both classes of equal weight; (intercept, coefficients…).

    The intercept is not penalised. Converges in a few steps; 50 is a bound, not a budget.
    """
    design = np.column_stack([np.ones(len(values)), values])
    balance = np.where(labels == 1, 0.5 / max(labels.sum(), 1), 0.5 / max((1 - labels).sum(), 1))
    penalty = np.diag([1e-9, *([_RIDGE] * values.shape[1])])
    weights = np.zeros(design.shape[1])
    for _ in range(50):
        p = _logistic(design @ weights)
        gradient = design.T @ (balance * (p - labels)) + penalty @ weights
        hessian = (design * (balance * p * (1 - p))[:, None]).T @ design + penalty
        step = np.linalg.solve(hessian + 1e-9 * np.eye(len(weights)), gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def _cross_validated(values: Floats, labels: Floats) -> Floats:
    """Each row's probability under a model that has not seen it; folds are dealt out in order, by class."""
    fold = np.empty(len(labels), dtype=int)
    for label in (0.0, 1.0):
        rows = np.flatnonzero(labels == label)
        fold[rows] = np.arange(len(rows)) % _FOLDS
    out = np.empty(len(labels))
    for number in range(_FOLDS):
        held = fold == number
        weights = _newton(values[~held], labels[~held])
        out[held] = _logistic(np.column_stack([np.ones(held.sum()), values[held]]) @ weights)
    return out


def _operating_point(outside: Floats) -> float:
    """The lowest threshold at which at most the target share of ``outside`` is answered."""
    if not len(outside):
        return 0.5
    ordered = np.sort(outside)[::-1]
    # Of a few probes one may be answered: to allow none would let a single odd one decide.
    allowed = max(1, int(FALSE_ANSWER_TARGET * len(ordered)))
    above = ordered[allowed - 1]
    return float(np.round((above + ordered[min(allowed, len(ordered) - 1)]) / 2, 6))


def _curve(probabilities: Floats, labels: Floats) -> list[list[float]]:
    """(threshold, share of false answers, share of false refusals), for a plot."""
    points = np.linspace(0.0, 1.0, _CURVE_POINTS)
    return [
        [
            round(float(t), 4),
            _share(probabilities[labels == 0] >= t),
            _share(probabilities[labels == 1] < t),
        ]
        for t in points
    ]


def _logistic(values: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-np.clip(values, -35.0, 35.0)))


def _share(flags: npt.NDArray[np.bool_]) -> float:
    return round(float(flags.mean()), 4) if len(flags) else 0.0


def _rounded(values: Floats) -> list[float]:
    return [float(value) for value in np.round(values, 8)]


# --------------------------------------------------------------------------------------------------
# use
# --------------------------------------------------------------------------------------------------


def probability(
    signals: Mapping[str, float], calibration: Mapping[str, Any], model: str = MODELS[0]
) -> float:
    """The probability that the library answers a question with these ``signals``, 0..1, under one model."""
    fitted = calibration["models"][model]
    total = float(fitted["intercept"])
    for name, mean, scale, coefficient in zip(
        fitted["signals"], fitted["mean"], fitted["scale"], fitted["coefficients"], strict=True
    ):
        total += coefficient * (signals[name] - mean) / (scale or 1.0)
    return 1.0 / (1.0 + math.exp(-max(-35.0, min(35.0, total))))


def judge(
    signals: Mapping[str, float], calibration: Mapping[str, Any], *, crosses_languages: bool = False
) -> tuple[float, float]:
    """The probability that the library answers, and the threshold from which it is taken to.

    Where question and passages are in different languages, words meet only through the concept lexicon: that
    they are missing says nothing. Then the model of meaning alone is asked as well, with the threshold for such
    questions, and the more confident of the two decides.
    """
    words, meaning = (calibration["models"][name] for name in MODELS)
    verdicts = [(probability(signals, calibration, MODELS[0]), float(words["threshold"]))]
    if crosses_languages:
        verdicts.append((probability(signals, calibration, MODELS[1]), float(meaning["threshold_crossing"])))
    return max(verdicts, key=lambda verdict: verdict[0] - verdict[1])


def usable(calibration: Mapping[str, Any] | None, model: str) -> bool:
    """Whether a stored calibration is of this version and of the embedder ``model``."""
    return bool(calibration) and (
        (calibration or {}).get("version") == CALIBRATION_VERSION
        and (calibration or {}).get("model") == model
    )
