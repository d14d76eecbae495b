from __future__ import annotations

import os
import time
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from jung_pipeline.errors import SourceError
from jung_pipeline.extract import epub_archive
from jung_pipeline.extract.document import ExtractedDocument
from jung_pipeline.extract.epub_ebooklib import extract_epub
from jung_pipeline.progress import reporting_to
from jung_pipeline_tests.extract.epub_maker import damaged_entry, make_epub, page

CORPUS = Path(
    os.environ.get("JUNG_CORPUS_DIR", str(Path(__file__).resolve().parents[2].parent / "shared/corpus"))
)


def texts(document: ExtractedDocument) -> list[str]:
    return document.lines.column("text").to_pylist()


def rows(document: ExtractedDocument) -> list[dict[str, Any]]:
    return document.lines.to_pylist()


def marked(row: dict[str, Any], kind: str) -> list[tuple[str, str | None]]:
    return [(row["text"][m["start"] : m["end"]], m["target"]) for m in row["marks"] if m["kind"] == kind]


def codes(document: ExtractedDocument) -> list[str]:
    return [warning.code for warning in document.info.warnings]


# ---------------------------------------------------------------- order and parts


def test_reading_order_is_the_spines(tmp_path: Path) -> None:
    documents = {f"{name}.xhtml": page(f"<p>{name}</p>") for name in ("c", "a", "b")}
    book = extract_epub(make_epub(tmp_path / "b.epub", documents, spine=["d1", "d2", "d0"]), {})
    assert texts(book) == ["a", "b", "c"]
    assert [(p.page, p.name) for p in book.info.pages] == [
        (1, "OEBPS/a.xhtml"),
        (2, "OEBPS/b.xhtml"),
        (3, "OEBPS/c.xhtml"),
    ]
    assert book.info.status == "ok" and not book.info.warnings


