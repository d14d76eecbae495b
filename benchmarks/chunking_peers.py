"""Chunkers of other libraries beside ours on a real book: cost, and the rules that each of them breaks.

    python benchmarks/chunking_peers.py BOOK … [--rounds 3] [--json]         pip install '.[bench]'

BOOK is any file that a library takes. It is read and cleaned; every chunker gets the same text and counts cl100k tokens
with the same encoder, target 400 where it takes one. Cost is CPU time in one alternating run, in bare tiktoken passes
over the text. Counted are passages above 600 tokens, below 80, within 320 to 450, ending inside a sentence (no stop at
the end) or on an abbreviation or an initial (a hidden one), and books whose text is not that of the passages any more.
What is ours is sentences, counting and packing, without the columns of a passage. "ours, gigatoken" counts with that
encoder instead of tiktoken; its ids are compared with tiktoken's first.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import corpus_volumes
from chunking import _LIMITS, rough_count, streams_of

from jung_pipeline.chunk import packing, tokens_tiktoken
from jung_pipeline.chunk.chunker import _Passages
from jung_pipeline.chunk.columns import Stream
from jung_pipeline.chunk.units import UnitLimits, divide
from jung_pipeline.extract.extractor import extract
from jung_pipeline.text.sentences import is_sentence_end

Chunker = Callable[[str], list[str]]


def count(text: str) -> int:
    """cl100k tokens, by the encoder that all share."""
    return len(tokens_tiktoken.encoding().encode_ordinary(text))


def ours(stream: Stream) -> list[str]:
    """Our passages of a body: sentences, counting, packing."""
    passages = _Passages(stream, "body", _LIMITS, rough_count, 512)
    limits = UnitLimits(_LIMITS.max, 512)
    units, chapter_ends = divide(
        stream.text, passages._paragraphs(), passages.counts, limits, rough_count, language=None
    )
    texts, first = [], 0
    for last in chapter_ends:
        for end in packing.pack(units, first, last, passages.costs, _LIMITS.max, 500):
            texts.append(stream.text[units.starts[first] : units.ends[end - 1]])
            first = end
    return texts


def with_gigatoken(text: str) -> Callable[[Stream], list[str]] | None:
    """Ours with gigatoken; ``None`` where it is not installed."""
    try:
        import gigatoken
    except ImportError:
        return None
    encoder = gigatoken.Tokenizer.from_tiktoken(str(tokens_tiktoken._ranks_file()))
    if list(encoder.encode(text)) != tokens_tiktoken.encoding().encode_ordinary(text):
        raise SystemExit("gigatoken gives other ids than tiktoken.")

    def chunk(stream: Stream) -> list[str]:
        before = tokens_tiktoken._encode_to_numpy
        tokens_tiktoken._encode_to_numpy = lambda piece: np.asarray(encoder.encode(piece), dtype=np.uint32)
        try:
            return ours(stream)
        finally:
            tokens_tiktoken._encode_to_numpy = before

    return chunk


def peers() -> dict[str, Chunker]:
    """The chunkers that are installed, each asked for 400 tokens."""
    found: dict[str, Chunker] = {}
    encoder = tokens_tiktoken.encoding()
    try:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        splitter = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0, length_function=count)
        found["langchain recursive"] = splitter.split_text
    except ImportError:
        pass
    try:
        from llama_index.core.node_parser import SentenceSplitter

        sentences = SentenceSplitter(chunk_size=400, chunk_overlap=0, tokenizer=encoder.encode_ordinary)
        found["llama-index sentences"] = sentences.split_text
    except ImportError:
        pass
    except Exception as error:  # it wants data from the network
        print(f"llama-index is left out: {' '.join(str(error).split())[:100]}", file=sys.stderr)
    try:
        from chonkie import RecursiveChunker, SentenceChunker

        chonkie = SentenceChunker(tokenizer=encoder, chunk_size=400, chunk_overlap=0)
        found["chonkie sentences"] = lambda text: [chunk.text for chunk in chonkie.chunk(text)]
        recursive = RecursiveChunker(tokenizer=encoder, chunk_size=400)
        found["chonkie recursive"] = lambda text: [chunk.text for chunk in recursive.chunk(text)]
    except ImportError:
        pass
    try:
        import semchunk

        semantic = semchunk.chunkerify(encoder, 400)
        found["semchunk"] = lambda text: list(semantic(text))
    except ImportError:
        pass
    try:
        from semantic_text_splitter import TextSplitter

        ranged = TextSplitter.from_callback(count, (400, 600))
        found["semantic-text-splitter"] = ranged.chunks
    except ImportError:
        pass
    return found


def violations(chunks: list[str], text: str) -> dict[str, Any]:
    """What is wrong with ``chunks`` of ``text``."""
    chunks = [chunk.strip() for chunk in chunks if chunk.strip()]
    tokens = [count(chunk) for chunk in chunks]
    open_ends = [chunk for chunk in chunks if not is_sentence_end(chunk)]
    hidden = sum(chunk.rstrip("\"'”’)]_*").endswith(".") for chunk in open_ends)
    paragraphs = {line.strip()[-40:] for line in text.split("\n\n")}
    inside = [
        chunk
        for chunk in open_ends
        if chunk[-40:] not in paragraphs and chunk.split("\n\n")[-1][-40:] not in paragraphs
    ]
    return {
        "passages": len(chunks),
        "above_600": sum(n > 600 for n in tokens),
        "below_80": sum(n < 80 for n in tokens),
        "within_320_to_450": round(sum(320 <= n <= 450 for n in tokens) / len(tokens), 3),
        "end_on_an_abbreviation": hidden,
        "end_inside_a_sentence": len(inside) - sum(c.rstrip("\"'”’)]_*").endswith(".") for c in inside),
        "text_changed": "".join("".join(chunks).split()) != "".join(text.split()),
    }


def measure(path: Path, rounds: int) -> list[dict[str, Any]]:
    """The rows of one book."""
    paragraphs = corpus_volumes.cleaned(path, extract(path)).paragraphs
    stream = streams_of(paragraphs)[0]
    text = stream.text
    chunkers: dict[str, Callable[[], list[str]]] = {"ours": lambda: ours(stream)}
    giga = with_gigatoken(text)
    if giga:
        chunkers["ours, gigatoken"] = lambda: giga(stream)
    fresh = peers()
    for name, split in fresh.items():
        chunkers[name] = lambda split=split: split(text)
    made = {name: chunk() for name, chunk in chunkers.items()}
    chunkers["one tiktoken pass"] = lambda: tokens_tiktoken.encoding().encode_ordinary(text)
    seconds: dict[str, list[float]] = {name: [] for name in chunkers}
    for _ in range(rounds):
        tokens_tiktoken._count_short.cache_clear()
        for name, chunk in chunkers.items():
            if name in made and name in fresh:
                chunk = functools.partial(peers()[name], text)  # some keep every count that they ever made
            started = time.process_time()
            chunk()
            seconds[name].append(time.process_time() - started)
    bare = statistics.median(seconds["one tiktoken pass"])
    return [
        {
            "book": path.name,
            "chunker": name,
            "times_one_tiktoken_pass": round(statistics.median(seconds[name]) / bare, 2),
            **violations(chunks, text),
        }
        for name, chunks in made.items()
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("books", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for path in options.books:
        for row in measure(path, options.rounds):
            line = (
                json.dumps(row) if options.json else "  ".join(f"{key} {value}" for key, value in row.items())
            )
            print(line, flush=True)


if __name__ == "__main__":
    main()
