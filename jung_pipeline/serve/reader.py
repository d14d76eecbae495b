"""The live library with what is counted over a whole version, counted once for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from jung_pipeline.query.library import Library
from jung_pipeline.query.live import LiveLibrary
from jung_pipeline.serve.survey import Survey
from jung_pipeline.settings import Settings

#: How often, in seconds, it is looked whether another version is live.
_LOOK_AFTER = 2.0
_T = TypeVar("_T")


class Reader(LiveLibrary):
    """What the rooms read from."""

    def __init__(self, settings: Settings) -> None:
        """``settings`` of the library."""
        super().__init__(settings, look_after=_LOOK_AFTER)
        self._counting = threading.RLock()
        self._counted: dict[str, tuple[str, Any]] = {}  # by name: the version, and what was made for it

    def once(self, name: str, make: Callable[[Library], _T]) -> _T:
        """What ``make`` gives for the live version, made once for it and kept under ``name``."""
        library = self.library()
        version = library.version.manifest.version
        with self._counting:
            known = self._counted.get(name)
            if known is None or known[0] != version:
                known = self._counted[name] = version, make(library)
            result: _T = known[1]
            return result

    def survey(self) -> Survey:
        """What there is in the live version: works, chapters, concepts."""
        return self.once("survey", Survey.of)
