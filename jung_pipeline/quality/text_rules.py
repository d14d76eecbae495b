"""What extraction and cleaning promise about a volume, as pure functions over their tables.

The names are present-tense statements, true when the check passes. ``*_PROMISES`` lists them with what they
mean, for whoever must know the names before there is a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import regex

from jung_pipeline import schemas, tables
from jung_pipeline.errors import StageError
from jung_pipeline.quality.outcome import CheckOutcome, outcome

RAW_TEXT_PROMISES = {
    "raw_text_is_not_empty": "The file gave at least one line of text.",
    "raw_text_has_its_schema": "Columns, types and non-nulls are those of schemas.RAW_TEXT.",
    "line_ids_ascend": "Lines are numbered 0, 1, 2, … in reading order, and pages never go backwards.",
    "every_part_was_read": "Every part that the file names was read (a warning: the text lacks what is listed).",
    "every_page_has_text": "No page of the file is without usable text (a warning: such pages are reported, not lost).",
    "bad_pages_were_read_again": "Every page without text, and every badly read one, was read by OCR (a warning: what hindered it is listed).",
}

CLEANED_TEXT_PROMISES = {
    "cleaned_text_is_not_empty": "There is at least one paragraph of body text.",
    "cleaned_text_has_its_schema": "Columns, types and non-nulls are those of schemas.CLEANED_TEXT and REMOVAL_LEDGER.",
    "every_character_is_accounted_for": "Every character of the raw text is in the cleaned text or in the ledger.",
    "ledger_replays_to_the_cleaned_text": "The raw text, changed as the ledger says, is the cleaned text.",
    "text_is_clean_unicode": "NFC, no control or invisible characters, no replacement marks.",
    "not_too_much_was_removed": "At least half of the characters of the raw text are still there (a warning).",
}


def pages_without_text(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pages of a ``DocumentInfo`` (as a dict) whose text is missing or unusable.

    The first document of an EPUB is not among them when it is a picture: that is the cover.
    """
    return [
        page
        for page in document.get("pages", [])
        if not page["usable"] and not (document.get("format") == "epub" and page["page"] == 1)
    ]


