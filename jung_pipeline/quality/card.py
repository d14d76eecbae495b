"""The quality card of a volume: on one page what was found, what was changed, and what still looks wrong.

A pure function of the three tables (and of the facts in the footer of ``raw_text``), so the command line and
Dagster show the same, and it can be drawn up for any volume at any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jung_pipeline import tables
from jung_pipeline.clean.structure import chapters_of
from jung_pipeline.quality.leftover_text import Leftover
from jung_pipeline.quality.leftovers import MISREAD, find_leftovers
from jung_pipeline.quality.text_rules import pages_without_text

#: Rules that correct or rejoin words.
WORD_RULES = (
    "misreading",
    "run_together",
    "split_word",
    "line_hyphen",
    "spaced_hyphen",
    "letter_spacing",
    "small_capitals",
    "ligature_gap",
    "spacing_accent",
    "long_s",
)
#: Pages below this quality are named: typeset books have none, pages of another language or of formulae score 0.6.
POOR = 0.5


@dataclass(frozen=True)
class PageQuality:
    """How well the text of a page reads: ``quality`` from 0 to 1, or ``None`` where it is not known."""

    page: int
    label: str | None
    quality: float | None
    characters: int
    usable: bool


@dataclass(frozen=True)
class RuleCount:
    """What a rule did in the volume: entries of the ledger, and raw characters in them."""

    entries: int
    characters: int


@dataclass(frozen=True)
class QualityCard:
    """The card of one volume.

    Attributes:
        format: pdf, epub, html or txt.
        pages: pages of a PDF, documents of an EPUB.
        pages_without_text: those whose text is missing or unusable.
        pages_read_again: those whose text is from OCR.
        page_quality: every page, in order.
        words, characters, paragraphs: of the cleaned text.
        corrected: words corrected or rejoined, by rule.
        removed: what was taken out, by rule.
        changed: what was changed otherwise, by rule.
        moved: what was moved, by rule.
        chapters, parts: found.
        page_labels: printed page numbers found.
        pages_with_label: pages of paper (or printed pages) that have one, as a share; ``None`` without pages.
        numbered_paragraphs: with a number of their own, as in the Collected Works.
        footnotes: found; ``footnotes_linked`` of them have a place in the text that leads to them.
        marks_without_note: note marks in the text that lead nowhere.
        leftovers: how often each kind of suspicious stretch stands in the cleaned text.
        leftovers_per_10000: misread and broken ones among them, per 10,000 words.
        suspects: the first of each kind, with their places.
        warnings: what extraction reported, by code.
    """

    format: str
    pages: int
    pages_without_text: list[int]
    pages_read_again: list[int]
    page_quality: list[PageQuality]
    words: int
    characters: int
    paragraphs: int
    corrected: dict[str, int]
    removed: dict[str, RuleCount]
    changed: dict[str, RuleCount]
    moved: dict[str, RuleCount]
    chapters: int
    parts: int
    page_labels: int
    pages_with_label: float | None
    numbered_paragraphs: int
    footnotes: int
    footnotes_linked: int
    marks_without_note: int
    leftovers: dict[str, int]
    leftovers_per_10000: float
    suspects: list[Leftover] = field(default_factory=list)
    warnings: dict[str, int] = field(default_factory=dict)

    @property
    def mean_quality(self) -> float | None:
        """Of the pages whose quality is known, each weighing as much as it has text."""
        known = [(page.quality, page.characters) for page in self.page_quality if page.quality is not None]
        total = sum(characters for _, characters in known)
        return sum(quality * n for quality, n in known) / total if total else None

    @property
    def poor_pages(self) -> list[int]:
        """Pages with text that reads badly."""
        return [p.page for p in self.page_quality if p.quality is not None and p.quality < POOR]

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {**asdict(self), "mean_quality": self.mean_quality, "poor_pages": self.poor_pages}


def quality_card(raw_text: pa.Table, cleaned_text: pa.Table, ledger: pa.Table) -> QualityCard:
    """The card of the volume whose tables these are.

    Args:
        raw_text: ``schemas.RAW_TEXT`` with the facts about the file in its footer.
        cleaned_text: the ``schemas.CLEANED_TEXT`` made of it.
        ledger: the ``schemas.REMOVAL_LEDGER`` made with it.
    """
    document: Mapping[str, Any] = tables.info_of(raw_text).get("document", {})
    form = document.get("format", "")
    pages = _pages(document, cleaned_text)
    parts = Counter(str(entry["kind"]) for entry in chapters_of(cleaned_text))
    texts = cleaned_text.column("text").to_pylist()
    words = sum(len(text.split()) for text in texts)
    found = find_leftovers(raw_text, cleaned_text, ledger, paged=form == "pdf")
    misread = sum(count for kind, count in found.counts.items() if kind in MISREAD)
    counts = _by_rule(ledger)
    labels = _labels(cleaned_text)
    notes = pc.sum(pc.equal(cleaned_text["kind"], "footnote")).as_py() or 0
    linked, loose = _links(cleaned_text)
    # Not by the lines' origin: a text layer that a scan came with is of OCR, too.
    again = [page["page"] for page in document["pages"] if page.get("ocr")]
    return QualityCard(
        format=form,
        pages=len(pages),
        pages_without_text=[page["page"] for page in pages_without_text(document)],
        pages_read_again=again,
        page_quality=pages,
        words=words,
        characters=sum(map(len, texts)),
        paragraphs=cleaned_text.num_rows,
        corrected=_corrected(counts),
        removed=_of_action(counts, "removed"),
        changed=_of_action(counts, "changed"),
        moved=_of_action(counts, "moved"),
        chapters=parts.total() - parts["part"],
        parts=parts["part"],
        page_labels=len(labels),
        pages_with_label=_share_labelled(pages, form),
        numbered_paragraphs=cleaned_text.num_rows - cleaned_text["numbered_paragraph"].null_count,
        footnotes=notes,
        footnotes_linked=linked,
        marks_without_note=loose,
        leftovers=dict(found.counts.most_common()),
        leftovers_per_10000=round(1e4 * misread / words, 1) if words else 0.0,
        suspects=found.shown,
        warnings=dict(Counter(warning["code"] for warning in document.get("warnings", []))),
    )


def _pages(document: Mapping[str, Any], cleaned_text: pa.Table) -> list[PageQuality]:
    """The pages of the file; printed numbers that cleaning learned are filled in."""
    learned: dict[int, str] = {}
    for name, label in (("page_first", "label_first"), ("page_last", "label_last")):
        for page, value in zip(cleaned_text[name].to_pylist(), cleaned_text[label].to_pylist(), strict=True):
            if value is not None:
                learned.setdefault(page, value)
    starts = pc.list_flatten(cleaned_text["page_starts"]).combine_chunks()
    for page, value in zip(
        pc.struct_field(starts, "page").to_pylist(), pc.struct_field(starts, "label").to_pylist(), strict=True
    ):
        if value is not None:
            learned.setdefault(page, value)
    return [
        PageQuality(
            page["page"],
            page["label"] or learned.get(page["page"]),
            page.get("quality"),
            page["characters"],
            page["usable"],
        )
        for page in document.get("pages", [])
    ]


def _by_rule(ledger: pa.Table) -> dict[tuple[str, str], RuleCount]:
    """Entries and characters by rule and action."""
    if not ledger.num_rows:
        return {}
    length = pc.subtract(ledger["raw_end"], ledger["raw_start"])
    table = pa.table({"rule": ledger["rule"], "action": ledger["action"], "length": length})
    sums = table.group_by(["rule", "action"]).aggregate([("length", "count"), ("length", "sum")])
    rows = sorted(sums.to_pylist(), key=lambda row: (-row["length_sum"], row["rule"]))
    return {
        (row["rule"], row["action"]): RuleCount(row["length_count"], row["length_sum"] or 0) for row in rows
    }


def _corrected(counts: Mapping[tuple[str, str], RuleCount]) -> dict[str, int]:
    """Words corrected or rejoined; a word over two lines has two entries and counts about once."""
    found: dict[str, int] = {}
    for rule in WORD_RULES:
        total = sum(count.entries for (name, _), count in counts.items() if name == rule)
        if total:
            found[rule] = total
    return found


def _of_action(counts: Mapping[tuple[str, str], RuleCount], action: str) -> dict[str, RuleCount]:
    return {rule: count for (rule, what), count in counts.items() if what == action}


def _labels(cleaned_text: pa.Table) -> set[str]:
    starts = pc.list_flatten(cleaned_text["page_starts"]).combine_chunks()
    found = {
        *cleaned_text["label_first"].unique().to_pylist(),
        *cleaned_text["label_last"].unique().to_pylist(),
    }
    found.update(pc.unique(pc.struct_field(starts, "label")).to_pylist())
    return {label for label in found if label is not None}


def _share_labelled(pages: list[PageQuality], form: str) -> float | None:
    """The share of a PDF's pages with text that have a printed number."""
    with_text = [page for page in pages if page.usable and page.characters]
    if form != "pdf" or not with_text:
        return None
    return round(sum(page.label is not None for page in with_text) / len(with_text), 3)


