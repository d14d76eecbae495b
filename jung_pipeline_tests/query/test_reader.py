"""What a newcomer runs into: filters misspelt, questions in the other language, lists, snippets, frames."""

from __future__ import annotations

import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline.concepts.lexicon import load_lexicon
from jung_pipeline.errors import UsageError
from jung_pipeline.index.vector_index import Where
from jung_pipeline.query.answer import compose, number_sources
from jung_pipeline.query.calibration import FEWEST_CROSSING, calibrate
from jung_pipeline.query.extractive import ExtractiveAnswerer
from jung_pipeline.query.filters import Known, resolved
from jung_pipeline.query.library import Library
from jung_pipeline.query.lists import is_list
from jung_pipeline.query.passages import Passage
from jung_pipeline.query.snippets import snippet
from jung_pipeline_tests.query.fixtures_library import rows
from jung_pipeline_tests.query.tiny_index import HashingEmbedder, TinyVersion, row

INDEX_PAGE = (
    "Abreaction, 12, 45–47; and analyst, 112; Adler, Alfred, 33, 87f; Aion, 201; albedo, 77, 140; Mirror, 5, 9, "
    "61; mirrors, empty, 62, 63–65; in dreams, 66; polishing of, 70, 71; Monk, 14; moon, 20, 22; mother, 31–39"
)


@pytest.fixture(scope="module")
def version():
    embedder = HashingEmbedder()
    made = TinyVersion([*rows(), row("mirror#ix", INDEX_PAGE, work_title="On Dream Mirrors")], embedder)
    made.manifest.calibration = calibrate(made, embedder, lexicon=load_lexicon())
    return made


@pytest.fixture
def library(version, tmp_path, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return Library(version, HashingEmbedder(), settings_module.load(tmp_path))


# --- filters ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "says"),
    [
        (Where(volumes=("mirrow",)), "mirror"),
        (Where(authors=("Hulm",)), "Ada Holm"),
        (Where(works=("The Blue Lampp",)), "The Blue Lamp"),
        (Where(languages=("klingon",)), "de, en"),
        (Where(concepts=("dreem",)), "dream"),
        (Where(kinds=("footnote",)), "note"),
    ],
)
def test_a_misspelt_filter_is_an_error_that_names_what_is_there(library, where, says):
    for ask in (library.search, library.ask):
        with pytest.raises(UsageError) as error:
            ask("the empty mirror", where=where)
        known = error.value.message.split("Known: ")[1]
        assert known.startswith(says)


@pytest.mark.parametrize(
    ("where", "volumes"),
    [
        (Where(authors=("holm",)), {"ferry", "schatten"}),
        (Where(volumes=("On dream mirrors",)), {"mirror"}),
        (Where(languages=("German",)), {"schatten"}),
        (Where(concepts=("Träume",)), {"mirror", "reader"}),
    ],
)
def test_filters_are_read_as_people_write_them(library, where, volumes):
    found = {hit.passage.volume for hit in library.search("the dream", where=where, top_k=30).hits}
    assert found and found <= volumes


def test_a_surname_means_all_who_bear_it_and_initials_tell_them_apart():
    names = (
        "C. G. Jung",
        "Carl Gustav Jung",
        "Emma Jung",
        "Jung, C. G.",
        "Jungius",
        "Ada Holm and C. G. Jung",
    )
    known = Known((), (), names, (), (), (), {})

    def authors(asked):
        return set(resolved(Where(authors=(asked,)), known, None).authors)

    assert authors("jung") == set(names) - {"Jungius"}
    assert authors("C.G. JUNG") == set(names) - {"Jungius", "Emma Jung"}
    with pytest.raises(UsageError):
        authors("Karl Jung")


def test_a_filter_that_nothing_passes_is_said_plainly_in_the_language_of_the_question(library):
    english = library.ask("What is the shadow?", where=Where(languages=("fr",)))
    assert english.status == "not_found" and english.near_misses == ()
    assert english.text == "No passage in French in this library."
    german = library.ask("Was ist der Schatten?", where=Where(languages=("fr",)))
    assert "Französisch" in german.text


# --- found or not ----------------------------------------------------------------------------------


def test_a_name_alone_does_not_answer_what_else_was_asked(library):
    assert library.search("Why does the ferryman keep a lamp?").answerable
    result = library.search("When was Holm vaccinated?")
    assert not result.answerable and "vaccinated" in result.unknown_words


def test_questions_across_languages_have_an_operating_point_of_their_own(version):
    calibration = version.manifest.calibration
    assert calibration["probes"]["crossing_languages"] >= FEWEST_CROSSING
    meaning = calibration["models"]["meaning"]
    assert 0 < meaning["threshold_crossing"] <= meaning["threshold"]


