from __future__ import annotations

import pytest

from jung_pipeline.demo.book import BOOK_KEYS, load_book, parse_book

HEADER = "---\ntitle: T\nauthor: A\n{extra}---\n\n"


def parse(body: str, extra: str = ""):
    return parse_book("t", HEADER.format(extra=extra) + body)


def test_kinds_marks_and_languages_are_read() -> None:
    book = parse(
        "# Part One: Night {part 1}\n\n# Chapter I: The Door {chapter 1}\n\n"
        'She said: "It\'s *quite* dark."[^1]\n\n[^1]: So *said*.\n\n> Set apart.\n\n|de Eins\n|de zwei\n\n| one\n| two\n'
    )
    part, chapter = book.chapters
    assert (part.kind, chapter.part, chapter.heading) == (
        "part",
        "Part One: Night",
        "Chapter I: The Door",
    )
    assert [p.kind for p in chapter.paragraphs] == ["body", "quotation", "verse", "verse"]
    assert chapter.paragraphs[0].text == "She said: “It’s quite dark.”"
    assert [n.text for n in chapter.notes] == ["So said."]
    assert chapter.paragraphs[2].text == "Eins\nzwei"
    assert [p.language for p in chapter.paragraphs] == [None, None, "de", None]


def test_numbers_run_through_the_volume_and_pass_over_foreword_and_quotations() -> None:
    book = parse(
        "# Foreword {foreword}\n\nNo number.\n\n# Lecture 1: A {lecture 1}\n\nOne.\n\n> Apart.\n\nTwo.\n\n"
        "# Lecture 2: B {lecture 2}\n\nThree.\n",
        extra="numbered: true\n",
    )
    numbers = [p.number for chapter in book.chapters for p in chapter.paragraphs]
    assert numbers == [None, 1, None, 2, 3]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("# A {preface}\n\nText.[^1]\n", "no note for mark '1'"),
        ("# A {preface}\n\nText.\n\n[^2]: N.\n", "no mark"),
    ],
)
def test_a_mark_without_its_note_and_a_note_without_its_mark_are_refused(body: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(body)


def test_an_unknown_volume_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="the-round-garden"):
        load_book("the-red-book")


@pytest.mark.parametrize("key", BOOK_KEYS)
def test_each_volume_has_what_the_later_stages_are_shown_with(key: str) -> None:
    book = load_book(key)
    assert 3_000 <= len(book.text.split()) <= 4_500
    paragraphs = [p for chapter in book.chapters for p in chapter.paragraphs]
    kinds = {p.kind for p in paragraphs}
    assert {"body", "quotation", "verse"} <= kinds
    assert any(chapter.notes for chapter in book.chapters)
    assert any("Ͱ" <= c <= "Ͽ" for c in book.text)  # Greek
