"""Every promise that is checked, in one place: stage, name, severity, and what it says.

A name is a statement in the present tense that is true when the check passes. The rules that hold tables against the
promises stand beside the stages' modules (``text_rules.py``, ``chunk_rules.py``, …); a promise whose description says
"(a warning" may be broken without stopping the volume, every other one stops it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jung_pipeline.quality import card_rules, chunk_rules, embedding_rules, index_rules, text_rules
from jung_pipeline.quality.outcome import Severity

_INDEX_PROMISES = {
    "index_agrees_with_the_chunks": "One vector for every passage and none besides, by id, content, dimension and "
    "length. A version of which this is not true is never made.",
    "index_is_up_to_date": "What readers see is what the library would give now: no volume is missing, none is in an "
    "older state (a warning; what hinders each is listed).",
}

_EVALUATION_PROMISES = {
    "off_topic_questions_are_refused": "At most one in twenty questions that these books cannot answer is answered "
    "(a warning).",
    "answerable_questions_are_answered": "At most one in twenty questions that these books answer is refused (a "
    "warning).",
    "retrieval_has_not_become_worse": "Recall among six passages has not fallen since the last evaluation (a warning).",
}

_BY_STAGE: Mapping[str, Mapping[str, str]] = {
    "raw_text": text_rules.RAW_TEXT_PROMISES,
    "cleaned_text": {**text_rules.CLEANED_TEXT_PROMISES, **card_rules.CARD_PROMISES},
    "chunks": chunk_rules.CHUNK_PROMISES,
    "embeddings": embedding_rules.EMBEDDING_PROMISES,
    "vector_index": index_rules.VECTOR_INDEX_PROMISES,
    "index_manifest": _INDEX_PROMISES,
    "evaluation": _EVALUATION_PROMISES,
}


@dataclass(frozen=True)
class Promise:
    """One promise of a stage."""

    stage: str
    name: str
    description: str

    @property
    def severity(self) -> Severity:
        """``error`` stops what comes after, ``warning`` is shown."""
        return "warning" if "(a warning" in self.description else "error"


def promises(stage: str | None = None) -> Iterator[Promise]:
    """The promises of ``stage``, or of all."""
    for name, descriptions in _BY_STAGE.items():
        if stage in (None, name):
            yield from (Promise(name, check, description) for check, description in descriptions.items())


def promise(name: str) -> Promise:
    """The promise called ``name``; no two stages share a name."""
    return next(one for one in promises() if one.name == name)
