from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.query.answer import Reply, Segment, checked, compose, number_sources
from jung_pipeline.query.checking import check
from jung_pipeline.query.passages import Passage

BOOKS = {
    1: "The mill stood still all winter. Nobody could say who had taken the wheel [2] away.",
    2: "Salt remembers the sea, the fishwife used to say; bread forgets the field.",
    3: "On the third night the bell was not rung, and the sleepers woke of themselves.",
}


class Recorder:
    """Replies with fixed segments and counts how often it was asked."""

    def __init__(self, *segments):
        self.segments, self.asked = segments, 0

    def answer(self, question, sources):
        self.asked += 1
        return Reply(tuple(self.segments))


def sources():
    return number_sources([Passage.from_text(text, number=n) for n, text in BOOKS.items()])


@pytest.mark.parametrize(
    ("text", "valid", "flagged"),
    [
        ("So it is [1, 2].", (1, 2), ()),
        ("So it is [1][3].", (1, 3), ()),
        ("So it is [1-3].", (1, 2, 3), ()),
        ("So it is [1–2] and [ 3 ].", (1, 2, 3), ()),
        ("So it is [2; 3].", (2, 3), ()),
        ("So it is [1 and 3].", (1, 3), ()),
        ("So it is [source 2] [^3].", (2, 3), ()),
        ("So it is [2][9].", (2,), (9,)),
        ("So it is [0].", (), (0,)),
        ("In [1958] he wrote [sic] nothing [...] of it [a].", (), ()),
        ("So it is [1-400].", (1,), (400,)),
        ("None.", (), ()),
    ],
)
def test_citation_numbers_are_read_however_they_are_typed(text, valid, flagged):
    result = check(text, BOOKS)
    assert (result.citations, result.flagged_citations) == (valid, flagged)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("He took it [1] and sold it [4].", "He took it [1] and sold it."),
        ("He took it [1, 4].", "He took it [1]."),
        ("He took it [4][1].", "He took it[1]."),
        ("Nothing to see.", "Nothing to see."),
    ],
)
def test_numbers_without_a_passage_are_taken_out(text, shown):
    assert check(text, BOOKS).text == shown


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("“Salt remembers the sea” [2].", ["verbatim"]),
        ("It says “salt  remembers\nthe sea,” and more [2].", ["verbatim"]),
        ("“Salt remembers the sea” [1].", ["elsewhere"]),
        ("“Salt forgets the sea” [2].", ["not_in_passage"]),
        ("“On the third night the bell was rung” [3].", ["not_in_passage"]),
        ("“Salt remembers the sea … bread forgets” [2].", ["verbatim"]),
        ("“The mill stood still … bread forgets the field” [1][2].", ["not_in_passage"]),
        ("“The mill stood still” and “bread forgets the field” [1][2].", ["verbatim", "verbatim"]),
        ("As [2] has it, “bread forgets the field”.", ["verbatim"]),
        ("As [1] has it, “bread forgets the field”.", ["elsewhere"]),
        ("“Salt remembers the sea.” The bell is another matter [3].", ["verbatim"]),
        ("“who had taken the wheel [2] away” [1].", ["verbatim"]),
        ("“who had taken the wheel away” [1].", ["verbatim"]),
        ("“Salt remembers the sea [2].”", ["verbatim"]),
        ("The so-called “great return” is not meant.", []),
        ("The “sea” [1] is named.", ["elsewhere"]),
        ("“Salt remembers the sea” [8].", ["elsewhere"]),
        ("He says:\n\n> Salt remembers the sea,\n> the fishwife used to say [2]\n\nSo it is.", ["verbatim"]),
        ("> Salt forgets the sea [2]", ["not_in_passage"]),
    ],
)
def test_quotations_must_stand_in_the_passage_they_cite(text, verdicts):
    assert [quote.verdict for quote in check(text, BOOKS).quotes] == verdicts


def test_a_number_inside_book_text_is_no_citation_of_ours():
    result = check("“who had taken the wheel [2] away” [1].", BOOKS)
    assert result.citations == (1,)
    assert result.text == "“who had taken the wheel [2] away” [1]."


def test_a_number_typed_into_a_quotation_is_one():
    result = check("“bread forgets the field [2].”", BOOKS)
    assert result.citations == (2,)
    assert [quote.text for quote in result.quotes] == ["bread forgets the field"]


@given(st.text(alphabet='ab [],123-“”"\n.', max_size=60))
def test_any_text_can_be_checked_and_keeps_no_number_without_a_passage(text):
    once = check(text, BOOKS)
    assert check(once.text, BOOKS).flagged_citations == ()
    assert set(once.citations) <= set(BOOKS)
    assert not set(once.flagged_citations) & set(BOOKS)


def test_sources_are_numbered_in_order_of_first_use_and_quotations_keep_their_own_numbers():
    reply = "Salt [2], then “who had taken the wheel [2] away” [1]."
    answer = compose("?", sources(), Recorder(Segment(reply)))
    assert answer.text == "Salt [1], then “who had taken the wheel [2] away” [2]."
    assert [source.text for source in answer.sources] == [BOOKS[2], BOOKS[1], BOOKS[3]]
    assert answer.cited == (1, 2)
    assert [(quote.ok, quote.numbers, quote.found_in) for quote in answer.quotes] == [(True, (2,), 2)]


def test_native_and_typed_numbers_are_not_shown_twice():
    answer = compose("?", sources(), Recorder(Segment("Salt remembers [2].", (2,)), Segment(" Yes!", (3,))))
    assert answer.text == "Salt remembers [1]. Yes [2]!"


def test_an_answer_without_a_citation_is_not_grounded():
    answer = compose("?", sources(), Recorder(Segment("It is so.")))
    assert not answer.grounded
    assert [flag.kind for flag in answer.flags] == ["no_citation"]


def test_blank_passages_are_no_sources_and_nothing_is_asked():
    recorder = Recorder(Segment("never"))
    answer = compose("?", number_sources([Passage.from_text("  "), Passage.from_text("")]), recorder)
    assert (answer.status, answer.sources, recorder.asked) == ("not_found", (), 0)
    assert "do not answer" in answer.text


def test_a_blank_passage_among_others_keeps_their_numbers():
    given = number_sources([Passage.from_text("One."), Passage.from_text(" "), Passage.from_text("Three.")])
    result = checked("?", given, Reply((Segment("It says “three” [3] and more [2]."),)))
    assert (result.cited, result.flagged_citations) == ((3,), (2,))


def test_answers_are_json(tmp_path):
    import json

    answer = compose("?", sources(), Recorder(Segment("“Salt forgets the sea” [2][7].")))
    data = json.loads(json.dumps(answer.to_dict()))
    assert data["flags"][0]["kind"] == "citation_without_passage"
    assert data["sources"][0]["passage"]["text"] == BOOKS[2]
