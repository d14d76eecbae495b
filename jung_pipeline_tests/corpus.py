"""Where the real books are, for tests that need them; never part of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CORPUS = Path(os.environ.get("JUNG_CORPUS_DIR") or Path(__file__).parent.parent.parent / "shared" / "corpus")
SHARED = CORPUS.parent


def book(name: str) -> Path:
    """The real book ``name`` ("books/…", "epub/…", "pdf/…"); skips the test where it is not at hand."""
    path = CORPUS / name
    if not path.exists():
        pytest.skip(f"{path} is not at hand; set JUNG_CORPUS_DIR")
    return path
