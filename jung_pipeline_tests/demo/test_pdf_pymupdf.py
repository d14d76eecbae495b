from __future__ import annotations

import re
from pathlib import Path

import pymupdf
import pytest

from jung_pipeline.demo.book import Book, Chapter, Paragraph, Run
from jung_pipeline.demo.builder import BuiltBook, build_pdf, load_book

KEY = "the-round-garden"


def flat(text: str) -> str:
    return re.sub(r"\s+", "", text.replace("-", ""))


@pytest.fixture(scope="module")
def built(library: dict[str, BuiltBook]) -> BuiltBook:
    return library[KEY]


@pytest.fixture(scope="module")
def pages(built: BuiltBook) -> list[str]:
    with pymupdf.open(built.path) as document:
        return [page.get_text() for page in document]


def test_printed_page_numbers_are_in_the_file(built: BuiltBook) -> None:
    with pymupdf.open(built.path) as document:
        labels = [page.get_label() for page in document]
    assert labels[:7] == ["i", "ii", "iii", "iv", "v", "1", "2"]
    assert labels[-1] == str(len(labels) - 5)
    for paragraph in built.paragraphs:
        assert labels[paragraph.page_first - 1] == paragraph.label_first  # type: ignore[operator]


def test_the_outline_leads_to_the_page_where_the_heading_stands(built: BuiltBook, pages: list[str]) -> None:
    with pymupdf.open(built.path) as document:
        outline = document.get_toc()
    titles = [title for _, title, _ in outline]
    assert [t for t in titles if t not in ("Contents", "Index")] == [c.heading for c in built.book.chapters]
    for _, title, page in outline:
        assert flat(title.split(": ")[-1].upper()) in flat(pages[page - 1])
    assert {level for level, title, _ in outline if title.startswith("Chapter")} == {2}


def test_every_paragraph_stands_on_its_pages_once_hyphens_are_closed(
    built: BuiltBook, pages: list[str]
) -> None:
    for paragraph in built.paragraphs:
        if paragraph.kind == "heading" or paragraph.page_first != paragraph.page_last:
            continue
        text = flat(re.sub(r"[.,][0-9]", lambda m: m[0][0], pages[paragraph.page_first - 1]))  # note marks
        assert flat(paragraph.text) in text, paragraph.text[:60]


def test_left_pages_carry_the_book_and_right_pages_the_chapter(built: BuiltBook) -> None:
    heads = [f for f in built.faults if f.kind == "running_head"]
    assert len(heads) > 8
    titles = {c.title.upper() for c in built.book.chapters}
    for head in heads:
        if int(head.label) % 2 == 0:
            assert head.truth == "THE ROUND GARDEN"
        else:
            assert head.truth in titles


def test_notes_stand_small_at_the_foot_and_their_marks_are_raised(built: BuiltBook) -> None:
    note = next(p for p in built.paragraphs if p.kind == "footnote")
    with pymupdf.open(built.path) as document:
        spans = [
            span
            for block in document[note.page_first - 1].get_text("dict")["blocks"]  # type: ignore[operator]
            for line in block.get("lines", [])
            for span in line["spans"]
        ]
    body = max(span["size"] for span in spans if span["text"].count(" ") > 4)
    first = next(s for s in spans if note.text[:20] in s["text"])
    mark = next(
        s for s in spans if s["text"].strip() == note.note_mark and s["bbox"][1] < first["bbox"][1] - 20
    )
    assert first["size"] < body
    assert first["bbox"][1] > 300
    assert mark["size"] < body


def test_words_are_parted_at_line_ends_and_the_truth_says_how(built: BuiltBook, pages: list[str]) -> None:
    hyphens = [f for f in built.faults if f.kind == "line_hyphen"]
    assert len(hyphens) > 8
    for fault in hyphens:
        assert fault.read in pages[fault.page - 1]
        assert fault.paragraph is not None
        assert fault.truth in built.paragraphs[fault.paragraph].text
        assert flat(fault.read) == flat(fault.truth)


def test_greek_and_german_come_out_as_written(pages: list[str], tmp_path: Path) -> None:
    text = "\n".join(pages)
    assert all(word in text for word in ("ψυχή", "ἐναντιοδρομία", "ξάνθωσις"))
    shadow = build_pdf(tmp_path / "shadow.pdf", load_book("the-shadow-at-the-door"))
    with pymupdf.open(shadow.path) as document:
        assert "Wer nachts an meine Türe klopft,\n" in "".join(page.get_text() for page in document)


def test_the_index_sends_the_reader_to_pages_that_have_the_word(pages: list[str]) -> None:
    entries = re.findall(r"^(\w+), ((?:\d+, )*\d+)$", pages[-1], re.MULTILINE)
    assert len(entries) > 15
    for term, labels in entries:
        for label in labels.split(", "):
            page = pages[int(label) + 4].replace("-\n", "")
            assert term[:-1].casefold() in page.casefold()


def test_a_small_book_of_ones_own_can_be_set(tmp_path: Path) -> None:
    line = Paragraph("body", (Run("A door stood open all night. " * 30),))
    book = Book("own", "Own", "Nobody", (Chapter("chapter", 1, "Chapter 1", "Doors", None, (line,) * 12),))
    built = build_pdf(tmp_path / "own.pdf", book)
    with pymupdf.open(built.path) as document:
        words = [word[4] for page in document for word in page.get_text("words")]
    assert (words.count("door"), words.count("night.")) == (360, 360)
    assert len(built.paragraphs) == 13


def test_a_letter_that_no_font_has_is_refused(tmp_path: Path) -> None:
    book = Book("own", "Own", "Nobody", (Chapter("chapter", 1, None, "心", None),))
    with pytest.raises(ValueError, match="心"):
        build_pdf(tmp_path / "own.pdf", book)
