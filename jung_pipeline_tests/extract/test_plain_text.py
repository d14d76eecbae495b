from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.errors import SourceError
from jung_pipeline.extract.document import ExtractedDocument
from jung_pipeline.extract.plain_text import extract_plain_text, raw_text_from_pages
from jung_pipeline.schemas import RAW_TEXT

CORPUS = Path(
    os.environ.get("JUNG_CORPUS_DIR", str(Path(__file__).resolve().parents[2].parent / "shared/corpus"))
)


def read(text: str | bytes, **hints: Any) -> ExtractedDocument:
    return extract_plain_text(text if isinstance(text, bytes) else text.encode(), "book.txt", hints)


def rows(document: ExtractedDocument) -> list[dict[str, Any]]:
    return document.lines.to_pylist()


def marks(row: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    return [(m["kind"], row["text"][m["start"] : m["end"]], m["target"]) for m in row["marks"]]


def without_signs(row: dict[str, Any]) -> str:
    text = row["text"]
    for mark in sorted(row["marks"], key=lambda m: -m["start"]):
        if mark["kind"] in ("emphasis_mark", "pagebreak"):
            text = text[: mark["start"]] + text[mark["end"] :]
    return text


# ---------------------------------------------------------------- lines, blocks, pages


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_lines_keep_their_blanks_and_blocks_count_blank_lines(end: str) -> None:
    book = read(end.join(["Title", "", "", "  An indented line ", "    and deeper", "", "Last"]))
    assert [(r["block"], r["line"], r["text"]) for r in rows(book)] == [
        (0, 0, "Title"),
        (2, 0, "  An indented line "),
        (2, 1, "    and deeper"),
        (3, 0, "Last"),
    ]
    assert {(r["page"], r["origin"], r["element"]) for r in rows(book)} == {(1, "plain_text", None)}


def test_form_feeds_begin_pages() -> None:
    book = read("one\ntwo\fthree\n\n\ffour")
    assert [(r["page"], r["text"]) for r in rows(book)] == [(1, "one"), (1, "two"), (2, "three"), (3, "four")]
    blocks = [r["block"] for r in rows(book)]
    assert blocks[0] == blocks[1] < blocks[2] < blocks[3]
    assert [(p.page, p.usable) for p in book.info.pages] == [(1, True), (2, True), (3, True)]


def test_pages_given_as_strings() -> None:
    book = raw_text_from_pages(["one\n\n  two", "", "three"])
    assert [(r["page"], r["text"]) for r in rows(book)] == [(1, "one"), (1, "  two"), (3, "three")]
    assert [p.usable for p in book.info.pages] == [True, False, True]
    assert book.info.format == "txt"


def test_half_a_surrogate_pair_is_repaired_and_reported() -> None:
    book = raw_text_from_pages(["good", "bad \ud83d end", "pair \ud83d\ude00"])
    assert [r["text"] for r in rows(book)] == ["good", "bad \ufffd end", "pair \U0001f600"]
    assert [(w.code, w.page) for w in book.info.warnings] == [("repaired", 2), ("repaired", 3)]


def test_no_pages_is_no_text() -> None:
    assert raw_text_from_pages([]).info.status == "no_text"
    assert raw_text_from_pages(["", " \n"]).info.status == "no_text"


@given(st.lists(st.text(alphabet="ab _=~#{}[]^1\n\r\f\t", max_size=40), max_size=4))
def test_no_letter_is_lost_and_marks_lie_inside(pages: list[str]) -> None:
    book = raw_text_from_pages(pages)
    assert book.lines.schema.remove_metadata() == RAW_TEXT
    got = "".join(r["text"] for r in rows(book))
    assert "".join(got.split()) == "".join("".join(pages).split())
    for row in rows(book):
        assert all(0 <= m["start"] <= m["end"] <= len(row["text"]) for m in row["marks"])
        signs = [m for m in row["marks"] if m["kind"] == "emphasis_mark"]
        assert all(row["text"][m["start"] : m["end"]] in ("_", "=", "~", "#", "^{", "_{", "}") for m in signs)


# ---------------------------------------------------------------- charsets

GERMAN = "Größe und Übermaß, schöne Bäume über dem Tor; „Seele“ – so heißt es. " * 4


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "mac_roman"])
def test_charsets_are_recognised(charset: str) -> None:
    assert rows(read(GERMAN.encode(charset)))[0]["text"] == GERMAN


