"""The library folder: what counts as a book, what is added, renamed, removed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
import zipfile
from pathlib import Path

import pytest

from jung_pipeline.errors import UsageError
from jung_pipeline.library import Home, discover
from jung_pipeline.volumes import NewFiles, add_file, catalogue_new_files, plan_partitions, present_volumes
from jung_pipeline_tests.small_books import put_epub

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


def test_the_same_file_under_another_name_is_not_a_second_book(tmp_path):
    home = Home(tmp_path / "home")
    first, copy = tmp_path / "Keeper.txt", tmp_path / "Keeper (1).txt"
    first.write_text(TEXT, encoding="utf-8")
    copy.write_text(TEXT, encoding="utf-8")
    volume, _ = add_file(home, first)
    assert add_file(home, copy) == (volume, "unchanged")
    assert [path.name for path in home.library.glob("*.txt")] == ["Keeper.txt"]
    copy.write_text(TEXT.replace("stones", "boats!"), encoding="utf-8")
    assert add_file(home, copy)[1] == "added"


def test_something_that_is_no_book_is_refused(tmp_path):
    path = tmp_path / "cover.jpg"
    path.write_bytes(b"\xff\xd8")
    with pytest.raises(UsageError, match=r"cover\.jpg"):
        add_file(Home(tmp_path / "home"), path)


def test_a_file_dropped_into_the_folder_gets_an_entry(tmp_path):
    home = Home(tmp_path)
    home.library.mkdir()
    (home.library / "Dropped.txt").write_text(TEXT, encoding="utf-8")
    assert [volume.key for volume in catalogue_new_files(home).added] == ["dropped"]
    assert catalogue_new_files(home) == NewFiles()
    assert [volume.key for volume in present_volumes(home)] == ["dropped"]


def test_a_file_that_is_still_being_copied_is_left_alone_by_the_sensor(tmp_path):
    home = Home(tmp_path)
    home.library.mkdir()
    (home.library / "Growing.txt").write_text(TEXT, encoding="utf-8")
    assert catalogue_new_files(home, settled_only=True) == NewFiles()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep names in UTF-8")
def test_a_name_that_is_not_utf_8_keeps_no_other_book_out(tmp_path):
    home = Home(tmp_path)
    home.library.mkdir()
    for name in (b"A.txt", "Märchen.txt".encode("latin-1"), b"Z.txt"):
        Path(os.fsdecode(os.fsencode(home.library) + b"/" + name)).write_text(TEXT, encoding="utf-8")
    found = catalogue_new_files(home)
    assert [volume.file for volume in found.added] == ["A.txt", "Z.txt"]
    (failed,) = found.failed
    assert failed.file == r"M\xe4rchen.txt"
    assert failed.file in failed.problem and "UTF-8" in failed.problem and "Rename" in failed.problem
    again = catalogue_new_files(home)
    assert again.added == () and again.failed == found.failed
    assert len(present_volumes(home)) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take the two names for one")
def test_two_files_whose_names_differ_in_how_accents_are_stored_are_told_apart(tmp_path):
    home = Home(tmp_path)
    home.library.mkdir()
    composed, decomposed = (unicodedata.normalize(form, "Träume.txt") for form in ("NFC", "NFD"))
    (home.library / decomposed).write_text(TEXT, encoding="utf-8")
    assert catalogue_new_files(home).failed == ()
    assert catalogue_new_files(home) == NewFiles()
    (home.library / composed).write_text(TEXT + "Another book.\n", encoding="utf-8")
    (failed,) = catalogue_new_files(home).failed
    assert "accents" in failed.problem and "Rename" in failed.problem


def test_a_file_that_cannot_be_described_gets_an_entry_by_its_name(tmp_path):
    home = Home(tmp_path)
    home.library.mkdir()
    (home.library / "Broken.pdf").write_bytes(b"%PDF-1.7\n\xff\xff")
    (home.library / "Gone.txt").symlink_to(tmp_path / "nowhere")
    (home.library / "Sound.txt").write_text(TEXT, encoding="utf-8")
    assert [volume.title for volume in catalogue_new_files(home).added] == ["Broken", "Sound"]


def test_a_book_behind_a_link_whose_disk_is_not_mounted_is_not_gone(tmp_path):
    home = Home(tmp_path / "home")
    home.library.mkdir(parents=True)
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / "Stones.txt").write_text(TEXT, encoding="utf-8")
    (home.library / "Stones.txt").symlink_to(disk / "Stones.txt")
    catalogue_new_files(home)
    assert len(present_volumes(home)) == 1
    disk.rename(tmp_path / "unmounted")
    assert [volume.key for volume in present_volumes(home)] == ["stones"]
    (home.library / "Stones.txt").unlink()
    assert present_volumes(home) == []


def test_a_title_in_a_file_commands_no_terminal(tmp_path):
    book = put_epub(tmp_path, "keeper", chapters=1, paragraphs=1)
    with zipfile.ZipFile(book) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    package = next(name for name in parts if name.endswith(".opf"))
    title = "<dc:title>\x9d0;owned\x9cThe \x9b31mKeeper\x7f\u202e</dc:title>"
    changed = re.sub("<dc:title.*?</dc:title>", title, parts[package].decode())
    with zipfile.ZipFile(book, "w") as archive:
        for name, data in {**parts, package: changed.encode()}.items():
            archive.writestr(name, data)
    volume, _ = add_file(Home(tmp_path / "home"), book)
    assert volume.title == "The Keeper"


@pytest.mark.parametrize(
    "stem", ["ü" * 117, "x" * 240, "Ein Buch, das »Märchen« heißt, und ein langer Titel " * 4]
)
def test_a_book_with_as_long_a_name_as_the_disk_takes_is_added(tmp_path, stem):
    source = tmp_path / f"{stem}.txt"
    source.write_text(TEXT, encoding="utf-8")
    home = Home(tmp_path / "home")
    volume, _ = add_file(home, source)
    assert home.source(volume).read_text(encoding="utf-8") == TEXT


ADD = """
import sys
from pathlib import Path
from jung_pipeline.library import Home
from jung_pipeline.volumes import add_file
print("ready", flush=True)
sys.stdin.readline()
for path in sys.argv[2:]:
    add_file(Home(Path(sys.argv[1])), Path(path))
"""


def test_processes_that_add_books_of_one_title_at_once_give_each_a_key_of_its_own(tmp_path):
    running = []
    for suffix in ("txt", "html", "text"):
        books = [tmp_path / f"Book {number}.{suffix}" for number in range(5)]
        for book in books:
            book.write_text(f"<p>{TEXT}</p> {book.name}", encoding="utf-8")
        running.append(
            subprocess.Popen(
                [sys.executable, "-c", ADD, str(tmp_path / "home"), *map(str, books)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=60)
    assert [process.returncode for process in running] == [0, 0, 0]
    catalogue = Home(tmp_path / "home").catalogue()
    assert len({volume.file for volume in catalogue}) == len(catalogue) == 15


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


def test_what_is_not_taken_up_is_told_and_junk_is_not(tmp_path):
    from jung_pipeline.library import passed_over

    home = Home(tmp_path)
    (home.library / "sub").mkdir(parents=True)
    for name in ("x.docx", "b.txt", ".DS_Store", "Thumbs.db", "~$x.docx", "sub/inner.epub"):
        (home.library / name).write_text("x", encoding="utf-8")
    assert passed_over(home) == ["sub/", "x.docx"]
