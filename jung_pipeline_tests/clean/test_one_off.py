"""Words one confusion away from frequent ones are found exactly as by making every string that may have been printed."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.clean.confusions import Channel
from jung_pipeline.clean.one_off import nearest_tiers

_FREQUENT = [{"the"}, {"the", "and", "mother"}, {"the", "and", "mother", "find", "summer", "anna"}]
_CHANNEL = Channel("en")


def _one_by_one(word: str, tiers: Sequence[set[str]]) -> int:
    variants = set(_CHANNEL.variants(word))
    return next((number for number, tier in enumerate(tiers) if tier & variants), len(tiers))


def test_misreadings_lead_to_the_first_set_that_holds_what_was_printed() -> None:
    words = ["tlie", "aud", "rnother", "sumrner", "nd", "xylophone"]
    assert nearest_tiers(words, _CHANNEL.by_read, _FREQUENT) == [0, 1, 1, 2, 3, 3]


def test_a_confusion_that_comes_again_is_undone_at_every_place() -> None:
    assert nearest_tiers(["auua"], _CHANNEL.by_read, [{"anna"}]) == [_one_by_one("auua", [{"anna"}])] == [0]


@given(st.lists(st.text(alphabet="abcdefhilmnorstu", min_size=1, max_size=12), min_size=1, max_size=20))
def test_no_word_near_a_frequent_one_is_passed_over(words: list[str]) -> None:
    tiers = [set(words[:2]), set(words[:5]) | set(words[:2])]
    for word, found in zip(words, nearest_tiers(words, _CHANNEL.by_read, tiers), strict=True):
        assert found <= _one_by_one(word, tiers)
