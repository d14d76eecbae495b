from __future__ import annotations

import os
from pathlib import Path

import pytest

from jung_pipeline import tables
from jung_pipeline.extract.bounded import extract_bounded
from jung_pipeline.extract.document import DocumentInfo, ExtractedDocument
from jung_pipeline.extract.extractor import extract
from jung_pipeline.extract.ocr_wanted import OcrOptions
from jung_pipeline.quality.outcome import CheckOutcome
from jung_pipeline.quality.text_rules import RAW_TEXT_PROMISES, check_raw_text
from jung_pipeline_tests.extract.epub_maker import damaged_entry, make_epub, page
from jung_pipeline_tests.extract.test_ocr import PROSE, scan, stand_in


def outcome_of(document: ExtractedDocument, name: str) -> CheckOutcome:
    table = tables.with_info(document.lines, {"document": document.info.to_dict()})
    outcomes = {outcome.name: outcome for outcome in check_raw_text(table)}
    assert set(outcomes) == set(RAW_TEXT_PROMISES)
    return outcomes[name]


def test_parts_that_were_not_read_break_a_promise_and_are_named(tmp_path: Path) -> None:
    documents = {f"{name}.xhtml": page(f"<p>The {name} chapter. " + "x " * 200 + "</p>") for name in "abc"}
    path = make_epub(
        tmp_path / "b.epub",
        {**documents, "scan.xhtml": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40},
        spine=["d0", "d1", "gone", "d2", "d3"],
        items='<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>',
    )
    damaged_entry(path, "OEBPS/b.xhtml")
    book = extract(path)
    found = outcome_of(book, "every_part_was_read")
    assert book.info.status == "partial"
    assert not found.passed and found.severity == "warning"
    assert [(row["part"], row["page"]) for row in found.offenders] == [
        ("gone.xhtml", None),
        ("OEBPS/b.xhtml", 2),
        ("OEBPS/scan.xhtml", 4),
    ]
    assert "not in the archive" in found.offenders[0]["message"]
    assert "cannot be unpacked" in found.offenders[1]["message"]


def test_a_book_read_as_a_whole_keeps_the_promise(tmp_path: Path) -> None:
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>All there.</p>")})
    assert outcome_of(extract(path), "every_part_was_read").passed


def test_a_part_without_text_is_told_once_by_the_promise_about_pages(tmp_path: Path) -> None:
    documents = {"a.xhtml": page("<p>Text.</p>"), "b.xhtml": page("<p><img src='x.png' alt=''/></p>")}
    book = extract(make_epub(tmp_path / "b.epub", documents))
    assert outcome_of(book, "every_part_was_read").passed
    assert [row["page"] for row in outcome_of(book, "every_page_has_text").offenders] == [2]


@pytest.mark.parametrize(
    ("failing", "options", "page_and_word"),
    [
        (None, OcrOptions(), (None, "apt install tesseract-ocr")),
        ("nothing", OcrOptions(mode="off"), (None, "which is off")),
        ("-l ", OcrOptions(language="en"), (2, "could not be read by OCR")),
        ("nothing", OcrOptions(language="en"), None),
    ],
)
def test_pages_that_ocr_did_not_read_break_a_promise_that_says_what_hindered_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failing: str | None,
    options: OcrOptions,
    page_and_word: tuple[int | None, str] | None,
) -> None:
    folder = stand_in(tmp_path / "bin", PROSE, failing=failing) if failing else tmp_path / "nothing"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/bin" if failing else str(folder))
    path = scan(tmp_path / "a.pdf", (PROSE, PROSE), (PROSE, None))
    found = outcome_of(extract_bounded(path, ocr=options), "bad_pages_were_read_again")
    assert found.severity == "warning" and found.passed == (page_and_word is None)
    if page_and_word:
        (offender,) = found.offenders
        assert offender["page"] == page_and_word[0] and page_and_word[1] in offender["message"]


def test_a_footer_that_says_more_than_is_known_is_read_all_the_same(tmp_path: Path) -> None:
    documents = {"a.xhtml": page("<h1>One</h1><p>Text.</p>"), "b.xhtml": page("<p><img src='x.png'/></p>")}
    path = make_epub(
        tmp_path / "b.epub",
        documents,
        spine=["d0", "d1", "gone"],
        items='<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        extra={
            "OEBPS/n.xhtml": page('<nav epub:type="toc"><ol><li><a href="a.xhtml">One</a></li></ol></nav>')
        },
    )
    info = extract(path).info
    assert info.pages and info.outline and info.warnings
    said = info.to_dict()
    for record in (said, *said["pages"], *said["outline"], *said["warnings"]):
        record["of_another_version"] = 1
    assert DocumentInfo.from_dict(said) == info
