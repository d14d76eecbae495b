"""The layout that Pinecone imports in bulk holds exactly what plain upserts would send."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from jung_pipeline.index.bulk_import import write_volume
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.pinecone_records import passage, record
from jung_pipeline_tests.index.passages import chunk_table, spec, vectors_of


def test_the_files_hold_ids_vectors_and_flat_metadata(tmp_path):
    index = EmbeddedIndex(tmp_path / "index", spec())
    texts = [f"Passage {number} of the tale, with „quotes“ and ψυχή." for number in range(1203)]
    chunks = chunk_table("tale", texts, part=None, concepts=["self", "anima"])
    vectors = vectors_of(chunks, index.spec.dimension)
    index.replace_volume("tale", chunks, vectors)
    segment = index.segments["tale"]
    exported = write_volume(tmp_path / "import" / "e5", "tale", segment)
    assert exported.passages == 1203
    table = pq.read_table(exported.path)
    assert table.schema.names == ["id", "values", "metadata"]
    assert table.schema.field("values").type == pa.list_(pa.float32())
    assert table.schema.field("id").type == table.schema.field("metadata").type == pa.string()
    for number in (0, 499, 500, 1202):
        row = table.slice(number, 1).to_pylist()[0]
        wanted = record(segment.row(number), segment.matrix[number])
        assert row["id"] == wanted["id"] and row["id"].isascii()
        assert np.array_equal(np.array(row["values"], dtype=np.float32), segment.matrix[number])
        metadata = json.loads(row["metadata"])
        assert metadata == wanted["metadata"]
        assert all(isinstance(value, str | int | float | bool | list) for value in metadata.values())
        assert passage(row["id"], metadata)["text"] == texts[number]
    again = exported.path.read_bytes()
    write_volume(tmp_path / "import" / "e5", "tale", segment)
    assert exported.path.read_bytes() == again
