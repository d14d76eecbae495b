from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jung_pipeline.text.sentences import is_sentence_end, sentence_spans


def sentences(text: str, language: str | None = None) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, language=language)]


# "|" marks where a sentence ends.
@pytest.mark.parametrize(
    ("marked", "language"),
    [
        ("Prof. Bleuler met Dr. Riklin at noon.| Mme. Sabina was late.| St. Luke was read.", "en"),
        ("The pupil of C. G. Carus wrote it.| E. T. A. Hoffmann did not.| M.-L. Stone left.", "en"),
        ("So it stood with Miss K.| She wept.", "en"),
        ("Cf. par. 308, i.e. the vision of Zosimos (viz. the altar).| It recurs in Vol. 9, ii.| See also p. 45, n. 12.| Nothing more.", "en"),
        ("He compares pars. 308ff.| The motif returns.| Keller et al. (1911) deny it.| It dates from 300 B.C.| Then it fades.", "en"),
        ("They gathered herbs, roots, etc.| Her mother dried them.| Herbs, roots, etc. were dried.", "en"),
        ("He said no.| No. 7 was missing.| The art.| Art. 7 was missing.", "en"),
        ("“Where?” he cried.| “Never!” shouted the king and fled.| “Why?” Keller asked.| “Go!”| The boy ran.", "en"),
        ("She wrote, “I have seen the tower.”| (It was dark.)| ‘Then come,’ he said.| “Where?”", "en"),
        ("It rests on such automatisms.[36]| So, too, must we.| It rests on fantasies.36| So must we.| It was so.¹²| They left.", "en"),
        ("He waited …| Then he left.| It was dark. . . .| They slept.| He thought of ... Vienna.", "en"),
        ("He fell silent.|—She went on.|—“Was it so?”|—“It was.”", "en"),
        ("1. The first stage is dark.| 2. The second is white.| IV. The fourth is red.", "en"),
        ("“Is it so?”| “No, said he, it is not.”| He wrote: “... The fire is one.”| Then he left.", "en"),
        ("=The Inferior Function.=| It lags behind.| Cf. Allg. Zeit. f. Psych., p. 3 f.| So says Moor.", "en"),
        ("It was (sic!) Miller who wrote (?) Faust.", "en"),
        ("It was in 1917.| Freud had left.| There were 12.| Twelve remained.", "en"),
        ("Der Traum, z. B. der vom Turm, d. h. der erste, war kurz.| Vgl. S. 45 und Bd. 3 dazu.| Er schwieg.", "de"),
        ("Sie kam am 3. Mai im 19. Jahrhundert an.| Die 2. Auflage fehlt.| Das steht auf S. 12.| Träume kommen.", "de"),
        ("Bleuler, Forel u. a. Psychiater schwiegen.| Das gilt für Träume, Mythen usw.| Die Mythen sind alt.", "de"),
        ("Das ist von anderer Art.| Er ging.| Hrn. Dr. v. Hartmann kannte er.| »Nein.«| „Doch.“| Sie kam.", "de"),
        ("Vgl. Grundz. d. phys. Psych., pag. 28.| Er irrt.", "de"),
        ("Siehe Zschr. f. Psychol. Bd. III. S. 4 f.| Er las es.", "de"),
    ],
)  # fmt: skip
def test_scholarly_prose(marked: str, language: str) -> None:
    assert sentences(marked.replace("|", ""), language) == [s.strip() for s in marked.split("|")]


def test_a_blank_line_ends_a_sentence_and_a_line_break_does_not() -> None:
    text = "Over the water,\nOver the hill\nhe came. And went.\n\nThe Second Part\n \nit begins so"
    assert sentences(text) == [
        "Over the water,\nOver the hill\nhe came.",
        "And went.",
        "The Second Part",
        "it begins so",
    ]


def test_language_is_judged_from_the_text() -> None:
    german = "Das ist der Traum von der Schlange und die Deutung ist nicht leicht. "
    assert len(sentences(german + "Er nennt Mythen, Märchen usw. Träume nennt er nicht.")) == 2
    english = "This is the dream of the serpent and the meaning is not easy to see. "
    assert len(sentences(english + "He names myths, tales, etc. Dreams he does not name.")) == 3


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("He was there.", True),
        ("“Was he there?”", True),
        ("he was there.)", True),
        ("such automatisms.[36]", True),
        ("it went on …", True),
        ("the lady called Mrs. X.", True),
        ("It was of that kind", False),
        ("Cf.", False),
        ("as he told Dr.", False),
        ("so z. B.", False),
        ("the friend of C. G.", False),
        ("and then:", False),
        ("", False),
    ],
)
def test_is_sentence_end(text: str, ends: bool) -> None:
    assert is_sentence_end(text) is ends


PIECES = st.lists(
    st.sampled_from(
        [". ", ".", "! ", "?” ", "“", "(", ") ", "\n", "\n\n", "…", ". . . ", "—", "Dr. ", "z. B. ", "[12]", "3. ", "Jung", "the ", "Der ", "I ", "C. ", "ψυχή ", "\u00a0", "\t", "’ ”", "usw. ", "a", "Z", "12"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(PIECES | st.text(max_size=80))
def test_nothing_is_lost_and_spans_rise(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(text[a:b].strip() == text[a:b] != "" for a, b in spans)


@given(st.lists(PIECES.map(str.strip).filter(bool), min_size=1, max_size=4))
@settings(max_examples=50)
def test_paragraphs_do_not_touch_each_other(paragraphs: list[str]) -> None:
    together = sentences("\n\n".join(paragraphs), "en")
    assert together == [s for paragraph in paragraphs for s in sentences(paragraph, "en")]


@pytest.mark.parametrize(
    "junk",
    ["." * 50_000, ". " * 30_000, '."' * 30_000, "1. " * 30_000, "A. " * 30_000, "[1]" * 30_000,
     "." + "(" * 60_000, " " * 60_000 + ".\n " * 20_000, ".—" * 30_000, "2899982852000000 " * 5_000],
)  # fmt: skip
def test_junk_takes_linear_time(junk: str) -> None:
    def seconds(text: str) -> float:
        begun = time.process_time()
        sentence_spans(text + " He woke.")
        return time.process_time() - begun

    assert seconds(junk) < 2.0


def test_scholarly_sentences_are_found():
    """F1 of the boundaries of hand-labelled scholarly prose, English and German."""
    from jung_pipeline_tests.text import scholarly

    found = scholarly.score(lambda text, language: sentence_spans(text, language=language))
    assert found.f1 >= 0.97, (found.extra, found.missed)
