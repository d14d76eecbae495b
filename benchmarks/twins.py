"""The cleaned text of a PDF beside that of its twin edition: are all words there, and in order?

python benchmarks/twins.py CORPUS [--pair james] [--worst 20]

CORPUS is the folder of real books that JUNG_CORPUS_DIR names by default. Both files of a pair go through the
whole of extraction and cleaning; their bodies (no footnotes, nothing before the first or behind the last
chapter's matter) are aligned word by word. Where the twin is plain text, it is also read without any of our
code but a split at its notes, so that a fault which both our readings share is seen.

Precision is the share of the PDF's words that the twin has at the same place, recall the share of the twin's
words that the PDF has. Words are runs of letters or digits, folded to small letters; a hyphen divides words,
so that a word wrongly joined or divided at a line's end counts as a difference.
"""

from __future__ import annotations

import argparse
import os
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import regex

from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.cleaner import clean_volume
from jung_pipeline.extract.extractor import extract

PAIRS = {
    "james": (
        "pdf/james-varieties-pg621.pdf",
        "books/james-varieties-of-religious-experience-1917-pg621.txt",
    ),
    "silberer": (
        "pdf/silberer-hidden-symbolism-pg27755.pdf",
        "books/silberer-hidden-symbolism-of-alchemy-pg27755.txt",
    ),
    "gray": ("pdf/gray-zones-indesign.pdf", "epub/gray-zones-pandoc.epub"),
}

_WORD = regex.compile(r"\p{L}\p{M}*(?:\p{L}|\p{M})*|\p{N}+")
#: Lengths of the runs of words that anchor the alignment, longest first.
_ANCHORS = (12, 6, 3, 2, 1)
#: Gaps of at most this many pairs of words go to difflib.
_SMALL = 250_000


@dataclass(frozen=True)
class Comparison:
    """How far two word sequences agree.

    Attributes:
        precision: share of the first one's words that the second has at the same place.
        recall: share of the second one's words that the first has.
        in_order: share of the runs of twelve words found once on each side that keep their order.
        differences: what stands on one side alone, largest first: words before, first, second.
    """

    precision: float
    recall: float
    in_order: float
    differences: list[tuple[str, str, str]]


def words_of(text: str) -> list[str]:
    """The words of ``text``, folded: compatibility forms resolved, small letters, apostrophes closed up."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return _WORD.findall(regex.sub(r"(?<=\p{L})['’](?=\p{L})", "", folded))


def compare(first: Sequence[str], second: Sequence[str]) -> Comparison:
    """Align two sequences of words and count."""
    number: dict[str, int] = {}
    a = np.array([number.setdefault(word, len(number)) for word in first], dtype=np.int64)
    b = np.array([number.setdefault(word, len(number)) for word in second], dtype=np.int64)
    blocks = _align(a, b)
    matched = sum(length for _, _, length in blocks)
    differences = []
    at_a = at_b = 0
    for start_a, start_b, length in [*blocks, (len(a), len(b), 0)]:
        if start_a > at_a or start_b > at_b:
            differences.append(
                (
                    " ".join(first[max(0, at_a - 6) : at_a]),
                    " ".join(first[at_a:start_a]),
                    " ".join(second[at_b:start_b]),
                )
            )
        at_a, at_b = start_a + length, start_b + length
    differences.sort(key=lambda found: -max(len(found[1]), len(found[2])))
    return Comparison(
        matched / max(1, len(a)), matched / max(1, len(b)), _order_kept(a, b, _ANCHORS[0]), differences
    )


def _align(a: np.ndarray, b: np.ndarray) -> list[tuple[int, int, int]]:
    """Blocks (start in ``a``, start in ``b``, length) of equal words, rising in both."""
    found: list[tuple[int, int, int]] = []
    open_gaps: list[tuple[int, int, int, int]] = [(0, len(a), 0, len(b))]
    while open_gaps:
        a0, a1, b0, b1 = open_gaps.pop()
        head = _same(a[a0:a1], b[b0:b1])
        if head:
            found.append((a0, b0, head))
            a0, b0 = a0 + head, b0 + head
        tail = _same(a[a0:a1][::-1], b[b0:b1][::-1])
        if tail:
            found.append((a1 - tail, b1 - tail, tail))
            a1, b1 = a1 - tail, b1 - tail
        if a0 >= a1 or b0 >= b1:
            continue
        if (a1 - a0) * (b1 - b0) <= _SMALL:
            matcher = SequenceMatcher(None, a[a0:a1].tolist(), b[b0:b1].tolist(), autojunk=False)
            found += [(a0 + m.a, b0 + m.b, m.size) for m in matcher.get_matching_blocks() if m.size]
            continue
        anchors = _anchors(a[a0:a1], b[b0:b1])
        at_a, at_b = a0, b0
        for x, y, length in anchors:
            open_gaps.append((at_a, a0 + x, at_b, b0 + y))
            found.append((a0 + x, b0 + y, length))
            at_a, at_b = a0 + x + length, b0 + y + length
        if anchors:
            open_gaps.append((at_a, a1, at_b, b1))
    return sorted(found)


def _same(a: np.ndarray, b: np.ndarray) -> int:
    """How many words are equal from the beginning."""
    length = min(len(a), len(b))
    unequal = np.flatnonzero(a[:length] != b[:length])
    return int(unequal[0]) if len(unequal) else length


def _anchors(a: np.ndarray, b: np.ndarray) -> list[tuple[int, int, int]]:
    """Runs of words that each side has once, the most of them that keep their order; longest kind first."""
    for length in _ANCHORS:
        x, y = _once_in_both(a, b, length)
        keep = _longest_rising(y)
        blocks: list[tuple[int, int, int]] = []
        at_a = at_b = 0
        for index in keep:
            start = max(0, at_a - int(x[index]), at_b - int(y[index]))
            if start < length:
                blocks.append((int(x[index]) + start, int(y[index]) + start, length - start))
                at_a, at_b = int(x[index]) + length, int(y[index]) + length
        if blocks:
            return blocks
    return []


def _once_in_both(a: np.ndarray, b: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Where runs of ``length`` words stand that each side has exactly once; rising in the first."""
    hashes = []
    for words in (a, b):
        if len(words) < length:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        total = np.zeros(len(words) - length + 1, dtype=np.uint64)
        for at in range(length):
            total = (
                total * np.uint64(1_000_003) + words[at : at + len(total)].astype(np.uint64) + np.uint64(1)
            )
        hashes.append(total)
    once = []
    for total in hashes:
        values, first, counts = np.unique(total, return_index=True, return_counts=True)
        once.append((values[counts == 1], first[counts == 1]))
    _, in_a, in_b = np.intersect1d(once[0][0], once[1][0], assume_unique=True, return_indices=True)
    x, y = once[0][1][in_a], once[1][1][in_b]
    order = np.argsort(x)
    return x[order], y[order]


