"""Finding passages by their words: stems of their language, no query syntax, filters."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jung_pipeline.errors import VectorIndexError
from jung_pipeline.index.lexical_tantivy import LexicalIndex, build
from jung_pipeline.index.vector_index import Where
from jung_pipeline_tests.index.passages import chunk_table

TEXTS = {
    "keepers": ("en", "The keepers counted many clocks by the lake."),
    "götter": ("de", "Der Krieg war lang. Die Götter schwiegen in ihren Häusern."),
    "father": ("en", "War is the father of all dreams."),
    "syntax": (None, 'He wrote "AND" OR (x) on the door; the dreams of keepers.'),
    "cafe": ("fr", "Un café près du lac."),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> LexicalIndex:
    folder = tmp_path_factory.mktemp("lexical") / "index"
    chunks = chunk_table(
        "tales",
        [text for _, text in TEXTS.values()],
        language=[language for language, _ in TEXTS.values()],
        chapter=["Chapter I: The Tower", None, None, None, None],
        kind=["body", "body", "note", "body", "body"],
    )
    assert build(folder, chunks.to_pylist()) == len(TEXTS)
    return LexicalIndex(folder)


def found(index: LexicalIndex, question: str | list[str], **options) -> list[str]:
    ids = chunk_table("tales", [text for _, text in TEXTS.values()]).column("chunk_id").to_pylist()
    names = dict(zip(ids, TEXTS, strict=True))
    return [names[match.chunk_id] for match in index.search(question, top_k=9, **options)]


def test_words_are_found_in_every_form_of_their_language(index: LexicalIndex) -> None:
    assert set(found(index, "Who are the counters and the keeper?")) == {"keepers", "syntax"}
    assert found(index, "Gott") == found(index, "gotter") == found(index, "Go\u0308tter") == ["götter"]
    assert found(index, "Haus") == ["götter"]
    assert found(index, "cafe") == ["cafe"]
    assert set(found(index, "dreaming")) == {"father", "syntax"}


def test_a_function_word_counts_only_where_it_is_a_word(index: LexicalIndex) -> None:
    assert found(index, "war") == ["father"]
    assert found(index, "Was war der Krieg?") == ["götter", "father"]


def test_headings_help_less_than_text(index: LexicalIndex) -> None:
    assert found(index, "tower") == ["keepers"]


def test_terms_may_be_given_instead_of_a_question(index: LexicalIndex) -> None:
    assert set(found(index, ["clocks", "dreams"])) == {"keepers", "father", "syntax"}


@pytest.mark.parametrize("question", ["", "  ?! ", "zzzunknown", "()"])
def test_nothing_to_look_up_finds_nothing(index: LexicalIndex, question: str) -> None:
    assert found(index, question) == []


def test_filters(index: LexicalIndex) -> None:
    assert found(index, "keeper dreams war", where=Where(languages=("de",))) == []
    assert found(index, "keeper dreams war", where=Where(kinds=("note",))) == ["father"]
    assert found(index, "keeper dreams", where=Where(pages=(4, 4))) == ["syntax"]
    assert found(index, "keeper", where=Where(chapters=("Chapter I: The Tower",))) == ["keepers"]
    assert found(index, "keeper", where=Where(volumes=("other",))) == []
    assert set(found(index, "keeper dreams", where=Where(works=("The Book of Tales",)))) == {
        "keepers",
        "father",
        "syntax",
    }


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet=st.sampled_from('ab:"()[]{}^~*?\\/+-!&|<> keeper\n'), max_size=60) | st.text(max_size=40)
)
def test_no_question_is_read_as_syntax(index: LexicalIndex, question: str) -> None:
    matches = index.search(question + " keepers", top_k=9)
    assert {"tales"} == {match.chunk_id.split("#")[0] for match in matches}
    assert len(matches) >= 2


def test_a_very_long_question_is_bounded(index: LexicalIndex) -> None:
    assert set(found(index, "keeper " + "word " * 200_000)) == {"keepers", "syntax"}
    assert set(found(index, "keeper " + "x" * 100_000)) == {"keepers", "syntax"}


def test_a_missing_index_is_a_plain_error(tmp_path: Path) -> None:
    with pytest.raises(VectorIndexError, match="jung ingest"):
        LexicalIndex(tmp_path).search("keeper", top_k=1)


@pytest.mark.parametrize("suffix", [".store", ".idx", ".pos", ".term", ".fast", ".fieldnorm"])
def test_a_damaged_file_is_an_error_with_a_remedy_and_no_crash(tmp_path, suffix):
    rows = chunk_table(
        "tale", [f"The keeper counted clock {n} of the tower." for n in range(200)]
    ).to_pylist()
    build(tmp_path / "lexical", rows)
    for path in (tmp_path / "lexical").glob(f"*{suffix}"):
        data = bytearray(path.read_bytes())
        for at in range(len(data) // 3, len(data), 3):
            data[at] ^= 0xFF
        path.write_bytes(bytes(data))
    try:
        LexicalIndex(tmp_path / "lexical").search("keeper clock tower", top_k=50)
    except VectorIndexError as error:
        assert "jung ingest" in str(error)
