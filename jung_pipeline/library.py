"""Where everything lies under ``JUNG_HOME``, and which files in the library folder are books.

::

    JUNG_HOME/
      catalogue.toml            the volumes, editable (.catalogue.toml.lock: held while it is changed)
      library/                  the book files, as they came
      tables/<stage>/<volume>.parquet
      tables/embeddings/<model>/<volume>.parquet
      checks/<stage>/<volume>.json
      index/                    segments, versions, CURRENT (see index/versions.py)
      dagster/                  DAGSTER_HOME unless set otherwise
      .depot/                   what this copy knows of the depot, if the setting data_url names one
"""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jung_pipeline.catalogue import SUFFIXES, Catalogue, Volume

#: Names that operating systems, sync tools, browsers and editors leave in folders.
_JUNK_NAMES = frozenset({"Thumbs.db", "desktop.ini", "Icon\r"})
_JUNK_PREFIXES = (".", "~$", "._", "__MACOSX")


@dataclass(frozen=True)
class Home:
    """The folder of one library."""

    path: Path

    @property
    def catalogue_path(self) -> Path:
        """The catalogue file."""
        return self.path / "catalogue.toml"

    @property
    def library(self) -> Path:
        """The folder of the book files."""
        return self.path / "library"

    @property
    def library_mark(self) -> Path:
        """A hidden file that lies with the books: where it is missing, the folder is not the library's own."""
        return self.library / ".jung-library"

    @property
    def index(self) -> Path:
        """The folder of the index: segments, versions and the pointer to the current one."""
        return self.path / "index"

    @property
    def dagster(self) -> Path:
        """The default Dagster home."""
        return self.path / "dagster"

    @property
    def depot(self) -> Path:
        """The folder of what this working copy knows of the depot (see ``depot/``)."""
        return self.path / ".depot"

    def catalogue(self) -> Catalogue:
        """The catalogue as it is now."""
        return Catalogue(self.catalogue_path)

    def source(self, volume: Volume) -> Path:
        """The book file of ``volume``; found whether the disk stores its name composed or decomposed."""
        path = self.library / volume.file
        if not path.exists() and self.library.is_dir():
            wanted = unicodedata.normalize("NFC", volume.file)
            for candidate in self.library.iterdir():
                if unicodedata.normalize("NFC", candidate.name) == wanted:
                    return candidate
        return path

    def books_elsewhere(self) -> dict[str, dict[str, Any]]:
        """The books that lie in the depot, by file name (NFC), with the facts ``stages.source_facts`` tells."""
        path = self.depot / "books.json"
        try:
            return _books(path, path.stat().st_mtime_ns)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def has_source(self, volume: Volume) -> bool:
        """Whether the book of ``volume`` is in the library: here, as a link whose disk is not mounted, or in the depot."""
        if os.path.lexists(self.source(volume)):
            return True
        return self.depot.is_dir() and unicodedata.normalize("NFC", volume.file) in self.books_elsewhere()

    def table(self, stage: str, volume: str) -> Path:
        """The Parquet file of ``volume`` after ``stage`` (raw_text, cleaned_text, removal_ledger, chunks)."""
        return self.path / "tables" / stage / f"{volume}.parquet"

    def embeddings(self, model: str, volume: str) -> Path:
        """The vectors of ``volume`` under ``model`` (a slug)."""
        return self.path / "tables" / "embeddings" / model / f"{volume}.parquet"

    def checks(self, stage: str, volume: str) -> Path:
        """What the checks of ``stage`` last said about ``volume``."""
        return self.path / "checks" / stage / f"{volume}.json"


@lru_cache(maxsize=4)
def _books(path: Path, _changed: int) -> dict[str, dict[str, Any]]:
    """The books that the record at ``path`` names, read once for each change of it."""
    books = json.loads(path.read_text(encoding="utf-8"))["books"]
    return {str(name): dict(facts) for name, facts in books.items()}


def is_book(name: str) -> bool:
    """Whether a file of this name is taken up as a book: known type, not hidden, not half-written."""
    return not name.startswith(_JUNK_PREFIXES) and Path(name).suffix.lower() in SUFFIXES


def discover(names: Iterable[str]) -> list[str]:
    """The names of the books among ``names``, sorted; everything else is passed over without an error."""
    return sorted(name for name in names if is_book(name))


def passed_over(home: Home) -> list[str]:
    """What lies in the library folder and is not taken up: folders, and files of other types; junk aside."""
    if not home.library.is_dir():
        return []
    return sorted(
        f"{path.name}/" if path.is_dir() else path.name
        for path in home.library.iterdir()
        if not path.name.startswith(_JUNK_PREFIXES)
        and path.name not in _JUNK_NAMES
        and (path.is_dir() or (path.is_file() and not is_book(path.name)))
    )


def files_in(home: Home) -> list[str]:
    """The names of the book files in the library folder; empty where there is no folder yet."""
    if not home.library.is_dir():
        return []
    return discover(path.name for path in home.library.iterdir() if path.is_file())
