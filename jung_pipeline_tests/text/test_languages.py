from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.clean.lexicon import guess_language
from jung_pipeline.text.languages import language_tag, sample, spread, told_language
from jung_pipeline.text.normalise import language_of

TEXTS = {
    "en": """The ferryman had been on the river for thirty years, and in all that time he had never learned to
        swim. He said that it was of no use to a man who meant to stay in his boat. When the water was high he
        would sit under the willow and wait, and those who wanted to cross waited with him, since there was no
        other way to the town. Some of them told him what they had dreamed, and he listened to all of it.""",
    "de": """Der Fährmann war seit dreißig Jahren auf dem Fluss, und in all der Zeit hatte er nicht schwimmen
        gelernt. Er sagte, dass es einem Mann nichts nütze, der in seinem Boot bleiben wolle. Wenn das Wasser hoch
        stand, saß er unter der Weide und wartete, und wer über den Fluss wollte, der wartete mit ihm, denn es
        gab keinen anderen Weg in die Stadt. Manche erzählten ihm, was sie geträumt hatten, und er hörte zu.""",
    "fr": """Le passeur était sur la rivière depuis trente ans, et pendant tout ce temps il n'avait pas appris à
        nager. Il disait que cela ne sert à rien pour un homme qui veut rester dans son bateau. Quand l'eau était
        haute, il s'asseyait sous le saule et il attendait, et ceux qui voulaient passer attendaient avec lui,
        car il n'y avait pas d'autre chemin pour aller à la ville. Quelques-uns lui racontaient leurs rêves.""",
    "la": """Portitor ille in flumine iam triginta annos erat, et tamen natare non didicerat. Dicebat enim hoc
        nihil ei prodesse qui in navi sua manere vellet. Cum aqua alta esset, sub salice sedebat atque exspectabat,
        et qui ad urbem transire volebant cum eo exspectabant, quia nulla alia via erat. Quidam ex his somnia sua
        ei narrabant; ille autem omnia audiebat, nec quidquam dicebat, sed de aqua et de vento cogitabat.""",
    "it": """Il barcaiolo era sul fiume da trent'anni, e in tutto questo tempo non aveva mai imparato a nuotare.
        Diceva che non serve a niente per un uomo che vuole restare nella sua barca. Quando l'acqua era alta si
        sedeva sotto il salice e aspettava, e quelli che volevano passare aspettavano con lui, perché non c'era
        un'altra strada per la città. Alcuni gli raccontavano i loro sogni, e lui ascoltava tutto.""",
    "nl": """De veerman was al dertig jaar op de rivier, en in al die tijd had hij nooit leren zwemmen. Hij zei dat
        het geen nut had voor een man die in zijn boot wilde blijven. Als het water hoog was zat hij onder de wilg
        en wachtte, en wie naar de stad wilde wachtte met hem, want er was geen andere weg. Sommigen vertelden hem
        wat zij gedroomd hadden, en hij luisterde naar alles en zei niets, maar hij dacht aan het water.""",
}
#: Languages without a list: nothing may be made of their words.
OTHERS = {
    "da": """Færgemanden havde været på floden i tredive år, og i al den tid havde han aldrig lært at svømme. Han
        sagde, at det ikke var til nogen nytte for en mand, som ville blive i sin båd. Når vandet var højt, sad han
        under piletræet og ventede, og de, der ville over, ventede sammen med ham, for der var ingen anden vej.""",
    "ca": """El barquer era al riu des de feia trenta anys, i en tot aquest temps no havia après mai a nedar. Deia
        que això no serveix de res per a un home que vol quedar-se a la seva barca. Quan l'aigua era alta seia sota
        el salze i esperava, i els qui volien passar esperaven amb ell, perquè no hi havia cap altre camí.""",
    "ro": """Luntrașul era pe râu de treizeci de ani, și în tot acest timp nu învățase niciodată să înoate. Spunea că
        nu este de nici un folos pentru un om care vrea să rămână în barca lui. Când apa era mare, ședea sub salcie
        și aștepta, iar cei care voiau să treacă așteptau cu el, pentru că nu era alt drum spre oraș.""",
}


@pytest.mark.parametrize("tag", TEXTS)
def test_a_page_of_prose_tells_its_language(tag):
    assert told_language(TEXTS[tag] * 4) == tag


@pytest.mark.parametrize("tag", OTHERS)
def test_a_language_without_a_list_is_not_taken_for_a_neighbour(tag):
    assert told_language(OTHERS[tag] * 6) is None


@pytest.mark.parametrize(("one", "other"), [("en", "de"), ("en", "la"), ("de", "fr"), ("fr", "la")])
def test_a_text_beside_its_translation_has_no_one_language(one, other):
    assert told_language((TEXTS[one] + TEXTS[other]) * 4) is None
    assert told_language(TEXTS[one] * 9 + TEXTS[other]) == one, "quotations do not make a book bilingual"


def test_in_doubt_nothing_is_said():
    assert told_language(TEXTS["en"]) is None, "too few words"
    assert told_language("Abel 12, Baker 3, Cook 4, Dyer 17, Fuller 9, Glover 2, Mason 5 " * 60) is None
    assert told_language("") is None


def test_old_spelling_and_lost_accents_do_no_harm():
    old = TEXTS["de"].replace("dass", "daß").replace("s", "ſ")
    assert told_language(old * 4) == "de"
    assert told_language(TEXTS["fr"].replace("é", "e").replace("à", "a").replace("ê", "e") * 4) == "fr"


@pytest.mark.parametrize("tag", ["en", "de"])
def test_the_guesses_for_short_texts_agree_with_what_long_ones_tell(tag):
    assert guess_language(TEXTS[tag]) == language_of(TEXTS[tag]) == told_language(TEXTS[tag] * 4)


def test_a_lexicon_serves_whatever_is_told():
    assert guess_language(TEXTS["nl"] * 4) == "nl"
    assert guess_language(TEXTS["la"] * 4) == "en", "wordfreq has no Latin"


@pytest.mark.parametrize(
    ("stated", "tag"),
    [
        ("en-US", "en"),
        ("deu", "de"),
        ("German", "de"),
        ("Latin", "la"),
        ("English, German", "en"),
        ("grc", "grc"),
    ],
)
def test_primary_tag_of_what_files_state(stated, tag):
    assert language_tag(stated) == tag


@pytest.mark.parametrize("stated", [None, "", "und", "mul", "zxx", "x-default", "Klingonese"])
def test_no_tag_for_what_names_no_language(stated):
    assert language_tag(stated) is None


@given(st.integers(0, 3000), st.integers(1, 40))
def test_spread_is_even_and_within(count, most):
    chosen = spread(count, most)
    assert len(chosen) == min(count, most)
    assert chosen == sorted(set(chosen)) and all(0 <= index < count for index in chosen)
    if chosen:
        assert abs(chosen[0] - (count - 1 - chosen[-1])) <= 1 + count // most // 2


def test_a_sample_is_bounded_and_sees_the_whole_book():
    book = "a" * 900_000 + "b" * 900_000
    taken = sample(book)
    assert len(taken) < 100_000 and 0.45 < taken.count("a") / len(taken) < 0.55
    assert sample("short") == "short"


def test_importing_loads_no_word_list():
    code = "import sys, jung_pipeline.text.languages; print('wordfreq' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"
