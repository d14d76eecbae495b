from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.text.words import frequency, is_word, letter_pair_score, plausible_share, tokens, zipf


def test_frequencies_order_words():
    assert frequency("the") > frequency("soul") > frequency("qzxv") == 0.0
    assert frequency("Seele", "de") > 0 and frequency("Seele", "de") == frequency("seele", "de")
    assert 7 < zipf("the") < 8 and zipf("qzxv") == 0.0


def test_unknown_language_knows_nothing():
    assert frequency("anima", "la") == 0.0


def test_words_of_any_language_count():
    assert is_word("Unbewusste") and is_word("shadow") and not is_word("wrzhu")
    assert plausible_share(["shadow", "Schatten", "wrzhu", "nhhshu"]) == 0.5
    assert plausible_share(["ab", "x"]) == 1.0, "nothing long enough to judge"


def test_letter_pairs_tell_words_from_scrambled_letters():
    assert letter_pair_score(["mercurius", "philosophorum"]) > -7 > letter_pair_score(["wrzhu", "frxqwhg"])


@given(st.lists(st.text(max_size=12), max_size=12))
def test_share_is_a_share(words):
    assert 0.0 <= plausible_share(words) <= 1.0


@given(st.text(max_size=80))
def test_tokens_are_letters_in_order(text):
    found = tokens(text)
    assert not any(c.isspace() or c in "0123456789_-." for t in found for c in t)
    rest = iter(text)
    assert all(c in rest for t in found for c in t)


def test_importing_loads_no_list():
    code = "import sys, jung_pipeline.text.words; print('wordfreq' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
    )
