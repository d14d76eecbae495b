"""Services that a test session starts once, and a library of its own for every test."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

import pytest

from jung_pipeline_tests.defs.conftest import home, library, probe_vectors  # noqa: F401
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
    folder = library.paths.dagster
    folder.mkdir()
    shutil.copy(DEPLOY / "team" / "dagster.yaml", folder / "dagster.yaml")
    database = f"jung_{uuid.uuid4().hex[:12]}"
    for name, value in {**postgres, "DAGSTER_PG_DB": database}.items():
        monkeypatch.setenv(name, value)
    services.create_database(postgres, database)
    return library


@pytest.fixture
def bucket(s3, monkeypatch):
    """The address of a folder in a bucket of its own; credentials and endpoint are in the environment."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3)
    boto3 = pytest.importorskip("boto3", reason="needs moto and s3fs (the extra `dev`)")
    pytest.importorskip("s3fs", reason="needs the extra `s3`")
    name = f"jung-{uuid.uuid4().hex[:12]}"
    boto3.client("s3").create_bucket(Bucket=name)
    return f"s3://{name}/library"
