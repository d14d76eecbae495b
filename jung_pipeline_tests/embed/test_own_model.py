"""Models of the owner's: what their files state, and a tiny one truly run where sentence-transformers is there."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline.embed.model_folder import folder_of, spec_of
from jung_pipeline.embed.registry import embedder_name, embedder_spec, make_embedder
from jung_pipeline.errors import EmbeddingError
from jung_pipeline.stages import code_version, stage_path

WORDS = [
    "the",
    "keeper",
    "counted",
    "stones",
    "by",
    "lake",
    "a",
    "clock",
    "stood",
    "still",
    "query",
    "passage",
    ":",
    ".",
]


def write(folder: Path, *, width: int = 32, limit: int | None = 24, **config: object) -> Path:
    """The files by which a model says what it is; no weights."""
    files: dict[str, object] = {
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": width, "pooling_mode_mean_tokens": True},
        "sentence_bert_config.json": {"max_seq_length": limit, "do_lower_case": False},
        "config_sentence_transformers.json": config,
        "config.json": {"max_position_embeddings": 40},
        "tokenizer_config.json": {"model_max_length": 30},
    }
    for name, values in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    return folder


def test_a_model_states_what_it_is_without_being_loaded(tmp_path: Path) -> None:
    plain = spec_of(str(write(tmp_path / "Modèle 1")))
    assert (plain.dimension, plain.max_tokens, plain.passage_prefix, plain.query_prefix) == (32, 24, "", "")
    assert plain.model.isascii() and " " not in plain.model
    prompts = {"query": "Frage: ", "document": "Text: "}
    own = spec_of(str(write(tmp_path / "own", prompts=prompts, truncate_dim=16)))
    assert (own.dimension, own.passage_prefix, own.query_prefix) == (16, "Text: ", "Frage: ")
    told = spec_of(str(tmp_path / "own"), passage_prefix="passage: ", query_prefix="")
    assert (told.passage_prefix, told.query_prefix) == ("passage: ", "")
    unlimited = spec_of(str(write(tmp_path / "unlimited", limit=None)))
    assert unlimited.max_tokens == 30, "the tokenizer's, which is less than its positions"


def test_two_models_of_one_name_are_two_models(tmp_path: Path) -> None:
    one, other = write(tmp_path / "a" / "model"), write(tmp_path / "b" / "model")
    (one / "model.safetensors").write_bytes(b"1" * 1000)
    (other / "model.safetensors").write_bytes(b"1" * 999 + b"2")
    assert spec_of(str(one)).model != spec_of(str(other)).model


def test_what_is_no_model_is_refused_with_the_remedy(tmp_path: Path) -> None:
    for model in (str(tmp_path), str(tmp_path / "nowhere"), ""):
        with pytest.raises(EmbeddingError) as caught:
            folder_of(model)
        assert "JUNG_SENTENCE_TRANSFORMERS_MODEL" in str(caught.value)
    with pytest.raises(EmbeddingError, match="JUNG_SENTENCE_TRANSFORMERS_MODEL"):
        embedder_spec(settings_module.load(tmp_path / "home", embedder="sentence-transformers"))


def test_a_model_has_passages_and_vectors_of_its_own(tmp_path: Path) -> None:
    """A model that reads less makes the passages due again; one that is changed makes the vectors due."""
    usual = settings_module.load(tmp_path / "home")
    found = []
    for name, limit in (("short", 24), ("long", 30)):
        model = write(tmp_path / name, limit=limit)
        found.append(
            settings_module.load(
                tmp_path / "home", embedder="sentence-transformers", sentence_transformers_model=str(model)
            )
        )
    for stage in ("chunks", "embeddings"):
        assert len({code_version(stage, settings) for settings in (usual, *found)}) == 3
    assert len({stage_path("embeddings", "north", settings) for settings in (usual, *found)}) == 3
    assert embedder_name(usual) == usual.embedder


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed"
)
def test_without_the_extra_the_remedy_names_it(tmp_path: Path) -> None:
    settings = settings_module.load(
        tmp_path / "home",
        embedder="sentence-transformers",
        sentence_transformers_model=str(write(tmp_path / "model")),
    )
    with pytest.raises(EmbeddingError, match=r"jung-pipeline\[sentence-transformers\]"):
        make_embedder(settings)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one layer with random weights, made here."""
    pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers is not installed")
    import torch
    from sentence_transformers import SentenceTransformer, models
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("tiny")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (folder / "vocab.txt").write_text("\n".join([*special, *WORDS]), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    config = BertConfig(
        vocab_size=len(special) + len(WORDS),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
    )
    BertModel(config).save_pretrained(folder / "bert")
    transformer = models.Transformer(str(folder / "bert"), max_seq_length=24)
    model = SentenceTransformer(
        modules=[transformer, models.Pooling(32)],
        prompts={"query": "query: ", "document": "passage: "},
        default_prompt_name="query",
        device="cpu",
    )
    model.save(str(folder / "model"))
    return folder / "model"


def test_a_tiny_model_embeds_passages_and_questions_with_their_prefixes(tiny: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    settings = settings_module.load(
        tmp_path, embedder="sentence-transformers", sentence_transformers_model=str(tiny)
    )
    embedder = make_embedder(settings)
    assert embedder.spec == embedder_spec(settings)
    assert (embedder.spec.dimension, embedder.spec.max_tokens) == (32, 24)
    passages = ["the keeper counted stones by the lake .", "a clock stood still ."] * 40
    told: list[int] = []
    vectors = embedder.embed_passages(passages, on_batch=told.append)
    assert told == [64, 80] and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    itself = SentenceTransformer(str(tiny), device="cpu")
    same = itself.encode(["passage: " + passages[0]], prompt="", normalize_embeddings=True)[0]
    assert float(same @ vectors[0]) > 0.9999, "the prefix is put on once, and no default prompt"
    asked = embedder.embed_query("a clock")
    assert asked.shape == (32,)
    again = itself.encode(["query: a clock"], prompt="", normalize_embeddings=True)[0]
    assert float(again @ asked) > 0.9999
    assert embedder.count_tokens(["a clock stood still ."]) == [9], "[CLS] passage : … [SEP]"
    assert embedder.embed_passages([]).shape == embedder.embed_queries([]).shape == (0, 32)
    with pytest.raises(EmbeddingError, match="longer than the 24"):
        embedder.embed_passages(["stones " * 30])
