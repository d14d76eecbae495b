"""Opens versions of the index. A reader keeps the version it opened, whatever becomes of its folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from jung_pipeline.errors import VectorIndexError
from jung_pipeline.index import segments
from jung_pipeline.index.closeness import Closeness
from jung_pipeline.index.embedded_index import SegmentReader
from jung_pipeline.index.manifest import Manifest
from jung_pipeline.index.passages import Passages
from jung_pipeline.index.segments import Segment
from jung_pipeline.index.vector_index import VectorReader

if TYPE_CHECKING:
    from jung_pipeline.index.lexical_tantivy import LexicalIndex
    from jung_pipeline.settings import Settings

#: Begins the name of a version that is being made.
STAGING = ".staging-"


@dataclass
class IndexVersion:
    """A version. Its files are opened when first needed, or all at once by :meth:`open`."""

    path: Path
    manifest: Manifest
    settings: Settings | None = None  # where a remote store must be reached
    local: bool = False  # vectors from the segments, whatever the store

    def segment_path(self, volume: str) -> Path:
        """The segment of ``volume``."""
        return self.path / "segments" / f"{volume}.arrow"

    @cached_property
    def segments(self) -> dict[str, Segment]:
        """The open segments by volume."""
        return segments.open_segments({volume: self.segment_path(volume) for volume in self.manifest.volumes})

    @cached_property
    def passages(self) -> Passages:
        """The passages."""
        return Passages(self.segments)

    @cached_property
    def vectors(self) -> VectorReader:
        """The vectors: local segments, or the remote store that the manifest names."""
        if self.local or self.manifest.store["kind"] == "embedded":
            return SegmentReader(self.manifest.spec, self.segments)
        from jung_pipeline.index.registry import open_remote

        return open_remote(self.manifest, self.settings)

    @cached_property
    def closeness(self) -> Closeness:
        """How near passages come to a question; from the segments, which there are whatever the store."""
        return Closeness(self.segments)

    @cached_property
    def lexical(self) -> LexicalIndex:
        """The words of the passages."""
        from jung_pipeline.index.lexical_tantivy import LexicalIndex

        return LexicalIndex(self.path / "lexical")

    def open(self, *, contents: bool = False) -> None:
        """Open every file, so that the version can be read even when its folder is gone. Reads no rows.

        With ``contents``, the files of the lexical index are read through and held against what was written.

        Raises:
            VectorIndexError: one is missing or damaged, or holds another number of passages than it should.
        """
        for volume, entry in self.manifest.volumes.items():
            if len(self.segments[volume]) != entry.chunks:
                raise self._damaged(
                    f"{volume} has {len(self.segments[volume]):,} passages, not {entry.chunks:,}"
                )
        for name, facts in self.manifest.lexical.get("files", {}).items():
            path = self.path / "lexical" / name
            if not path.is_file() or path.stat().st_size != facts["bytes"]:
                raise self._damaged(f"lexical/{name} is {'cut short' if path.is_file() else 'missing'}")
        if contents:
            from jung_pipeline.index.lexical_tantivy import described

            now = described(self.path / "lexical")
            for name, facts in self.manifest.lexical.get("files", {}).items():
                if now[name]["sha256"] != facts["sha256"]:
                    raise self._damaged(f"lexical/{name} does not hold what was written to it")
        if self.lexical.count() != self.manifest.passages:
            raise self._damaged(f"{self.lexical.count():,} of {self.manifest.passages:,} passages have words")

    def _damaged(self, what: str) -> VectorIndexError:
        return VectorIndexError(
            f"Version {self.manifest.version} of the index is damaged: {what}.",
            remedy="Run `jung ingest`; a new version is made.",
        )


def open_current(index_dir: Path, settings: Settings | None = None) -> IndexVersion:
    """The live version of the index in ``index_dir``, with all its files open.

    Raises:
        VectorIndexError: there is none yet, or it is damaged.
    """
    while True:
        tried = current_id(index_dir)
        try:
            version = read_current(index_dir, settings)
            version.open()
        except VectorIndexError:
            if current_id(index_dir) == tried:
                raise
            continue  # replaced and pruned between two looks: the one that is live now
        return version


def read_current(index_dir: Path, settings: Settings | None = None) -> IndexVersion:
    """The live version of the index in ``index_dir``, of which only the manifest has been read.

    Raises:
        VectorIndexError: there is none yet, or its manifest is damaged.
    """
    version = current_id(index_dir)
    if version is None:
        raise VectorIndexError(
            f"There is no index in {index_dir} yet.",
            remedy="Take books in with `jung add` and run `jung ingest`.",
        )
    path = index_dir / "versions" / version
    return IndexVersion(path, Manifest.read(path / "manifest.json"), settings)


def current_id(index_dir: Path) -> str | None:
    """Id of the live version; ``None`` without one, or where CURRENT says nothing that makes sense.

    Raises:
        VectorIndexError: this user may not read it.
    """
    path = index_dir / "CURRENT"
    try:
        version = path.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    except OSError as error:
        raise VectorIndexError(
            f"{path} cannot be read ({error.strerror}).",
            remedy=segments.remedy_for(error, "Look at its disk."),
        ) from error
    return version if version and Path(version).name == version and "\0" not in version else None


def version_ids(index_dir: Path) -> list[str]:
    """Ids of all versions, in the order in which they were made."""
    folder = index_dir / "versions"
    return sorted(p.name for p in folder.glob("*") if p.is_dir() and not p.name.startswith(STAGING))


def readable_versions(index_dir: Path) -> Iterator[IndexVersion]:
    """The versions whose manifest can be read: the live one, then the others, newest first."""
    live = current_id(index_dir)
    for version in dict.fromkeys([*([live] if live else []), *reversed(version_ids(index_dir))]):
        path = index_dir / "versions" / version
        try:
            yield IndexVersion(path, Manifest.read(path / "manifest.json"))
        except VectorIndexError:
            continue
