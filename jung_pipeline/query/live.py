"""The library that is live now, for programs that run for days: opened when first asked for, and again after that."""

from __future__ import annotations

import threading
import time

from jung_pipeline.errors import VectorIndexError
from jung_pipeline.query.library import Library
from jung_pipeline.settings import Settings


class LiveLibrary:
    """Gives the library of now to any number of threads. Nothing is opened before the first call."""

    def __init__(self, settings: Settings, *, look_after: float = 0.0) -> None:
        """Whether another version is live is looked for at most every ``look_after`` seconds: it reads a small file."""
        self.settings = settings
        self._look_after = look_after
        self._lock = threading.Lock()
        self._library: Library | None = None
        self._looked = 0.0

    def library(self) -> Library:
        """The live version.

        Raises:
            VectorIndexError: there is none yet.
        """
        with self._lock:
            now = time.monotonic()
            if self._library is not None and now - self._looked < self._look_after:
                return self._library
            self._looked = now
            try:
                if self._library is None or not self._library.is_current():
                    self._library = Library.open(self.settings)
            except VectorIndexError:
                if self._library is None:  # else: what is open stays good while the folder is being replaced
                    raise
            return self._library
