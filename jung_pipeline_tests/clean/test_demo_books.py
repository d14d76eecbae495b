"""Cleaning held against the truth: books of our own, whose every word and fault is known."""

from __future__ import annotations

import collections

import pytest
import regex

from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.cleaner import clean_volume, volume_text
from jung_pipeline.clean.replay import replay, unaccounted
from jung_pipeline.clean.structure import chapters_of
from jung_pipeline.demo.builder import build_demo_library
from jung_pipeline.extract.extractor import extract


def words(text: str) -> collections.Counter[str]:
    return collections.Counter(regex.findall(r"\p{L}+", text.lower()))


@pytest.fixture(scope="module")
def cleaned(tmp_path_factory):
    """Every demo book with what cleaning made of it, by key."""
    made = {}
    for book in build_demo_library(tmp_path_factory.mktemp("books")):
        document = extract(book.path)
        volume = Volume(key=book.key, file=book.path.name, title=book.title, language="en")
        made[book.key] = (book, document, clean_volume(document.lines, document.info, volume))
    return made


KEYS = ("the-shadow-at-the-door", "letters-from-the-night-school", "the-round-garden")


@pytest.mark.parametrize("key", KEYS)
def test_every_chapter_is_found_with_its_kind_number_and_title(cleaned, key):
    book, _, result = cleaned[key]
    found = [
        (c["kind"], c["number"], (c["title"] or "").casefold() or None)
        for c in chapters_of(result.paragraphs)
    ]
    # A preface is cited by its name alone: its title is not said twice.
    truth = [
        (c.kind, c.number, c.title.casefold() if c.number is not None else None) for c in book.book.chapters
    ]
    assert found == truth


@pytest.mark.parametrize(("key", "share"), zip(KEYS, (1.0, 0.98, 0.999), strict=True))
def test_the_words_are_those_that_were_printed(cleaned, key, share):
    """All of them in the clean books; the scan has misreadings that no evidence can mend."""
    book, _, result = cleaned[key]
    truth, found = words(book.true_text), words(volume_text(result.paragraphs))
    same = (truth & found).total()
    assert same >= share * truth.total()
    assert same >= share * found.total()


@pytest.mark.parametrize("key", KEYS)
def test_stamps_heads_and_numbers_are_gone_and_everything_is_accounted_for(cleaned, key):
    _, document, result = cleaned[key]
    text = volume_text(result.paragraphs)
    assert "copyrighted material" not in text.lower()
    assert not regex.search(r"(?<!\S)(?:\p{L} ){3,}", text), "letter-spaced words are closed up"
    assert not regex.search(r"\p{Ll}- \p{Ll}|\p{Ll}-\n", text), "no word is left broken"
    assert unaccounted(document.lines, result.paragraphs, result.ledger) == []


@pytest.mark.parametrize("key", KEYS)
def test_notes_are_linked_and_kept_out_of_the_sentences(cleaned, key):
    book, _, result = cleaned[key]
    notes = [note for chapter in book.book.chapters for note in chapter.notes]
    rows = [row for row in result.paragraphs.to_pylist() if row["kind"] == "footnote"]
    assert len(rows) == len(notes) == result.report["footnotes_linked"]
    linked = {link["paragraph"] for row in result.paragraphs.to_pylist() for link in row["note_links"]}
    assert linked == {row["paragraph"] for row in rows}


def test_the_scan_is_cited_by_its_printed_numbers(cleaned):
    """Its page numbers are only printed on the pages, and its paragraphs are numbered in the margin."""
    book, _, result = cleaned["letters-from-the-night-school"]
    numbered = [
        row["numbered_paragraph"] for row in result.paragraphs.to_pylist() if row["numbered_paragraph"]
    ]
    truth = [str(p.number) for c in book.book.chapters for p in c.paragraphs if p.number is not None]
    assert numbered == truth
    body = [row for row in result.paragraphs.to_pylist() if row["section"] == "body"]
    assert all(row["label_first"] for row in body)


def test_a_word_mended_across_a_mark_is_replayed(tmp_path):
    """Emphasis inside a broken word: the mark goes, and both halves are changed."""
    text = "CHAPTER I\n\n" + "He spoke of consciousness and of the unconscious. " * 30
    path = tmp_path / "b.txt"
    path.write_text(
        text + "\n\nIt was one of _con_-sciousness, he said, thinking its own existence.\n", encoding="utf-8"
    )
    document = extract(path)
    result = clean_volume(
        document.lines, document.info, Volume(key="b", file="b.txt", title="B", language="en")
    )
    assert (
        replay(document.lines, result.paragraphs, result.ledger)
        == result.paragraphs.column("text").to_pylist()
    )
    assert "one of consciousness, he said" in volume_text(result.paragraphs)
