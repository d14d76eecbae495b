"""What every e5 embedder checks before and after the model: length, and unit norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from jung_pipeline.embed.embedder import EmbedderSpec, Vectors
from jung_pipeline.errors import EmbeddingError


class Tokenizer(Protocol):
    """Turns exact model inputs into token ids, special tokens included."""

    def encode(self, inputs: Sequence[str]) -> list[list[int]]:
        """Token ids of each input."""
        ...


def encode_within(tokenizer: Tokenizer, spec: EmbedderSpec, inputs: Sequence[str]) -> list[list[int]]:
    """The token ids of ``inputs``, prefixes included.

    Raises:
        EmbeddingError: an input has more tokens than the model reads. It is never cut off in silence.
    """
    encoded = tokenizer.encode(inputs)
    for text, ids in zip(inputs, encoded, strict=True):
        if len(ids) > spec.max_tokens:
            raise EmbeddingError(
                f"A text of {len(ids)} tokens is longer than the {spec.max_tokens} that {spec.model} reads: "
                f"“{text[:60]}…”.",
                remedy="Ask shorter, or chunk with a smaller limit (JUNG_CHUNK__MAX).",
            )
    return encoded


def unit(vectors: Vectors) -> Vectors:
    """The rows of ``vectors`` divided by their lengths."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)
