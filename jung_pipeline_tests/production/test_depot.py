"""The library's data in a bucket: what one machine ingests, another asks, and neither loses what the other made."""

from __future__ import annotations

import json
import shutil

import dagster as dg
import pytest
from click.testing import CliRunner

from jung_pipeline import freshness, publishing, tables
from jung_pipeline import settings as settings_module
from jung_pipeline.cli.group import jung
from jung_pipeline.defs.resources import Library as Resource
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.depot.index_copy import hand_over_index, take_index
from jung_pipeline.depot.place import ConflictError, open_depot
from jung_pipeline.depot.working_copy import working_copy
from jung_pipeline.errors import ServiceError, SettingsError
from jung_pipeline.index.manifest import Manifest
from jung_pipeline.index.vector_index import IndexSpec
from jung_pipeline.query.library import Library
from jung_pipeline.volumes import present_volumes, take_up_new_files
from jung_pipeline_tests.small_books import put_epub

QUESTION = "What did the keeper of the north tower count every night?"


@pytest.fixture(params=["s3", "folder"])
def data_url(request, tmp_path_factory):
    """A place for a depot, of either kind."""
    if request.param == "folder":
        return (tmp_path_factory.mktemp("depot") / "jung").as_uri()
    return request.getfixturevalue("bucket")


