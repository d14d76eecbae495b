"""What embedding promises about a volume, as pure functions over its tables."""

from __future__ import annotations

import contextlib
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from jung_pipeline.embed.inputs import input_hash
from jung_pipeline.embed.windows import windows_of
from jung_pipeline.errors import EmbeddingError
from jung_pipeline.index.segments import NORM_TOLERANCE
from jung_pipeline.index.vector_index import IndexSpec, Vectors
from jung_pipeline.quality.outcome import CheckOutcome, outcome

EMBEDDING_PROMISES = {
    "every_passage_has_a_vector": "Each passage that is not blank has a vector of the exact text embedded, prefix and all.",
    "every_window_has_a_vector": "Where windows of passages are embedded at all, each has a vector of its exact text.",
    "no_vector_without_passage": "There is no vector that no passage and no window asks for, and none twice.",
    "vectors_are_of_the_models_length": "All vectors are of one model and have its number of values.",
    "vectors_are_finite_and_of_unit_length": "No value is missing or infinite, and every vector has length 1.",
    "different_texts_have_different_vectors": "No two different texts share one vector, as they do when a model fails.",
    "no_passage_is_longer_than_the_model_reads": "No passage loses its end: tokens, prefix counted, are within the limit.",
}


def check_embeddings(embeddings: pa.Table, chunks: pa.Table, spec: IndexSpec) -> list[CheckOutcome]:
    """The promises of ``embeddings`` for the volume of ``chunks`` under the model of ``spec``."""
    passages = list(_passages(chunks, spec))
    held = embeddings.column("text_hash").to_pylist()
    wanted = {key: chunk_id for chunk_id, key in passages}
    windows = [(i, text, input_hash(spec.passage_prefix + text)) for i, text in _windows(chunks)]
    models = set(embeddings.column("model").to_pylist())
    size = embeddings.schema.field("vector").type.list_size
    wrong_model = [{"model": model} for model in sorted(models - {spec.model})]
    if size != spec.dimension:
        wrong_model.append({"model": f"vectors of {size} values, not {spec.dimension}"})
    matrix = np.asarray(embeddings.column("vector").combine_chunks().flatten() if held else []).reshape(
        -1, size
    )
    norms = np.linalg.norm(matrix, axis=1)
    off = np.flatnonzero(~(np.abs(norms - 1) <= NORM_TOLERANCE))
    tokens = chunks.column("embedder_tokens").to_pylist()
    ids = chunks.column("chunk_id").to_pylist()
    present = set(held)
    texts = {input_hash(spec.passage_prefix + text): text for text in chunks.column("text").to_pylist()}
    # Windows are a setting: all of them, or none.
    lacking = [{"chunk_id": i} for i, _, key in windows if key not in present]
    of_windows = {key for _, _, key in windows} - wanted.keys()
    if present.isdisjoint(of_windows):
        lacking = []
    for chunk_id, text, key in windows:
        texts.setdefault(key, text)
        wanted.setdefault(key, chunk_id)
    findings = {
        "every_passage_has_a_vector": [{"chunk_id": i} for i, key in passages if key not in present],
        "every_window_has_a_vector": lacking,
        "no_vector_without_passage": [
            {"text_hash": key, "times": times}
            for key, times in Counter(held).items()
            if times > 1 or key not in wanted
        ],
        "vectors_are_of_the_models_length": wrong_model,
        "vectors_are_finite_and_of_unit_length": [
            {"chunk_id": wanted.get(held[row], held[row]), "length": float(norms[row])} for row in off
        ],
        "different_texts_have_different_vectors": [
            {"chunk_id": wanted.get(held[row], held[row])}
            for row in _repeated(matrix, [texts.get(key, key) for key in held], spec)
        ],
        "no_passage_is_longer_than_the_model_reads": [
            {"chunk_id": i, "tokens": count}
            for i, count in zip(ids, tokens, strict=True)
            if count > spec.max_tokens
        ],
    }
    metrics = {"vectors": len(held), "passages": len(passages)}
    return [
        outcome(name, EMBEDDING_PROMISES[name], offenders, metrics=metrics)
        for name, offenders in findings.items()
    ]


def _passages(chunks: pa.Table, spec: IndexSpec) -> Iterator[tuple[str, str]]:
    """Id and cache key of each passage that is not blank."""
    for chunk_id, text in zip(
        chunks.column("chunk_id").to_pylist(), chunks.column("text").to_pylist(), strict=True
    ):
        if text.strip():
            yield chunk_id, input_hash(spec.passage_prefix + text)


def _windows(chunks: pa.Table) -> Iterator[tuple[str, str]]:
    """Id of the passage and text of each window."""
    names = ("chunk_id", "text", "language")
    for chunk_id, text, language in zip(*(chunks.column(name).to_pylist() for name in names), strict=True):
        for window in windows_of(text, language):
            yield chunk_id, window


def _repeated(matrix: Vectors, texts: Sequence[str], spec: IndexSpec) -> list[int]:
    """Rows whose vector an earlier row has, although the model read another text there."""
    first: dict[bytes, int] = {}
    pairs = []
    for row, vector in enumerate(matrix):
        earlier = first.setdefault(vector.tobytes(), row)
        if earlier != row:
            pairs.append((earlier, row))
    # Hardly ever any: only then it matters what the model really reads.
    rows = sorted({row for pair in pairs for row in pair})
    read = dict(zip(rows, _as_read([texts[row] for row in rows], spec), strict=True))
    return [row for earlier, row in pairs if read[earlier] != read[row]]


def _as_read(texts: Sequence[str], spec: IndexSpec) -> list[Hashable]:
    """What the model of ``spec`` reads of each text: equal where texts differ in what its tokenizer folds.

    For e5 these are the tokens themselves; without its vocabulary at hand, and for other models, the text
    without the differences that tokenizers commonly fold: width and composition (NFKC), case, blanks.
    """
    if "e5" in spec.model and texts:
        from jung_pipeline.embed import e5_unigram

        with contextlib.suppress(EmbeddingError):
            return [tuple(ids) for ids in e5_unigram.load().encode([spec.passage_prefix + t for t in texts])]
    return [" ".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in texts]
