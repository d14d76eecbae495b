"""What tests of several packages share: the demo library, ingested once for all of them, and a stand-in for Claude."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from jung_pipeline.index.files import exclusive
from jung_pipeline_tests.standins.anthropic_server import AnthropicServer


@pytest.fixture(scope="session")
def demo_once(tmp_path_factory):
    """The finished demo: the folder that `jung demo` was given, and what it printed as JSON. Not to be changed."""
    from jung_pipeline_tests.cli.test_commands import jung

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "demo-once"
    folder.mkdir(exist_ok=True)
    printed = folder / "printed.json"
    with exclusive(folder):
        if not printed.exists():
            done = jung("demo", "--json", home=folder / "home")
            assert done.returncode == 0, done.stderr
            printed.write_text(done.stdout, encoding="utf-8")
    return folder / "home", json.loads(printed.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def demo_copy(demo_once, tmp_path_factory):
    """The same to do as one likes with, for the tests of one file."""
    folder = tmp_path_factory.mktemp("demo") / "home"
    shutil.copytree(demo_once[0], folder, symlinks=True)
    return folder, demo_once[1]


@pytest.fixture
def claude(monkeypatch):
    """A server that speaks Anthropic's protocol; the environment leads the unmodified SDK to it."""
    with AnthropicServer() as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        yield running
