"""A library of its own for every test, with its own Dagster home."""

from __future__ import annotations

import shutil

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


@pytest.fixture
def library(tmp_path, monkeypatch, probe_vectors):
    """The settings of an empty library; JUNG_HOME and DAGSTER_HOME lead to it."""
    monkeypatch.setenv("JUNG_HOME", str(tmp_path))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    settings = settings_module.load()
    settings.paths.library.mkdir()
    shutil.copytree(probe_vectors, settings.paths.index)
    return settings
