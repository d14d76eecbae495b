"""Was it right to take that out? Entries of the ledger drawn at random, against verdicts given by a reader.

python benchmarks/removals.py [CORPUS] [--read] [--unlabelled] [--label FILE]

CORPUS is the folder of real books that JUNG_CORPUS_DIR names by default. The draw is over all entries of the
removal ledgers of all its books: five of every rule (or all it has), the others in proportion to how often
rules act, 200 in all. An entry's turn depends on a digest of its place alone, so that a change of one rule
leaves the draw among the others as it is.

The verdicts lie in ``removals.jsonl``: draw, file, digest of the file, line, first and last character, rule, verdict
and what kind of mistake it is; no word of any book. A line is found again by a digest of its text where
extraction numbers lines anew. Every verdict was given by reading the entry in its surroundings; "wrong" is what
takes a word from the author's text, alters one that was right, or moves or alters text for a reason that does
not hold. Draw 1 (300 entries, eight of every rule) is the one by which rules were mended; draw 2 was made
afterwards with another seed and tells how right the rules are that came of it. Whether the ledger still has an entry is told beside: one that was wrong and is gone has been mended.

``--read`` prints the entries with their surroundings, which is how they are judged; ``--label`` adds verdicts
from a file of lines "number verdict note", numbered as ``--read --unlabelled`` prints them.
"""

from __future__ import annotations

import argparse
import hashlib
import heapq
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corpus_volumes import CorpusVolume, add_options, volumes

LABELS = Path(__file__).with_suffix(".jsonl")
_NUMBER, _LEAST, _DRAW = 200, 5, 2
#: Lines of surroundings shown on each side.
_AROUND = 3
#: So many characters of a line are shown.
_WIDE = 100


@dataclass(frozen=True, order=True)
class Place:
    """Where an entry stands, without its words."""

    file: str
    line_id: int
    start: int
    end: int
    rule: str


@dataclass
class Entry:
    """An entry of a ledger with its surroundings, in memory only."""

    place: Place
    sha256: str
    line_digest: str
    action: str
    before: str
    after: str
    around: list[str] = field(default_factory=list)

    @property
    def address(self) -> tuple[Any, ...]:
        """By what a verdict finds it again."""
        return (self.place.file, self.line_digest, self.place.start, self.place.end)


def digest(text: str) -> str:
    """A short digest of a line: tells lines apart, gives no word away."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def turn(sha256: str, place: Place) -> str:
    """What decides whether an entry is drawn: the same everywhere, whatever else the ledger has."""
    key = f"removals {_DRAW}|{sha256}|{place.line_id}|{place.start}|{place.end}|{place.rule}"
    return hashlib.sha256(key.encode()).hexdigest()


def shares(counts: Counter[str], number: int = _NUMBER, least: int = _LEAST) -> dict[str, int]:
    """How many entries of each rule are drawn."""
    drawn = {rule: min(least, count) for rule, count in counts.items()}
    left = number - sum(drawn.values())
    total = sum(counts.values())
    for rule, count in counts.most_common():
        more = min(count - drawn[rule], round(left * count / total)) if left > 0 else 0
        drawn[rule] += more
    return drawn


class Ledgers:
    """The ledgers of all books, of which only what may be drawn or has a verdict is remembered."""

    def __init__(self, labels: Sequence[dict[str, Any]]) -> None:
        self.counts: Counter[str] = Counter()
        self.labels = labels
        self._first: dict[str, list[tuple[str, Entry]]] = defaultdict(list)
        self._labelled: dict[tuple[Any, ...], list[Entry]] = defaultdict(list)
        self._wanted = {_address(label) for label in labels}

    def add(self, volume: CorpusVolume) -> None:
        """Take in the ledger of one book."""
        sha256 = volume.sha256
        lines = volume.document.lines.column("text").to_pylist()
        pages = volume.document.lines.column("page").to_pylist()
        digests = {at: digest(lines[at]) for at in set(volume.cleaned.ledger.column("line_id").to_pylist())}
        turns: dict[str, list[tuple[str, Entry]]] = defaultdict(list)
        for row in volume.cleaned.ledger.to_pylist():
            at = row["line_id"]
            place = Place(volume.path.name, at, row["raw_start"], row["raw_end"], row["rule"])
            entry = Entry(place, sha256, digests[at], row["action"], row["before"], row["after"])
            turns[place.rule].append((turn(sha256, place), entry))
            if entry.address in self._wanted:
                self._labelled[entry.address].append(entry)
        for rule, found in turns.items():
            self.counts[rule] += len(found)
            first = heapq.nsmallest(_NUMBER, found, key=lambda pair: pair[0])
            for _, entry in first:
                at = entry.place.line_id
                entry.around = [
                    f"{pages[n]:>4} {_marked(lines[n], entry.place) if n == at else lines[n][:_WIDE]}"
                    for n in range(max(0, at - _AROUND), min(len(lines), at + _AROUND + 1))
                ]
            both = [*self._first[rule], *first]
            self._first[rule] = heapq.nsmallest(_NUMBER, both, key=lambda pair: pair[0])

    def drawn(self) -> list[Entry]:
        """The entries whose turn it is."""
        found = []
        for rule, number in shares(self.counts).items():
            found += [entry for _, entry in self._first[rule][:number]]
        return sorted(found, key=lambda entry: entry.place)

    def of_label(self, label: dict[str, Any]) -> Entry | None:
        """The entry a verdict is about, if the ledger still has it; a line that was numbered anew is found."""
        same = [entry for entry in self._labelled[_address(label)] if entry.place.rule == label["rule"]]
        return min(same, key=lambda entry: abs(entry.place.line_id - label["line_id"]), default=None)


def _address(label: dict[str, Any]) -> tuple[Any, ...]:
    return (label["file"], label["line_digest"], label["start"], label["end"])


def _marked(line: str, place: Place) -> str:
    before, inside, after = line[: place.start], line[place.start : place.end], line[place.end :]
    if len(inside) > 2 * _WIDE:
        inside = f"{inside[:_WIDE]} … {inside[-_WIDE:]}"
    return f"{before[-_WIDE:]}⟦{inside}⟧{after[:_WIDE]}"


def read_labels(path: Path = LABELS) -> list[dict[str, Any]]:
    """The verdicts."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def label_of(entry: Entry, verdict: str, note: str) -> dict[str, Any]:
    """A verdict as it is kept: places and digests, no text."""
    return {
        "draw": _DRAW,
        **asdict(entry.place),
        "sha256": entry.sha256,
        "line_digest": entry.line_digest,
        "verdict": verdict,
        "note": note,
    }


