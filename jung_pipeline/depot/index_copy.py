"""Versions of the index between a home and its depot: immutable, taken by digest, made live by one request.

A version is put in the depot file by file, its manifest last; then ``CURRENT`` is switched, if nobody else has switched
it meanwhile. Readers take what they lack of the live version into a folder of their own disk and open it there: the
lexical index and memory-mapped vectors need files, and a question then costs what it costs anywhere.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jung_pipeline import tables
from jung_pipeline.depot import record
from jung_pipeline.depot.place import ConflictError
from jung_pipeline.depot.working_copy import WorkingCopy, download, working_copy
from jung_pipeline.errors import ServiceError, VectorIndexError
from jung_pipeline.index.files import exclusive, link, sync
from jung_pipeline.index.manifest import Manifest
from jung_pipeline.index.reading import STAGING, IndexVersion, current_id, version_ids
from jung_pipeline.index.segments import Segment
from jung_pipeline.settings import Settings


@contextlib.contextmanager
def shared_index(settings: Settings, *, keep: int) -> Iterator[None]:
    """Start from the live version of the depot, and hand over the one that is live afterwards; without a depot, nothing."""
    copy = working_copy(settings)
    if copy:
        take_index(copy)
    yield
    if copy:
        hand_over_index(copy, keep=keep)


def take_index(copy: WorkingCopy) -> str | None:
    """Make the live version of the depot the live one here; its id, ``None`` if the depot has none.

    Raises:
        ServiceError: the depot cannot be reached, or has lost files of the version.
    """
    index = copy.home.index
    for _ in range(5):
        there = copy.depot.get("CURRENT")
        if there is None:
            return None
        pointer = json.loads(there[0])
        version = str(pointer["version"])
        try:
            with exclusive(index):
                if not _is_whole(index / "versions" / version):
                    _take_version(copy, version)
                if current_id(index) != version:
                    tables.write_text(index / "CURRENT", version + "\n")
                _hold(index, pointer.get("held"))
        except FileNotFoundError:  # taken away, because another version is live by now
            continue
        record.write(copy.home, "current", {"tag": there[1], "version": version})
        return version
    raise ServiceError(
        f"The live version of the index in {copy.depot.url} has lost files.",
        remedy="Run `jung index promote` on a machine that ingests: a new version is made.",
    )


def _is_whole(path: Path) -> bool:
    """Whether the version at ``path`` is here with all its files; what is left of a damaged one is removed."""
    try:
        IndexVersion(path, Manifest.read(path / "manifest.json"), local=True).open()
        return True
    except VectorIndexError:
        shutil.rmtree(path, ignore_errors=True)
        return False


def _take_version(copy: WorkingCopy, version: str) -> None:
    """Copy what is missing of ``version``; segments that another version or the working files have are linked."""
    index = copy.home.index
    staged = index / "versions" / f"{STAGING}{version}"
    shutil.rmtree(staged, ignore_errors=True)
    try:
        download(copy.depot, f"versions/{version}/manifest.json", staged / "manifest.json", None)
        manifest = Manifest.read(staged / "manifest.json")
        for name, facts in manifest.lexical.get("files", {}).items():
            download(
                copy.depot, f"versions/{version}/lexical/{name}", staged / "lexical" / name, facts["sha256"]
            )
        for key, entry in manifest.volumes.items():
            target = staged / "segments" / f"{key}.arrow"
            if not _linked(index, key, entry.digest, target):
                download(copy.depot, f"segments/{key}/{entry.digest}.arrow", target, None)
                Segment(target).verify(entry.digest)
        (staged / "segments").mkdir(exist_ok=True)
        IndexVersion(staged, manifest, local=True).open(contents=True)
        sync(staged)
        staged.rename(index / "versions" / version)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise


def _linked(index: Path, key: str, digest: str, target: Path) -> bool:
    """Link ``target`` to a file of this disk that holds the segment; whether there was one."""
    options = [index / "segments" / key / f"{digest}.arrow"]
    for version in reversed(version_ids(index)):
        path = index / "versions" / version
        try:
            entry = Manifest.read(path / "manifest.json").volumes.get(key)
        except VectorIndexError:
            continue
        if entry and entry.digest == digest:
            options.append(path / "segments" / f"{key}.arrow")
    for option in options:
        if option.exists():
            link(option, target)
            try:
                Segment(target).verify(digest)
                return True
            except VectorIndexError:
                target.unlink()
    return False


def hand_over_index(copy: WorkingCopy, *, keep: int) -> bool:
    """Make the version that is live here the live one of the depot; whether it was not.

    Raises:
        ConflictError: another machine has made another version live since :func:`take_index`.
    """
    index = copy.home.index
    version = current_id(index)
    if version is None:
        return False
    held = _held(index)
    there = copy.depot.get("CURRENT")
    pointer = {"version": version, "held": held}
    if there and json.loads(there[0]) == pointer:
        return False
    known = record.read(copy.home, "current")
    if there and there[1] != known.get("tag"):
        raise ConflictError(
            f"Another machine has published version {json.loads(there[0])['version']} meanwhile; that one stays live.",
            remedy="Run the same command again: it starts from what is there now.",
        )
    path = index / "versions" / version
    manifest = Manifest.read(path / "manifest.json")
    have = copy.depot.names("segments/")
    for key, entry in manifest.volumes.items():
        if f"segments/{key}/{entry.digest}.arrow" not in have:
            copy.depot.upload(path / "segments" / f"{key}.arrow", f"segments/{key}/{entry.digest}.arrow")
    for name in manifest.lexical.get("files", {}):
        copy.depot.upload(path / "lexical" / name, f"versions/{version}/lexical/{name}")
    copy.depot.upload(path / "manifest.json", f"versions/{version}/manifest.json")
    data = json.dumps(pointer, sort_keys=True).encode()
    tag = copy.depot.put("CURRENT", data, expected=there[1] if there else None)
    record.write(copy.home, "current", {"tag": tag, "version": version})
    _prune(copy, version, keep)
    return True


def _prune(copy: WorkingCopy, live: str, keep: int) -> None:
    """Remove versions older than the last ``keep``, and the segments that only they had.

    A segment that no version has had yet may be one that is about to be named: it stays.
    """
    objects = list(copy.depot.names("versions/"))
    ids = sorted({name.split("/")[1] for name in objects if name.endswith("/manifest.json")})
    old = [version for version in ids[:-keep] if version != live]
    if not old:
        return
    states = (copy.depot.get(name) for name in copy.depot.names("states/"))
    used = {facts["object"] for state in states if state for facts in json.loads(state[0])["files"].values()}
    for version in set(ids) - set(old):
        used |= _segments(copy, version)
    gone = {segment for version in old for segment in _segments(copy, version)} - used
    copy.depot.delete([*gone, *(name for name in objects if name.split("/")[1] in old)])


def _segments(copy: WorkingCopy, version: str) -> set[str]:
    """The objects of the segments of ``version``."""
    found = copy.depot.get(f"versions/{version}/manifest.json")
    volumes: dict[str, Any] = json.loads(found[0])["volumes"] if found else {}
    return {f"segments/{key}/{entry['digest']}.arrow" for key, entry in volumes.items()}


def _held(index: Path) -> str | None:
    path = index / "HELD"
    return path.read_text(encoding="utf-8") if path.exists() else None


def _hold(index: Path, held: str | None) -> None:
    """Hold back here what the depot holds back."""
    if held == _held(index):
        return
    if held is None:
        (index / "HELD").unlink(missing_ok=True)
    else:
        tables.write_text(index / "HELD", held)
