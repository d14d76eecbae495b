"""Chapters, contents, notes and the parts of a book."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.headings import parse_heading
from jung_pipeline.clean.numerals import misread_roman_value, number_value, roman_numeral, roman_value
from jung_pipeline.clean.structure import chapters_of, paragraphs_from_text
from jung_pipeline.extract.document import DocumentInfo, OutlineEntry, PageInfo
from jung_pipeline.extract.extractor import extract
from jung_pipeline_tests.extract.epub_maker import make_epub, page

from .helpers import checked, clean_pages, pdf_info, pdf_lines, raw_table, texts

PROSE = (
    "The house stood at the end of the lane, and whoever passed it in the evening could hear a clock that nobody "
    "had wound. The neighbours said that it belonged to the first owner. They did not say where he had gone."
)


def found(text: str) -> list[tuple[object, object, object]]:
    return [(c["kind"], c["number"], c["title"]) for c in chapters_of(paragraphs_from_text(text))]


@pytest.mark.parametrize(
    ("text", "kind", "number", "title"),
    [
        ("CHAPTER VII", "chapter", 7, None),
        ("Chapter  12. The Long Way", "chapter", 12, "The Long Way"),
        ("CHAPTER VIII. A NEW BOWL", "chapter", 8, "A NEW BOWL"),
        ("Lecture 3", "lecture", 3, None),
        ("TWENTY-FIRST LECTURE", "lecture", 21, None),
        ("Lectures IV and V. The Tide", "lecture", 4, "The Tide"),
        ("Part Two: The Mirror", "part", 2, "The Mirror"),
        ("Erster Teil", "part", 1, None),
        ("Kapitel 4", "chapter", 4, None),
        ("Editor's Preface", "preface", None, None),
        ("VORWORT ZUR ZWEITEN AUFLAGE", "preface", None, None),
        ("APPENDIX B", "appendix", None, None),
    ],
)
def test_headings(text: str, kind: str, number: int | None, title: str | None) -> None:
    head = parse_heading(text)
    assert head is not None
    assert (head.kind, head.number, head.title) == (kind, number, title)


@pytest.mark.parametrize(
    "text",
    [
        "Chapter and verse were quoted at him.",
        "Part one ended with a storm; part three never came.",
        "Lecture 2 had no audience.",
        "Chapter 3 ........ 52",
        "Introduction to the matter was not given to anybody who asked.",
        "Book in hand, he left.",
        "The chapter closed.",
    ],
)
def test_prose_and_contents_lines_are_no_headings(text: str) -> None:
    assert parse_heading(text) is None


@pytest.mark.parametrize("value", [1, 4, 9, 14, 19, 44, 99, 399])
def test_roman_numerals_round_trip_and_survive_misreading(value: int) -> None:
    numeral = roman_numeral(value)
    assert roman_value(numeral) == value
    if "L" not in numeral:
        assert misread_roman_value(numeral.replace("I", "l")) in (value, None) or len(numeral) == 1
    assert number_value(numeral) == value


def test_numerals_alone_are_chapters_when_they_count_through_the_book() -> None:
    text = "\n\n".join(f"{numeral}.\n\n{PROSE}" for numeral in ("I", "II", "III", "IV"))
    assert [(kind, number) for kind, number, _ in found(text)] == [("chapter", n) for n in (1, 2, 3, 4)]


def test_letters_of_a_dictionary_are_no_chapters() -> None:
    letters = "\n\n".join(f"{letter}.\n\n{PROSE}" for letter in "GHIJKL")
    assert found(f"CHAPTER I\n\n{PROSE}\n\nCHAPTER II\n\n{PROSE}\n\n{letters}") == [
        ("chapter", 1, None),
        ("chapter", 2, None),
    ]


def test_parts_hold_chapters_and_chapters_are_cited_as_readers_do() -> None:
    rows = paragraphs_from_text(
        f"PART ONE\n\nTHE RIVER\n\nCHAPTER I\n\nTHE LOST KEY\n\n{PROSE}\n\nPART TWO\n\nCHAPTER II\n\nTHE DOOR\n\n{PROSE}"
    ).to_pylist()
    prose = [row for row in rows if row["text"] == PROSE]
    assert [row["part"] for row in prose] == ["Part One: The River", "Part Two"]
    assert [row["chapter"] for row in prose] == ["Chapter I: The Lost Key", "Chapter II: The Door"]
    assert [row["chapter_index"] for row in prose] == [0, 1]
    # A part's heading stands with its first chapter, so that no chapter_index is a heading alone.
    assert {row["chapter_index"] for row in rows} == {0, 1}


def test_front_and_back_matter_go_and_prefaces_stay() -> None:
    cleaned = clean_pages(
        "THE CLOCK\n\nA. N. OTHER",
        "Copyright 1951 by Nobody Press\nAll rights reserved",
        f"PREFACE\n\n{PROSE}",
        "CONTENTS\n\nCHAPTER I The Hill . . . . . 3\nCHAPTER II The Sea . . . . . 19\nINDEX . . . . . 40",
        f"CHAPTER I\n\nThe Hill\n\n{PROSE}",
        f"CHAPTER II\n\nThe Sea\n\n{PROSE}",
        "INDEX\n\nHill, 3, 7\n\nKey, 12\n\nSea, 19, 21-24",
    )
    body = "\n".join(texts(cleaned))
    assert body.count(PROSE) == 3
    assert "PREFACE" in body
    assert not any(gone in body for gone in ("Nobody Press", "A. N. OTHER", ". . .", "21-24"))
    rules = set(cleaned.ledger.column("rule").to_pylist())
    assert {"front_matter", "contents", "index"} <= rules
    sections = {row["chapter"]: row["section"] for row in cleaned.paragraphs.to_pylist()}
    assert sections == {"Preface": "front", "Chapter I: The Hill": "body", "Chapter II: The Sea": "body"}


def test_words_such_as_index_and_contents_cut_nothing() -> None:
    pages = [
        "CHAPTER I\n\nTHE CONTENTS OF THE CHEST\n\nContents of that kind are rare. They are never sold.",
        f"CHAPTER II\n\nIndex fingers point. Notes are sung.\n\nBibliography is a hobby of his.\n\n{PROSE}",
    ]
    body = " ".join(" ".join(texts(clean_pages(*pages))).split())
    assert body == " ".join(" ".join(pages).split())


def test_gathered_notes_go_behind_their_chapter_and_are_linked() -> None:
    cleaned = clean_pages(
        f"CHAPTER I\n\n{PROSE[:-1]}.[1] And so on.[2]\n\nFOOTNOTES:\n\n[Footnote 1: In the old version.]\n\n"
        f"[Footnote 2: Not in print.]\n\nCHAPTER II\n\n{PROSE}"
    )
    rows = cleaned.paragraphs.to_pylist()
    notes = [row for row in rows if row["kind"] == "footnote"]
    assert [(n["note_mark"], n["text"], n["chapter_index"]) for n in notes] == [
        ("1", "In the old version.", 0),
        ("2", "Not in print.", 0),
    ]
    links = [(link["mark"], link["paragraph"]) for row in rows for link in row["note_links"]]
    assert links == [("1", notes[0]["paragraph"]), ("2", notes[1]["paragraph"])]
    assert not any("[" in text for text in texts(cleaned))


def test_numbered_paragraphs_are_addresses() -> None:
    cleaned = clean_pages("\n\n".join(f"[{number}] {PROSE}" for number in range(511, 516)))
    rows = cleaned.paragraphs.to_pylist()
    assert [row["numbered_paragraph"] for row in rows] == ["511", "512", "513", "514", "515"]
    assert all(row["text"] == PROSE for row in rows)


def test_a_list_of_three_points_has_no_numbered_paragraphs() -> None:
    rows = clean_pages("\n\n".join(f"{number}. {PROSE}" for number in (1, 2, 3))).paragraphs.to_pylist()
    assert [row["numbered_paragraph"] for row in rows] == [None, None, None]


def test_the_outline_of_a_pdf_decides_where_chapters_begin() -> None:
    rows = [
        *pdf_lines(1, 60, ["Economy"], font_size=12.0),
        *pdf_lines(1, 90, [PROSE[:60], PROSE[60:120]]),
        *pdf_lines(2, 60, ["Solitude"], font_size=12.0),
        *pdf_lines(2, 90, [PROSE[120:170], PROSE[30:90]]),
    ]
    outline = [OutlineEntry(1, "Economy", 1), OutlineEntry(1, "Solitude", 2)]
    cleaned = checked(raw_table(rows), pdf_info(2, outline))
    assert [chapter["chapter"] for chapter in chapters_of(cleaned.paragraphs)] == ["Economy", "Solitude"]


def test_notes_of_an_epub_are_linked_by_their_target() -> None:
    rows = [
        {
            "text": "The lamp1 burned.",
            "element": "p",
            "marks": [{"start": 8, "end": 9, "kind": "noteref", "target": "a.xhtml#n1"}],
        },
        {"text": "1 A gift.", "element": "footnote", "element_id": "a.xhtml#n1"},
        {"text": "At dawn it went out.", "element": "p"},
    ]
    info = DocumentInfo("epub", "ok", "test", pages=[PageInfo(1, None, 40, usable=True, name="a.xhtml")])
    paragraphs = checked(raw_table(rows), info).paragraphs.to_pylist()
    assert [row["text"] for row in paragraphs] == ["The lamp burned.", "At dawn it went out.", "A gift."]
    assert paragraphs[0]["note_links"] == [{"offset": 8, "mark": "1", "paragraph": 2}]


def test_marginal_numbers_of_a_pdf_are_addresses_and_no_page_numbers() -> None:
    chosen = random.Random(7)
    words = [
        "well",
        "yard",
        "stone",
        "lamp",
        "river",
        "keeper",
        "garden",
        "letter",
        "winter",
        "mirror",
        "window",
        "story",
        "clock",
        "brother",
        "silence",
    ]
    rows = []
    for number in range(102, 118):
        lines = ["the " + " the ".join(chosen.sample(words, 6)) for _ in range(14)]
        lines[0] = f"[{number}] The{lines[0][3:]}"
        lines[-1] = f"the {chosen.choice(words)} and the {chosen.choice(words)}."
        rows += pdf_lines(number // 2 - 50, 60 + 215 * (number % 2), lines)
    cleaned = checked(raw_table(rows), pdf_info(8))
    numbers = [row["numbered_paragraph"] for row in cleaned.paragraphs.to_pylist()]
    assert numbers == [str(number) for number in range(102, 118)]
    assert not any("[" in text for text in texts(cleaned))


def chapters_of_text(*headings: str, language: str = "en") -> list[tuple[str | None, str | None, int | None]]:
    """(part, chapter, number) in order, of a text with these headings over prose."""
    filler = "\n\n".join(
        ["It was a long winter and the people of the village told one another old stories by\nthe fire."] * 6
    )
    text = "\n\n\n".join(f"{heading}\n\n{filler}" for heading in headings)
    volume = Volume(key="test", file="test.txt", title="A Test", language=language)
    found: list[tuple[str | None, str | None, int | None]] = []
    for row in clean_pages(text, volume=volume).paragraphs.to_pylist():
        place = (row["part"], row["chapter"], row["chapter_number"])
        if not found or found[-1] != place:
            found.append(place)
    return found


@pytest.mark.parametrize(
    ("headings", "chapters"),
    [
        (["ONE", "TWO", "THREE"], ["Chapter One", "Chapter Two", "Chapter Three"]),
        (["1. The Well", "2. The Bridge", "3. The Road"], ["1. The Well", "2. The Bridge", "3. The Road"]),
        (["CHAPTER I", "CHAPTER II", "APPENDIX A"], ["Chapter I", "Chapter II", "Appendix A"]),
        (["CHAPTER LI", "CHAPTER LII", "CHAPTER LIII"], ["Chapter LI", "Chapter LII", "Chapter LIII"]),
    ],
)
def test_counted_headings_of_a_text(headings: list[str], chapters: list[str]) -> None:
    assert [chapter for _, chapter, _ in chapters_of_text(*headings)] == chapters


@pytest.mark.parametrize(
    ("headings", "chapters"),
    [
        (["EINS", "ZWEI", "DREI"], ["Kapitel Eins", "Kapitel Zwei", "Kapitel Drei"]),
        (
            ["§ 1. Von der Seele", "§ 2. Vom Geist", "§ 3. Vom Leib"],
            ["1. Von der Seele", "2. Vom Geist", "3. Vom Leib"],
        ),
        (["1. Hauptstück", "2. Hauptstück"], ["1. Hauptstück", "2. Hauptstück"]),
    ],
)
def test_counted_headings_of_a_german_text(headings: list[str], chapters: list[str]) -> None:
    assert [chapter for _, chapter, _ in chapters_of_text(*headings, language="de")] == chapters


def test_the_contents_of_an_epub_end_where_the_navigation_says_that_text_begins(tmp_path: Path) -> None:
    prose = "It was a long winter and the people told one another the old stories by the fire. " * 3
    listed = "".join(
        f"<p><a href='t.xhtml#c{n}'>{t}</a></p>"
        for n, t in enumerate(("Foreword", "1 The Well", "2 The Bridge"))
    )
    text = "".join(
        f"<p id='c{n}'>{t}</p><p>{prose}</p><p>{prose}</p>"
        for n, t in enumerate(("Foreword", "1 The Well", "2 The Bridge"))
    )
    entries = [
        ("Contents", "toc.xhtml"),
        ("Foreword", "t.xhtml#c0"),
        ("1 The Well", "t.xhtml#c1"),
        ("2 The Bridge", "t.xhtml#c2"),
    ]
    nav = "".join(f'<li><a href="{href}">{title}</a></li>' for title, href in entries)
    path = make_epub(
        tmp_path / "b.epub",
        {"toc.xhtml": page(f"<h1>Contents</h1>{listed}"), "t.xhtml": page(text)},
        items='<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>',
        extra={"OEBPS/nav.xhtml": page(f'<nav epub:type="toc"><ol>{nav}</ol></nav>')},
    )
    book = extract(path)
    rows = checked(book.lines, book.info).paragraphs.to_pylist()
    assert [(r["kind"], r["chapter"], r["text"]) for r in rows] == [
        (kind, chapter, words)
        for chapter, heading in (
            ("Foreword", "Foreword"),
            ("1. The Well", "1 The Well"),
            ("2. The Bridge", "2 The Bridge"),
        )
        for kind, words in (("heading", heading), ("body", prose.strip()), ("body", prose.strip()))
    ]
