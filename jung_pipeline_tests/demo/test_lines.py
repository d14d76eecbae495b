from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.demo.book import Run
from jung_pipeline.demo.hyphenation import break_points
from jung_pipeline.demo.lines import break_lines, characters, set_line, width, words_of


def advance(font: str, character: str) -> float:
    return 0.25 if character == " " else 0.5


WORDS = st.lists(st.from_regex(r"[a-z]{1,12}(-[a-z]{3,6})?[.,]?", fullmatch=True), min_size=1, max_size=60)


@given(WORDS, st.floats(80, 300))
def test_lines_hold_every_word_and_keep_to_the_measure(words: list[str], measure: float) -> None:
    chars = characters((Run(" ".join(words)),), 10)
    lines = break_lines(words_of(chars), advance, measure, indent=12)
    text = ""
    for i, line in enumerate(lines):
        texts = ["".join(c.text for c in word) for word in line.words]
        if line.split is None:
            text += " ".join(texts) + " "
        else:
            own = line.split.head + line.split.tail == line.split.word
            text += " ".join(texts) if own else " ".join(texts)[:-1]
        room = measure - (12 if i == 0 else 0)
        placed = set_line(line, advance, role="body", x=0, measure=room)
        right = placed.words[-1][0] + placed.words[-1][1]
        if len(line.words) > 1:
            assert right <= room + 0.01
        if len(line.words) > 1 and not line.last:
            assert right > room - 0.01
    assert text.split() == words


@given(st.from_regex(r"[A-Za-z’.,-]{0,20}", fullmatch=True))
def test_words_are_parted_three_letters_from_either_end_at_least(word: str) -> None:
    for point in break_points(word):
        assert len(word[:point].strip("’.,-")) >= 2
        assert len(word[point:].strip("’.,-")) >= 3


def test_known_words_are_parted_where_a_typesetter_would() -> None:
    def parted(word: str) -> list[str]:
        return [f"{word[:p]}-{word[p:]}" for p in break_points(word)]

    assert parted("letter") == ["let-ter"]
    assert parted("consciousness") == ["con-sciousness", "conscious-ness"]
    assert parted("pinned") == []
    assert parted("everything") == ["every-thing"]
    assert parted("self-deception") == ["self--deception"]  # at its own hyphen only


def test_note_marks_are_smaller_and_raised_and_no_part_of_the_words() -> None:
    chars = characters((Run("tower."), Run("12", "noteref")), 10)
    (word,) = words_of(chars)
    assert [c.text for c in word if c.mark] == ["1", "2"]
    assert all(c.rise > 0 and c.size < 10 for c in word if c.mark)
    assert width(word, advance) < width(characters((Run("tower.12"),), 10), advance)
