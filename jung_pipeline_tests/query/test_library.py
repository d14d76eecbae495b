"""A small library from the reader's chair: what is found, what is not, what is shown."""

from __future__ import annotations

import json

import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline.concepts.lexicon import Concept, Lexicon
from jung_pipeline.errors import ModelMismatchError, UsageError
from jung_pipeline.index.vector_index import Where
from jung_pipeline.query.calibration import calibrate, usable
from jung_pipeline.query.library import Library
from jung_pipeline.query.passages import Passage
from jung_pipeline.query.probes import ProbeVectors, in_corpus, out_of_corpus
from jung_pipeline_tests.query.fixtures_library import FERRY, MIRROR, rows
from jung_pipeline_tests.query.tiny_index import HashingEmbedder, TinyVersion

LEXICON = Lexicon(
    {
        "shadow": Concept("shadow", en=("shadows",), de=("Schatten", "Schattens")),
        "dream": Concept("dream", en=("dreams",), de=("Traum",)),
        "mirror": Concept("mirror", en=("mirrors",)),
    }
)


@pytest.fixture(scope="module")
def embedder():
    return HashingEmbedder()


@pytest.fixture(scope="module")
def version(embedder):
    version = TinyVersion(rows(), embedder)
    version.manifest.calibration = calibrate(version, embedder, lexicon=LEXICON)
    return version


@pytest.fixture
def library(version, embedder, tmp_path, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return Library(version, embedder, settings_module.load(tmp_path), lexicon=LEXICON)


@pytest.mark.parametrize(
    ("question", "chunk_id"),
    [
        ("Why does an empty mirror frighten the dreamer?", "mirror#02"),
        ("Who taught the daughter to row by the colours of the currents?", "ferry#05"),
        ("orchard white pears gatekeeper", "ferry#04"),
        ("Was soll im Tagebuch eines Träumers stehen?", "schatten#01"),
    ],
)
def test_the_passage_that_answers_comes_first(library, question, chunk_id):
    result = library.search(question)
    assert result.answerable
    assert result.hits[0].passage.chunk_id == chunk_id
    assert len(result.kept) <= 3


@pytest.mark.parametrize(
    "question",
    [
        "How do I change the oil filter of a motorbike?",
        "Which vaccines does a puppy need?",
        "explain kubernetes ingress controllers",
    ],
)
def test_what_is_not_in_these_books_is_not_answered(library, question):
    class Nobody:
        def answer(self, question, sources):
            raise AssertionError("a model was asked")

    answer = library.ask(question, answerer=Nobody())
    assert answer.status == "not_found"
    assert answer.sources == ()
    assert answer.near_misses
    assert "do not answer" in answer.text


def test_the_seed_policy_answers_it_all_the_same(library):
    # Cosines of this embedder bunch together as e5's do: a fixed 0.7 keeps nothing out.
    result = library.search("Which vaccines does a puppy need?", policy="seed")
    assert result.status == "ok" and len(result.kept) == 3
    assert all(hit.cosine > 0.7 for hit in result.kept)


def test_a_text_in_two_volumes_is_shown_once_with_both_addresses(library):
    result = library.search("Why does an empty mirror frighten the dreamer?")
    ids = [hit.passage.chunk_id for hit in result.hits]
    assert len({"mirror#02", "reader#00"} & set(ids)) == 1
    first = result.hits[0]
    assert {first.passage.work_title, *(p.work_title for p in first.also_in)} == {
        "On Dream Mirrors",
        "A Reader",
    }
    assert "A Reader" in f"{first.citation} {first.also_cited}"


def test_an_english_question_finds_the_german_passage_through_the_lexicon(library):
    result = library.search("What is the shadow?", where=Where(languages=("de",)))
    assert result.hits[0].passage.chunk_id == "schatten#00"
    assert "Schatten" in result.expansions


def test_notes_stand_behind_the_body_unless_asked_for(library):
    ids = [hit.passage.chunk_id for hit in library.search("linen and wool", top_k=10).hits]
    assert ids.index("mirror#01") < ids.index("mirror#n0")
    assert library.search("the footnote on linen and wool").hits[0].passage.chunk_id == "mirror#n0"
    only = library.search("linen and wool", where=Where(kinds=("note",)))
    assert [hit.passage.chunk_id for hit in only.hits] == ["mirror#n0"]


def test_filters_hold(library):
    result = library.search("dream mirror", where=Where(volumes=("ferry",)), top_k=10)
    assert {hit.passage.volume for hit in result.hits} == {"ferry"}


def test_an_answer_without_a_model_quotes_word_for_word(library):
    answer = library.ask("What should the analyst do about an empty mirror?")
    assert answer.model is None and answer.grounded
    assert answer.quotes and all(quote.ok for quote in answer.quotes)
    assert "The analyst should wait until the dreamer notices the frame.” [1]" in answer.text
    assert "no language model" in answer.how
    assert 1 <= len(answer.quotes) <= 3


def test_related_concepts_lead_somewhere(library):
    answer = library.ask("Why are children called home from a pond?")
    assert set(answer.related) <= {"dream", "mirror"}
    for concept in answer.related:
        assert library.search(concept, where=Where(concepts=(concept,))).hits


def test_the_signals_are_shown(library):
    data = json.loads(json.dumps(library.search("the second shadow of the traveller").to_dict()))
    assert 0 <= data["threshold"] <= data["probability"] <= 1
    assert {"closeness", "support", "words", "known_words"} <= data["signals"].keys()


def test_words_that_stand_nowhere_are_named(library):
    assert library.search("the ferryman and the submarine").unknown_words == ("submarine",)


@pytest.mark.parametrize("question", ["", "   ", "\x00\n", "?!", "x" * 2001, "é" * 30_000])
def test_questions_that_are_none(library, question):
    with pytest.raises(UsageError) as caught:
        library.search(question)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "question", ['" OR 1=1 --', "text:* AND (", "{$ne: null}", "lamp\u202e\x07 blue", "[[[", "mirror^5~2 +-"]
)
def test_odd_questions_are_only_words(library, question):
    try:
        result = library.search(question)
    except UsageError:
        return
    assert result.question.isprintable()


