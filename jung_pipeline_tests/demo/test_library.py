"""The library as a whole: what lies in the folder, and that building it again changes nothing."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

from jung_pipeline.catalogue import new_key
from jung_pipeline.demo.builder import BuiltBook, build_demo_library
from jung_pipeline.library import discover


def test_the_folder_holds_three_books_under_the_keys_of_the_catalogue(library: dict[str, BuiltBook]) -> None:
    folder = next(iter(library.values())).path.parent
    names = discover(path.name for path in folder.iterdir())
    assert {new_key(name, ()) for name in names} == set(library)
    assert len(names) == 3
    assert sum(path.stat().st_size for path in folder.iterdir()) < 6_000_000


def test_building_again_in_another_process_gives_the_same_bytes(
    library: dict[str, BuiltBook], tmp_path: Path
) -> None:
    code = f"from pathlib import Path\nfrom jung_pipeline.demo.builder import *\nbuild_demo_library(Path({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    for book in library.values():
        again = tmp_path / book.path.name
        assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(book.path.read_bytes()).digest()


def test_the_truth_is_the_same_each_time_and_quickly_made(
    library: dict[str, BuiltBook], tmp_path: Path
) -> None:
    before = time.process_time()
    again = build_demo_library(tmp_path)
    assert time.process_time() - before < 10
    for book in again:
        assert book.paragraphs == library[book.key].paragraphs
        assert book.faults == library[book.key].faults


def test_every_paragraph_of_the_source_is_in_the_truth_once(library: dict[str, BuiltBook]) -> None:
    for built in library.values():
        printed = [p.text for p in built.paragraphs if p.kind != "heading"]
        assert "\n\n".join(printed) == built.book.text
        headings = [p.text for p in built.paragraphs if p.kind == "heading"]
        assert headings == [chapter.heading for chapter in built.book.chapters]


def test_pages_and_labels_of_the_truth_never_run_backwards(library: dict[str, BuiltBook]) -> None:
    for built in library.values():
        flow = [p for p in built.paragraphs if p.kind != "footnote"]
        pages = [page for p in flow for page in (p.page_first, p.page_last)]
        assert None not in pages
        assert pages == sorted(pages)  # type: ignore[type-var]
        assert all(p.label_first and p.label_last for p in built.paragraphs)
