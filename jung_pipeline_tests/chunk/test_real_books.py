"""The promises of chunking on real books, with the real embedder's tokenizer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jung_pipeline.catalogue import Volume
from jung_pipeline.chunk.chunker import Limits, chunk_volume
from jung_pipeline.clean.cleaner import clean_volume
from jung_pipeline.embed import e5_tokenizers
from jung_pipeline.extract.extractor import extract
from jung_pipeline.quality.chunk_rules import check_chunks

CORPUS = Path(os.environ.get("JUNG_CORPUS_DIR", Path(__file__).parents[2] / "../shared/corpus"))
LIMITS = Limits()


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("jung-theory-of-psychoanalysis-1915-pg66041.txt", "en"),
        ("freud-totem-und-tabu-1922-pg37065.txt", "de"),
    ],
)
def test_every_promise_holds_and_sizes_are_even(name: str, language: str) -> None:
    path = CORPUS / "books" / name
    if not path.exists():
        pytest.skip(f"no corpus: {path} is missing (set JUNG_CORPUS_DIR)")
    volume = Volume("book", name, "A Book", language=language)
    document = extract(path, hints={}, max_file_mb=100)
    paragraphs = clean_volume(document.lines, document.info, volume).paragraphs
    tokenizer = e5_tokenizers.load()
    chunks = chunk_volume(
        paragraphs,
        volume,
        limits=LIMITS,
        count_embedder_tokens=lambda texts: tokenizer.count([f"passage: {text}" for text in texts]),
        embedder_limit=512,
    )
    broken = [o for o in check_chunks(chunks, paragraphs, LIMITS, 512) if not o.passed]
    assert not broken

    whole = "\n\n".join(paragraphs.column("text").to_pylist())
    rows = chunks.to_pylist()
    assert all(whole[row["char_start"] : row["char_end"]] == row["text"] for row in rows)
    # Chapters long enough to be divided evenly come out between 320 and 480 tokens, nearly without exception.
    totals: dict[int, int] = {}
    for row in rows:
        if row["kind"] == "body":
            totals[row["chapter_index"]] = totals.get(row["chapter_index"], 0) + row["cl100k_tokens"]
    sizes = [r["cl100k_tokens"] for r in rows if r["kind"] == "body" and totals[r["chapter_index"]] > 2000]
    assert sum(320 <= size <= 480 for size in sizes) >= 0.98 * len(sizes) > 50
