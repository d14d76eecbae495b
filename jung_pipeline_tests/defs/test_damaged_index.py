"""What a disk loses of the index, or refuses to it, is noticed, told, and made anew by the next ingestion."""

from __future__ import annotations

import json

from click.testing import CliRunner

from jung_pipeline import publishing
from jung_pipeline.cli.group import jung
from jung_pipeline_tests.defs.damage import ingest, is_well, lose
from jung_pipeline_tests.small_books import put_epub


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
