"""Verse, quotations and preformatted text of HTML, from the file to the cleaned text."""

from __future__ import annotations

import textwrap

import pytest

from jung_pipeline.extract.html_bs4 import extract_html

from .helpers import checked

PROSE = (
    "It was a long winter and the people of the village told one another the old stories by the fire, as they had "
    "always done when the snow lay deep. Nobody knew who had first told them, but everyone knew how they ended."
)


def kinds(markup: str) -> list[tuple[str, str]]:
    book = extract_html(
        f"<html><body><p>{PROSE}</p>{markup}<p>{PROSE}</p></body></html>".encode(), "b.html", {}
    )
    rows = checked(book.lines, book.info).paragraphs.to_pylist()
    assert rows[0]["text"] == rows[-1]["text"] == PROSE
    return [(row["kind"], row["text"]) for row in rows[1:-1]]


@pytest.mark.parametrize(
    "markup",
    [
        "<blockquote>In the deep wood<br/>the old stag stood</blockquote>",
        "<blockquote><p>In the deep wood<br/>the old stag stood</p></blockquote>",
        "<pre>In the deep wood\n   the old stag stood</pre>",
        "<div class='poem'><p>In the deep wood</p><p>the old stag stood</p></div>",
        "<div class='poem'><div class='stanza'><span>In the deep wood</span><br/>the old stag stood</div></div>",
    ],
)
def test_verse_keeps_its_lines(markup: str) -> None:
    assert kinds(markup) == [("verse", "In the deep wood\nthe old stag stood")]


def test_stanzas_are_paragraphs() -> None:
    found = kinds("<div class='poem'><p>One,<br/>two,</p><p>three,<br/>four</p></div>")
    assert found == [("verse", "One,\ntwo,"), ("verse", "three,\nfour")]


def test_a_quotation_in_prose_is_no_verse_for_a_break_in_it() -> None:
    assert kinds(f"<blockquote>{PROSE}<br/>{PROSE}</blockquote>") == [("quotation", f"{PROSE} {PROSE}")]


def test_a_text_file_in_a_pre_is_prose_and_its_verse_verse() -> None:
    text = f"{textwrap.fill(PROSE, 68)}\n\n{textwrap.fill(PROSE, 60)}\n\n  The night is old,\n  The wind is cold,\n"
    assert kinds(f"<pre>{text}</pre>") == [
        ("body", PROSE),
        ("body", PROSE),
        ("verse", "The night is old,\nThe wind is cold,"),
    ]
