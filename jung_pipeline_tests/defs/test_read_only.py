"""A library that may only be read answers questions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from jung_pipeline_tests.defs.damage import ingest
from jung_pipeline_tests.small_books import put_epub


@pytest.fixture
def elsewhere():
    """A folder that other users may enter: those of pytest are closed to them."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="users are a matter of POSIX")
def test_a_library_that_may_only_be_read_answers_questions(library, elsewhere):
    """Another user, who may read everything and write nothing there."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    put_epub(library.paths.library, "north")
    ingest(library)
    home = elsewhere / "home"
    shutil.copytree(library.home, home)
    for folder in (home, home / "index"):
        folder.chmod(0o755)
    code = (
        "import json, os, sys\n"
        "from pathlib import Path\n"
        "from jung_pipeline import publishing, settings\n"
        "from jung_pipeline.query.library import Library\n"
        "chosen = settings.load(Path(sys.argv[1]))\n"
        "Library.open(chosen).search('What is kept?')  # all code is loaded: it may be root's alone\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "assert not os.access(chosen.paths.index, os.W_OK)\n"
        "found = Library.open(chosen).search('Who counted the stones?')\n"
        "print(json.dumps([len(found.hits), publishing.summary(chosen)['problem']]))\n"
    )
    before = set(home.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    hits, problem = json.loads(done.stdout)
    assert hits and not problem
    assert set(home.rglob("*")) == before, "a reader leaves nothing behind"
