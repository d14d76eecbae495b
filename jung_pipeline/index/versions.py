"""Versions of the index: immutable folders, made aside, audited, and put live by replacing one small file.

::

    index/CURRENT                                 id of the live version
    index/versions/<id>/manifest.json             what it is made of, and the audit
    index/versions/<id>/segments/<volume>.arrow   hard links to the segments (copies where links cannot be)
    index/versions/<id>/lexical/                  the lexical index of all its passages

Readers keep the version they opened; a killed writer leaves the old one live; going back is writing an older
id into CURRENT.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jung_pipeline import tables
from jung_pipeline.errors import StageError, VectorIndexError
from jung_pipeline.index import segments
from jung_pipeline.index.audit import VolumeAudit, audit_volume
from jung_pipeline.index.embedded_index import EmbeddedIndex, SegmentReader, chunks_digest
from jung_pipeline.index.files import exclusive, link, sync, sync_folder
from jung_pipeline.index.passages import Passages
from jung_pipeline.index.segments import Segment
from jung_pipeline.index.vector_index import IndexSpec, VectorReader
from jung_pipeline.library import Home

if TYPE_CHECKING:
    from jung_pipeline.index.lexical_tantivy import LexicalIndex
    from jung_pipeline.settings import Settings

FORMAT = 1
_STAGING = ".staging-"


@dataclass(frozen=True)
class VolumeEntry:
    """One volume of a version."""

    digest: str  # of its segment
    chunks: int
    tokens: int  # embedder tokens
    data_version: str | None  # of the chunk table, as its stage stated it
    fresh: bool  # made from the chunk table as it is now; False: the last good one of a volume that failed


@dataclass(frozen=True)
class Manifest:
    """What a version is made of (``manifest.json``)."""

    version: str
    composition: str  # equal compositions are equal versions
    created: str  # ISO 8601, UTC
    spec: IndexSpec
    volumes: dict[str, VolumeEntry]
    missing: list[str]  # volumes of the catalogue without any good segment yet
    audit: dict[str, Any]
    store: dict[str, Any]  # {"kind": "embedded"} or {"kind": "pinecone", "index": …, "namespace": …}
    lexical: dict[str, Any]
    calibration: dict[str, Any] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def passages(self) -> int:
        """Passages in all volumes."""
        return sum(entry.chunks for entry in self.volumes.values())

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """The manifest at ``path``; raises VectorIndexError where it cannot be used."""
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["format"] != FORMAT:
                raise VectorIndexError(
                    f"{path} has format {values['format']}; this program reads {FORMAT}.",
                    remedy="Run `jung ingest` to build the index anew.",
                )
            values["spec"] = IndexSpec(**values["spec"])
            values["volumes"] = {key: VolumeEntry(**entry) for key, entry in values["volumes"].items()}
            return cls(**values)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise VectorIndexError(
                f"The manifest {path} cannot be read ({error}).",
                remedy="Run `jung ingest` to build the index.",
            ) from error


@dataclass
class IndexVersion:
    """An open version. Nothing is read before it is asked for."""

    path: Path
    manifest: Manifest
    settings: Settings | None = None  # where a remote store must be reached

    @property
    def _paths(self) -> dict[str, Path]:
        return {volume: self.path / "segments" / f"{volume}.arrow" for volume in self.manifest.volumes}

    @cached_property
    def passages(self) -> Passages:
        """The passages."""
        return Passages(self._paths)

    @cached_property
    def vectors(self) -> VectorReader:
        """The vectors: local segments, or the remote store that the manifest names."""
        if self.manifest.store["kind"] == "embedded":
            return SegmentReader(self.manifest.spec, self._paths)
        from jung_pipeline.index.registry import open_remote

        return open_remote(self.manifest, self.settings)

    @cached_property
    def lexical(self) -> LexicalIndex:
        """The words of the passages."""
        from jung_pipeline.index.lexical_tantivy import LexicalIndex

        return LexicalIndex(self.path / "lexical")


def open_current(index_dir: Path, settings: Settings | None = None) -> IndexVersion:
    """The live version of the index in ``index_dir``.

    Raises:
        VectorIndexError: there is none yet, or it is damaged.
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
    """Id of the live version, or ``None``."""
    try:
        return (index_dir / "CURRENT").read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None


