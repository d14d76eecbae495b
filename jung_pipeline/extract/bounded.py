"""Reading a book file in a process of its own, with a limit on its time and on its memory.

A file that somebody else made may be a bomb, or may crash the library that reads it; whichever it is, it
ends in one clear error, and the volumes after it go on. A process can be stopped where a thread cannot, and
a crash in it is its own. Plain text is read by our own code in time linear in its size, so it is read here.

The child is ``python -m jung_pipeline.extract.bounded_child``: started anew, not forked, because the
process that asks may have threads (Dagster's has), and not by multiprocessing, which would run the asking
program's main module again.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

import jung_pipeline
from jung_pipeline import progress, tables
from jung_pipeline.errors import SourceError, StageError
from jung_pipeline.extract.document import DocumentInfo, ExtractedDocument
from jung_pipeline.extract.extractor import describe_file, extract, file_format, with_language
from jung_pipeline.extract.ocr import read_again
from jung_pipeline.extract.ocr_wanted import OcrOptions

#: Names of the files in which the child leaves the lines, and the number of the page it is at.
RESULT, PLACE = "lines.arrow", "page"

#: Exit codes from here on say on Windows what signals say elsewhere.
_WINDOWS_FAULTS = 0xC0000000
_RAISE = "Raise {} if the file is what you expect; otherwise get the book in another edition or format."


@dataclass(frozen=True)
class Limits:
    """What reading one file may take."""

    seconds: float = 900.0  # of time on the clock
    memory_mb: int = 2000  # over what an idle process takes
    max_file_mb: int = 1000  # size of the file


#: What it may take to see what a file says about its book: somebody is waiting for it.
DESCRIBING = Limits(seconds=60.0)


def extract_bounded(
    path: Path,
    hints: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    ocr: OcrOptions | None = None,
) -> ExtractedDocument:
    """As :func:`jung_pipeline.extract.extractor.extract`, within limits and safe from crashes.

    With ``ocr`` the pages of a PDF that want it are then read again (:mod:`jung_pipeline.extract.ocr`), which
    has limits of its own for every page.

    Progress of the reading is told to this process's reporter. Where the system cannot limit a process's
    memory (macOS, Windows), the limit on time alone holds.

    Raises:
        SourceError: as ``extract``; besides ``too_large`` if a limit is reached and ``damaged`` if the
            library that reads the file crashes, with the page where it is known.
        StageError: the reading failed for a reason that is not the file's.
    """
    hints, limits = dict(hints or {}), limits or Limits()
    if file_format(path, hints=hints, max_file_mb=limits.max_file_mb) == "txt":
        return extract(path, hints=hints, max_file_mb=limits.max_file_mb)
    with tempfile.TemporaryDirectory(prefix="jung-extract-") as folder:
        document = _Reading(path, hints, limits, Path(folder)).document()
    return document if ocr is None else with_language(read_again(document, path, hints, ocr))


def describe_bounded(path: Path, limits: Limits = DESCRIBING) -> dict[str, Any]:
    """As :func:`jung_pipeline.extract.extractor.describe_file`, within limits and safe from crashes.

    Raises:
        SourceError: as ``describe_file``; besides ``too_large`` and ``damaged`` as :func:`extract_bounded`.
        StageError: the reading failed for a reason that is not the file's.
    """
    if file_format(path, max_file_mb=limits.max_file_mb) == "txt":
        return describe_file(path)
    with tempfile.TemporaryDirectory(prefix="jung-describe-") as folder:
        return _Reading(path, {}, limits, Path(folder)).description()


class _Reading:
    """One child process that reads one file."""

    def __init__(self, path: Path, hints: dict[str, Any], limits: Limits, folder: Path) -> None:
        self._path, self._hints, self._limits, self._folder = path, hints, limits, folder

    def document(self) -> ExtractedDocument:
        """What the child read.

        Raises:
            SourceError: see :func:`extract_bounded`.
        """
        self._outcome("extract")
        with pa.OSFile(str(self._folder / RESULT)) as file:
            lines = pa.ipc.open_file(file).read_all()
        info = DocumentInfo.from_dict(tables.info_of(lines))
        return ExtractedDocument(lines.replace_schema_metadata(None), info)

    def description(self) -> dict[str, Any]:
        """What the file says about its book, as the child read it.

        Raises:
            SourceError: see :func:`describe_bounded`.
        """
        return dict(self._outcome("describe")["description"])

    def _outcome(self, task: str) -> dict[str, Any]:
        """What the child says at the end of its ``task``, "extract" or "describe"."""
        failure: dict[str, Any] | None = None
        finished: dict[str, Any] | None = None
        with (self._folder / "stderr").open("w+b") as stderr, self._child(task, stderr) as child:
            deadline = time.monotonic() + self._limits.seconds
            for message in _messages(child, deadline):
                if "progress" in message:
                    progress.advance(*message["progress"])
                elif "failure" in message:
                    failure = message["failure"]
                else:
                    finished = message
            if finished is None and failure is None:
                if time.monotonic() >= deadline:
                    raise self._too_slow()
                child.wait()
            stderr.seek(0)
            said = stderr.read()[-4000:].decode("utf-8", "replace")
        if failure is not None:
            raise self._failed(failure)
        if finished is None:
            raise self._died(child.returncode, said)
        return finished

    @contextlib.contextmanager
    def _child(self, task: str, stderr: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        """The running child; it does not outlive the ``with`` block."""
        package = str(Path(jung_pipeline.__file__).resolve().parent.parent)
        paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            # Threads nobody uses here, each of which would take its stack off the limit on memory.
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        child = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "jung_pipeline.extract.bounded_child",
            ],  # -P: nothing from the folder it runs in
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment,
        )
        try:
            assert child.stdin is not None
            request = {
                "task": task,
                "path": str(self._path.absolute()),
                "hints": self._hints,
                "max_file_mb": self._limits.max_file_mb,
                "memory_mb": self._limits.memory_mb,
                "seconds": self._limits.seconds,
                "folder": str(self._folder),
            }
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(json.dumps(request, default=str).encode())
                child.stdin.close()
            yield child
        finally:
            child.kill()
            child.wait()
            if child.stdout is not None:
                child.stdout.close()

    def _page(self) -> int | None:
        """The page that the child had begun last, where its format has pages."""
        try:
            return int((self._folder / PLACE).read_text(encoding="ascii")) or None
        except (OSError, ValueError):
            return None

    def _too_large(self, what: str, setting: str) -> SourceError:
        """The error for a file that reached a limit."""
        return SourceError(
            "too_large", self._path.name, f"{what}.", page=self._page(), remedy=_RAISE.format(setting)
        )

    def _failed(self, failure: Mapping[str, Any]) -> Exception:
        """The error that ended the reading, as the child tells it."""
        if failure["type"] == "MemoryError":
            return self._too_large(
                f"reading it takes more than {self._limits.memory_mb} MB of memory", "extract_memory_mb"
            )
        if failure["type"] == "SourceError":
            file, page = failure["file"], failure["page"]
            where = f"{file}, page {page}: " if page is not None else f"{file}: "
            message = failure["message"].removeprefix(where)
            return SourceError(failure["kind"], file, message, page=page, remedy=failure["remedy"])
        return self._unexpected(f"{failure['type']}: {failure['message']}", failure["traceback"])

    def _died(self, code: int, said: str) -> Exception:
        """The error for a child that ended without a word; negative codes are signals."""
        if "bad_alloc" in said or "MemoryError" in said or "Cannot allocate memory" in said:
            return self._failed({"type": "MemoryError"})
        if 0 <= code < _WINDOWS_FAULTS:
            return self._unexpected(f"exit code {code}", said)
        name = signal.Signals(-code).name if code < 0 else f"{code:#x}"
        if name == "SIGKILL":
            return SourceError(
                "too_large",
                self._path.name,
                "the system ended its reading, most likely because memory ran out.",
                page=self._page(),
                remedy="Close other programs, or read the file on a machine with more memory.",
            )
        if name == "SIGXCPU":
            return self._too_slow()
        return SourceError(
            "damaged",
            self._path.name,
            f"the library that reads it crashed ({name}).",
            page=self._page(),
            remedy="Get the file again, or repair it with a PDF tool (for example `mutool clean`).",
        )

    def _too_slow(self) -> SourceError:
        """The error for a file that reached the limit on time."""
        return self._too_large(
            f"reading it took longer than {self._limits.seconds:g} seconds", "extract_seconds"
        )

    def _unexpected(self, what: str, details: str) -> StageError:
        """The error for an error in the program."""
        error = StageError(
            f"{self._path.name}: reading it failed ({what}).",
            remedy="This is an error in the program, not in the file; please report it.",
        )
        error.add_note(details)
        return error


def _messages(child: subprocess.Popen[bytes], deadline: float) -> Iterator[dict[str, Any]]:
    """What the child says, until it stops speaking or the deadline passes."""
    said: queue.Queue[bytes | None] = queue.Queue()
    stdout = child.stdout
    assert stdout is not None

    def listen() -> None:
        with contextlib.suppress(ValueError, OSError):  # closed under our hands at the deadline
            for line in stdout:
                said.put(line)
        said.put(None)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        try:
            line = said.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return
        if line is None:
            return
        yield json.loads(line)
