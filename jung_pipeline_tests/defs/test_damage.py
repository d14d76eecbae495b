"""What a disk loses is noticed, told, and made anew by the next ingestion; what it refuses is told with the remedy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from jung_pipeline import freshness, publishing
from jung_pipeline.cli.group import jung
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.index.versions import open_current
from jung_pipeline_tests.small_books import put_epub


def ingest(settings):
    """Run it; the ingestion and its results by volume."""
    ingestion = Ingestion(settings)
    results = {result.volume: result for result in ingestion.run()}
    return ingestion, results


def states(settings, key="north"):
    volume = settings.paths.catalogue().get(key)
    return {state.stage: state for state in freshness.states(volume, settings)}


def is_well(settings) -> bool:
    """Whether `jung status` has nothing to say, and the index can be read."""
    said = [state.reason for state in states(settings).values() if state.status != "fresh"]
    if publishing.summary(settings)["problem"]:
        return False
    version = open_current(settings.paths.index)
    whole = len(version.passages) == version.vectors.count() == version.lexical.count() > 0
    return not said and whole


def lose(path: Path, how: str) -> None:
    if how == "delete":
        path.unlink()
    else:
        os.truncate(path, path.stat().st_size // 2)


def test_whatever_file_of_the_index_is_lost_the_next_ingestion_makes_it_anew(library):
    put_epub(library.paths.library, "north")
    ingest(library)
    index = library.paths.index
    assert is_well(library)
    for how, pattern in (
        ("truncate", "segments/north/*.arrow"),
        ("delete", "segments/north/*.json"),
        ("delete", "versions/{live}/lexical/*.pos"),
    ):
        live = publishing.current(library).manifest.version
        lose(next(index.glob(pattern.format(live=live))), how)
        assert not is_well(library), f"{how} {pattern}: status must say so"
        ingest(library)
        assert is_well(library), f"{how} {pattern}: ingestion must repair it"


def test_a_damaged_table_is_made_anew_and_holds_up_no_other_volume(library):
    put_epub(library.paths.library, "north")
    put_epub(library.paths.library, "south")
    ingest(library)
    path = library.paths.table("chunks", "north")
    content = bytearray(path.read_bytes())
    content[len(content) // 8] ^= 4
    path.write_bytes(content)
    text = library.paths.catalogue_path.read_text(encoding="utf-8")
    library.paths.catalogue_path.write_text(
        text.replace("Book of the South", "Southern Book"), encoding="utf-8"
    )
    ingestion, results = ingest(library)
    assert results["south"].status == "done"
    volumes = ingestion.published.manifest.volumes
    assert (volumes["north"].fresh, volumes["south"].fresh) == (False, True), (
        "published without waiting for it"
    )
    assert states(library)["chunks"].status == "missing"
    ingestion, results = ingest(library)
    assert results["north"].status == "done"
    assert ingestion.published.manifest.volumes["north"].fresh
    assert is_well(library)


def test_a_damaged_input_is_named_and_the_stage_above_is_due(library):
    put_epub(library.paths.library, "north")
    ingest(library)
    path = library.paths.table("cleaned_text", "north")
    content = bytearray(path.read_bytes())
    content[len(content) // 8] ^= 4
    path.write_bytes(content)
    library.paths.table("chunks", "north").unlink()
    _, results = ingest(library)
    assert results["north"].status == "failed"
    assert "cleaned_text" in results["north"].problem and "damaged" in results["north"].problem
    _, results = ingest(library)
    assert results["north"].stages[0] == "cleaned_text"
    assert results["north"].status == "done"
    assert is_well(library)
    library.paths.table("removal_ledger", "north").unlink()
    assert "ledger" in states(library)["cleaned_text"].reason, "no stage of its own, but missed"
    _, results = ingest(library)
    assert results["north"].stages[0] == "cleaned_text"
    assert is_well(library)


def test_a_table_that_the_disk_does_not_take_fails_its_stage_by_name(library):
    put_epub(library.paths.library, "north")
    table = library.paths.table("raw_text", "north")
    table.parent.parent.mkdir(parents=True, exist_ok=True)
    table.parent.write_text("a file where a folder has to be")
    _, results = ingest(library)
    assert "raw_text" in results["north"].problem
    assert "cannot be written" in results["north"].problem
    assert "cannot be written" in states(library)["raw_text"].reason
    table.parent.unlink()
    _, results = ingest(library)
    assert results["north"].status == "done"
    assert is_well(library)


def test_an_index_that_the_disk_does_not_take_is_told_beside_what_was_done(library):
    put_epub(library.paths.library, "north")
    ingest(library)
    before = publishing.current(library).manifest.version
    put_epub(library.paths.library, "south")
    (library.paths.index / "CURRENT").unlink()
    (library.paths.index / "CURRENT").mkdir()
    ingestion, results = ingest(library)
    assert results["south"].status == "done"
    assert ingestion.published is None
    assert "CURRENT" in ingestion.not_published
    (library.paths.index / "CURRENT").rmdir()
    ingestion, _ = ingest(library)
    assert set(ingestion.published.manifest.volumes) == {"north", "south"}
    assert ingestion.published.manifest.version > before


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


def test_what_is_lost_is_told_by_the_commands_and_not_publishing_is_a_failure(library):
    put_epub(library.paths.library, "north")
    ingest(library)
    next((library.paths.index / "segments" / "north").glob("*.arrow")).unlink()
    said = CliRunner().invoke(jung, ["status"])
    assert "north · vector_index" in said.output and "cannot be read" in said.output
    (library.paths.index / "CURRENT").unlink()
    (library.paths.index / "CURRENT").mkdir()
    report = CliRunner().invoke(jung, ["ingest", "--json"])
    assert report.exit_code == 1
    assert "CURRENT" in json.loads(report.stdout)["not_published"]
    assert json.loads(report.stdout)["volumes"][0]["status"] == "done"
