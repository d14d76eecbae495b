"""Small type at the foot of a page: notes without a mark, poems and lists that are no notes."""

from __future__ import annotations

from pathlib import Path

from jung_pipeline.catalogue import Volume
from jung_pipeline.extract.extractor import extract
from jung_pipeline_tests.clean.helpers import checked, texts
from jung_pipeline_tests.extract.pdf_maker import lines, show, write_pdf

BOOK = Volume(key="b", file="b.pdf", title="B")
TEXT = [
    "She kept the egg beneath a bell of glass and would not let the",
    "servants warm it by the fire, although the winter was long, and",
    "the snow lay deep on the roofs of the village. In the spring she",
]


def _clean(tmp_path: Path, *pages: bytes):
    document = extract(write_pdf(tmp_path / "b.pdf", list(pages)))
    return checked(document.lines, document.info, BOOK)


def test_a_note_on_the_only_page(tmp_path):
    page = lines(60, 560, TEXT, 10) + lines(60, 94, ["1 So in the older version of the tale."], 8, 10)
    assert texts(_clean(tmp_path, page), "footnote") == ["So in the older version of the tale."]


def test_a_note_whose_mark_is_lost_does_not_part_the_sentence(tmp_path):
    first = lines(60, 560, TEXT, 10) + lines(60, 94, ["So the older version of the tale has it."], 8, 10)
    second = lines(60, 560, ["carried it into the garden and laid it under the pear tree."], 10)
    cleaned = _clean(tmp_path, first, second)
    assert "In the spring she carried it into the garden" in texts(cleaned, "body")[0]
    assert texts(cleaned, "footnote") == ["So the older version of the tale has it."]
    assert cleaned.paragraphs.column("note_mark").to_pylist()[-1] is None


def test_a_poem_at_the_foot_does_not_go_on_with_the_note_of_the_page_before(tmp_path):
    first = lines(60, 560, [*TEXT[:2], "the snow lay deep. She sang:"], 10)
    first += show(60, 94, "1 Told later.", 7)
    second = lines(60, 560, ["Examples of the songs that she sang are given here:"], 10)
    second += lines(90, 200, ["The moon has lost her key", "And knocks at every door"], 9, 12)
    cleaned = _clean(tmp_path, first, second)
    assert texts(cleaned, "footnote") == ["Told later."]


def test_lists_of_literature_end_where_other_type_begins(tmp_path):
    words = lines(60, 560, TEXT * 5, 10)
    works = [
        "Adorno, Theodor. Commitment. New Left Review, London, 1974, pp. 12-19.",
        "Foster, Hal. What is New? October, vol. 70, New York, 1994, pp. 5-32.",
        "Wu, Chin-tao. Embracing Culture. New Left Review, London, 1998, pp. 28-57.",
    ]
    listed = show(60, 560, "References", 14) + b"".join(
        show(60, 530 - 30 * n, work, 8) for n, work in enumerate(works)
    )
    lives = lines(
        60,
        560,
        [
            "She is a theorist of the winter, who has taught in Basel and has",
            "worked for many years in Zurich.",
        ],
        7,
        10,
    )
    cleaned = _clean(tmp_path, words, words, listed, lives)
    whole = " ".join(texts(cleaned))
    assert "Adorno" not in whole and "Wu, Chin-tao" not in whole
    assert "She is a theorist of the winter" in whole
