"""Warnings that a quality card gives rise to: a volume may be used, but a person should look at it.

The limits come from measuring sixty books (scans, typeset PDFs, EPUBs, HTML and plain text) with
``jung status --quality``; next to each stands what was found. None of these rules stops a volume.
"""

from __future__ import annotations

from typing import Any

from jung_pipeline.quality.card import POOR, QualityCard
from jung_pipeline.quality.leftovers import MISREAD
from jung_pipeline.quality.outcome import CheckOutcome, outcome

#: Misread and broken words per 10,000: proofread and typeset books have 0 to 10 (tables of skating figures and a
#: manual of software have most), hand-corrected OCR 4, uncorrected scans of the 18th and 19th century 85 to 130.
MOST_LEFTOVERS, LEAST_COUNTED = 20.0, 5
#: Share of footnotes to which no mark leads: mostly 0 to 10 %, up to 21 % where many notes stand under one mark;
#: above it were only books whose marks are lost.
MOST_UNLINKED, LEAST_NOTES = 0.25, 10
#: Share of a PDF's pages with a printed number: 87 to 100 % in books (front matter has none), 0 % in newspapers and
#: articles without any; so short a file is none of a book's.
LEAST_LABELLED, LEAST_PAGES = 0.6, 20
#: Share of pages that read badly: 0 to 2 % in typeset books, a quarter in a scan of 1762.
MOST_POOR = 0.1

CARD_PROMISES = {
    "little_looks_misread": f"Fewer than {MOST_LEFTOVERS:.0f} words in 10,000 look misread or broken (a warning).",
    "no_furniture_is_left_in_the_text": "No running head and no line of many pages is left in the text (a warning).",
    "quotation_marks_agree": "Opening and closing quotation marks agree in every chapter, by and large (a warning).",
    "footnotes_are_linked": f"Marks lead to {1 - MOST_UNLINKED:.0%} of the footnotes or more (a warning).",
    "note_marks_lead_to_notes": "No more than a few note marks lead nowhere (a warning).",
    "pages_have_printed_numbers": "A PDF of a book has printed page numbers to cite it by (a warning).",
    "pages_read_well": f"Nine pages in ten or more read well: quality {POOR} or better (a warning).",
}


def check_card(card: QualityCard) -> list[CheckOutcome]:
    """The warnings of one volume."""
    misread = sum(count for kind, count in card.leftovers.items() if kind in MISREAD)
    too_many = misread >= LEAST_COUNTED and card.leftovers_per_10000 > MOST_LEFTOVERS
    unlinked = card.footnotes - card.footnotes_linked
    links = card.footnotes_linked + card.marks_without_note
    loose = card.marks_without_note
    unlabelled = card.pages_with_label is not None and card.pages_with_label < LEAST_LABELLED
    known = [page for page in card.page_quality if page.quality is not None]
    poor = card.poor_pages
    return [
        _warning(
            "little_looks_misread",
            _suspects(card, MISREAD) if too_many else [],
            per_10000=card.leftovers_per_10000,
            found=misread,
        ),
        _warning("no_furniture_is_left_in_the_text", _suspects(card, {"running_head", "repeated_line"})),
        _warning("quotation_marks_agree", _suspects(card, {"unbalanced_quotes"})),
        _warning(
            "footnotes_are_linked",
            [{"footnotes": card.footnotes, "unlinked": unlinked}]
            if unlinked >= LEAST_NOTES and unlinked > MOST_UNLINKED * card.footnotes
            else [],
            footnotes=card.footnotes,
            unlinked=unlinked,
        ),
        _warning(
            "note_marks_lead_to_notes",
            [{"marks": links, "leading_nowhere": loose}]
            if loose >= LEAST_NOTES and loose > MOST_UNLINKED * links
            else [],
            leading_nowhere=loose,
        ),
        _warning(
            "pages_have_printed_numbers",
            [{"pages": card.pages, "share_with_a_number": card.pages_with_label}]
            if unlabelled and card.pages >= LEAST_PAGES
            else [],
            labels=card.page_labels,
        ),
        _warning(
            "pages_read_well",
            [{"page": page} for page in poor] if known and len(poor) > MOST_POOR * len(known) else [],
            poor_pages=len(poor),
        ),
    ]


def _warning(name: str, offenders: list[dict[str, Any]], **metrics: int | float) -> CheckOutcome:
    return outcome(name, CARD_PROMISES[name], offenders, severity="warning", metrics=metrics)


def _suspects(card: QualityCard, kinds: set[str] | frozenset[str]) -> list[dict[str, Any]]:
    """Leftovers of some kinds with their places, as offenders."""
    return [
        {"kind": s.kind, "page": s.page, "printed": s.label, "paragraph": s.paragraph, "text": s.snippet}
        for s in card.suspects
        if s.kind in kinds
    ]
