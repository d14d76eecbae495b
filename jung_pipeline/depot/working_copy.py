"""A home as the working copy of a depot: catalogue, books and volumes go back and forth, only what differs.

What belongs to a volume is switched in the depot by one conditional request (``states/<volume>.json``), after all its
files are there under names with their digests. So whoever takes a volume gets one state of it whole, a writer that is
killed leaves the old one, and of two writers the second is told. The depot holds the truth: where both it and this
copy have changed, it is taken, and what was made here is made again. Books and the catalogue are their owner's work:
they are never overwritten where both sides changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jung_pipeline import tables
from jung_pipeline.depot import record
from jung_pipeline.depot.place import ConflictError, Depot, open_depot
from jung_pipeline.errors import ServiceError
from jung_pipeline.library import Home, files_in
from jung_pipeline.settings import Settings

#: Times that a volume is looked up anew because it was changed while it was being taken.
_LOOKS = 5


def working_copy(settings: Settings) -> WorkingCopy | None:
    """The working copy that the home of ``settings`` is; ``None`` without the setting ``data_url``."""
    return WorkingCopy(settings.paths, open_depot(settings.data_url)) if settings.data_url else None


class WorkingCopy:
    """One home and the depot it is a copy of. Every method may be repeated; a second call finds nothing to do."""

    def __init__(self, home: Home, depot: Depot) -> None:
        """Nothing is asked yet."""
        self.home = home
        self.depot = depot

    # ---------------------------------------------------------------------------------------------
    # the whole library
    # ---------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Catalogue and books both ways, and every volume that changed in the depot; of books only their names."""
        self.sync_catalogue()
        self.sync_books()
        self.take_volumes()

    def take_volumes(self) -> None:
        """Take every volume that changed in the depot, hand over those it does not have, drop those taken out."""
        tags = {Path(name).stem: tag for name, tag in self.depot.names("states/").items()}
        for key, tag in tags.items():
            if record.read(self.home, f"volumes/{key}").get("tag") != tag:
                self.take(key)
        for key in sorted(_keys(self.home) - set(tags)):
            if record.read(self.home, f"volumes/{key}"):
                self._drop(key)
            else:
                self.hand_over(key)

    def volumes(self) -> list[str]:
        """The volumes of which there is anything here."""
        return sorted(_keys(self.home))

    # ---------------------------------------------------------------------------------------------
    # catalogue and books
    # ---------------------------------------------------------------------------------------------

    def sync_catalogue(self) -> None:
        """Bring the catalogue to where it is older.

        Raises:
            ConflictError: it was changed here and in the depot.
        """
        path, name = self.home.catalogue_path, self.home.catalogue_path.name
        known, there = record.read(self.home, "catalogue"), self.depot.get(name)
        here = path.read_bytes() if path.exists() else None
        tag = there[1] if there else None
        changed_here = here is not None and _sha(here) != known.get("sha256")
        if there and here != there[0]:
            if changed_here and tag != known.get("tag"):
                raise ConflictError(
                    f"{path} was changed here, and its copy in {self.depot.url} by another machine.",
                    remedy=f"Move {name} away, run `jung sync`, and put your changes into the new one.",
                )
            if not changed_here:
                tables.write_atomically(path, lambda staged: staged.write_bytes(there[0]))
                here = there[0]
        if here is not None:
            if there is None or here != there[0]:
                tag = self.depot.put(name, here, expected=tag)
            record.write(self.home, "catalogue", {"tag": tag, "sha256": _sha(here)})

    def sync_books(self) -> None:
        """Put new and changed books of this copy into the depot, and take out those that were removed here.

        A book that was changed in the depot replaces the copy of it here. Others are only noted: the run that reads
        one takes it (:meth:`take`).

        Raises:
            ConflictError: a book was changed here and in the depot.
        """
        known, there = record.read(self.home, "books"), self.depot.get("books.json")
        before: dict[str, Any] = known.get("books", {})
        theirs: dict[str, Any] = json.loads(there[0])["books"] if there else {}
        local = {unicodedata.normalize("NFC", name): self.home.library / name for name in files_in(self.home)}
        ours = dict(theirs)
        for name, path in local.items():
            facts = _book(path, before.get(name))
            if facts is None or facts["sha256"] == ours.get(name, {}).get("sha256"):
                continue
            unchanged_here = facts["sha256"] == before.get(name, {}).get("sha256")
            if name in theirs and unchanged_here:
                self._fetch_book(name, theirs[name], path)
            elif name not in theirs and unchanged_here and name in known.get("fetched", ()):
                path.unlink(missing_ok=True)  # only a copy, of a book that its owner has removed
            elif name in theirs and theirs[name]["sha256"] != before.get(name, {}).get("sha256"):
                raise ConflictError(
                    f"{name} was changed here, and in {self.depot.url} by another machine.",
                    remedy="Rename one of the two, or remove the one that is not wanted.",
                )
            else:
                facts["object"] = f"books/{facts['sha256']}/{name}"
                self.depot.upload(path, facts["object"])
                ours[name] = facts
        # An empty folder is a disk that is not mounted sooner than a library without books.
        removed = [n for n in known.get("held", ()) if n in theirs and n not in local] if local else []
        for name in removed:
            del ours[name]
        tag = there[1] if there else None
        if ours != theirs or (there is None and ours):
            tag = self.depot.put("books.json", _json({"books": ours}), expected=tag)
            used = {facts["object"] for facts in ours.values()}
            self.depot.delete({facts["object"] for facts in theirs.values()} - used)
        self._note_books(tag, ours, fetched=known.get("fetched", ()))

    def take_book(self, name: str) -> None:
        """Have the book file ``name`` here, as the depot has it."""
        known = record.read(self.home, "books")
        name = unicodedata.normalize("NFC", name)
        facts = known.get("books", {}).get(name)
        path = self.home.library / name
        if facts is None or (_book(path, facts) or {}).get("sha256") == facts["sha256"]:
            return
        if path.exists():
            raise ConflictError(
                f"{path} is not the book that {self.depot.url} has under this name.",
                remedy="Run `jung sync`, which says which of the two is newer.",
            )
        self._fetch_book(name, facts, path)
        self._note_books(known["tag"], known["books"], fetched=[*known.get("fetched", ()), name])

    def _fetch_book(self, name: str, facts: Mapping[str, Any], path: Path) -> None:
        self._download(facts["object"], path, facts["sha256"])
        os.utime(path, ns=(facts["mtime_ns"], facts["mtime_ns"]))  # so that it counts as the file it was

    def _note_books(self, tag: str | None, books: Mapping[str, Any], *, fetched: Iterable[str]) -> None:
        held = sorted(unicodedata.normalize("NFC", name) for name in files_in(self.home))
        if books:
            self.home.library.mkdir(parents=True, exist_ok=True)
            self.home.library_mark.touch()
        noted = sorted(set(fetched) & set(held))
        record.write(self.home, "books", {"tag": tag, "books": books, "held": held, "fetched": noted})

    # ---------------------------------------------------------------------------------------------
    # one volume
    # ---------------------------------------------------------------------------------------------

    def take(self, key: str) -> None:
        """Bring the files of the volume ``key`` to the state that the depot has; without one they stay.

        What is gone or damaged here although the depot has not changed stays so: the stage makes it anew.

        Raises:
            ServiceError: the depot cannot be reached, or does not hold what it should.
        """
        for _ in range(_LOOKS):
            there = self.depot.get(f"states/{key}.json")
            known = record.read(self.home, f"volumes/{key}")
            if there is None or there[1] == known.get("tag"):
                return
            files = json.loads(there[0])["files"]
            before = known.get("files", {})
            try:
                for relative, facts in files.items():
                    path = self.home.path / relative
                    held = record.described(path, before.get(relative))
                    if held is None or held["sha256"] != facts["sha256"]:
                        self._download(facts["object"], path, facts["sha256"])
            except FileNotFoundError:  # replaced while it was being taken
                continue
            for path in _files(self.home, key):
                if path.relative_to(self.home.path).as_posix() not in files:
                    path.unlink(missing_ok=True)
            self._note(key, there[1], files)
            return
        raise ServiceError(
            f"{key} in {self.depot.url} changes faster than it can be taken, or has lost files.",
            remedy="Run the same command again; if it says so again, delete "
            f"states/{key}.json there: the volume is then made anew.",
        )

    def hand_over(self, key: str) -> bool:
        """Make the files of the volume ``key`` here its state in the depot; whether anything was new.

        Raises:
            ConflictError: another machine has handed over a state of it since this one was taken.
        """
        known = record.read(self.home, f"volumes/{key}")
        before: dict[str, Any] = known.get("files", {})
        files: dict[str, Any] = {}
        for path in _files(self.home, key):
            relative = path.relative_to(self.home.path).as_posix()
            facts = record.described(path, before.get(relative))
            if facts is None:
                continue
            files[relative] = {**facts, "object": _object(relative, key, facts["sha256"])}
            if before.get(relative, {}).get("sha256") != facts["sha256"]:
                self.depot.upload(path, files[relative]["object"])
        if _contents(files) == _contents(before) and known.get("tag"):
            return False
        tag = self.depot.put(f"states/{key}.json", _json({"files": files}), expected=known.get("tag"))
        record.write(self.home, f"volumes/{key}", {"tag": tag, "files": files})
        used = {facts["object"] for facts in files.values()}
        gone = {facts["object"] for facts in before.values()} - used
        self.depot.delete(
            name for name in gone if not name.startswith("segments/")
        )  # versions may need those
        return True

    def sweep(self, key: str) -> None:
        """Remove what writers that were killed left of the volume ``key``."""
        files = record.read(self.home, f"volumes/{key}").get("files", {})
        used = {facts["object"] for facts in files.values()}
        self.depot.delete(name for name in self.depot.names(f"volumes/{key}/") if name not in used)

    def forget(self, key: str) -> None:
        """Take the volume ``key`` out of the depot; its segments go when no version needs them."""
        known = record.read(self.home, f"volumes/{key}")
        self.depot.delete([f"states/{key}.json"])
        objects = {facts["object"] for facts in known.get("files", {}).values()}
        self.depot.delete(name for name in objects if not name.startswith("segments/"))
        record.forget(self.home, f"volumes/{key}")

    def _drop(self, key: str) -> None:
        """Remove the copy here of a volume that was taken out of the depot."""
        for path in _files(self.home, key):
            path.unlink(missing_ok=True)
        record.forget(self.home, f"volumes/{key}")

    def _note(self, key: str, tag: str, files: Mapping[str, Any]) -> None:
        """Record what was taken, with the times that the files have here."""
        here = {}
        for relative, facts in files.items():
            stat = (self.home.path / relative).stat()
            here[relative] = {**facts, "bytes": stat.st_size, "mtime_ns": stat.st_mtime_ns}
        record.write(self.home, f"volumes/{key}", {"tag": tag, "files": here})

    def _download(self, name: str, path: Path, sha256: str) -> None:
        download(self.depot, name, path, sha256)


