"""Versions: whole or not at all, nothing written for nothing, last good volumes kept, readers undisturbed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from jung_pipeline import tables
from jung_pipeline.errors import IndexAuditError, VectorIndexError
from jung_pipeline.index import versions
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.versions import Manifest, open_current, prune, publish, roll_back
from jung_pipeline.library import Home
from jung_pipeline_tests.index.passages import chunk_table, spec, vectors_of


class Library:
    """A home whose volumes are put through the stages by hand."""

    def __init__(self, path: Path) -> None:
        self.home = Home(path)
        self.keys: list[str] = []

    def chunk(self, volume: str, texts: list[str], **columns):
        chunks = chunk_table(volume, texts, **columns)
        tables.write_table(self.home.table("chunks", volume), chunks)
        if volume not in self.keys:
            self.keys.append(volume)
        return chunks

    def index(self, volume: str, texts: list[str], **columns) -> None:
        chunks = self.chunk(volume, texts, **columns)
        EmbeddedIndex(self.home.index, spec()).replace_volume(volume, chunks, vectors_of(chunks))

    @property
    def tables(self) -> dict[str, Path]:
        return {key: self.home.table("chunks", key) for key in self.keys}

    def publish(self, **options) -> Manifest:
        return publish(self.home, spec(), self.tables, **options)

    def is_live(self) -> bool:
        return versions.is_live(self.home, spec(), self.tables)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.index("clocks", ["The keepers counted clocks.", "She set no clock."], author="Ann Keeper")
    library.index("lakes", ["A lake of stones.", "Der See schwieg.", ""], language=["en", "de", "en"])
    return library


def files_under(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(p.relative_to(folder)): (p.stat().st_mtime_ns, p.stat().st_ino)
        for p in folder.rglob("*")
        if p.is_file() and p.name != ".lock"
    }


def test_a_version_serves_passages_vectors_and_words(library: Library) -> None:
    manifest = library.publish()
    assert manifest.audit["passed"]
    assert {v: (e.chunks, e.fresh) for v, e in manifest.volumes.items()} == {
        "clocks": (2, True),
        "lakes": (2, True),
    }
    version = open_current(library.home.index)
    assert version.manifest == manifest
    assert version.manifest.passages == len(version.passages) == version.vectors.count() == 4
    chunks = chunk_table("lakes", ["A lake of stones."])
    (match,) = version.vectors.query(vectors_of(chunks)[0], top_k=1)
    row = version.passages[match.chunk_id]
    assert row["text"] == "A lake of stones."
    best = version.lexical.search("keeper's clock", top_k=9)[0]
    assert version.passages[best.chunk_id]["text"] == "The keepers counted clocks."
    assert version.lexical.count() == 4
    assert [(w.volume, w.author, w.passages) for w in version.passages.works()] == [
        ("clocks", "Ann Keeper", 2),
        ("lakes", None, 2),
    ]


def test_the_same_composition_writes_nothing(library: Library) -> None:
    first = library.publish()
    before = files_under(library.home.index)
    library.index("clocks", ["The keepers counted clocks.", "She set no clock."], author="Ann Keeper")
    assert library.publish() == first
    assert files_under(library.home.index) == before


def test_whether_a_version_is_live_can_be_asked(library: Library) -> None:
    assert not library.is_live()
    library.publish()
    assert library.is_live()
    library.chunk("clocks", ["New words."])
    assert not library.is_live()


def test_a_change_makes_a_version_that_shares_what_did_not_change(library: Library) -> None:
    first = library.publish()
    reader = open_current(library.home.index)
    library.index("clocks", ["The keepers left."])
    second = library.publish()
    assert second.version > first.version
    lakes = [
        library.home.index / "versions" / m.version / "segments" / "lakes.arrow" for m in (first, second)
    ]
    assert lakes[0].stat().st_ino == lakes[1].stat().st_ino
    assert open_current(library.home.index).vectors.count("clocks") == 1
    # A reader keeps the version it opened, even one it had not touched yet.
    assert reader.vectors.count("clocks") == 2
    assert reader.lexical.search("counted", top_k=3)


def test_a_volume_that_fails_keeps_its_last_good_one(library: Library) -> None:
    library.publish()
    library.chunk("clocks", ["New words, but the embedder failed."])
    manifest = library.publish()
    assert not manifest.volumes["clocks"].fresh
    assert manifest.volumes["lakes"].fresh
    assert open_current(library.home.index).passages.at("clocks", 0)["text"] == "The keepers counted clocks."

    EmbeddedIndex(library.home.index, spec()).remove_volume("clocks")  # its segment is lost
    library.index("lakes", ["Another lake."])
    manifest = library.publish()
    assert not manifest.volumes["clocks"].fresh
    assert open_current(library.home.index).vectors.count("clocks") == 2


def test_volumes_gone_from_the_catalogue_are_left_out_and_new_ones_wait(library: Library) -> None:
    library.publish()
    library.keys.remove("clocks")
    library.chunk("doors", ["Not embedded yet."])
    manifest = library.publish()
    assert list(manifest.volumes) == ["lakes"]
    assert manifest.missing == ["doors"]
    assert open_current(library.home.index).passages.volumes() == ["lakes"]


def test_the_audit_refuses_a_damaged_segment_and_the_old_version_stays(library: Library) -> None:
    first = library.publish()
    chunks = chunk_table("clocks", ["Words that do not fit their hash."], content_hash="0" * 64)
    tables.write_table(library.home.table("chunks", "clocks"), chunks)
    EmbeddedIndex(library.home.index, spec()).replace_volume("clocks", chunks, vectors_of(chunks))
    with pytest.raises(VectorIndexError, match=r"clocks.*content hash"):
        library.publish()
    assert open_current(library.home.index).manifest == first
    assert len(list((library.home.index / "versions").iterdir())) == 1


def test_the_audit_holds_a_remote_store_against_the_passages(library: Library, tmp_path: Path) -> None:
    remote = EmbeddedIndex(tmp_path / "remote", spec())
    for volume, texts in (
        ("clocks", ["The keepers counted clocks.", "Stale."]),
        ("lakes", ["A lake of stones.", "Der See schwieg."]),
    ):
        chunks = chunk_table(volume, texts)
        remote.replace_volume(volume, chunks, vectors_of(chunks))
    with pytest.raises(VectorIndexError, match=r"clocks \(2 problems.*remote store"):
        library.publish(remote=remote)


def test_calibration_sees_the_finished_version_and_is_kept(library: Library) -> None:
    manifest = library.publish(calibrate=lambda version: {"passages": len(version.passages), "cut": 0.8})
    assert manifest.calibration == {"passages": 4, "cut": 0.8}
    assert open_current(library.home.index).manifest.calibration["cut"] == 0.8
    again = library.publish(calibrate=lambda version: {"cut": 0.7}, force=True)
    assert open_current(library.home.index).manifest.calibration == again.calibration == {"cut": 0.7}
    assert open_current(library.home.index).lexical.search("clocks", top_k=1)


def test_a_failing_calibration_leaves_the_old_version(library: Library) -> None:
    first = library.publish()
    library.index("clocks", ["Changed."])
    with pytest.raises(ZeroDivisionError):
        library.publish(calibrate=lambda version: {"cut": 1 / 0})
    assert open_current(library.home.index).manifest == first


def test_pruning_keeps_the_newest_and_the_live_version(library: Library) -> None:
    ids = []
    for number in range(5):
        library.index("clocks", [f"Clock {number}."])
        ids.append(library.publish().version)
    roll_back(library.home.index, ids[0])
    assert open_current(library.home.index).passages.at("clocks", 0)["text"] == "Clock 0."
    assert prune(library.home.index, keep=2) == ids[1:3]
    assert open_current(library.home.index).manifest.version == ids[0]
    assert prune(library.home.index, keep=2) == []
    with pytest.raises(VectorIndexError):
        roll_back(library.home.index, ids[1])


def test_old_segments_go_when_nothing_points_to_them(library: Library) -> None:
    library.publish()
    for number in range(3):
        library.index("clocks", [f"Clock {number}."])
    assert len(list((library.home.index / "segments" / "clocks").glob("*.arrow"))) == 1
    assert open_current(library.home.index).vectors.count("clocks") == 2


def test_without_an_index_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(VectorIndexError, match="jung ingest"):
        open_current(tmp_path / "index")


def test_disks_without_hard_links_get_copies(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    library.publish()
    assert open_current(library.home.index).vectors.count() == 4


def test_a_writer_killed_at_any_moment_leaves_a_whole_version(library: Library, tmp_path: Path) -> None:
    first = library.publish()
    script = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from jung_pipeline_tests.index.test_versions import Library
        library = Library(Path(sys.argv[1]))
        library.keys = ["clocks", "lakes"]
        print("ready", flush=True)
        for number in range(10_000):
            library.index("clocks", [f"Clock {number} of {n}." for n in range(20)])
            library.publish()
        """
    )
    root = Path(versions.__file__).parents[2]
    for delay in (0.02, 0.05, 0.11):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(library.home.path)], stdout=subprocess.PIPE, cwd=root
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        version = open_current(library.home.index)
        assert version.vectors.count() == version.lexical.count() == len(version.passages)
        assert version.vectors.count("lakes") == 2
    library.index("clocks", ["The keepers counted clocks.", "She set no clock."], author="Ann Keeper")
    manifest = library.publish()
    assert manifest.composition == first.composition
    assert not list((library.home.index / "versions").glob(".staging-*"))


