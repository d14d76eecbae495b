"""What is particular to Pinecone: limits, failures of the service, late visibility."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from jung_pipeline import tables
from jung_pipeline.errors import IndexAuditError, ModelMismatchError, ServiceError, VectorIndexError
from jung_pipeline.index import pinecone_index
from jung_pipeline.index.pinecone_index import PineconeIndex, namespace_of, reach
from jung_pipeline.index.pinecone_records import MAX_BYTES, MAX_RECORDS, packed, passage, record, shortest
from jung_pipeline.index.registry import MirroredIndex, open_index, store_of
from jung_pipeline.index.versions import open_current, publish
from jung_pipeline.settings import Settings, load
from jung_pipeline_tests.index.passages import chunk_table, spec, vectors_of
from jung_pipeline_tests.standins.pinecone_server import MAX_METADATA_BYTES, MAX_REQUEST_BYTES, PineconeServer

TALE = [f"Passage {number} of the tale." for number in range(6)]


@pytest.fixture
def server() -> Iterator[PineconeServer]:
    with PineconeServer(lag=2) as server:
        yield server


@pytest.fixture
def settings(server: PineconeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("PINECONE_API_KEY", "test-key")
    return load(tmp_path, store="pinecone", pinecone_host=server.url)


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def index(settings: Settings, waits: list[float]) -> PineconeIndex:
    return PineconeIndex(settings, spec(), sleep=waits.append)


def put(index, volume: str, texts: list[str], **columns):
    chunks = chunk_table(volume, texts, **columns)
    return index.replace_volume(volume, chunks, vectors_of(chunks, index.spec.dimension))


def test_requests_stay_within_the_limits(server: PineconeServer, settings: Settings) -> None:
    index = PineconeIndex(settings, spec(dimension=1024))
    texts = [f"Passage {number} of the tale. " * 100 for number in range(420)]
    assert put(index, "tale", texts).added == 420
    upserts = server.requests_to("/vectors/upsert")
    assert sum(request.vectors for request in upserts) == 420
    assert all(request.size <= MAX_REQUEST_BYTES and request.vectors <= 200 for request in upserts)
    assert len(upserts) < 10
    index.settle()
    assert index.count("tale") == 420
    assert index.remove_volume("tale") == 420
    index.settle()
    assert index.count() == 0


def test_metadata_has_no_nulls_and_large_passages_are_packed(
    server: PineconeServer, index: PineconeIndex
) -> None:
    put(index, "tale", ["Short.", "ψυχή — the soul. " * 5000], part=None, author="Ann", concepts=["self"])
    for request in server.requests_to("/vectors/upsert"):
        for metadata in request.metadata:
            assert None not in metadata.values()
            assert len(str(metadata).encode()) <= MAX_METADATA_BYTES
            assert "spans" not in metadata
    incompressible = "".join(chr(code) for code in np.random.default_rng(1).integers(0x4E00, 0x9FFF, 40_000))
    with pytest.raises(VectorIndexError, match=r"tale#\w+ is too large"):
        put(index, "tale", [incompressible])


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_shortest_floats_lose_nothing(values: list[float]) -> None:
    vector = np.array(values, dtype=np.float32)
    np.testing.assert_array_equal(np.array(shortest(vector), dtype=np.float32), vector)


@hypothesis_settings(deadline=None)
@given(st.lists(st.integers(0, 900_000), max_size=30))
def test_packing_keeps_order_and_limits(sizes: list[int]) -> None:
    records = [{"id": str(n), "values": [], "metadata": {"text": "x" * size}} for n, size in enumerate(sizes)]
    lots = list(packed(records))
    assert [one for lot in lots for one in lot] == records
    for lot in lots:
        assert len(lot) <= MAX_RECORDS
        assert sum(len(one["metadata"]["text"]) for one in lot) <= MAX_BYTES


@given(st.text(max_size=200))
def test_a_passage_survives_the_trip(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    row = chunk_table("tale", [text], author="Ann").to_pylist()[0]
    sent = record(row, vectors_of(chunk_table("tale", ["x"]))[0])
    back = passage(
        sent["id"], {k: float(v) if isinstance(v, int) else v for k, v in sent["metadata"].items()}
    )
    assert {k: v for k, v in row.items() if v is not None and v != []} == back


def test_a_quota_is_waited_for_as_long_as_the_service_asks(
    server: PineconeServer, index: PineconeIndex, waits: list[float]
) -> None:
    put(index, "tale", TALE[:1])
    index.settle()
    waits.clear()
    server.fail("/vectors/upsert", status=429, times=8, retry_after=0.1)
    put(index, "tale", TALE)
    assert waits == [0.1, 0.1]
    index.settle()
    assert index.count("tale") == 6


def test_a_dropped_connection_is_tried_again(server: PineconeServer, index: PineconeIndex) -> None:
    put(index, "tale", TALE[:1])
    server.fail("/vectors/upsert", drop=True, times=2)
    server.fail("/vectors/list", status=503)
    put(index, "tale", TALE)
    index.settle()
    assert index.count("tale") == 6


def test_a_service_that_stays_down_ends_in_one_error_and_keeps_the_old_passages(
    server: PineconeServer, settings: Settings, waits: list[float]
) -> None:
    index = PineconeIndex(settings, spec(), patience=0.5, sleep=waits.append)
    put(index, "tale", TALE)
    index.settle()
    waits.clear()
    server.fail("/vectors/upsert", status=500, times=10_000)
    with pytest.raises(ServiceError, match="writing to"):
        put(index, "tale", [*TALE[:3], "A new end."], prev_chunk_id=None, next_chunk_id=None)
    assert not waits
    server.faults.clear()
    assert index.count("tale") == 6


def test_a_refused_key_and_a_missing_key_say_so(
    server: PineconeServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.api_key = "another"
    with pytest.raises(ServiceError, match="refused the key"):
        PineconeIndex(settings, spec()).count()
    monkeypatch.delenv("PINECONE_API_KEY")
    with pytest.raises(ServiceError, match="PINECONE_API_KEY is not set"):
        PineconeIndex(settings, spec()).count()
    with pytest.raises(ServiceError, match="PINECONE_API_KEY"):
        reach(settings)


def test_reach_tells_whether_the_index_is_there(settings: Settings, index: PineconeIndex) -> None:
    assert "does not exist yet" in reach(settings)
    index.count()
    assert "is there" in reach(settings)


def test_new_passages_are_written_before_old_ones_are_deleted(
    server: PineconeServer, index: PineconeIndex
) -> None:
    put(index, "tale", TALE)
    server.requests.clear()
    put(index, "tale", ["All new."])
    paths = [request.path for request in server.requests]
    assert paths.index("/vectors/upsert") < paths.index("/vectors/delete")
    (deletion,) = server.requests_to("/vectors/delete")
    assert sorted(deletion.body["ids"]) == sorted(chunk_table("tale", TALE).column("chunk_id").to_pylist())
    assert not deletion.body.get("filter")
    assert not deletion.body.get("deleteAll")


def test_nothing_is_sent_twice_for_an_unchanged_volume(server: PineconeServer, index: PineconeIndex) -> None:
    put(index, "tale", TALE)
    server.requests.clear()
    assert put(index, "tale", TALE).kept == 6
    assert not server.requests_to("/vectors/upsert")
    assert not server.requests_to("/vectors/delete")


def test_an_index_of_another_length_is_refused_with_both_numbers(
    settings: Settings, index: PineconeIndex
) -> None:
    put(index, "tale", TALE)
    with pytest.raises(ModelMismatchError, match=r"8 numbers.*1024"):
        put(PineconeIndex(settings, spec(dimension=1024)), "tale", TALE)


def test_namespaces_tell_models_and_chunkers_apart() -> None:
    names = {namespace_of(spec()), namespace_of(spec(model="b")), namespace_of(spec(chunker="2"))}
    assert len(names) == 3
    assert all(name.isascii() for name in names)


def test_a_published_version_reads_the_namespace_it_was_audited_against(settings: Settings) -> None:
    wanted = spec()
    index = open_index(settings, wanted)
    assert isinstance(index, MirroredIndex)
    chunks = chunk_table("tale", TALE)
    tables.write_table(settings.paths.table("chunks", "tale"), chunks)
    index.replace_volume("tale", chunks, vectors_of(chunks))
    index.settle()
    volumes = {"tale": settings.paths.table("chunks", "tale")}
    store = store_of(settings, wanted)
    manifest = publish(settings.paths, wanted, volumes, store=store, remote=index)
    assert manifest.store == {"kind": "pinecone", "index": "jung", "namespace": namespace_of(wanted)}
    version = open_current(settings.paths.index, settings)
    (match,) = version.vectors.query(vectors_of(chunks)[2], top_k=1)
    assert version.passages[match.chunk_id]["text"] == TALE[2]
    assert version.lexical.count() == 6

    index.remote.remove_volume("tale")
    index.settle()
    more = {**volumes, "other": settings.paths.table("chunks", "other")}
    with pytest.raises(VectorIndexError, match="missing in the remote store"):
        publish(settings.paths, wanted, more, store=store, remote=index)


def test_calibration_asks_the_segments_and_not_the_service(
    server: PineconeServer, settings: Settings
) -> None:
    index = open_index(settings, spec())
    chunks = chunk_table("tale", TALE)
    tables.write_table(settings.paths.table("chunks", "tale"), chunks)
    index.replace_volume("tale", chunks, vectors_of(chunks))
    index.settle()
    server.requests.clear()
    manifest = publish(
        settings.paths,
        spec(),
        {"tale": settings.paths.table("chunks", "tale")},
        store=store_of(settings, spec()),
        remote=index,
        settings=settings,
        calibrate=lambda version: {
            "nearest": version.vectors.query(vectors_of(chunks)[2], top_k=1)[0].chunk_id
        },
    )
    assert manifest.calibration["nearest"] == chunks.column("chunk_id")[2].as_py()
    assert not server.requests_to("/query")
    assert open_current(settings.paths.index, settings).vectors.query(vectors_of(chunks)[2], top_k=1)
    assert server.requests_to("/query"), "a reader asks the service"


def test_vectors_that_the_service_has_lost_are_missed_though_nothing_else_changed(settings: Settings) -> None:
    index = open_index(settings, spec())
    assert isinstance(index, MirroredIndex)
    chunks = chunk_table("tale", TALE)
    tables.write_table(settings.paths.table("chunks", "tale"), chunks)
    index.replace_volume("tale", chunks, vectors_of(chunks))
    index.settle()
    volumes = {"tale": settings.paths.table("chunks", "tale")}
    store = store_of(settings, spec())
    first = publish(settings.paths, spec(), volumes, store=store, remote=index)
    assert publish(settings.paths, spec(), volumes, store=store, remote=index) == first
    index.remote.remove_volume("tale")
    index.settle()
    with pytest.raises(IndexAuditError, match="missing in the remote store") as caught:
        publish(settings.paths, spec(), volumes, store=store, remote=index)
    assert caught.value.volumes == ("tale",)
    assert index.replace_volume("tale", chunks, vectors_of(chunks)).added == 6
    index.settle()
    assert publish(settings.paths, spec(), volumes, store=store, remote=index) == first


@pytest.mark.parametrize("how", ["refuses", "is silent", "puts off"])
def test_somebody_who_waits_for_an_answer_is_told_soon(
    how: str, server: PineconeServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bounds are those of a reader, a tenth as long: what takes 12 seconds here would take two minutes."""
    for name in ("READER_PATIENCE", "READER_DEADLINE"):
        monkeypatch.setattr(pinecone_index, name, getattr(pinecone_index, name) / 10)
    put(PineconeIndex(settings, spec()), "tale", TALE)
    reader = PineconeIndex(settings, spec(), for_reader=True)
    assert reader.count() >= 0
    address = urlsplit(server.url).hostname
    with socket.create_server((address, 0)) as silent:
        if how == "refuses":
            server.fail("/query", status=503, times=1000)
        elif how == "puts off":
            server.fail("/query", status=429, times=1000, retry_after=20)
        else:
            url = f"http://{address}:{silent.getsockname()[1]}"
            reader = PineconeIndex(
                settings.model_copy(update={"pinecone_host": url}), spec(), for_reader=True
            )
        begun = time.monotonic()
        with pytest.raises(ServiceError, match=r"querying the index jung.*JUNG_STORE=embedded"):
            reader.query(vectors_of(chunk_table("tale", TALE))[0], top_k=3)
        assert time.monotonic() - begun < 5
