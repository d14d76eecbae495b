"""Sentence ends that splitters disagree about in a real book, labelled by hand: who is right how often.

    python benchmarks/disagreements.py BOOK.txt [--json]        BOOK.txt as the labels name it by its sha256
    python benchmarks/disagreements.py BOOK.txt --draw 100      print as many to be labelled

``disagreements.json`` has places and verdicts, no text: offsets into the book, a digest of what stands around each of
them, and whether a sentence ends there. The places were drawn at random among those where blingfire, nupunkt and ours do
not agree, before any of them was looked at; nothing was tuned on them. So that taste does not count, an end may stand
before or behind the closing quotes, brackets and note marks that follow it, and ends of paragraphs are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.sentences import splitters

LABELS = Path(__file__).with_name("disagreements.json")
_CLOSING = re.compile(r"""(?:[ \n]?\[\d{1,3}\](?!\w)|["'”’)\]_*])*""")
_AROUND = 40


def read(path: Path) -> str:
    """The book, with line ends alone between lines."""
    return path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")


def ends(spans: list[tuple[int, int]], text: str) -> set[int]:
    """Where sentences end within paragraphs, behind all that closes them."""
    found = set()
    for start, end in spans:
        end = start + len(text[start:end].rstrip())
        match = _CLOSING.match(text, end)
        end = match.end() if match else end
        rest = text[end : end + 400].split("\n\n")[0]
        if rest.strip(" *\n_"):
            found.add(end)
    return found


def digest(text: str, at: int) -> str:
    """Twelve hex of what stands around a place."""
    return hashlib.sha256(text[max(0, at - _AROUND) : at + _AROUND].encode()).hexdigest()[:12]


def draw(text: str, count: int, first: int, last: int) -> None:
    """Print places to be labelled; what each splitter says stays unseen."""
    part = text[first:last]
    found = [ends(split(part, "en"), part) for split in splitters().values()]
    if len(found) < 3:
        raise SystemExit("Install blingfire and nupunkt first: pip install '.[bench]'")
    open_to_question = sorted(set.union(*found) - set.intersection(*found))
    print(f"{len(set.intersection(*found))} agreed, {len(open_to_question)} not")
    for at in sorted(random.Random(11).sample(open_to_question, count)):
        at += first
        print(
            at, digest(text, at), repr(text[max(0, at - 70) : at])[1:-1], "||", repr(text[at : at + 50])[1:-1]
        )


def measure(text: str, labels: dict[str, Any]) -> list[dict[str, Any]]:
    """How many of the labelled places each splitter has right."""
    first, last = labels["part"]
    part = text[first:last]
    rows = []
    for name, split in splitters().items():
        found = ends(split(part, "en"), part)
        extra = sum(not one["ends"] and one["at"] - first in found for one in labels["places"])
        missed = sum(one["ends"] and one["at"] - first not in found for one in labels["places"])
        count = len(labels["places"])
        rows.append(
            {"splitter": name, "right": count - extra - missed, "of": count, "extra": extra, "missed": missed}
        )
    return rows


def main() -> None:
    """Measure and print, or draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("book", type=Path)
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument(
        "--part", type=int, nargs=2, default=(20_000, 620_000), help="characters to draw from"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    text = read(options.book)
    if options.draw:
        draw(text, options.draw, *options.part)
        return
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    wrong = [one["at"] for one in labels["places"] if digest(text, one["at"]) != one["around"]]
    if wrong:
        raise SystemExit(
            f"This is not the book that was labelled ({labels['book']}): it differs at {wrong[0]}."
        )
    rows = measure(text, labels)
    if options.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print("  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