def test_reading_a_passage_and_its_neighbours(library: Library) -> None:
    library.index("tale", [f"Passage {n}." for n in range(5)])
    library.publish()
    passages = open_current(library.home.index).passages
    middle = passages.at("tale", 2)
    assert middle is not None
    around = passages.neighbours(middle["chunk_id"], before=1, after=9)
    assert [row["text"] for row in around] == ["Passage 1.", "Passage 2.", "Passage 3.", "Passage 4."]
    assert passages.at("tale", 9) is None
    assert passages.get("tale#nothing") is None
    assert "gone#1" not in passages
    assert middle["chunk_id"] in passages
    with pytest.raises(VectorIndexError, match="tale#nothing"):
        passages["tale#nothing"]
    assert [row["text"] for row in passages.iterate("lakes", ["text"])] == [
        "A lake of stones.",
        "Der See schwieg.",
    ]
    assert len(list(passages)) == len(passages) == 9


def test_the_vectors_are_read_in_place(library: Library) -> None:
    library.publish()
    segment = open_current(library.home.index).vectors.segments["clocks"]
    assert not segment.matrix.flags.owndata
    np.testing.assert_allclose(np.linalg.norm(segment.matrix, axis=1), 1, atol=1e-6)


def test_going_back_holds_until_a_volume_changes_or_the_hold_is_released(library: Library) -> None:
    library.index("north", ["One.", "Two."])
    first = library.publish()
    library.index("north", ["One.", "Three."])
    second = library.publish()
    roll_back(library.home.index, first.version)
    assert library.publish().version == first.version, "the state gone back from does not go live by itself"
    assert open_current(library.home.index).manifest.version == first.version
    library.index("north", ["One.", "Four."])
    third = library.publish()
    assert third.version not in (first.version, second.version), "what changed since goes live"
    roll_back(library.home.index, second.version)
    versions.release(library.home.index)
    released = library.publish()
    assert {entry.digest for entry in released.volumes.values()} == {
        entry.digest for entry in third.volumes.values()
    }
    with pytest.raises(VectorIndexError, match="no version"):
        roll_back(library.home.index, "../../etc")


