from __future__ import annotations

import io
import subprocess
import sys
import zipfile

import pytest

from jung_pipeline.errors import SourceError
from jung_pipeline.extract.extractor import describe_file, extract, file_format
from jung_pipeline_tests.corpus import book
from jung_pipeline_tests.extract.epub_maker import make_epub, page
from jung_pipeline_tests.extract.pdf_maker import lines, write_pdf

OPF = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier>
<dc:title>On Ferries</dc:title><dc:creator id="a">A. N. Other</dc:creator><meta refines="#a" property="role">aut</meta>
<dc:contributor id="t">T. Bridge</dc:contributor><meta refines="#t" property="role">trl</meta>
<dc:contributor>calibre (5.1)</dc:contributor><dc:publisher>Weir &amp; Sons</dc:publisher>
<dc:date>1931-05-01</dc:date><dc:language>de-CH</dc:language></metadata>
<manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>"""


def epub_bytes() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("mimetype", "application/epub+zip")
        z.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
            '<rootfile full-path="b/p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        z.writestr("b/p.opf", OPF)
        z.writestr(
            "b/c.xhtml",
            '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>c</title></head><body><p>One boat.</p></body></html>',
        )
    return out.getvalue()


def zip_bytes() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("word/document.xml", "<w/>")
    return out.getvalue()


HTML = b"<!DOCTYPE html><html lang='en'><head><title>On Ferries</title></head><body><p>One boat.</p></body></html>"


def put(tmp_path, name: str, data: bytes):
    (tmp_path / name).write_bytes(data)
    return tmp_path / name


def pdf_bytes(tmp_path) -> bytes:
    return write_pdf(tmp_path / "source.bin", [lines(60, 560, ["One boat."])]).read_bytes()


@pytest.mark.parametrize("name", ["A.PDF", "a.pdf", "a.txt", "a"])
def test_a_pdf_is_a_pdf_whatever_its_name(tmp_path, name):
    path = put(tmp_path, name, pdf_bytes(tmp_path))
    assert file_format(path) == "pdf"
    assert extract(path).lines["text"].to_pylist() == ["One boat."]


def test_header_after_some_junk_counts_within_the_first_kilobyte(tmp_path):
    pdf = pdf_bytes(tmp_path)
    assert file_format(put(tmp_path, "a.pdf", b"HTTP/1.1 200 OK\r\n\r\n" + pdf)) == "pdf"
    with pytest.raises(SourceError):
        file_format(put(tmp_path, "b.pdf", b"x" * 3000 + pdf))


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.epub", epub_bytes(), "epub"),
        ("a.bin", epub_bytes(), "epub"),
        ("a.htm", HTML, "html"),
        ("a.txt", HTML, "html"),
        ("a.XHTML", b'<?xml version="1.0"?>\n<!-- x --><html xmlns="http://www.w3.org/1999/xhtml"/>', "html"),
        ("a.html", b"<p>Without a head.</p>", "html"),
        ("a.txt", "Über die Fähre.\n".encode("latin-1"), "txt"),
        ("a.txt", "Über die Fähre.\n".encode("utf-16"), "txt"),
        ("a.md", b"# One boat\n\nCosts 5 < 6 coins.", "txt"),
    ],
)
def test_content_decides_before_the_suffix(tmp_path, name, data, expected):
    assert file_format(put(tmp_path, name, data)) == expected


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.pdf", b"", "empty_file"),
        ("a.epub", b"", "empty_file"),
        ("a.pdf", HTML, "not_this_format"),
        ("a.epub", HTML, "not_this_format"),
        ("a.pdf", b"just words", "not_this_format"),
        ("a.epub", b"just words", "not_this_format"),
        ("a.pdf", zip_bytes(), "not_this_format"),
        ("a.docx", zip_bytes(), "not_this_format"),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(100), "not_this_format"),
        ("a.txt", bytes(range(256)) * 8, "not_this_format"),
        ("a.doc", b"{\\rtf1 words}", "not_this_format"),
        ("a.pdf", b"%PDF-1.7\n", "damaged"),
    ],
)
def test_what_cannot_be_a_book_is_refused_by_kind_and_name(tmp_path, name, data, kind):
    with pytest.raises(SourceError) as caught:
        extract(put(tmp_path, name, data))
    assert caught.value.kind == kind
    assert name in str(caught.value) and caught.value.remedy


def test_size_limit_and_missing_file(tmp_path):
    path = put(tmp_path, "a.txt", b"words " * 400_000)
    with pytest.raises(SourceError) as caught:
        extract(path, max_file_mb=2)
    assert caught.value.kind == "too_large" and "max_file_mb" in caught.value.remedy
    with pytest.raises(SourceError, match="no such file"):
        extract(tmp_path / "gone.pdf")


def test_hints_reach_the_reader(tmp_path):
    path = put(tmp_path, "a.txt", "Die F\u00e4hre f\u00e4hrt.\n".encode("cp1252"))
    assert extract(path, hints={"encoding": "cp1252"}).lines["text"].to_pylist() == [
        "Die F\u00e4hre f\u00e4hrt."
    ]


def test_description_of_each_format(tmp_path):
    assert describe_file(put(tmp_path, "a.epub", epub_bytes())) == {
        "title": "On Ferries",
        "author": "A. N. Other",
        "translator": "T. Bridge",
        "publisher": "Weir & Sons",
        "year": 1931,
        "language": "de",
    }
    start = b"<html lang='en'><head><title>The Project Gutenberg eBook of On Ferries, by A. N. Other</title></head></html>"
    assert describe_file(put(tmp_path, "a.html", start)) == {
        "title": "On Ferries",
        "author": "A. N. Other",
        "language": "en",
    }
    text = b"Title: On Ferries\r\nAuthor: A. N. Other\r\nLanguage: German\r\n\r\nTitle: not this\r\n"
    assert describe_file(put(tmp_path, "a.txt", text)) == {
        "title": "On Ferries",
        "author": "A. N. Other",
        "language": "de",
    }
    assert describe_file(put(tmp_path, "b.txt", b"Nothing stated here.")) == {}


PROSE = {
    "en": "The boat was at the bank and it was not to be used by those who had no coin for it. ",
    "de": "Das Boot war an dem Ufer und es war nicht für die, die keine Münze für die Fahrt hatten. ",
}


def books_without_language(tmp_path, text: str):
    """The same text in each format, none of which states its language."""
    words = text.split()
    rows = [" ".join(words[at : at + 12]) for at in range(0, len(words), 12)]
    pages = [lines(60, 560, rows[at : at + 30]) for at in range(0, len(rows), 30)]
    write_pdf(tmp_path / "a.pdf", pages)
    put(tmp_path, "a.txt", "\n".join(rows).encode())
    put(tmp_path, "a.html", f"<html><body><p>{text}</p></body></html>".encode())
    paragraphs = {f"c{n}.xhtml": page(f"<p>{text}</p>") for n in range(3)}
    make_epub(
        tmp_path / "a.epub", paragraphs, metadata="<dc:title>A</dc:title><dc:language>und</dc:language>"
    )
    return [tmp_path / f"a.{suffix}" for suffix in ("pdf", "txt", "html", "epub")]


@pytest.mark.parametrize("tag", PROSE)
def test_the_text_tells_the_language_where_the_file_does_not(tmp_path, tag):
    for path in books_without_language(tmp_path, PROSE[tag] * 40):
        assert describe_file(path)["language"] == tag
        metadata = extract(path).info.metadata
        assert (metadata["language"], metadata["language_from"]) == (tag, "text"), path


def test_a_book_in_two_languages_has_none(tmp_path):
    for path in books_without_language(tmp_path, PROSE["en"] * 60 + PROSE["de"] * 60):
        assert "language" not in describe_file(path)
        assert "language" not in extract(path).info.metadata


def test_a_stated_language_is_not_overruled_by_the_text(tmp_path):
    text = f"Title: A\nLanguage: Dutch\n\n{PROSE['en'] * 40}"
    path = put(tmp_path, "a.txt", text.encode())
    assert describe_file(path)["language"] == "nl" == extract(path).info.metadata["language"]
    assert "language_from" not in extract(path).info.metadata


HEADER = """The Project Gutenberg EBook of On Ferries, by A. N. Other

