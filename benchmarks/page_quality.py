"""Does the quality score of a page tell misread pages from well-read ones?

python benchmarks/page_quality.py FOLDER [--json]

FOLDER holds texts as a machine read them beside what a person transcribed: ``*.tsv`` with columns ``input``
and ``output`` (segments; set together to pages, those of like quality first), ``*.jsonl`` with
``ocr_hypothesis`` and ``ground_truth``, and folders with ``gt/`` beside ``*-txt/`` (a file a page).

For every set: the rank correlation (Spearman) of the score with the share of words misread, over the read
pages alone and together with their transcriptions; and how often a page with less than 5 % of its words
misread scores above one with more than 15 % (AUC). For every language the same, all sets together, and what share of the
good and of the bad pages would be read again under a few thresholds.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import json
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jung_pipeline.extract.page_quality import judge
from jung_pipeline.text.languages import told_language

_GOOD, _BAD = 0.05, 0.15
_PAGE_CHARACTERS = 1800
_THRESHOLDS = (0.65, 0.7, 0.75, 0.8, 0.85)


@dataclass(frozen=True)
class Page:
    """A page as read, with the share of its words that are misread, and its score."""

    kind: str
    language: str
    errors: float
    score: float


def word_errors(read: str, truth: str) -> float:
    """Share of the words of ``truth`` that ``read`` has not, in order."""
    ours, theirs = re.findall(r"\w+", read), re.findall(r"\w+", truth)
    blocks = difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return 1 - sum(block.size for block in blocks) / max(1, len(theirs))


def _pairs(root: Path) -> Iterator[tuple[str, str, str]]:
    """Name of the set, page as read, page as transcribed."""
    csv.field_size_limit(10**9)
    for path in sorted(root.iterdir()):
        if path.suffix == ".tsv":
            with path.open(encoding="utf-8", newline="") as file:
                rows = [
                    (float(row["cer"]), row["input"], row["output"])
                    for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                    if row.get("cer") and row.get("output")
                ]
            yield from ((path.stem, *page) for page in _pages(sorted(rows, key=lambda row: row[0])))
        elif path.suffix == ".jsonl":
            for line in path.read_text(encoding="utf-8").splitlines():
                data = json.loads(line)
                yield (path.stem, *(_unit(data[name]) for name in ("ocr_hypothesis", "ground_truth")))
        elif (path / "gt").is_dir():
            truths = {p.name[:4]: p.read_text("utf-8-sig") for p in sorted((path / "gt").iterdir())}
            for folder in sorted(path.glob("*-txt")):
                for file_ in sorted(folder.iterdir()):
                    if file_.name[:4] in truths:
                        yield (
                            f"{path.name[:20]} {folder.name}",
                            file_.read_text("utf-8-sig"),
                            truths[file_.name[:4]],
                        )


def _unit(value: Any) -> str:
    return str(value["transcription_unit"] if isinstance(value, dict) else value)


def _pages(rows: list[tuple[float, str, str]]) -> Iterator[tuple[str, str]]:
    """Segments set together until they are as long as a page."""
    read: list[str] = []
    truth: list[str] = []
    for _, ours, theirs in rows:
        read.append(ours)
        truth.append(theirs)
        if sum(map(len, read)) > _PAGE_CHARACTERS:
            yield "\n".join(read), "\n".join(truth)
            read, truth = [], []


def scored(root: Path) -> dict[str, list[Page]]:
    """The pages of every set, read and transcribed."""
    found: dict[str, list[Page]] = defaultdict(list)
    pairs = list(_pairs(root))
    truths: dict[str, list[str]] = defaultdict(list)
    for name, _, truth in pairs:
        truths[name].append(truth)
    languages = {name: told_language("\n".join(texts[:50])) or "unknown" for name, texts in truths.items()}
    for name, read, truth in pairs:
        language = languages[name]
        for kind, text, errors in (("read", read, word_errors(read, truth)), ("true", truth, 0.0)):
            score = judge(text).score
            if score is not None:
                found[name].append(Page(kind, language, errors, score))
    return found


def spearman(pages: list[Page]) -> float:
    """Rank correlation of score and share of words read right."""
    ranks = [_ranks([page.score for page in pages]), _ranks([-page.errors for page in pages])]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: list[float]) -> np.ndarray:
    array = np.asarray(values)
    ranks = np.empty(len(array))
    ranks[np.argsort(array, kind="stable")] = np.arange(len(array))
    for value in np.unique(array):
        ranks[array == value] = ranks[array == value].mean()
    return ranks


def auc(pages: list[Page]) -> float | None:
    """How often a good page scores above a bad one; ``None`` without both."""
    good = np.array([page.score for page in pages if page.errors < _GOOD])
    bad = np.array([page.score for page in pages if page.errors > _BAD])
    if not len(good) or not len(bad):
        return None
    above = good[:, None] - bad[None, :]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


def summary(pages: list[Page]) -> dict[str, Any]:
    """The figures of a set."""
    read = [page for page in pages if page.kind == "read"]
    good = [page.score for page in pages if page.errors < _GOOD]
    bad = [page.score for page in pages if page.errors > _BAD]
    return {
        "pages": len(read),
        "misread": round(statistics.mean(page.errors for page in read), 3),
        "score_read": round(statistics.mean(page.score for page in read), 3),
        "score_true": round(statistics.mean(page.score for page in pages if page.kind == "true"), 3),
        "spearman_read": round(spearman(read), 3),
        "spearman_all": round(spearman(pages), 3),
        "auc": None if (found := auc(pages)) is None else round(found, 3),
        "read_again": {
            threshold: [
                round(sum(s < threshold for s in group) / max(1, len(group)), 2) for group in (good, bad)
            ]
            for threshold in _THRESHOLDS
        },
    }


def main() -> None:
    """Print a line for every set and every language."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true", help="machine-readable")
    options = parser.parse_args()
    sets = scored(options.folder)
    languages: dict[str, list[Page]] = defaultdict(list)
    for pages in sets.values():
        languages[f"all, {pages[0].language}"].extend(pages)
    for name, pages in {**sets, **languages}.items():
        figures = summary(pages)
        if options.json:
            print(json.dumps({"set": name, **figures}), flush=True)
            continue
        again = "  ".join(f"{t}: {g:.0%}/{b:.0%}" for t, (g, b) in figures.pop("read_again").items())
        print(f"{name}\n  " + "  ".join(f"{key} {value}" for key, value in figures.items()))
        print(f"  read again of good/bad pages  {again}", flush=True)


if __name__ == "__main__":
    main()
