"""Sentence boundaries: F1 on our labelled scholarly prose, and speed, beside two well-known splitters.

    python benchmarks/sentences.py [FILE.txt …] [--json]

Install the others with ``pip install ".[bench]"``; those that are not installed are left out. Speed is
CPU time in one alternating run over the texts given (default: the labelled set, many times over).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from jung_pipeline.text.sentences import sentence_spans
from jung_pipeline_tests.text import scholarly

Splitter = Callable[[str, str], list[tuple[int, int]]]
_ROUNDS = 5


def splitters() -> dict[str, Splitter]:
    """What is installed, ours first."""
    found: dict[str, Splitter] = {"ours": lambda text, language: sentence_spans(text, language=language)}
    try:
        from blingfire import text_to_sentences_and_offsets

        found["blingfire"] = lambda text, language: [tuple(s) for s in text_to_sentences_and_offsets(text)[1]]
    except ImportError:
        pass
    try:
        from nupunkt import sent_spans

        found["nupunkt"] = lambda text, language: [tuple(span[:2]) for span in sent_spans(text)]
    except ImportError:
        pass
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in options.files]
    texts = texts or ["\n\n".join(one.text for one in scholarly.paragraphs()) * 40]
    found = splitters()
    seconds: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(_ROUNDS):
        for name, split in found.items():
            started = time.process_time()
            for text in texts:
                split(text, "en")
            seconds[name].append(time.process_time() - started)
    size = sum(map(len, texts)) / 1e6
    rows: list[dict[str, Any]] = []
    ours = statistics.median(seconds["ours"])
    for name, split in found.items():
        scored = scholarly.score(split)
        took = statistics.median(seconds[name])
        rows.append(
            {
                "splitter": name,
                "f1": round(scored.f1, 4),
                "extra": len(scored.extra),
                "missed": len(scored.missed),
                "million_characters_per_cpu_second": round(size / took, 2),
                "times_ours": round(took / ours, 2),
            }
        )
    if options.json:
        print(json.dumps({"boundaries": sum(len(p.ends) for p in scholarly.paragraphs()), "splitters": rows}))
        return
    for row in rows:
        print("  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
