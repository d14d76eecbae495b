"""One evaluation of a library, kept and held against the one before: what the command and the asset call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jung_pipeline.evaluation import record
from jung_pipeline.evaluation.evaluate import evaluate
from jung_pipeline.evaluation.golden import read
from jung_pipeline.query.library import Library
from jung_pipeline.settings import Settings

#: What the evaluation by the library's own probes is kept under.
PROBES = "probes"


@dataclass(frozen=True)
class Evaluation:
    """The figures of one run, and how they changed since the last one with the same questions."""

    golden: str  # name of the golden set's folder, or "probes"
    report: dict[str, Any]
    changes: dict[str, float]


def golden_folder(settings: Settings) -> Path | None:
    """The owner's golden set: the one that the settings name, else ``golden/`` in the library folder, else none.

    A relative path is one in the library folder, wherever the program was started.
    """
    if settings.golden is not None:
        return settings.home / settings.golden.expanduser()  # an absolute path stays as it is
    default = settings.home / "golden"
    return default if default.is_dir() else None


def run(settings: Settings, golden: Path | None, *, keep: bool = True, ablations: bool = True) -> Evaluation:
    """Evaluate the live index with ``golden``, or, without one, by the probes of its calibration.

    Raises:
        UsageError: the golden set cannot be used.
        VectorIndexError: there is no index yet.
    """
    cases = read(golden) if golden is not None else None
    library = Library.open(settings)
    if golden is not None and cases is not None:
        name = golden.resolve().name
        report = evaluate(library, cases, ablations=ablations).to_dict()
    else:
        name = PROBES
        report = by_probes(library)
    changes = record.changes(report, record.last(settings.home, golden=name, like=report))
    if keep:
        record.keep(settings.home, report, golden=name, version=library.version.manifest.version)
    return Evaluation(name, report, changes)


def by_probes(library: Library) -> dict[str, Any]:
    """What the calibration found by cross-validation on probes; nothing where there is none.

    The probes are passages of this library turned into questions, and questions over fields that no such library
    answers. They say how well a refusal can be trusted, not how well passages are found.
    """
    calibration = library.calibration
    if calibration is None:
        return {}
    model = next(iter(calibration["models"].values()))
    probes = calibration["probes"]
    return {
        "questions_asked": probes["in_corpus_found"],
        "off_topic_asked": probes["out_of_corpus_used"],
        "false_answer_rate": model["false_answers"],
        "near_miss_answer_rate": model["false_answers_neighbouring"],
        "false_refusal_rate": model["false_refusals"],
        "probes_found": round(probes["in_corpus_found"] / max(1, probes["in_corpus"]), 4),
    }
