"""The proof that cleaning lost nothing: every raw character is in the cleaned text or in the ledger."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pyarrow as pa


def unaccounted(lines: pa.Table, paragraphs: pa.Table, ledger: pa.Table) -> list[dict[str, Any]]:
    """Raw stretches that are neither in a span nor in the ledger, and spans that do not say what they cover.

    Args:
        lines: a ``raw_text`` table.
        paragraphs: the ``cleaned_text`` made of it.
        ledger: the ``removal_ledger`` made with it.

    Returns:
        One record an offence: ``line_id``, ``raw_start``, ``raw_end``, ``problem`` and the ``text`` concerned.
        Empty if all is well.
    """
    texts = lines.column("text").to_pylist()
    seen = [bytearray(len(text)) for text in texts]
    changed: list[set[int]] = [set() for _ in texts]
    problems: list[dict[str, Any]] = []
    for row in ledger.select(["line_id", "raw_start", "raw_end", "action", "before"]).to_pylist():
        line, start, end = row["line_id"], row["raw_start"], row["raw_end"]
        seen[line][start:end] = b"\x01" * (end - start)
        if row["action"] == "changed":
            changed[line].update(range(start, end))
        if texts[line][start:end] != row["before"]:
            problems.append(_problem(line, start, end, "the ledger quotes another text", row["before"]))
    for row in paragraphs.select(["text", "spans"]).to_pylist():
        for span in row["spans"]:
            line, start, end = span["line_id"], span["raw_start"], span["raw_end"]
            seen[line][start:end] = b"\x01" * (end - start)
            raw, clean = texts[line][start:end], row["text"][span["start"] : span["end"]]
            if raw != clean and not changed[line].intersection(range(start, end)):
                problems.append(_problem(line, start, end, "changed without an entry in the ledger", raw))
    for line, flags in enumerate(seen):
        at = flags.find(0)
        while at >= 0:
            end = flags.find(1, at)
            end = len(flags) if end < 0 else end
            problems.append(
                _problem(line, at, end, "neither in the text nor in the ledger", texts[line][at:end])
            )
            at = flags.find(0, end)
    return problems


def replay(lines: pa.Table, paragraphs: pa.Table, ledger: pa.Table) -> list[str]:
    """The paragraphs' texts made anew from the raw lines: spans copied, changes taken from the ledger.

    What was put in between two raw characters (the blank or line feed where lines were joined) is taken from
    the paragraph, as no raw character stands for it.
    """
    texts = lines.column("text").to_pylist()
    entries: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for row in ledger.select(["line_id", "raw_start", "raw_end", "action", "after"]).to_pylist():
        if row["action"] in ("changed", "removed"):
            entries[row["line_id"]].append((row["raw_start"], row["raw_end"], row["after"]))
    made = []
    for row in paragraphs.select(["text", "spans"]).to_pylist():
        pieces: list[str] = []
        at = 0
        for span in row["spans"]:
            pieces.append(row["text"][at : span["start"]])
            line = span["line_id"]
            pieces.append(_rewritten(texts[line], span["raw_start"], span["raw_end"], entries[line]))
            at = span["end"]
        pieces.append(row["text"][at:])
        made.append("".join(pieces))
    return made


def _rewritten(raw: str, start: int, end: int, entries: list[tuple[int, int, str]]) -> str:
    """``raw[start:end]`` with the entries that begin in it carried out, in order."""
    pieces = []
    for begin, stop, after in entries:
        if start <= begin < end:
            pieces += [raw[start:begin], after]
            start = stop
    return "".join([*pieces, raw[start:end]])


def _problem(line: int, start: int, end: int, problem: str, text: str) -> dict[str, Any]:
    return {"line_id": line, "raw_start": start, "raw_end": end, "problem": problem, "text": text[:80]}
