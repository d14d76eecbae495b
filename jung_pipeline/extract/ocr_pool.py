"""Pages read by OCR in processes of their own, two at a time, each page within limits on time and memory.

Drawing a page runs more of MuPDF than reading its text does, and a page may be a bomb: a process that takes
too long or crashes over a page is stopped, that page is reported, and another process goes on with the next.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jung_pipeline

#: Processes at most: each keeps one core busy, and other volumes may be in work beside this one.
_PROCESSES = 2
#: What starting a process and drawing a page may take beside Tesseract's own time, seconds.
_GRACE = 30.0
#: After so many pages in a row over which a process died the rest is not tried.
_DEATHS = 4
#: How Python, MuPDF, Tesseract and the loader of libraries say that they were refused memory.
_NO_MEMORY = re.compile(
    r"MemoryError|alloc[ (].*failed|bad_alloc|[Cc]annot allocate|[Oo]ut of memory|failed to map segment"
)


@dataclass(frozen=True)
class Request:
    """A page to read, in which languages ("deu+lat"), and whether it may lie on its side."""

    page: int
    languages: str
    turned: bool = False


@dataclass(frozen=True)
class Job:
    """What all pages of a file share."""

    path: Path
    hints: Mapping[str, Any]
    program: str  # path of Tesseract
    dpi: int
    seconds: float  # for a page
    memory_mb: int  # for a page

    def failure(self, said: str) -> str:
        """A failure in words."""
        if said == "too_slow":
            return f"it took longer than {self.seconds:g} seconds (ocr_seconds)"
        if _NO_MEMORY.search(said):
            return f"it takes more than {self.memory_mb} MB of memory (ocr_memory_mb)"
        return said


def read_pages(
    job: Job, requests: Sequence[Request], advance: Callable[[int], None]
) -> dict[Request, dict[str, Any]]:
    """What became of every request: ``{"hocr", "scale", "to_page"}``, or ``{"failure"}`` with the reason in words.

    ``advance`` is told how many are done.
    """
    waiting: queue.SimpleQueue[Request] = queue.SimpleQueue()
    for request in requests:
        waiting.put(request)
    done: queue.SimpleQueue[tuple[Request, dict[str, Any]]] = queue.SimpleQueue()
    count = min(_PROCESSES, os.cpu_count() or 1, len(requests))
    workers = [_Worker(job, waiting, done, len(requests)) for _ in range(count)]
    answers: dict[Request, dict[str, Any]] = {}
    try:
        for worker in workers:
            worker.start()
        while len(answers) < len(requests):
            request, answer = done.get()
            answers[request] = answer
            advance(len(answers))
    finally:
        for worker in workers:
            worker.stop()
    return answers


class _Worker(threading.Thread):
    """Hands pages to one process after another; the processes end with it."""

    def __init__(
        self, job: Job, waiting: queue.SimpleQueue[Request], done: queue.SimpleQueue, pages: int
    ) -> None:
        super().__init__(daemon=True, name="ocr")
        self._job, self._waiting, self._done, self._pages = job, waiting, done, pages
        self._child: _Child | None = None
        self._stopped = False
        self._deaths = 0
        self._lock = threading.Lock()

    def run(self) -> None:
        """Work until nothing waits."""
        while not self._stopped:
            try:
                request = self._waiting.get_nowait()
            except queue.Empty:
                break
            try:
                answer = self._answer(request)
            except (
                Exception
            ) as error:  # whatever it is: a page without an answer would be waited for for ever
                self._bury()
                answer = {"failure": _in_words(error)}
            self._done.put((request, answer))
        self.stop()

    def _answer(self, request: Request) -> dict[str, Any]:
        if self._deaths >= _DEATHS:
            return {"failure": "it was not tried, because the pages before it made the reading process die"}
        with self._lock:
            if self._stopped:
                return {"failure": "stopped"}
            if self._child is None:
                self._child = _Child(self._job, self._pages)
        answer = self._child.ask(request, self._job.seconds + _GRACE)
        if answer is None or "died" in answer:
            self._bury()
            answer = {"failure": "too_slow" if answer is None else answer["died"]}
        else:
            self._deaths = 0
        if "failure" in answer:
            answer = {"failure": self._job.failure(answer["failure"])}
        return answer

    def _bury(self) -> None:
        """End a process that cannot be relied on; the next page is for another."""
        self._end_child()
        self._deaths += 1

    def _end_child(self) -> None:
        with self._lock:
            if self._child is not None:
                self._child.end()
                self._child = None

    def stop(self) -> None:
        """End the process, and take up no more."""
        self._stopped = True
        self._end_child()


def _in_words(error: Exception) -> str:
    """Why there is no answer, where the asking failed and not the reading."""
    if isinstance(error, OSError):
        return f"no process can be started for it ({error.strerror or error})"
    return f"the process that reads it cannot be asked ({type(error).__name__}: {error})"[:200]


class _Child:
    """A running :mod:`jung_pipeline.extract.ocr_child`."""

    def __init__(self, job: Job, pages: int) -> None:
        package = str(Path(jung_pipeline.__file__).resolve().parent.parent)
        paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "jung_pipeline.extract.ocr_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # so that Tesseract can be ended with it
        )
        self._said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        begun = {
            "path": str(job.path.absolute()),
            "hints": dict(job.hints),
            "program": job.program,
            "dpi": job.dpi,
            "seconds": job.seconds,
            "memory_mb": job.memory_mb,
            "pages": pages,
        }
        try:
            threading.Thread(target=self._listen, daemon=True).start()
            self._say(begun)
        except BaseException:
            self.end()
            raise

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stdout:
                self._said.put(line)
        self._said.put(b"")

    def _say(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(message, default=str).encode() + b"\n")
            self._process.stdin.flush()

    def ask(self, request: Request, seconds: float) -> dict[str, Any] | None:
        """The answer; ``None`` if there is none in time, ``{"died"}`` if the process ended."""
        self._say({"page": request.page, "languages": request.languages, "turned": request.turned})
        try:
            line = self._said.get(timeout=seconds)
        except queue.Empty:
            return None
        if line.endswith(b"\n"):  # otherwise it ended over the answer
            return dict(json.loads(line))
        code = self._process.wait()
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return {"died": f"the process that draws it died ({name})"}

    def end(self) -> None:
        """Stop the process and what it started."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError, ValueError):
                    stream.close()
