from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pymupdf
import pytest

from jung_pipeline.demo.builder import NO_FAULTS, BuiltBook, FaultRates, build_scan, load_book

KEY = "letters-from-the-night-school"


@pytest.fixture(scope="module")
def built(library: dict[str, BuiltBook]) -> BuiltBook:
    return library[KEY]


@pytest.fixture(scope="module")
def pages(built: BuiltBook) -> list[str]:
    with pymupdf.open(built.path) as document:
        return [page.get_text() for page in document]


def test_every_page_is_a_picture_with_invisible_text_over_it(built: BuiltBook) -> None:
    with pymupdf.open(built.path) as document:
        for page in document:
            (image,) = page.get_image_info()
            covered = abs(pymupdf.Rect(image["bbox"]) & page.rect) / abs(page.rect)
            assert covered > 0.99
            assert image["colorspace"] == 1  # grey
            assert {span["type"] for span in page.get_texttrace()} == {3}
        assert document.get_toc() == []
        assert {page.get_label() for page in document} == {""}


def test_the_words_lie_over_their_pictures(built: BuiltBook) -> None:
    with pymupdf.open(built.path) as document:
        page = document[6]
        pixmap = page.get_pixmap(dpi=72)
        words = [pymupdf.Rect(w[:4]) for w in page.get_text("words") if len(w[4]) > 4]

        def darkest(box: pymupdf.Rect) -> int:
            points = [
                (x, y) for x in range(int(box.x0), int(box.x1)) for y in range(int(box.y0), int(box.y1))
            ]
            return min(pixmap.pixel(x, y)[0] for x, y in points)

        assert sum(darkest(box) < 150 for box in words) > 0.95 * len(words)


def test_the_stamp_is_on_every_page(built: BuiltBook, pages: list[str]) -> None:
    assert all("copyrighted material" in page.casefold() for page in pages)
    assert [f.page for f in built.faults if f.kind == "stamp"] == list(range(1, len(pages) + 1))


def test_every_fault_stands_in_the_file_as_the_truth_has_it(built: BuiltBook, pages: list[str]) -> None:
    for fault in built.faults:
        if fault.kind == "page_hyphen":
            head, tail = fault.read.split("\n")
            assert head in pages[fault.page - 1]
            assert tail in pages[fault.page]
        else:
            assert fault.read in pages[fault.page - 1], fault
        if fault.paragraph is not None and fault.kind != "letter_spaced_heading":
            assert fault.truth in built.paragraphs[fault.paragraph].text, fault


def test_the_kinds_of_faults_that_old_scans_have_are_all_there(built: BuiltBook, pages: list[str]) -> None:
    kinds = Counter(f.kind for f in built.faults)
    expected = "line_hyphen page_hyphen running_head page_number stamp letter_spaced_heading author_spaced"
    assert set(expected.split()) | {"misreading", "greek_misread", "speck"} <= set(kinds)
    text = "\n".join(pages)
    assert "j u n g" in text
    assert "T H E   S T O P W A T C H" in text
    readings = {f.read for f in built.faults if f.kind == "running_head" and int(f.label) % 2 == 0}
    assert len(readings) > 3  # the same head, differently misread


def test_paragraph_numbers_stand_in_the_margin_and_rise(built: BuiltBook) -> None:
    numbers = []
    with pymupdf.open(built.path) as document:
        for page in document:
            left = min((w[0] for w in page.get_text("words") if len(w[4]) > 3), default=0)
            numbers += [int(w[4]) for w in page.get_text("words") if w[4].isdecimal() and w[2] < left]
    assert numbers == [p.number for p in built.paragraphs if p.number is not None]


def test_other_seeds_give_other_faults_over_the_same_print(built: BuiltBook, tmp_path: Path) -> None:
    other = build_scan(tmp_path / "other.pdf", built.book, FaultRates(seed=2))
    assert other.paragraphs == built.paragraphs
    assert other.faults != built.faults


def test_without_faults_the_layer_is_the_print(tmp_path: Path) -> None:
    perfect = build_scan(tmp_path / "perfect.pdf", load_book(KEY), NO_FAULTS)
    assert all(f.read == f.truth for f in perfect.faults if not f.kind.endswith("hyphen"))
    with pymupdf.open(perfect.path) as document:
        text = "".join(page.get_text() for page in document)
    words = Counter(re.findall(r"\w+", text.replace("-\n", "")))
    assert words["Jung"] >= 9
    assert "περιπέτεια" in words
    assert not words.keys() & {"tbe", "arid", "tlie", "Copyrighted"}


def test_a_rate_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="misreading"):
        FaultRates(misreading=2)
