"""The library that is live now, opened when first asked for and again when another version is published."""

from __future__ import annotations

import threading
import time

from jung_pipeline.errors import VectorIndexError
from jung_pipeline.query.library import Library
from jung_pipeline.serve.survey import Survey
from jung_pipeline.settings import Settings

#: How often, in seconds, it is looked whether another version is live: that reads one small file.
_LOOK_AFTER = 2.0


class Reader:
    """Gives the library of now to many threads. Nothing is opened before the first question."""

    def __init__(self, settings: Settings) -> None:
        """``settings`` of the library."""
        self.settings = settings
        self._lock = threading.Lock()
        self._library: Library | None = None
        self._survey: Survey | None = None
        self._looked = 0.0

    def library(self) -> Library:
        """The live version.

        Raises:
            VectorIndexError: there is none yet.
        """
        with self._lock:
            now = time.monotonic()
            if self._library is not None and now - self._looked < _LOOK_AFTER:
                return self._library
            self._looked = now
            try:
                if self._library is None or not self._library.is_current():
                    self._library, self._survey = Library.open(self.settings), None
            except VectorIndexError:
                if self._library is None:  # else: what is open stays good while the folder is being replaced
                    raise
            return self._library

    def survey(self) -> Survey:
        """What there is in the live version: works, chapters, concepts; counted once a version."""
        library = self.library()
        with self._lock:
            if self._survey is None or self._survey.version != library.version.manifest.version:
                self._survey = Survey.of(library)
            return self._survey
