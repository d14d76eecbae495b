"""Versions of the index: immutable folders, made aside, audited, and put live by replacing one small file.

::

    index/CURRENT                                 id of the live version
    index/HELD                                    after going back: see ``holding.py``
    index/versions/<id>/manifest.json             what it is made of, and the audit
    index/versions/<id>/segments/<volume>.arrow   hard links to the segments (copies where links cannot be)
    index/versions/<id>/lexical/                  the lexical index of all its passages

Readers keep the version they opened; a killed writer leaves the old one live; going back is writing an older
id into CURRENT. A version that has lost a file is not live, whatever CURRENT says: the next publication makes
another one.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jung_pipeline import tables
from jung_pipeline.errors import StageError, VectorIndexError
from jung_pipeline.index.files import exclusive, link, sync, sync_folder
from jung_pipeline.index.holding import (
    State,
    hold,
    is_held,
    is_rolled_back,
    release,
    state_of_sources,
    was_left,
)
from jung_pipeline.index.manifest import Manifest
from jung_pipeline.index.proof import audited, check_remote, sampled
from jung_pipeline.index.reading import (
    STAGING,
    IndexVersion,
    current_id,
    open_current,
    read_current,
    version_ids,
)
from jung_pipeline.index.segments import Segment
from jung_pipeline.index.sources import Source, candidates, chosen, composition
from jung_pipeline.index.vector_index import IndexSpec, VectorReader, Vectors
from jung_pipeline.library import Home

if TYPE_CHECKING:
    from jung_pipeline.settings import Settings

__all__ = [
    "IndexVersion",
    "Manifest",
    "current_id",
    "is_held",
    "is_live",
    "is_rolled_back",
    "open_current",
    "prune",
    "publish",
    "read_current",
    "release",
    "roll_back",
    "version_ids",
]

#: Ids begin with the time in milliseconds: what ``strftime`` makes of this, without its last three digits.
_STAMP = "%Y%m%dT%H%M%S%f"
_STAMP_LENGTH = 18


def publish(
    home: Home,
    spec: IndexSpec,
    volumes: Mapping[str, Path],
    *,
    store: Mapping[str, Any] | None = None,
    remote: VectorReader | None = None,
    embed: Callable[[Sequence[str]], Vectors] | None = None,
    calibrate: Callable[[IndexVersion], dict[str, Any]] | None = None,
    calibration_version: str = "",
    settings: Settings | None = None,
    force: bool = False,
) -> Manifest:
    """Make the newest good segments of ``volumes`` the live version, if they are not already.

    A volume whose segment is older than its chunk table, or lost, keeps its last good one (``fresh`` says so);
    so does one whose chunk table cannot be read. A volume that is not in ``volumes`` is left out.

    Args:
        home: The library.
        spec: The model and limits of the settings.
        volumes: Every volume of the catalogue with the path of its chunk table.
        store: How the manifest describes the vector store; default the embedded one.
        remote: The remote store to hold against the segments in the audit.
        embed: Makes vectors of passages as they were made: a sample of the changed volumes is embedded again and
            held against the segments.
        calibrate: Called with the finished version before it goes live; the result is kept in the manifest.
            It is given the vectors of the segments, also where there is a remote store: they are the same.
        calibration_version: Of the rules behind ``calibrate``: another one makes another version.
        settings: Handed to the version given to ``calibrate``.
        force: Build the version even if nothing changed (a new calibration, for instance).

    Returns:
        The manifest of the live version: unchanged if the composition is, and all its files are there.

    Raises:
        IndexAuditError: the audit failed; the message names the passages, and the old version stays live.
        VectorIndexError: the disk does not take it; the old version stays live.
    """
    store = dict(store or {"kind": "embedded"})
    with _told(home.index), exclusive(home.index):
        before = _current_or_none(home.index)
        sources, missing = chosen(home, spec, volumes)
        wanted = composition(spec, sources, missing, store, calibration_version)
        state = state_of_sources(spec, sources, store)
        if before and not force and _stays(before, wanted, sources, state):
            # After going back a remote store holds the state that was left, knowingly.
            check_remote({volume: Segment(source.path) for volume, source in sources.items()}, spec, remote)
            return before.manifest
        now = datetime.now(UTC)
        version = f"{_next_stamp(home.index, now)}-{wanted[:8]}"
        staged, made = (home.index / "versions" / name for name in (f"{STAGING}{version}", version))
        _clear_staging(home.index)
        try:
            with exclusive(home.index / "segments"):  # what is linked must not be swept away meanwhile
                sources, missing = _linked(staged, candidates(home, spec, volumes))
            sources, audits = audited(staged, spec, sources, remote)
            wanted = composition(spec, sources, missing, store, calibration_version)
            if before and not force and _is(before, wanted, sources):
                shutil.rmtree(staged, ignore_errors=True)
                return before.manifest
            manifest = Manifest(
                version=version,
                composition=wanted,
                created=now.isoformat(timespec="seconds"),
                spec=spec,
                volumes={volume: source.entry for volume, source in sources.items()},
                missing=missing,
                audit={
                    "passed": True,
                    "volumes": [audit.to_dict() for audit in audits],
                    "embedded_again": sampled(staged, sources, before, embed),
                },
                store=store,
                lexical=_lexical(staged, sources, before),
            )
            if calibrate:
                finished = IndexVersion(staged, manifest, settings, local=True)
                manifest = replace(manifest, calibration=calibrate(finished))
            manifest.write(staged / "manifest.json")
            sync(staged)
            staged.rename(made)
            sync_folder(home.index / "versions")
            _make_current(home.index, version)
            release(home.index)
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            if _current_id_or_none(home.index) != version:
                shutil.rmtree(made, ignore_errors=True)
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
    """Whether :func:`publish` with the same arguments would change nothing: all is there and can be opened."""
    before = _current_or_none(home.index)
    if before is None:
        return False
    sources, missing = chosen(home, spec, volumes)
    store = dict(store or {"kind": "embedded"})
    wanted = composition(spec, sources, missing, store, calibration_version)
    return _stays(before, wanted, sources, state_of_sources(spec, sources, store))


def prune(index_dir: Path, keep: int = 3) -> list[str]:
    """Remove all but the ``keep`` versions made last, never the live one; the ids of those removed."""
    with _told(index_dir), exclusive(index_dir):
        live = _current_id_or_none(index_dir)
        ids = version_ids(index_dir)
        removed = [version for version in ids[: max(0, len(ids) - max(1, keep))] if version != live]
        for version in removed:
            shutil.rmtree(index_dir / "versions" / version, ignore_errors=True)
    return removed


def roll_back(index_dir: Path, version: str) -> Manifest:
    """Make an older version live again, and keep it live until a volume changes or the hold is released.

    Without the hold, the next publication would put the state that was gone back from live at once.

    Raises:
        VectorIndexError: it is not there, or not whole.
    """
    path = index_dir / "versions" / version
    with _told(index_dir), exclusive(index_dir):
        if Path(version).name != version or not path.is_dir():
            raise VectorIndexError(
                f"There is no version {version} of the index.", remedy="`jung index versions` lists them."
            )
        manifest = Manifest.read(path / "manifest.json")
        IndexVersion(path, manifest).open()
        before = _current_or_none(index_dir)
        if was_left(index_dir, manifest):
            release(index_dir)  # forward again to the version that was left
        elif before and before.manifest.version != version and not is_rolled_back(index_dir):
            hold(index_dir, before.manifest)
        _make_current(index_dir, version)
    return manifest


@contextlib.contextmanager
def _told(index_dir: Path) -> Iterator[None]:
    """Turn what the disk refuses into an error that says so."""
    try:
        yield
    except StageError as error:
        raise VectorIndexError(
            f"{error.message} The version before stays live.", remedy=error.remedy
        ) from error
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise VectorIndexError(
            f"The index in {index_dir} cannot be published ({said}). The version before stays live.",
            remedy="Look at its disk and its rights, and run `jung ingest` again.",
        ) from error


def _stays(version: IndexVersion, wanted: str, sources: Mapping[str, Source], state: State) -> bool:
    """Whether the live ``version`` is what is wanted, or what somebody went back to; and whole."""
    if not is_held(version.path.parents[1], state):
        return _is(version, wanted, sources)
    with contextlib.suppress(VectorIndexError):
        version.open()
        return True
    return False


def _is(version: IndexVersion, wanted: str, sources: Mapping[str, Source]) -> bool:
    """Whether ``version`` is of the composition ``wanted``, and whole.

    Its segments are links to those of ``sources``. One that is another file is a copy, where the disk has no
    links, or has been written anew since because the disk had forgotten some of it: reading it tells.
    """
    if version.manifest.composition != wanted:
        return False
    try:
        version.open(contents=True)
        for volume, source in sources.items():
            if not version.segment_path(volume).samefile(source.path):
                version.segments[volume].verify(source.entry.digest)
    except (VectorIndexError, OSError):
        return False
    return True


def _linked(
    staged: Path, options: Iterator[tuple[str, Iterator[Source]]]
) -> tuple[dict[str, Source], list[str]]:
    """Link the first source of each volume that holds what was written to it; and the volumes without one."""
    sources, missing = {}, []
    for volume, of_volume in options:
        for source in of_volume:
            if source.problem:
                continue
            target = staged / "segments" / f"{volume}.arrow"
            link(source.path, target)
            try:
                Segment(target).verify(source.entry.digest)
            except VectorIndexError:
                target.unlink()
                # Gone, it is missed: the volume is due again. A damaged version is left as it is.
                if source.entry.fresh or staged.parent not in source.path.parents:
                    source.path.unlink(missing_ok=True)
                continue
            sources[volume] = source
            break
        else:
            missing.append(volume)
    return sources, missing


def _lexical(staged: Path, sources: Mapping[str, Source], before: IndexVersion | None) -> dict[str, Any]:
    """Build the lexical index, or link the one before if it is of the same segments and whole."""
    from jung_pipeline.index import lexical_tantivy
    from jung_pipeline.index.passages import Passages
    from jung_pipeline.index.segments import open_segments

    folder = staged / "lexical"
    digests = {volume: source.entry.digest for volume, source in sources.items()}
    info: dict[str, Any] = {"engine": "tantivy", "format": lexical_tantivy.FORMAT, "segments": digests}
    if before and before.manifest.lexical.items() >= info.items():
        with contextlib.suppress(OSError, VectorIndexError):
            for path in lexical_tantivy.files(before.path / "lexical"):
                link(path, folder / path.name)
            lexical_tantivy.finish(folder)
            files = lexical_tantivy.described(folder)
            count = lexical_tantivy.LexicalIndex(folder).count()
            if (files, count) == (before.manifest.lexical.get("files"), before.manifest.lexical["passages"]):
                return {**info, "passages": count, "files": files}
        shutil.rmtree(folder, ignore_errors=True)
    passages = Passages(
        open_segments({volume: staged / "segments" / f"{volume}.arrow" for volume in sources})
    )
    count = lexical_tantivy.build(folder, passages)
    return {**info, "passages": count, "files": lexical_tantivy.described(folder)}


def _current_or_none(index_dir: Path) -> IndexVersion | None:
    try:
        return read_current(index_dir)
    except VectorIndexError:
        return None


def _current_id_or_none(index_dir: Path) -> str | None:
    try:
        return current_id(index_dir)
    except VectorIndexError:
        return None


def _next_stamp(index_dir: Path, now: datetime) -> str:
    """The time, or the moment after the last version if the clock was put back: ids sort as versions are made."""
    stamps = []
    for version in version_ids(index_dir):
        with contextlib.suppress(ValueError):
            stamps.append(datetime.strptime(f"{version[:_STAMP_LENGTH]}000", _STAMP).replace(tzinfo=UTC))
    latest = max([now, *(stamp + timedelta(milliseconds=1) for stamp in stamps)])
    return f"{latest:{_STAMP}}"[:_STAMP_LENGTH]


def _make_current(index_dir: Path, version: str) -> None:
    tables.write_text(index_dir / "CURRENT", version + "\n")
    sync_folder(index_dir)


def _clear_staging(index_dir: Path) -> None:
    """Remove what killed writers left; only the holder of the lock gets here."""
    for path in (index_dir / "versions").glob(f"{STAGING}*"):
        shutil.rmtree(path, ignore_errors=True)
