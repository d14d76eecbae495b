"""Which vector index the settings ask for. Vendor modules are imported only when theirs is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from jung_pipeline.embed.embedder import EmbedderSpec
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.vector_index import (
    IndexSpec,
    Match,
    StoredVector,
    VectorIndex,
    VectorReader,
    Vectors,
    VolumeChange,
    Where,
)
from jung_pipeline.settings import Settings

if TYPE_CHECKING:
    from jung_pipeline.index.versions import Manifest


def index_spec(embedder: EmbedderSpec, chunker_version: str) -> IndexSpec:
    """What all vectors of an index of this embedder and chunker share."""
    return IndexSpec(
        model=embedder.model,
        dimension=embedder.dimension,
        max_tokens=embedder.max_tokens,
        passage_prefix=embedder.passage_prefix,
        query_prefix=embedder.query_prefix,
        chunker_version=chunker_version,
    )


def open_index(settings: Settings, spec: IndexSpec) -> VectorIndex:
    """The vector index of ``settings``; with Pinecone, local segments are kept in step beside it.

    Raises:
        ModelMismatchError: the remote index has vectors of another dimension.
        ServiceError: the remote store cannot be reached, or there is no key for it.
    """
    local = EmbeddedIndex(settings.paths.index, spec)
    if settings.store == "embedded":
        return local
    from jung_pipeline.index.pinecone_index import PineconeIndex

    return MirroredIndex(PineconeIndex(settings, spec), local)


def store_of(settings: Settings, spec: IndexSpec) -> dict[str, Any]:
    """How a manifest describes the store of ``settings``."""
    if settings.store == "embedded":
        return {"kind": "embedded"}
    from jung_pipeline.index.pinecone_index import namespace_of

    return {"kind": "pinecone", "index": settings.pinecone_index, "namespace": namespace_of(spec)}


def open_remote(manifest: Manifest, settings: Settings | None) -> VectorReader:
    """The remote store that ``manifest`` names."""
    from jung_pipeline.index.pinecone_index import PineconeIndex
    from jung_pipeline.settings import load

    chosen = settings or load()
    return PineconeIndex(
        chosen.model_copy(update={"pinecone_index": manifest.store["index"]}),
        manifest.spec,
        namespace=manifest.store["namespace"],
        for_reader=True,
    )


class MirroredIndex:
    """A remote index with local segments kept in step.

    Queries go to the remote store. The segments serve the passages, the lexical index and the audit of a
    version, so that these are the same on every store.
    """

    def __init__(self, remote: VectorIndex, local: EmbeddedIndex) -> None:
        """Both must have the same spec."""
        self.remote = remote
        self.local = local
        self.spec = remote.spec

    def replace_volume(
        self, volume: str, chunks: pa.Table, vectors: Vectors, windows: Sequence[Vectors] | None = None
    ) -> VolumeChange:
        """Bring the remote store up to date, then the local segment; what changed is the remote's."""
        change = self.remote.replace_volume(volume, chunks, vectors, windows)
        self.local.replace_volume(volume, chunks, vectors, windows)
        return change

    def remove_volume(self, volume: str) -> int:
        """Take ``volume`` out of both; the number removed from the remote store."""
        removed = self.remote.remove_volume(volume)
        self.local.remove_volume(volume)
        return removed

    def settle(self) -> None:
        """Return when the remote store shows everything that was written."""
        self.remote.settle()

    def count(self, volume: str | None = None) -> int:
        """Vectors in the remote store."""
        return self.remote.count(volume)

    def volumes(self) -> list[str]:
        """Volumes in the remote store."""
        return self.remote.volumes()

    def list_ids(self, volume: str) -> list[str]:
        """Ids in the remote store."""
        return self.remote.list_ids(volume)

    def fetch(self, ids: Sequence[str]) -> dict[str, StoredVector]:
        """Vectors from the remote store."""
        return self.remote.fetch(ids)

    def query(self, vector: Vectors, *, top_k: int, where: Where | None = None) -> list[Match]:
        """The nearest passages by the remote store."""
        return self.remote.query(vector, top_k=top_k, where=where)
