"""What a volume costs from PDF to passages, stage by stage, beside the plain recipe and peers: CPU time and memory.

    python benchmarks/whole_line.py FILE.pdf … [--rounds 3] [--peers] [--json]

Every measurement is a process of its own; the kinds take turns, so that a busy machine is busy for all of them:

    text         MuPDF's plain text of every page
    naive        the plain recipe: that text, three regular expressions (white space, hyphens at line ends, page
                 numbers), sentences by a regular expression, tiktoken for each sentence, packed to 400, at most
                 600 tokens, written as Parquet
    line         ours: extraction with layout, cleaning, passages, written as Parquet
    pymupdf4llm  its Markdown, which is to be compared with extraction and cleaning (``--peers``)
    pypdf        its plain text (``--peers``)

CPU time is that of the work alone, without starting Python, importing libraries and loading tiktoken's ranks;
the word lists that cleaning loads once a process are counted (``cold``), and the same volume is cleaned a
second time without them (``warm``). After the single files all of them are measured in one process, as an
ingestion of several volumes does. The count in the embedder's tokens is left out on both sides. Memory is the
largest size of the whole process; pandas, which ``jung`` keeps out of its processes, is kept out here too. The
peers (``pip install '.[bench]'``) read a stretch of pages from the middle of each file, and their time is that
of as many pages as the file has.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import itertools
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.extraction import in_turns, peak_mb

KINDS = ("text", "naive", "line")
PEERS = ("pymupdf4llm", "pypdf")
EXTRACTION_TARGET, CLEANING_TARGET, LINE_TARGET, MEMORY_TARGET = 1.3, 0.5, 1.6, 350
#: Peers that take half a second a page read no more of a file than this.
_STRETCH = 20
_TARGET, _MAX = 400, 600
_EMBEDDER_LIMIT = 512
_SPACE = re.compile(r"[ \t]+")
_HYPHEN = re.compile(r"(\w+)-\n(\w+)")
_PAGE_NUMBER = re.compile(r"(?m)^\s*\d{1,4}\s*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

Figures = dict[str, float]


def measure_text(path: Path) -> Figures:
    """MuPDF's plain text."""
    import pymupdf

    begin = time.process_time()
    with pymupdf.open(path) as document:
        for page in document:
            page.get_text("text")
    return {"text": time.process_time() - begin, "peak_mb": peak_mb()}


def measure_pymupdf4llm(path: Path) -> Figures:
    """Its Markdown; Tesseract, which it would use for pages that it takes for scans, is left out."""
    import pymupdf4llm

    return _of_a_stretch(
        path,
        lambda pages: pymupdf4llm.to_markdown(str(path), pages=pages, use_ocr=False, show_progress=False),
    )


def measure_pypdf(path: Path) -> Figures:
    """Its plain text."""
    import pypdf

    def read(pages: list[int]) -> None:
        reader = pypdf.PdfReader(path)
        for page in pages:
            reader.pages[page].extract_text()

    return _of_a_stretch(path, read)


