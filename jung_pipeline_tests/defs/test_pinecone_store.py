"""The whole line with Pinecone as the store: the unmodified SDK against a stand-in that enforces its limits."""

from __future__ import annotations

import pytest

from jung_pipeline import publishing, tables
from jung_pipeline import settings as settings_module
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.query.library import Library
from jung_pipeline_tests.small_books import put_epub
from jung_pipeline_tests.standins.pinecone_server import PineconeServer


@pytest.fixture
def remote(library, monkeypatch):
    """The library's settings with the store in the stand-in, and the stand-in."""
    with PineconeServer() as server:
        monkeypatch.setenv("PINECONE_API_KEY", "test")
        monkeypatch.setenv("JUNG_PINECONE_HOST", server.url)
        monkeypatch.setenv("JUNG_STORE", "pinecone")
        yield settings_module.load(library.home), server


def test_books_go_to_pinecone_questions_come_back_and_a_removed_book_is_gone(remote, library, monkeypatch):
    settings, server = remote
    put_epub(settings.paths.library, "north")
    south = put_epub(settings.paths.library, "south")
    assert {result.status for result in Ingestion(settings).run()} == {"done"}
    reader = Library.open(settings)
    found = reader.search("Who counted the stones of the north tower?")
    assert found.hits[0].passage.volume in {"north", "south"}
    assert reader.version.vectors.count() == reader.version.manifest.passages
    assert server.requests_to("/query"), "the vectors were asked of the service"
    south.unlink()
    with monkeypatch.context() as without:
        without.delenv("PINECONE_API_KEY")
        kept = {result.volume: result for result in Ingestion(settings).run()}
        assert (kept["north"].status, kept["south"].status) == ("fresh", "failed")
        assert "cannot be taken out" in kept["south"].problem and "PINECONE_API_KEY" in kept["south"].problem
    list(Ingestion(settings).run())
    assert Library.open(settings).version.vectors.volumes() == ["north"]
    # Back to the embedded store: the vectors are in the cache, so nothing is embedded.
    monkeypatch.setenv("JUNG_STORE", "embedded")
    local = settings_module.load(library.home)
    results = {result.volume: result for result in Ingestion(local).run()}
    assert results["north"].stages == ("vector_index",)
    assert tables.read_info(local.paths.embeddings(local.embedder, "north"))["embedded"] > 0
    assert Library.open(local).version.manifest.store == {"kind": "embedded"}


def test_without_a_key_the_volume_fails_with_the_remedy(library, monkeypatch):
    monkeypatch.setenv("JUNG_STORE", "pinecone")
    monkeypatch.delenv("PINECONE_API_KEY", raising=False)
    settings = settings_module.load(library.home)
    put_epub(settings.paths.library, "north")
    (result,) = Ingestion(settings).run()
    assert result.status == "failed"
    assert "PINECONE_API_KEY" in result.problem


def test_vectors_that_the_service_has_lost_are_missed_and_sent_again(remote):
    settings, server = remote
    put_epub(settings.paths.library, "north")
    list(Ingestion(settings).run())
    version = Library.open(settings).version
    for index in server.indexes.values():
        index.namespaces.clear()
    ingestion = Ingestion(settings)
    assert [result.status for result in ingestion.run()] == ["fresh"], "nothing on this machine tells"
    assert "missing in the remote store" in ingestion.not_published
    ingestion = Ingestion(settings)
    assert [result.stages for result in ingestion.run()] == [("vector_index",)]
    assert not ingestion.not_published
    again = Library.open(settings).version
    assert again.manifest.version == version.manifest.version
    assert again.vectors.count() == version.manifest.passages


def test_a_book_that_is_gone_while_the_service_is_down_is_told_and_taken_out_later(remote, monkeypatch):
    settings, _ = remote
    north, south = put_epub(settings.paths.library, "north"), put_epub(settings.paths.library, "south")
    list(Ingestion(settings).run())
    south.unlink()
    monkeypatch.delenv("PINECONE_API_KEY")
    (settings.paths.table("chunks", "north")).unlink()
    results = {result.volume: result for result in Ingestion(settings).run()}
    assert results["south"].status == "failed" and "cannot be taken out" in results["south"].problem
    assert "chunks" in results["north"].stages, "the other volumes go on"
    monkeypatch.setenv("PINECONE_API_KEY", "test")
    ingestion = Ingestion(settings)
    assert {result.volume for result in ingestion.run()} == {"north"}
    assert ingestion.removed == ["south"]
    assert Library.open(settings).version.vectors.volumes() == ["north"]
    assert north.exists()


def test_going_back_to_the_embedded_store_and_a_remote_one_that_loses_its_vectors(
    remote, library, monkeypatch
):
    settings, server = remote
    monkeypatch.setenv("JUNG_STORE", "embedded")
    local = settings_module.load(library.home)
    put_epub(local.paths.library, "north")
    list(Ingestion(local).run())
    first = Library.open(local).version.manifest.version
    monkeypatch.setenv("JUNG_STORE", "pinecone")
    list(Ingestion(settings).run())
    publishing.roll_back(settings, first)
    ingestion = Ingestion(settings)
    assert [result.status for result in ingestion.run()] == ["fresh"] and not ingestion.not_published
    server.indexes.clear()
    ingestion = Ingestion(settings)
    list(ingestion.run())
    assert "missing in the remote store" in ingestion.not_published, "held, and missed all the same"
