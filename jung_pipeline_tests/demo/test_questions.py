from __future__ import annotations

from jung_pipeline.demo.book import BOOK_KEYS, load_book
from jung_pipeline.demo.questions import (
    GoldenQuestion,
    UnanswerableQuestion,
    demo_questions,
    golden_questions,
    unanswerable_questions,
)


def test_every_answer_stands_once_in_the_library_in_its_chapter() -> None:
    everything = "\n\n".join(load_book(key).text for key in BOOK_KEYS)
    assert len(golden_questions()) >= 12
    for question in golden_questions():
        assert everything.count(question.span) == 1, question.id
        chapter = next(c for c in load_book(question.volume).chapters if c.heading == question.chapter)
        texts = [p.text for p in chapter.paragraphs] + [n.text for n in chapter.notes]
        assert any(question.span in text for text in texts), question.id
        assert 8 <= len(question.span.split()) <= 25, question.id


def test_every_volume_is_asked_about() -> None:
    assert {question.volume for question in golden_questions()} == set(BOOK_KEYS)


def test_nothing_in_the_library_speaks_of_what_the_unanswerable_questions_ask() -> None:
    everything = "\n\n".join(load_book(key).text for key in BOOK_KEYS).casefold()
    assert len(unanswerable_questions()) >= 8
    for question in unanswerable_questions():
        assert not [term for term in question.absent_terms if term in everything], question.id


def test_the_demo_asks_two_volumes_and_one_question_outside() -> None:
    first, second, outside = demo_questions()
    assert isinstance(first, GoldenQuestion)
    assert isinstance(second, GoldenQuestion)
    assert first.volume != second.volume
    assert isinstance(outside, UnanswerableQuestion)
    assert outside.kind == "off_topic"


def test_ids_are_unique() -> None:
    ids = [question.id for question in (*golden_questions(), *unanswerable_questions())]
    assert len(ids) == len(set(ids))