@pytest.mark.parametrize("charset", ["cp437", "cp850", "latin-1"])
def test_charsets_without_typographic_quotes(charset: str) -> None:
    plain = GERMAN.translate({ord(c): '"' for c in "„“"} | {ord("–"): "-"})
    book = read(plain.encode(charset))
    assert rows(book)[0]["text"] == plain
    assert "encoding_guessed" in [w.code for w in book.info.warnings]


def test_header_names_the_charset() -> None:
    book = read("Character set encoding: ISO-8859-1\r\n\r\ncaf\xe9 \x93so\x94".encode("latin-1"))
    assert rows(book)[1]["text"] == "café “so”"
    assert not book.info.warnings


def test_owner_names_the_charset() -> None:
    assert rows(read("Übung".encode("cp850"), encoding="cp850"))[0]["text"] == "Übung"
    with pytest.raises(SourceError, match="klingon"):
        read("Übung".encode("cp850"), encoding="klingon")


def test_one_bad_byte_does_not_spoil_a_utf8_file() -> None:
    data = (GERMAN * 5).encode() + b"caf\xe9 \n" + GERMAN.encode()
    book = read(data)
    text = "".join(r["text"] for r in rows(book))
    assert text.startswith("Größe") and "café" in text
    assert "repaired" in [w.code for w in book.info.warnings]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty_file"),
        (b" \r\n ", "empty_file"),
        (b"%PDF-1.7\n", "not_this_format"),
        (b"PK\x03\x04aaaa", "not_this_format"),
        (random.Random(1).randbytes(2000) + bytes(400), "not_this_format"),
    ],
)
def test_refusals(data: bytes, kind: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(data)
    assert caught.value.kind == kind
    assert "book.txt" in str(caught.value)


# ---------------------------------------------------------------- emphasis


@pytest.mark.parametrize(
    ("text", "plain", "kind", "covered"),
    [
        ("He said _never_ twice.", "He said never twice.", "italic", "never"),
        ("A =bold= word", "A bold word", "bold", "bold"),
        ("Un_bewusst_es", "Unbewusstes", "italic", "bewusst"),
        ("M^{me} Roux", "Mme Roux", "superscript", "me"),
        ("H_{2}O", "H2O", "subscript", "2"),
    ],
)
def test_signs_of_emphasis(text: str, plain: str, kind: str, covered: str) -> None:
    (row,) = rows(read(text))
    assert row["text"] == text
    assert without_signs(row) == plain
    assert (kind, covered, None) in marks(row)


@pytest.mark.parametrize("text", ["~gesperrt~ Wort", "#gesperrt# Wort"])
def test_letter_spacing_is_no_italic(text: str) -> None:
    (row,) = rows(read(text))
    assert without_signs(row) == "gesperrt Wort"
    assert {k for k, _, _ in marks(row)} == {"emphasis_mark"}


def test_emphasis_runs_over_lines_but_not_over_paragraphs() -> None:
    book = rows(read("one _two\n  three_ four\n\na _lost sign\n\nnot_ here"))
    assert [without_signs(r) for r in book] == ["one two", "  three four", "a _lost sign", "not_ here"]
    assert ("italic", "three", None) in marks(book[1])


@pytest.mark.parametrize(
    "text", ["a = b", "x=y and z=w", "____", "snake _ case", "# 12", "1~2", "=====", "2_000_000"]
)
def test_signs_that_are_none(text: str) -> None:
    assert marks(rows(read(text))[0]) == []


# ---------------------------------------------------------------- printed pages


@pytest.mark.parametrize("form", ["{%d}", "[Pg %d]", "[S. %d]"])
def test_printed_pages_in_the_text(form: str) -> None:
    text = "\n".join(f"Words before {form % n} and after it.\nA line." for n in range(7, 20))
    found = rows(read(text))
    assert marks(found[0]) == [("pagebreak", form % 7, "7")]
    assert found[0]["page_label"] is None
    assert [r["page_label"] for r in found[1:4]] == ["7", "7", "8"]


def test_page_numbers_alone_on_a_line() -> None:
    text = "\n\n".join(f"[{label}]\n\nA paragraph." for label in ("vi", "vii", "viii", "1", "2", "3"))
    assert [r["page_label"] for r in rows(read(text))][::2] == ["vi", "vii", "viii", "1", "2", "3"]


@pytest.mark.parametrize(
    "text",
    [
        "See [Pg 12] of that book, not [Pg 3].",
        "\n".join(f"a set {{{n}}} of one" for n in (5, 1, 9, 2, 7, 3)),
        "\n".join(f"misprint on [S. {n}] mended" for n in (3, 90, 211, 305)),
        "\n\n".join(f"[{n}]" for n in (8, 3, 5, 1)),
    ],
)
def test_numbers_in_brackets_that_are_no_pagination(text: str) -> None:
    assert not any(m[0] == "pagebreak" for r in rows(read(text)) for m in marks(r))


# ---------------------------------------------------------------- Project Gutenberg

BOOK = "\n\n".join(f"Paragraph {n} of the book, which is\nlong enough for two lines." for n in range(60))
OLD_LICENCE = (
    "**The Project Gutenberg Etext of The Jar, by A. Potter**\n\nPlease take a look.\n\n"
    "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\nWhy is this here?\n\n"
    "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\n\n"
)
NEW_HEADER = (
    "\ufeffThe Project Gutenberg EBook of The Jar, by\nA. Potter\n\nTitle: The Jar\n       Or the Broken Vessel\n\n"
    "Author: A. Potter\n        B. Kiln\n\nTranslator: T. Lator\n\nRelease Date: July 1, 2008 [EBook #1]\n\n"
    "Original publication: New York: Clay and Co, 1911\n\nLanguage: English\n\n"
)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (
            NEW_HEADER
            + "*** START OF THIS PROJECT GUTENBERG EBOOK THE JAR ***\n\n\nProduced by X and the Online\n"
            "Distributed Proofreading Team\n\n\n\n",
            "\n\n\nEnd of the Project Gutenberg EBook of The Jar\n\n*** END OF THIS PROJECT GUTENBERG EBOOK THE JAR ***\n\nLicence",
        ),
        (
            "*** START OF THE PROJECT GUTENBERG EBOOK THE JAR OF A VERY LONG\nNAME ***\n\n\n",
            "\n\n*** END OF THE PROJECT GUTENBERG EBOOK THE JAR OF A VERY LONG\nNAME ***\n",
        ),
        (
            NEW_HEADER + "***START OF THE PROJECT GUTENBERG EBOOK THE JAR***\n\n\n",
            "\n\n***END OF THE PROJECT GUTENBERG EBOOK THE JAR***\n\n\n******* This file\n",
        ),
        (OLD_LICENCE, "\n\n\nEnd of The Project Gutenberg Etext of The Jar, by A. Potter\n"),
    ],
)
def test_gutenbergs_words_are_told_from_the_book(start: str, end: str) -> None:
    found = rows(read(start + BOOK + end))
    kept = [r["text"] for r in found if r["element"] is None]
    assert kept == [line for line in BOOK.split("\n") if line]
    assert {r["element"] for r in found} == {None, "gutenberg_licence"}


