"""What every embedder states and does. Vendors sit in the modules named after them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class EmbedderSpec:
    """What an index must remember of the model that made its vectors."""

    model: str  # "multilingual-e5-small"; vectors of two models never meet in one index
    dimension: int
    max_tokens: int  # the model reads no more, in its own tokens, prefix and special tokens counted
    passage_prefix: str
    query_prefix: str


class Embedder(Protocol):
    """Turns texts into unit vectors. Callers pass bare texts; the prefixes are put on in ``inputs.py``."""

    @property
    def spec(self) -> EmbedderSpec:
        """Model, dimension, limit and prefixes."""
        ...

    def count_tokens(self, passages: Sequence[str]) -> list[int]:
        """Tokens the model would read for each passage, prefix and special tokens counted."""
        ...

    def embed_passages(
        self, passages: Sequence[str], *, on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        """Unit vectors, shape (len(passages), dimension). ``on_batch`` is told how many are done.

        Raises:
            EmbeddingError: a passage is longer than the model reads, or the model cannot be had.
        """
        ...

    def embed_query(self, question: str) -> Vectors:
        """The unit vector of a question, shape (dimension,)."""
        ...

    def embed_queries(self, questions: Sequence[str]) -> Vectors:
        """Unit vectors of many questions, shape (len(questions), dimension); cheaper than one by one."""
        ...
