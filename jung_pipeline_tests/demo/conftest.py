from __future__ import annotations

from pathlib import Path

import pytest

from jung_pipeline.demo.builder import BuiltBook, build_demo_library


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BuiltBook]:
    """The demo library, by key."""
    folder: Path = tmp_path_factory.mktemp("library")
    return {book.key: book for book in build_demo_library(folder)}
