"""The catalogue: what the library owns, one entry a volume, in a file the owner can edit.

``catalogue.toml`` holds one ``[volumes.<key>]`` table per volume. ``jung add`` writes an entry from the
file's own metadata; the owner corrects it by hand. Comments and order in the file survive our writes.
The key is the partition key: it matches ``^[a-z0-9_-]+$`` and never changes, whatever becomes of the title.

A catalogue with a wrong entry is refused whole, every wrong entry named: a volume that is passed over would
look like one that was taken out of the library, and its data would go.
"""

from __future__ import annotations

import contextlib
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import regex
import tomlkit
import tomlkit.exceptions

from jung_pipeline.catalogue_fields import KEY_PATTERN as KEY_PATTERN
from jung_pipeline.catalogue_fields import Problem, problems, tidy
from jung_pipeline.errors import CatalogueError
from jung_pipeline.index.files import exclusive
from jung_pipeline.text.printable import one_line

#: Letters that Unicode does not decompose but people write out.
_SPELLED_OUT = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "þ": "th",
        "&": " and ",
    }
)


@dataclass(frozen=True)
class Volume:
    """One volume of the library: a file and what is known about the book in it."""

    key: str
    file: str  # name in the library folder, NFC
    title: str
    author: str | None = None
    translator: str | None = None
    editor: str | None = None
    publisher: str | None = None
    year: int | None = None  # of this edition
    original_year: int | None = None
    language: str | None = None  # BCP 47 primary tag: "en", "de"
    cw_volume: str | None = None  # Collected Works volume with part: "7", "9i"
    hints: Mapping[str, Any] = field(default_factory=dict)  # see catalogue_fields.HINTS

    def __post_init__(self) -> None:
        """Bring the fields into the form they are kept in; refuse what would break a later stage, by name."""
        values = tidy({name: value for name, value in self.__dict__.items() if name != "key"})
        wrong = problems(self.key, values)
        if wrong:
            raise CatalogueError(f"Catalogue entry {_said(self.key, wrong[0])}", remedy=wrong[0].remedy)
        for name, value in values.items():
            object.__setattr__(self, name, value)


