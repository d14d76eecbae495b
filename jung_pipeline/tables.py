"""Reading and writing stage tables: Parquet with facts about the whole volume in its footer.

A table is written aside and renamed into place, so a reader never sees half of one and a killed writer
leaves the old one. What belongs to the volume rather than to a row (extractor, warnings, outline, …) is
one JSON object in the footer, read without touching the rows.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from jung_pipeline.errors import StageError

_INFO_KEY = b"jung"


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


def write_atomically(path: Path, write: Any) -> None:
    """Call ``write(staged_path)``, flush the file to disk, and rename it over ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not mkstemp: its files are for their owner alone, and readers may be another user.
    staged = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.tmp")
    staged.touch(exist_ok=False)
    try:
        write(staged)
        with staged.open("rb+") as file:
            os.fsync(file.fileno())
        staged.replace(path)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise


def write_table(path: Path, table: pa.Table) -> None:
    """Write ``table`` to ``path`` as Parquet, all or nothing."""
    # Without the last option lists come back with another name for their items, and so another digest.
    write_atomically(
        path,
        lambda staged: pq.write_table(table, staged, compression="zstd", use_compliant_nested_type=False),
    )


def write_text(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` as UTF-8, all or nothing."""
    write_atomically(path, lambda staged: staged.write_text(text, encoding="utf-8"))


def read_table(path: Path, *, columns: list[str] | None = None) -> pa.Table:
    """The table at ``path``.

    Raises:
        StageError: the file is missing or not a readable Parquet file.
    """
    try:
        return pq.read_table(path, columns=columns, partitioning=None)
    except FileNotFoundError as error:
        raise StageError(
            f"{path} is missing.", remedy="Run the stage before it: `jung ingest` does that."
        ) from error
    except (pa.ArrowInvalid, OSError) as error:
        raise StageError(
            f"{path} is damaged ({error}).", remedy="Delete it and run `jung ingest`; it is made anew."
        ) from error


def read_info(path: Path) -> dict[str, Any] | None:
    """The facts in the footer of the table at ``path``; ``None`` where there is no readable table."""
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (OSError, pa.ArrowInvalid):
        return None
    return json.loads(metadata.get(_INFO_KEY, b"{}"))


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
