from __future__ import annotations

import random
import string

import pytest

from jung_pipeline.extract.text_quality import (
    bad_share,
    foreign_looking,
    has_usable_characters,
    is_nonsense,
    nonsense_pages,
)
from jung_pipeline.text.words import tokens

ENGLISH = (
    "The keeper of the tower counted every stone again and found that one of them was missing from the northern wall, "
    "and nobody in the village could remember who had carried it away or whether it had ever been there at all. "
) * 3
USABLE = {
    "english": ENGLISH,
    "german": "Der Fährmann zählte nachts seine Münzen und fand, dass eine von ihnen immer ein Gesicht zeigte, das er nie gesehen hatte. "
    * 4,
    "latin": "Visita interiora terrae, rectificando invenies occultum lapidem, veram medicinam; ignis et azoth tibi sufficiunt. "
    * 5,
    "greek": "Ἐν ἀρχῇ ἦν ὁ λόγος, καὶ ὁ λόγος ἦν πρὸς τὸν θεόν, καὶ θεὸς ἦν ὁ λόγος. " * 5,
    "russian": "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. "
    * 4,
    "hebrew": "בראשית ברא אלהים את השמים ואת הארץ והארץ היתה תהו ובהו " * 5,
    "chinese": "道可道非常道名可名非常名無名天地之始有名萬物之母" * 5,
    "sanskrit terms": "purusha prakriti atman brahman mahabharata upanishads yajnavalkya mandala samsara karma dharma kundalini "
    * 6,
    "names": "Kerenyi, Zimmermann, Binswanger, Ophuijsen, Riklin, Bleuler, Maeder, Ferenczi, Spielrein, Eitingon, Jekels. "
    * 7,
    "noisy ocr": "Tlie keepcr of tbe towcr eounted evcry stonc agaiu aud fouud tliat oue of thcm was missiug from tlic uortheru wall "
    * 4,
}


@pytest.mark.parametrize("name", USABLE)
def test_real_text_is_usable(name):
    assert has_usable_characters(USABLE[name])
    assert not is_nonsense(tokens(USABLE[name]))


@pytest.mark.parametrize("seed", range(8))
def test_scrambled_alphabets_are_nonsense(seed):
    letters = list(string.ascii_lowercase)
    random.Random(seed).shuffle(letters)
    table = str.maketrans(string.ascii_lowercase, "".join(letters))
    # A map that happens to make pronounceable strings is beyond letter statistics; a shuffle hardly ever does.
    assert is_nonsense(tokens(ENGLISH.lower().translate(table)))


@pytest.mark.parametrize("shift", [-29, 3, 31])
def test_shifted_code_points_are_unusable(shift):
    shifted = "".join(chr(ord(c) + shift) if c.isalpha() else c for c in ENGLISH)
    assert is_nonsense(tokens(shifted)) or not has_usable_characters(shifted)


def test_lost_maps_are_unusable():
    assert bad_share("\ufffd" * 30) == 1.0
    assert bad_share("".join(chr(0xE000 + ord(c)) for c in "lamp by night")) == 1.0
    assert not has_usable_characters("(cid:12)(cid:88)(cid:3)(cid:41)")
    glyph_numbers = "".join(chr(900 + ord(c)) if c != " " else c for c in ENGLISH)
    assert not has_usable_characters(glyph_numbers)
    assert foreign_looking("".join(chr(0x1200 + ord(c)) for c in ENGLISH))


def test_a_few_odd_characters_do_not_spoil_a_page():
    assert has_usable_characters(ENGLISH + " \ufffd \ue001 ☿ ♄ 𝔄 ⟨x⟩ \u00ad")


def test_short_pages_are_judged_together():
    nonsense = "WKH NHHSHU RI WKH WRZHU FRXQWHG HYHUB VWRQH"
    assert nonsense_pages(dict.fromkeys(range(1, 6), nonsense)) == {1, 2, 3, 4, 5}
    assert nonsense_pages({1: nonsense}) == set(), "too little to judge"
    assert nonsense_pages({1: ENGLISH, 2: "Visita interiora terrae", 3: ""}) == set()
