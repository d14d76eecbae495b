"""The place where a depot lies: named objects that are put whole, and replaced only by who knows what was there.

::

    catalogue.toml                                as in JUNG_HOME
    books.json                                    name of every book file: object, digest, size, time
    books/<sha256>/<name>                         the book files
    states/<volume>.json                          what belongs to a volume: object and digest of each of its files
    volumes/<volume>/<stage>.<sha256>.<suffix>    tables, outcomes of checks, pointers of the index
    segments/<volume>/<digest>.arrow              segments of the index
    versions/<id>/manifest.json, lexical/…        versions of the index; their segments are those above
    CURRENT                                       the live version, and what is held back after going back

All but ``catalogue.toml``, ``books.json``, ``states/`` and ``CURRENT`` never change once they are there. Those four
are switched by a conditional request, so that two writers cannot both believe that theirs is what is there now.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from jung_pipeline import tables
from jung_pipeline.errors import JungError, ServiceError, SettingsError
from jung_pipeline.index.files import exclusive


class ConflictError(JungError):
    """Somebody else has changed an object since it was read."""


class Depot(Protocol):
    """Objects by name. A tag tells one content of an object from another."""

    url: str

    def get(self, name: str) -> tuple[bytes, str] | None:
        """Content and tag of a small object; ``None`` if there is none."""
        ...

    def put(self, name: str, data: bytes, *, expected: str | None) -> str:
        """Replace the object that had the tag ``expected`` (``None``: there was none); the new tag.

        Raises:
            ConflictError: it has another tag by now, and stays as it is.
        """
        ...

    def upload(self, path: Path, name: str) -> None:
        """Put a file that is immutable under its name."""
        ...

    def download(self, name: str, path: Path) -> None:
        """Write an object to ``path``; raises FileNotFoundError if there is none."""
        ...

    def names(self, prefix: str) -> dict[str, str]:
        """The objects whose name begins with ``prefix``, a folder with its slash; the tag of each."""
        ...

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects; those that are not there are no error."""
        ...


def open_depot(url: str) -> Depot:
    """The depot at ``url``: ``s3://bucket/folder``, ``file:///folder``, or a folder.

    Raises:
        SettingsError: no such kind of place, or the extra ``s3`` is not installed.
    """
    return _opened(url.rstrip("/"), os.getpid())


@lru_cache(maxsize=8)
def _opened(url: str, _process: int) -> Depot:
    """One a process: connections do not survive a fork."""
    scheme = urlsplit(url).scheme
    if scheme == "s3":
        try:
            from jung_pipeline.depot.s3_s3fs import S3Depot
        except ImportError as error:
            raise SettingsError(
                f"data_url is {url}, but s3fs is not installed.", remedy="pip install 'jung-pipeline[s3]'"
            ) from error
        return S3Depot(url)
    if scheme == "file":
        return FolderDepot(Path(unquote(urlsplit(url).path)), url)
    if scheme:
        raise SettingsError(
            f"data_url: there is no {scheme}:// here.",
            remedy="Name s3://bucket/folder or a folder. Most object stores speak S3 (AWS_ENDPOINT_URL names theirs).",
        )
    return FolderDepot(Path(url).expanduser().resolve(), url)


class FolderDepot:
    """A depot in a folder that all machines mount."""

    def __init__(self, folder: Path, url: str) -> None:
        """``folder`` is made when something is put there."""
        self.folder = folder
        self.url = url

    def get(self, name: str) -> tuple[bytes, str] | None:
        """See :class:`Depot`."""
        try:
            data = (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._refused(error) from error
        return data, _tag(data)

    def put(self, name: str, data: bytes, *, expected: str | None) -> str:
        """See :class:`Depot`."""
        try:
            with exclusive(self.folder, name=".depot.lock"):
                there = self.get(name)
                if (there[1] if there else None) != expected:
                    raise conflict(self.url, name)
                tables.write_atomically(self.folder / name, lambda staged: staged.write_bytes(data))
        except OSError as error:
            raise self._refused(error) from error
        return _tag(data)

    def upload(self, path: Path, name: str) -> None:
        """See :class:`Depot`."""
        tables.write_atomically(self.folder / name, lambda staged: shutil.copyfile(path, staged))

    def download(self, name: str, path: Path) -> None:
        """See :class:`Depot`."""
        try:
            shutil.copyfile(self.folder / name, path)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise self._refused(error) from error

    def names(self, prefix: str) -> dict[str, str]:
        """See :class:`Depot`."""
        found = {}
        for path in sorted((self.folder / prefix).rglob("*")):
            if path.is_file() and not path.match(tables.TEMPORARY):
                name = path.relative_to(self.folder).as_posix()
                # Only what is small is replaced; what is large has its digest in its name.
                found[name] = _tag(path.read_bytes()) if prefix.startswith("states/") else name
        return found

    def delete(self, names: Iterable[str]) -> None:
        """See :class:`Depot`."""
        for name in names:
            path = self.folder / name
            path.unlink(missing_ok=True)
            for folder in path.relative_to(self.folder).parents:
                with contextlib.suppress(OSError):  # not empty
                    (self.folder / folder).rmdir()

    def _refused(self, error: OSError) -> ServiceError:
        return ServiceError(
            f"The depot {self.url} cannot be used ({error.strerror or error}).",
            remedy="Look whether it is mounted, and at its rights.",
        )


def conflict(url: str, name: str) -> ConflictError:
    """The error for an object that somebody else has replaced."""
    return ConflictError(
        f"{name} in {url} was changed by another machine meanwhile; nothing of it was replaced.",
        remedy="Run the same command again: it starts from what is there now.",
    )


def _tag(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