LICENCE = "\n\n".join(f"Section {n}. Project Gutenberg™ is a registered trademark." for n in range(40))


def a_text(name: str, *, start: bool = True, end: bool = True, old: bool = False) -> tuple[str, list[str]]:
    """A whole file of Project Gutenberg's, and the lines of it that are the book's."""
    book = BOOK.replace("the book", f"the book called {name}")
    header = (
        f"The Project Gutenberg eBook of {name}\n\nThis ebook is for the use of anyone.\n\nTitle: {name}\n\n"
    )
    marker = OLD_LICENCE if old else f"*** START OF THE PROJECT GUTENBERG EBOOK {name} ***\n\n\n"
    closing = f"\n\n\n*** END OF THE PROJECT GUTENBERG EBOOK {name} ***\n\n\n{LICENCE}\n\n\n"
    text = (header + marker if start else "") + book + (closing if end else "\n\n\n\n")
    return text, [line for line in book.split("\n") if line]


@pytest.mark.parametrize(
    "texts",
    [
        [a_text("ONE"), a_text("TWO")],
        [a_text("ONE"), a_text("TWO"), a_text("THREE", end=False)],
        [a_text("ONE", end=False), a_text("TWO")],
        [a_text("ONE", start=False), a_text("TWO")],
        [a_text("ONE", old=True), a_text("TWO", old=True)],
    ],
)
def test_every_text_of_a_file_that_holds_several_is_the_books(texts: list[tuple[str, list[str]]]) -> None:
    found = rows(read("".join(text for text, _ in texts)))
    assert [r["text"] for r in found if r["element"] is None] == [
        line for _, lines in texts for line in lines
    ]