def publish(
    home: Home,
    spec: IndexSpec,
    volumes: Mapping[str, Path],
    *,
    store: Mapping[str, Any] | None = None,
    remote: VectorReader | None = None,
    calibrate: Callable[[IndexVersion], dict[str, Any]] | None = None,
    calibration_version: str = "",
    settings: Settings | None = None,
    force: bool = False,
) -> Manifest:
    """Make the newest good segments of ``volumes`` the live version, if they are not already.

    A volume whose segment is older than its chunk table, or gone, keeps its last good one (``fresh`` says so);
    a volume that is not in ``volumes`` is left out.

    Args:
        home: The library.
        spec: The model and limits of the settings.
        volumes: Every volume of the catalogue with the path of its chunk table.
        store: How the manifest describes the vector store; default the embedded one.
        remote: The remote store to hold against the segments in the audit.
        calibrate: Called with the finished version before it goes live; the result is kept in the manifest.
        calibration_version: Of the rules behind ``calibrate``: another one makes another version.
        settings: Handed to the version given to ``calibrate``.
        force: Build the version even if nothing changed (a new calibration, for instance).

    Returns:
        The manifest of the live version: unchanged if the composition is.

    Raises:
        VectorIndexError: the audit failed; the message names the passages, and the old version stays live.
    """
    with exclusive(home.index):
        sources, missing = _sources(home, spec, volumes)
        store = dict(store or {"kind": "embedded"})
        composition = _composition(spec, sources, missing, store, calibration_version)
        before = _current_or_none(home.index)
        if before and before.manifest.composition == composition and not force:
            return before.manifest
        now = datetime.now(UTC)
        version = f"{now:%Y%m%dT%H%M%S%f}"[:-3] + f"-{composition[:8]}"
        staged = home.index / "versions" / f"{_STAGING}{version}"
        _clear_staging(home.index)
        try:
            for volume, source in sources.items():
                link(source.path, staged / "segments" / f"{volume}.arrow")
            audits = _audit(staged, spec, sources, remote)
            manifest = Manifest(
                version=version,
                composition=composition,
                created=now.isoformat(timespec="seconds"),
                spec=spec,
                volumes={volume: source.entry for volume, source in sources.items()},
                missing=missing,
                audit={"passed": True, "volumes": [audit.to_dict() for audit in audits]},
                store=store,
                lexical=_lexical(staged, sources, before),
            )
            if calibrate:
                result = calibrate(IndexVersion(staged, manifest, settings))
                manifest = Manifest(**{**_shallow(manifest), "calibration": result})
            _write_manifest(staged, manifest)
            sync(staged)
            staged.rename(home.index / "versions" / version)
            sync_folder(home.index / "versions")
            _make_current(home.index, version)
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            raise
        return manifest


def is_live(
    home: Home,
    spec: IndexSpec,
    volumes: Mapping[str, Path],
    *,
    store: Mapping[str, Any] | None = None,
    calibration_version: str = "",
) -> bool:
    """Whether :func:`publish` with the same arguments would change nothing."""
    before = _current_or_none(home.index)
    if before is None:
        return False
    sources, missing = _sources(home, spec, volumes)
    store = dict(store or {"kind": "embedded"})
    composition = _composition(spec, sources, missing, store, calibration_version)
    return before.manifest.composition == composition


def prune(index_dir: Path, keep: int = 3) -> list[str]:
    """Remove all but the newest ``keep`` versions, never the live one; the ids of those removed."""
    live = current_id(index_dir)
    folder = index_dir / "versions"
    ids = sorted(p.name for p in folder.glob("*") if p.is_dir() and not p.name.startswith(_STAGING))
    removed = [version for version in ids[: max(0, len(ids) - max(1, keep))] if version != live]
    for version in removed:
        shutil.rmtree(folder / version, ignore_errors=True)
    return removed


def roll_back(index_dir: Path, version: str) -> Manifest:
    """Make an older version live again; raises VectorIndexError if it is not there."""
    manifest = Manifest.read(index_dir / "versions" / version / "manifest.json")
    _make_current(index_dir, version)
    return manifest


@dataclass(frozen=True)
class _Source:
    """Where the segment of a volume comes from."""

    path: Path
    entry: VolumeEntry
    chunks: Path | None  # the chunk table, where the segment was made from it as it is now


