"""What every vector index does, whichever store keeps it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from jung_pipeline.errors import ModelMismatchError, VectorIndexError
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.vector_index import IndexSpec, VectorIndex, VolumeChange, Where
from jung_pipeline_tests.index.passages import chunk_table, spec, vectors_of

Opener = Callable[[IndexSpec], VectorIndex]


@pytest.fixture(params=["embedded", "pinecone"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opener:
    """Opens an index on one and the same store, with any spec."""
    if request.param == "embedded":
        return lambda wanted: EmbeddedIndex(tmp_path / "index", wanted)
    from jung_pipeline.index.pinecone_index import PineconeIndex
    from jung_pipeline.settings import load
    from jung_pipeline_tests.standins.pinecone_server import PineconeServer

    server = PineconeServer(lag=2)
    server.start()
    request.addfinalizer(server.stop)
    monkeypatch.setenv("PINECONE_API_KEY", "test-key")
    settings = load(tmp_path, store="pinecone", pinecone_host=server.url)
    return lambda wanted: PineconeIndex(settings, wanted)


@pytest.fixture
def index(opened: Opener) -> VectorIndex:
    return opened(spec())


def put(index: VectorIndex, volume: str, texts: list[str], **columns) -> VolumeChange:
    chunks = chunk_table(volume, texts, **columns)
    change = index.replace_volume(volume, chunks, vectors_of(chunks, index.spec.dimension))
    index.settle()
    return change


TALE = [f"Passage {number} of the tale." for number in range(10)]


def test_a_new_volume_is_added_and_found(index: VectorIndex) -> None:
    assert put(index, "tale", TALE) == VolumeChange(added=10, kept=0, updated=0, removed=0)
    chunks = chunk_table("tale", TALE)
    assert index.count() == index.count("tale") == 10
    assert index.volumes() == ["tale"]
    assert index.list_ids("tale") == sorted(chunks.column("chunk_id").to_pylist())
    matches = index.query(vectors_of(chunks)[3], top_k=3)
    assert matches[0].chunk_id == chunks.column("chunk_id")[3].as_py()
    assert matches[0].score == pytest.approx(1.0, abs=1e-5)
    assert [m.score for m in matches] == sorted((m.score for m in matches), reverse=True)
    assert len(matches) == 3


def test_an_empty_index_answers_nothing(index: VectorIndex) -> None:
    assert index.query(np.ones(8, dtype=np.float32), top_k=3) == []
    assert index.count() == 0
    assert index.count("tale") == 0
    assert index.volumes() == []
    assert index.list_ids("tale") == []
    assert index.fetch(["tale#0"]) == {}
    assert index.remove_volume("tale") == 0


def test_results_are_the_exact_nearest(index: VectorIndex) -> None:
    put(index, "tale", TALE)
    put(index, "other", [f"Other {number}." for number in range(15)])
    all_chunks = [chunk_table("tale", TALE), chunk_table("other", [f"Other {n}." for n in range(15)])]
    ids = [i for chunks in all_chunks for i in chunks.column("chunk_id").to_pylist()]
    matrix = np.concatenate([vectors_of(chunks) for chunks in all_chunks])
    question = np.random.default_rng(5).standard_normal(8).astype(np.float32)
    cosines = matrix @ question / np.linalg.norm(question)
    expected = [ids[row] for row in np.argsort(-cosines)[:7]]
    found = index.query(question, top_k=7)
    assert [match.chunk_id for match in found] == expected
    np.testing.assert_allclose([m.score for m in found], np.sort(cosines)[::-1][:7], atol=1e-5)


def test_writing_the_same_twice_changes_nothing(index: VectorIndex) -> None:
    put(index, "tale", TALE)
    assert put(index, "tale", TALE) == VolumeChange(added=0, kept=10, updated=0, removed=0)


def test_a_shorter_volume_leaves_no_surplus(index: VectorIndex) -> None:
    put(index, "tale", TALE)
    put(index, "other", TALE[:4])
    assert put(index, "tale", TALE[:6], next_chunk_id=None).removed == 4
    assert index.count("tale") == 6
    assert index.count("other") == 4


def test_changed_metadata_keeps_the_vector(index: VectorIndex) -> None:
    put(index, "tale", TALE)
    change = put(index, "tale", TALE, chapter="Chapter I: The Lake")
    assert change == VolumeChange(added=0, kept=0, updated=10, removed=0)
    assert (
        len(
            index.query(
                vectors_of(chunk_table("tale", TALE))[0],
                top_k=99,
                where=Where(chapters=("Chapter I: The Lake",)),
            )
        )
        == 10
    )


def test_a_replaced_passage_is_added_before_the_old_one_goes(index: VectorIndex) -> None:
    put(index, "tale", TALE)
    change = put(index, "tale", [*TALE[:9], "A new end."], prev_chunk_id=None, next_chunk_id=None)
    assert (change.added, change.removed) == (1, 1)
    assert index.list_ids("tale") == sorted(
        chunk_table("tale", [*TALE[:9], "A new end."]).column("chunk_id").to_pylist()
    )


def test_removing_a_volume_takes_its_own_passages_and_no_others(index: VectorIndex) -> None:
    for volume in ("letters", "letters-2", "letters_2"):
        put(index, volume, TALE[:3])
    assert index.remove_volume("letters") == 3
    assert index.remove_volume("letters") == 0
    index.settle()
    assert index.count("letters") == 0
    assert index.count("letters-2") == index.count("letters_2") == 3


def test_blank_passages_are_left_out_and_equal_ones_are_both_kept(index: VectorIndex) -> None:
    put(index, "tale", ["The wheel turns.", "", "   \n ", "A crow came.", "The wheel turns."])
    assert index.count("tale") == 3


def test_fetch_gives_vector_and_full_passage(index: VectorIndex) -> None:
    long = "ψυχή — " * 9000
    put(index, "tale", ["Short.", long], concepts=["shadow", "self"], author=None, work_title="Jung's “Tale”")
    ids = chunk_table("tale", ["Short.", long]).column("chunk_id").to_pylist()
    found = index.fetch([*ids, "tale#nothing", "gone#1"])
    assert sorted(found) == sorted(ids)
    np.testing.assert_allclose(
        found[ids[1]].vector, vectors_of(chunk_table("tale", ["Short.", long]))[1], atol=1e-6
    )
    assert found[ids[1]].metadata["text"] == long
    assert found[ids[0]].metadata["work_title"] == "Jung's “Tale”"
    assert found[ids[0]].metadata["concepts"] == ["shadow", "self"]
    assert found[ids[0]].metadata.get("author") is None


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Where(volumes=("b",)), {3, 4, 5}),
        (Where(volumes=("a", "b")), {0, 1, 2, 3, 4, 5}),
        (Where(works=("Jung's “A”",)), {0, 1, 2}),
        (Where(authors=("Ann",)), {0}),
        (Where(languages=("de",)), {3, 4, 5}),
        (Where(concepts=("anima",)), {1}),
        (Where(concepts=("shadow", "anima")), {0, 1, 3}),
        (Where(kinds=("note",)), {2, 5}),
        (Where(kinds=("note",), volumes=("b",)), {5}),
        (Where(pages=(2, 2)), {1, 4}),
        (Where(pages=(3, 99)), {2, 5}),
        (Where(chapters=("nowhere",)), set()),
    ],
)
def test_filters(index: VectorIndex, where: Where, expected: set[int]) -> None:
    first = {
        "work_title": "Jung's “A”",
        "author": ["Ann", None, None],
        "kind": ["body", "body", "note"],
    }
    chunks_a = chunk_table("a", ["a0", "a1", "a2"], **first)
    concepts = [["shadow"], ["anima", "self"], []]
    chunks_a = chunks_a.set_column(
        chunks_a.schema.get_field_index("concepts"),
        chunks_a.schema.field("concepts"),
        [concepts],
    )
    chunks_b = chunk_table("b", ["b0", "b1", "b2"], language="de", kind=["body", "body", "note"])
    chunks_b = chunks_b.set_column(
        chunks_b.schema.get_field_index("concepts"), chunks_b.schema.field("concepts"), [[["shadow"], [], []]]
    )
    for volume, chunks in (("a", chunks_a), ("b", chunks_b)):
        index.replace_volume(volume, chunks, vectors_of(chunks))
    index.settle()
    ids = chunks_a.column("chunk_id").to_pylist() + chunks_b.column("chunk_id").to_pylist()
    found = index.query(np.ones(8, dtype=np.float32), top_k=10, where=where)
    assert {ids.index(match.chunk_id) for match in found} == expected


@pytest.mark.parametrize(
    ("value", "word"),
    [(np.nan, "finite"), (np.inf, "finite"), (0.0, "zero length")],
)
def test_a_bad_vector_is_refused_by_name_and_nothing_is_written(
    index: VectorIndex, value: float, word: str
) -> None:
    chunks = chunk_table("tale", ["good", "bad"])
    vectors = vectors_of(chunks)
    vectors[1] = value
    with pytest.raises(VectorIndexError, match=word) as caught:
        index.replace_volume("tale", chunks, vectors)
    assert chunks.column("chunk_id")[1].as_py() in str(caught.value)
    index.settle()
    assert index.count("tale") == 0


def test_vectors_of_another_length_are_refused_with_both_numbers(index: VectorIndex) -> None:
    put(index, "tale", TALE[:2])
    chunks = chunk_table("other", TALE[:2])
    with pytest.raises(VectorIndexError, match=r"other#\w+ has 12 numbers.* 8"):
        index.replace_volume("other", chunks, vectors_of(chunks, 12))
    with pytest.raises(ModelMismatchError, match=r"12 numbers.* 8"):
        index.query(np.ones(12, dtype=np.float32), top_k=1)
    assert index.count() == 2


def test_another_model_never_meets_the_vectors_that_are_there(opened: Opener) -> None:
    put(opened(spec()), "tale", TALE[:2])
    with pytest.raises(ModelMismatchError, match=r"8.*12|12.*8"):
        opened(spec(dimension=12, model="larger")).query(np.ones(12, dtype=np.float32), top_k=1)
    other = opened(spec(model="other-model"))
    put(other, "tale", TALE[:1])
    assert other.count() == 1
    assert opened(spec()).count() == 2


def test_vectors_are_matched_to_passages_by_number(index: VectorIndex) -> None:
    chunks = chunk_table("tale", TALE)
    with pytest.raises(VectorIndexError, match="10 passages came with 9 vectors"):
        index.replace_volume("tale", chunks, vectors_of(chunks)[:9])


def test_ids_that_no_store_could_hold_are_refused(index: VectorIndex) -> None:
    chunks = chunk_table("tale", ["a", "b"], chunk_id=["tale#1", "tale#Müller"])
    with pytest.raises(VectorIndexError, match="ASCII"):
        index.replace_volume("tale", chunks, vectors_of(chunks))
    twice = chunk_table("tale", ["a", "b"], chunk_id=["tale#1", "tale#1"])
    with pytest.raises(VectorIndexError, match="twice"):
        index.replace_volume("tale", twice, vectors_of(twice))
    assert index.count() == 0