class Catalogue:
    """The volumes of a library, by key, in the order of the file."""

    def __init__(self, path: Path) -> None:
        """Read the catalogue at ``path``; a missing file is an empty catalogue.

        Raises:
            CatalogueError: the file cannot be read, is not TOML, or entries are wrong.
        """
        self.path = path
        self._changing = False
        self._read()

    def _read(self) -> None:
        """Take the file as it is now."""
        self._document = _parsed(self.path)
        self.volumes: dict[str, Volume] = _volumes_of(self.path, self._document.unwrap())
        self._by_file: dict[str, Volume] | None = None  # made when first asked for, and after every change

    def __len__(self) -> int:
        return len(self.volumes)

    def __iter__(self) -> Iterator[Volume]:
        return iter(self.volumes.values())

    def get(self, key: str) -> Volume:
        """The volume ``key``.

        Raises:
            CatalogueError: there is none; the message lists those there are.
        """
        try:
            return self.volumes[key]
        except KeyError:
            known = ", ".join(self.volumes) or "none yet"
            raise CatalogueError(f"No volume {key!r} in {self.path}.", remedy=f"Known: {known}.") from None

    def by_file(self, name: str) -> Volume | None:
        """The volume whose file is ``name`` (compared in NFC), or ``None``."""
        if self._by_file is None:
            self._by_file = {}
            for volume in self:
                self._by_file.setdefault(unicodedata.normalize("NFC", volume.file), volume)
        return self._by_file.get(unicodedata.normalize("NFC", name))

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Read the file anew and let nobody else change it meanwhile; what is decided inside stays true.

        May be nested. Every process that writes goes through here, so no entry of another's is lost.
        """
        if self._changing:
            yield
            return
        with exclusive(self.path.parent, name=f".{self.path.name}.lock"):
            self._read()
            self._changing = True
            try:
                yield
            finally:
                self._changing = False

    def add(self, volume: Volume) -> None:
        """Put ``volume`` into the catalogue, replacing an entry of the same key, and save the file.

        Raises:
            CatalogueError: another entry has the same file.
        """
        with self.changing():
            other = self.by_file(volume.file)
            if other and other.key != volume.key:
                raise CatalogueError(
                    f"{self.path}: {volume.file} is the file of the entry [volumes.{other.key}] already.",
                    remedy="Two volumes cannot share a file.",
                )
            self.volumes[volume.key] = volume
            self._by_file = None
            entries = self._document.setdefault("volumes", tomlkit.table(is_super_table=True))
            entry = entries.get(volume.key)
            if entry is None:
                entries[volume.key] = entry = tomlkit.table()
            _update(entry, {name: value for name, value in asdict(volume).items() if name != "key"})
            self.save()

    def remove(self, key: str) -> None:
        """Take the entry ``key`` out and save the file; nothing happens if there is none."""
        with self.changing():
            if self.volumes.pop(key, None) is not None:
                self._by_file = None
                del self._document["volumes"][key]
                self.save()

    def save(self) -> None:
        """Write the file, all or nothing."""
        from jung_pipeline.tables import write_text  # brings Arrow along; reading a catalogue does without

        write_text(self.path, tomlkit.dumps(self._document))


def _update(entry: Any, values: Mapping[str, Any]) -> None:
    """Write ``values`` into a table of the document; what is the same already keeps its form and comments."""
    for name, value in values.items():
        if value in (None, {}):
            entry.pop(name, None)
        elif name not in entry or entry[name] != value:
            entry[name] = value


def _parsed(path: Path) -> tomlkit.TOMLDocument:
    """The TOML at ``path``; an empty document where there is no file."""
    unchanged = "Nothing was changed."
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return tomlkit.document()
    except IsADirectoryError as error:
        raise CatalogueError(
            f"{path} is a folder.", remedy="Move it away; the catalogue is a file."
        ) from error
    except OSError as error:
        raise CatalogueError(
            f"{path} cannot be read ({error.strerror}).",
            remedy="Look at who owns it, and at its permissions.",
        ) from error
    try:
        return tomlkit.parse(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CatalogueError(
            f"{path}, line {line}: this is not UTF-8.", remedy=f"Save the file as UTF-8. {unchanged}"
        ) from error
    except tomlkit.exceptions.TOMLKitError as error:
        said = str(error).rstrip(".").replace(". at line", " at line")
        raise CatalogueError(
            f"{path} is not TOML: {said}.", remedy=f"Correct it there. {unchanged}"
        ) from error


def _volumes_of(path: Path, document: Mapping[str, Any]) -> dict[str, Volume]:
    """The volumes of a parsed catalogue.

    Raises:
        CatalogueError: names file, entry and field of the first thing that is wrong, and where there is more.
    """
    wrong: list[tuple[str, Problem]] = []
    for name in document:
        if name != "volumes":
            says = "this is no table of a catalogue"
            wrong.append((f"[{name}]", Problem("", says, "Entries are written as [volumes.<key>].")))
    entries = document.get("volumes", {})
    if not isinstance(entries, Mapping):
        wrong.append(
            ("volumes", Problem("", "this is not a table", "Entries are written as [volumes.<key>]."))
        )
        entries = {}
    volumes: dict[str, Volume] = {}
    owners: dict[str, str] = {}
    for key, entry in entries.items():
        if not isinstance(entry, Mapping):
            wrong.append(
                (key, Problem("", "this is not a table", f"Write it as [volumes.{one_line(key)[:80]}]."))
            )
            continue
        values = tidy({"file": None, "title": None, **entry})
        found = problems(key, values)
        owner = owners.setdefault(str(values["file"]), key)
        if not found and owner != key:
            says = f"the entry {owner!r} has the same file, {values['file']}"
            found = [Problem("file", says, "Take one of the two entries out.")]
        wrong += [(key, problem) for problem in found]
        if not found:
            volumes[key] = Volume(key=key, **values)
    if wrong:
        key, first = wrong[0]
        more = [f"{one_line(other)[:80]} {problem.field}".strip() for other, problem in wrong[1:]]
        also = f" Also wrong: {', '.join(more[:5])}{', …' if more[5:] else ''}." if more else ""
        raise CatalogueError(f"{path}, entry {_said(key, first)}", remedy=f"{first.remedy}{also}".strip())
    return volumes


def _said(key: Any, problem: Problem) -> str:
    """An entry, a field, and what is wrong with it."""
    shown = repr(key) if len(str(key)) <= 90 else f"{str(key)[:80]!r}…"
    return f"{shown}{f', field {problem.field}' if problem.field else ''}: {problem.says}."


def slug(name: str) -> str:
    """``name`` in ``[a-z0-9-]``: umlauts spelled out, accents dropped, the rest joined by single hyphens."""
    text = unicodedata.normalize("NFC", name).casefold().translate(_SPELLED_OUT)
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return regex.sub(r"[^a-z0-9]+", "-", text).strip("-")[:60].strip("-")


def new_key(name: str, taken: Collection[str]) -> str:
    """A key for a volume in file ``name`` that no other volume has.

    The file type is part of the name where needed (the same title as PDF and EPUB), then a number; so the
    key depends on the name and on the keys already given, never on time or place.
    """
    path = Path(unicodedata.normalize("NFC", name))
    stem, suffix = (path.stem, path.suffix) if path.suffix.lower() in SUFFIXES else (path.name, "")
    base = slug(stem) or "volume"
    candidates = [base, f"{base}-{slug(suffix)}" if suffix else base]
    for candidate in candidates:
        if candidate not in taken:
            return candidate
    number = 2
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"


#: File types that a book may come as.
SUFFIXES = frozenset({".pdf", ".epub", ".txt", ".text", ".htm", ".html", ".xhtml"})