def test_neighbours_in_reading_order(library):
    before, after = library.neighbours("ferry#03", 2)
    assert [p.chunk_id for p in before] == ["ferry#01", "ferry#02"]
    assert [p.chunk_id for p in after] == ["ferry#04", "ferry#05"]
    assert library.neighbours("ferry#00", 1)[0] == []
    with pytest.raises(UsageError):
        library.neighbours("nowhere#1", 1)


def test_works_and_citations(library):
    assert {(w.title, w.passages) for w in library.works()} >= {("The Blue Lamp", 6), ("A Reader", 1)}
    assert (
        library.cite(library.passage("mirror#03"))
        == "Ulrich Sand, On Dream Mirrors, Chapter II: The Frame, § 104, p. 43 (position 55 in the file)"
    )


def test_an_index_of_another_model_is_refused_and_both_are_named(version, tmp_path):
    with pytest.raises(ModelMismatchError, match=r"hashing-words.*another-model"):
        Library(
            version, HashingEmbedder(model="another-model"), settings_module.load(tmp_path), lexicon=LEXICON
        )


def test_an_index_without_calibration_still_answers_and_says_so(embedder, tmp_path):
    library = Library(
        TinyVersion(rows(), embedder), embedder, settings_module.load(tmp_path), lexicon=LEXICON
    )
    result = library.search("empty mirror")
    assert result.answerable and result.probability is None
    assert "calibration" in result.note


# --- calibration -----------------------------------------------------------------------------------


def test_calibration_is_the_same_every_time_and_json(version, embedder):
    again = calibrate(version, embedder, lexicon=LEXICON)
    assert json.loads(json.dumps(again)) == version.manifest.calibration
    assert usable(again, "hashing-words") and not usable(again, "other") and not usable(None, "other")


def test_calibration_keeps_to_its_target(version):
    model = version.manifest.calibration["models"]["meaning_and_words"]
    assert model["false_answers"] <= 0.05
    assert 0 <= model["false_answers_neighbouring"] < 0.25
    assert model["false_refusals"] < 0.25
    falses = [point[1] for point in model["curve"]]
    assert falses == sorted(falses, reverse=True)


