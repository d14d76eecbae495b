"""The process that reads one file for :mod:`jung_pipeline.extract.bounded` and ends.

The request comes as JSON on standard input. Progress and the outcome go out as lines of JSON on what was
standard output; anything that a library prints goes to standard error.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from jung_pipeline import progress, tables
from jung_pipeline.errors import SourceError
from jung_pipeline.extract.bounded import PLACE, RESULT
from jung_pipeline.extract.extractor import describe_file, extract, file_format
from jung_pipeline.without_pandas import leave_pandas_out

#: What reads each format, imported before memory is limited: the limit is for the file.
_MODULES = {
    "pdf": "jung_pipeline.extract.pdf_pymupdf",
    "epub": "jung_pipeline.extract.epub_ebooklib",
    "html": "jung_pipeline.extract.html_bs4",
    "txt": "jung_pipeline.extract.plain_text",
}
#: Progress is told no oftener than this, seconds.
_EVERY = 0.1


class _Channel:
    """Lines of JSON to the process that asked."""

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self._last = 0.0

    def say(self, **message: Any) -> None:
        """Send a message."""
        self._file.write(json.dumps(message) + "\n")
        self._file.flush()

    def advance(self, stage: str, done: int, total: int | None) -> None:
        """Pass on progress, unless some was passed on just now and more will come."""
        now = time.monotonic()
        if done == total or now - self._last >= _EVERY:
            self._last = now
            self.say(progress=[stage, done, total])


def limit_process(memory_mb: int, seconds: float) -> None:
    """Limit this process, as far as the system can: memory over what it has now, processor time, no core files."""
    try:
        import resource
    except ImportError:  # Windows
        return
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        now = pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        now = 0
    # The clock is the parent's business; this is for a child whose parent is gone.
    processor = int(seconds) + 60
    limits = ((resource.RLIMIT_AS, now + memory_mb * 2**20), (resource.RLIMIT_CPU, processor))
    for name, value in (*limits, (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(name)
        if hard == resource.RLIM_INFINITY or value <= hard:
            resource.setrlimit(name, (value, hard))


def _keep_place(folder: Path) -> progress.PlaceKeeper:
    """A keeper that writes the number of the page begun into a file, which outlives a crash."""
    file = os.open(folder / PLACE, os.O_CREAT | os.O_WRONLY)

    def keep(stage: str, unit: int) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, b"%-10d" % unit)  # as wide as any number before

    return keep


def _read(request: dict[str, Any], channel: _Channel) -> None:
    """Do what is asked."""
    path, folder = Path(request["path"]), Path(request["folder"])
    importlib.import_module(
        _MODULES[file_format(path, hints=request["hints"], max_file_mb=request["max_file_mb"])]
    )
    limit_process(request["memory_mb"], request["seconds"])
    # The process is short-lived and what was imported stays: looking for cycles less often saves a
    # twentieth of the time.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    if request["task"] == "describe":
        channel.say(finished=True, description=describe_file(path))
        return
    with progress.reporting_to(channel.advance), progress.place_kept_by(_keep_place(folder)):
        document = extract(path, hints=request["hints"], max_file_mb=request["max_file_mb"])
    table = tables.with_info(document.lines, document.info.to_dict())
    import pyarrow as pa

    with pa.OSFile(str(folder / RESULT), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    channel.say(finished=True)


def main() -> None:
    """Read one file and say how it went."""
    leave_pandas_out()
    channel = _Channel()
    try:
        _read(json.load(sys.stdin), channel)
    except SourceError as error:
        channel.say(
            failure={
                "type": "SourceError",
                "kind": error.kind,
                "file": error.file,
                "page": error.page,
                "message": error.message,
                "remedy": error.remedy,
            }
        )
    except MemoryError:
        channel.say(failure={"type": "MemoryError"})
    except Exception as error:
        if isinstance(error.__cause__, MemoryError) or isinstance(error.__context__, MemoryError):
            channel.say(failure={"type": "MemoryError"})
            return
        channel.say(
            failure={
                "type": type(error).__name__,
                "message": str(error),
                "traceback": traceback.format_exc(),
            }
        )


if __name__ == "__main__":
    main()
