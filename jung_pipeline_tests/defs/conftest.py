"""A library of its own for every test, with its own Dagster home."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline.embed.registry import make_embedder
from jung_pipeline.query import probes


@pytest.fixture(scope="session")
def probe_vectors(tmp_path_factory):
    """The vectors of the shipped probes, made once for all the libraries of this session."""
    folder = tmp_path_factory.mktemp("probes")
    embedder = make_embedder(settings_module.load(folder))
    vectors = probes.ProbeVectors.beside(folder, embedder.spec.model)
    vectors.of([text for texts in probes.out_of_corpus().values() for text in texts], embedder)
    vectors.save()
    return folder


#: Dagster writes its records with a flush to disk for every event: hundreds in a run. In memory that costs nothing.
_MEMORY, _ENOUGH = Path("/dev/shm"), 400_000_000


@contextlib.contextmanager
def fast_folder():
    """A new folder in memory where the system has room for one, else on disk."""
    in_memory = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ENOUGH
    with tempfile.TemporaryDirectory(prefix="jung-", dir=_MEMORY if in_memory else None) as folder:
        yield Path(folder).resolve()


@pytest.fixture
def home():
    """An empty folder."""
    with fast_folder() as folder:
        yield folder


@pytest.fixture
def library(home, monkeypatch, probe_vectors):
    """The settings of an empty library; JUNG_HOME and DAGSTER_HOME lead to it."""
    monkeypatch.setenv("JUNG_HOME", str(home))
    monkeypatch.setenv("DAGSTER_HOME", str(home / "dagster"))
    settings = settings_module.load()
    settings.paths.library.mkdir()
    shutil.copytree(probe_vectors, settings.paths.index)
    return settings
