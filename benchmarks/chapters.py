"""Chapters found in books whose navigation is withheld, against that navigation.

python benchmarks/chapters.py CORPUS [--list] [--only NAME]

CORPUS is the folder of real books that JUNG_CORPUS_DIR names by default. For every EPUB and HTML book with a
navigation the chapters are found once with it and once without (the outline is withheld from cleaning; the
book's own headings stay). Truth are the navigation's parts and chapters as cleaning reads them, so that
contents, index, licence and their like count for neither side. A chapter is found if it begins at the same
paragraph or within three; its number and title are right if they are the navigation's.

``--list`` prints the chapters of every book of the corpus instead, so that a person sees errors at a glance.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.corpus_volumes import cleaned
from jung_pipeline.clean.numeral_runs import key_of
from jung_pipeline.clean.structure import chapters_of
from jung_pipeline.errors import JungError
from jung_pipeline.extract.document import ExtractedDocument
from jung_pipeline.extract.extractor import extract

#: A start so many paragraphs away is the same (a label that stands apart from its title).
_NEAR = 3
_SUFFIXES = (".epub", ".htm", ".html", ".txt", ".pdf")


@dataclass
class Score:
    """Counts over one book or all."""

    true: int = 0
    found: int = 0
    right: int = 0
    numbers: int = 0
    titles: int = 0

    def __iadd__(self, other: Score) -> Score:
        """Add up."""
        for name in ("true", "found", "right", "numbers", "titles"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def __str__(self) -> str:
        """One line of figures."""
        precision = self.right / self.found if self.found else float(not self.true)
        recall = self.right / self.true if self.true else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        right = max(1, self.right)
        return (
            f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  "
            f"number right {self.numbers / right:.3f}  title right {self.titles / right:.3f}  "
            f"({self.true} in the navigation, {self.found} found)"
        )


def chapters(document: ExtractedDocument, path: Path, *, outline: bool = True) -> list[dict[str, Any]]:
    """Parts and chapters of ``document``, each with ``line``: the raw line at which it begins."""
    info = document.info if outline else replace(document.info, outline=[])
    paragraphs = cleaned(path, replace(document, info=info)).paragraphs
    lines = _first_lines(paragraphs)
    return [{**entry, "line": lines[int(str(entry["paragraph"]))]} for entry in chapters_of(paragraphs)]


def _first_lines(paragraphs: pa.Table) -> list[int]:
    return [min((span["line_id"] for span in spans), default=-1) for spans in paragraphs["spans"].to_pylist()]


def judge(found: list[dict[str, Any]], truth: list[dict[str, Any]]) -> tuple[Score, list[str]]:
    """Figures, and what is missing, too much or wrong, in words."""
    score = Score(true=len(truth), found=len(found))
    remarks: list[str] = []
    open_found = list(found)
    for entry in truth:
        near = [f for f in open_found if abs(f["line"] - entry["line"]) <= _NEAR]
        if not near:
            remarks.append(f"missing   {entry['chapter']}")
            continue
        match = min(near, key=lambda f: abs(f["line"] - entry["line"]))
        open_found.remove(match)
        score.right += 1
        score.numbers += match["number"] == entry["number"]
        same_title = _same_title(match, entry)
        score.titles += same_title
        if match["number"] != entry["number"] or not same_title:
            remarks.append(f"otherwise {match['chapter']}  ≠  {entry['chapter']}")
    remarks += [f"too much  {entry['chapter']}" for entry in open_found]
    return score, remarks


def _same_title(one: dict[str, Any], other: dict[str, Any]) -> bool:
    ours, theirs = (key_of(str(entry["title"] or entry["chapter"])) for entry in (one, other))
    return ours == theirs or ours in key_of(str(other["chapter"])) or theirs in key_of(str(one["chapter"]))


def main() -> None:
    """Print figures per book and over all, or the chapter lists."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, nargs="?", default=os.environ.get("JUNG_CORPUS_DIR"))
    parser.add_argument("--list", action="store_true", help="print the chapters of every book")
    parser.add_argument("--only", default="", help="part of a file's name")
    options = parser.parse_args()
    if options.corpus is None:
        parser.error("name the folder of real books, or set JUNG_CORPUS_DIR")
    total = Score()
    for path in sorted(options.corpus.rglob("*")):
        if path.suffix not in _SUFFIXES or options.only not in path.name or "ocr" in path.parts:
            continue
        try:
            document = extract(path)
        except JungError:
            continue
        if options.list:
            print(f"\n{path.name}")
            for entry in chapters(document, path):
                print(f"  {'' if entry['kind'] == 'part' else '  '}{entry['chapter']}")
            continue
        if path.suffix not in (".epub", ".htm", ".html") or len(document.info.outline) < 2:
            continue
        score, remarks = judge(chapters(document, path, outline=False), chapters(document, path))
        total += score
        print(f"{path.name}: {score}")
        for remark in remarks:
            print(f"    {remark}")
    if not options.list:
        print(f"all: {total}")


if __name__ == "__main__":
    main()
