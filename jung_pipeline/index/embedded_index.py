"""The embedded vector index: exact cosine over memory-mapped segments, no daemon, nothing to tune.

::

    index/segments/<volume>/<digest>.arrow        a segment, named by its content, never changed
    index/segments/<volume>/<model>.json          pointer: the newest good segment under that model

A pointer is replaced atomically, so a reader sees the old segment or the new one, and a stale vector cannot
exist: what a volume holds is what its last ``replace_volume`` was given. Models have pointers of their own and
never meet. A lost or damaged file counts as absent, so that bringing the volume up to date writes it anew. At 47,576 passages an exact product costs 4 to 11 CPU-ms a query, recall 1.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from jung_pipeline import tables
from jung_pipeline.catalogue import KEY_PATTERN
from jung_pipeline.errors import StageError, VectorIndexError
from jung_pipeline.index import segments
from jung_pipeline.index.files import exclusive
from jung_pipeline.index.filters import Mask
from jung_pipeline.index.segments import Segment
from jung_pipeline.index.vector_index import IndexSpec, Match, StoredVector, Vectors, VolumeChange, Where

#: A filter that leaves less than this share of a segment's rows is applied before the product, not after.
_GATHER_BELOW = 0.3


class SegmentReader:
    """Answers queries over a fixed set of segments (see ``vector_index.VectorReader``)."""

    def __init__(self, spec: IndexSpec, opened: Mapping[str, Segment]) -> None:
        """``opened`` is the segment of each volume.

        Raises:
            ModelMismatchError: one was made with another model.
        """
        self.spec = spec
        self._opened = dict(opened)
        for segment in opened.values():
            if not segments.comparable(self.spec, segment.spec):
                raise segments.mismatch(self.spec, segment.spec, where=str(segment.path))

    @property
    def segments(self) -> dict[str, Segment]:
        """The open segments by volume."""
        return self._opened

    def count(self, volume: str | None = None) -> int:
        """Vectors of ``volume``, or of all volumes."""
        if volume is None:
            return sum(map(len, self.segments.values()))
        return len(self.segments[volume]) if volume in self.segments else 0

    def volumes(self) -> list[str]:
        """Keys of the volumes that have vectors, sorted."""
        return [volume for volume, segment in self.segments.items() if len(segment)]

    def list_ids(self, volume: str) -> list[str]:
        """Ids of the passages of ``volume``, sorted."""
        return sorted(self.segments[volume].ids) if volume in self.segments else []

    def fetch(self, ids: Sequence[str]) -> dict[str, StoredVector]:
        """The vectors of ``ids`` with all columns of ``schemas.CHUNKS``; unknown ids are left out."""
        found = {}
        for chunk_id in ids:
            segment = self.segments.get(chunk_id.rpartition("#")[0])
            row = segment.rows.get(chunk_id) if segment else None
            if segment is not None and row is not None:
                found[chunk_id] = StoredVector(chunk_id, segment.matrix[row], segment.row(row))
        return found

    def query(self, vector: Vectors, *, top_k: int, where: Where | None = None) -> list[Match]:
        """The ``top_k`` passages nearest to ``vector`` among those that pass ``where``, best first.

        Equal scores are ordered by id, so that an answer does not depend on the order of the rows.
        """
        question = segments.check_question(vector, self.spec)
        question = question / np.linalg.norm(question)
        scored = []
        for volume, segment in self.segments.items():
            if not len(segment) or (where and where.volumes and volume not in where.volumes):
                continue
            scored.append((segment, *_scored(segment, question, segment.filterable.mask(where))))
        if top_k <= 0 or not scored:
            return []
        # One cut through all segments: of each only what passes it is looked at, and those that equal the last one.
        every = np.concatenate([scores for *_, scores in scored])
        least = np.partition(every, len(every) - top_k)[len(every) - top_k] if top_k < len(every) else -np.inf
        matches: list[Match] = []
        for segment, rows, scores in scored:
            places = np.flatnonzero(scores >= least)
            found = places if rows is None else rows[places]
            ids = segment.ids_of(found)
            matches += map(Match, ids, scores[places].tolist())
        matches.sort(key=lambda match: (-match.score, match.chunk_id))
        return matches[:top_k]


def _scored(segment: Segment, question: Vectors, mask: Mask | None) -> tuple[Any, Vectors]:
    """Row numbers (``None``: all, in order) and cosines of the rows that pass ``mask``."""
    # Row by row: one product of the whole matrix is handed to all cores at once, and where these are busy each of
    # the many small segments would wait for them.
    if mask is None:
        return None, np.vecdot(segment.matrix, question)
    rows = np.flatnonzero(mask)
    if len(rows) < _GATHER_BELOW * len(mask):
        return rows, np.vecdot(segment.matrix[rows], question)
    return rows, np.vecdot(segment.matrix, question)[rows]


class EmbeddedIndex(SegmentReader):
    """The pipeline side of the embedded index (see ``vector_index.VectorIndex``)."""

    def __init__(self, root: Path, spec: IndexSpec) -> None:
        """``root`` is the index folder of the library; it need not exist yet."""
        super().__init__(spec, {})
        self._current: dict[str, Segment] | None = None
        self.root = root
        self._folder = root / "segments"
        self._suffix = f"{pointer_name(spec)}.json"

    @property
    def segments(self) -> dict[str, Segment]:
        """The newest segments of this model, opened when first needed; a damaged one stops no other volume."""
        if self._current is None:
            self._current = {}
            for volume, pointer in self.pointers().items():
                with contextlib.suppress(VectorIndexError):
                    self._current[volume] = Segment(self._file(volume, pointer["digest"]))
        return self._current

    def pointers(self) -> dict[str, dict[str, Any]]:
        """What the pointers of this model say, by volume; a damaged one counts as absent."""
        found = {}
        for path in sorted(self._folder.glob(f"*/{self._suffix}")):
            pointer = _read_pointer(path)
            if pointer is not None:
                found[path.parent.name] = pointer
        return found

    def problem(self, volume: str) -> str:
        """Why the newest segment of ``volume`` cannot be used, in words; "" if it can. Reads no rows."""
        pointer = _read_pointer(self._pointer(volume))
        if pointer is None:
            lost = self._pointer(volume).exists()
            return "its entry in the index is damaged" if lost else "it is not in the index"
        try:
            segment = Segment(self._file(volume, pointer["digest"]))
        except VectorIndexError as error:
            return str(error)
        if len(segment) != pointer["chunks"]:
            return f"its index segment has {len(segment):,} passages, not {pointer['chunks']:,}"
        return ""

    def query(self, vector: Vectors, *, top_k: int, where: Where | None = None) -> list[Match]:
        """As :meth:`SegmentReader.query`; refused where there are vectors of other models alone."""
        if not self.segments:
            for path in sorted(self._folder.glob("*/*.json")):
                pointer = _read_pointer(path)
                if pointer is not None:
                    theirs = IndexSpec(**pointer["spec"])
                    raise segments.mismatch(self.spec, theirs, where=f"The index at {self.root}")
        return super().query(vector, top_k=top_k, where=where)

    def replace_volume(
        self, volume: str, chunks: pa.Table, vectors: Vectors, windows: Sequence[Vectors] | None = None
    ) -> VolumeChange:
        """Make ``volume`` hold exactly ``chunks`` with ``vectors``; see ``vector_index.VectorIndex``."""
        self._check_key(volume)
        table = segments.with_vectors(volume, chunks, vectors, self.spec, windows)
        digest = segments.digest_of(table, self.spec)
        pointer = {
            "digest": digest,
            "spec": asdict(self.spec),
            "chunks": table.num_rows,
            "tokens": sum(table.column("embedder_tokens").to_pylist()),
            "chunks_digest": chunks_digest(chunks),
            "data_version": tables.info_of(chunks).get("data_version"),
        }
        text = json.dumps(pointer, ensure_ascii=False, sort_keys=True, indent=1)
        path, target = self._file(volume, digest), self._pointer(volume)
        with self._writing():
            old = self._newest(volume)
            change = _change(old, table)
            if old is None or old.path != path:
                segments.write(path, table, self.spec)
            if _text_of(target) != text:
                tables.write_text(target, text)
            self._sweep(volume)
        self._current = None
        return change

    def remove_volume(self, volume: str) -> int:
        """Take ``volume`` out; the number of vectors that it had."""
        self._check_key(volume)
        if not (self._folder / volume).is_dir():
            return 0
        with self._writing():
            old = self._newest(volume)
            self._pointer(volume).unlink(missing_ok=True)
            self._sweep(volume)
        self._current = None
        return len(old) if old else 0

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """One writer at a time, and nobody composes a version meanwhile: sweeping takes what no pointer names.

        Raises:
            VectorIndexError: the disk does not take it; what was there before stays.
        """
        try:
            with exclusive(self._folder):
                yield
        except StageError as error:
            raise VectorIndexError(error.message, remedy=error.remedy) from error
        except OSError as error:
            raise VectorIndexError(
                f"The index in {self.root} cannot be written ({error.strerror or error}).",
                remedy="Look at its disk and its rights, and run the same command again.",
            ) from error

    def settle(self) -> None:
        """Nothing to wait for: a renamed pointer is visible at once."""

    def segment_path(self, volume: str) -> Path | None:
        """The newest segment of ``volume``, or ``None``."""
        pointer = _read_pointer(self._pointer(volume))
        return self._file(volume, pointer["digest"]) if pointer else None

    def _newest(self, volume: str) -> Segment | None:
        """The open newest segment of ``volume``; ``None`` if there is none that is as it was written."""
        path = self.segment_path(volume)
        try:
            segment = Segment(path) if path else None
            if path and segment:
                segment.verify(path.stem)
            return segment
        except VectorIndexError:  # damaged: it is about to be replaced
            return None

    def _sweep(self, volume: str) -> None:
        """Remove the segments of ``volume`` that no pointer names; versions hold links of their own."""
        folder = self._folder / volume
        if not folder.is_dir():
            return
        pointers = [_read_pointer(path) for path in folder.glob("*.json")]
        used = {pointer["digest"] for pointer in pointers if pointer}
        for path in folder.glob("*.arrow"):
            if path.stem not in used:
                path.unlink(missing_ok=True)
        for path in folder.glob(tables.TEMPORARY):  # half-written, by a writer that was killed
            path.unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()

    def _pointer(self, volume: str) -> Path:
        return self._folder / volume / self._suffix

    def _file(self, volume: str, digest: str) -> Path:
        return self._folder / volume / f"{digest}.arrow"

    @staticmethod
    def _check_key(volume: str) -> None:
        if not KEY_PATTERN.fullmatch(volume):
            raise VectorIndexError(f"{volume!r} is not a volume key: 1 to 80 of a-z, 0-9, '-' and '_'.")


def pointer_name(spec: IndexSpec) -> str:
    """A file name for the model of ``spec``: two models with one name and other prefixes stay apart."""
    exact = json.dumps([spec.model, spec.dimension, spec.passage_prefix, spec.query_prefix])
    slug = "".join(c if c.isalnum() and c.isascii() else "-" for c in spec.model.lower())
    return f"{slug}-{spec.dimension}-{hashlib.sha256(exact.encode()).hexdigest()[:6]}"


def chunks_digest(chunks: pa.Table) -> str:
    """Digest of a chunk table as it came, to tell later whether a segment was made from it."""
    return tables.content_digest(chunks)[:24]


def _read_pointer(path: Path) -> dict[str, Any] | None:
    """What the pointer at ``path`` says; ``None`` where there is none that makes sense."""
    try:
        pointer = json.loads(path.read_text(encoding="utf-8"))
        IndexSpec(**pointer["spec"])
        return {
            "digest": str(pointer["digest"]),
            "spec": pointer["spec"],
            "chunks": int(pointer["chunks"]),
            "tokens": int(pointer["tokens"]),
            "chunks_digest": pointer["chunks_digest"],
            "data_version": pointer["data_version"],
        }
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _text_of(path: Path) -> str | None:
    """The text of a small file; ``None`` where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _change(old: Segment | None, new: pa.Table) -> VolumeChange:
    """What replacing ``old`` by the rows of ``new`` does. A passage with another vector counts as added."""
    if old is None:
        return VolumeChange(added=new.num_rows, kept=0, updated=0, removed=0)
    ids = new.column("chunk_id").to_pylist()
    fresh = segments.matrix_of(new)
    rows = segments.passages_of(new).to_pylist()
    before = old.passages.to_pylist()
    kept = updated = 0
    for place, chunk_id in enumerate(ids):
        row = old.rows.get(chunk_id)
        if row is None or not np.array_equal(old.matrix[row], fresh[place]):
            continue
        if before[row] == rows[place]:
            kept += 1
        else:
            updated += 1
    return VolumeChange(
        added=len(ids) - kept - updated, kept=kept, updated=updated, removed=len(old) - kept - updated
    )