def test_small_print_behind_the_end_begins_no_further_text() -> None:
    found = rows(
        read(OLD_LICENCE + BOOK + "\n\nEnd of The Project Gutenberg Etext of The Jar\n\n" + OLD_LICENCE)
    )
    assert [r["text"] for r in found if r["element"] is None] == [line for line in BOOK.split("\n") if line]


def test_a_book_about_project_gutenberg_is_left_alone() -> None:
    text = BOOK + "\n\nHe founded Project Gutenberg in 1971.\n\nIt was the end of the Project.\n\n" + BOOK
    assert {r["element"] for r in rows(read(text))} == {None}


def test_header_facts() -> None:
    text = NEW_HEADER + "*** START OF THIS PROJECT GUTENBERG EBOOK THE JAR ***\n\n\n" + BOOK
    assert read(text).info.metadata == {
        "title": "The Jar: Or the Broken Vessel",
        "author": "A. Potter; B. Kiln",
        "translator": "T. Lator",
        "language": "en",
        "publisher": "Clay and Co",
        "year": 1911,
    }
    old = read(OLD_LICENCE + BOOK).info.metadata
    assert old == {"title": "The Jar", "author": "A. Potter"}
    assert read(BOOK).info.metadata == {}


@pytest.mark.parametrize(
    ("header", "facts"),
    [
        ("Title: The Jar\n    and Other Tales\n\nAuthor: A. Potter", {"title": "The Jar and Other Tales"}),
        ("Title: The Jar\n    Translated from the Dutch\n\nAuthor: A. Potter", {"title": "The Jar"}),
        ("The Jar\n\nby A. Potter\n\nTitle: The Jar\n\nTranslated by T. Lator, Ph.D.", {"translator": None}),
        ("Title: The Jar\n\nE-text by X\n\nTranslated by T. Lator\n", {"translator": "T. Lator"}),
        ("Title: The Jar\n\nThis was translated by the author.\n", {"translator": None}),
        ("Title: The Jar\n\nAuthor: Unknown\n", {"author": None}),
        (
            "Title: The Jar\n\nOriginal publication: New York: Clay, Kiln and Company, 1911, reprint\n",
            {"publisher": "Clay, Kiln and Company", "year": 1911},
        ),
    ],
)
def test_lines_of_a_header(header: str, facts: dict[str, object]) -> None:
    found = read(
        f"{header}\n\n*** START OF THIS PROJECT GUTENBERG EBOOK THE JAR ***\n\n\n{BOOK}"
    ).info.metadata
    assert {name: found.get(name) for name in facts} == facts


