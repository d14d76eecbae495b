from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.text.quotes import align, find_quotations, locate

PASSAGE = (
    "The old ferryman was not afraid of the fog; he knew the river’s voice [5] by heart. "
    "“Whoever asks the way,” he said, “has already left the shore.” Nobody can cross twice with-\nout paying."
)


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("He said “come in” and sat.", ["come in"]),
        ('He said "come in" and "sit down".', ["come in", "sit down"]),
        ("Er sagte: „Komm herein“, und setzte sich.", ["Komm herein"]),
        ("Il dit « entrez » et s’assit.", [" entrez "]),
        ("Er sagte: »Komm herein«, sonst nichts.", ["Komm herein"]),
        ("She wrote ‘the keeper’s stones were cold’ once.", ["the keeper’s stones were cold"]),
        ("The keepers' stones and the child's lamp.", []),
        ("He wasn't sure; 'never again' was all.", ["never again"]),
        ("“He said ‘come’ to me,” she wrote.", ["He said ‘come’ to me,"]),
        ("“outer “inner” outer” end", ["outer “inner” outer"]),
        ("An open “mark that never closes.\n\nA new paragraph ”.", []),
        ("6' tall and 5\" wide", []),
    ],
)
def test_quotations_are_found_in_every_style(text, inner):
    assert [quotation.inner for quotation in find_quotations(text)] == inner


@given(st.text(alphabet="ab “”„‘’'\"«»\n.", max_size=60))
def test_quotations_never_overlap_and_give_back_their_text(text):
    end = 0
    for quotation in find_quotations(text):
        assert quotation.start >= end
        assert text[quotation.start + 1 : quotation.end - 1] == quotation.inner
        end = quotation.end


@pytest.mark.parametrize(
    "quotation",
    [
        "The old ferryman was not afraid of the fog",
        "the OLD   ferryman\nwas not afraid",
        "he knew the river's voice [5] by heart",
        "he knew the river's voice by heart",
        "Whoever asks the way, he said, has already left the shore.",
        "Nobody can cross twice without paying",
        "cross twice with-out paying",
        "The old ferryman … knew the river’s voice",
        "The old ferryman [...] knew the river’s voice",
        "The old ferryman . . . knew",
        "[t]he old ferryman was not afraid",
        "[He] was not afraid of the fog",
        "was not afraid of the fog [on the water]; he knew",
        "The old ferryman was not afraid of the fog [sic]",
    ],
)
def test_harmless_differences_are_tolerated(quotation):
    assert locate(quotation, PASSAGE) is not None


@pytest.mark.parametrize(
    "quotation",
    [
        "The old ferryman was afraid of the fog",
        "The old ferryman was never afraid of the fog",
        "The young ferryman was not afraid",
        "not afraid of the old fog",
        "of the fog was not afraid",
        "he knew the river’s voice … The old ferryman was not afraid",
        "The old ferryman was … afraid of the fog",
        "The old ferryman was [so] afraid of the fog",
        "afraid of the fo",
        "Nobody can cross the sea",
        "",
        "…",
    ],
)
def test_changed_words_are_not(quotation):
    assert locate(quotation, PASSAGE) is None


def test_a_place_is_given_as_printed():
    start, end = locate("KNEW THE RIVERS VOICE", PASSAGE)
    assert PASSAGE[start:end] == "knew the river’s voice"


@given(
    st.lists(st.sampled_from(["stone", "lamp", "river", "not", "king"]), min_size=2, max_size=12), st.data()
)
def test_every_run_of_words_is_located_and_a_dropped_one_is_not(forms, data):
    passage = f"So it was {' '.join(forms)} indeed"
    first = data.draw(st.integers(0, len(forms) - 1))
    last = data.draw(st.integers(first + 1, len(forms)))
    assert locate(" ".join(forms[first:last]), passage)
    unique = [f"{form}{number}" for number, form in enumerate(forms)]
    if len(unique) > 2:
        dropped = unique[:1] + unique[2:]
        assert locate(" ".join(dropped), " ".join(unique)) is None


def test_an_alteration_is_named():
    found = align("The old ferryman was afraid of the dog", PASSAGE)
    assert [(c.quoted, c.printed) for c in found.changes] == [("", "not"), ("dog", "fog")]
    assert PASSAGE[found.start : found.end] == "The old ferryman was not afraid of the fog"
    assert 0.8 < found.similarity < 1


def test_nothing_to_align():
    assert align("…", PASSAGE) is None
    assert align("words", "") is None
    assert align("zebra quartz", PASSAGE) is None


def test_a_clause_left_out_without_an_ellipsis_is_named():
    found = align("The old ferryman knew the river’s voice", PASSAGE)
    assert locate("The old ferryman knew the river’s voice", PASSAGE) is None
    assert [c.quoted for c in found.changes] == [""]
    assert found.changes[0].printed == "was not afraid of the fog; he"