Title: On Ferries
       A Study

Author: A. N. Other
        B. Rower

Translator: T. Bridge

Release Date: May 1, 2008 [EBook #1]

Original publication: London: Weir, Lock and Sons, 1911

Language: German

*** START OF THIS PROJECT GUTENBERG EBOOK ON FERRIES ***

"""


def test_description_and_extraction_say_the_same(tmp_path):
    """Also where only the beginning of a file is read for the description."""
    body = "".join(f"<p>{PROSE['de']}</p>\n" for _ in range(3000))
    gutenberg = (
        "<dc:identifier>http://www.gutenberg.org/1</dc:identifier><dc:title>On Ferries</dc:title>"
        '<dc:creator>A. N. Other</dc:creator><dc:date opf:event="publication">2008-05-01</dc:date>'
    )
    first, rest = page(f"<pre>{HEADER}</pre>"), page(body)
    make_epub(tmp_path / "a.epub", {"a.xhtml": first, "b.xhtml": rest}, metadata=gutenberg)
    title = "<title>The Project Gutenberg eBook of On Ferries, by A. N. Other, M. D.</title>"
    put(
        tmp_path,
        "a.html",
        f"<html><head>{title}</head><body><pre>{HEADER}</pre>{body}</body></html>".encode(),
    )
    put(tmp_path, "a.txt", (HEADER + PROSE["de"] * 3000).encode())
    put(
        tmp_path, "b.txt", ("Title: On Ferries\nAuthor: A. N. Other\n\n" + f"{PROSE['de']}\n" * 3000).encode()
    )
    printed = {"publisher": "Weir, Lock and Sons", "year": 1911, "translator": "T. Bridge", "language": "de"}
    for name in ("a.epub", "a.html", "a.txt", "b.txt"):
        found = describe_file(tmp_path / name)
        metadata = {k: v for k, v in extract(tmp_path / name).info.metadata.items() if k != "language_from"}
        assert found == metadata, name
        assert found["title"].startswith("On Ferries") and found["author"].startswith("A. N. Other")
        assert name == "b.txt" or printed.items() <= found.items()


def test_a_character_cut_in_two_does_not_spoil_the_encoding(tmp_path):
    """The beginning that is read ends within the text, wherever its bytes fall."""
    for shift in range(3):
        text = "Title: Über Fähren\nAuthor: J. Müller\n\n" + "x" * shift + "\u20ac" * 100_000
        assert describe_file(put(tmp_path, "a.txt", text.encode()))["title"] == "Über Fähren"


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("epub/winter-sports-ebookmaker.epub", {"year": None, "author": "E. F. Benson"}),
        ("epub/romeo-and-juliet-feedbooks.epub", {"year": None, "original_year": 1597}),
        ("epub/alice-ebookmaker-epub3.epub", {"author": "Lewis Carroll", "year": None}),
        (
            "books/freud-group-psychology-1922-pg35877.htm",
            {"author": "Sigmund Freud", "translator": "James Strachey"},
        ),
        ("books/wundt-introduction-to-psychology-1912-pg46677.txt", {"translator": "Rudolf Pintner"}),
        ("books/jung-psychologische-typen-1921-pg61543.txt", {"language": "de", "title": None}),
        ("pdf/james-varieties-pg621.pdf", {"language": "en"}),
        ("pdf/binswanger-paralyse-1906-pandoc.pdf", {"language": "de"}),
        ("pdf/tractatus-bilingual-pg5740.pdf", {"language": None}),
    ],
)
def test_real_books_are_described_rightly_or_not_at_all(name, facts):
    found = describe_file(book(name))
    assert {field: found.get(field) for field in facts} == facts


def test_broken_epub_has_no_description_rather_than_a_traceback(tmp_path):
    assert describe_file(put(tmp_path, "a.epub", epub_bytes()[:200])) == {}


def test_choosing_a_reader_loads_no_other():
    code = (
        "import sys; import jung_pipeline.extract.extractor as e; "
        "print([m for m in ('pymupdf', 'ebooklib', 'bs4', 'lxml', 'wordfreq') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


@pytest.mark.parametrize("charset", WIDE)
@pytest.mark.parametrize("hinted", [True, False])
def test_wide_letters_without_a_mark_are_read(tmp_path, charset, hinted):
    text = "Das Unbewußte – ein Versuch.\nZweite Zeile.\n" * 40
    path = put(tmp_path, "book.txt", text.encode(charset))
    found = extract(path, hints={"encoding": charset[:6]} if hinted else {})
    assert "\n".join(found.lines["text"].to_pylist()) == text.strip()
    assert ("encoding_guessed" in [w.code for w in found.info.warnings]) is not hinted


def test_the_hint_saves_wide_letters_that_no_zero_bytes_give_away(tmp_path):
    text = "Ψυχὴ καὶ πνεῦμα. Душа и дух. " * 30
    path = put(tmp_path, "book.txt", text.encode("utf-16-le"))
    assert extract(path, hints={"encoding": "utf-16-le"}).lines["text"].to_pylist() == [text]


@pytest.mark.parametrize("charset", WIDE)
def test_a_page_in_wide_letters_without_a_mark_is_html(tmp_path, charset):
    path = put(tmp_path, "page.html", HTML.decode().encode(charset))
    assert file_format(path) == "html"
    assert extract(path).lines["text"].to_pylist() == ["One boat."]


def test_a_hint_makes_no_text_of_an_image(tmp_path):
    path = put(tmp_path, "book.txt", bytes(range(256)) * 40)
    with pytest.raises(SourceError, match="binary"):
        extract(path, hints={"encoding": "cp1252"})


def test_an_epub_behind_some_rubbish_is_an_epub(tmp_path):
    path = put(tmp_path, "book.epub", b"rubbish of a download\r\n" * 20 + epub_bytes())
    assert extract(path).lines["text"].to_pylist() == ["One boat."]


def test_text_named_html_is_text(tmp_path):
    path = put(tmp_path, "book.html", b"One boat.\n\nAnother boat.\n")
    assert extract(path).info.format == "txt"


@pytest.mark.parametrize("data", [b"x" * 60 + b"BOOKMOBI" + bytes(500), b"\xeaDRMION\xee" + bytes(500)])
def test_kindle_books_are_named(tmp_path, data):
    with pytest.raises(SourceError, match="Kindle"):
        file_format(put(tmp_path, "book.epub", data))
