"""What readers report of plain text handed over page by page: each a kind, with the text that they expect."""

from __future__ import annotations

import pytest

from jung_pipeline.clean.structure import chapters_of, paragraphs_from_text
from jung_pipeline.text.sentences import sentence_spans
from jung_pipeline_tests.clean.helpers import text_of as _text


def test_a_note_that_interrupts_a_sentence_needs_no_mark_in_the_text():
    for mark in ("12", "12.", "(12)", "[12]", "_____\n12."):
        text = _text(
            f"She dreamed of an egg that would not\n{mark} First told in the seminar of that winter.",
            "open until she named it aloud.\n\nThe egg was gold.",
        )
        assert "an egg that would not open until she named it aloud." in text
        assert "First told in the seminar of that winter." in text


def test_a_numbered_line_in_the_flow_of_a_page_is_no_note():
    text = _text("He gave three rules:\n1. Be silent and\n2. Be patient and", "3. Be gone.")
    assert text == "He gave three rules: 1. Be silent and 2. Be patient and 3. Be gone."


def test_asterisks_and_daggers_hang_on_words_and_lead_notes():
    text = _text("The king* slept and his son† woke. They ate.\n\n* Not the old one.\n† The prince.")
    assert text.startswith("The king slept and his son woke. They ate.")
    assert "Not the old one." in text and "*" not in text and "†" not in text


def test_points_of_a_list_are_no_notes():
    pages = "He owned* little:\n\n* a bed, he said\n\n* a lamp, he said\n\n* a chair, he said"
    assert _text(pages).count("*") == 4


def test_page_numbers_inside_sentences_go_but_years_and_editors_brackets_stay():
    text = _text(
        "The old king [165] slept and [166] his son woke. It was in [1912] that he [sic] wrote it. He [the king] died."
    )
    assert (
        text
        == "The old king slept and his son woke. It was in [1912] that he [sic] wrote it. He [the king] died."
    )


def test_references_to_paragraphs_in_brackets_stay():
    text = "As he said (see par. [165] above) the dream, cf. [166] below, was his own."
    assert _text(text) == text


def test_paragraph_numbers_in_the_margin_of_a_short_text():
    text = _text(
        "412 The old king slept in the tower.\n\n413 His son woke and went away.\n\n414 He never came back."
    )
    assert text == "The old king slept in the tower. His son woke and went away. He never came back."


def test_formulas_keep_their_powers_and_ranges_of_note_marks_go_whole():
    assert _text("Energy E=mc² and E = mc² and F=ma² hold.") == "Energy E=mc² and E = mc² and F=ma² hold."
    assert _text("The myth³⁻⁵ is old.¹,² It was 2½ hours.") == "The myth is old. It was 2½ hours."


def test_misread_page_numbers_are_page_numbers():
    pages = [
        "The lamp burned low while he\nl2",
        "searched the attic for a box.\n13",
        "No letter lay inside it. He\nI4",
        "closed the lid and wept.\n1S",
    ]
    expected = "The lamp burned low while he searched the attic for a box. No letter lay inside it. He closed the lid and wept."
    assert _text(*pages) == expected


@pytest.mark.parametrize(
    "stamp",
    [
        "Original from\nUNIVERSITY OF MICHIGAN",
        "Generated on 2019-03-02 09:14 GMT / https://hdl.handle.net/2027/x",
        "Author, A. N.. The Clock House, Press, 2010. ProQuest Ebook Central, http://ebookcentral.proquest.com/lib/x/detail.action?docID=1.",
        "OceanofPDF.com",
    ],
)
def test_stamps_of_those_who_lent_the_file(stamp: str):
    text = _text(f"The lamp burned low while he\n{stamp}", f"{stamp}\nsearched the attic for a box.")
    assert text == "The lamp burned low while he searched the attic for a box."


def test_lines_that_end_in_a_hyphen_are_no_verse():
    text = _text("See pp. 112-\n118 and 1912-\n1913, paras. 5–\n7.")
    assert text == "See pp. 112-118 and 1912-1913, paras. 5–7."


def test_a_compound_beside_its_suspended_twin_keeps_its_hyphen():
    assert _text("In pre- and post-\nwar times he slept.") == "In pre- and post-war times he slept."


def test_letters_read_in_the_wrong_code_page():
    assert _text("He said â€œnoâ€\x9d and ZÃ¼rich wasnâ€™t far.") == "He said “no” and Zürich wasn’t far."
    assert _text("A château, âme and São Paulo stay.") == "A château, âme and São Paulo stay."


