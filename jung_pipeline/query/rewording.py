"""Other words for the words of a library, told by the embedder alone, in all its languages at once.

Not a thesaurus to show anybody ("superficial" is next to "deep"): enough to ask a question as a reader would who
does not know how the book puts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from jung_pipeline.index.vector_index import Vectors
from jung_pipeline.text.normalise import stem

#: Words near enough to stand for another: cosine after the mean of all words has been taken out, and how many.
_NEAR, _MOST = 0.4, 4
#: Rows worked on at a time.
_BLOCK = 512


class OtherWords:
    """For each word of a vocabulary, a few others of another stem that are near in meaning."""

    def __init__(self, vocabulary: Sequence[str], vectors: Sequence[Vectors]) -> None:
        """``vectors`` are those of ``vocabulary``, embedded as questions, each word by itself."""
        self._near: dict[str, tuple[str, ...]] = {}
        if len(vocabulary) < 2:
            return
        matrix = np.asarray(vectors, dtype=np.float32)
        matrix = matrix - matrix.mean(axis=0)
        matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
        stems = [stem(word) for word in vocabulary]
        for start in range(0, len(vocabulary), _BLOCK):
            cosines = matrix[start : start + _BLOCK] @ matrix.T
            # Forms of the word itself come first: more are looked at than are kept.
            first = np.argsort(-cosines, axis=1)[:, : 4 * _MOST]
            for row, places in enumerate(first):
                word = start + row
                self._near[vocabulary[word]] = tuple(
                    vocabulary[place]
                    for place in places
                    if stems[place] != stems[word] and cosines[row, place] > _NEAR
                )[:_MOST]

    def choose(self, word: str, random: Random) -> str | None:
        """One of the words near ``word``; ``None`` where there is none."""
        near = self._near.get(word)
        return random.choice(near) if near else None
