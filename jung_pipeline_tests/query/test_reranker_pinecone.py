"""The hosted reranker through the unmodified SDK: another order, the same passages, and errors that name the way out."""

from __future__ import annotations

import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline.errors import ServiceError
from jung_pipeline.query.library import Library
from jung_pipeline.query.passages import Hit, Passage
from jung_pipeline.query.reranker_pinecone import rerank
from jung_pipeline_tests.query.fixtures_library import rows
from jung_pipeline_tests.query.tiny_index import HashingEmbedder, TinyVersion
from jung_pipeline_tests.standins.pinecone_server import PineconeServer


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("PINECONE_API_KEY", "pc-test")
    with PineconeServer() as server:
        yield settings_module.load(tmp_path, pinecone_host=server.url, reranker="pinecone")


def hits(*texts):
    return [Hit(Passage.from_text(text, number=n), 1.0 / n) for n, text in enumerate(texts, 1)]


def test_the_passage_that_reads_like_an_answer_comes_first(settings):
    found = rerank(
        "who trims the lamp", hits("A well.", "The lamp burns.", "She who trims the lamp."), settings
    )
    assert [hit.passage.text for hit in found][:2] == ["She who trims the lamp.", "The lamp burns."]
    assert found[0].score > found[1].score > found[2].score
    assert rerank("anything", [], settings) == []


def test_what_lies_behind_the_first_few_keeps_its_order(settings):
    many = hits(*(f"Text {n}." for n in range(45)))
    found = rerank("text", many, settings)
    assert found[30:] == many[30:] and {h.passage.text for h in found} == {h.passage.text for h in many}


def test_a_search_uses_it_where_the_setting_says_so(settings):
    embedder = HashingEmbedder()
    question = "Who taught the oars to his daughter when the ferryman grew old?"
    result = Library(TinyVersion(rows(), embedder), embedder, settings).search(question)
    assert result.hits[0].passage.chunk_id == "ferry#05"
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True) and scores[0] <= 1.0


def test_what_fails_says_how_to_do_without(settings, monkeypatch):
    with pytest.raises(ServiceError, match="of-old"):
        rerank("a", hits("b", "c"), settings.model_copy(update={"reranker_model": "of-old"}))
    monkeypatch.delenv("PINECONE_API_KEY")
    with pytest.raises(ServiceError, match="PINECONE_API_KEY"):
        rerank("a", hits("b", "c"), settings)
