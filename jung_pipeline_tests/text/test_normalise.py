from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.text.normalise import (
    NEGATIONS,
    content_words,
    fold,
    language_of,
    letters,
    stem,
    words,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Seele", "SEELE"),
        ("Größe", "groesse".replace("oe", "o")),
        ("æther", "aether"),
        ("Waſſer", "wasser"),
        ("don’t", "don't"),
        ("un\u00adlimited", "unlimited"),
        ("ﬁre", "fire"),
        ("cafe\u0301", "café"),
    ],
)
def test_what_a_reader_calls_the_same_word_folds_alike(one, other):
    assert fold(one) == fold(other)


@given(st.text(max_size=80))
def test_words_and_letters_lead_back_to_the_text(text):
    for word in words(text):
        assert word.form == fold(text[word.start : word.end])
    found = letters(text)
    assert found.letters == "".join(word.form for word in words(text))
    assert len(found.letters) == len(found.offsets)
    assert list(found.offsets) == sorted(found.offsets)
    assert all(0 <= at < len(text) for at in found.offsets)


def test_letters_find_whole_words_only():
    found = letters("The dreamer and the dream-\nwork: a dream.")
    assert found.find("dream") == len("thedreamerandthe")
    assert found.find("dreamwork") != -1
    assert found.find("reamer") == -1
    assert found.find("") == -1


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the shadow and where does it come from?", "en"),
        ("Was ist der Schatten und woher kommt er?", "de"),
        ("Überich", "de"),
        ("Individuation", None),
        ("", None),
    ],
)
def test_language_of_a_question(text, language):
    assert language_of(text) == language


def test_content_words_leave_out_grammar_and_asking():
    assert content_words("What does the author say about the Shadow, the shadow and Gold?") == [
        "shadow",
        "gold",
    ]


@pytest.mark.parametrize(
    ("one", "other"), [("dreams", "dreamed"), ("dreaming", "dream"), ("symbole", "symbolen")]
)
def test_forms_of_a_word_share_a_stem(one, other):
    assert stem(one) == stem(other)


def test_negations_are_folded_like_the_words_they_are_compared_with():
    assert {"not", "dont", "cannot", "nicht", "kein"} <= NEGATIONS
