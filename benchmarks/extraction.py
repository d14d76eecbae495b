"""What reading a PDF with its layout costs beside MuPDF's plain text: CPU time, pages a second, memory.

python benchmarks/extraction.py FILE... [--rounds 5] [--json]

Every measurement is a process of its own, the two kinds in turns, so that neither profits from what the
other left in memory. CPU time is that of the work alone, without starting Python and importing the
libraries; memory is the largest size of the whole process.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

KINDS = ("text", "extract")


def measure(kind: str, path: Path) -> dict[str, float]:
    """Read the file once in this process: CPU seconds, pages, largest size in MB."""
    import pymupdf

    from jung_pipeline.extract.extractor import extract

    if kind == "extract":
        import jung_pipeline.extract.pdf_pymupdf  # noqa: F401
    begin = time.process_time()
    if kind == "extract":
        pages = len(extract(path).info.pages)
    else:
        with pymupdf.open(path) as document:
            pages = document.page_count
            for page in document:
                page.get_text("text")
    return {"cpu": time.process_time() - begin, "pages": pages, "peak_mb": peak_mb()}


def peak_mb() -> float:
    """The largest size of this process; Linux says it best itself."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 2**20)


def in_turns(
    path: Path | Sequence[Path], rounds: int, kinds: Sequence[str] = KINDS, script: str = __file__
) -> dict[str, dict[str, float]]:
    """The median of each figure of each of ``kinds``, which ``script`` measures with ``--child``, in turns.

    Several paths are measured in one process.
    """
    paths = [path] if isinstance(path, Path) else path
    runs: dict[str, list[dict[str, float]]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind in kinds:
            command = [sys.executable, script, "--child", kind, *map(str, paths)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            runs[kind].append(json.loads(done.stdout))
    return {
        kind: {name: statistics.median(run[name] for run in found) for name in found[0]}
        for kind, found in runs.items()
    }


def main() -> None:
    """Print a line for every file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="machine-readable")
    parser.add_argument("--child", choices=KINDS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.child, options.files[0])))
        return
    for path in options.files:
        found = in_turns(path, options.rounds)
        text, ours = found["text"], found["extract"]
        ratio = ours["cpu"] / text["cpu"]
        if options.json:
            print(json.dumps({"file": path.name, "ratio": ratio, **found}), flush=True)
            continue
        print(
            f"{path.name[:40]:40} ratio {ratio:5.2f}  text {text['pages'] / text['cpu']:6.0f} pages/CPU-s"
            f"  extraction {ours['pages'] / ours['cpu']:6.0f} pages/CPU-s"
            f"  peak {text['peak_mb']:4.0f} / {ours['peak_mb']:4.0f} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