def _sources(
    home: Home, spec: IndexSpec, volumes: Mapping[str, Path]
) -> tuple[dict[str, _Source], list[str]]:
    """The newest good segment of each volume, and the volumes that have none."""
    index = EmbeddedIndex(home.index, spec)
    pointers = index.pointers()
    before = _current_or_none(home.index)
    sources: dict[str, _Source] = {}
    missing = []
    for volume in sorted(volumes):
        pointer = pointers.get(volume)
        path = index.segment_path(volume) if pointer else None
        if pointer and path and path.exists():
            fresh = _made_from(volumes[volume], pointer)
            sources[volume] = _Source(
                path,
                VolumeEntry(
                    digest=pointer["digest"],
                    chunks=pointer["chunks"],
                    tokens=pointer["tokens"],
                    data_version=pointer["data_version"],
                    fresh=fresh,
                ),
                volumes[volume] if fresh else None,
            )
        elif before and volume in before.manifest.volumes and segments.comparable(spec, before.manifest.spec):
            entry = before.manifest.volumes[volume]
            kept = VolumeEntry(**{**asdict(entry), "fresh": False})
            sources[volume] = _Source(before.path / "segments" / f"{volume}.arrow", kept, None)
        else:
            missing.append(volume)
    return sources, missing


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


def _composition(
    spec: IndexSpec,
    sources: Mapping[str, _Source],
    missing: list[str],
    store: Mapping[str, Any],
    calibration_version: str,
) -> str:
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


def _audit(
    staged: Path, spec: IndexSpec, sources: Mapping[str, _Source], remote: VectorReader | None
) -> list[VolumeAudit]:
    """The audits of all volumes, from the files as linked; raises VectorIndexError if one fails."""
    audits = []
    for volume, source in sources.items():
        segment = Segment(staged / "segments" / f"{volume}.arrow")
        remote_ids = remote.list_ids(volume) if remote is not None else None
        chunks = tables.read_table(source.chunks) if source.chunks else None
        audits.append(audit_volume(volume, segment, spec, chunks, remote_ids))
    failed = [audit for audit in audits if not audit.passed]
    if failed:
        first = failed[0].problems[0]
        raise VectorIndexError(
            f"Index and passages do not agree in {', '.join(a.volume for a in failed)} "
            f"({sum(a.problem_count for a in failed)} problems; {first['chunk_id']} {first['problem']}). "
            "The version before stays live.",
            remedy="Run `jung ingest` for these volumes again.",
        )
    return audits


def _lexical(staged: Path, sources: Mapping[str, _Source], before: IndexVersion | None) -> dict[str, Any]:
    """Build the lexical index, or link the one before if it is of the same segments."""
    from jung_pipeline.index import lexical_tantivy

    folder = staged / "lexical"
    digests = {volume: source.entry.digest for volume, source in sources.items()}
    info: dict[str, Any] = {"engine": "tantivy", "format": lexical_tantivy.FORMAT, "segments": digests}
    if before and {**before.manifest.lexical, "passages": None} == {**info, "passages": None}:
        with contextlib.suppress(OSError):
            for path in (before.path / "lexical").iterdir():
                if path.is_file() and not path.name.endswith(".lock"):
                    link(path, folder / path.name)
            return {**info, "passages": before.manifest.lexical["passages"]}
        shutil.rmtree(folder, ignore_errors=True)
    passages = Passages({volume: staged / "segments" / f"{volume}.arrow" for volume in sources})
    return {**info, "passages": lexical_tantivy.build(folder, passages)}


def _current_or_none(index_dir: Path) -> IndexVersion | None:
    try:
        return open_current(index_dir)
    except VectorIndexError:
        return None


def _shallow(manifest: Manifest) -> dict[str, Any]:
    return {name: getattr(manifest, name) for name in manifest.__dataclass_fields__}


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    text = json.dumps(asdict(manifest), ensure_ascii=False, sort_keys=True, indent=1)
    tables.write_text(folder / "manifest.json", text)


def _make_current(index_dir: Path, version: str) -> None:
    tables.write_text(index_dir / "CURRENT", version + "\n")
    sync_folder(index_dir)


def _clear_staging(index_dir: Path) -> None:
    """Remove what killed writers left; only the holder of the lock gets here."""
    for path in (index_dir / "versions").glob(f"{_STAGING}*"):
        shutil.rmtree(path, ignore_errors=True)
