"""The checks after embedding and upsert find what is wrong, and pass what is right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from jung_pipeline import schemas
from jung_pipeline.embed.inputs import input_hash
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.quality.embedding_rules import EMBEDDING_PROMISES, check_embeddings
from jung_pipeline.quality.index_rules import VECTOR_INDEX_PROMISES, check_vector_index
from jung_pipeline_tests.index.passages import chunk_table, spec, vectors_of

TEXTS = ["The wheel turns.", "A crow came.", ""]
CHUNKS = chunk_table("tale", TEXTS)


def embeddings(texts=("The wheel turns.", "A crow came."), vectors=None, model="test-model") -> pa.Table:
    texts = list(texts)
    vectors = vectors_of(chunk_table("tale", texts)) if vectors is None else vectors
    return pa.table(
        {
            "text_hash": [input_hash("passage: " + text) for text in texts],
            "model": [model] * len(texts),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1]),
        },
        schema=schemas.embeddings_schema(vectors.shape[1]),
    )


def failed(outcomes) -> set[str]:
    return {outcome.name for outcome in outcomes if not outcome.passed}


def broken(value: float) -> np.ndarray:
    vectors = vectors_of(chunk_table("tale", TEXTS[:2]))
    vectors[1] = value
    return vectors


def test_good_embeddings_pass_every_promise() -> None:
    outcomes = check_embeddings(embeddings(), CHUNKS, spec())
    assert failed(outcomes) == set()
    assert {outcome.name for outcome in outcomes} == EMBEDDING_PROMISES.keys()


@pytest.mark.parametrize(
    ("table", "chunks", "name"),
    [
        (embeddings(TEXTS[:1]), CHUNKS, "every_passage_has_a_vector"),
        (embeddings([*TEXTS[:2], "Gone."]), CHUNKS, "no_vector_without_passage"),
        (embeddings(model="other"), CHUNKS, "vectors_are_of_the_models_length"),
        (embeddings(vectors=broken(np.nan)), CHUNKS, "vectors_are_finite_and_of_unit_length"),
        (embeddings(vectors=broken(0.9)), CHUNKS, "vectors_are_finite_and_of_unit_length"),
        (
            embeddings(vectors=np.repeat(vectors_of(chunk_table("t", ["x"])), 2, axis=0)),
            CHUNKS,
            "different_texts_have_different_vectors",
        ),
        (
            embeddings(),
            chunk_table("tale", TEXTS, embedder_tokens=513),
            "no_passage_is_longer_than_the_model_reads",
        ),
    ],
)
def test_each_fault_of_embeddings_is_found(table: pa.Table, chunks: pa.Table, name: str) -> None:
    assert name in failed(check_embeddings(table, chunks, spec()))


def test_texts_that_the_model_reads_alike_may_share_a_vector() -> None:
    """Case, blanks and compatible characters are folded by tokenizers; other words are not."""
    alike = ["The ﬁrst  wheel turns.", "the first wheel turns."]
    shared = np.repeat(vectors_of(chunk_table("t", ["x"])), 2, axis=0)
    table = embeddings(alike, shared)
    assert failed(check_embeddings(table, chunk_table("tale", alike), spec())) == set()
    told = {o.name: o for o in check_embeddings(embeddings(TEXTS[:2], shared), CHUNKS, spec())}
    (offender,) = told["different_texts_have_different_vectors"].offenders
    assert offender["chunk_id"] == CHUNKS.column("chunk_id")[1].as_py()


def test_what_e5_reads_alike_is_told_by_its_own_tokens() -> None:
    shared = np.repeat(vectors_of(chunk_table("t", ["x"])), 2, axis=0)
    e5 = spec(model="multilingual-e5-small")
    for texts, fault in (
        (["The ﬁrst\u00a0 wheel\nturns.", "The first wheel turns."], set()),
        (["𓁹 An eye.", "𓁺 An eye."], set()),  # signs that the model does not know
        (["The Wheel turns.", "The wheel turns."], {"different_texts_have_different_vectors"}),
    ):
        table = embeddings(texts, shared, model=e5.model)
        assert failed(check_embeddings(table, chunk_table("tale", texts), e5)) == fault


def test_a_good_upsert_passes_and_a_bad_one_is_found(tmp_path: Path) -> None:
    index = EmbeddedIndex(tmp_path, spec())
    index.replace_volume("tale", CHUNKS, vectors_of(CHUNKS))
    outcomes = check_vector_index(index, "tale", CHUNKS)
    assert failed(outcomes) == set()
    assert {outcome.name for outcome in outcomes} == VECTOR_INDEX_PROMISES.keys()

    more = chunk_table("tale", [*TEXTS, "A new one."])
    assert failed(check_vector_index(index, "tale", more)) == {"every_passage_is_in_the_index"}
    fewer = chunk_table("tale", TEXTS[:1])
    assert failed(check_vector_index(index, "tale", fewer)) == {"no_stale_vector_is_in_the_index"}
    other = chunk_table("tale", TEXTS, content_hash="0" * 64)
    assert failed(check_vector_index(index, "tale", other)) == {"the_index_holds_the_text_of_the_passages"}
