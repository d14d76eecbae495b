"""What a disk loses of a stage's tables, or refuses to them, is noticed, told, and made anew by the next ingestion."""

from __future__ import annotations

from jung_pipeline_tests.defs.damage import ingest, is_well, states
from jung_pipeline_tests.small_books import put_epub


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
