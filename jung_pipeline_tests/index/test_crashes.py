"""Kill -9 at every step of upsert and publication, and writers and readers at once: nothing lost, nothing torn.

Processes are forked from one that has loaded the code and done nothing yet, so that each costs milliseconds.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from ast import literal_eval
from collections.abc import Callable
from pathlib import Path

import pytest

from jung_pipeline.index import lexical_tantivy, versions
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.versions import open_current, prune
from jung_pipeline_tests.index.passages import spec
from jung_pipeline_tests.index.test_versions import Library

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")

#: What Python tells its audit hooks before it asks the system to change a folder.
STEPS = {"os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "shutil.rmtree"}
#: Exit codes of a process that looked: what readers saw.
STATES = {10: "old", 11: "new"}
OLD = ["The keepers counted clocks.", "She set no clock."]
NEW = ["The keepers counted clocks.", "A third clock stood still.", "She set no clock."]
LAKES = ["A lake of stones.", "Der See schwieg."]


def opened(home: Path) -> Library:
    library = Library(home)
    library.keys = ["clocks", "lakes"]
    return library


def change(home: Path) -> None:
    """What an ingestion of a changed volume does to the index."""
    library = opened(home)
    library.index("clocks", NEW)
    library.publish()
    prune(library.home.index, keep=1)


def check_whole(home: Path) -> str:
    """The state that readers see: "old" or "new"; fails if it is neither."""
    version = open_current(home / "index")
    texts = [row["text"] for row in version.passages.iterate("clocks")]
    assert texts in (OLD, NEW), texts
    assert [row["text"] for row in version.passages.iterate("lakes")] == LAKES
    assert version.vectors.count() == version.lexical.count() == len(version.passages) == len(texts) + 2
    found = version.lexical.search("still", top_k=9)
    assert len(found) == (texts == NEW)
    return "new" if texts == NEW else "old"


def check_mended(home: Path) -> None:
    """That the same work, done again, leaves what it would have left at once."""
    change(home)
    assert check_whole(home) == "new"
    library = opened(home)
    assert library.is_live()
    assert not EmbeddedIndex(library.home.index, spec()).problem("clocks")
    assert not list((library.home.index / "versions").glob(".*"))
    assert len(list((library.home.index / "segments" / "clocks").glob("*.arrow"))) == 1


def forked(work: Callable[[], object]) -> int:
    """Start ``work`` in a process of its own; its id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def outcome(pid: int) -> int:
    """How the process ended: its exit code, or the negative number of the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed_at(step: int, home: Path, work: Callable[[Path], None]) -> Callable[[], None]:
    """``work``, ended by SIGKILL when it is about to take its ``step``-th step in ``home``."""

    def run() -> None:
        taken = 0

        def hook(event: str, args: tuple[object, ...]) -> None:
            nonlocal taken
            if event in STEPS and any(
                str(home) in os.fsdecode(a) for a in args if isinstance(a, str | bytes | Path)
            ):
                taken += 1
                if taken == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        work(home)

    return run


def kill_at_every_step(folder: Path) -> tuple[int, int, int]:
    """The numbers of kills, and of those after which readers saw the old and the new state."""
    base, home = folder / "base", folder / "home"
    assert outcome(forked(lambda: _prepare(base))) == 0
    seen = {"old": 0, "new": 0}
    step = 0
    while True:
        step += 1
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(base, home)
        ended = outcome(forked(killed_at(step, home, change)))
        if ended == 0:
            return step - 1, seen["old"], seen["new"]
        assert ended == -signal.SIGKILL, f"step {step}: {ended}"
        state = outcome(forked(lambda: os._exit(_state_then_mended(home))))
        assert state in STATES, f"killed at step {step}, the index is torn or is not mended"
        seen[STATES[state]] += 1


def _state_then_mended(home: Path) -> int:
    state = check_whole(home)
    check_mended(home)
    return next(code for code, name in STATES.items() if name == state)


def _prepare(base: Path) -> None:
    library = opened(base)
    library.index("clocks", OLD)
    library.index("lakes", LAKES)
    library.publish()


def many_at_once(folder: Path) -> None:
    """Two writers that undo each other's work on one volume, and a reader that must never notice."""
    home = folder / "home"
    assert outcome(forked(lambda: _prepare(home))) == 0

    def write(texts: list[str]) -> None:
        library = opened(home)
        for number in range(8):
            chunks = texts if number % 2 else [*texts, *texts[::-1]]
            library.index("clocks", chunks)
            try:
                library.publish()
            except versions.VectorIndexError as error:
                # The other writer has brought chunks of its own between the two: refused, and nothing torn.
                assert "do not agree" in str(error), error
            prune(library.home.index, keep=1)

    def read() -> None:
        end = time.monotonic() + 30
        while time.monotonic() < end and not (folder / "done").exists():
            version = open_current(home / "index")
            texts = [row["text"] for row in version.passages.iterate("clocks")]
            assert set(texts) in (set(OLD), set(NEW)), texts
            assert version.vectors.count() == version.lexical.count() == len(texts) + 2

    reader = forked(read)
    writers = [forked(lambda texts=texts: write(texts)) for texts in (OLD, NEW)]
    assert [outcome(writer) for writer in writers] == [0, 0]
    (folder / "done").touch()
    assert outcome(reader) == 0
    assert outcome(forked(lambda: check_mended(home))) == 0


def run(name: str, folder: Path) -> str:
    """Run the function ``name`` of this module in a fresh process that starts no threads of its own."""
    code = f"import sys; from pathlib import Path; from {__name__} import *; print({name}(Path(sys.argv[1])))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(versions.__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_a_writer_killed_at_any_step_leaves_a_whole_index_that_the_next_one_completes(tmp_path: Path) -> None:
    kills, old, new = literal_eval(run("kill_at_every_step", tmp_path))
    assert kills >= 20
    assert old and new, "the change becomes visible at one step between the first and the last"


def test_writers_and_a_reader_at_once(tmp_path: Path) -> None:
    assert lexical_tantivy  # loaded before the processes are forked
    run("many_at_once", tmp_path)
