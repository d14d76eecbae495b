from __future__ import annotations

import pytest

from jung_pipeline.concepts.lexicon import lexicon_digest, load_lexicon

LEXICON = load_lexicon()


def test_names_are_lower_case_and_related_concepts_exist() -> None:
    assert len(LEXICON.concepts) >= 100
    for name, concept in LEXICON.concepts.items():
        assert name == name.lower()
        assert name not in concept.related
        assert set(concept.related) <= set(LEXICON.concepts)


def test_every_form_finds_its_concept_in_a_question() -> None:
    for concept in LEXICON.concepts.values():
        for form in concept.forms:
            assert LEXICON.match_query(f"… {form} …"), form
            assert LEXICON.expand(form), form


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("The shadow fell on the persona.", {"shadow", "persona"}),
        ("A shadowy room, overshadowed and unshadowed.", set()),
        ("The collective unconscious is not personal.", {"collective unconscious"}),
        ("Der Schatten und die Große Mutter.", {"shadow", "great mother"}),
        ("Die Grosse Mutter und das Bewußtsein.", {"great mother", "consciousness"}),
        ("His anima-image spoke.", {"anima"}),
        ("The EXTRAVERTED and the extroverted type.", {"extraversion"}),
        ("the Philosophers’ Stone", {"lapis"}),
        ("He withdrew into him­self.", set()),
    ],
)
def test_tags(text: str, tags: set[str]) -> None:
    assert set(LEXICON.tag(text)) == tags


def test_everyday_words_need_their_context() -> None:
    assert "complex" not in LEXICON.tag("The timetable of trains was complex.")
    assert "complex" in LEXICON.tag("The repressed complex disturbed each reaction.")
    assert "self" not in LEXICON.tag("Her own self mattered little; he did it himself, selbst gemacht.")
    assert "self" in LEXICON.tag("He speaks of the Self at the end.")
    assert "self" in LEXICON.tag("Am Ende steht das Selbst.")
    assert "self" not in LEXICON.tag("Individuation needs self-knowledge.")
    assert "self" in LEXICON.tag("Individuation leads to the self.")


def test_questions_are_read_generously() -> None:
    assert LEXICON.match_query("what is the self?") == ["self"]
    assert LEXICON.match_query("was ist das selbst") == ["self"]
    assert LEXICON.match_query("How do you bake bread?") == []


def test_the_most_frequent_concept_comes_first() -> None:
    assert LEXICON.tag("Libido, anima, anima, persona.") == ["anima", "libido", "persona"]


def test_expansion_crosses_languages() -> None:
    assert "Schatten" in LEXICON.expand("shadow")
    assert LEXICON.expand("Übertragung")[0] == "transference"
    assert LEXICON.expand("breadcrumb") == ()
    assert "persona" in LEXICON.related("Schatten")


def test_letters_that_fold_to_several_keep_positions() -> None:
    assert LEXICON.tag("İİİ Straße ŉ the Self ΐ shadow") == ["self", "shadow"]


def test_digest_is_stable() -> None:
    assert lexicon_digest() == lexicon_digest() and len(lexicon_digest()) == 64