def _longest_rising(values: np.ndarray) -> list[int]:
    """Indices of a longest rising subsequence (patience sorting)."""
    from bisect import bisect_left

    tails: list[int] = []
    at: list[int] = []
    before = [-1] * len(values)
    for index, value in enumerate(values.tolist()):
        place = bisect_left(tails, value)
        before[index] = at[place - 1] if place else -1
        tails[place : place + 1] = [value]
        at[place : place + 1] = [index]
    chain = []
    index = at[-1] if at else -1
    while index >= 0:
        chain.append(index)
        index = before[index]
    return chain[::-1]


def _order_kept(a: np.ndarray, b: np.ndarray, length: int) -> float:
    _, y = _once_in_both(a, b, length)
    return len(_longest_rising(y)) / len(y) if len(y) else 1.0


def words_in_notes(found: Comparison, notes: Sequence[str]) -> int:
    """How many words the first side has more than the second because they are notes of the second."""
    runs = {tuple(notes[at : at + 3]) for at in range(len(notes) - 2)}
    count = 0
    for _, extra, _ in found.differences:
        words = extra.split()
        inside = [tuple(words[at : at + 3]) in runs for at in range(len(words) - 2)]
        if inside and sum(inside) >= 0.8 * len(inside):
            count += len(words)
    return count


def read(path: Path) -> tuple[list[str], list[str]]:
    """The words of the cleaned body of a file, and those of its notes."""
    document = extract(path)
    title = str(document.info.metadata.get("title") or path.stem)
    volume = Volume(
        key="twin",
        file=path.name,
        title=title,
        author=document.info.metadata.get("author"),
        language=document.info.metadata.get("language"),
    )
    rows = clean_volume(document.lines, document.info, volume).paragraphs.to_pylist()
    body = "\n\n".join(row["text"] for row in rows if row["kind"] not in ("footnote", "caption"))
    notes = "\n\n".join(row["text"] for row in rows if row["kind"] == "footnote")
    return words_of(body), words_of(notes)


def plain_reading(path: Path) -> list[str]:
    """The words of a Project Gutenberg text between its markers, without notes, by no code of the pipeline."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.replace("\r\n", "\n")
    if marks := list(regex.finditer(r"\*\*\* ?(?:START|END) OF .*?\*\*\*", text)):
        text = text[marks[0].end() : marks[-1].start() if len(marks) > 1 else len(text)]
    text = regex.split(r"\n\s*FOOTNOTES\s*\n", text)[0]
    text = regex.sub(r"\[Footnote[^\]]*\]|\[Illustration[^\]]*\]|\[\d{1,4}\]", " ", text)
    return words_of(text)


def _show(name: str, found: Comparison, worst: int) -> None:
    print(
        f"{name}: precision {found.precision:.4f}  recall {found.recall:.4f}  in order {found.in_order:.4f}"
        f"  ({len(found.differences)} differing stretches)"
    )
    for before, first, second in found.differences[:worst]:
        print(f"    … {before} ‖ PDF: {_short(first)} ‖ twin: {_short(second)}")


def _short(text: str) -> str:
    return text if len(text) <= 160 else f"{text[:75]} […{len(text.split())} words…] {text[-75:]}"


def main() -> None:
    """Print the figures of every pair and its largest differing stretches."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, nargs="?", default=os.environ.get("JUNG_CORPUS_DIR"))
    parser.add_argument("--pair", choices=sorted(PAIRS), action="append")
    parser.add_argument("--worst", type=int, default=12, help="differing stretches to print")
    options = parser.parse_args()
    if options.corpus is None:
        parser.error("name the folder of real books, or set JUNG_CORPUS_DIR")
    for name in options.pair or PAIRS:
        began = time.perf_counter()
        pdf, twin = (options.corpus / file for file in PAIRS[name])
        ours, _ = read(pdf)
        theirs, notes = read(twin)
        found = compare(ours, theirs)
        _show(f"{name}, both through the pipeline", found, options.worst)
        if extra := words_in_notes(found, notes):
            without = found.precision * len(ours) / (len(ours) - extra)
            print(
                f"    {extra} words are notes in the twin and text in the PDF; without them precision {without:.4f}"
            )
        if twin.suffix == ".txt":
            _show(f"{name}, twin read plainly", compare(ours, plain_reading(twin)), options.worst)
        print(f"    {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
