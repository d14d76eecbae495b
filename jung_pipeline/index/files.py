"""Files that must survive a crash: links, flushes to disk, and the lock of the one writer."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def link(source: Path, target: Path) -> None:
    """Hard-link ``source``, or copy it where the disk has no hard links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def sync(folder: Path) -> None:
    """Flush every file below ``folder``, and the folders, to disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        else:
            sync_folder(path)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Flush the entries of ``folder`` itself, so that a rename in it outlives a power cut."""
    with contextlib.suppress(OSError):  # Windows cannot open folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def exclusive(index_dir: Path, *, wait: bool = True, name: str = ".lock") -> Iterator[None]:
    """Let one process at a time publish; the lock goes with its holder, however that ends.

    ``name`` is the lock's file: locks of two names do not wait for each other.

    Raises:
        BlockingIOError: another has it, and ``wait`` is false.
    """
    index_dir.mkdir(parents=True, exist_ok=True)
    with (index_dir / name).open("w") as file:
        with contextlib.suppress(ImportError):  # Windows: one writer is a matter of discipline
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
