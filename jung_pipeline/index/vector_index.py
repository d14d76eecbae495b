"""What a vector index is, whichever store keeps it. One contract suite runs against every implementation.

Words and meaning are indexed apart: the lexical index (``lexical_tantivy.py``) is the same on every store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class IndexSpec:
    """What all vectors of one index share; a mismatch is refused with a message that names both sides."""

    model: str
    dimension: int
    max_tokens: int
    passage_prefix: str
    query_prefix: str
    chunker_version: str


@dataclass(frozen=True)
class Where:
    """A filter on passages: a passage passes if it matches one of the values in every field that has any."""

    volumes: tuple[str, ...] = ()
    works: tuple[str, ...] = ()  # work_title, exact
    authors: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    chapters: tuple[str, ...] = ()  # chapter as cited, exact
    concepts: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()  # body, note
    pages: tuple[int, int] | None = None  # position pages, first and last, any overlap passes

    def __bool__(self) -> bool:
        return self != Where()


@dataclass(frozen=True)
class Match:
    """A passage found by a vector query: cosine similarity, best first."""

    chunk_id: str
    score: float


@dataclass(frozen=True)
class StoredVector:
    """A vector as the store holds it, with the metadata kept beside it."""

    chunk_id: str
    vector: Vectors
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class VolumeChange:
    """What bringing a volume up to date did, in passages."""

    added: int
    kept: int  # same id, same vector, same metadata: nothing sent
    updated: int  # same id and vector, changed metadata
    removed: int


class VectorReader(Protocol):
    """The query side of a vector index."""

    @property
    def spec(self) -> IndexSpec:
        """Model and dimension of every vector in it."""
        ...

    def count(self, volume: str | None = None) -> int:
        """Vectors of ``volume``, or of all volumes."""
        ...

    def volumes(self) -> list[str]:
        """Keys of the volumes that have vectors, sorted."""
        ...

    def list_ids(self, volume: str) -> list[str]:
        """Ids of the passages of ``volume``, sorted."""
        ...

    def fetch(self, ids: Sequence[str]) -> dict[str, StoredVector]:
        """The vectors of ``ids``; ids that are not there are left out."""
        ...

    def query(self, vector: Vectors, *, top_k: int, where: Where | None = None) -> list[Match]:
        """The ``top_k`` passages nearest to ``vector`` by cosine among those that pass ``where``, best first."""
        ...


class VectorIndex(VectorReader, Protocol):
    """The pipeline side of a vector index."""

    def replace_volume(
        self, volume: str, chunks: pa.Table, vectors: Vectors, windows: Sequence[Vectors] | None = None
    ) -> VolumeChange:
        """Make the store hold exactly ``chunks`` (``schemas.CHUNKS``) with ``vectors`` for ``volume``.

        ``windows`` are the vectors of each passage's windows (``embed/windows.py``). They are kept in local
        segments alone, which there are beside every store.

        Creates before it deletes; running it twice changes nothing the second time; blank passages are
        left out.

        Raises:
            VectorIndexError: a vector is not finite, not of the index's dimension or of zero length (the
                chunk is named), before anything is written.
            ModelMismatchError: the store holds vectors of another model or dimension.
        """
        ...

    def remove_volume(self, volume: str) -> int:
        """Take all vectors of ``volume`` out, by their ids; the number removed. Not there: 0."""
        ...

    def settle(self) -> None:
        """Return when everything written is visible to queries."""
        ...
