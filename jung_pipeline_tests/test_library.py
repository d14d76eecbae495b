"""The library folder: what counts as a book, what is added, renamed, removed."""

from __future__ import annotations

import pytest

from jung_pipeline.errors import UsageError
from jung_pipeline.library import Home, discover
from jung_pipeline.volumes import add_file, catalogue_new_files, plan_partitions, present_volumes

TEXT = "CHAPTER I\n\nThe keeper counted the stones every night and wrote the number on the wall.\n"


def test_junk_and_other_types_are_passed_over():
    names = [
        "Thumbs.db",
        "~$Letters.epub",
        "Letters.ePub",
        ".hidden.epub",
        "a.epub.crdownload",
        "._b.pdf",
        "n.TXT",
        "m.opf",
    ]
    assert discover(names) == ["Letters.ePub", "n.TXT"]


def test_adding_a_book_copies_it_and_writes_its_entry(tmp_path):
    source = tmp_path / "in" / "The Keeper.txt"
    source.parent.mkdir()
    source.write_text(TEXT, encoding="utf-8")
    home = Home(tmp_path / "home")
    volume, happened = add_file(home, source)
    assert (volume.key, volume.title, happened) == ("the-keeper", "The Keeper", "added")
    assert home.source(volume).read_text(encoding="utf-8") == TEXT
    assert add_file(home, source)[1] == "unchanged"


def test_another_book_of_the_same_name_is_not_overwritten_unless_asked(tmp_path):
    home = Home(tmp_path / "home")
    first, second = tmp_path / "1" / "b.txt", tmp_path / "2" / "b.txt"
    for path, text in ((first, TEXT), (second, TEXT + "More.\n")):
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
    volume, _ = add_file(home, first)
    with pytest.raises(UsageError, match="--replace"):
        add_file(home, second)
    assert home.source(volume).read_text(encoding="utf-8") == TEXT
    again, happened = add_file(home, second, replacing=True)
    assert (again.key, happened) == (volume.key, "replaced")
    assert home.source(volume).read_text(encoding="utf-8") == TEXT + "More.\n"


def test_something_that_is_no_book_is_refused(tmp_path):
    path = tmp_path / "cover.jpg"
    path.write_bytes(b"\xff\xd8")
    with pytest.raises(UsageError, match=r"cover\.jpg"):
        add_file(Home(tmp_path / "home"), path)


def test_a_file_dropped_into_the_folder_gets_an_entry(tmp_path):
    home = Home(tmp_path)
    home.library.mkdir()
    (home.library / "Dropped.txt").write_text(TEXT, encoding="utf-8")
    assert [volume.key for volume in catalogue_new_files(home)] == ["dropped"]
    assert catalogue_new_files(home) == []
    assert [volume.key for volume in present_volumes(home)] == ["dropped"]


def test_a_file_that_is_still_being_copied_is_left_alone_by_the_sensor(tmp_path):
    home = Home(tmp_path)
    home.library.mkdir()
    (home.library / "Growing.txt").write_text(TEXT, encoding="utf-8")
    assert catalogue_new_files(home, settled_only=True) == []


def test_a_missing_library_folder_is_not_an_empty_library(tmp_path):
    home = Home(tmp_path)
    home.library.mkdir()
    (home.library / "b.txt").write_text(TEXT, encoding="utf-8")
    catalogue_new_files(home)
    home.library.rename(tmp_path / "unmounted")
    with pytest.raises(UsageError, match="nothing was removed"):
        present_volumes(home)


def test_an_empty_mount_point_is_not_an_empty_library_but_a_library_can_be_emptied(tmp_path):
    home = Home(tmp_path)
    home.library.mkdir()
    (home.library / "b.txt").write_text(TEXT, encoding="utf-8")
    catalogue_new_files(home)
    assert len(present_volumes(home)) == 1
    home.library.rename(tmp_path / "disk")
    home.library.mkdir()
    with pytest.raises(UsageError, match="nothing was removed"):
        present_volumes(home)
    home.library.rmdir()
    (tmp_path / "disk").rename(home.library)
    (home.library / "b.txt").unlink()
    assert present_volumes(home) == []


def test_partitions_are_added_removed_and_spared_while_a_run_is_at_work():
    plan = plan_partitions(present=["a", "b"], partitions=["b", "c", "d"], busy={"d"})
    assert (plan.add, plan.remove, plan.wait) == (("a",), ("c",), ("d",))
