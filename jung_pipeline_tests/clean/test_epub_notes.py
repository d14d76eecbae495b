"""Notes of EPUBs in all the ways that files have them, from the file to the cleaned text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jung_pipeline.clean.cleaner import CleanedVolume
from jung_pipeline.clean.structure import chapters_of
from jung_pipeline.extract.extractor import extract
from jung_pipeline_tests.extract.epub_maker import make_epub, page

from .helpers import checked

PROSE = (
    "It was a long winter and the people of the village told one another the old stories by the fire, as they "
    "had always done when the snow lay deep. Nobody knew who had first told them. "
)


def cleaned(path: Path) -> CleanedVolume:
    book = extract(path)
    return checked(book.lines, book.info)


def notes(volume: CleanedVolume) -> list[tuple[Any, ...]]:
    """(chapter, mark, text) of every row of a note."""
    rows = volume.paragraphs.to_pylist()
    return [(r["chapter"], r["note_mark"], r["text"]) for r in rows if r["kind"] == "footnote"]


def links(volume: CleanedVolume) -> list[tuple[str, str | None]]:
    """(mark, text of the note's first row) of every link, in order."""
    rows = volume.paragraphs.to_pylist()
    found = [link for row in rows for link in row["note_links"]]
    return [(k["mark"], None if k["paragraph"] is None else rows[k["paragraph"]]["text"]) for k in found]


def ref(number: int, target: str = "") -> str:
    return f'<a epub:type="noteref" id="r{number}" href="{target}#n{number}">{number}</a>'


def two_notes(markup: str) -> str:
    return page(f"<h1>Chapter I</h1><p>{PROSE}{ref(1)} Then{ref(2)}.</p>{markup}<p>{PROSE}</p>")


@pytest.mark.parametrize(
    "markup",
    [
        '<aside epub:type="footnote" id="n1"><p>1 One.</p></aside><aside epub:type="footnote" id="n2"><p>2 Two.</p>'
        "<p>It goes on.</p></aside>",
        '<ol><li id="n1"><p>One.</p></li><li id="n2"><p>Two.</p><p>It goes on.</p></li></ol>',
        '<table><tr><td id="n1"><a href="#r1">1</a></td><td>One.</td></tr><tr id="n2"><td><a href="#r2">2</a></td>'
        "<td>Two.<br/>It goes on.</td></tr></table>",
        '<dl><dt id="n1">[<a href="#r1">1</a>]</dt><dd>One.</dd><dt id="n2">[<a href="#r2">2</a>]</dt>'
        "<dd>Two.<br/>It goes on.</dd></dl>",
        '<div class="n" id="n1"><p><a href="#r1">1</a> One.</p></div><div id="n2"><p><a href="#r2">2</a> Two.</p>'
        "<p>It goes on.</p></div>",
    ],
)
def test_a_note_is_whole_and_has_the_mark_of_its_anchor(markup: str, tmp_path: Path) -> None:
    volume = cleaned(make_epub(tmp_path / "b.epub", {"a.xhtml": two_notes(markup)}))
    whole: dict[str, list[str]] = {}
    for _, mark, text in notes(volume):
        whole.setdefault(mark, []).extend(text.split())
    assert whole == {"1": ["One."], "2": ["Two.", "It", "goes", "on."]}
    assert [mark for mark, _ in links(volume)] == ["1", "2"]
    body = [r["text"] for r in volume.paragraphs.to_pylist() if r["kind"] != "footnote"]
    assert body[1:] == [f"{PROSE}Then.", PROSE.strip()]


def test_endnotes_under_the_names_of_their_chapters_open_no_chapters(tmp_path: Path) -> None:
    chapters = {
        f"c{n}.xhtml": page(f"<h1>Chapter {n}</h1><p>{PROSE}{ref(n, 'notes.xhtml')}</p><p>{PROSE}</p>")
        for n in (1, 2)
    }
    gathered = "".join(
        f'<h2>Chapter {n}</h2><ol><li id="n{n}"><p>Note {n}.</p><p>More.</p></li></ol>' for n in (1, 2)
    )
    for section in ("<section epub:type='endnotes'>", "<section>"):
        end = page(f"{section}<h1>Notes</h1>{gathered}</section>")
        volume = cleaned(make_epub(tmp_path / "b.epub", {**chapters, "notes.xhtml": end}))
        assert notes(volume) == [
            ("Chapter 1", "1", "Note 1."),
            ("Chapter 1", "1", "More."),
            ("Chapter 2", "2", "Note 2."),
            ("Chapter 2", "2", "More."),
        ]
        headings = [r["text"] for r in volume.paragraphs.to_pylist() if r["kind"] == "heading"]
        assert headings == ["Chapter 1", "Chapter 2"]
        assert set(volume.paragraphs["chapter_index"].to_pylist()) == {0, 1}


def test_a_note_to_a_heading_does_not_take_the_heading_away(tmp_path: Path) -> None:
    body = (
        f"<h1>Chapter I{ref(1)}</h1><aside epub:type='footnote' id='n1'><p>1 To the title.</p></aside>"
        f"<h2>The winter</h2><p>{PROSE}</p>"
    )
    volume = cleaned(make_epub(tmp_path / "b.epub", {"a.xhtml": page(body)}))
    rows = volume.paragraphs.to_pylist()
    assert [r["text"] for r in rows if r["kind"] == "heading"] == ["Chapter I", "The winter"]


def test_a_note_to_a_note_follows_it(tmp_path: Path) -> None:
    inner = f"<p>1 Outer{ref(2)} note.</p><aside epub:type='footnote' id='n2'><p>2 Inner note.</p></aside>"
    body = f"<h1>Chapter I</h1><p>{PROSE}{ref(1)}</p><aside epub:type='footnote' id='n1'>{inner}</aside><p>{PROSE}</p>"
    volume = cleaned(make_epub(tmp_path / "b.epub", {"a.xhtml": page(body)}))
    assert [text for _, _, text in notes(volume)] == ["Outer note.", "Inner note."]
    assert links(volume) == [("1", "Outer note."), ("2", "Inner note.")]


def test_two_marks_may_lead_to_one_note(tmp_path: Path) -> None:
    again = "<a epub:type='noteref' href='#n1'>1</a>"
    body = f"<h1>Chapter I</h1><p>{PROSE}{ref(1)} and again{again}.</p><aside epub:type='footnote' id='n1'><p>1 One.</p></aside>"
    volume = cleaned(make_epub(tmp_path / "b.epub", {"a.xhtml": page(body)}))
    assert links(volume) == [("1", "One."), ("1", "One.")]


def test_a_prefix_that_is_not_declared_is_understood(tmp_path: Path) -> None:
    text = two_notes(
        '<aside epub:type="footnote" id="n1"><p>1 One.</p></aside><aside epub:type="footnote" id="n2"><p>2 Two.</p></aside>'
    ).replace('xmlns:epub="http://www.idpf.org/2007/ops"', "")
    assert "xmlns:epub" not in text
    volume = cleaned(make_epub(tmp_path / "b.epub", {"a.xhtml": text}))
    assert [(mark, text) for _, mark, text in notes(volume)] == [("1", "One."), ("2", "Two.")]


NOTED = [
    f"<h2>CHAPTER I</h2><p>{PROSE}<sup>1</sup> Then<sup>2</sup>.</p>",
    f"<h2>CHAPTER II</h2><p>{PROSE}<sup>1</sup></p>",
    f"<h2>CHAPTER III</h2><p>{PROSE}</p>",
]
FIRST, SECOND = "<p>1. First note.</p><p>2. Second note.</p>", "<p>1. Third note.</p>"


@pytest.mark.parametrize(
    "body",
    [
        f"{NOTED[0]}<h4>NOTES</h4>{FIRST}{NOTED[1]}<h4>NOTES</h4>{SECOND}{NOTED[2]}",
        f"{''.join(NOTED)}<h2>NOTES</h2><h3>Chapter I</h3>{FIRST}<h3>Chapter II</h3>{SECOND}",
    ],
)
def test_marks_that_every_chapter_has_anew_lead_to_its_own_notes(body: str, tmp_path: Path) -> None:
    volume = cleaned(make_epub(tmp_path / "b.epub", {"a.xhtml": page(body)}))
    assert links(volume) == [("1", "First note."), ("2", "Second note."), ("1", "Third note.")]
    assert [chapter for chapter, _, _ in notes(volume)] == ["Chapter I", "Chapter I", "Chapter II"]
    headings = [r["text"] for r in volume.paragraphs.to_pylist() if r["kind"] == "heading"]
    assert headings == ["CHAPTER I", "CHAPTER II", "CHAPTER III"]


def test_a_mark_without_a_note_in_its_chapter_is_not_given_another_chapters(tmp_path: Path) -> None:
    body = f"{NOTED[0]}<h4>NOTES</h4>{FIRST}{NOTED[1]}<h4>NOTES</h4>{SECOND}<h2>CHAPTER III</h2><p>{PROSE}<sup>1</sup></p>"
    volume = cleaned(make_epub(tmp_path / "b.epub", {"a.xhtml": page(body)}))
    assert links(volume)[-1] == ("1", None)


def test_raised_asterisks_without_links_pair_with_the_notes_they_lead(tmp_path: Path) -> None:
    body = page("<p>The king<sup>*</sup> slept.</p><p>He woke.</p><p><sup>*</sup> Not the old one.</p>")
    book = cleaned(make_epub(tmp_path / "b.epub", {"a.xhtml": body}))
    rows = book.paragraphs.select(["kind", "text", "note_mark"]).to_pylist()
    assert [(row["kind"], row["text"]) for row in rows] == [
        ("body", "The king slept."),
        ("body", "He woke."),
        ("footnote", "Not the old one."),
    ]
    assert rows[-1]["note_mark"] == "*"
    assert len(book.paragraphs.column("note_links").to_pylist()[0]) == 1


def test_headings_under_parts_are_chapters(tmp_path: Path) -> None:
    text = "<p>" + "The rain came late that year and the river stayed low. " * 12 + "</p>"
    body = "".join(
        f"<h1>PART {part}</h1>" + "".join(f"<h2>{title}</h2>{text}" for title in titles)
        for part, titles in (("ONE", ("The Hill", "The Sea")), ("TWO", ("The Sky",)))
    )
    book = cleaned(make_epub(tmp_path / "b.epub", {"a.xhtml": page(body)}))
    chapters = [(one["kind"], one["title"]) for one in chapters_of(book.paragraphs)]
    assert chapters == [
        ("part", None),
        ("chapter", "The Hill"),
        ("chapter", "The Sea"),
        ("part", None),
        ("chapter", "The Sky"),
    ]