def home_of(folder, monkeypatch, url):
    """The settings of a machine of its own whose home is ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("JUNG_DATA_URL", url)
    monkeypatch.setenv("JUNG_HOME", str(folder))
    monkeypatch.setenv("DAGSTER_HOME", str(folder / "dagster"))
    return settings_module.load()


def answers(settings):
    found = Library.open(settings).search(QUESTION)
    return [(hit.passage.chunk_id, round(hit.score, 6)) for hit in found.hits]


def tables_of(settings):
    folder = settings.paths.path / "tables"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.parquet")}


def ingest(settings):
    ingestion = Ingestion(settings)
    return {result.volume: result.status for result in ingestion.run()}, ingestion


def test_another_machine_answers_alike_from_the_bucket_alone(
    library, bucket, probe_vectors, tmp_path_factory, monkeypatch
):
    here = home_of(library.home, monkeypatch, bucket)
    put_epub(here.paths.library, "north")
    (here.paths.library / "torn.pdf").write_bytes(b"%PDF-1.4\n%")
    assert ingest(here)[0] == {"north": "done", "torn": "failed"}
    depot = open_depot(bucket)
    assert {name.split("/")[0] for name in depot.names("")} == {
        "catalogue.toml", "books.json", "books", "states", "volumes", "segments", "versions", "CURRENT",
    }  # fmt: skip

    reader = home_of(tmp_path_factory.mktemp("reader"), monkeypatch, bucket)
    assert answers(reader) == answers(here)
    assert not (reader.home / "tables").exists(), "a reader takes the index alone"

    worker = home_of(tmp_path_factory.mktemp("worker"), monkeypatch, bucket)
    shutil.copytree(probe_vectors, worker.paths.index)
    copy = working_copy(worker)
    copy.refresh()
    assert tables_of(worker) == tables_of(here)
    assert not (worker.paths.library / "north.epub").exists(), "books are taken by the run that reads them"
    states = {s.stage: s.status for s in freshness.states(worker.paths.catalogue().get("north"), worker)}
    assert set(states.values()) == {"fresh"}
    torn = freshness.states(worker.paths.catalogue().get("torn"), worker)[0]
    assert torn.status == "failed" and "torn.pdf" in torn.reason
    before = publishing.current(here).manifest.version
    assert ingest(worker)[0]["north"] == "fresh"
    assert publishing.current(worker).manifest.version == before

    # The second machine goes on with the work, and the first sees it.
    put_epub(worker.paths.library, "south")
    assert ingest(worker)[0]["south"] == "done"
    home_of(library.home, monkeypatch, bucket)
    assert set(ingest(here)[0].values()) <= {"fresh", "failed"}
    assert publishing.current(here).manifest.version == publishing.current(worker).manifest.version
    assert Library.open(here).version.passages.volumes() == ["north", "south"]
    assert tables_of(here) == tables_of(worker)


def small_volume(settings, key="north", lines=("one",)):
    """A table and an outcome as a stage leaves them, without running one."""
    import pyarrow as pa

    tables.write_table(settings.paths.table("raw_text", key), pa.table({"text": list(lines)}))
    path = settings.paths.checks("raw_text", key)
    tables.write_text(path, json.dumps({"lines": len(lines)}))


def test_of_two_writers_the_second_is_told_and_nothing_is_lost(data_url, tmp_path, monkeypatch):
    one, two = (working_copy(home_of(tmp_path / name, monkeypatch, data_url)) for name in ("one", "two"))
    settings_one, settings_two = (settings_module.load(tmp_path / name) for name in ("one", "two"))
    small_volume(settings_one)
    assert one.hand_over("north") and not one.hand_over("north")
    two.take("north")
    small_volume(settings_one, lines=("one", "two"))
    small_volume(settings_two, lines=("three",))
    one.hand_over("north")
    with pytest.raises(ConflictError, match="another machine"):
        two.hand_over("north")
    two.take("north")
    assert tables_of(settings_two) == tables_of(settings_one)
    assert two.hand_over("north") is False
    left = [name for name in one.depot.names("volumes/north/") if "raw_text" in name and ".parquet" in name]
    assert len(left) == 2, "the table that is named, and what the refused writer put there"
    one.sweep("north")
    left = [name for name in one.depot.names("volumes/north/") if ".parquet" in name]
    assert len(left) == 1 and two.take("north") is None


def test_what_is_removed_on_one_machine_goes_on_the_other(data_url, tmp_path, monkeypatch):
    settings = {name: home_of(tmp_path / name, monkeypatch, data_url) for name in ("one", "two")}
    one, two = (working_copy(each) for each in settings.values())
    for name in ("north", "south"):
        put_epub(settings["one"].paths.library, name, chapters=1, paragraphs=1)
        small_volume(settings["one"], name)
    one.refresh()
    two.refresh()
    two.take_book("north.epub")
    book = settings["two"].paths.library / "north.epub"
    assert book.read_bytes() == (settings["one"].paths.library / "north.epub").read_bytes()
    (settings["one"].paths.library / "north.epub").unlink()
    one.refresh()
    one.forget("north")
    two.refresh()
    assert not book.exists(), "a copy of a book that its owner removed"
    assert [path.stem for path in (settings["two"].home / "tables" / "raw_text").glob("*")] == ["south"]
    assert list(settings["two"].paths.books_elsewhere()) == ["south.epub"]
    assert one.depot.names("volumes/north/") == {}


def test_a_catalogue_changed_on_two_machines_is_nobodys_to_overwrite(data_url, tmp_path, monkeypatch):
    settings = {name: home_of(tmp_path / name, monkeypatch, data_url) for name in ("one", "two")}
    one, two = (working_copy(each) for each in settings.values())
    mine, yours = (each.paths.catalogue_path for each in settings.values())
    mine.write_text("# first\n")
    one.sync_catalogue()
    two.sync_catalogue()
    assert yours.read_text() == "# first\n"
    mine.write_text("# mine\n")
    one.sync_catalogue()
    yours.write_text("# yours\n")
    with pytest.raises(ConflictError, match=r"Move .* away"):
        two.sync_catalogue()
    assert yours.read_text() == "# yours\n"
    yours.unlink()
    two.sync_catalogue()
    assert yours.read_text() == "# mine\n"


def make_live(settings, version):
    """A version without volumes, live in the home of ``settings``."""
    spec = IndexSpec("m", 4, 8, "", "", "1")
    folder = settings.paths.index / "versions" / version
    folder.mkdir(parents=True)
    Manifest(version, "c", "2026", spec, {}, [], {}, {"kind": "embedded"}, {}).write(folder / "manifest.json")
    tables.write_text(settings.paths.index / "CURRENT", version)


def test_a_version_published_meanwhile_stays_live(data_url, tmp_path, monkeypatch):
    settings = {name: home_of(tmp_path / name, monkeypatch, data_url) for name in ("one", "two")}
    one, two = (working_copy(each) for each in settings.values())
    make_live(settings["one"], "20260101T000000000-first")
    assert hand_over_index(one, keep=3) and not hand_over_index(one, keep=3)
    make_live(settings["one"], "20260102T000000000-mine")
    hand_over_index(one, keep=3)
    make_live(settings["two"], "20260103T000000000-yours")
    with pytest.raises(ConflictError, match="20260102T000000000-mine"):
        hand_over_index(two, keep=3)
    assert json.loads(one.depot.get("CURRENT")[0])["version"] == "20260102T000000000-mine"
    for number in range(4, 9):
        make_live(settings["one"], f"2026010{number}T000000000-next")
        hand_over_index(one, keep=3)
    kept = {name.split("/")[1] for name in one.depot.names("versions/")}
    assert kept == {f"2026010{number}T000000000-next" for number in (6, 7, 8)}
    one.depot.delete(one.depot.names("versions/"))
    with pytest.raises(ServiceError, match="lost files"):
        take_index(two)


def test_a_sensor_sees_the_library_of_the_bucket_and_announces_what_it_found(data_url, tmp_path, monkeypatch):
    owner = home_of(tmp_path / "owner", monkeypatch, data_url)
    put_epub(owner.paths.library, "north", chapters=1, paragraphs=1)
    take_up_new_files(owner)
    daemon = home_of(tmp_path / "daemon", monkeypatch, data_url)
    put_epub(daemon.paths.library, "south", chapters=1, paragraphs=1)
    with dg.build_resources({"library": Resource(home=str(daemon.home))}):
        assert [volume.key for volume in present_volumes(daemon.paths)] == ["north"]
        take_up_new_files(daemon)
    home_of(owner.home, monkeypatch, data_url)
    working_copy(owner).refresh()
    assert [volume.key for volume in present_volumes(owner.paths)] == ["north", "south"]


def test_the_command_says_what_this_home_is_a_copy_of(data_url, tmp_path, monkeypatch):
    one = home_of(tmp_path / "one", monkeypatch, data_url)
    put_epub(one.paths.library, "north", chapters=1, paragraphs=1)
    small_volume(one)
    two = tmp_path / "two"
    said = [
        json.loads(CliRunner().invoke(jung, ["--home", str(home), "sync", "--books", "--json"]).output)
        for home in (one.home, two)
    ]
    assert said[0]["volumes"] == ["north"] and said[0]["books"] == ["north.epub"]
    assert said[1]["data_url"] == data_url and (two / "library" / "north.epub").is_file()
    monkeypatch.delenv("JUNG_DATA_URL")
    alone = CliRunner().invoke(jung, ["--home", str(one.home), "sync"])
    assert alone.exit_code == 2


def test_places_that_are_none_are_named(tmp_path, monkeypatch, bucket):
    with pytest.raises(SettingsError, match="gs://"):
        open_depot("gs://somewhere")
    with pytest.raises(ServiceError, match="no bucket"):
        open_depot("s3://there-is-no-such-bucket/x").get("CURRENT")
    assert open_depot(bucket).get("CURRENT") is None
