"""Services that a test session starts once, and a library of its own for every test."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

import pytest

from jung_pipeline_tests.defs.conftest import library, probe_vectors  # noqa: F401
from jung_pipeline_tests.production import services

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture(scope="session")
def postgres():
    """The variables that lead to a PostgreSQL server of its own."""
    with services.postgres_cluster() as variables:
        yield variables


@pytest.fixture(scope="session")
def s3():
    """The address of a server that speaks S3."""
    with services.s3_server() as url:
        yield url


@pytest.fixture
def team_library(library, postgres, monkeypatch):  # noqa: F811
    """A library whose Dagster home has deploy/team/dagster.yaml, the very file that is shipped."""
    home = library.paths.dagster
    home.mkdir()
    shutil.copy(DEPLOY / "team" / "dagster.yaml", home / "dagster.yaml")
    database = f"jung_{uuid.uuid4().hex[:12]}"
    for name, value in {**postgres, "DAGSTER_PG_DB": database}.items():
        monkeypatch.setenv(name, value)
    services.create_database(postgres, database)
    return library
