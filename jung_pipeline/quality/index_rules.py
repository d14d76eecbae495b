"""What the upsert of a volume promises, held against the store itself."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from jung_pipeline.index.segments import NORM_TOLERANCE
from jung_pipeline.index.vector_index import VectorReader
from jung_pipeline.quality.outcome import CheckOutcome, outcome

VECTOR_INDEX_PROMISES = {
    "every_passage_is_in_the_index": "Each passage that is not blank has its vector in the store, by id.",
    "no_stale_vector_is_in_the_index": "The store holds no vector of the volume that no passage asks for.",
    "the_index_holds_the_text_of_the_passages": "Stored passages are those of the chunk table, by content (a sample).",
    "stored_vectors_are_of_unit_length": "Stored vectors have the model's dimension and length 1 (a sample).",
}

#: Vectors read back for the checks that look into them; ids are compared in full.
SAMPLE = 50


def check_vector_index(index: VectorReader, volume: str, chunks: pa.Table) -> list[CheckOutcome]:
    """The promises of the upsert of ``volume``, whose passages are ``chunks``."""
    wanted = {
        chunk_id: content_hash
        for chunk_id, text, content_hash in zip(
            *(chunks.column(name).to_pylist() for name in ("chunk_id", "text", "content_hash")), strict=True
        )
        if text.strip()
    }
    held = set(index.list_ids(volume))
    common = sorted(wanted.keys() & held)
    sample = common[:: max(1, len(common) // SAMPLE)][:SAMPLE]
    stored = index.fetch(sample)
    lengths = {i: float(np.linalg.norm(vector.vector)) for i, vector in stored.items()}
    findings = {
        "every_passage_is_in_the_index": [{"chunk_id": i} for i in sorted(wanted.keys() - held)],
        "no_stale_vector_is_in_the_index": [{"chunk_id": i} for i in sorted(held - wanted.keys())],
        "the_index_holds_the_text_of_the_passages": [
            {"chunk_id": i}
            for i in sample
            if i not in stored or stored[i].metadata.get("content_hash") != wanted[i]
        ],
        "stored_vectors_are_of_unit_length": [
            {"chunk_id": i, "length": lengths[i], "values": int(stored[i].vector.size)}
            for i in lengths
            if not abs(lengths[i] - 1) <= NORM_TOLERANCE or stored[i].vector.size != index.spec.dimension
        ],
    }
    metrics = {"passages": len(wanted), "vectors": len(held), "read_back": len(stored)}
    return [
        outcome(name, VECTOR_INDEX_PROMISES[name], offenders, metrics=metrics)
        for name, offenders in findings.items()
    ]