def test_going_back_to_other_relevance_over_the_same_passages_holds_too(library: Library) -> None:
    first = library.publish()
    second = library.publish(calibration_version="another")
    assert second.version != first.version
    roll_back(library.home.index, first.version)
    assert library.publish(calibration_version="another").version == first.version
    roll_back(library.home.index, second.version)
    assert not versions.is_rolled_back(library.home.index)


def test_a_changed_byte_in_the_words_is_noticed_and_mended(library: Library) -> None:
    first = library.publish()
    store = max((library.home.index / "versions" / first.version / "lexical").glob("*.store"))
    data = bytearray(store.read_bytes())
    data[len(data) // 2] ^= 0xFF
    store.write_bytes(bytes(data))
    assert not library.is_live()
    second = library.publish()
    assert second.version != first.version and library.is_live()
    assert open_current(library.home.index).lexical.search("clocks", top_k=3)


def test_going_back_with_a_remote_store_is_no_fault_of_it_and_going_forward_releases(
    library: Library, tmp_path: Path
) -> None:
    """After going back the remote store holds the newer state; nothing is to be done about that."""
    remote = EmbeddedIndex(tmp_path / "remote", spec())

    def both(volume: str, texts: list[str]) -> None:
        library.index(volume, texts)
        chunks = chunk_table(volume, texts)
        remote.replace_volume(volume, chunks, vectors_of(chunks))

    library.keys.clear()
    both("clocks", ["One.", "Two."])
    first = library.publish(remote=remote)
    both("clocks", ["One.", "Two.", "Three."])
    second = library.publish(remote=remote)
    roll_back(library.home.index, first.version)
    assert library.publish(remote=remote).version == first.version
    roll_back(library.home.index, second.version)
    assert not versions.is_rolled_back(library.home.index)
    changed = library.publish(remote=remote, calibration_version="another")
    assert changed.version not in (first.version, second.version), "nothing is held any more"


def test_versions_that_differ_in_their_calibration_alone_are_told_apart_when_going_back(
    library: Library,
) -> None:
    first = library.publish()
    second = library.publish(calibration_version="better")
    assert first.version != second.version
    library.index("north", ["One.", "Another."])
    third = library.publish(calibration_version="better")
    roll_back(library.home.index, second.version)
    roll_back(library.home.index, first.version)
    assert versions.is_rolled_back(library.home.index), "only the version that was left ends it"
    assert library.publish(calibration_version="better").version == first.version
    roll_back(library.home.index, third.version)
    assert not versions.is_rolled_back(library.home.index)


def test_another_store_goes_live_although_somebody_went_back(library: Library) -> None:
    first = library.publish()
    library.index("north", ["One.", "Another."])
    library.publish()
    roll_back(library.home.index, first.version)
    moved = library.publish(store={"kind": "pinecone", "index": "jung", "namespace": "new"})
    assert moved.store["kind"] == "pinecone" and moved.version != first.version


def test_vectors_that_a_remote_store_loses_after_going_back_are_missed(
    library: Library, tmp_path: Path
) -> None:
    remote = EmbeddedIndex(tmp_path / "remote", spec())
    library.keys.clear()

    def both(texts: list[str]) -> None:
        library.index("clocks", texts)
        chunks = chunk_table("clocks", texts)
        remote.replace_volume("clocks", chunks, vectors_of(chunks))

    both(["One.", "Two."])
    first = library.publish(remote=remote)
    both(["One.", "Two.", "Three."])
    library.publish(remote=remote)
    roll_back(library.home.index, first.version)
    remote.remove_volume("clocks")
    with pytest.raises(IndexAuditError, match="missing in the remote store") as caught:
        library.publish(remote=remote)
    assert caught.value.volumes == ("clocks",)
