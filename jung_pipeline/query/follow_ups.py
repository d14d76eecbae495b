"""Questions to go on with: concepts near an answer, each offered only if these books answer a question about it.

Candidates are the concepts of the answer's text and of its passages, and those that the lexicon relates to what was
asked. They are ranked by how often they come up there, and by how much more often than by chance they stand in one
passage with the concepts asked about (the logarithm of the lift) anywhere in the library.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from jung_pipeline.query.frames import frame_of
from jung_pipeline.query.passages import SearchResult
from jung_pipeline.query.retriever import ConceptLexicon
from jung_pipeline.text.normalise import language_of

#: Follow-ups offered at most, and candidates that are tried for them: trying one costs a search.
MOST, TRIED = 4, 6
#: What a mention counts: in the answer's text, in a passage that it is from, in another that was found, and a
#: relation in the lexicon to a concept asked about.
IN_TEXT, IN_SOURCE, IN_HIT, RELATED = 2.0, 1.0, 0.5, 1.0
#: The lift counts up to this many natural logarithms (20 times as often as by chance).
_MOST_LIFT = 3.0


@dataclass(frozen=True)
class FollowUp:
    """A concept to go on with."""

    concept: str  # its name in the lexicon: English, lower case
    label: str  # its name in the language of the question that was asked
    question: str  # in that language; asking it finds passages


@dataclass(frozen=True)
class Cooccurrence:
    """How often concepts stand in the passages of a library, alone and together."""

    passages: int
    alone: Counter[str]
    together: Counter[tuple[str, str]]

    @classmethod
    def of(cls, tagged: Iterable[Sequence[str]]) -> Cooccurrence:
        """Counted over the concepts of every passage."""
        passages, alone, together = 0, Counter[str](), Counter[tuple[str, str]]()
        for concepts in tagged:
            passages += 1
            alone.update(concepts)
            together.update(permutations(concepts, 2))
        return cls(passages, alone, together)

    def lift(self, one: str, other: str) -> float:
        """How many times as often as by chance the two stand together, as a logarithm; 0 if not more often."""
        both = self.together[one, other]
        if not both:
            return 0.0
        return max(0.0, math.log(both * self.passages / (self.alone[one] * self.alone[other])))


def candidates(
    result: SearchResult, text: str, lexicon: ConceptLexicon, cooccurrence: Cooccurrence
) -> list[str]:
    """Concepts near the answer ``text`` and the passages of ``result`` that the question did not name, best first."""
    asked = lexicon.match_query(result.question)
    kept = {hit.passage.chunk_id for hit in result.kept}
    scores: dict[str, float] = {}

    def count(concepts: Iterable[str], worth: float) -> None:
        for concept in concepts:
            if concept not in asked and cooccurrence.alone[concept]:
                scores[concept] = scores.get(concept, 0.0) + worth

    count(lexicon.match_query(text), IN_TEXT)
    for hit in result.hits:
        count(hit.passage.concepts, IN_SOURCE if hit.passage.chunk_id in kept else IN_HIT)
    for concept in asked:
        count(lexicon.related(concept), RELATED)
    for concept in scores:
        lifts = [cooccurrence.lift(other, concept) for other in asked]
        scores[concept] += min(_MOST_LIFT, max(lifts, default=0.0)) / _MOST_LIFT
    return sorted(scores, key=lambda concept: (-scores[concept], concept))


def follow_ups(
    result: SearchResult,
    text: str,
    lexicon: ConceptLexicon,
    cooccurrence: Cooccurrence,
    search: Callable[[Sequence[str]], Iterable[SearchResult]],
) -> tuple[FollowUp, ...]:
    """At most :data:`MOST` follow-ups; ``search`` is asked about :data:`TRIED` candidates at once.

    One is offered only if the library answers it, from a passage that has not been shown yet.
    """
    near = candidates(result, text, lexicon, cooccurrence)[:TRIED]
    offered = [_follow_up(concept, result.question, lexicon) for concept in near]
    shown = {hit.passage.chunk_id for hit in result.kept}
    found = search([follow_up.question for follow_up in offered]) if offered else ()
    fit = [
        follow_up
        for follow_up, answer in zip(offered, found, strict=True)
        if any(hit.passage.chunk_id not in shown for hit in answer.kept)
    ]
    return tuple(fit[:MOST])


def _follow_up(concept: str, question: str, lexicon: ConceptLexicon) -> FollowUp:
    named = lexicon.concepts.get(concept)
    german = language_of(question) == "de" and named is not None and named.de
    label = named.de[0] if german and named is not None else concept
    return FollowUp(concept, label, frame_of(question).follow_up.format(label=label))
