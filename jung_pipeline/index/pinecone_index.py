"""The vector index at Pinecone (see ``vector_index.VectorIndex``): one serverless index, one namespace a spec.

A namespace plays the part of a version's folder: vectors of another model or another chunker are never in it,
and an old one stays as it is until it is deleted. Ids are ``<volume>#…``, so a volume's passages are listed by
prefix and deleted by known ids. Every write is one plain request with retries of our own, new passages are
written before old ones go, and :meth:`PineconeIndex.settle` waits for the service to show what it was given.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cached_property, partial
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from pinecone import ServerlessSpec
from pinecone.errors.exceptions import ConflictError, NotFoundError

from jung_pipeline import progress
from jung_pipeline.errors import ModelMismatchError, ServiceError, VectorIndexError
from jung_pipeline.index import segments
from jung_pipeline.index.pinecone_client import PATIENCE, READER_DEADLINE, READER_PATIENCE, call, client
from jung_pipeline.index.pinecone_records import Record, filter_of, packed, passage, record
from jung_pipeline.index.vector_index import IndexSpec, Match, StoredVector, Vectors, VolumeChange, Where
from jung_pipeline.settings import Settings

#: Ids in one request: to fetch (they travel in the address), to delete, and on a page of a list.
FETCH_IDS, DELETE_IDS, LIST_IDS = 100, 1000, 100
_ASK_LATER = (
    "Ask again later; or keep the vectors on this machine: set JUNG_STORE=embedded and run `jung ingest` "
    "(nothing is embedded again)."
)
#: Seconds that written vectors may take to become visible.
SETTLE_SECONDS = 120.0


def namespace_of(spec: IndexSpec) -> str:
    """The namespace for ``spec``: readable, ASCII, and another one for whatever makes vectors differ."""
    exact = hashlib.sha256(json.dumps(asdict(spec), sort_keys=True).encode()).hexdigest()[:10]
    return f"{re.sub('[^a-z0-9]+', '-', spec.model.lower())}-{exact}"


def reach(settings: Settings) -> str:
    """One line on the index of ``settings`` as the service describes it.

    Raises:
        ServiceError: the key is missing or refused, or the service cannot be reached.
    """
    pinecone = client(settings.pinecone_host, for_reader=True)
    names = call("listing indexes", lambda: [index.name for index in pinecone.indexes.list()], patience=5)
    if settings.pinecone_index not in names:
        return f"key accepted; index {settings.pinecone_index} does not exist yet and will be made"
    return f"key accepted; index {settings.pinecone_index} is there"


class PineconeIndex:
    """A namespace of a Pinecone index. Nothing is sent before it is first used."""

    def __init__(
        self,
        settings: Settings,
        spec: IndexSpec,
        *,
        namespace: str | None = None,
        for_reader: bool = False,
        patience: float | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``namespace`` defaults to that of ``spec``.

        The index is made if it is missing, but not ``for_reader``: then somebody waits for an answer, and a
        service that is down is soon told of. ``patience`` is how many seconds a failing call is tried again.
        """
        self.spec = spec
        self.name = settings.pinecone_index
        self.namespace = namespace or namespace_of(spec)
        self._settings = settings
        self._for_reader = for_reader
        self._patience = patience or (READER_PATIENCE if for_reader else PATIENCE)
        self._sleep = sleep
        self._written: int | None = None  # log position of the last upsert
        self._deleted: dict[str, set[str]] = {}  # ids deleted since the last settle, by volume

    @cached_property
    def _index(self) -> Any:
        """The data plane of the index, after making sure that its vectors are as long as ours."""
        pinecone = client(self._settings.pinecone_host, for_reader=self._for_reader)
        try:
            found = self._call("describing the index", lambda: pinecone.indexes.describe(self.name))
        except NotFoundError as error:
            if self._for_reader:
                raise VectorIndexError(
                    f"There is no Pinecone index {self.name}.", remedy="Run `jung ingest` to make it."
                ) from error
            found = self._made(pinecone)
        for field in found.schema.fields.values():
            dimension, metric = getattr(field, "dimension", None), getattr(field, "metric", None)
            if dimension and dimension != self.spec.dimension:
                raise ModelMismatchError(
                    f"Pinecone index {self.name} holds vectors of {dimension} numbers; {self.spec.model} gives "
                    f"{self.spec.dimension}.",
                    remedy="Set JUNG_PINECONE_INDEX to another name (it is made), or JUNG_EMBEDDER back.",
                )
            if metric and metric != "cosine":
                raise VectorIndexError(
                    f"Pinecone index {self.name} compares by {metric}, not by cosine.",
                    remedy="Set JUNG_PINECONE_INDEX to another name; it is made as it should be.",
                )
        return pinecone.index(host=found.host)

    def _made(self, pinecone: Any) -> Any:
        """The index, made now; another process may have been faster."""
        where = ServerlessSpec(cloud=self._settings.pinecone_cloud, region=self._settings.pinecone_region)
        try:
            return self._call(
                "making the index",
                lambda: pinecone.create_index(
                    name=self.name, dimension=self.spec.dimension, metric="cosine", spec=where, timeout=300
                ),
            )
        except ConflictError:
            return self._call("describing the index", lambda: pinecone.indexes.describe(self.name))

    def replace_volume(
        self, volume: str, chunks: pa.Table, vectors: Vectors, windows: Sequence[Vectors] | None = None
    ) -> VolumeChange:
        """Make the namespace hold exactly ``chunks`` with ``vectors`` for ``volume``; no ``windows``."""
        table = segments.with_vectors(volume, chunks, vectors, self.spec)
        matrix = segments.matrix_of(table)
        rows = table.drop_columns(["vector"]).to_pylist()
        records = [record(row, vector) for row, vector in zip(rows, matrix, strict=True)]
        self.settle()
        before = set(self.list_ids(volume))
        known = self._hashes([r["id"] for r in records if r["id"] in before])
        fresh, kept, updated = [], 0, 0
        for one in records:
            same_row, same_vector = _compare(one["metadata"], known.get(one["id"]))
            kept += same_row and same_vector
            updated += same_vector and not same_row
            if not (same_row and same_vector):
                fresh.append(one)
        self._upsert(fresh)
        stale = sorted(before - {one["id"] for one in records})
        self._delete(volume, stale)
        return VolumeChange(
            added=len(records) - kept - updated,
            kept=kept,
            updated=updated,
            removed=len(before) - kept - updated,
        )

    def remove_volume(self, volume: str) -> int:
        """Take all vectors of ``volume`` out, by their ids; the number removed."""
        self.settle()
        ids = self.list_ids(volume)
        self._delete(volume, ids)
        return len(ids)

    def settle(self) -> None:
        """Return when a query sees everything this object wrote.

        Raises:
            ServiceError: it took longer than two minutes.
        """
        waited, pause = 0.0, 0.05
        while not (self._upserts_visible() and self._deletes_visible()):
            if waited > SETTLE_SECONDS:
                raise ServiceError(
                    f"Pinecone has not shown what was written for {waited:.0f} s.",
                    remedy="Run `jung ingest` again later; nothing is sent twice.",
                )
            self._sleep(pause)
            waited += pause
            pause = min(pause * 2, 5.0)

    def _upserts_visible(self) -> bool:
        """Whether a query is answered from beyond the position of the last upsert."""
        if self._written is not None:
            probe = [1.0] + [0.0] * (self.spec.dimension - 1)
            answer = self._call(
                "waiting for",
                lambda: self._index.query(vector=probe, top_k=1, namespace=self.namespace),
            )
            info = answer.response_info
            if info is not None and not info.is_reconciled(self._written):
                return False
            self._written = None
        return True

    def _deletes_visible(self) -> bool:
        """Whether no deleted id is listed any more: the SDK gives no log position for a delete."""
        for volume, ids in list(self._deleted.items()):
            if ids.isdisjoint(self._ids(f"{volume}#")):
                del self._deleted[volume]
        return not self._deleted

    def count(self, volume: str | None = None) -> int:
        """Vectors of ``volume``, or of the namespace."""
        if volume is not None:
            return len(self.list_ids(volume))
        stats = self._call("counting vectors", lambda: self._index.describe_index_stats())
        there = stats.namespaces.get(self.namespace)
        return int(there.vector_count) if there else 0

    def volumes(self) -> list[str]:
        """Keys of the volumes that have vectors, sorted. Lists every id: a hundred a request."""
        return sorted({chunk_id.rpartition("#")[0] for chunk_id in self._ids("")})

    def list_ids(self, volume: str) -> list[str]:
        """Ids of the passages of ``volume``, sorted."""
        return sorted(self._ids(f"{volume}#"))

    def fetch(self, ids: Sequence[str]) -> dict[str, StoredVector]:
        """The vectors of ``ids`` with the columns of their passages, spans and nulls left out."""
        found = {}
        for chunk_id, stored in self._fetched(ids):
            vector = np.asarray(stored.values, dtype=np.float32)
            found[chunk_id] = StoredVector(chunk_id, vector, passage(chunk_id, stored.metadata or {}))
        return found

    def query(self, vector: Vectors, *, top_k: int, where: Where | None = None) -> list[Match]:
        """The ``top_k`` passages nearest to ``vector`` among those that pass ``where``, best first."""
        question = segments.check_question(vector, self.spec)
        if top_k <= 0:
            return []
        answer = self._call(
            "querying the index",
            lambda: self._index.query(
                vector=[float(value) for value in question],
                top_k=top_k,
                namespace=self.namespace,
                filter=filter_of(where),
            ),
        )
        matches = [Match(match.id, float(match.score)) for match in answer.matches]
        return sorted(matches, key=lambda match: (-match.score, match.chunk_id))

    def _call(self, what: str, attempt: Callable[[], Any]) -> Any:
        what = f"{what} {self.name}"
        if not self._for_reader:
            return call(what, attempt, patience=self._patience, sleep=self._sleep)
        return call(
            what,
            attempt,
            patience=self._patience,
            deadline=READER_DEADLINE,
            sleep=self._sleep,
            remedy=_ASK_LATER,
        )

    def _ids(self, prefix: str) -> Iterator[str]:
        """Ids that begin with ``prefix``, page by page, each page with retries of its own."""
        token: str | None = None
        while True:
            try:
                page = self._call(
                    "listing ids in",
                    partial(
                        self._index.list_paginated,
                        prefix=prefix or None,
                        limit=LIST_IDS,
                        pagination_token=token,
                        namespace=self.namespace,
                    ),
                )
            except NotFoundError:  # a namespace exists from its first vector on
                return
            yield from (item.id for item in page.vectors)
            token = page.pagination.next if page.pagination else None
            if not token:
                return

    def _fetched(self, ids: Sequence[str]) -> Iterator[tuple[str, Any]]:
        for some in _batched(dict.fromkeys(ids), FETCH_IDS):
            try:
                answer = self._call(
                    "fetching from",
                    partial(self._index.fetch, ids=some, namespace=self.namespace),
                )
            except NotFoundError:
                return
            yield from answer.vectors.items()

    def _hashes(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {chunk_id: dict(stored.metadata or {}) for chunk_id, stored in self._fetched(ids)}

    def _upsert(self, records: Sequence[Record]) -> None:
        done = 0
        for lot in packed(records):
            answer = self._call(
                "writing to",
                partial(self._index.upsert, vectors=lot, namespace=self.namespace),
            )
            if answer.upserted_count != len(lot):
                raise ServiceError(f"Pinecone took {answer.upserted_count} of {len(lot)} vectors.")
            position = answer.response_info.lsn_committed if answer.response_info else None
            if position is not None:
                self._written = max(position, self._written or 0)
            done += len(lot)
            progress.advance("vector_index", done, len(records))

    def _delete(self, volume: str, ids: Sequence[str]) -> None:
        for some in _batched(ids, DELETE_IDS):
            self._call(
                "deleting from",
                partial(self._index.delete, ids=some, namespace=self.namespace),
            )
            self._deleted.setdefault(volume, set()).update(some)


def _batched(ids: Iterable[str], size: int) -> Iterator[list[str]]:
    left = iter(ids)
    while lot := list(islice(left, size)):
        yield lot


def _compare(ours: dict[str, Any], theirs: dict[str, Any] | None) -> tuple[bool, bool]:
    """Whether the stored metadata and the stored vector are what they should be."""
    if theirs is None:
        return False, False
    return (
        ours["row_hash"] == theirs.get("row_hash"),
        ours["vector_hash"] == theirs.get("vector_hash"),
    )
