from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from jung_pipeline import progress, settings, stages
from jung_pipeline.catalogue import Volume
from jung_pipeline.errors import SourceError
from jung_pipeline.extract.bounded import Limits, describe_bounded, extract_bounded
from jung_pipeline.extract.extractor import describe_file, extract
from jung_pipeline_tests.extract.pdf_maker import lines, show, write_pdf

PROSE = ["The ferryman counted his coins by night", "and found a face on one of them."]
HTML = "<html><head><title>Coins</title></head><body><h1>Coins</h1><p>By night he counted them.</p></body></html>"

on_linux = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited on Linux")


def children() -> set[int]:
    """The running processes that this one started."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == os.getpid() and state != "Z":
            found.add(int(stat.parent.name))
    return found


def endless_pdf(path: Path, depth: int = 12) -> Path:
    """Three pages; the second shows a form that shows a form ten times, and so on: 10**12 words."""
    write_pdf(path, [lines(60, 560, PROSE)] * 3)
    import pymupdf

    with pymupdf.open(path) as document:
        font = document.xref_get_key(document[1].xref, "Resources/Font")[1]
        below = None
        for _ in range(depth):
            form = document.get_new_xref()
            names = f"/XObject << /F {below} 0 R >>" if below else f"/Font {font}"
            document.update_object(
                form,
                f"<< /Type /XObject /Subtype /Form /BBox [0 0 432 648] /Resources << {names} >> >>",
            )
            document.update_stream(form, b"/F Do " * 10 if below else b"BT /Sans 9 Tf (word) Tj ET " * 10)
            below = form
        document.xref_set_key(document[1].xref, "Resources/XObject", f"<< /F {below} 0 R >>")
        document.update_stream(document[1].get_contents()[0], b"/F Do")
        document.save(path.with_name("endless.pdf"))
    return path.with_name("endless.pdf")


def test_the_same_comes_out_as_in_this_process(tmp_path):
    pdf = write_pdf(tmp_path / "coins.pdf", [lines(60, 560, PROSE), show(60, 560, "II", mode=3)])
    page, text = tmp_path / "coins.html", tmp_path / "coins.txt"
    page.write_text(HTML)
    text.write_text("\n".join(PROSE))
    for path in (pdf, page, text):
        there, here = extract_bounded(path), extract(path)
        assert there.lines.equals(here.lines) and there.lines.schema == here.lines.schema
        assert there.info == here.info


def test_a_book_is_described_as_in_this_process(tmp_path):
    pdf = write_pdf(tmp_path / "coins.pdf", [lines(60, 560, PROSE)] * 3)
    page, text = tmp_path / "coins.html", tmp_path / "coins.txt"
    page.write_text(HTML)
    text.write_text("Title: Coins\nAuthor: F. Ferryman\n\n" + "\n".join(PROSE))
    for path in (pdf, page, text):
        assert describe_bounded(path) == describe_file(path)
    assert describe_bounded(page)["title"] == describe_bounded(text)["title"] == "Coins"


def test_describing_a_book_is_given_up_at_the_limit(tmp_path):
    path = endless_pdf(tmp_path / "three.pdf")
    begun = time.monotonic()
    with pytest.raises(SourceError) as caught:
        describe_bounded(path, Limits(seconds=3))
    assert caught.value.kind == "too_large" and "3 seconds" in caught.value.message
    assert time.monotonic() - begun < 30


def test_progress_reaches_the_reporter(tmp_path):
    path = write_pdf(tmp_path / "long.pdf", [lines(60, 560, PROSE)] * 45)
    seen = []
    with progress.reporting_to(lambda *step: seen.append(step)):
        extract_bounded(path)
    assert seen[-1] == ("raw_text", 45, 45)


def test_what_is_wrong_with_a_file_is_said_in_the_same_words(tmp_path):
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7\nnothing follows")
    with pytest.raises(SourceError) as here:
        extract(path)
    with pytest.raises(SourceError) as there:
        extract_bounded(path)
    assert (str(there.value), there.value.kind, there.value.file) == (
        str(here.value),
        here.value.kind,
        "broken.pdf",
    )


def test_hints_and_environment_reach_the_reading(tmp_path, monkeypatch):
    import pymupdf

    path = tmp_path / "locked.pdf"
    with pymupdf.open(write_pdf(tmp_path / "open.pdf", [lines(60, 560, PROSE)])) as document:
        document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="ferry", owner_pw="boat")
    monkeypatch.setenv("LOCK", "ferry")
    document = extract_bounded(path, {"password_env": "LOCK"})
    assert document.lines.column("text").to_pylist() == PROSE


def test_a_page_without_end_is_given_up_and_named(tmp_path):
    path = endless_pdf(tmp_path / "three.pdf")
    begin = time.monotonic()
    with pytest.raises(SourceError) as caught:
        extract_bounded(path, limits=Limits(seconds=3))
    assert time.monotonic() - begin < 10
    assert (caught.value.kind, caught.value.file, caught.value.page) == ("too_large", "endless.pdf", 2)
    assert "3 seconds" in str(caught.value) and "extract_seconds" in caught.value.remedy
    if Path("/proc").exists():
        assert not children(), "nothing goes on in the background"


@on_linux
def test_a_page_that_fills_the_memory_is_given_up_and_named(tmp_path):
    # A few kilobytes in the file, four million letters on the page.
    flood = show(60, 560, "coins " * 500, 0.1) * 1400
    path = write_pdf(tmp_path / "flood.pdf", [lines(60, 560, PROSE), flood])
    with pytest.raises(SourceError) as caught:
        extract_bounded(path, limits=Limits(memory_mb=100))
    assert (caught.value.kind, caught.value.file, caught.value.page) == ("too_large", "flood.pdf", 2)
    assert "100 MB" in str(caught.value) and "extract_memory_mb" in caught.value.remedy


@on_linux
def test_a_crash_of_the_library_is_the_file_s_error_and_not_ours(tmp_path):
    path = endless_pdf(tmp_path / "three.pdf")
    errors: list[SourceError] = []

    def read() -> None:
        with pytest.raises(SourceError) as caught:
            extract_bounded(path, limits=Limits(seconds=60))
        errors.append(caught.value)

    before = children()
    reader = threading.Thread(target=read)
    reader.start()
    try:
        while not (started := children() - before):
            time.sleep(0.02)
        (child,) = started
        while not _reads(child, path):
            time.sleep(0.02)
        os.kill(child, signal.SIGSEGV)
    finally:
        reader.join(70)
    (error,) = errors
    assert (error.kind, error.file, error.page) == ("damaged", "endless.pdf", 2)
    assert "SIGSEGV" in str(error)


def _reads(process: int, path: Path) -> bool:
    """Whether a process has a file open, and so long that it must be at its second page."""
    if any(os.path.realpath(link) == str(path.resolve()) for link in Path(f"/proc/{process}/fd").iterdir()):
        time.sleep(0.5)
        return True
    return False


def test_the_settings_of_the_library_set_the_limits(tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    endless_pdf(library / "three.pdf")
    volume = Volume(key="endless", file="endless.pdf", title="Endless")
    with pytest.raises(SourceError) as caught:
        stages.make_raw_text(volume, settings.load(tmp_path, extract_seconds=2))
    assert caught.value.kind == "too_large" and "endless.pdf" in str(caught.value)
    volume = Volume(key="three", file="three.pdf", title="Three")
    assert len(stages.make_raw_text(volume, settings.load(tmp_path)).table) == 6
