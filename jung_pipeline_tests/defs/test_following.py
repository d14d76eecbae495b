"""What follows the library by itself: the sensor and the schedule, evaluated as the daemon does."""

from __future__ import annotations

import os
import time
from datetime import datetime

import dagster as dg
import pytest

from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.running import Ingestion
from jung_pipeline.errors import UsageError
from jung_pipeline.index.versions import open_current
from jung_pipeline.volumes import add_file
from jung_pipeline_tests.small_books import put_epub


@pytest.fixture
def instance(library):
    from jung_pipeline.defs.instance import open_instance

    with open_instance(library) as opened:
        yield opened


def look(library, instance):
    """One evaluation of the sensor; its partition requests are carried out as the daemon would."""
    definitions = build_definitions(library.home)
    resources = {"library": definitions.resources["library"]}
    with dg.build_sensor_context(instance=instance, definitions=definitions, resources=resources) as context:
        result = definitions.resolve_sensor_def("library_folder")(context)
    for request in getattr(result, "dynamic_partitions_requests", None) or []:
        if isinstance(request, dg.AddDynamicPartitionsRequest):
            instance.add_dynamic_partitions("volumes", request.partition_keys)
        else:
            for key in request.partition_keys:
                instance.delete_dynamic_partition("volumes", key)
    return result


def settle(path):
    """Make the file look as if it had been there for a while."""
    os.utime(path, (time.time() - 60, time.time() - 60))


def test_a_dropped_book_gets_a_partition_and_one_run(library, instance):
    path = put_epub(library.paths.library, "north")
    assert isinstance(look(library, instance), dg.SkipReason), "still being copied"
    settle(path)
    first = look(library, instance)
    assert [request.partition_key for request in first.run_requests] == ["north"]
    assert instance.get_dynamic_partitions("volumes") == ["north"]
    again = look(library, instance)
    assert [r.run_key for r in again.run_requests] == [r.run_key for r in first.run_requests], (
        "the same file under the same rules has the same run key, so the daemon runs it once"
    )


def test_what_is_up_to_date_is_left_alone_and_a_removed_book_is_taken_out(library, instance):
    path = put_epub(library.paths.library, "north")
    other = put_epub(library.paths.library, "south")
    settle(path)
    settle(other)
    list(Ingestion(library).run())
    assert "2 volume(s), nothing new" in look(library, instance).skip_message
    other.unlink()
    result = look(library, instance)
    assert [request.job_name for request in result.run_requests] == ["publish_index"]
    assert instance.get_dynamic_partitions("volumes") == ["north"]
    assert not library.paths.table("chunks", "south").exists()


def test_an_unmounted_library_folder_removes_nothing(library, instance):
    path = put_epub(library.paths.library, "north")
    settle(path)
    look(library, instance)
    library.paths.library.rename(library.home / "unmounted")
    assert isinstance(look(library, instance), dg.SkipReason)
    assert instance.get_dynamic_partitions("volumes") == ["north"]


def test_the_night_asks_for_what_is_due_and_only_that(library, instance):
    settle(put_epub(library.paths.library, "north"))
    definitions = build_definitions(library.home)

    def tonight():
        with dg.build_schedule_context(
            instance=instance,
            scheduled_execution_time=datetime(2026, 1, 5, 3),
            resources={"library": definitions.resources["library"]},
        ) as context:
            return definitions.resolve_schedule_def("nightly_ingestion")(context)

    assert [request.partition_key for request in tonight()] == ["north"]
    list(Ingestion(library).run())
    assert isinstance(tonight(), dg.SkipReason)


def test_a_lost_table_is_made_again_each_time_it_is_lost_but_a_failing_volume_is_asked_for_once(
    library, instance
):
    settle(put_epub(library.paths.library, "north"))
    keys = [look(library, instance).run_requests[0].run_key]
    for _ in range(2):
        list(Ingestion(library).run())
        assert isinstance(look(library, instance), dg.SkipReason)
        library.paths.table("chunks", "north").unlink()
        keys += [request.run_key for request in look(library, instance).run_requests]
    assert len(set(keys)) == 3, "each loss is a reason of its own"
    bad = library.paths.library / "torn.epub"
    bad.write_bytes(b"PK\x03\x04 torn")
    settle(bad)
    asked = {r.run_key for r in look(library, instance).run_requests if r.partition_key == "torn"}
    list(Ingestion(library).run())
    asked |= {r.run_key for r in look(library, instance).run_requests if r.partition_key == "torn"}
    assert len(asked) == 1


def test_a_file_that_cannot_be_read_keeps_no_other_volume_from_being_ingested(library, instance):
    settle(put_epub(library.paths.library, "north"))
    settle(put_epub(library.paths.library, "south"))
    list(Ingestion(library).run(["north"]))
    bad = library.paths.library / "north.epub"
    bad.unlink()
    bad.mkdir()  # stands for every file that is there and cannot be opened
    looked = look(library, instance)
    assert "south" in [request.partition_key for request in looked.run_requests]
    results = {result.volume: result for result in Ingestion(library).run()}
    assert results["south"].status == "done"
    assert results["north"].status == "failed" and "north.epub" in results["north"].problem
    again = {result.volume: result for result in Ingestion(library).run()}
    assert again["north"].status == "failed" and again["south"].status == "fresh"


def test_a_book_that_is_a_link_into_a_disk_that_is_not_mounted_keeps_its_data(library, instance, tmp_path):
    settle(put_epub(library.paths.library, "south"))
    disk = tmp_path / "disk"
    disk.mkdir()
    settle(put_epub(disk, "north"))
    (library.paths.library / "north.epub").symlink_to(disk / "north.epub")
    list(Ingestion(library).run())
    disk.rename(tmp_path / "unmounted")
    look(library, instance)
    assert set(instance.get_dynamic_partitions("volumes")) == {"north", "south"}
    ingestion = Ingestion(library)
    results = {result.volume: result for result in ingestion.run()}
    assert not ingestion.removed
    assert results["north"].status == "failed" and "north.epub" in results["north"].problem
    assert results["south"].status == "fresh"
    assert library.paths.table("chunks", "north").exists()
    assert "north" in open_current(library.paths.index).manifest.volumes, "readers keep what they had"
    with pytest.raises(UsageError, match="link to a file that is not there"):
        add_file(library.paths, tmp_path / "unmounted" / "north.epub")
    (tmp_path / "unmounted").rename(disk)
    assert {result.status for result in Ingestion(library).run()} <= {"fresh", "done"}
