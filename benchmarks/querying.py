"""Asking the embedded index: exact top 6 beside one bare matrix-vector product, filters, cold start, memory.

    python benchmarks/querying.py FOLDER [--passages 47576] [--rounds 200] [--json]

FOLDER gets an invented library of that size, unless it has one. Times are medians of one alternating run.
Targets: top 6 among 47,576 at most 1.2 times one product, filtered no slower, opening it in a fresh process under
0.3 s (without starting Python and importing libraries), a process that answers questions under 600 MB.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import made_library
from jung_pipeline.index.reading import open_current
from jung_pipeline.index.vector_index import Where

FILTERS = {
    "one volume": Where(volumes=("v01",)),
    "one language of two": Where(languages=("en",)),
    "a concept": Where(concepts=("shadow",)),
    "pages": Where(pages=(1, 200)),
    "everything passes": Where(kinds=("body", "note")),
}


def cold(index: Path) -> dict[str, float]:
    """Seconds to open the live version and to answer the first query, in this process."""
    begin = time.perf_counter()
    version = open_current(index)
    opened = time.perf_counter() - begin
    question = made_library.vectors(1, version.manifest.spec.dimension, seed=9)[0]
    begin = time.perf_counter()
    version.vectors.query(question, top_k=6)
    return {"open": opened, "first_query": time.perf_counter() - begin}


def memory(folder: Path) -> dict[str, float]:
    """Megabytes of a process that has opened the library and answered searches, the model loaded."""
    from jung_pipeline import settings as settings_module
    from jung_pipeline.embed.registry import make_embedder
    from jung_pipeline.index.versions import open_current as with_settings
    from jung_pipeline.query.library import Library

    settings = settings_module.load(folder)
    library = Library(with_settings(settings.paths.index, settings), make_embedder(settings), settings)
    begin = time.perf_counter()
    library.search("What is the shadow?")
    first = time.perf_counter() - begin
    for number in range(20):
        library.search(f"Where does the keeper speak of the {number}th shadow?")
    return {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "first_search": first}


def child(kind: str, folder: Path) -> dict[str, float]:
    """What ``kind`` measures in a fresh process."""
    done = subprocess.run(
        [sys.executable, __file__, str(folder), "--child", kind], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def in_turns(work: dict[str, Callable[[], Any]], rounds: int) -> dict[str, tuple[float, float]]:
    """Median wall and CPU milliseconds of each, taken in turns."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in work}
    for call in work.values():
        call()
    for _ in range(rounds):
        for name, call in work.items():
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            taken[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return {
        name: (1e3 * statistics.median(w for w, _ in times), 1e3 * statistics.median(c for _, c in times))
        for name, times in taken.items()
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=made_library.PASSAGES)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", choices=("cold", "memory"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(
            json.dumps(cold(options.folder / "index") if options.child == "cold" else memory(options.folder))
        )
        return
    home = made_library.make(options.folder, passages=options.passages)
    version = open_current(home.index)
    reader = version.vectors
    question = made_library.vectors(1, seed=9)[0]
    whole = np.concatenate([segment.matrix for segment in version.segments.values()])
    work: dict[str, Callable[[], Any]] = {"one product": lambda: whole @ question}
    work["top 6"] = lambda: reader.query(question, top_k=6)
    for name, where in FILTERS.items():
        work[f"top 6, {name}"] = lambda where=where: reader.query(question, top_k=6, where=where)
    times = in_turns(work, options.rounds)
    product = times["one product"]
    rows: dict[str, Any] = {
        name: {
            "wall_ms": round(wall, 2),
            "cpu_ms": round(cpu, 2),
            "times_one_product": round(wall / product[0], 2),
        }
        for name, (wall, cpu) in times.items()
    }
    runs = [child("cold", options.folder) for _ in range(5)]
    rows["cold open"] = {"seconds": round(statistics.median(run["open"] for run in runs), 3)}
    rows["first query"] = {"seconds": round(statistics.median(run["first_query"] for run in runs), 3)}
    rows["a process that answers"] = {
        name: round(n, 2) for name, n in child("memory", options.folder).items()
    }
    if options.json:
        print(json.dumps({"passages": len(whole), **rows}))
        return
    print(f"{len(whole):,} passages")
    for name, row in rows.items():
        print(f"  {name:28}" + "  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