def test_progress_is_told_for_every_document(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    path = make_epub(tmp_path / "b.epub", {f"{n}.xhtml": page("<p>x</p>") for n in "abc"})
    with reporting_to(lambda *event: seen.append(event)):
        extract_epub(path, {})
    assert seen == [("raw_text", 1, 3), ("raw_text", 2, 3), ("raw_text", 3, 3)]


def test_missing_document_is_reported_and_the_rest_read(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": page("<p>one</p>")},
        items='<item id="x" href="gone.xhtml" media-type="application/xhtml+xml"/>',
        spine=["x", "d0"],
    )
    book = extract_epub(path, {})
    assert book.info.status == "partial"
    assert texts(book) == ["one"]
    assert any(w.code == "missing_part" and "gone.xhtml" in w.message for w in book.info.warnings)


def test_spine_entry_without_item_is_passed_over(tmp_path: Path) -> None:
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>one</p>")}, spine=["nobody", "d0"])
    assert texts(extract_epub(path, {})) == ["one"]


def test_two_items_of_one_id_are_both_read_once(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": page("<p>one</p>")},
        items='<item id="d0" href="b.xhtml" media-type="application/xhtml+xml"/>',
        spine=["d0", "d0"],
        extra={"OEBPS/b.xhtml": page("<p>two</p>")},
    )
    assert texts(extract_epub(path, {})) == ["one", "two"]


def test_empty_spine_falls_back_to_the_manifest(tmp_path: Path) -> None:
    book = extract_epub(make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>one</p>")}, spine=[]), {})
    assert texts(book) == ["one"]
    assert "repaired" in codes(book)


@pytest.mark.parametrize("container", [None, "<container/>", "not xml at all", ""])
def test_package_is_found_without_a_container(tmp_path: Path, container: str | None) -> None:
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>one</p>")}, container=container)
    book = extract_epub(path, {})
    assert texts(book) == ["one"]
    assert "repaired" in codes(book)


def test_names_are_resolved(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {},
        items="".join(
            f'<item id="i{n}" href="{href}" media-type="application/xhtml+xml"/>'
            for n, href in enumerate(("./first%20one.xhtml", "../other/b.xhtml", "TEXT/C.xhtml"))
        ),
        spine=["i0", "i1", "i2"],
        extra={
            "OEBPS/first one.xhtml": page("<p>one</p>"),
            "other/b.xhtml": page("<p>two</p>"),
            "OEBPS/Text/c.xhtml": page("<p>three</p>"),
        },
    )
    assert texts(extract_epub(path, {})) == ["one", "two", "three"]


def test_linked_document_outside_the_spine_is_not_lost(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {
            "a.xhtml": page('<p>Word<a epub:type="noteref" href="n.xhtml#n1">1</a> more.</p>'),
            "n.xhtml": page('<aside epub:type="footnote" id="n1"><p>The note.</p></aside>'),
            "z.xhtml": page("<p>Nobody asks for this.</p>"),
        },
        spine=["d0"],
    )
    book = extract_epub(path, {})
    assert texts(book) == ["Word1 more.", "The note."]
    assert rows(book)[1]["element"] == "footnote"
    assert marked(rows(book)[0], "noteref") == [("1", "OEBPS/n.xhtml#n1")]


# ---------------------------------------------------------------- what is refused


def refusal(path: Path) -> str:
    with pytest.raises(SourceError) as caught:
        extract_epub(path, {})
    assert path.name in str(caught.value)
    return caught.value.kind


def test_empty_file_and_other_formats(tmp_path: Path) -> None:
    (tmp_path / "empty.epub").write_bytes(b"")
    (tmp_path / "text.epub").write_bytes(b"Dear reader, this is no zip archive at all.")
    (tmp_path / "cut.epub").write_bytes(
        make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>x</p>")}).read_bytes()[:300]
    )
    with zipfile.ZipFile(tmp_path / "zip.epub", "w") as archive:
        archive.writestr("letter.txt", "hello")
    assert refusal(tmp_path / "empty.epub") == "empty_file"
    assert refusal(tmp_path / "text.epub") == "not_this_format"
    assert refusal(tmp_path / "cut.epub") == "damaged"
    assert refusal(tmp_path / "zip.epub") == "not_this_format"


def encryption(algorithm: str, uri: str) -> str:
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        'xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
        f'<e:EncryptionMethod Algorithm="{algorithm}"/><e:CipherData><e:CipherReference URI="{uri}"/>'
        "</e:CipherData></e:EncryptedData></encryption>"
    )


def test_protected_text_is_refused(tmp_path: Path) -> None:
    algorithm = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": bytes(range(256)) * 8},
        extra={"META-INF/encryption.xml": encryption(algorithm, "OEBPS/a.xhtml")},
    )
    assert refusal(path) == "drm"


def test_cipher_without_a_list_of_it_is_refused_where_rights_are_managed(tmp_path: Path) -> None:
    cipher = bytes((i * 73 + 41) % 256 for i in range(4000))
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": cipher}, extra={"META-INF/sinf.xml": "<sinf/>"})
    assert refusal(path) == "drm"


@pytest.mark.parametrize(
    "algorithm", ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]
)
def test_hidden_fonts_are_no_protection(tmp_path: Path, algorithm: str) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": page("<p>free</p>")},
        extra={
            "OEBPS/f.otf": b"font",
            "META-INF/encryption.xml": encryption(algorithm, "OEBPS/f.otf"),
            "META-INF/rights.xml": "<rights/>",
        },
    )
    assert texts(extract_epub(path, {})) == ["free"]


def test_bomb_is_left_out_before_it_is_unpacked(tmp_path: Path) -> None:
    big = b"<html><body><p>" + b"dust " * (20 << 20)
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>small</p>"), "big.xhtml": big})
    tracemalloc.start()
    book = extract_epub(path, {})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert texts(book) == ["small"]
    assert book.info.status == "partial"
    assert any("big.xhtml" in w.message for w in book.info.warnings)
    assert peak < 20 << 20


def test_bomb_alone_is_refused(tmp_path: Path) -> None:
    big = b"<html><body><p>" + b"dust " * (2 << 20)
    assert refusal(make_epub(tmp_path / "b.epub", {"big.xhtml": big})) == "too_large"


def test_many_documents_together_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epub_archive, "MAX_TOTAL", 3000)
    path = make_epub(tmp_path / "b.epub", {f"{n}.xhtml": page(f"<p>{n} {'x' * 900}</p>") for n in range(6)})
    book = extract_epub(path, {})
    assert book.info.status == "partial"
    assert 0 < book.lines.num_rows < 6


