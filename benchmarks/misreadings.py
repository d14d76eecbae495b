"""How many misread and split words cleaning repairs, and how many words it harms, over folders of OCR and truth.

    python benchmarks/misreadings.py SCORER OCRDIR [--limit 400] [--german NAME …]

SCORER is a program that is called as ``SCORER ADAPTER OCRDIR --limit N`` and prints a line a data set; ADAPTER
is ``jung_pipeline_tests/cases_adapter.py``. Without SCORER or OCRDIR the benchmark is skipped. Beside the
scorer's lines: the figures of harm pooled over the English sets and over the German ones (those whose names
have a NAME in them), and the speed of the two rules on a text of our own.
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
SENTENCE = "In the {n}th year the keeper counted the stones by the lake and wrote their number on the door. "
MISREAD = "In the {n}th year tlie keeper counted tbe stones by the lake and wrote noth ing on the door. "
#: One sentence in so many is misread.
SELDOM = 10


def report(scorer: Path, folder: Path, limit: int, german: list[str]) -> None:
    """Print the scorer's lines, then the figures of the data sets of each language pooled by their words."""
    command = [sys.executable, str(scorer), str(ADAPTER), str(folder), "--limit", str(limit)]
    printed = subprocess.run(command, check=True, text=True, capture_output=True).stdout
    print(printed, end="")
    found = [match.groupdict() for match in _LINE.finditer(printed)]
    is_german = [any(part in row["name"] for part in german) for row in found]
    for language, wanted in (("English", False), ("German", True)):
        rows = [row for row, of_german in zip(found, is_german, strict=True) if of_german == wanted]
        words = sum(int(row["words"]) for row in rows)
        for figure in ("spoiled", "harm") if words else ():
            pooled = sum(float(row[figure]) * int(row["words"]) for row in rows) / words
            print(f"{language} pooled: {figure} {pooled:.2f} per 10,000 of {words} words")


def speed(sentences: int = 15_000) -> None:
    """Print how long both rules take on an invented volume of about 1.5 MB."""
    text = "".join((MISREAD if n % SELDOM == 0 else SENTENCE).format(n=n) for n in range(sentences))
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
    parser.add_argument("--german", nargs="*", default=["goethe", "german", "deu", "fraktur"], metavar="NAME")
    options = parser.parse_args()
    if options.scorer and options.folder and options.scorer.is_file() and options.folder.is_dir():
        report(options.scorer, options.folder, options.limit, options.german)
    else:
        print("no scorer or no folder of OCR texts: repairs not measured")
    speed()


if __name__ == "__main__":
    main()