def test_grave_accents_from_a_keyboard():
    assert _text("It was d´ej`a vu, not l`amour.") == "It was déjà vu, not l`amour."


def test_blanks_before_signs_of_punctuation():
    assert _text("He came , saw ; and left . Was it so ? Yes !") == "He came, saw; and left. Was it so? Yes!"
    assert _text("He waited . . . and left.") == "He waited . . . and left."


def test_spaced_headings_with_numerals_and_divided_emphasis():
    assert _text("C H A P T E R  I\n\nT H E  S E L F\n\nIt is older.") == "CHAPTER I THE SELF It is older."
    assert _text("Das ist das U n b e-\nw u ß t e hier und nicht dort.").startswith("Das ist das Unbewußte")


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (["CHAP. I.", "CHAP. II."], [("chapter", 1), ("chapter", 2)]),
        (["Chapter No. 4", "Chapter #5"], [("chapter", 4), ("chapter", 5)]),
        (["CHAPITRE PREMIER", "CHAPITRE DEUXIÈME"], [("chapter", 1), ("chapter", 2)]),
        (["CAPUT PRIMUM", "CAPUT SECUNDUM"], [("chapter", 1), ("chapter", 2)]),
        (["CHAPTER V.", "CHAFTER VI.", "CHAPTEB VII"], [("chapter", 5), ("chapter", 6), ("chapter", 7)]),
        (["[CHAPTER I]", "[CHAPTER II]"], [("chapter", 1), ("chapter", 2)]),
        (["# Chapter 1", "# Chapter 2"], [("chapter", 1), ("chapter", 2)]),
        (["ZWANZIGSTES KAPITEL", "EINUNDZWANZIGSTES KAPITEL"], [("chapter", 20), ("chapter", 21)]),
        (["1. The Hill", "2. The Sea", "3. The Sky"], [("chapter", 1), ("chapter", 2), ("chapter", 3)]),
    ],
)
def test_wordings_of_headings(headings: list[str], expected: list[tuple[str, int]]):
    text = "\n\n".join(f"{heading}\n\nThe rain came late that year and stayed." for heading in headings)
    found = chapters_of(paragraphs_from_text(text))
    assert [(one["kind"], one["number"]) for one in found] == expected


def test_lines_of_a_table_of_contents_without_leaders():
    text = (
        "Contents\n\nChapter 1 The Hill 7\n\nChapter 2 The Sea 30\n\nChapter 1\n\nThe Hill\n\nThe rain came late.\n\n"
        "Chapter 2\n\nThe Sea\n\nNobody had seen it."
    )
    found = chapters_of(paragraphs_from_text(text))
    assert [(one["number"], one["title"]) for one in found] == [(1, "The Hill"), (2, "The Sea")]


def test_abbreviations_before_numbers():
    text = "He read the repr. 1970 and approx. 50 books. Then he slept."
    assert [text[a:b] for a, b in sentence_spans(text)] == [
        "He read the repr. 1970 and approx. 50 books.",
        "Then he slept.",
    ]


def test_points_in_round_brackets_are_no_notes_where_the_notes_have_their_own_heading():
    notes = "\n\n".join(f"{n} Of the note number {n}, which is told in the winter." for n in range(1, 6))
    text = _text(
        "The king(1) slept.(2) His son(3) woke(4) and left.(5) I divide it into three:\n\n(1) The first is rest.\n\n"
        "(2) The second is sleep.\n\n(3) The third is more sleep.\n\nThen he rose and spoke to all of them.\n\nFOOTNOTES\n\n"
        + notes
    )
    assert "The king slept. His son woke and left." in text
    assert text.index("(1) The first is rest.") < text.index("Then he rose")


def test_compounds_of_long_words_keep_their_hyphen_at_a_line_end():
    text = "It was a participative-\nsocial art of the period MDCCCCVII-\nMDCCCCVIII in Leipzig."
    assert _text(text) == "It was a participative-social art of the period MDCCCCVII-MDCCCCVIII in Leipzig."


def test_numbers_glued_to_words_on_a_single_page_are_marks_of_its_notes():
    text = _text(
        "The myth is old.14 She knew it;15 he did not.\n\n14 See above, p. 3.\n15 Told in the winter of that year."
    )
    assert text.startswith("The myth is old. She knew it; he did not.")


def test_numbers_of_figures_do_not_begin_sentences():
    text = "See Fig. 3. It shows the tower. Cf. no. 4. The end."
    assert [text[a:b] for a, b in sentence_spans(text)] == [
        "See Fig. 3.",
        "It shows the tower.",
        "Cf. no. 4.",
        "The end.",
    ]
