from __future__ import annotations

import warnings
import zipfile
from pathlib import Path

from bs4 import BeautifulSoup
from ebooklib import ITEM_DOCUMENT, epub
from lxml import etree

from jung_pipeline.demo.builder import BuiltBook, build_epub, load_book
from jung_pipeline.demo.questions import golden_questions

KEY = "the-shadow-at-the-door"


def test_the_container_begins_with_a_plain_mimetype_and_every_part_is_wellformed(
    library: dict[str, BuiltBook],
) -> None:
    with zipfile.ZipFile(library[KEY].path) as archive:
        assert archive.testzip() is None
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        for name in archive.namelist():
            if name.endswith((".xhtml", ".opf", ".ncx", ".svg", ".xml")):
                etree.fromstring(archive.read(name))


def test_ebooklib_reads_title_author_language_and_all_text(library: dict[str, BuiltBook]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = epub.read_epub(str(library[KEY].path))
    assert book.title == "The Shadow at the Door"
    assert book.get_metadata("DC", "creator")[0][0] == "jung_pipeline contributors"
    assert book.language == "en"
    text = " ".join(
        BeautifulSoup(item.get_content(), "html.parser").get_text()
        for item in book.get_items_of_type(ITEM_DOCUMENT)
    )
    for question in golden_questions():
        if question.volume == KEY:
            assert question.span in text


def test_note_marks_and_notes_point_to_each_other(library: dict[str, BuiltBook]) -> None:
    marks = 0
    with zipfile.ZipFile(library[KEY].path) as archive:
        for name in archive.namelist():
            if not name.endswith("chapter.xhtml"):
                continue
            soup = BeautifulSoup(archive.read(name), "html.parser")
            for mark in soup.find_all("a", attrs={"epub:type": "noteref"}):
                note = soup.find(id=str(mark["href"]).lstrip("#"))
                assert note is not None
                assert note["epub:type"] == "footnote"
                assert note.find("a", href=f"#{mark['id']}") is not None
                marks += 1
    assert marks == sum(len(c.notes) for c in library[KEY].book.chapters if c.kind == "chapter")


def test_the_page_list_leads_to_marks_in_rising_order_and_the_truth_agrees(
    library: dict[str, BuiltBook],
) -> None:
    with zipfile.ZipFile(library[KEY].path) as archive:
        nav = BeautifulSoup(archive.read("OEBPS/nav.xhtml"), "html.parser")
        links = nav.find("nav", attrs={"epub:type": "page-list"}).find_all("a")  # type: ignore[union-attr]
        labels = [link.get_text() for link in links]
        for link in links:
            file, _, target = str(link["href"]).partition("#")
            assert f'id="{target}"' in archive.read(f"OEBPS/{file}").decode()
    numbers = [int(label) for label in labels if label.isdecimal()]
    assert labels[0] == "v"
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 15
    assert {p.label_first for p in library[KEY].paragraphs} <= set(labels)


def test_the_first_word_behind_a_page_mark_belongs_to_a_paragraph_of_that_page(
    library: dict[str, BuiltBook],
) -> None:
    for paragraph in library[KEY].paragraphs:
        if paragraph.kind != "body" or paragraph.label_first == paragraph.label_last:
            continue
        with zipfile.ZipFile(library[KEY].path) as archive:
            soup = BeautifulSoup(
                "".join(archive.read(n).decode() for n in archive.namelist() if n.endswith("chapter.xhtml")),
                "html.parser",
            )
        mark = soup.find("span", title=paragraph.label_last)
        assert mark is not None
        assert mark.find_parent("p").get_text()[:40] == paragraph.text[:40]  # type: ignore[union-attr]
        return
    raise AssertionError("no paragraph runs over a page")


def test_any_book_can_be_bound_with_parts_and_numbered_paragraphs(tmp_path: Path) -> None:
    parts = build_epub(tmp_path / "parts.epub", load_book("the-round-garden"))
    numbered = build_epub(tmp_path / "numbered.epub", load_book("letters-from-the-night-school"))
    with zipfile.ZipFile(parts.path) as archive:
        nav = BeautifulSoup(archive.read("OEBPS/nav.xhtml"), "html.parser").find(id="toc")
        assert nav is not None
        nested = [li.a.get_text() for li in nav.select("ol ol > li")]  # type: ignore[union-attr]
    assert nested == [c.heading for c in parts.book.chapters if c.part]
    with zipfile.ZipFile(numbered.path) as archive:
        text = archive.read("OEBPS/02-lecture.xhtml").decode()
    assert ">[1] Good evening." in text