def test_vectors_of_probes_are_kept(version, tmp_path):
    embedder = HashingEmbedder()
    first = calibrate(version, embedder, lexicon=LEXICON, vectors=ProbeVectors.beside(tmp_path, "m"))
    asked = embedder.queries
    assert asked > 300
    assert calibrate(version, embedder, lexicon=LEXICON, vectors=ProbeVectors.beside(tmp_path, "m")) == first
    assert embedder.queries == asked
    next(tmp_path.glob("probe_vectors*")).write_bytes(b"not an archive")
    assert calibrate(version, embedder, lexicon=LEXICON, vectors=ProbeVectors.beside(tmp_path, "m")) == first


def test_shipped_probes_are_many_and_distinct():
    probes = [probe for field in out_of_corpus().values() for probe in field]
    assert len(probes) >= 300
    assert len({probe.casefold() for probe in probes}) == len(probes)


def test_made_probes_do_not_repeat_a_sentence():
    passages = [Passage.from_row(row) for row in rows()]
    texts = {p.chunk_id: p.text for p in passages}
    made = in_corpus(passages)
    assert len(made) > 40
    assert made == in_corpus(list(reversed(passages)))
    for probe in made:
        assert probe.text not in texts[probe.chunk_id]


# --- verify ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("“Only the third kind asks for interpretation.”", "verbatim"),
        ("„Wer ihn abschneiden will, verliert die Füße mit.“", "verbatim"),
        ("Sand writes: “Broken mirrors in dreams are not omens.”", "verbatim"),
        ("“Broken mirrors in dreams are omens.” (Sand)", "altered"),
        ("“Broken mirrors in dreams are not omens.” (Ada Holm, The Blue Lamp)", "misattributed"),
        ("“A closed door is a mirror that has learnt patience.”", "not_in_library"),
        ("“the mirror”", "too_short"),
        (f"{FERRY[0][-27:]} {FERRY[1][:36]}", "verbatim"),
        ("Only the third kind asks for interpretation.", "verbatim"),
    ],
)
def test_every_quotation_gets_a_verdict(library, text, verdict):
    (found,) = library.verify(text)
    assert found.verdict == verdict
    json.dumps(found.to_dict())


def test_a_verdict_says_where_the_words_stand_and_what_was_changed(library):
    (found,) = library.verify("“Broken mirrors in dreams are omens.”")
    assert found.changes == (("", "not"),)
    assert found.places[0].printed == "Broken mirrors in dreams are not omens"
    assert "On Dream Mirrors" in found.places[0].citation
    (twice,) = library.verify(f"“{MIRROR[2][:60]}”")
    assert {place.chunk_id for place in twice.places} == {"mirror#02", "reader#00"}
    assert library.verify("") == []


def test_an_attribution_to_a_book_that_is_not_here_is_a_wrong_one(library):
    (found,) = library.verify("“Broken mirrors in dreams are not omens.”", attributed_to="Heraclitus")
    assert found.verdict == "misattributed"
    assert "On Dream Mirrors" in found.places[0].citation


def test_of_six_passages_two_are_from_the_other_languages_of_the_library(version, embedder, tmp_path):
    library = Library(version, embedder, settings_module.load(tmp_path), lexicon=LEXICON)
    asked = "What does the ferryman of the northern lake keep for the travellers?"
    found = library.search(asked, top_k=6)
    languages = [hit.passage.language for hit in found.hits]
    assert languages.count("de") == 2 and languages[:4] == ["en"] * 4
    assert found.hits[0].passage.chunk_id == "ferry#00"
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    ids = [hit.passage.chunk_id for hit in library.search(asked, top_k=20).hits]
    assert len(ids) == len(set(ids)), "what was moved up does not come again"
    english = library.search(asked, top_k=6, where=Where(languages=("en",)))
    assert {hit.passage.language for hit in english.hits} == {"en"}


def test_words_quoted_in_a_question_are_looked_for_apart(library):
    asked = "Somebody told me of dreams and mirrors, dreams, a mirror, and {}. Where is that?"

    def place(words):
        hits = library.search(asked.format(words), top_k=20).hits
        return [hit.passage.chunk_id for hit in hits].index("ferry#04")

    assert place("“who speaks only in questions”") < place("who speaks only in questions")
