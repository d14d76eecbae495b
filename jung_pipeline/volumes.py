"""Which volumes there are: the catalogue, the library folder and the partitions kept in step.

The catalogue is the truth about a volume, the folder about whether it is there. Everything that follows the
library (sensor, schedule, command line) calls these functions.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from jung_pipeline import tables
from jung_pipeline.catalogue import SUFFIXES, Catalogue, Volume, new_key
from jung_pipeline.catalogue_fields import name_problem, problems, tidy
from jung_pipeline.depot.working_copy import working_copy
from jung_pipeline.errors import JungError, SourceError, UsageError, file_error
from jung_pipeline.library import Home, files_in, is_book
from jung_pipeline.settings import Settings
from jung_pipeline.stages import STAGES, source_facts
from jung_pipeline.text.printable import one_line, printable

#: A file changed less than this many seconds ago may still be in the middle of being copied.
SETTLING_SECONDS = 5.0


def keys_for(names: Iterable[str], taken: Collection[str] = ()) -> dict[str, str]:
    """A key for every file name, none of them in ``taken`` and no two alike; NFC and NFD of a name are one."""
    keys: dict[str, str] = {}
    used = set(taken)
    for name in names:
        composed = unicodedata.normalize("NFC", name)
        if composed not in keys:
            keys[composed] = new_key(composed, used)
            used.add(keys[composed])
    return keys


@dataclass(frozen=True)
class Plan:
    """What has to change so that the partitions are the volumes that are there."""

    add: tuple[str, ...]
    remove: tuple[str, ...]
    wait: tuple[str, ...]  # gone from the library, but a run is still at work on them


def plan_partitions(
    present: Collection[str], partitions: Collection[str], busy: Collection[str] = ()
) -> Plan:
    """Compare the keys of the volumes that are there with the partitions. Pure; order follows the input."""
    here, known = set(present), set(partitions)  # looked up once for each of what may be very many
    gone = [key for key in partitions if key not in here]
    return Plan(
        add=tuple(key for key in present if key not in known),
        remove=tuple(key for key in gone if key not in busy),
        wait=tuple(key for key in gone if key in busy),
    )


def present_volumes(home: Home, catalogue: Catalogue | None = None) -> list[Volume]:
    """The volumes of the catalogue whose file is in the library folder.

    A link that leads nowhere counts: the disk that it leads to may be mounted again, and a volume that is taken
    out costs hours to make. Its stages fail by name until then.

    Raises:
        UsageError: the library folder is not there, or it is an empty folder without the library's mark,
            although the catalogue has volumes: a disk that is not mounted must not look like an empty library.
    """
    catalogue = catalogue or home.catalogue()
    if len(catalogue) and not home.library.is_dir():
        raise UsageError(
            f"{home.library} is not there, but the catalogue names {len(catalogue)} volume(s).",
            remedy="Mount or restore the folder; nothing was removed.",
        )
    if not home.library_mark.exists():  # an idle look writes nothing
        if files_in(home):
            with contextlib.suppress(OSError):  # a library that may only be read stays without the mark
                home.library_mark.touch()
        elif len(catalogue):
            raise UsageError(
                f"{home.library} is empty, but the catalogue names {len(catalogue)} volume(s).",
                remedy="Mount or restore the folder; nothing was removed. If the books are gone for good, take "
                "their entries out of catalogue.toml.",
            )
    return [volume for volume in catalogue if home.has_source(volume)]


@dataclass(frozen=True)
class NotTaken:
    """A file in the library folder that cannot be given an entry, and why in one line with the remedy."""

    file: str  # printable: bytes that are not UTF-8 are written out
    problem: str


@dataclass(frozen=True)
class NewFiles:
    """What cataloguing found: the entries it wrote, and the files that it could not take up."""

    added: tuple[Volume, ...] = ()
    failed: tuple[NotTaken, ...] = ()


def catalogue_new_files(home: Home, *, settled_only: bool = False) -> NewFiles:
    """Give every book in the folder that has no entry one, from its own metadata.

    A file that is byte for byte the book of an entry whose file is gone was renamed: it keeps its key. A file
    that cannot be taken up keeps no other from it. ``settled_only`` leaves files alone that may still be in the
    middle of being copied.

    Raises:
        CatalogueError: the catalogue cannot be read.
    """
    catalogue = home.catalogue()
    added: list[Volume] = []
    failed: list[NotTaken] = []
    for name in files_in(home):
        path = home.library / name
        try:
            _refuse_name(name)
            entry = catalogue.by_file(name)
            if entry and home.source(entry).name != name:
                raise UsageError(
                    f"{printable(name)} has the name of another file there but for how its accents are stored.",
                    remedy="Rename one of the two, or remove it.",
                )
            if entry or (settled_only and not _is_settled(path)):
                continue
            renamed = _renamed(home, catalogue, path)
            volume, is_new = _enter(catalogue, renamed or describe(path, catalogue), is_renamed=bool(renamed))
        except FileNotFoundError:  # gone again since the folder was read
            continue
        except JungError as error:
            failed.append(NotTaken(printable(name), str(error)))
        except OSError as error:
            failed.append(NotTaken(printable(name), str(file_error(error, path))))
        else:
            added += [volume] if is_new else []
    return NewFiles(tuple(added), tuple(failed))


def take_up_new_files(settings: Settings, *, settled_only: bool = False) -> NewFiles:
    """:func:`catalogue_new_files`, told to the depot too if there is one, before a run elsewhere asks for them."""
    found = catalogue_new_files(settings.paths, settled_only=settled_only)
    copy = working_copy(settings)
    if copy:
        copy.sync_catalogue()
        copy.sync_books()
    return found


def _refuse_name(name: str) -> None:
    """Raise UsageError if a file of this name cannot have an entry in the catalogue."""
    says = name_problem(name)
    if says:
        raise UsageError(
            f"The name of {printable(name)} {says}.", remedy="Rename the file; the book stays the same."
        )


def _enter(catalogue: Catalogue, volume: Volume, *, is_renamed: bool = False) -> tuple[Volume, bool]:
    """Put ``volume`` into the catalogue unless its file got an entry meanwhile; the entry, and whether it is new.

    A key that another book took meanwhile is left to it; one whose file was renamed keeps its own.
    """
    with catalogue.changing():
        entry = catalogue.by_file(volume.file)
        if entry:
            return entry, False
        if is_renamed and volume.key in catalogue.volumes:
            # As its owner has it by now, not as it was read before.
            volume = replace(catalogue.volumes[volume.key], file=volume.file)
        elif volume.key in catalogue.volumes:  # another book took the key meanwhile
            volume = replace(volume, key=new_key(volume.file, catalogue.volumes))
        catalogue.add(volume)
        return volume, True


def _is_settled(path: Path) -> bool:
    stat = path.stat()
    return stat.st_size > 0 and abs(time.time() - stat.st_mtime) > SETTLING_SECONDS


def _renamed(home: Home, catalogue: Catalogue, path: Path) -> Volume | None:
    """The entry whose missing file had the same content as ``path``, with its new file name."""
    missing = [volume for volume in catalogue if not home.has_source(volume)]
    if not missing:
        return None
    try:
        digest = source_facts(path)["sha256"]
    except SourceError:  # cannot be read; it gets an entry by its name, and raw_text says what is wrong
        return None
    for volume in missing:
        info = tables.read_info(home.table("raw_text", volume.key)) or {}
        if info.get("source", {}).get("sha256") == digest:
            return replace(volume, file=unicodedata.normalize("NFC", path.name))
    return None


def describe(path: Path, catalogue: Catalogue) -> Volume:
    """A catalogue entry for the book at ``path``, from the file's own metadata; unknown fields stay empty.

    A file that cannot be opened gets an entry by its name: its raw_text stage then says what is wrong.
    """
    from jung_pipeline.extract.bounded import describe_bounded

    try:
        facts = describe_bounded(path)
    except Exception:  # whatever a reader stumbles over in one book is told when that book is read
        facts = {}
    name = unicodedata.normalize("NFC", path.name)
    known = ("title", "author", "translator", "editor", "publisher", "year", "original_year", "language")
    fields = tidy({field: facts[field] for field in known if facts.get(field)})
    wrong = {problem.field for problem in problems("a-key", {"file": name, "title": "a title", **fields})}
    fields = {field: value for field, value in fields.items() if value and field not in wrong}
    fields.setdefault("title", one_line(path.stem) or name)
    return Volume(key=new_key(name, catalogue.volumes), file=name, **fields)


def add_file(home: Home, path: Path, *, replacing: bool = False) -> tuple[Volume, str]:
    """Copy the book at ``path`` into the library; its entry and what happened: added, replaced, unchanged.

    A file that is there already under another name is not taken in twice: ``unchanged``, with that entry.

    Raises:
        UsageError: no such file, not a type of book, or another book of that name is there and
            ``replacing`` was not asked for.
    """
    _refuse_source(path)
    home.library.mkdir(parents=True, exist_ok=True)
    catalogue = home.catalogue()
    name = unicodedata.normalize("NFC", path.name)
    with catalogue.changing():  # two calls that bring the same name must not both find its place free
        entry = catalogue.by_file(name)
        target = home.source(entry) if entry else home.library / name
        happened = "added"
        if os.path.lexists(target) and not target.exists() and not replacing:
            raise UsageError(
                f"{printable(name)} in the library is a link to a file that is not there now.",
                remedy="Mount its disk; or use --replace to put this file in its place.",
            )
        twin = None if entry or target.exists() else _same_book(home, catalogue, path)
        if twin:
            return twin, "unchanged"
        if target.exists():
            same = target.samefile(path) or source_facts(target)["sha256"] == source_facts(path)["sha256"]
            if same and entry:
                return entry, "unchanged"
            if not same and not replacing:
                raise UsageError(
                    f"The library already has another {printable(name)}.",
                    remedy="Use --replace if this is a better copy of the same book; else rename the file.",
                )
            happened = "added" if same else "replaced"
        if not (target.exists() and target.samefile(path)):
            tables.write_atomically(target, lambda staged: shutil.copyfile(path, staged))
    return entry or _enter(catalogue, describe(target, catalogue))[0], happened


def _same_book(home: Home, catalogue: Catalogue, path: Path) -> Volume | None:
    """The volume whose file is byte for byte the one at ``path``, under whatever name."""
    size = path.stat().st_size
    files = [(volume, home.source(volume)) for volume in catalogue]
    alike = [(volume, file) for volume, file in files if file.is_file() and file.stat().st_size == size]
    if not alike or not size:
        return None
    digest = source_facts(path)["sha256"]
    return next((volume for volume, file in alike if source_facts(file)["sha256"] == digest), None)


def _refuse_source(path: Path) -> None:
    """Raise UsageError unless ``path`` is a file that can be a book."""
    shown = printable(str(path))
    if path.is_dir():
        raise UsageError(f"{shown} is a folder.", remedy=f"Name the books in it: jung add {shown}/*")
    if not path.exists():
        raise UsageError(f"There is no file {shown}.")
    if not path.is_file():
        raise UsageError(f"{shown} is not a file that can be copied.")
    if not is_book(path.name):
        raise UsageError(
            f"{printable(path.name)} is not a book.", remedy=f"Known types: {', '.join(sorted(SUFFIXES))}."
        )
    _refuse_name(path.name)


def remove_data(settings: Settings, key: str) -> None:
    """Take away everything made from a volume that is no longer there: tables, checks, vectors.

    The published index keeps its current version until the next one is published without the volume. The
    catalogue entry stays: it is the owner's work, and the same key serves again if the book comes back.

    Raises:
        JungError: the store cannot be reached, or the disk does not let go; what is left is taken away by the
            next call.
    """
    from jung_pipeline.index.embedded_index import EmbeddedIndex
    from jung_pipeline.index.registry import open_index
    from jung_pipeline.stages import index_spec

    home, spec, copy = settings.paths, index_spec(settings), working_copy(settings)
    if copy:
        copy.take(key)  # whoever removes it has to know what there is of it
    in_store = tables.read_info(home.table("vector_index", key)) is not None
    if in_store or EmbeddedIndex(home.index, spec).segment_path(key):
        index = open_index(settings, spec)
        index.remove_volume(key)
        index.settle()
    try:
        _remove_tables(home, key)
    except OSError as error:
        raise file_error(error) from error
    if copy:
        copy.forget(key)


def _remove_tables(home: Home, key: str) -> None:
    for stage in (*STAGES, "removal_ledger"):
        home.table(stage, key).unlink(missing_ok=True)
        home.checks(stage, key).unlink(missing_ok=True)
        home.checks(stage, key).with_suffix(".failure.json").unlink(missing_ok=True)
    for path in (home.path / "tables" / "embeddings").glob(f"*/{key}.parquet"):
        path.unlink()


def volumes_with_data(settings: Settings, present: Collection[str]) -> list[str]:
    """Keys that have tables although their book is not among ``present``."""
    folder = settings.paths.path / "tables"
    keys = {path.stem for path in folder.glob("*/*.parquet")} | {
        path.stem for path in folder.glob("embeddings/*/*.parquet")
    }
    return sorted(keys - set(present))
