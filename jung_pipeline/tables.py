"""Reading and writing stage tables: Parquet with facts about the whole volume in its footer.

A table is written aside and renamed into place, so a reader never sees half of one and a killed writer
leaves the old one. Every page of it has a checksum that reading looks at, so that a disk that has forgotten
something does not go unnoticed. What belongs to the volume rather than to a row (extractor, warnings, outline, …) is
one JSON object in the footer, read without touching the rows.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from jung_pipeline.errors import DamagedTableError, StageError

_INFO_KEY = b"jung"

#: Files that are being written, short so that any name a disk allows can be written; and the seconds after
#: which nobody can still be at work on one.
TEMPORARY = ".jung-*.tmp"
_ABANDONED_AFTER = 3600.0


def from_rows(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """A table of ``rows`` in exactly ``schema``.

    Raises:
        StageError: a row has a column that the schema lacks, or a null where none may be.
    """
    rows = list(rows)
    names = set(schema.names)
    for row in rows[:1]:
        unknown = set(row) - names
        if unknown:
            raise StageError(f"Rows have columns that the schema does not know: {sorted(unknown)}.")
    table = pa.Table.from_pylist(rows, schema=schema)
    check_schema(table, schema)
    return table


def check_schema(table: pa.Table, schema: pa.Schema, *, where: str = "table") -> None:
    """Raise StageError unless ``table`` has exactly the columns, types and non-nulls of ``schema``."""
    if table.schema.remove_metadata() != schema:
        ours = {f.name: str(f.type) for f in schema}
        theirs = {f.name: str(f.type) for f in table.schema}
        wrong = sorted(n for n in ours.keys() | theirs.keys() if ours.get(n) != theirs.get(n))
        raise StageError(f"{where} does not have the expected schema; look at {wrong or 'nullability'}.")
    for field in schema:
        if not field.nullable and table.column(field.name).null_count:
            raise StageError(f"{where}: column {field.name} holds nulls.")


def with_info(table: pa.Table, info: Mapping[str, Any]) -> pa.Table:
    """The table with ``info`` (JSON-able) as the facts about its volume."""
    return table.replace_schema_metadata({_INFO_KEY: json.dumps(info, ensure_ascii=False, sort_keys=True)})


def info_of(table: pa.Table) -> dict[str, Any]:
    """The facts about the volume that :func:`with_info` put on the table; empty without them."""
    metadata = table.schema.metadata or {}
    return json.loads(metadata.get(_INFO_KEY, b"{}"))


def write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Call ``write(staged_path)``, flush the file to disk, and rename it over ``path``.

    Raises:
        StageError: the disk does not take it (full, read-only, forbidden); what was there before stays.
    """
    # Not mkstemp: its files are for their owner alone, and readers may be another user.
    staged = path.with_name(TEMPORARY.replace("*", uuid.uuid4().hex[:12]))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        staged.touch(exist_ok=False)
        write(staged)
        with staged.open("rb+") as file:
            os.fsync(file.fileno())
        staged.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            staged.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StageError(f"{_refused(error, path, staged)}.", remedy=_remedy(error)) from error
        raise


def _sweep(folder: Path) -> None:
    """Remove what killed writers left in ``folder``."""
    for path in folder.glob(TEMPORARY):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED_AFTER:
                path.unlink(missing_ok=True)


def _refused(error: OSError, path: Path, staged: Path) -> str:
    """What the system did not let us do: mostly to write ``path``, sometimes to read what goes into it."""
    source = error.filename
    if isinstance(source, str) and Path(source) != staged and not path.is_relative_to(source):
        return f"{source} cannot be read ({_said(error)})"
    return f"{path} cannot be written ({_said(error)})"


def _said(error: BaseException) -> str:
    """The system's own words, without the paths."""
    number = getattr(error, "errno", None)
    return getattr(error, "strerror", None) or (os.strerror(number) if number else str(error))


def _remedy(error: OSError) -> str:
    """What helps against the system's refusal."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "Make room on the disk and run the same command again; it goes on where it stopped."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "Give this user the right to it, and run the same command again."
    return "Look at that path and its disk, and run the same command again."


def write_table(path: Path, table: pa.Table) -> None:
    """Write ``table`` to ``path`` as Parquet with a checksum for every page, all or nothing."""
    # Without compliant types lists come back with another name for their items, and so another digest.
    write_atomically(
        path,
        lambda staged: pq.write_table(
            table, staged, compression="zstd", use_compliant_nested_type=False, write_page_checksum=True
        ),
    )


def write_text(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` as UTF-8, all or nothing."""
    write_atomically(path, lambda staged: staged.write_text(text, encoding="utf-8"))


def read_table(path: Path, *, columns: list[str] | None = None) -> pa.Table:
    """The table at ``path``.

    Raises:
        DamagedTableError: the file is no readable Parquet file, or a checksum in it does not fit.
        StageError: the file is missing, or the system does not let it be read.
    """
    try:
        return pq.read_table(path, columns=columns, partitioning=None, page_checksum_verification=True)
    except FileNotFoundError as error:
        raise StageError(
            f"{path} is missing.", remedy="Run the stage before it: `jung ingest` does that."
        ) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        if getattr(error, "errno", None):  # the system's word; Arrow's own errors have no number
            raise StageError(
                f"{path} cannot be read ({_said(error)}).",
                remedy="Give this user the right to read it, or delete it and run `jung ingest`.",
            ) from error
        raise DamagedTableError(
            f"{path} is damaged ({_said(error)}).",
            remedy="Delete it and run `jung ingest`; it is made anew.",
        ) from error


def read_or_discard(path: Path, *, columns: list[str] | None = None) -> pa.Table:
    """As :func:`read_table`; a damaged table is removed, so that it counts as missing and is made anew.

    A damaged page shows only when it is read, and whoever only looks at the footer would trust it for ever.

    Raises:
        StageError: see :func:`read_table`.
    """
    try:
        return read_table(path, columns=columns)
    except DamagedTableError as error:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            raise error from error.__cause__
        raise DamagedTableError(error.message, remedy="Run `jung ingest`; it is made anew.") from error


def read_info(path: Path) -> dict[str, Any] | None:
    """The facts in the footer of the table at ``path``; ``None`` where there is no readable table."""
    try:
        metadata = pq.read_schema(path).metadata or {}
        info = json.loads(metadata.get(_INFO_KEY, b"{}"))
    except (OSError, pa.ArrowException, ValueError):
        return None
    return info if isinstance(info, dict) else None


def content_digest(table: pa.Table) -> str:
    """sha256 (hex) of the table's rows: equal content gives an equal digest on every machine.

    Computed over the Arrow IPC stream of the rows in one record batch, without schema metadata.
    """
    digest = hashlib.sha256()

    class _Sink:
        closed = False

        def write(self, data: Any) -> int:
            digest.update(data)
            return len(data)

        def flush(self) -> None: ...
        def close(self) -> None: ...
        def writable(self) -> bool:
            return True

    bare = table.replace_schema_metadata(None).combine_chunks()
    with pa.ipc.new_stream(pa.PythonFile(_Sink(), mode="w"), bare.schema) as stream:
        stream.write_table(bare)
    return digest.hexdigest()