def wilson(right: int, number: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    if not number:
        return 0.0, 1.0
    share = right / number
    middle = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = z / (1 + z * z / number) * math.sqrt(share * (1 - share) / number + z * z / (4 * number**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def as_drawn(verdicts: Sequence[str | None]) -> str:
    """The figure for the entries whose turn it is now, whichever draw they were judged in."""
    judged = [verdict for verdict in verdicts if verdict is not None]
    right = judged.count("right")
    low, high = wilson(right, len(judged))
    return (
        f"drawn now: {len(verdicts)}, {len(verdicts) - len(judged)} of them without a verdict; "
        f"right: {right} of {len(judged)} = {right / max(1, len(judged)):.2%}, "
        f"95 % interval {low:.2%} to {high:.2%}"
    )


def report(labels: Sequence[dict[str, Any]], made: Sequence[bool]) -> list[str]:
    """The figures, in words: of every draw, then by rule over all."""
    lines = []
    for draw in sorted({label["draw"] for label in labels}):
        of_draw = [
            (label, is_made) for label, is_made in zip(labels, made, strict=True) if label["draw"] == draw
        ]
        still = [label for label, is_made in of_draw if is_made]
        gone = [label for label, is_made in of_draw if not is_made]
        right = sum(label["verdict"] == "right" for label in still)
        mended = sum(label["verdict"] == "wrong" for label in gone)
        low, high = wilson(right, len(still))
        lines += [
            f"draw {draw}: {len(of_draw)} labelled, {len(still)} still made, {len(gone)} no longer "
            f"(of these {mended} were wrong: mended)",
            f"  right: {right} of {len(still)} = {right / max(1, len(still)):.2%}, "
            f"95 % interval {low:.2%} to {high:.2%}",
        ]
    still = [label for label, is_made in zip(labels, made, strict=True) if is_made]
    tally = Counter(label["rule"] for label in still)
    good = Counter(label["rule"] for label in still if label["verdict"] == "right")
    lines += [f"  {rule:20} {good[rule]:3} of {tally[rule]:3}" for rule in sorted(tally)]
    lines += [
        f"wrong: {label['file']} line {label['line_id']} [{label['start']}:{label['end']}] "
        f"{label['rule']}: {label['note']}"
        for label in still
        if label["verdict"] == "wrong"
    ]
    return lines


def main() -> None:
    """Draw, compare with the verdicts, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--read", action="store_true", help="print the drawn entries in their surroundings")
    parser.add_argument("--unlabelled", action="store_true", help="with --read: only those without a verdict")
    parser.add_argument("--label", type=Path, help='add verdicts: lines of "number right|wrong note"')
    options = parser.parse_args()
    labels = read_labels()
    ledgers = Ledgers(labels)
    for volume in volumes(options.corpus, options.only):
        ledgers.add(volume)
    drawn = ledgers.drawn()
    known = [ledgers.of_label(label) for label in labels]
    have = {entry.place for entry in known if entry is not None}
    new = [entry for entry in drawn if entry.place not in have]
    if options.label:
        with LABELS.open("a") as file:
            for line in options.label.read_text().splitlines():
                number, verdict, *note = line.split(maxsplit=2)
                label = label_of(new[int(number)], verdict, " ".join(note))
                file.write(json.dumps(label, ensure_ascii=False) + "\n")
        return
    if options.read:
        for number, entry in enumerate(new if options.unlabelled else drawn):
            place = entry.place
            print(f"--- {number} {place.rule} {entry.action} {place.file} line {place.line_id}")
            print("\n".join(entry.around))
            if entry.action == "changed":
                print(f"       {entry.before!r} -> {entry.after!r}")
        return
    asked = [at for at, label in enumerate(labels) if options.only in label["file"]]
    made = [known[at] is not None for at in asked]
    print("\n".join(report([labels[at] for at in asked], made)))
    verdicts = {entry.place: labels[at]["verdict"] for at, entry in enumerate(known) if entry is not None}
    print(as_drawn([verdicts.get(entry.place) for entry in drawn]))
    print(f"{ledgers.counts.total():,} entries in all: {dict(ledgers.counts.most_common())}")
    sys.exit(0 if labels else 1)


if __name__ == "__main__":
    main()
