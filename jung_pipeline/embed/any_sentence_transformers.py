"""Any sentence-transformers model, for owners with a GPU (see :class:`~jung_pipeline.embed.embedder.Embedder`).

The library is an extra (``pip install 'jung-pipeline[sentence-transformers]'``); what the model states is read in
``model_folder.py``. It would cut a long text off in silence and put its own default prompt on: both are refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

from jung_pipeline.embed.embedder import EmbedderSpec, Vectors
from jung_pipeline.embed.inputs import passage_input, query_input
from jung_pipeline.embed.limits import encode_within, unit
from jung_pipeline.errors import EmbeddingError

#: Texts that are embedded between two reports; the model sorts them by length and makes its own batches.
LOT = 64


class SentenceTransformersEmbedder:
    """Embedder over sentence-transformers, on the GPU if there is one."""

    def __init__(self, folder: Path, spec: EmbedderSpec, *, threads: int = 0) -> None:
        """Load the model in ``folder``; ``threads`` 0 leaves the number to PyTorch.

        Raises:
            EmbeddingError: it cannot be loaded, or is not what its files say.
        """
        if threads:
            import torch

            torch.set_num_threads(threads)
        try:
            self._model = SentenceTransformer(str(folder), local_files_only=True)
        except Exception as error:  # whatever its files make the library stumble over
            said = " ".join(str(error).split())[:200]
            raise EmbeddingError(
                f"The model in {folder} cannot be loaded ({said}).", remedy="Download it again."
            ) from error
        self.spec = spec
        stated, found = (spec.dimension, spec.max_tokens), (self._dimension(), self._model.max_seq_length)
        if stated != found:
            raise EmbeddingError(
                f"The model in {folder} states vectors of {stated[0]} numbers and {stated[1]} tokens; loaded it has "
                f"{found[0]} and {found[1]}.",
                remedy="Its configuration is wrong: download it again.",
            )

    def _dimension(self) -> int:
        return int(self._model.encode("a word", show_progress_bar=False).shape[-1])

    def encode(self, inputs: Sequence[str]) -> list[list[int]]:
        """Token ids of each exact input, special tokens included, never cut off."""
        if not inputs:
            return []
        # As the model does it, white space at the ends is not read.
        texts = [text.strip() for text in inputs]
        found = self._model.tokenizer(texts, truncation=False, padding=False, verbose=False)["input_ids"]
        return [list(ids) for ids in found]

    def count_tokens(self, passages: Sequence[str]) -> list[int]:
        """Tokens the model reads for each passage, prefix and special tokens counted."""
        return [len(ids) for ids in self.encode([passage_input(self.spec, text) for text in passages])]

    def embed_passages(
        self, passages: Sequence[str], *, on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        """Unit vectors, shape (len(passages), dimension); raises EmbeddingError for a passage that is too long."""
        inputs = [passage_input(self.spec, text) for text in passages]
        encode_within(self, self.spec, inputs)
        parts = [np.empty((0, self.spec.dimension), dtype=np.float32)]
        for start in range(0, len(passages), LOT):
            parts.append(self._embed(passages[start : start + LOT], self.spec.passage_prefix))
            if on_batch:
                on_batch(min(start + LOT, len(passages)))
        return np.concatenate(parts)

    def embed_query(self, question: str) -> Vectors:
        """The unit vector of a question, shape (dimension,)."""
        return np.asarray(self.embed_queries([question])[0], dtype=np.float32)

    def embed_queries(self, questions: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(questions), dimension); raises EmbeddingError for one that is too long."""
        encode_within(self, self.spec, [query_input(self.spec, question) for question in questions])
        if not questions:
            return np.empty((0, self.spec.dimension), dtype=np.float32)
        return self._embed(questions, self.spec.query_prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        # The prefix goes as a prompt: some models leave their prompt out when they average over the tokens.
        vectors = self._model.encode(
            list(texts), prompt=prefix, show_progress_bar=False, convert_to_numpy=True
        )
        return unit(np.asarray(vectors, dtype=np.float32))
