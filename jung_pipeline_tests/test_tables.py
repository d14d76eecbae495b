"""Tables: all or nothing, digests that depend on content alone, facts in the footer."""

from __future__ import annotations

import pyarrow as pa
import pytest

from jung_pipeline import schemas, tables
from jung_pipeline.errors import StageError


def test_facts_about_the_volume_are_read_without_the_rows(tmp_path):
    path = tmp_path / "t" / "v.parquet"
    tables.write_table(path, tables.with_info(pa.table({"a": [1]}), {"pages": 3, "title": "Träume"}))
    assert tables.read_info(path) == {"pages": 3, "title": "Träume"}
    assert tables.read_table(path).to_pydict() == {"a": [1]}
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_table(tmp_path):
    path = tmp_path / "v.parquet"
    tables.write_table(path, pa.table({"a": [1]}))

    def broken(staged):
        staged.write_bytes(b"half a")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        tables.write_atomically(path, broken)
    assert tables.read_table(path).to_pydict() == {"a": [1]}
    assert list(tmp_path.iterdir()) == [path]


def test_the_digest_is_of_the_content_not_of_how_it_is_cut_into_batches():
    whole = pa.table({"a": ["x", "y", None]})
    pieces = pa.concat_tables([whole.slice(0, 1), whole.slice(1)])
    assert tables.content_digest(whole) == tables.content_digest(pieces)
    assert tables.content_digest(whole) == tables.content_digest(tables.with_info(whole, {"made": "later"}))
    assert tables.content_digest(whole) != tables.content_digest(pa.table({"a": ["x", "y", ""]}))


def test_a_damaged_or_missing_table_is_named_with_the_remedy(tmp_path):
    path = tmp_path / "v.parquet"
    with pytest.raises(StageError, match=r"v\.parquet is missing.*jung ingest"):
        tables.read_table(path)
    path.write_bytes(b"PAR1 torn")
    with pytest.raises(StageError, match=r"v\.parquet is damaged.*jung ingest"):
        tables.read_table(path)
    assert tables.read_info(path) is None


def test_rows_must_fit_the_schema():
    with pytest.raises(StageError, match="chpter"):
        tables.from_rows([{"chpter": 1}], schemas.CHUNKS)
    with pytest.raises(StageError, match="null"):
        tables.from_rows(
            [{"text_hash": None, "model": "m", "vector": [0.0, 1.0]}], schemas.embeddings_schema(2)
        )
