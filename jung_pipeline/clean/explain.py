"""A page as the file has it beside what became of it: for a reader who doubts a citation or a removal."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from jung_pipeline.errors import UsageError


@dataclass(frozen=True)
class Change:
    """An entry of the ledger on a line."""

    action: str  # removed | changed | moved
    rule: str
    reason: str
    before: str
    after: str
    entry: int = -1  # its number in the ledger
    start: int = 0  # in the raw line
    end: int = 0


@dataclass(frozen=True)
class ExplainedLine:
    """A raw line of the page, the paragraphs it went into, and what was done to it."""

    line_id: int
    text: str
    paragraphs: list[int] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


@dataclass(frozen=True)
class ExplainedParagraph:
    """A cleaned paragraph that has text from the page."""

    paragraph: int
    kind: str
    chapter: str | None
    page_first: int
    page_last: int
    label_first: str | None
    label_last: str | None
    text: str


@dataclass(frozen=True)
class ExplainedPage:
    """A page of a volume.

    Attributes:
        pages: positions in the file, 1-based; one, unless a printed number stands on several.
        labels: printed page numbers on it, where known.
        lines: raw lines in reading order.
        paragraphs: the cleaned paragraphs that they went into, in the order of the cleaned text.
    """

    pages: list[int]
    labels: list[str]
    lines: list[ExplainedLine]
    paragraphs: list[ExplainedParagraph]

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return asdict(self)


def explain_page(
    raw_text: pa.Table,
    cleaned_text: pa.Table,
    ledger: pa.Table,
    *,
    page: int | None = None,
    label: str | None = None,
) -> ExplainedPage:
    """The raw lines of one page, what cleaning did to each and why, and the paragraphs they went into.

    Args:
        raw_text: the volume's ``raw_text``.
        cleaned_text: the ``cleaned_text`` made of it.
        ledger: the ``removal_ledger`` made with it.
        page: position in the file, 1-based.
        label: the printed page number instead; "xiv", "42".

    Raises:
        UsageError: neither or both are given, or the volume has no such page.
    """
    if (page is None) == (label is None):
        raise UsageError("Name one page: either its position in the file or its printed number.")
    lines = raw_text.select(["line_id", "page", "page_label", "text"]).to_pylist()
    rows = cleaned_text.to_pylist()
    labels = _labels(lines, rows)
    wanted = _lines_at(page, lines) if page is not None else _lines_labelled(str(label), labels)
    if not wanted:
        raise UsageError(_no_such_page(page, label, lines, labels))
    changes: dict[int, list[Change]] = defaultdict(list)
    for entry in ledger.to_pylist():
        if entry["line_id"] in wanted:
            changes[entry["line_id"]].append(Change(*(entry[name] for name in _CHANGE_COLUMNS)))
    went: dict[int, list[int]] = defaultdict(list)
    shown = []
    for row in rows:
        here = {span["line_id"] for span in row["spans"]} & wanted
        for line_id in here:
            went[line_id].append(row["paragraph"])
        if here:
            shown.append(ExplainedParagraph(**{name: row[name] for name in _PARAGRAPH_COLUMNS}))
    return ExplainedPage(
        pages=sorted({line["page"] for line in lines if line["line_id"] in wanted}),
        labels=list(dict.fromkeys(name for line_id in sorted(wanted) for name in labels[line_id])),
        lines=[
            ExplainedLine(
                line["line_id"], line["text"], went.get(line["line_id"], []), changes.get(line["line_id"], [])
            )
            for line in lines
            if line["line_id"] in wanted
        ],
        paragraphs=shown,
    )


_CHANGE_COLUMNS = ("action", "rule", "reason", "before", "after", "entry", "raw_start", "raw_end")
_PARAGRAPH_COLUMNS = (
    "paragraph",
    "kind",
    "chapter",
    "page_first",
    "page_last",
    "label_first",
    "label_last",
    "text",
)


def labels_of(raw_text: pa.Table, cleaned_text: pa.Table) -> dict[int, list[str]]:
    """The printed page numbers on each raw line, by ``line_id``: two where a page begins inside it."""
    lines = raw_text.select(["line_id", "page", "page_label"]).to_pylist()
    return _labels(lines, cleaned_text.select(["spans", "label_first", "page_starts"]).to_pylist())


def _lines_at(page: int, lines: list[dict[str, Any]]) -> set[int]:
    return {line["line_id"] for line in lines if line["page"] == page}


def _lines_labelled(label: str, labels: dict[int, list[str]]) -> set[int]:
    return {line_id for line_id, names in labels.items() if label in names}


def _labels(lines: list[dict[str, Any]], rows: list[dict[str, Any]]) -> dict[int, list[str]]:
    """The printed page numbers on each line: two where a page begins inside it.

    Extraction knows some, cleaning learns others (from numbers at page edges or in the text) and keeps them
    with the paragraphs; a number holds until the next one, and not beyond the page of the file where the file
    has pages.
    """
    begins: dict[int, tuple[str, bool]] = {}
    for row in rows:
        spans = row["spans"]
        if spans and row["label_first"] is not None:
            begins.setdefault(spans[0]["line_id"], (row["label_first"], True))
        for start in row["page_starts"]:
            span = next((s for s in spans if s["start"] <= start["offset"] < s["end"]), None)
            if span is not None and start["label"] is not None:
                at_beginning = span["start"] == start["offset"] and span["raw_start"] == 0
                begins[span["line_id"]] = (start["label"], at_beginning)
    paged = len({line["page"] for line in lines}) > 1
    by_page: dict[int, str] = {}
    if paged:
        page_of = {line["line_id"]: line["page"] for line in lines}
        for line_id, (name, whole) in begins.items():
            if whole:
                by_page.setdefault(page_of[line_id], name)
    found: dict[int, list[str]] = {}
    current: str | None = None
    last_page = None
    for line in lines:
        if paged and line["page"] != last_page:
            current = by_page.get(line["page"])
            last_page = line["page"]
        names = [current] if current is not None else []
        if line["page_label"] is not None and line["line_id"] not in begins:
            current = line["page_label"]
            names = [current]
        if line["line_id"] in begins:
            current, whole = begins[line["line_id"]]
            names = [current] if whole else [*names, current]
        found[line["line_id"]] = list(dict.fromkeys(names))
    return found


def _no_such_page(
    page: int | None, label: str | None, lines: list[dict[str, Any]], labels: dict[int, list[str]]
) -> str:
    if page is not None:
        last = max((line["page"] for line in lines), default=0)
        return f"There is no text on page {page}; the file has {last} pages."
    known = list(dict.fromkeys(name for names in labels.values() for name in names))
    if not known:
        return "No printed page numbers are known for this volume; name the position in the file instead."
    return f"No page is numbered {label!r}; the printed pages run from {known[0]} to {known[-1]}."