def download(depot: Depot, name: str, path: Path, sha256: str | None) -> None:
    """Write the object ``name`` to ``path``, all or nothing, if it is what it should be.

    Raises:
        FileNotFoundError: there is no such object.
        ServiceError: it is not what was put there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(tables.TEMPORARY.replace("*", uuid.uuid4().hex[:12]))
    try:
        depot.download(name, staged)
        if sha256 and (record.described(staged) or {}).get("sha256") != sha256:
            raise ServiceError(
                f"{name} in {depot.url} is not what was put there.",
                remedy="Delete it there and the state that names it; the volume is then made anew.",
            )
        tables.write_atomically(path, staged.replace)
    finally:
        staged.unlink(missing_ok=True)


def _files(home: Home, key: str) -> Iterator[Path]:
    """Everything that belongs to the volume ``key``: tables, outcomes of checks, segments and their pointers."""
    yield from sorted((home.path / "tables").glob(f"*/{key}.parquet"))
    yield from sorted((home.path / "tables" / "embeddings").glob(f"*/{key}.parquet"))
    for suffix in (".json", ".failure.json"):
        yield from sorted((home.path / "checks").glob(f"*/{key}{suffix}"))
    for suffix in ("arrow", "json"):
        yield from sorted((home.index / "segments" / key).glob(f"*.{suffix}"))


def _keys(home: Home) -> set[str]:
    """The volumes of which there is anything here, or a record."""
    found = {path.stem for path in (home.path / "tables").glob("*/*.parquet")}
    found |= {path.stem for path in (home.path / "tables" / "embeddings").glob("*/*.parquet")}
    return found | {path.stem for path in (home.depot / "volumes").glob("*.json")}


def _object(relative: str, key: str, sha256: str) -> str:
    """The name in the depot of a file of the volume ``key``."""
    path = Path(relative)
    if path.suffix == ".arrow":  # named after what is in it, and shared with the versions of the index
        return f"segments/{key}/{path.name}"
    parts = [part for part in path.parent.parts if part not in ("tables", key)]
    part = path.stem.removeprefix(key).strip(".")  # "failure", or the model that a pointer is about
    return f"volumes/{key}/{'.'.join([*parts, *([part] if part else [])])}.{sha256[:24]}{path.suffix}"


def _contents(files: Mapping[str, Any]) -> dict[str, str]:
    return {relative: facts["sha256"] for relative, facts in files.items()}


def _book(path: Path, known: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The facts of a book file as ``stages.source_facts`` calls them."""
    was = (
        {"bytes": known["size"], "mtime_ns": known["mtime_ns"], "sha256": known["sha256"]} if known else None
    )
    facts = record.described(path, was)
    return facts and {"size": facts["bytes"], "mtime_ns": facts["mtime_ns"], "sha256": facts["sha256"]}


def _json(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, sort_keys=True).encode()


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
