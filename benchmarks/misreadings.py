"""How many misread and split words cleaning repairs, and how many words it harms, over folders of OCR and truth.

    python benchmarks/misreadings.py SCORER OCRDIR [--limit 400]

SCORER is a program that is called as ``SCORER ADAPTER OCRDIR --limit N`` and prints a line a data set; ADAPTER
is ``jung_pipeline_tests/cases_adapter.py``. Without SCORER or OCRDIR the benchmark is skipped. Beside the
scorer's lines: the pooled figures of harm, and the speed of the two rules on a text of our own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import regex

from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.misreadings import correct_misreadings
from jung_pipeline.clean.split_words import join_split_words

ADAPTER = Path(__file__).resolve().parent.parent / "jung_pipeline_tests" / "cases_adapter.py"

_LINE = regex.compile(
    r"(?P<name>\S+): \d+ texts, (?P<words>\d+) words, misread (?P<misread>\d+) repaired (?P<repaired>[\d.]+), "
    r"split (?P<split>\d+) repaired (?P<rejoined>[\d.]+), spoiled (?P<spoiled>[\d.]+), harm (?P<harm>[\d.]+)"
)
SENTENCE = (
    "In the {n}th year tlie keeper counted the stones by the lake and wrote their num ber on the door. "
)


def report(scorer: Path, folder: Path, limit: int) -> None:
    """Print the scorer's lines, then the figures of all data sets pooled by their words."""
    command = [sys.executable, str(scorer), str(ADAPTER), str(folder), "--limit", str(limit)]
    printed = subprocess.run(command, check=True, text=True, capture_output=True).stdout
    print(printed, end="")
    found = [match.groupdict() for match in _LINE.finditer(printed)]
    words = sum(int(row["words"]) for row in found)
    if words:
        for figure in ("spoiled", "harm"):
            pooled = sum(float(row[figure]) * int(row["words"]) for row in found) / words
            print(f"pooled {figure} {pooled:.2f} per 10,000 of {words} words")


def speed(sentences: int = 15_000) -> None:
    """Print how long both rules take on an invented volume of about 1.5 MB."""
    text = "".join(SENTENCE.format(n=n) for n in range(sentences))
    lexicon = Lexicon("en", [text])
    start = time.process_time()
    changes = sum(1 for _ in join_split_words(text, lexicon))
    changes += sum(1 for _ in correct_misreadings(text, lexicon))
    print(
        f"{len(text) / 1e6:.1f} MB, {changes} changes, {time.process_time() - start:.1f} CPU-s with loading"
    )


def main() -> None:
    """Run the scorer if there is one, and time the rules."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scorer", type=Path, nargs="?")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--limit", type=int, default=400)
    options = parser.parse_args()
    if options.scorer and options.folder and options.scorer.is_file() and options.folder.is_dir():
        report(options.scorer, options.folder, options.limit)
    else:
        print("no scorer or no folder of OCR texts: repairs not measured")
    speed()


if __name__ == "__main__":
    main()
