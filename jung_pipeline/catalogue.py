"""The catalogue: what the library owns, one entry a volume, in a file the owner can edit.

``catalogue.toml`` holds one ``[volumes.<key>]`` table per volume. ``jung add`` writes an entry from the
file's own metadata; the owner corrects it by hand. Comments and order in the file survive our writes.
The key is the partition key: it matches ``^[a-z0-9_-]+$`` and never changes, whatever becomes of the title.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import regex
import tomlkit
import tomlkit.exceptions

from jung_pipeline.errors import CatalogueError
from jung_pipeline.tables import write_text

KEY_PATTERN = regex.compile(r"[a-z0-9_-]{1,80}")

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
    hints: Mapping[str, Any] = field(default_factory=dict)  # e.g. encoding, password_env, first_page

    def __post_init__(self) -> None:
        """Refuse an entry that would break a later stage, naming the entry and the field."""
        if not KEY_PATTERN.fullmatch(self.key):
            raise CatalogueError(
                f"Catalogue entry {self.key!r}: a key is 1 to 80 of a-z, 0-9, '-' and '_'.",
                remedy="Rename the entry.",
            )
        for name in ("file", "title"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                raise CatalogueError(
                    f"Catalogue entry {self.key!r}: {name} is missing.", remedy=f'Add `{name} = "…"`.'
                )
        for name in ("year", "original_year"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
                raise CatalogueError(
                    f"Catalogue entry {self.key!r}: {name} must be a whole number, not {value!r}."
                )


class Catalogue:
    """The volumes of a library, by key, in the order of the file."""

    def __init__(self, path: Path) -> None:
        """Read the catalogue at ``path``; a missing file is an empty catalogue.

        Raises:
            CatalogueError: the file is not TOML, or an entry is wrong.
        """
        self.path = path
        try:
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            self._document = tomlkit.parse(text)
        except (tomlkit.exceptions.ParseError, UnicodeDecodeError) as error:
            raise CatalogueError(
                f"{path}: {error}", remedy="Correct that line; nothing was changed."
            ) from error
        self.volumes: dict[str, Volume] = {
            key: _volume_from(key, entry) for key, entry in self._document.get("volumes", {}).items()
        }

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
        wanted = unicodedata.normalize("NFC", name)
        return next((v for v in self if unicodedata.normalize("NFC", v.file) == wanted), None)

    def add(self, volume: Volume) -> None:
        """Put ``volume`` into the catalogue, replacing an entry of the same key, and save the file."""
        self.volumes[volume.key] = volume
        table = tomlkit.table()
        for name, value in asdict(volume).items():
            if name != "key" and value not in (None, {}):
                table[name] = value
        self._document.setdefault("volumes", tomlkit.table(is_super_table=True))[volume.key] = table
        self.save()

    def remove(self, key: str) -> None:
        """Take the entry ``key`` out and save the file; nothing happens if there is none."""
        if self.volumes.pop(key, None) is not None:
            del self._document["volumes"][key]
            self.save()

    def save(self) -> None:
        """Write the file, all or nothing."""
        write_text(self.path, tomlkit.dumps(self._document))


def _volume_from(key: str, entry: Any) -> Volume:
    """The Volume of a catalogue table; every problem names the entry."""
    if not isinstance(entry, Mapping):
        raise CatalogueError(
            f"Catalogue entry {key!r} is not a table.", remedy=f"Write it as [volumes.{key}]."
        )
    values = entry.unwrap() if hasattr(entry, "unwrap") else dict(entry)
    known = {f.name for f in fields(Volume)} - {"key"}
    unknown = sorted(set(values) - known)
    if unknown:
        raise CatalogueError(
            f"Catalogue entry {key!r}: unknown field {unknown[0]!r}.",
            remedy=f"Known: {', '.join(sorted(known))}.",
        )
    return Volume(key=key, **{"file": "", "title": "", **values})


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
