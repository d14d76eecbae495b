"""Whatever a disk loses of an index is noticed, and the next upsert and publication make it anew."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jung_pipeline import settings as settings_module
from jung_pipeline import tables
from jung_pipeline.errors import IndexAuditError, VectorIndexError
from jung_pipeline.index import versions
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.versions import open_current, prune, roll_back
from jung_pipeline.query.library import Library as Reader
from jung_pipeline_tests.index.passages import chunk_table, spec, vectors_of
from jung_pipeline_tests.index.test_versions import Library

CLOCKS = ["The keepers counted clocks.", "She set no clock."]
LAKES = ["A lake of stones.", "Der See schwieg."]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    bring_up_to_date(library)
    return library


def bring_up_to_date(library: Library) -> None:
    """What an ingestion does: volumes whose place in the index is lost go through the last stage again."""
    for volume, texts in (("clocks", CLOCKS), ("lakes", LAKES)):
        index = EmbeddedIndex(library.home.index, spec())
        if volume not in library.keys or index.problem(volume):
            library.index(volume, texts)
    library.publish()


def is_well(library: Library) -> bool:
    index = EmbeddedIndex(library.home.index, spec())
    if index.problem("clocks") or index.problem("lakes") or not library.is_live():
        return False
    version = open_current(library.home.index)
    found = version.lexical.search("keepers", top_k=1)
    return bool(found) and version.vectors.count() == len(version.passages) == version.lexical.count() == 4


def files(library: Library) -> list[Path]:
    names = (p.relative_to(library.home.index) for p in library.home.index.rglob("*") if p.is_file())
    return sorted(name for name in names if not name.name.endswith(".lock") and name.name != ".managed.json")


@pytest.mark.parametrize("how", ["delete", "empty", "halve"])
def test_every_file_of_the_index_may_be_lost(library: Library, how: str) -> None:
    assert is_well(library)
    good = library.home.path / "good"
    shutil.copytree(library.home.index, good)
    names = files(library)
    assert len(names) > 12
    for name in names:
        shutil.rmtree(library.home.index)
        shutil.copytree(good, library.home.index)
        path = library.home.index / name
        if how == "delete":
            path.unlink()
        else:
            os.truncate(path, path.stat().st_size // 2 if how == "halve" else 0)
        assert not is_well(library), f"{name} is lost and nobody says so"
        bring_up_to_date(library)
        assert is_well(library), f"{name} was lost and is not made anew"


def test_a_segment_that_is_cut_short_is_written_anew_under_its_own_name(library: Library) -> None:
    (path,) = (library.home.index / "segments" / "clocks").glob("*.arrow")
    os.truncate(path, 100)
    chunks = chunk_table("clocks", CLOCKS)
    index = EmbeddedIndex(library.home.index, spec())
    assert "cannot be read" in index.problem("clocks")
    assert index.count("lakes") == 2, "one that is damaged stops no other volume"
    assert index.replace_volume("clocks", chunks, vectors_of(chunks)).added == 2
    assert not index.problem("clocks")
    assert index.count("clocks") == 2


def rot(path: Path, what: bytes) -> None:
    """Change one bit of the file where ``what`` stands."""
    content = bytearray(path.read_bytes())
    content[content.index(what)] ^= 1
    with path.open("rb+") as file:  # in place: hard links see it too
        file.write(content)


def test_a_vector_that_the_disk_has_changed_does_not_go_live(library: Library) -> None:
    (path,) = (library.home.index / "segments" / "clocks").glob("*.arrow")
    rot(path, vectors_of(chunk_table("clocks", CLOCKS))[1].tobytes())
    library.index("lakes", [*LAKES, "A third."])
    manifest = library.publish()
    assert manifest.missing == ["clocks"], "both links to the file are changed: no good segment is left"
    assert EmbeddedIndex(library.home.index, spec()).problem("clocks"), "so the volume is due again"
    library.index("clocks", CLOCKS)
    assert list(library.publish().volumes) == ["clocks", "lakes"]


def test_words_that_the_disk_has_changed_are_not_taken_over(library: Library) -> None:
    version = open_current(library.home.index)
    (path,) = version.path.glob("lexical/*.store")
    content = bytearray(path.read_bytes())
    content[5] ^= 1
    with path.open("rb+") as file:
        file.write(content)
    manifest = library.publish(force=True)
    again = open_current(library.home.index)
    assert again.manifest == manifest
    assert not (again.path / "lexical" / path.name).exists(), "built anew"
    assert [m.chunk_id for m in again.lexical.search("clocks", top_k=9)]


def test_a_damaged_chunk_table_holds_up_no_other_volume(library: Library) -> None:
    table = library.home.table("chunks", "clocks")
    chunks = tables.with_info(chunk_table("clocks", CLOCKS), {"data_version": "1"})
    tables.write_table(table, chunks)
    EmbeddedIndex(library.home.index, spec()).replace_volume("clocks", chunks, vectors_of(chunks))
    rot(table, b"counted")
    assert tables.read_info(table) is not None, "the footer cannot tell"
    library.index("lakes", [*LAKES, "A third."])
    manifest = library.publish()
    assert (manifest.volumes["clocks"].fresh, manifest.volumes["lakes"].fresh) == (False, True)
    assert not table.exists(), "it is due again"
    assert library.is_live()


def test_a_reader_keeps_the_version_it_opened_though_it_is_pruned_before_the_first_question(
    library: Library,
) -> None:
    reader = open_current(library.home.index)
    for number in range(4):
        library.index("clocks", [f"Clock {number}."])
        library.publish()
        prune(library.home.index, keep=1)
    assert not reader.path.exists()
    assert reader.vectors.count("clocks") == 2
    assert [row["text"] for row in reader.passages.iterate("clocks")] == CLOCKS
    assert reader.lexical.search("counted", top_k=3)


def test_versions_are_in_the_order_in_which_they_were_made_though_the_clock_is_put_back(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Yesterday(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz or UTC) - timedelta(days=1)

    first = library.publish()
    monkeypatch.setattr(versions, "datetime", Yesterday)
    library.index("clocks", ["Clock."])
    second = library.publish()
    assert second.created < first.created
    assert second.version > first.version
    assert prune(library.home.index, keep=1) == [first.version]


def test_a_version_that_is_not_whole_is_not_gone_back_to(library: Library) -> None:
    first = open_current(library.home.index)
    library.index("clocks", ["Clock."])
    second = library.publish()
    next((first.path / "lexical").glob("*.pos")).unlink()
    with pytest.raises(VectorIndexError, match=r"damaged: lexical/.*pos is missing"):
        roll_back(library.home.index, first.manifest.version)
    assert open_current(library.home.index).manifest.version == second.version


def test_a_version_gone_back_to_that_loses_a_file_is_replaced(library: Library) -> None:
    first = open_current(library.home.index)
    library.index("clocks", ["Clock."])
    library.publish()
    roll_back(library.home.index, first.manifest.version)
    assert library.is_live(), "it is held"
    next((first.path / "lexical").glob("*.pos")).unlink()
    assert not library.is_live()
    manifest = library.publish()
    assert open_current(library.home.index).manifest == manifest


def test_what_does_not_agree_is_named_volume_by_volume(library: Library) -> None:
    library.index("clocks", CLOCKS, content_hash="0" * 64)
    with pytest.raises(IndexAuditError) as caught:
        library.publish()
    assert caught.value.volumes == ("clocks",)


def test_an_index_without_passages_says_what_to_do(tmp_path: Path) -> None:
    settings = settings_module.load(tmp_path)
    library = Library(tmp_path)
    library.index("blank", ["", " "])
    library.publish()
    with pytest.raises(VectorIndexError, match=r"holds no passages.*jung ingest"):
        Reader.open(settings)


def test_a_sample_of_what_is_new_is_embedded_again_before_it_goes_live(library: Library) -> None:
    asked: list[str] = []

    def embed(texts):
        asked.extend(texts)
        return vectors_of(chunk_table("any", list(texts)))

    library.index("lakes", [f"Lake {number}." for number in range(90)])
    manifest = library.publish(embed=embed)
    assert 1 < len(asked) < 30 and set(asked) <= {f"Lake {number}." for number in range(90)}
    told = manifest.audit["embedded_again"]
    assert (told["passages"], round(told["lowest_cosine"], 5)) == (len(asked), 1.0)

    chunks = library.chunk("clocks", ["A clock.", "Another clock."])
    EmbeddedIndex(library.home.index, spec()).replace_volume("clocks", chunks, vectors_of(chunks)[::-1])
    with pytest.raises(IndexAuditError, match=r"clocks are not those of their texts") as caught:
        library.publish(embed=embed)
    assert (caught.value.volumes, caught.value.embed_again) == (("clocks",), True)
    assert open_current(library.home.index).manifest == manifest
