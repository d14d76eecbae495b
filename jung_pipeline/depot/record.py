"""What a working copy knows of the depot: tags of what it last took or put, and digests of its files.

Kept in ``JUNG_HOME/.depot/``; lost, it is made anew by comparing contents.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from jung_pipeline import tables
from jung_pipeline.library import Home


def read(home: Home, name: str) -> dict[str, Any]:
    """The record called ``name``; empty without one."""
    try:
        values = json.loads((home.depot / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def write(home: Home, name: str, values: dict[str, Any]) -> None:
    """Keep ``values`` as the record called ``name``."""
    tables.write_text(home.depot / f"{name}.json", json.dumps(values, ensure_ascii=False, sort_keys=True))


def forget(home: Home, name: str) -> None:
    """Remove a record."""
    (home.depot / f"{name}.json").unlink(missing_ok=True)


def described(path: Path, known: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """Size, time and sha256 of a file; ``None`` if it is not there.

    The digest of ``known`` is trusted while size and time are the same.
    """
    try:
        stat = path.stat()
        facts = {"bytes": stat.st_size, "mtime_ns": stat.st_mtime_ns}
        if known and facts.items() <= known.items() and known.get("sha256"):
            return {**facts, "sha256": known["sha256"]}
        with path.open("rb") as file:
            return {**facts, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    except FileNotFoundError:
        return None
