"""Every error that this project raises on purpose, each with an exit code and a remedy.

A user sees one line: what is wrong, where (file and page where known), and what to do about it.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Literal

#: Exit codes of the ``jung`` command: 0 done, 1 the thing asked for failed, 2 wrong usage,
#: 3 "not in these books" (only under ``--strict``).
EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_NOT_FOUND = 0, 1, 2, 3

SourceErrorKind = Literal[
    "encrypted", "empty_file", "damaged", "not_this_format", "drm", "too_large", "unsafe", "no_text"
]


class JungError(Exception):
    """Base of all errors meant for the user: a message of one line and a remedy of one line."""

    exit_code: int = EXIT_FAILED

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        message = self.message
        if self.remedy and message and message[-1] not in ".!?:…":
            message += "."
        return f"{message} {self.remedy}".strip()


class UsageError(JungError):
    """The command or a setting was given a value that makes no sense."""

    exit_code = EXIT_USAGE


class SettingsError(UsageError):
    """A setting is missing, unknown, or contradicts another."""


class CatalogueError(JungError):
    """The catalogue cannot be read, or an entry in it is wrong; names the entry and the field."""


class SourceError(JungError):
    """A book file cannot be used. ``kind`` says why, in a word that programs can rely on."""

    def __init__(
        self, kind: SourceErrorKind, file: str, message: str, *, page: int | None = None, remedy: str = ""
    ) -> None:
        where = f"{file}, page {page}" if page is not None else file
        super().__init__(f"{where}: {message}", remedy=remedy)
        self.kind = kind
        self.file = file
        self.page = page


class StageError(JungError):
    """A stage of the line has no input, or its input breaks a promise (schema, invariants)."""


class DamagedTableError(StageError):
    """A stage's table is there, but what it holds cannot be trusted: torn, or its checksums do not fit."""


class EmbeddingError(JungError):
    """An embedder cannot be loaded, or refused a text."""


class VectorIndexError(JungError):
    """The index is missing, damaged, or was built with another model."""


class IndexAuditError(VectorIndexError):
    """Index and passages do not agree.

    ``volumes`` are the keys of those whose vectors have to be written anew; made anew, if ``embed_again``.
    """

    def __init__(
        self, message: str, *, volumes: tuple[str, ...], embed_again: bool = False, remedy: str = ""
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.volumes = volumes
        self.embed_again = embed_again


class NotPromotedError(VectorIndexError):
    """A new version of the index evaluates clearly worse than the live one, which stays."""


class ModelMismatchError(VectorIndexError):
    """Vectors of two models would meet in one index; both are named."""


class ServiceError(JungError):
    """A remote service (Pinecone, Anthropic) failed after the retries that make sense."""


class AnswerError(JungError):
    """The language model gave no usable answer (refusal, cut off, empty)."""


#: What helps where the operating system says no.
_REMEDIES = {
    errno.EACCES: "Look at who owns it, and at its permissions.",
    errno.EPERM: "Look at who owns it, and at its permissions.",
    errno.EROFS: "The disk can only be read; name another library folder with JUNG_HOME or --home.",
    errno.ENOSPC: "Make room on the disk.",
    errno.EDQUOT: "Make room on the disk.",
    errno.ENAMETOOLONG: "Give the file a shorter name.",
    errno.EISDIR: "There is a folder where a file should be; move it away.",
    errno.ENOTDIR: "There is a file where a folder should be; move it away.",
    errno.EEXIST: "There is a file where a folder should be; move it away.",
    errno.EILSEQ: "Rename the file: its name is not UTF-8.",
    errno.EMFILE: "Close other programs, or raise the limit of open files (ulimit -n).",
}


def file_error(error: OSError, path: Path | str | None = None) -> JungError:
    """What the operating system refused, as an error for the user: which file, why, and what to do."""
    name = error.filename or path
    where = f"{name}: " if name else ""
    return JungError(
        f"{where}{error.strerror or error}.", remedy=_REMEDIES.get(error.errno or 0, "Look at that file.")
    )