def test_climbing_paths_reach_nothing(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("<html><body><p>secret words</p></body></html>")
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": page("<p>at home</p>")},
        items='<item id="x" href="%2e%2e/%2e%2e/secret.txt" media-type="application/xhtml+xml"/>'
        '<item id="y" href="/etc/passwd" media-type="application/xhtml+xml"/>',
        spine=["x", "y", "d0"],
        extra={"../secret.txt": "outside", "/etc/passwd": "root:"},
    )
    before = sorted(p.name for p in tmp_path.rglob("*"))
    book = extract_epub(path, {})
    assert texts(book) == ["at home"]
    assert sorted(p.name for p in tmp_path.rglob("*")) == before


def test_entities_are_neither_fetched_nor_blown_up(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret words")
    nested = '<!ENTITY e0 "lol">' + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    doctype = f'<!DOCTYPE html [<!ENTITY leak SYSTEM "{(tmp_path / "secret.txt").as_uri()}">{nested}]>'
    body = page("<p>Before &leak; &e9; after.</p><p>Plain.</p>", doctype=doctype)
    started = time.monotonic()
    book = extract_epub(make_epub(tmp_path / "b.epub", {"a.xhtml": body}), {})
    assert "secret" not in " ".join(texts(book))
    assert len(" ".join(texts(book))) < 200
    assert texts(book)[-1] == "Plain."
    assert time.monotonic() - started < 5


def test_entities_in_the_package_are_harmless(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret words")
    doctype = f'<!DOCTYPE package [<!ENTITY leak SYSTEM "{secret.as_uri()}">]>'
    package = (
        f'<?xml version="1.0"?>{doctype}<package xmlns="http://www.idpf.org/2007/opf"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A &leak; Book</dc:title></metadata>'
        '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    path = tmp_path / "b.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.opf", package)
        archive.writestr("a.xhtml", page("<p>x</p>"))
    book = extract_epub(path, {})
    assert texts(book) == ["x"]
    assert "secret" not in str(book.info.to_dict())


# ---------------------------------------------------------------- repairs


def test_other_formats_among_the_documents_are_reported(tmp_path: Path) -> None:
    pdf = b"%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj"
    book = extract_epub(make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>one</p>"), "b.xhtml": pdf}), {})
    assert texts(book) == ["one"]
    assert book.info.status == "partial"
    assert any("b.xhtml" in w.message for w in book.info.warnings)


def test_damaged_entry_is_reported(tmp_path: Path) -> None:
    long_text = " ".join(str(n * n) for n in range(3000))
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>one</p>"), "b.xhtml": page(long_text)})
    damaged_entry(path, "OEBPS/b.xhtml")
    book = extract_epub(path, {})
    assert texts(book) == ["one"]
    assert book.info.status == "partial"


@pytest.mark.parametrize(
    "content",
    [
        "<html><body><p>caf\u00e9 &mdash; <b>open<p>second</body>",
        page("<p>caf\u00e9 &mdash; open</p><p>second</p>"),
        page("<p>caf\u00e9 \u2014 open</p><p>second</p>").replace("<title>t</title>", "<title/>"),
        "<html xmlns='http://www.w3.org/1999/xhtml'><title/><body><p>caf\u00e9 \u2014 open<p>second",
    ],
)
def test_broken_markup_loses_no_text(tmp_path: Path, content: str) -> None:
    book = extract_epub(make_epub(tmp_path / "b.epub", {"a.xhtml": content}), {})
    assert texts(book) == ["caf\u00e9 \u2014 open", "second"]


@pytest.mark.parametrize(
    ("charset", "label"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("cp1252", "iso-8859-1"),
        ("utf-8", "iso-8859-1"),
    ],
)
def test_documents_in_other_charsets(tmp_path: Path, charset: str, label: str) -> None:
    content = page("<p>Gr\u00f6\u00dfe \u201cso\u201d</p>").replace('encoding="utf-8"', f'encoding="{label}"')
    book = extract_epub(make_epub(tmp_path / "b.epub", {"a.xhtml": content.encode(charset)}), {})
    assert texts(book) == ["Gr\u00f6\u00dfe \u201cso\u201d"]


def test_pictures_alone_are_no_text(tmp_path: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><title>Plate</title><image href="s.png"/></svg>'
    book = extract_epub(make_epub(tmp_path / "b.epub", {"a.xhtml": page(svg)}), {})
    assert book.info.status == "no_text"
    assert book.lines.num_rows == 0


# ---------------------------------------------------------------- navigation, pages, metadata

NAV = (
    '<nav epub:type="toc"><h1>Contents</h1><ol><li><span>Part One</span><ol>'
    '<li><a href="a.xhtml#c1">Chapter <i>One</i></a></li></ol></li>'
    '<li><a href="b.xhtml">Index</a></li></ol></nav>'
    '<nav epub:type="page-list" hidden=""><ol><li><a href="a.xhtml#p5">5</a></li>'
    '<li><a href="b.xhtml">6</a></li></ol></nav>'
    '<nav epub:type="landmarks"><ol><li><a epub:type="index" href="b.xhtml">Index</a></li></ol></nav>'
)
NAV_ITEM = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'


def test_outline_pages_and_kinds_of_epub3(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {
            "a.xhtml": page('<h1 id="c1">Chapter One</h1><p>Before <b id="p5">after</b> it.</p><p>Next.</p>'),
            "b.xhtml": page("<p>anima, 12</p>"),
        },
        items=NAV_ITEM,
        spine=["nav", "d0", "d1"],
        extra={"OEBPS/nav.xhtml": page(NAV)},
    )
    book = extract_epub(path, {})
    assert [(e.level, e.title, e.page, e.target) for e in book.info.outline] == [
        (1, "Part One", None, None),
        (2, "Chapter One", 2, "OEBPS/a.xhtml#c1"),
        (1, "Index", 3, "OEBPS/b.xhtml"),
    ]
    assert book.info.outline[2].kind == "index"
    assert "Contents" not in texts(book)
    heading, before, following, index = rows(book)
    assert heading["element_id"] == "OEBPS/a.xhtml#c1"
    assert marked(before, "pagebreak") == [("", "5")]
    assert before["text"][before["marks"][0]["start"] :].startswith("after")
    assert [r["page_label"] for r in (heading, before, following, index)] == [None, None, "5", "6"]
    assert index["element"] == "index"


def test_outline_of_epub2(tmp_path: Path) -> None:
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Part</text>'
        '</navLabel><content src="a.xhtml"/><navPoint><navLabel><text>Chapter</text></navLabel>'
        '<content src="a.xhtml#c"/></navPoint></navPoint></navMap></ncx>'
    )
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": page('<h1>Part</h1><h2 id="c">Chapter</h2>')},
        items='<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
        toc='toc="ncx"',
        extra={"OEBPS/toc.ncx": ncx},
    )
    outline = extract_epub(path, {}).info.outline
    assert [(e.level, e.title, e.target) for e in outline] == [
        (1, "Part", "OEBPS/a.xhtml"),
        (2, "Chapter", "OEBPS/a.xhtml#c"),
    ]


def test_headings_stand_in_for_a_missing_table_of_contents(tmp_path: Path) -> None:
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<h2>I</h2><p>x</p><h3>Inner</h3>")})
    assert [(e.level, e.title) for e in extract_epub(path, {}).info.outline] == [(1, "I"), (2, "Inner")]


def test_metadata_with_roles(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": page("<p>x</p>")},
        metadata="<dc:title>The Red Jar</dc:title>"
        '<dc:creator id="c1">A. Writer</dc:creator><dc:creator opf:role="trl">T. Lator</dc:creator>'
        '<dc:contributor id="k">E. Ditor</dc:contributor><meta refines="#k" property="role">edt</meta>'
        '<dc:contributor opf:role="bkp">calibre</dc:contributor>'
        "<dc:publisher>House</dc:publisher><dc:language>de-CH</dc:language><dc:date>1931-05-01</dc:date>",
    )
    assert extract_epub(path, {}).info.metadata == {
        "title": "The Red Jar",
        "author": "A. Writer",
        "translator": "T. Lator",
        "editor": "E. Ditor",
        "publisher": "House",
        "language": "de",
        "year": 1931,
    }


def test_release_date_of_a_gutenberg_file_is_not_a_year(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": page("<p>x</p>")},
        metadata="<dc:title>T</dc:title><dc:publisher>Project Gutenberg</dc:publisher>"
        "<dc:date>2008-06-27</dc:date>",
    )
    assert "year" not in extract_epub(path, {}).info.metadata


@pytest.mark.parametrize(
    ("dates", "years"),
    [
        ('<dc:date opf:event="original-publication">1597</dc:date>', (None, 1597)),
        (
            '<dc:date opf:event="original-publication">1597</dc:date><dc:date opf:event="publication">1931</dc:date>',
            (1931, 1597),
        ),
        ('<dc:date opf:event="modification">2015-04-27</dc:date>', (None, None)),
        ("<dc:date>1931</dc:date><dc:date>1954</dc:date>", (None, None)),
        ("<dc:date>0101-01-01T00:00:00+00:00</dc:date>", (None, None)),
    ],
)
def test_years_of_edition_and_original(
    tmp_path: Path, dates: str, years: tuple[int | None, int | None]
) -> None:
    path = make_epub(
        tmp_path / "b.epub", {"a.xhtml": page("<p>x</p>")}, metadata=f"<dc:title>T</dc:title>{dates}"
    )
    metadata = extract_epub(path, {}).info.metadata
    assert (metadata.get("year"), metadata.get("original_year")) == years


def test_names_that_programs_put_in_are_nobody(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub",
        {"a.xhtml": page("<p>x</p>")},
        metadata="<dc:title>T</dc:title><dc:creator>Unknown</dc:creator><dc:publisher>calibre 5</dc:publisher>",
    )
    assert extract_epub(path, {}).info.metadata == {"title": "T"}


def test_nothing_is_invented_without_metadata(tmp_path: Path) -> None:
    path = make_epub(tmp_path / "b.epub", {"a.xhtml": page("<p>x</p>")}, metadata="")
    assert extract_epub(path, {}).info.metadata == {}


# ---------------------------------------------------------------- real books


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    [
        "gray-zones-pandoc.epub",
        "producing-oss-docbook.epub",
        "winter-sports-ebookmaker.epub",
        "purvis-poetry-standardebooks.epub",
    ],
)
def test_no_letter_of_a_real_book_is_lost(name: str) -> None:
    """Against the letters between the tags, read the simplest possible way."""
    import html
    import re

    path = CORPUS / "epub" / name
    if not path.exists():
        pytest.skip(f"{name} is not there; set JUNG_CORPUS_DIR")
    book = extract_epub(path, {})
    plain = []
    with zipfile.ZipFile(path) as archive:
        for part in book.info.pages:
            text = archive.read(str(part.name)).decode("utf-8")
            text = re.sub(r"(?s)<!--.*?-->|<head\b.*?</head>|<nav\b.*?</nav>|<style.*?</style>", "", text)
            plain.append(html.unescape(re.sub(r"(?s)<[^>]*>", "", text)))
    assert "".join("".join(texts(book)).split()) == "".join("".join(plain).split())


@pytest.mark.corpus
def test_every_note_of_a_real_book_is_linked() -> None:
    path = CORPUS / "epub" / "gray-zones-pandoc.epub"
    if not path.exists():
        pytest.skip("gray-zones-pandoc.epub is not there; set JUNG_CORPUS_DIR")
    all_rows = rows(extract_epub(path, {}))
    wanted = {m["target"] for r in all_rows for m in r["marks"] if m["kind"] == "noteref"}
    notes = {r["element_id"] for r in all_rows if r["element"] == "footnote"}
    assert wanted == notes
    assert len(notes) > 100


# ---------------------------------------------------------------- protected and damaged


ENCRYPTED = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData><EncryptionMethod '
    'Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference URI="{uri}"/>'
    "</CipherData></EncryptedData></encryption>"
)
ADEPT = '<rights><licenseToken xmlns="http://ns.adobe.com/adept"/></rights>'


@pytest.mark.parametrize(
    ("extra", "vendor"),
    [
        (
            {"META-INF/encryption.xml": ENCRYPTED.format(uri="OEBPS/a.xhtml"), "META-INF/rights.xml": ADEPT},
            "Adobe",
        ),
        ({"META-INF/rights.xml": ADEPT}, "Adobe"),
        ({"META-INF/sinf.xml": '<sinf xmlns="http://itunes.apple.com/ns/epub"/>'}, "Apple FairPlay"),
        ({"META-INF/license.lcpl": "{}"}, "Readium LCP"),
        ({"rights.xml": '<kdrm xmlns="http://kobobooks.com/drm"/>'}, "Kobo"),
        ({"META-INF/encryption.xml": ENCRYPTED.format(uri="a.xhtml")}, "unknown"),
    ],
)
def test_rights_managements_are_named(extra: dict[str, str], vendor: str, tmp_path: Path) -> None:
    cipher = bytes((n * 151 + n // 7) % 256 for n in range(3000))
    with pytest.raises(SourceError, match=vendor) as caught:
        extract_epub(make_epub(tmp_path / "b.epub", {"a.xhtml": cipher}, extra=extra), {})
    assert caught.value.kind == "drm"


def test_a_licence_in_a_readable_book_protects_nothing(tmp_path: Path) -> None:
    path = make_epub(
        tmp_path / "b.epub", {"a.xhtml": page("<p>Read me.</p>")}, extra={"META-INF/rights.xml": ADEPT}
    )
    assert texts(extract_epub(path, {})) == ["Read me."]


def test_a_document_cut_off_or_empty_is_a_part_that_was_not_read(tmp_path: Path) -> None:
    whole = page("<h1>One</h1><p>The first sentence. The second sentence.</p>")
    documents = {"a.xhtml": b"", "b.xhtml": whole[:-45], "c.xhtml": page("<p>Whole.</p>")}
    book = extract_epub(make_epub(tmp_path / "b.epub", documents), {})
    assert [(w.code, w.part, w.page) for w in book.info.warnings] == [
        ("missing_part", "OEBPS/a.xhtml", 1),
        ("missing_part", "OEBPS/b.xhtml", 2),
    ]
    assert book.info.status == "partial"
    assert texts(book)[0] == "One" and texts(book)[-1] == "Whole."


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_wide_letters_need_no_mark_of_their_order(tmp_path, encoding):
    text = '<?xml version="1.0" encoding="utf-16"?><html><body><p>Zürich — “the tower”</p></body></html>'
    document = extract_epub(make_epub(tmp_path / "b.epub", {"a.xhtml": text.encode(encoding)}), {})
    assert document.lines.column("text").to_pylist() == ["Zürich — “the tower”"]


def test_paths_from_the_root_and_with_backslashes(tmp_path):
    made = make_epub(
        tmp_path / "made.epub",
        {"text/a.xhtml": page("<p>One.</p>")},
        items='<item id="abs" href="/OEBPS/b.xhtml" media-type="application/xhtml+xml"/>',
        spine=["d0", "abs"],
        extra={"OEBPS/b.xhtml": page("<p>Two.</p>")},
    )
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(tmp_path / "b.epub", "w") as new:
        for name in old.namelist():
            entry = zipfile.ZipInfo("x")
            entry.filename = name.replace("/", "\\")
            new.writestr(entry, old.read(name))
    for path in (made, tmp_path / "b.epub"):
        assert extract_epub(path, {}).lines.column("text").to_pylist() == ["One.", "Two."]


def test_marks_in_brackets_that_lead_to_another_file_are_notes(tmp_path):
    documents = {
        "a.xhtml": page('<h1>One</h1><p>The lamp<a href="n.xhtml#n1">[1]</a> burned.</p>'),
        "n.xhtml": page('<h1>Notes</h1><ol><li id="n1">A gift of the miller.</li></ol>'),
    }
    rows = extract_epub(make_epub(tmp_path / "b.epub", documents), {}).lines.to_pylist()
    assert [row["element"] for row in rows] == ["h1", "p", "h1", "footnote"]
    assert [mark["kind"] for mark in rows[1]["marks"]] == ["noteref"]
