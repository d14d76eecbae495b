"""Where the segment of each volume comes from when a version is composed: the newest that is whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from jung_pipeline import tables
from jung_pipeline.errors import StageError, VectorIndexError
from jung_pipeline.index.embedded_index import EmbeddedIndex, chunks_digest
from jung_pipeline.index.manifest import FORMAT, VolumeEntry
from jung_pipeline.index.reading import IndexVersion, readable_versions
from jung_pipeline.index.segments import Segment, comparable
from jung_pipeline.index.vector_index import IndexSpec
from jung_pipeline.library import Home


@dataclass(frozen=True)
class Source:
    """Where the segment of a volume comes from."""

    path: Path
    entry: VolumeEntry
    chunks: Path | None  # the chunk table, where the segment was made from it as it is now

    @property
    def problem(self) -> str:
        """Why it cannot be used, as far as can be told without reading rows; "" if it can."""
        try:
            count = len(Segment(self.path))
        except VectorIndexError as error:
            return str(error)
        return "" if count == self.entry.chunks else f"{self.path} has {count} passages"

    def as_last_good(self) -> Source:
        """The same, said to be older than the chunk table of now."""
        return replace(self, entry=replace(self.entry, fresh=False), chunks=None)


def candidates(
    home: Home, spec: IndexSpec, volumes: Mapping[str, Path]
) -> Iterator[tuple[str, Iterator[Source]]]:
    """For each volume, sorted: the segment its pointer names, then those in versions, the live one first."""
    index = EmbeddedIndex(home.index, spec)
    pointers = index.pointers()
    kept: list[IndexVersion] = []  # their manifests, read when the first volume needs one, and once
    for volume in sorted(volumes):
        yield volume, _of(volume, volumes[volume], pointers.get(volume), index, kept, spec)


def chosen(home: Home, spec: IndexSpec, volumes: Mapping[str, Path]) -> tuple[dict[str, Source], list[str]]:
    """The first candidate of each volume that opens, and the volumes that have none."""
    found, missing = {}, []
    for volume, options in candidates(home, spec, volumes):
        source = next((option for option in options if not option.problem), None)
        if source is None:
            missing.append(volume)
        else:
            found[volume] = source
    return found, missing


def composition(
    spec: IndexSpec,
    sources: Mapping[str, Source],
    missing: list[str],
    store: Mapping[str, Any],
    calibration_version: str,
) -> str:
    """Digest of everything that makes one version differ from another."""
    from jung_pipeline.index import lexical_tantivy

    parts = {
        "format": [FORMAT, lexical_tantivy.FORMAT],
        "spec": asdict(spec),
        "store": dict(store),
        "volumes": {volume: [s.entry.digest, s.entry.fresh] for volume, s in sources.items()},
        "missing": missing,
        "calibration": calibration_version,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _of(
    volume: str,
    chunks: Path,
    pointer: Mapping[str, Any] | None,
    index: EmbeddedIndex,
    versions: list[IndexVersion],
    spec: IndexSpec,
) -> Iterator[Source]:
    """The segments that ``volume`` may be taken from, best first."""
    path = index.segment_path(volume) if pointer else None
    if pointer and path:
        fresh = _made_from(chunks, pointer)
        entry = VolumeEntry(
            digest=pointer["digest"],
            chunks=pointer["chunks"],
            tokens=pointer["tokens"],
            data_version=pointer["data_version"],
            fresh=fresh,
        )
        yield Source(path, entry, chunks if fresh else None)
    if not versions:
        versions += readable_versions(index.root)
    for version in versions:
        kept = version.manifest.volumes.get(volume)
        if kept is None or not comparable(spec, version.manifest.spec):
            return  # taken out since, or of another model: what older versions hold of it is not wanted
        yield Source(version.segment_path(volume), replace(kept, fresh=False), None)


def _made_from(path: Path, pointer: Mapping[str, Any]) -> bool:
    """Whether the segment of ``pointer`` was made from the chunk table at ``path`` as it is now.

    The data version in the footer tells without reading the rows, where both have one.
    """
    info = tables.read_info(path)
    if info is None:
        return False
    if info.get("data_version") and pointer["data_version"]:
        return bool(info["data_version"] == pointer["data_version"])
    try:
        return chunks_digest(tables.read_table(path)) == pointer["chunks_digest"]
    except StageError:
        return False