def _links(cleaned_text: pa.Table) -> tuple[int, int]:
    """Footnotes that a mark leads to, and marks that lead nowhere."""
    links = pc.list_flatten(cleaned_text["note_links"]).combine_chunks()
    targets = pc.struct_field(links, "paragraph")
    known = np.unique(targets.drop_null().to_numpy())
    kinds = cleaned_text["kind"].to_pylist()
    return sum(kinds[target] == "footnote" for target in known.tolist()), targets.null_count


def facts_of(card: QualityCard) -> list[tuple[str, str]]:
    """The card's figures as names and values in words."""
    facts = [("pages", f"{card.pages:,}")]
    if card.pages_without_text:
        facts.append(
            ("without usable text", f"{len(card.pages_without_text)}: {_numbered(card.pages_without_text)}")
        )
    if card.pages_read_again:
        facts.append(
            ("read again by OCR", f"{len(card.pages_read_again)}: {_numbered(card.pages_read_again)}")
        )
    if card.mean_quality is not None:
        poor = f"; poor: {_numbered(card.poor_pages)}" if card.poor_pages else ""
        facts.append(("quality of the text", f"{card.mean_quality:.2f}{poor}"))
    facts += [
        ("words", f"{card.words:,} in {card.paragraphs:,} paragraphs"),
        ("chapters", f"{card.chapters:,}" + (f" in {card.parts:,} parts" if card.parts else "")),
    ]
    labels = f"{card.page_labels:,}"
    if card.pages_with_label is not None:
        labels += f", on {card.pages_with_label:.0%} of the pages"
    facts.append(("printed page numbers", labels))
    if card.numbered_paragraphs:
        facts.append(("numbered paragraphs", f"{card.numbered_paragraphs:,}"))
    facts.append(("footnotes", f"{card.footnotes:,}, {card.footnotes_linked:,} of them linked"))
    if card.marks_without_note:
        facts.append(("marks that lead nowhere", f"{card.marks_without_note:,}"))
    fixed = ", ".join(f"{rule} {count:,}" for rule, count in card.corrected.items()) or "none"
    facts.append(
        ("words corrected", f"{sum(card.corrected.values()):,}" + (f" ({fixed})" if card.corrected else ""))
    )
    facts.append(("suspect still", f"{card.leftovers_per_10000:.1f} of 10,000 words"))
    return facts


def _numbered(pages: Sequence[int]) -> str:
    shown = ", ".join(map(str, pages[:12]))
    return f"{shown}, …" if len(pages) > 12 else shown
