from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.errors import SourceError
from jung_pipeline.extract.document import ExtractedDocument
from jung_pipeline.extract.html_bs4 import extract_html
from jung_pipeline.schemas import RAW_TEXT

CORPUS = Path(
    os.environ.get("JUNG_CORPUS_DIR", str(Path(__file__).resolve().parents[2].parent / "shared/corpus"))
)


def read(markup: str | bytes) -> ExtractedDocument:
    return extract_html(markup if isinstance(markup, bytes) else markup.encode(), "book.htm", {})


def rows(markup: str | bytes) -> list[dict[str, Any]]:
    return read(markup).lines.to_pylist()


def xhtml(body: str) -> str:
    return (
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        f"<head><title>t</title></head><body>{body}</body></html>"
    )


def shape(markup: str | bytes) -> list[tuple[str, str]]:
    return [(r["element"], r["text"]) for r in rows(markup)]


def marks(row: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    return [(m["kind"], row["text"][m["start"] : m["end"]], m["target"]) for m in row["marks"]]


# ---------------------------------------------------------------- text


def test_inline_tags_never_break_a_word_and_blocks_always_do() -> None:
    assert shape(
        xhtml(
            "bare<p>un<em>der</em>st<b>o</b>od\n  it</p><div>one</div><div>two</div><ul><li>a</li><li>b</li></ul>"
        )
    ) == [("p", "bare"), ("p", "understood it"), ("p", "one"), ("p", "two"), ("li", "a"), ("li", "b")]


def test_line_breaks_divide_the_lines_of_a_block() -> None:
    first, second, third = rows(xhtml("<h2>The<br/>Long <br/> Night</h2>"))
    assert [r["text"] for r in (first, second, third)] == ["The", "Long", "Night"]
    assert {r["block"] for r in (first, second, third)} == {0}
    assert [r["line"] for r in (first, second, third)] == [0, 1, 2]


def test_two_line_breaks_make_a_paragraph() -> None:
    assert [(r["block"], r["text"]) for r in rows("<body>one<br>two<br><br>three")] == [
        (0, "one"),
        (0, "two"),
        (1, "three"),
    ]


def test_what_is_no_text_stays_out() -> None:
    markup = (
        "<html><head><title>Head</title><style>p{}</style></head><body><script>var x;</script><!-- remark -->"
        "<nav><ol><li><a href='#a'>Way</a></li></ol></nav><p hidden>no</p><p style='display: none'>no</p>"
        "<p>yes</p><template><p>no</p></template></body></html>"
    )
    assert shape(markup) == [("p", "yes")]


def test_hidden_notes_are_text_all_the_same() -> None:
    assert shape(xhtml('<aside epub:type="footnote" hidden="hidden" id="n"><p>The note</p></aside>')) == [
        ("footnote", "The note")
    ]


def test_preformatted_text_keeps_its_blanks() -> None:
    assert [(r["block"], r["text"]) for r in rows("<pre>  a  b\n\n    c</pre>")] == [
        (0, "  a  b"),
        (1, "    c"),
    ]


def test_no_break_spaces_stay() -> None:
    assert shape("<p>a&nbsp;&nbsp;b</p>") == [("p", "a\u00a0\u00a0b")]


def test_table_rows() -> None:
    markup = (
        "<table><caption>Words</caption><tr><th>Stimulus</th><th>s</th></tr><tr><td>head</td><td></td><td>1.4</td>"
        "</tr><tr><td>a<br>b</td><td>c</td></tr></table>"
    )
    assert shape(markup) == [
        ("caption", "Words"),
        ("tr", "Stimulus\ts"),
        ("tr", "head\t\t1.4"),
        ("td", "a"),
        ("td", "b"),
        ("td", "c"),
    ]


def test_marks_move_with_the_cells_of_a_joined_row() -> None:
    (row,) = rows("<table><tr><td>one</td><td>a <i>word</i> more</td></tr></table>")
    assert marks(row) == [("italic", "word", None)]


def test_unclosed_tags_lose_nothing() -> None:
    assert shape("<ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3</table><p>x<p>y") == [
        ("li", "a"),
        ("li", "b"),
        ("tr", "1\t2"),
        ("tr", "3"),
        ("p", "x"),
        ("p", "y"),
    ]


def test_self_closed_title_does_not_swallow_the_book() -> None:
    assert shape("<title/><body><p>soup & text") == [("p", "soup & text")]
    assert shape(xhtml("<p>x</p>").replace("<title>t</title>", "<title/>")) == [("p", "x")]


def test_picture_of_an_initial_is_its_letter() -> None:
    assert shape('<p><img src="t.png" alt="T">HE cat</p>') == [("p", "THE cat")]
    assert shape('<p><img src="cat.png" alt="A cat">The cat</p>') == [("p", "The cat")]


WORDS = st.text(alphabet="abcdeäß—’", min_size=1, max_size=6)
INLINE = st.sampled_from(["i", "em", "b", "span", "sup", "cite", "small"])
BLOCK = st.sampled_from(["p", "div", "blockquote", "h2", "li", "td", "section", "pre"])


@given(st.lists(st.tuples(BLOCK, st.lists(st.tuples(INLINE, WORDS), min_size=1, max_size=4)), max_size=5))
def test_letters_come_out_in_order_and_blocks_apart(blocks: list[tuple[str, list[tuple[str, str]]]]) -> None:
    body = "".join(
        f"<{block}>{''.join(f'<{tag}>{word}</{tag}>' for tag, word in parts)}</{block}>"
        for block, parts in blocks
    )
    expected = ["".join(word for _, word in parts) for _, parts in blocks]
    for markup in (f"<body>{body}</body>", xhtml(body)):
        document = read(markup)
        assert document.lines.schema.remove_metadata() == RAW_TEXT
        got = [r["text"].split("\t") for r in document.lines.to_pylist()]
        assert [text for texts in got for text in texts] == expected
        for row in document.lines.to_pylist():
            assert all(0 <= m["start"] <= m["end"] <= len(row["text"]) for m in row["marks"])


@given(st.text(alphabet="<>/abp=\"' &;!-\n", max_size=60))
def test_no_markup_makes_it_fail(noise: str) -> None:
    document = read("<p>start</p>" + noise)
    assert document.lines.column("text")[0].as_py().startswith("start")


def test_deep_nesting_is_read() -> None:
    assert shape("<div>" * 3000 + "deep" + "</div>" * 3000) == [("p", "deep")]


# ---------------------------------------------------------------- roles


@pytest.mark.parametrize(
    ("markup", "element"),
    [
        ('<div class="poem"><div class="stanza"><span class="i2">x</span></div></div>', "verse"),
        ('<section epub:type="z3998:poem"><p>x</p></section>', "verse"),
        ("<blockquote><p>x</p></blockquote>", "blockquote"),
        ('<div class="blockquot"><p>x</p></div>', "blockquote"),
        ('<div role="doc-epigraph"><p>x</p></div>', "blockquote"),
        ('<section epub:type="titlepage"><h1>x</h1></section>', "title"),
        ('<ul class="index"><li>x</li></ul>', "index"),
        ('<section role="doc-bibliography"><p>x</p></section>', "bibliography"),
        ('<div class="toc"><p>x</p></div>', "toc"),
        ('<section epub:type="copyright-page"><p>x</p></section>', "copyright"),
        ('<div class="transnote"><h3>x</h3></div>', "transcriber_note"),
        ('<div class="footnote"><p>x</p></div>', "footnote"),
        ('<li role="doc-endnote">x</li>', "footnote"),
        ('<section epub:type="endnotes"><h2>x</h2></section>', "h2"),
        ("<figure><figcaption>x</figcaption></figure>", "figcaption"),
        ("<dl><dt>x</dt></dl>", "dt"),
        ('<section epub:type="preface"><p>x</p></section>', "p"),
        ('<p class="center">x</p>', "p"),
    ],
)
def test_roles(markup: str, element: str) -> None:
    assert shape(xhtml(markup)) == [(element, "x")]


def test_margin_note_follows_its_paragraph_without_cutting_it() -> None:
    got = rows('<p>The soul <span class="sidenote">Of the soul</span>is old<br>and wise.</p>')
    assert [(r["element"], r["text"]) for r in got] == [
        ("p", "The soul is old"),
        ("p", "and wise."),
        ("sidenote", "Of the soul"),
    ]
    assert got[0]["block"] == got[1]["block"] != got[2]["block"]


def test_headings_around_sections_of_docbook_are_no_title_pages() -> None:
    part = '<div class="titlepage"><h2>Part {}</h2></div><p>text</p>'
    assert {e for e, _ in shape(xhtml("".join(part.format(n) for n in range(9))))} == {"h2", "p"}


# ---------------------------------------------------------------- notes


def note_links(markup: str) -> tuple[list[tuple[str, str | None]], dict[str, list[str]]]:
    """Marks in the text with their targets, and the rows of each note."""
    found, notes = [], {}
    for row in rows(markup):
        found += [(text, target) for kind, text, target in marks(row) if kind == "noteref"]
        if row["element"] == "footnote":
            notes.setdefault(row["element_id"], []).append(row["text"])
    return found, notes


@pytest.mark.parametrize(
    ("reference", "note"),
    [
        (
            '<a epub:type="noteref" href="#n1">1</a>',
            '<aside epub:type="footnote" id="n1"><p>1 So.</p></aside>',
        ),
        ('<sup><a href="#n1">1</a></sup>', '<div role="doc-footnote" id="n1"><p>1 So.</p></div>'),
        (
            '<a id="r1"></a><a href="#n1" class="fnanchor">1</a>',
            '<div class="footnote"><p><a id="n1"></a><a href="#r1"><span class="label">1</span></a> So.</p></div>',
        ),
        ('<a href="#n1" id="r1"><sup>1</sup></a>', '<p id="n1"><a href="#r1">1</a> So.</p>'),
        ('<a href="#n1" id="r1">1</a>', '<p><a id="n1" href="#r1">1</a> So.</p>'),
    ],
)
def test_note_marks_of_all_makers(reference: str, note: str) -> None:
    text = xhtml(f"<p>The lamp{reference} burned.</p><p>It was brass.</p>{note}")
    found, notes = note_links(text)
    assert found == [("1", "book.htm#n1")]
    assert notes == {"book.htm#n1": ["1 So."]}
    assert [r["text"] for r in rows(text)][:2] == ["The lamp1 burned.", "It was brass."]


def test_brackets_belong_to_the_mark() -> None:
    text = xhtml(
        '<p>Word<sup>[<a id="i" href="#f" class="footnote">1</a>]</sup>.</p><div class="footnote"><p>'
        '<sup>[<a id="f" href="#i">1</a>]</sup> So.</p></div>'
    )
    assert note_links(text) == ([("[1]", "book.htm#f")], {"book.htm#f": ["[1] So."]})
    assert ("backlink", "[1]", "book.htm#i") in marks(rows(text)[1])


def test_every_paragraph_of_a_note_is_of_that_note() -> None:
    text = xhtml(
        '<p>A<sup><a href="#n1">1</a></sup> B<sup><a href="#n2">2</a></sup></p><div class="footnotes"><ol>'
        '<li id="n1"><p>One.</p><p>More.</p></li><li id="n2"><p>Two.</p></li></ol></div><h2>Next</h2><p>Body.</p>'
    )
    assert note_links(text)[1] == {"book.htm#n1": ["One.", "More."], "book.htm#n2": ["Two."]}
    assert shape(text)[-2:] == [("h2", "Next"), ("p", "Body.")]


def test_text_between_two_notes_stays_text() -> None:
    note = '<p><a id="n{0}" href="#r{0}">{0}</a> Note.</p>'
    text = "".join(
        f'<p>Text<a id="r{n}" href="#n{n}"><sup>{n}</sup></a> goes on.</p>' + note.format(n) for n in (1, 2)
    )
    assert [e for e, _ in shape(xhtml(text))] == ["p", "footnote", "p", "footnote"]


def test_raised_letters_that_are_text() -> None:
    (row,) = rows("<p>the 19<sup>th</sup> century, H<sub>2</sub>O</p>")
    assert row["text"] == "the 19th century, H2O"
    assert marks(row) == [("superscript", "th", None), ("subscript", "2", None)]


def test_page_references_of_an_index_are_no_notes() -> None:
    text = xhtml(
        '<p><a id="p12"></a>Anima is named.</p><ul class="index"><li>Anima, <a href="#p12">12</a></li></ul>'
    )
    assert not [m for r in rows(text) for m in marks(r) if m[0] in ("noteref", "backlink")]


# ---------------------------------------------------------------- printed pages


@pytest.mark.parametrize(
    ("mark", "visible"),
    [
        ('<span epub:type="pagebreak" id="x" title="12"/>', ""),
        ('<span role="doc-pagebreak" aria-label="12"/>', ""),
        ('<a id="Page_12"/>', ""),
        ('<span class="pagenum"><a id="Page_12">[Pg 12]</a></span>', "[Pg 12]"),
        ('<span class="pagenum"><a name="Page_12"></a></span>', ""),
        ('<span class="pageno" id="Page_012">12</span>', "12"),
        ('<a id="page_12"/><span class="pagenum">{12}</span>', "{12}"),
    ],
)
def test_printed_pages_of_all_makers(mark: str, visible: str) -> None:
    first, second = rows(xhtml(f"<p>He stood{mark} up.</p><p>Then sat.</p>"))
    assert marks(first)[-1] == ("pagebreak", visible, "12")
    assert [k for k, _, _ in marks(first)].count("pagebreak") == 1
    assert first["text"].replace(visible, "", 1) == "He stood up."
    assert (first["page_label"], second["page_label"]) == (None, "12")


def test_page_number_between_paragraphs() -> None:
    got = rows(
        xhtml(
            '<p>a</p><p><span class="pagenum">[Pg 5]</span></p><p>b</p><div class="pagenum">6</div><p>c</p>'
        )
    )
    assert [(r["element"], r["page_label"]) for r in got] == [
        ("p", None),
        ("pagebreak", "5"),
        ("p", "5"),
        ("pagebreak", "6"),
        ("p", "6"),
    ]


def test_invisible_page_number_between_paragraphs_waits_for_the_next_row() -> None:
    _, second = rows(xhtml('<p>a</p><div epub:type="pagebreak" id="pg7" title="7"></div><p>b</p>'))
    assert second["page_label"] == "7"
    assert marks(second) == [("pagebreak", "", "7")]


def test_a_page_class_around_the_text_is_no_page_number() -> None:
    assert shape('<div class="page"><p>words</p></div><p class="pagebreak">Chapter</p>') == [
        ("p", "words"),
        ("p", "Chapter"),
    ]


# ---------------------------------------------------------------- style, structure, metadata


def test_italic_bold_and_letter_spacing() -> None:
    first, second = rows('<p>a <i>b <b>c</b></i> <em class="gesperrt">d</em></p><p><i>all of it</i></p>')
    assert marks(first) == [("italic", "b c", None), ("bold", "c", None)]
    assert first["italic"] is None
    assert second["italic"] is True


def test_ids_that_links_point_to_are_kept() -> None:
    first, second = rows(
        '<p id="a">See <a href="#here">there</a>.</p><p>x <b id="here">y</b> <b id="idle">z</b></p>'
    )
    assert first["element_id"] == "book.htm#a"
    assert [m for m in marks(second) if m[0] == "anchor"] == [("anchor", "", "book.htm#here")]


def test_outline_from_headings() -> None:
    outline = read(
        '<h2 id="c">I<br>The Jar<a class="fnanchor" href="#f">[1]</a></h2><h4>Inner</h4>'
    ).info.outline
    assert [(e.level, e.title, e.target) for e in outline] == [
        (1, "I The Jar", "book.htm#c"),
        (2, "Inner", None),
    ]


def test_metadata_of_the_head() -> None:
    markup = '<html lang="de-CH"><head><title>Der Krug</title><meta name="author" content="A. B."></head><body><p>x'
    assert read(markup).info.metadata == {"title": "Der Krug", "author": "A. B.", "language": "de"}


def test_dates_of_the_head() -> None:
    head = '<title>Der Krug</title><meta name="DC.date" content="2009-01-01">'
    assert read(f"<html><head>{head}</head><body><p>x").info.metadata == {"title": "Der Krug"}
    issued = '<meta name="dcterms.issued" content="1931"><meta content="C. D." name="author">'
    metadata = read(
        f'<html><head>{head}{issued}<meta name="author" content="A. B."></head><p>x'
    ).info.metadata
    assert metadata == {"title": "Der Krug", "author": "C. D.; A. B.", "year": 1931}
    gutenberg = f"<title>The Project Gutenberg eBook of Der Krug, by A. B.</title>{issued}"
    assert "year" not in read(f"<html><head>{gutenberg}</head><body><p>x").info.metadata


def test_gutenberg_header_licence_and_credits() -> None:
    markup = (
        "<title>The Project Gutenberg eBook of The Jar, by A. Potter.</title><pre>\nThe Project Gutenberg EBook of "
        "The Jar, by A. Potter\n\nTitle: The Jar\n\nAuthor: A. Potter\n\nTranslator: T. Lator\n\n"
        "Release Date: May 1, 2008\n\nLanguage: German\n\n*** START OF THIS PROJECT GUTENBERG EBOOK THE JAR ***\n\n"
        "Produced by Somebody\n</pre><h1>THE JAR</h1><p>Text.</p><div class='transnote'>Typos mended.</div>"
        "<pre>End of the Project Gutenberg EBook of The Jar\n\n*** END OF THIS PROJECT GUTENBERG EBOOK THE JAR ***\n"
        "Section 1. Terms</pre>"
    )
    book = read(markup)
    kept = [e for e, _ in shape(markup) if e != "gutenberg_licence"]
    assert kept == ["h1", "p", "transcriber_note"]
    assert shape(markup)[-1] == ("gutenberg_licence", "Section 1. Terms")
    assert book.info.metadata == {
        "title": "The Jar",
        "author": "A. Potter",
        "translator": "T. Lator",
        "language": "de",
    }


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b" \n", "empty_file"), (b"%PDF-1.4 x", "not_this_format"), (b"only words", "not_this_format")],
)
def test_refusals(data: bytes, kind: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(data)
    assert caught.value.kind == kind
    assert "book.htm" in str(caught.value)


@pytest.mark.corpus
def test_pages_and_notes_of_a_real_book() -> None:
    path = CORPUS / "books" / "jung-collected-papers-1920-pg48225.htm"
    if not path.exists():
        pytest.skip("the book is not there; set JUNG_CORPUS_DIR")
    book = extract_html(path.read_bytes(), path.name, {})
    found = book.lines.to_pylist()
    pages = [m["target"] for r in found for m in r["marks"] if m["kind"] == "pagebreak"]
    arabic = [int(p) for p in pages if p.isdigit()]
    assert arabic == sorted(arabic) and arabic[-1] > 480
    wanted = [m["target"] for r in found for m in r["marks"] if m["kind"] == "noteref"]
    notes = {r["element_id"] for r in found if r["element"] == "footnote"}
    assert len(wanted) == 257 and set(wanted) == notes
    assert book.info.metadata["author"] == "C. G. Jung"
