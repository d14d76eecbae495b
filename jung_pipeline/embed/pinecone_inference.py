"""multilingual-e5-large hosted by Pinecone (see :class:`~jung_pipeline.embed.embedder.Embedder`).

The service puts the prefix on by ``input_type`` (see ``inputs.py``); ``truncate`` is NONE, so a text that is
too long is an error and never loses its end. Tokens are counted here before anything is sent, and sent no
faster than the plan's quota by the minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from pinecone import Pinecone

from jung_pipeline.embed import e5_tokenizers
from jung_pipeline.embed.e5_tokenizers import XlmrTokenizer
from jung_pipeline.embed.embedder import EmbedderSpec, Vectors
from jung_pipeline.embed.inputs import passage_input, query_input
from jung_pipeline.embed.limits import encode_within, unit
from jung_pipeline.errors import EmbeddingError
from jung_pipeline.index.pinecone_client import PATIENCE, READER_DEADLINE, READER_PATIENCE, call, client

#: Texts in one request (https://docs.pinecone.io/guides/inference/understanding-inference).
MAX_TEXTS = 96


class PineconeE5:
    """Embedder over Pinecone's inference service; the key is read when it is first called."""

    def __init__(
        self,
        spec: EmbedderSpec,
        *,
        host: str | None = None,
        tokens_per_minute: int = 250_000,
        vocabulary: Path | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``vocabulary`` is the file the tokens are counted with, as for ``e5_weights.load``."""
        self.spec = spec
        self._host = host
        self._vocabulary = vocabulary
        self._sleep = sleep
        self._limiter = TokenLimiter(tokens_per_minute, sleep=sleep)

    @property
    def _tokenizer(self) -> XlmrTokenizer:
        return e5_tokenizers.load(self._vocabulary)

    def count_tokens(self, passages: Sequence[str]) -> list[int]:
        """Tokens the model reads for each passage, prefix and special tokens counted."""
        return self._tokenizer.count([passage_input(self.spec, text) for text in passages])

    def embed_passages(
        self, passages: Sequence[str], *, on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        """Unit vectors, shape (len(passages), 1024).

        Raises:
            EmbeddingError: a passage is over 512 tokens, or the service gave no usable vectors.
            ServiceError: the service failed for longer than a quota by the minute lasts.
        """
        inputs = [passage_input(self.spec, text) for text in passages]
        return self._embed_all(passages, inputs, "passage", on_batch)

    def embed_queries(self, questions: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(questions), 1024); raises as :meth:`embed_passages` does."""
        inputs = [query_input(self.spec, question) for question in questions]
        return self._embed_all(questions, inputs, "query", None)

    def _embed_all(
        self,
        texts: Sequence[str],
        inputs: Sequence[str],
        kind: Literal["passage", "query"],
        on_batch: Callable[[int], None] | None,
    ) -> Vectors:
        """Vectors of bare ``texts``; ``inputs`` are what the model reads, for counting."""
        tokens = [len(ids) for ids in encode_within(self._tokenizer, self.spec, inputs)]
        pinecone = client(self._host)
        parts = [np.empty((0, self.spec.dimension), dtype=np.float32)]
        done = 0
        for rows in _batches(tokens, self._limiter.most):
            self._limiter.take(sum(tokens[row] for row in rows))
            parts.append(self._embed(pinecone, [texts[row] for row in rows], kind))
            done += len(rows)
            if on_batch:
                on_batch(done)
        return np.concatenate(parts)

    def embed_query(self, question: str) -> Vectors:
        """The unit vector of a question, shape (1024,); the service itself refuses one that is too long.

        Raises:
            ServiceError: the service is down: somebody waits for an answer, so it is told within seconds.
        """
        pinecone = client(self._host, for_reader=True)
        return self._embed(pinecone, [question], "query", patience=READER_PATIENCE, deadline=READER_DEADLINE)[
            0
        ]

    def _embed(
        self,
        pinecone: Pinecone,
        texts: list[str],
        kind: Literal["passage", "query"],
        *,
        patience: float = PATIENCE,
        deadline: float | None = None,
    ) -> Vectors:
        answer = call(
            f"embedding {len(texts)} text(s)",
            lambda: pinecone.inference.embed(
                model=self.spec.model,
                inputs=[text.replace("\0", "") for text in texts],
                parameters={"input_type": kind, "truncate": "NONE"},
            ),
            patience=patience,
            deadline=deadline,
            sleep=self._sleep,
        )
        vectors = [np.asarray(answer[row].values, dtype=np.float32) for row in range(len(answer.data))]
        if len(vectors) != len(texts) or any(v.shape != (self.spec.dimension,) for v in vectors):
            raise EmbeddingError(
                f"Pinecone gave {len(vectors)} vectors for {len(texts)} texts, or of another length."
            )
        matrix = np.stack(vectors)
        if not np.isfinite(matrix).all() or not np.linalg.norm(matrix, axis=1).all():
            raise EmbeddingError("Pinecone gave a vector that is not finite, or of zero length.")
        return unit(matrix)


def _batches(tokens: Sequence[int], most: int) -> Iterator[list[int]]:
    """Row numbers in order, at most :data:`MAX_TEXTS` and ``most`` tokens together."""
    batch: list[int] = []
    held = 0
    for row, count in enumerate(tokens):
        if batch and (len(batch) == MAX_TEXTS or held + count > most):
            yield batch
            batch, held = [], 0
        batch.append(row)
        held += count
    if batch:
        yield batch


class TokenLimiter:
    """Keeps the tokens taken in any minute under a quota, by waiting."""

    def __init__(
        self,
        per_minute: int,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``per_minute`` is the quota."""
        self.most = per_minute
        self._sleep = sleep
        self._clock = clock
        self._taken: list[tuple[float, int]] = []

    def take(self, tokens: int) -> None:
        """Wait until ``tokens`` more fit into the last sixty seconds, then count them."""
        while True:
            now = self._clock()
            self._taken = [(at, count) for at, count in self._taken if now - at < 60]
            if not self._taken or sum(count for _, count in self._taken) + tokens <= self.most:
                self._taken.append((now, tokens))
                return
            self._sleep(max(0.01, self._taken[0][0] + 60 - now))