# --- lists -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        INDEX_PAGE,
        "Scherner, R. A., Das Leben des Traums. Berlin, 1861. Schiffmann, G. A., Die Freimaurerei. Leipzig, 1882. "
        "Sperber, J., Mysterium Magnum. Amsterdam, 1660.",
        "Chapter One 1 Chapter Two 17 Chapter Three 40 Chapter Four 66 Chapter Five 90 Notes 120 Index 133",
    ],
)
def test_indexes_and_bibliographies_read_like_lists(text):
    assert is_list(text)


def test_prose_does_not_read_like_a_list():
    for passage in rows():
        assert not is_list(passage["text"])
    assert not is_list(
        "In 1912, 1913 and 1921 he wrote of it; the 3 books, of 400 pages each, say the same of it."
    )


def test_nothing_is_answered_from_an_index_page(library):
    for question in ("mirrors empty in dreams polishing", "Why does an empty mirror frighten the dreamer?"):
        result = library.search(question, top_k=20)
        assert "mirror#ix" not in {hit.passage.chunk_id for hit in result.kept}


# --- sentences -------------------------------------------------------------------------------------


def answered(question, *texts):
    sources = number_sources([Passage.from_text(text, number=n) for n, text in enumerate(texts, 1)])
    answer = compose(question, sources, ExtractiveAnswerer())
    assert answer.quotes and not answer.flags
    return answer


@pytest.mark.parametrize(
    ("question", "text", "holds"),
    [
        (
            "What is a harrow-mark?",
            "Every field has one, and this is what is meant by walking with the harrow-mark. Farmers fear the "
            "harrow-mark in spring. A harrow-mark is a groove that two neighbours have agreed on.",
            "A harrow-mark is a groove",
        ),
        (
            "What is the lodger?",
            "The lodger eats late. The lodger was seen by all. The book calls this guest the lodger: the sum of "
            "what a house does not admit. Nobody greets the lodger.",
            "the sum of what a house does not admit",
        ),
        (
            "How was the smith healed?",
            "The smith had a cough. The smith bought herbs. The smith went to three doctors in the town. In the end "
            "he was healed by a swan. The smith laughed.",
            "healed by a swan",
        ),
        (
            "What did the heron tell the millers?",
            "A heron came to the millers at night. It told them the hour. They were glad of the clock.",
            "It told them the hour",
        ),
        (
            "Was ist ein Grenzstein?",
            "Der Bauer sah den Grenzstein am Abend. Unter einem Grenzstein versteht man den Stein, der zwei Felder "
            "trennt. Am Grenzstein wuchs Gras.",
            "der zwei Felder trennt",
        ),
    ],
)
def test_the_sentence_that_answers_is_quoted(question, text, holds):
    assert holds in answered(question, text).text


def test_a_sentence_that_leans_is_quoted_with_the_one_before_as_one_stretch():
    answer = answered(
        "What did the heron tell the millers?",
        "A heron came to the millers at night. It told them the hour. Bread was dear that year in the valley.",
    )
    assert "“A heron came to the millers at night. It told them the hour.” [1]" in answer.text


# --- frames ----------------------------------------------------------------------------------------


def test_a_german_question_has_a_german_frame_that_the_checker_reads():
    answer = answered(
        "Was sagte der Müller am Wehr?", "Der Müller sagte am Wehr: „Das Rad schläft“, und ging."
    )
    assert "„Der Müller sagte am Wehr: ‚Das Rad schläft‘, und ging.“ [1]" in answer.text
    assert [quote.verdict for quote in answer.quotes] == ["verbatim"]
    assert "Sprachmodell" in answer.how


def test_a_refusal_speaks_the_language_of_the_question(library):
    assert "beantworten diese Frage nicht" in library.ask("Wie wechselt man das Öl beim Motorrad?").text
    assert "do not answer" in library.ask("How do I change the oil of a motorbike?").text


# --- looking up ------------------------------------------------------------------------------------


def test_a_passage_is_found_by_the_end_of_its_id_where_that_is_unique(library):
    assert library.passage("ix").chunk_id == "mirror#ix"
    assert library.passage("#ix").chunk_id == "mirror#ix"
    with pytest.raises(UsageError, match=r"ferry#02.*mirror#02"):
        library.passage("02")
    with pytest.raises(UsageError, match="no passage"):
        library.passage("zz")


def test_a_snippet_shows_the_words_asked_for_between_marks_of_omission():
    filler = "Nothing of note was said about the weather that week. " * 20
    text = f"THE WEIR\n\n{filler}The miller locked the weir with a golden key. {filler}"
    shown = snippet(Passage.from_text(text), "Who locked the weir with a key?", 200)
    assert "The miller locked the weir with a golden key." in shown
    assert shown.startswith("… ") and shown.endswith(" …") and len(shown) < 220
    assert snippet(Passage.from_text(text), "unrelated", 60).startswith("THE WEIR · Nothing of note")
