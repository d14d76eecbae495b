"""Passages of real volumes: cost beside one bare tiktoken pass, sizes, and how many ids a one-word edit changes.

    python benchmarks/chunking.py HOME [VOLUME …] [--edits 20] [--json]

HOME is a library that has been ingested. Costs are CPU time in one alternating run, beside one bare tiktoken pass:
sentences, counting and packing alone; with all columns (spans, ids, concepts); with the embedder's own count of its
tokens, which the other two replace by one token for four characters.
Targets: 1.8 times one ``encode_ordinary`` of the text; in chapters of 1,000 tokens and more at least 97 % of
passages within 320 to 450 tokens.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from jung_pipeline import schemas, tables
from jung_pipeline import settings as settings_module
from jung_pipeline.catalogue import Volume
from jung_pipeline.chunk import packing
from jung_pipeline.chunk.chunker import Limits, _Passages, chunk_volume
from jung_pipeline.chunk.columns import Stream
from jung_pipeline.chunk.tokens_tiktoken import encoding
from jung_pipeline.chunk.units import UnitLimits, divide
from jung_pipeline.embed.registry import make_embedder

_ROUNDS = 3
_LIMITS = Limits()


def rough_count(texts: Sequence[str]) -> list[int]:
    """One embedder token for four characters: as good as free."""
    return [5 + len(text) // 4 for text in texts]


def made(paragraphs: pa.Table, volume: Volume, count: Callable[[Sequence[str]], list[int]]) -> pa.Table:
    """The passages of a volume."""
    return chunk_volume(paragraphs, volume, limits=_LIMITS, count_embedder_tokens=count, embedder_limit=512)


def core(streams: Sequence[Stream], language: str | None) -> int:
    """Sentences, counting and packing alone: the passages' ends, no columns."""
    ends = 0
    for stream in streams:
        passages = _Passages(stream, "body", _LIMITS, rough_count, 512)
        units, chapter_ends = divide(
            stream.text,
            passages._paragraphs(),
            passages.counts,
            UnitLimits(_LIMITS.max, 512),
            rough_count,
            language=language,
            sentence_end=packing.SENTENCE_END,
        )
        first = 0
        for last in chapter_ends:
            ends += len(packing.pack(units, first, last, passages.costs, _LIMITS.max, 500))
            first = last
    return ends


def streams_of(paragraphs: pa.Table) -> list[Stream]:
    """The body and the notes of a volume, as chunking reads them."""
    rows = paragraphs.filter(pc.not_equal(pc.utf8_trim_whitespace(paragraphs.column("text")), ""))
    is_note = pc.equal(rows.column("kind"), "footnote")
    return [Stream(part) for part in (rows.filter(pc.invert(is_note)), rows.filter(is_note)) if part.num_rows]


def cpu(work: Callable[[], Any]) -> float:
    """CPU seconds of ``work``."""
    started = time.process_time()
    work()
    return time.process_time() - started


def edited(paragraphs: pa.Table, row: int, rng: random.Random) -> pa.Table:
    """The paragraphs with one word of the body paragraph at ``row`` replaced."""
    rows = paragraphs.to_pylist()
    found = rows[row]["text"].split(" ")
    found[rng.randrange(len(found))] = "changed"
    before = len(rows[row]["text"])
    rows[row]["text"] = " ".join(found)
    grown = len(rows[row]["text"]) - before
    rows[row]["spans"] = []
    rows[row]["char_end"] += grown
    for later in rows[row + 1 :]:
        later["char_start"] += grown
        later["char_end"] += grown
    return tables.with_info(tables.from_rows(rows, schemas.CLEANED_TEXT), tables.info_of(paragraphs))


def measure(paragraphs: pa.Table, volume: Volume, count: Any, edits: int) -> dict[str, Any]:
    """The figures of one volume."""
    text = "\n\n".join(paragraphs.column("text").to_pylist())
    tiktoken = encoding()
    alone, bare, whole, with_embedder = [], [], [], []
    made(paragraphs, volume, rough_count)
    streams = streams_of(paragraphs)
    for _ in range(_ROUNDS):
        bare.append(cpu(lambda: tiktoken.encode_ordinary(text)))
        alone.append(cpu(lambda: core(streams, volume.language)))
        whole.append(cpu(lambda: made(paragraphs, volume, rough_count)))
        with_embedder.append(cpu(lambda: made(paragraphs, volume, count)))
    chunks = made(paragraphs, volume, count)
    rows = chunks.select(
        ["chunk_id", "kind", "chapter_index", "cl100k_tokens", "embedder_tokens"]
    ).to_pylist()
    chapters: Counter[int] = Counter()
    for row in rows:
        if row["kind"] == "body":
            chapters[row["chapter_index"]] += row["cl100k_tokens"]
    body = [row for row in rows if row["kind"] == "body"]
    long = [row["cl100k_tokens"] for row in body if chapters[row["chapter_index"]] >= 1000]
    changed = _changed_ids(paragraphs, volume, edits)
    return {
        "volume": volume.key,
        "megabytes": round(len(text) / 1e6, 2),
        "passages": len(rows),
        "times_one_tiktoken_pass": round(statistics.median(alone) / statistics.median(bare), 2),
        "with_all_columns": round(statistics.median(whole) / statistics.median(bare), 2),
        "with_embedder_count": round(statistics.median(with_embedder) / statistics.median(bare), 2),
        "above_maximum": sum(
            row["cl100k_tokens"] > _LIMITS.max or row["embedder_tokens"] > 512 for row in rows
        ),
        "below_minimum_in_longer_chapter": sum(
            row["cl100k_tokens"] < _LIMITS.min <= chapters[row["chapter_index"]] for row in body
        ),
        "in_320_to_450_of_long_chapters": round(sum(320 <= n <= 450 for n in long) / len(long), 4)
        if long
        else None,
        "ids_changed_by_a_one_word_edit_median": statistics.median(changed) if changed else None,
        "ids_changed_by_a_one_word_edit_most": max(changed, default=None),
    }


def _changed_ids(paragraphs: pa.Table, volume: Volume, edits: int) -> list[int]:
    """How many ids are gone after each of so many one-word edits."""
    rng = random.Random(7)
    ids = set(made(paragraphs, volume, rough_count).column("chunk_id").to_pylist())
    kinds = paragraphs.column("kind").to_pylist()
    texts = paragraphs.column("text").to_pylist()
    body = [row for row, kind in enumerate(kinds) if kind == "body" and len(texts[row].split()) > 20]
    found = []
    for row in rng.sample(body, min(edits, len(body))):
        after = made(edited(paragraphs, row, rng), volume, rough_count).column("chunk_id").to_pylist()
        found.append(len(ids - set(after)))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("home", type=Path)
    parser.add_argument("volumes", nargs="*")
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    settings = settings_module.load(options.home)
    embedder = make_embedder(settings)
    rows = []
    for volume in settings.paths.catalogue():
        path = settings.paths.table("cleaned_text", volume.key)
        if path.exists() and (not options.volumes or volume.key in options.volumes):
            paragraphs = tables.read_table(path)
            rows.append(measure(paragraphs, volume, embedder.count_tokens, options.edits))
            if not options.json:
                print("  ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    if options.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