def _of_a_stretch(path: Path, read: Callable[[list[int]], object]) -> Figures:
    """What all pages cost, by those from the middle that ``read`` reads; what it loads at first is not counted."""
    import pymupdf

    with pymupdf.open(path) as document:
        count = document.page_count
    first = max(0, count // 2 - _STRETCH // 2)
    pages = list(range(first, min(count, first + _STRETCH)))
    read(pages[:1])
    begin = time.process_time()
    read(pages)
    return {"cpu": (time.process_time() - begin) * count / len(pages), "peak_mb": peak_mb()}


def measure_naive(path: Path) -> Figures:
    """The plain recipe."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    import pymupdf

    from jung_pipeline.chunk.tokens_tiktoken import encoding

    encode = encoding().encode_ordinary
    begin = time.process_time()
    with pymupdf.open(path) as document:
        text = "\n".join(page.get_text("text") for page in document)
    text = _SPACE.sub(" ", _HYPHEN.sub(r"\1\2", _PAGE_NUMBER.sub("", text)))
    chunks: list[tuple[str, int]] = []
    sentences: list[str] = []
    tokens = 0
    for sentence in _SENTENCE_END.split(text):
        count = len(encode(sentence))
        if sentences and (tokens >= _TARGET or tokens + count > _MAX):
            chunks.append((" ".join(sentences), tokens))
            sentences, tokens = [], 0
        sentences.append(sentence)
        tokens += count
    if sentences:
        chunks.append((" ".join(sentences), tokens))
    table = pa.table(
        {
            "chunk_id": [f"{path.stem}-{number}" for number in range(len(chunks))],
            "text": [chunk for chunk, _ in chunks],
            "tokens": [count for _, count in chunks],
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(table, Path(folder) / "chunks.parquet")
    return {"naive": time.process_time() - begin, "passages": len(chunks), "peak_mb": peak_mb()}


def measure_line(path: Path) -> Figures:
    """Our stages one after the other."""
    import pymupdf  # noqa: F401

    import jung_pipeline.extract.pdf_pymupdf  # noqa: F401
    from jung_pipeline import tables
    from jung_pipeline.catalogue import Volume
    from jung_pipeline.chunk.chunker import Limits, chunk_volume
    from jung_pipeline.chunk.tokens_tiktoken import encoding
    from jung_pipeline.clean.cleaner import clean_volume
    from jung_pipeline.extract.extractor import extract

    encoding()
    volume = Volume(key="benchmark", file=path.name, title=path.stem)
    times = [time.process_time()]
    extracted = extract(path)
    times.append(time.process_time())
    cleaned = clean_volume(extracted.lines, extracted.info, volume)
    times.append(time.process_time())
    chunks = chunk_volume(
        cleaned.paragraphs,
        volume,
        limits=Limits(_TARGET, _MAX, 80),
        # Stands in for the embedder: about as many tokens as it would count, for no work.
        count_embedder_tokens=lambda texts: [2 + len(text) // 5 for text in texts],
        embedder_limit=_EMBEDDER_LIMIT,
    )
    times.append(time.process_time())
    with tempfile.TemporaryDirectory() as folder:
        tables.write_table(Path(folder) / "chunks.parquet", chunks)
    times.append(time.process_time())
    extraction, cleaning, chunking, writing = (b - a for a, b in itertools.pairwise(times))
    peak = peak_mb()
    clean_volume(extracted.lines, extracted.info, volume)
    return {
        "extraction": extraction,
        "cleaning": cleaning,
        "cleaning_warm": time.process_time() - times[-1],
        "chunking": chunking,
        "writing": writing,
        "line": times[-1] - times[0],
        "passages": chunks.num_rows,
        "peak_mb": peak,
    }


def measure(kind: str, paths: list[Path]) -> Figures:
    """The figures of ``kind``, summed over files that are read one after the other in this process."""
    from jung_pipeline.without_pandas import leave_pandas_out

    leave_pandas_out()
    functions = {"text": measure_text, "naive": measure_naive, "line": measure_line}
    functions |= {"pymupdf4llm": measure_pymupdf4llm, "pypdf": measure_pypdf}
    total: Figures = {}
    for path in paths:
        for name, value in functions[kind](path).items():
            total[name] = value if name == "peak_mb" else total.get(name, 0.0) + value
    return total


def ratios(found: dict[str, Figures]) -> Figures:
    """What the targets are about, and how many times our extraction and cleaning the peers take."""
    line = found["line"]
    ours = line["extraction"] + line["cleaning"]
    peers = {f"{peer}/ours": found[peer]["cpu"] / ours for peer in PEERS if peer in found}
    return peers | {
        "extraction/text": line["extraction"] / found["text"]["text"],
        "cleaning/extraction": line["cleaning"] / line["extraction"],
        "cleaning_warm/extraction": line["cleaning_warm"] / line["extraction"],
        "line/naive": line["line"] / found["naive"]["naive"],
    }


def show(name: str, found: dict[str, Figures]) -> None:
    """Print a table for one file or for all of them."""
    line, naive, ratio = found["line"], found["naive"], ratios(found)
    print(f"{name}: {line['passages']:.0f} passages (plain recipe {naive['passages']:.0f})")
    rows = [
        ("plain text", found["text"]["text"], ""),
        (
            "extraction with layout",
            line["extraction"],
            f"{ratio['extraction/text']:.2f} of plain text (target {EXTRACTION_TARGET})",
        ),
        (
            "cleaning, lists loaded",
            line["cleaning"],
            f"{ratio['cleaning/extraction']:.2f} of extraction (target {CLEANING_TARGET})",
        ),
        ("cleaning again", line["cleaning_warm"], f"{ratio['cleaning_warm/extraction']:.2f} of extraction"),
        ("passages", line["chunking"], ""),
        ("writing Parquet", line["writing"], ""),
        ("plain recipe", naive["naive"], ""),
        ("whole line", line["line"], f"{ratio['line/naive']:.2f} of the plain recipe (target {LINE_TARGET})"),
    ]
    for peer in PEERS:
        if peer in found:
            times = f"{ratio[f'{peer}/ours']:.1f} times our extraction and cleaning, by {_STRETCH} pages"
            rows.append((peer, found[peer]["cpu"], times))
    for what, seconds, remark in rows:
        print(f"  {what:24} {seconds:6.2f} CPU-s  {remark}")
    peaks = ", ".join(f"{kind} {figures['peak_mb']:.0f}" for kind, figures in found.items())
    print(f"  largest size in MB: {peaks} (target {MEMORY_TARGET})", flush=True)


def main() -> None:
    """Measure every file, then all in one process, and print a table or JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", action="store_true", help="pymupdf4llm and pypdf as well, once each")
    parser.add_argument("--json", action="store_true", help="machine-readable, a line for each file")
    parser.add_argument("--child", choices=(*KINDS, *PEERS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        # What a library prints goes elsewhere.
        with contextlib.redirect_stdout(sys.stderr):
            figures = measure(options.child, options.files)
        print(json.dumps(figures))
        return
    missing = [peer for peer in PEERS if options.peers and importlib.util.find_spec(peer) is None]
    if missing:
        parser.error(f"{' and '.join(missing)} not installed: pip install '.[bench]'")
    tasks = [(path.name, [path]) for path in options.files]
    if len(options.files) > 1:
        tasks.append((f"all {len(options.files)} in one process", options.files))
    for name, paths in tasks:
        found = in_turns(paths, options.rounds, KINDS, __file__)
        if options.peers:
            found |= in_turns(paths, 1, PEERS, __file__)
        if options.json:
            print(json.dumps({"file": name, **found, "ratios": ratios(found)}), flush=True)
        else:
            show(name, found)


if __name__ == "__main__":
    main()
