"""Single entries of the removal ledger: what stood there, what stands there now, and how to have it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jung_pipeline.clean.explain import labels_of
from jung_pipeline.clean.keep import ALWAYS_ACT
from jung_pipeline.clean.rules import REASONS
from jung_pipeline.errors import UsageError

#: Characters of cleaned text shown on each side of an entry's place.
_AROUND = 70
#: Shows in the cleaned text where an entry's characters stood.
GAP = "⟦⟧"


@dataclass(frozen=True)
class ExplainedEntry:
    """An entry of the ledger.

    Attributes:
        entry: its number in the ledger.
        action: removed, changed or moved.
        rule, reason: which rule did it, and why.
        page: position in the file; ``labels``: printed numbers on the line.
        line_id, start, end: where in the raw lines.
        before, after: what stood there and what stands there now.
        lines_before, line, lines_after: the raw lines around it.
        paragraph: row of the cleaned text at its place; ``None`` if there is none.
        cleaned: the cleaned text around its place, ``⟦…⟧`` about what is there of it.
        restore: the value for ``hints.keep`` that holds the rule back on this page; ``None`` if it always acts.
    """

    entry: int
    action: str
    rule: str
    reason: str
    page: int
    labels: list[str]
    line_id: int
    start: int
    end: int
    before: str
    after: str
    lines_before: list[str]
    line: str
    lines_after: list[str]
    paragraph: int | None
    cleaned: str
    restore: str | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return asdict(self)


@dataclass(frozen=True)
class RuleSummary:
    """What a rule did in a volume: entries of the ledger by action, and raw characters in them."""

    rule: str
    reason: str
    removed: int
    changed: int
    moved: int
    characters: int


def summarise_rules(ledger: pa.Table) -> list[RuleSummary]:
    """Every rule that acted, the one with most characters first."""
    length = pc.subtract(ledger["raw_end"], ledger["raw_start"])
    table = pa.table({"rule": ledger["rule"], "action": ledger["action"], "length": length})
    sums = table.group_by(["rule", "action"]).aggregate([("length", "count"), ("length", "sum")]).to_pylist()
    found = []
    for rule in {row["rule"] for row in sums}:
        own = {row["action"]: row["length_count"] for row in sums if row["rule"] == rule}
        found.append(
            RuleSummary(
                rule,
                REASONS.get(rule, ""),
                own.get("removed", 0),
                own.get("changed", 0),
                own.get("moved", 0),
                sum(row["length_sum"] for row in sums if row["rule"] == rule),
            )
        )
    return sorted(found, key=lambda summary: (-summary.characters, summary.rule))


def explain_rule(
    raw_text: pa.Table,
    cleaned_text: pa.Table,
    ledger: pa.Table,
    rule: str,
    *,
    first: int = 1,
    count: int = 20,
) -> tuple[list[ExplainedEntry], int]:
    """What ``rule`` did, in the order of the file: ``count`` entries from the ``first`` (1-based) on.

    Returns:
        The entries, and how many there are in all.

    Raises:
        UsageError: there is no such rule, or it did nothing in this volume.
    """
    if rule not in REASONS:
        raise UsageError(f"There is no rule {rule!r}.", remedy=f"Rules: {', '.join(REASONS)}.")
    rows = ledger.filter(pc.equal(ledger["rule"], rule))
    if not rows.num_rows:
        acted = ", ".join(summary.rule for summary in summarise_rules(ledger)) or "none"
        raise UsageError(f"The rule {rule!r} did nothing in this volume.", remedy=f"Those that did: {acted}.")
    shown = rows.slice(first - 1, count)
    return _explained(raw_text, cleaned_text, shown.to_pylist()), rows.num_rows


def explain_entry(raw_text: pa.Table, cleaned_text: pa.Table, ledger: pa.Table, entry: int) -> ExplainedEntry:
    """The entry numbered ``entry``.

    Raises:
        UsageError: the ledger has no such entry.
    """
    rows = ledger.filter(pc.equal(ledger["entry"], entry))
    if not rows.num_rows:
        raise UsageError(
            f"The ledger of this volume has no entry {entry}.",
            remedy=f"They run from 0 to {ledger.num_rows - 1}.",
        )
    return _explained(raw_text, cleaned_text, rows.to_pylist())[0]


def _explained(
    raw_text: pa.Table, cleaned_text: pa.Table, rows: Sequence[dict[str, Any]]
) -> list[ExplainedEntry]:
    lines = raw_text.column("text")
    labels = labels_of(raw_text, cleaned_text)
    places = _Places(cleaned_text)
    found = []
    for row in rows:
        at = row["line_id"]
        paragraph, cleaned = places.around(row)
        found.append(
            ExplainedEntry(
                entry=row["entry"],
                action=row["action"],
                rule=row["rule"],
                reason=row["reason"],
                page=row["page"],
                labels=labels.get(at, []),
                line_id=at,
                start=row["raw_start"],
                end=row["raw_end"],
                before=row["before"],
                after=row["after"],
                lines_before=lines.slice(max(0, at - 2), min(2, at)).to_pylist(),
                line=lines[at].as_py(),
                lines_after=lines.slice(at + 1, 2).to_pylist(),
                paragraph=paragraph,
                cleaned=cleaned,
                restore=None if row["rule"] in ALWAYS_ACT else f"{row['rule']}@{row['page']}",
            )
        )
    return found


class _Places:
    """Where in the cleaned text raw characters stand, or would stand."""

    def __init__(self, cleaned_text: pa.Table) -> None:
        spans = pc.list_flatten(cleaned_text["spans"]).combine_chunks()
        self.texts = cleaned_text.column("text")
        line, raw, end, raw_end = (
            pc.struct_field(spans, name).to_numpy().astype(np.int64)
            for name in ("line_id", "raw_start", "end", "raw_end")
        )
        start = pc.struct_field(spans, "start").to_numpy().astype(np.int64)
        row = pc.list_parent_indices(cleaned_text["spans"]).to_numpy().astype(np.int64)
        order = np.lexsort((raw, line))
        self.line, self.raw, self.raw_end = line[order], raw[order], raw_end[order]
        self.start, self.end, self.row = start[order], end[order], row[order]
        #: Lines and offsets in one number, for searching.
        self.key = self.line * (1 << 32) + self.raw

    def around(self, entry: dict[str, Any]) -> tuple[int | None, str]:
        """Row of the cleaned text at the entry's place, and the text around it."""
        if not len(self.key):
            return None, ""
        at = (
            int(np.searchsorted(self.key, entry["line_id"] * (1 << 32) + entry["raw_start"], side="right"))
            - 1
        )
        at = max(at, 0)
        row = int(self.row[at])
        covers = self.line[at] == entry["line_id"] and self.raw[at] <= entry["raw_start"] < self.raw_end[at]
        if covers:
            start = int(self.start[at]) + (entry["raw_start"] - int(self.raw[at]))
            start = min(start, int(self.end[at]))
        elif self.key[at] > entry["line_id"] * (1 << 32) + entry["raw_start"]:
            start = int(self.start[at])
        else:
            start = int(self.end[at])
        text = self.texts[row].as_py()
        end = min(len(text), start + len(entry["after"])) if text.startswith(entry["after"], start) else start
        a, b = max(0, start - _AROUND), min(len(text), end + _AROUND)
        shown = f"{text[a:start]}{GAP[0]}{text[start:end]}{GAP[1]}{text[end:b]}".replace("\n", " / ")
        return row, ("…" if a else "") + shown + ("…" if b < len(text) else "")
