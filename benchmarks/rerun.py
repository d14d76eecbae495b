"""Ingesting again: nothing changed, and one volume of many changed.

    python benchmarks/rerun.py FOLDER [--volumes 34] [--passages 200] [--json]

FOLDER gets an invented library of so many EPUBs, ingested once with made vectors in place of the model's (embedding
would take hours), unless it has one. Then `jung ingest` runs in fresh processes: three times with nothing changed, and
once after one word of one volume was changed. Told are seconds beside those of a process
that does nothing but import the commands and Dagster, what was embedded, and the files written.
Targets: no embedding and no write, under 5 s beside Dagster's own start; one volume costs in proportion.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from jung_pipeline import settings as settings_module
from jung_pipeline import tables
from jung_pipeline.demo.book import Run
from jung_pipeline.demo.builder import build_epub
from jung_pipeline.embed import registry
from jung_pipeline.embed.embedder import Vectors
from jung_pipeline_tests.small_books import small_book

_START = "import jung_pipeline.cli.main, dagster, jung_pipeline.definitions"
#: Paragraphs of a made book that make a passage, about; and its chapters.
_PER_PASSAGE, _CHAPTERS = 7, 10


class MadeVectors:
    """The local embedder with vectors made from a digest of the text."""

    def __init__(self, real: Any) -> None:
        self.spec = real.spec
        self.count_tokens = real.count_tokens

    def embed_passages(
        self, passages: Sequence[str], *, on_batch: Callable[[int], None] | None = None
    ) -> Vectors:
        return self.embed_queries(passages)

    def embed_query(self, question: str) -> Vectors:
        seed = int.from_bytes(hashlib.sha256(question.encode()).digest()[:8])
        made: Vectors = np.random.default_rng(seed).standard_normal(self.spec.dimension).astype(np.float32)
        return made / np.float32(np.linalg.norm(made))

    def embed_queries(self, questions: Sequence[str]) -> Vectors:
        return np.stack([self.embed_query(question) for question in questions])


def made_vectors() -> None:
    """Put made vectors in the place of the local model's in this process."""
    real = registry.local_embedder
    registry.local_embedder = lambda threads=0, path=None: MadeVectors(real(threads, path))


def write(path: Path, passages: int, *, changed: bool = False) -> None:
    """A book of about so many passages, or the same with one word more in one chapter."""
    book = small_book(path.stem, chapters=_CHAPTERS, paragraphs=passages * _PER_PASSAGE // _CHAPTERS)
    if changed:
        chapter = book.chapters[_CHAPTERS // 2]
        first = chapter.paragraphs[0]
        first = replace(first, runs=(Run("Again: " + first.runs[0].text), *first.runs[1:]))
        chapter = replace(chapter, paragraphs=(first, *chapter.paragraphs[1:]))
        chapters = (*book.chapters[: _CHAPTERS // 2], chapter, *book.chapters[_CHAPTERS // 2 + 1 :])
        book = replace(book, chapters=chapters)
    path.parent.mkdir(parents=True, exist_ok=True)
    build_epub(path, book)


def make(folder: Path, volumes: int, passages: int) -> float:
    """The library, ingested; the seconds that took."""
    from jung_pipeline.defs.running import Ingestion

    settings = settings_module.load(folder)
    for number in range(volumes):
        write(settings.paths.library / f"v{number:02}.epub", passages)
    made_vectors()
    began = time.perf_counter()
    failed = [result for result in Ingestion(settings).run() if result.status != "done"]
    assert not failed, failed
    return time.perf_counter() - began


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file of the library but for locks."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.endswith(".lock"):
            stat = path.stat()
            found[str(path.relative_to(folder))] = (stat.st_size, stat.st_mtime_ns)
    return found


def timed(command: list[str], environment: dict[str, str]) -> tuple[float, str]:
    """Seconds of CPU of a process and what it printed."""
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system,
        done.stdout,
    )


def ingest(folder: Path) -> dict[str, Any]:
    """One `jung ingest` in a fresh process: seconds, passages embedded, files written."""
    environment = {**os.environ, "JUNG_HOME": str(folder), "DAGSTER_HOME": str(folder / "dagster")}
    start = min(timed([sys.executable, "-c", _START], environment)[0] for _ in range(2))
    before = files(folder)
    began = time.perf_counter()
    seconds, said = timed([sys.executable, __file__, str(folder), "--ingest"], environment)
    wall = time.perf_counter() - began
    report = json.loads(said)
    done = [row["volume"] for row in report["volumes"] if row["status"] == "done"]
    settings = settings_module.load(folder)
    embedded = 0
    for key in done:
        info = tables.read_info(settings.paths.embeddings(settings.embedder, key)) or {}
        embedded += int(info.get("embedded", 0))
    after = files(folder)
    return {
        "cpu_seconds": round(seconds, 2),
        "of_that_start": round(start, 2),
        "wall_seconds": round(wall, 2),
        "volumes_done": done,
        "embedded": embedded,
        "files_written": sum(before.get(name) != facts for name, facts in after.items()),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--volumes", type=int, default=34)
    parser.add_argument("--passages", type=int, default=200, help="of each volume, about")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--ingest", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ingest:
        from jung_pipeline.cli.main import main as jung

        made_vectors()
        sys.argv[1:] = ["ingest", "--json"]
        jung()
        return
    took = None
    if not (options.folder / "index" / "CURRENT").exists():
        took = round(make(options.folder, options.volumes, options.passages))
    rows: dict[str, Any] = {"first": {"wall_seconds": took}} if took is not None else {}
    rows["settled"] = ingest(options.folder)
    for number in (1, 2, 3):
        rows[f"nothing changed, {number}"] = ingest(options.folder)
    write(options.folder / "library" / "v00.epub", options.passages, changed=True)
    rows["one word changed"] = ingest(options.folder)
    write(options.folder / "library" / "v00.epub", options.passages)
    rows["and changed back"] = ingest(options.folder)
    if options.json:
        print(json.dumps(rows))
        return
    for name, row in rows.items():
        print(f"{name:20}" + "  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