def test_fields_before_a_text_of_another_source_count_only_at_its_very_beginning() -> None:
    fields = "Title: The Jar\nAuthor: A. Potter\n\n"
    assert read(fields + BOOK).info.metadata == {"title": "The Jar", "author": "A. Potter"}
    assert read(BOOK + fields + BOOK).info.metadata == {}
    assert read("Title: a word of many senses.\n\n" + BOOK).info.metadata == {}


@pytest.mark.parametrize(
    "note",
    [
        "[Transcriber's Note: the spelling was kept (mostly)\nas it was.]",
        "+--------------------+\n|  Transcriber Notes |\n| Typos were mended. |\n+--------------------+",
        "####################\n\n   Anmerkungen zur Transkription\n\n  Fehler wurden korrigiert.\n\n####################",
        "TRANSCRIBER’S NOTE:\n\nThe spelling was kept.\n\nSo were the commas.",
        "[ Anmerkungen zur Transkription:\n\n  Gesperrtes steht kursiv.\n\n  ]",
    ],
)
@pytest.mark.parametrize("front", [True, False])
def test_notes_of_transcribers(note: str, front: bool) -> None:
    text = f"{note}\n\n\n\n{BOOK}" if front else f"{BOOK}\n\n\n\n{note}\n"
    found = rows(read(text))
    marked = [r["text"] for r in found if r["element"] == "transcriber_note"]
    assert marked == [line for line in note.split("\n") if line.strip()]


def test_footnotes_after_a_transcribers_note_are_the_books() -> None:
    text = f"{BOOK}\n\n\nTranscriber's Note:\n\nTypos were mended.\n\nFOOTNOTES:\n\n[1] A real note."
    found = rows(read(text))
    assert [r["text"] for r in found if r["element"] is None][-2:] == ["FOOTNOTES:", "[1] A real note."]


@pytest.mark.corpus
def test_pagination_of_a_real_book() -> None:
    path = CORPUS / "books" / "james-will-to-believe-1912-pg26659.txt"
    if not path.exists():
        pytest.skip("the book is not there; set JUNG_CORPUS_DIR")
    book = extract_plain_text(path.read_bytes(), path.name, {})
    pages = [
        int(m[2]) for r in rows(book) for m in marks(r) if m[0] == "pagebreak" and m[2] and m[2].isdigit()
    ]
    assert pages == sorted(pages)
    assert len(pages) > 300
    assert book.info.metadata["author"] == "William James"
    assert "year" not in book.info.metadata


def test_a_compilation_keeps_what_stands_behind_the_end_of_its_first_part() -> None:
    tale = "\n\n".join(f"Line {n} of the tale, which is told in the winter." for n in range(12))
    ends = ("End of the Project Gutenberg EBook of First, by A.", "End of Project Gutenberg's Second")
    text = (
        "The Project Gutenberg eBook of Works\n\n*** START OF THE PROJECT GUTENBERG EBOOK WORKS ***\n\n"
        f"FIRST\n\n{tale}\n\n{ends[0]}\n\nSECOND\n\n{tale}\n\n{ends[1]}\n\nTHIRD\n\n{tale}\n\n"
        "End of Project Gutenberg's Works\n\n*** END OF THE PROJECT GUTENBERG EBOOK WORKS ***\n\nLicence.\n"
    )
    kept = [row["text"] for row in rows(read(text)) if row["element"] is None]
    assert [line for line in kept if line.isupper()] == ["FIRST", "SECOND", "THIRD"]
    assert len(kept) == 3 + 3 * 12