def parts_not_read(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parts of a ``DocumentInfo`` (as a dict) that were damaged, missing or skipped: part, page, message.

    A file that counts as read in part although no part and no page tells why is an offender as a whole.
    """
    missing = [
        {"part": warning.get("part"), "page": warning.get("page"), "message": warning["message"]}
        for warning in document.get("warnings", [])
        if warning["code"] == "missing_part"
    ]
    if missing or document.get("status") != "partial" or pages_without_text(document):
        return missing
    return [{"part": None, "page": None, "message": "The file was read in part only."}]


def pages_not_read_again(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What of a ``DocumentInfo`` (as a dict) OCR could not read, or was not let to: page, message.

    The page is ``None`` where the message is about several.
    """
    return [
        {"page": warning.get("page"), "message": warning["message"]}
        for warning in document.get("warnings", [])
        if warning["code"] in ("ocr_missing", "ocr_off", "ocr_failed")
    ]


def check_raw_text(raw_text: pa.Table) -> list[CheckOutcome]:
    """The promises of ``raw_text`` for one volume."""
    document = tables.info_of(raw_text).get("document", {})
    pages = document.get("pages", [])
    line_ids = raw_text.column("line_id").to_numpy()
    page_numbers = raw_text.column("page").to_numpy()
    wrong = np.flatnonzero(line_ids != np.arange(len(line_ids)))
    backwards = np.flatnonzero(np.diff(page_numbers) < 0) + 1
    without = pages_without_text(document)
    has_text = any(text.strip() for text in raw_text.column("text").to_pylist())
    return [
        outcome(
            "raw_text_is_not_empty",
            RAW_TEXT_PROMISES["raw_text_is_not_empty"],
            [] if has_text else [{"lines": raw_text.num_rows}],
            metrics={"lines": raw_text.num_rows},
        ),
        _schema_outcome(
            "raw_text_has_its_schema", RAW_TEXT_PROMISES, [("raw_text", raw_text, schemas.RAW_TEXT)]
        ),
        outcome(
            "line_ids_ascend",
            RAW_TEXT_PROMISES["line_ids_ascend"],
            [{"row": int(row), "page": int(page_numbers[row])} for row in (*wrong[:20], *backwards[:20])],
        ),
        outcome(
            "every_part_was_read",
            RAW_TEXT_PROMISES["every_part_was_read"],
            parts_not_read(document),
            severity="warning",
        ),
        outcome(
            "every_page_has_text",
            RAW_TEXT_PROMISES["every_page_has_text"],
            [{"page": page["page"], "characters": page["characters"]} for page in without],
            severity="warning",
            metrics={"pages": len(pages)},
        ),
        outcome(
            "bad_pages_were_read_again",
            RAW_TEXT_PROMISES["bad_pages_were_read_again"],
            pages_not_read_again(document),
            severity="warning",
        ),
    ]


def check_cleaned_text(raw_text: pa.Table, cleaned_text: pa.Table, ledger: pa.Table) -> list[CheckOutcome]:
    """The promises of ``cleaned_text`` and its ledger for one volume."""
    from jung_pipeline.clean.replay import replay, unaccounted

    raw_characters = sum(len(text) for text in raw_text.column("text").to_pylist())
    texts = cleaned_text.column("text").to_pylist()
    kept = sum(len(text) for text in texts)
    little = kept < 0.5 * raw_characters
    body = [
        text
        for text, kind in zip(texts, cleaned_text.column("kind").to_pylist(), strict=True)
        if kind != "heading"
    ]
    return [
        outcome(
            "cleaned_text_is_not_empty",
            CLEANED_TEXT_PROMISES["cleaned_text_is_not_empty"],
            [] if any(text.strip() for text in body) else [{"paragraphs": len(texts)}],
            metrics={"paragraphs": len(texts)},
        ),
        _schema_outcome(
            "cleaned_text_has_its_schema",
            CLEANED_TEXT_PROMISES,
            [
                ("cleaned_text", cleaned_text, schemas.CLEANED_TEXT),
                ("removal_ledger", ledger, schemas.REMOVAL_LEDGER),
            ],
        ),
        outcome(
            "every_character_is_accounted_for",
            CLEANED_TEXT_PROMISES["every_character_is_accounted_for"],
            unaccounted(raw_text, cleaned_text, ledger),
            metrics={"raw_characters": raw_characters, "cleaned_characters": kept},
        ),
        outcome(
            "ledger_replays_to_the_cleaned_text",
            CLEANED_TEXT_PROMISES["ledger_replays_to_the_cleaned_text"],
            [
                {"paragraph": number, "replayed": made[:80], "cleaned": text[:80]}
                for number, (made, text) in enumerate(
                    zip(replay(raw_text, cleaned_text, ledger), texts, strict=True)
                )
                if made != text
            ],
        ),
        outcome(
            "text_is_clean_unicode", CLEANED_TEXT_PROMISES["text_is_clean_unicode"], _unclean(cleaned_text)
        ),
        outcome(
            "not_too_much_was_removed",
            CLEANED_TEXT_PROMISES["not_too_much_was_removed"],
            [{"raw_characters": raw_characters, "cleaned_characters": kept}] if little else [],
            severity="warning",
        ),
    ]


def _schema_outcome(
    name: str, promises: dict[str, str], expected: list[tuple[str, pa.Table, pa.Schema]]
) -> CheckOutcome:
    offenders = []
    for where, table, schema in expected:
        try:
            tables.check_schema(table, schema, where=where)
        except StageError as error:
            offenders.append({"problem": str(error)})
    return outcome(name, promises[name], offenders)


#: C0 and C1 controls but the line feed, zero-width and joining marks, byte-order mark, replacement, soft hyphen.
_UNCLEAN = regex.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028\u2029\u2060\ufeff\ufffd\u00ad]")


def _unclean(cleaned_text: pa.Table) -> list[dict[str, object]]:
    import unicodedata

    found = []
    for row in cleaned_text.select(["paragraph", "page_first", "text"]).to_pylist():
        hit = _UNCLEAN.search(row["text"])
        if hit or not unicodedata.is_normalized("NFC", row["text"]):
            what = f"U+{ord(hit.group()):04X}" if hit else "not NFC"
            found.append({"paragraph": row["paragraph"], "page": row["page_first"], "what": what})
    return found
