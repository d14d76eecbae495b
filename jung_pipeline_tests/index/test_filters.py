"""Filters and cut-offs of the embedded index where segments are told apart without looking at their rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.vector_index import Where
from jung_pipeline_tests.index.passages import chunk_table, spec, vectors_of


def test_a_column_that_has_every_value_asked_for_still_leaves_out_rows_without_one(tmp_path: Path) -> None:
    index = EmbeddedIndex(tmp_path, spec())
    chunks = chunk_table("a", ["One.", "Two.", "Three."], language=[None, "en", "de"])
    index.replace_volume("a", chunks, vectors_of(chunks))
    question = vectors_of(chunks)[0]
    found = {m.chunk_id for m in index.query(question, top_k=9, where=Where(languages=("de", "en")))}
    assert found == set(chunks.column("chunk_id").to_pylist()[1:])
    assert len(index.query(question, top_k=9, where=Where(kinds=("body", "note")))) == 3
    assert not index.query(question, top_k=9, where=Where(authors=("nobody",)))


def test_equal_scores_in_several_volumes_are_ordered_by_id_where_the_answer_is_cut_off(
    tmp_path: Path,
) -> None:
    index = EmbeddedIndex(tmp_path, spec())
    vector = np.eye(8, dtype=np.float32)[0]
    ids: list[str] = []
    for volume in ("b", "a"):
        chunks = chunk_table(volume, [f"{volume} {number}." for number in range(9)])
        index.replace_volume(volume, chunks, np.tile(vector, (9, 1)))
        ids += chunks.column("chunk_id").to_pylist()
    assert [match.chunk_id for match in index.query(vector, top_k=4)] == sorted(ids)[:4]
