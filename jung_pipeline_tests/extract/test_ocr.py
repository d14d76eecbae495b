from __future__ import annotations

import html
import itertools
import os
import random
import re
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from jung_pipeline import freshness, tables
from jung_pipeline.catalogue import Volume
from jung_pipeline.demo.builder import NO_FAULTS, build_scan, load_book
from jung_pipeline.errors import CatalogueError, SettingsError, SourceError
from jung_pipeline.extract import ocr_tesseract
from jung_pipeline.extract.bounded import extract_bounded
from jung_pipeline.extract.document import ExtractedDocument
from jung_pipeline.extract.extractor import extract
from jung_pipeline.extract.ocr import is_better
from jung_pipeline.extract.ocr_pool import Job, Request, read_pages
from jung_pipeline.extract.ocr_wanted import OcrOptions, candidates, decisive, missing_remedy
from jung_pipeline.extract.page_quality import judge
from jung_pipeline.settings import Settings, load
from jung_pipeline.stages import fingerprint, make_raw_text, stage_path

ENGINE = ocr_tesseract.find()
needs_tesseract = pytest.mark.skipif(
    ENGINE is None or "eng" not in ENGINE.languages, reason="Tesseract with English is not installed"
)
needs_german = pytest.mark.skipif(
    ENGINE is None or "deu" not in ENGINE.languages, reason="Tesseract with German is not installed"
)

PROSE = """The doctor had asked her to write down whatever came into her mind before she slept, and
for some weeks she did so with great care. What she brought him was a list of rooms. There was the
kitchen of her childhood, where nobody ever sat; there was a stair that led to a locked door, and
behind the door a garden, so she said, though she had never seen it. He did not ask her how she
knew. In the seventh week the list ended, and she brought him a drawing of the garden instead. The
wall was round, and in the middle there stood a well without water. He kept the drawing in his desk
for many years and showed it to no one, until a second patient, who could not have known of it,
drew the same wall and the same dry well."""
GERMAN = """Der Arzt hatte sie gebeten, vor dem Einschlafen aufzuschreiben, was ihr durch den Kopf ging,
und einige Wochen lang tat sie es mit großer Sorgfalt. Was sie ihm brachte, war ein Verzeichnis von
Räumen. Da war die Küche ihrer Kindheit, in der niemals jemand saß; da war eine Treppe, die zu einer
verschlossenen Tür führte, und hinter der Tür ein Garten, so sagte sie, obwohl sie ihn nie gesehen
hatte. Er fragte nicht, woher sie es wisse. In der siebten Woche hörte das Verzeichnis auf, und sie
brachte ihm statt dessen eine Zeichnung des Gartens. Die Mauer war rund, und in der Mitte stand ein
Brunnen ohne Wasser."""
SIZE = (420, 600)
MIDDLE = pymupdf.Point(210, 300)


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def share(found: str, truth: str) -> float:
    wanted = words(truth)
    return (words(found) & wanted).total() / wanted.total()


def text_of(document: ExtractedDocument, page: int | None = None) -> str:
    rows = document.lines.to_pylist()
    return "\n".join(row["text"] for row in rows if page in (None, row["page"]))


def picture(text: str, dpi: int = 200, lean: float = 0.0) -> bytes:
    with pymupdf.open() as document:
        page = document.new_page(width=SIZE[0], height=SIZE[1])
        for number, line in enumerate(text.split("\n")):
            about = (MIDDLE, pymupdf.Matrix(lean))
            page.insert_text((40, 60 + 16 * number), line, fontsize=9, fontname="tiro", morph=about)
        return bytes(page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY).tobytes("png"))


def noisy(text: str) -> str:
    """A text layer as a bad reading leaves it."""
    chance = random.Random(7)
    return "".join(chance.choice("xqj1^~") if c.isalpha() and chance.random() < 0.3 else c for c in text)


def scan(path: Path, *pages: tuple[str | None, str | None], labels: bool = False) -> Path:
    """A PDF of page images: (what is printed, what its hidden text layer says)."""
    with pymupdf.open() as document:
        for printed, layer in pages:
            page = document.new_page(width=SIZE[0], height=SIZE[1])
            if printed is not None:
                page.insert_image(page.rect, stream=picture(printed))
            for number, line in enumerate((layer or "").split("\n")):
                page.insert_text((40, 60 + 16 * number), line, fontsize=9, fontname="tiro", render_mode=3)
        if labels:
            document.set_page_labels([{"startpage": 0, "prefix": "", "style": "D", "firstpagenum": 41}])
        document.save(path)
    return path


def stand_in(folder: Path, text: str, *, languages: str = "eng deu", failing: str = "nothing") -> Path:
    """A program that has Tesseract's manners and says that every page reads ``text``.

    It fails where ``failing`` is among what it is asked, and says nothing at all while there is a file "mute".
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = "\n     ".join(
        f"<span class='ocr_line' title=\"bbox 100 {y} 1100 {y + 40}; baseline 0 -8; x_size 40\">\n"
        + f"<span class='ocrx_word' title='bbox 100 {y} 1100 {y + 40}; x_wconf 95'>{html.escape(line)}</span>"
        + "\n     </span>"
        for y, line in zip(itertools.count(100, 50), text.split("\n"), strict=False)
    )
    (folder / "said.hocr").write_text(f"<p class='ocr_par'>{lines}</p>", encoding="utf-8")
    program = folder / "tesseract"
    program.write_text(
        f"""#!/bin/sh
[ -e '{folder}/mute' ] && exit 1
case "$*" in
--version) echo 'tesseract 5.9.9' ;;
--list-langs) printf '%s\\n' 'List:' {languages} ;;
*'{failing}'*) exit 1 ;;
*) cat > /dev/null; cat '{folder}/said.hocr' ;;
esac
""",
        encoding="utf-8",
    )
    program.chmod(0o755)
    return folder


def first_on_path(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def without_tesseract(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


# --------------------------------------------------------------------------------------------------
# reading
# --------------------------------------------------------------------------------------------------


@needs_tesseract
def test_the_demo_scan_without_its_text_layer_is_read_by_ocr(tmp_path: Path) -> None:
    built = build_scan(tmp_path / "scan.pdf", load_book("letters-from-the-night-school"), NO_FAULTS)
    bare = tmp_path / "bare.pdf"
    pages = range(6, 10)
    with pymupdf.open(built.path) as scanned, pymupdf.open() as images:
        truth = "\n".join(scanned[index].get_text() for index in pages)
        for index in pages:
            sheet = images.new_page(width=scanned[index].rect.width, height=scanned[index].rect.height)
            image = scanned.extract_image(scanned[index].get_images()[0][0])["image"]
            sheet.insert_image(sheet.rect, stream=image)
        images.save(bare)
    document = extract_bounded(bare, ocr=OcrOptions(language="en"))
    assert share(text_of(document), truth) >= 0.97
    assert share(truth, text_of(document)) >= 0.97, "and nothing is made up"
    assert document.info.status == "ok"
    assert set(document.lines["origin"].to_pylist()) == {"ocr"}
    assert all(page.ocr and page.usable and page.quality for page in document.info.pages)
    assert [w.code for w in document.info.warnings] == ["ocr_read"]
    assert "tesseract" in document.info.extractor


@needs_tesseract
def test_lines_lie_where_they_are_printed_and_labels_stay(tmp_path: Path) -> None:
    path = scan(tmp_path / "a.pdf", (PROSE, None), (PROSE, PROSE), (PROSE, None), labels=True)
    document = extract_bounded(path, ocr=OcrOptions(language="en"))
    rows = document.lines.to_pylist()
    again = extract_bounded(path, ocr=OcrOptions(language="en"))
    assert again.lines.equals(document.lines) and again.info == document.info, "the same every time"
    assert [row["line_id"] for row in rows] == list(range(len(rows)))
    assert [row["page"] for row in rows] == sorted(row["page"] for row in rows)
    assert {row["page"]: row["page_label"] for row in rows} == {1: "41", 2: "42", 3: "43"}
    assert len({(row["block"], row["page"]) for row in rows}) == len({row["block"] for row in rows})
    read, layer = ([row for row in rows if row["page"] == page] for page in (1, 2))
    assert len(read) == len(layer) == 8
    for ours, theirs in zip(read, layer, strict=True):
        assert ours["x0"] == pytest.approx(theirs["x0"], abs=2)
        assert ours["x1"] == pytest.approx(theirs["x1"], abs=4)
        assert ours["y0"] - 1 <= (theirs["y0"] + theirs["y1"]) / 2 <= ours["y1"] + 1
        assert ours["font_size"] == pytest.approx(9, rel=0.15)


@needs_tesseract
def test_the_better_reading_of_every_page_is_kept(tmp_path: Path) -> None:
    path = scan(tmp_path / "a.pdf", (PROSE, noisy(PROSE)), (PROSE, PROSE), (None, PROSE))
    before = extract(path)
    assert [page.ocr for page in before.info.pages] == [None] * 3
    document = extract_bounded(path, ocr=OcrOptions(language="en"))
    bad, good, typeset = document.info.pages
    assert bad.ocr and bad.ocr_quality > bad.layer_quality and bad.quality == bad.ocr_quality  # type: ignore[operator]
    assert share(text_of(document, 1), PROSE) > 0.97 > share(text_of(before, 1), PROSE)
    assert good.ocr is None and typeset.ocr is None, "good pages are not even tried"
    assert text_of(document, 2) == text_of(before, 2) and text_of(document, 3) == text_of(before, 3)
    (said,) = [w.message for w in document.info.warnings if w.code == "ocr_replaced"]
    assert "1 page (1)" in said and "worse text layer" in said
    forced = extract_bounded(path, ocr=OcrOptions("force", language="en"))
    assert [page.ocr for page in forced.info.pages] == [True, False, None], "a tie keeps the file's own"
    assert text_of(forced, 2) == text_of(before, 2)
    assert forced.info.pages[1].ocr_quality is not None
    assert "ocr_declined" in [w.code for w in forced.info.warnings]


@needs_tesseract
def test_a_page_of_which_the_text_layer_has_only_a_part_is_read_whole(tmp_path: Path) -> None:
    part = PROSE[:60]
    path = scan(tmp_path / "a.pdf", (PROSE, PROSE), (PROSE, part), (PROSE, PROSE), ("PART TWO", "PART TWO"))
    document = extract_bounded(path, ocr=OcrOptions(language="en"))
    assert [page.ocr for page in document.info.pages] == [None, True, None, False]
    assert share(text_of(document, 2), PROSE) > 0.97
    assert text_of(document, 4) == "PART TWO", "a page that has no more than that stays as it is"


@needs_tesseract
def test_off_reads_nothing_again_and_says_what_could_be(tmp_path: Path) -> None:
    path = scan(tmp_path / "a.pdf", (PROSE, noisy(PROSE)), (PROSE, PROSE), (PROSE, None))
    document = extract_bounded(path, ocr=OcrOptions("off"))
    assert document.lines.equals(extract(path).lines)
    (said,) = [w.message for w in document.info.warnings if w.code == "ocr_off"]
    assert "2 pages (1, 3)" in said and "auto" in said
    by_hint = extract_bounded(path, {"ocr": "off"}, ocr=OcrOptions("force"))
    assert by_hint.lines.equals(document.lines), "a hint for the volume goes before the setting"


@needs_tesseract
def test_a_typeset_page_in_a_font_without_characters_is_drawn_and_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    with pymupdf.open() as document:
        for _ in range(2):
            page = document.new_page(width=SIZE[0], height=SIZE[1])
            page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("tiro").buffer)
            for number, line in enumerate(PROSE.split("\n")):
                page.insert_text((40, 60 + 16 * number), line, fontsize=9, fontname="F0")
        private = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def
1 begincodespacerange <0000> <FFFF> endcodespacerange
1 beginbfrange <0000> <0FFF> <E000> endbfrange endcmap end end"""
        for xref in range(1, document.xref_length()):
            kind, value = document.xref_get_key(xref, "ToUnicode")
            if kind == "xref":
                document.update_stream(int(value.split()[0]), private)
        document.save(path)
    assert extract(path).info.status == "no_text"
    document = extract_bounded(path, ocr=OcrOptions(language="en"))
    assert document.info.status == "ok" and all(page.usable and page.ocr for page in document.info.pages)
    assert share(text_of(document), PROSE + PROSE) > 0.97


@needs_tesseract
def test_blank_pages_and_pictures_are_no_lack_of_text(tmp_path: Path) -> None:
    document = extract_bounded(
        scan(tmp_path / "a.pdf", (PROSE, PROSE), ("", None)), ocr=OcrOptions(language="en")
    )
    assert document.info.status == "ok"
    assert [(w.code, w.page) for w in document.info.warnings] == [("ocr_found_nothing", None)]
    assert document.info.pages[1].usable and document.info.pages[1].characters == 0


@needs_tesseract
def test_a_page_on_its_side_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    with pymupdf.open() as document:
        page = document.new_page(width=SIZE[1], height=SIZE[0])
        page.insert_image(page.rect, stream=picture(PROSE), rotate=90)
        document.save(path)
    document = extract_bounded(path, ocr=OcrOptions(language="en"))
    assert share(text_of(document), PROSE) > 0.9


@needs_tesseract
@pytest.mark.parametrize("lean", [4.0, -3.0])
def test_a_page_that_leans_is_read_and_its_boxes_lean_with_it(tmp_path: Path, lean: float) -> None:
    path = tmp_path / "a.pdf"
    with pymupdf.open() as document:
        page = document.new_page(width=SIZE[0], height=SIZE[1])
        page.insert_image(page.rect, stream=picture(PROSE, lean=lean))
        document.save(path)
    document = extract_bounded(path, ocr=OcrOptions(language="en"))
    assert share(text_of(document), PROSE) > 0.97
    for number, row in enumerate(document.lines.to_pylist()):
        middle = pymupdf.Point(40 + (row["x1"] - row["x0"]) / 2, 57 + 16 * number)
        middle = (middle - MIDDLE) * pymupdf.Matrix(-lean) + MIDDLE
        assert (row["y0"] + row["y1"]) / 2 == pytest.approx(middle.y, abs=3)
        assert row["y1"] - row["y0"] > 1.5 * row["font_size"], "the box of a line that leans is higher"


@needs_tesseract
def test_text_on_dark_paper_in_a_white_margin_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    few = "\n".join(PROSE.split("\n")[:2])
    with pymupdf.open() as document, pymupdf.open() as sheet:
        paper = sheet.new_page(width=SIZE[0], height=SIZE[1])
        paper.draw_rect((20, 20, 400, 580), fill=(0.75, 0.75, 0.75), color=None)
        for number, line in enumerate(few.split("\n")):
            paper.insert_text(
                (40, 60 + 16 * number), line, fontsize=9, fontname="tiro", color=(0.2, 0.2, 0.2)
            )
        page = document.new_page(width=SIZE[0], height=SIZE[1])
        page.insert_image(page.rect, stream=paper.get_pixmap(dpi=150).tobytes("png"))
        document.save(path)
    assert share(text_of(extract_bounded(path, ocr=OcrOptions(language="en"))), few) > 0.95


@needs_tesseract
def test_a_cropped_and_turned_page_has_boxes_as_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    with pymupdf.open(scan(tmp_path / "b.pdf", (PROSE, None))) as document:
        document[0].set_cropbox(pymupdf.Rect(20, 40, 420, 600))
        document.save(path)
    document = extract_bounded(path, ocr=OcrOptions(language="en"))
    first = document.lines.to_pylist()[0]
    assert first["x0"] == pytest.approx(20, abs=3) and first["y1"] == pytest.approx(22, abs=4)


@needs_german
def test_german_is_read_as_german_also_where_nobody_says_so(tmp_path: Path) -> None:
    path = scan(tmp_path / "a.pdf", (GERMAN, None))
    for language in ("de", None):
        document = extract_bounded(path, {"fraktur": False}, ocr=OcrOptions(language=language))
        assert document.info.ocr["languages"] == "deu"
        assert share(text_of(document), GERMAN) > 0.97
        assert document.info.metadata.get("language") in ("de", None)


# --------------------------------------------------------------------------------------------------
# where it cannot be
# --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("without_tesseract")
def test_without_tesseract_pages_are_reported_and_the_volume_goes_on(tmp_path: Path) -> None:
    path = scan(tmp_path / "a.pdf", (PROSE, PROSE), (PROSE, None))
    document = extract_bounded(path, ocr=OcrOptions(language="de"))
    assert document.lines.equals(extract(path).lines)
    assert document.info.status == "partial"
    (said,) = [w.message for w in document.info.warnings if w.code == "ocr_missing"]
    assert "1 page (2)" in said and "not installed" in said
    assert "tesseract-ocr tesseract-ocr-deu" in said


@needs_tesseract
def test_a_language_that_is_not_installed_is_named_with_its_package(tmp_path: Path) -> None:
    path = scan(tmp_path / "a.pdf", (PROSE, PROSE), (PROSE, None))
    document = extract_bounded(path, {"ocr_languages": "eng+tlh"}, ocr=OcrOptions())
    (said,) = [w.message for w in document.info.warnings if w.code == "ocr_missing"]
    assert "lacks" in said and "tesseract-ocr-tlh" in said


@needs_tesseract
@pytest.mark.parametrize(
    ("options", "word"),
    [
        (OcrOptions(language="en", seconds=0.02), "ocr_seconds"),
        (OcrOptions(language="en", memory_mb=1), "ocr_memory_mb"),
    ],
)
def test_a_page_beyond_the_limits_is_reported_and_left(
    tmp_path: Path, options: OcrOptions, word: str
) -> None:
    path = scan(tmp_path / "a.pdf", (PROSE, noisy(PROSE)), (PROSE, None))
    document = extract_bounded(path, ocr=options)
    failures = [w for w in document.info.warnings if w.code == "ocr_failed"]
    assert [w.page for w in failures] == [1, 2]
    assert all(word in w.message for w in failures)
    assert document.lines.equals(extract(path).lines), "what the file has is there"
    assert document.info.ocr["failed"] == 2


def test_a_tesseract_that_was_mute_for_a_moment_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stand_in(tmp_path / "bin", PROSE)
    first_on_path(monkeypatch, folder)
    (folder / "mute").touch()
    assert ocr_tesseract.find() is None
    (folder / "mute").unlink()
    found = ocr_tesseract.find()
    assert found is not None and found.version == "5.9.9" and found.languages == {"eng", "deu"}


@pytest.mark.parametrize(("text", "failing"), [(PROSE, "-l deu"), (noisy(noisy(PROSE)), "--psm 1 ")])
def test_a_page_that_was_read_is_not_reported_for_another_try_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, failing: str
) -> None:
    first_on_path(monkeypatch, stand_in(tmp_path / "bin", text, failing=failing))
    path = scan(tmp_path / "a.pdf", (PROSE, None), (PROSE, PROSE), (PROSE, None))
    document = extract_bounded(path, {"fraktur": False}, ocr=OcrOptions())
    assert document.info.ocr["candidates"][:2] == ["eng", "deu"], "it is tried in both"
    assert [page.ocr_quality is not None for page in document.info.pages] == [True, False, True]
    assert "ocr_failed" not in {w.code for w in document.info.warnings}
    assert document.info.ocr["failed"] == 0
    monkeypatch.undo()
    first_on_path(monkeypatch, stand_in(tmp_path / "bin2", text, failing="-l "))
    failed = extract_bounded(path, {"fraktur": False}, ocr=OcrOptions())
    assert [w.page for w in failed.info.warnings if w.code == "ocr_failed"] == [1, 3], "where no try succeeds"


def answers(tmp_path: Path, pages: int, seconds: float = 5.0) -> list[dict[str, object]]:
    """What became of pages; an error where that is waited for without end."""
    job = Job(tmp_path / "a.pdf", {}, "tesseract", 300, seconds, 1000)
    found: list[dict[str, object]] = []

    def ask() -> None:
        found.extend(
            read_pages(job, [Request(page, "eng") for page in range(pages)], lambda done: None).values()
        )

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(20)
    assert not asking.is_alive(), "it waits for ever"
    return found


@pytest.mark.parametrize(
    ("says", "word"),
    [
        ("""printf '{"hocr": "half a l'""", "died"),
        ("""printf '{"hocr": "half a l'; kill -KILL $$""", "SIGKILL"),
        ("echo '{nonsense'; sleep 30", "asked"),
        ("echo 7; sleep 30", "asked"),
    ],
)
def test_a_process_that_answers_nonsense_fails_its_pages_and_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, word: str
) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{says}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    found = answers(tmp_path, 12)
    assert len(found) == 12 and all("failure" in answer for answer in found)
    assert any(word in str(answer["failure"]) for answer in found)


@pytest.mark.parametrize("seconds", [1e12, float("inf")])
def test_no_limit_on_time_is_so_large_that_it_is_waited_for_ever(tmp_path: Path, seconds: float) -> None:
    assert all("failure" in answer for answer in answers(tmp_path, 1, seconds))
    with pytest.raises(SettingsError, match="ocr_seconds"):
        load(tmp_path, ocr_seconds=seconds)


# --------------------------------------------------------------------------------------------------
# the stage
# --------------------------------------------------------------------------------------------------


def library(tmp_path: Path, *pages: tuple[str | None, str | None], **settings: object):
    folder = tmp_path / "home" / "library"
    folder.mkdir(parents=True, exist_ok=True)
    scan(folder / "a.pdf", *pages)
    return Volume("a", "a.pdf", "A", language="en"), load(tmp_path / "home", **settings)


def test_a_volume_without_any_text_fails_with_what_to_install(
    tmp_path: Path, without_tesseract: None
) -> None:
    volume, settings = library(tmp_path, (PROSE, None))
    with pytest.raises(SourceError) as caught:
        make_raw_text(volume, settings)
    assert caught.value.kind == "no_text"
    assert "apt install tesseract-ocr" in caught.value.remedy
    with pytest.raises(SourceError) as caught:
        make_raw_text(volume, settings.model_copy(update={"ocr": "off"}))
    assert "ocr" in caught.value.remedy and "auto" in caught.value.remedy


@needs_tesseract
def test_only_volumes_with_bad_pages_are_due_when_tesseract_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.environ["PATH"]
    for name, layer, due in (("good", PROSE, False), ("bad", noisy(PROSE), True)):
        monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
        volume, settings = library(tmp_path / name, (PROSE, PROSE), (PROSE, layer))
        made = make_raw_text(volume, settings)
        tables.write_table(stage_path("raw_text", "a", settings), made.table)
        inputs = {"source": made.info["source"]["sha256"]}
        off = settings.model_copy(update={"ocr": "off"})
        assert fingerprint("raw_text", volume, settings, inputs) == made.info["fingerprint"]
        assert (fingerprint("raw_text", volume, off, inputs) != made.info["fingerprint"]) == due
        monkeypatch.setenv("PATH", path)
        assert (fingerprint("raw_text", volume, settings, inputs) != made.info["fingerprint"]) == due
        again = make_raw_text(volume, settings)
        assert (again.data_version != made.data_version) == due
        tables.write_table(stage_path("raw_text", "a", settings), again.table)
        assert fingerprint("raw_text", volume, settings, inputs) == again.info["fingerprint"]


def test_text_that_was_read_is_not_thrown_away_while_tesseract_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.environ["PATH"]

    def on_path(folder: Path) -> None:
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{path}")

    full, danish = (
        stand_in(tmp_path / "full", PROSE),
        stand_in(tmp_path / "danish", PROSE, languages="dan"),
    )
    on_path(full)
    volume, settings = library(tmp_path, (PROSE, PROSE), (PROSE, None))
    made = make_raw_text(volume, settings)
    tables.write_table(stage_path("raw_text", "a", settings), made.table)
    inputs = {"source": made.info["source"]["sha256"]}

    def due(settings: Settings) -> bool:
        state = freshness.states(volume, settings)[0]
        changed = fingerprint("raw_text", volume, settings, inputs) != made.info["fingerprint"]
        assert changed == ("changed" in state.reason)
        return changed

    sharper = settings.model_copy(update={"ocr_dpi": 400})
    off = settings.model_copy(update={"ocr": "off"})
    assert not due(settings) and due(sharper) and due(off)
    on_path(danish)
    assert not due(settings) and not due(sharper) and due(off)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert not due(settings) and not due(sharper) and due(off), "only who wants it gone loses it"
    on_path(full)
    assert not due(settings) and due(sharper)


@pytest.mark.parametrize(
    ("hints", "wrong"),
    [
        ({"ocr": "force", "ocr_languages": "deu+lat", "fraktur": True}, None),
        ({"ocr_languages": ["deu", "script/Fraktur"]}, None),
        ({"ocr": "yes"}, "hints.ocr"),
        ({"ocr_languages": "--psm 0"}, "hints.ocr_languages"),
        ({"ocr_languages": []}, "hints.ocr_languages"),
        ({"fraktur": "no"}, "hints.fraktur"),
    ],
)
def test_hints_about_ocr_are_understood_or_refused(hints: dict[str, object], wrong: str | None) -> None:
    if wrong is None:
        assert Volume("a", "a.pdf", "A", hints=hints).hints == hints
        return
    with pytest.raises(CatalogueError, match=wrong):
        Volume("a", "a.pdf", "A", hints=hints)


# --------------------------------------------------------------------------------------------------
# rules
# --------------------------------------------------------------------------------------------------


def test_languages_of_the_catalogue_are_tesseracts() -> None:
    assert candidates("en", {}) == ["eng"]
    assert candidates("de", {})[0] == "deu" and set(candidates("de", {})) > {"frk", "Fraktur"}
    assert candidates("de-AT", {}) == candidates("de", {})
    assert candidates("de", {"fraktur": False}) == ["deu"]
    assert "deu" not in candidates("de", {"fraktur": True})
    assert candidates("en", {"ocr_languages": ["en", "lat"]}) == ["eng+lat"]
    assert candidates("de", {"ocr_languages": "deu+grc"}) == ["deu+grc"]
    assert candidates("en", {"ocr_languages": "--user-words=/etc/passwd"}) == ["eng"], (
        "no options get through"
    )
    assert "tesseract-ocr-deu" in missing_remedy(candidates("de", {}))
    assert "tesseract-ocr-frk" in missing_remedy(candidates("de", {"fraktur": True}))


def test_what_is_better() -> None:
    good, bad, short = judge(PROSE), judge(noisy(PROSE)), judge(PROSE[:180])
    assert is_better(good, bad) and not is_better(bad, good)
    assert not is_better(good, good), "a tie keeps the file's own"
    assert not is_better(short, bad), "a few good words do not replace a page"
    assert is_better(good, short) and is_better(good, None)
    assert not is_better(judge("| ~ — wy ae"), None), "what a picture was taken for"
    assert is_better(judge("PART TWO"), None)


def test_pages_that_do_not_want_ocr_leave_nothing_to_decide() -> None:
    options = OcrOptions(language="en")
    assert decisive(options, {}, {}) is None
    assert decisive(options, {}, {"wanted": {"auto": 0, "force": 3}}) is None
    assert decisive(replace(options, mode="off"), {}, {"wanted": {"auto": 0, "force": 3}}) is None
    assert decisive(replace(options, mode="force"), {}, {"wanted": {"auto": 0, "force": 3}}) is not None
    assert decisive(options, {}, {"wanted": {"auto": 1, "force": 3}}) is not None


def test_hocr_is_parted_at_wide_gaps_and_freed_of_stains() -> None:
    def word(box: str, text: str, sure: int = 95) -> str:
        return f"<span class='ocrx_word' id='w' title='bbox {box}; x_wconf {sure}'>{text}</span>"

    def line(box: str, *inside: str) -> str:
        title = f"bbox {box}; baseline 0.01 -4; x_size 40; x_descenders 8; x_ascenders 9"
        return f"<span class='ocr_line' id='l' title=\"{title}\">\n" + "\n".join(inside) + "\n     </span>"

    hocr = (
        "<p class='ocr_par' id='p' lang='eng'>"
        + "\n     ".join(
            (
                line(
                    "100 50 900 90",
                    word("100 50 200 90", "THE"),
                    word("220 50 400 90", "WELL &amp;"),
                    word("850 50 900 90", "17"),
                ),
                line("0 0 20 900", word("0 0 20 900", "|", 90)),
                line("100 200 300 240", word("100 200 300 240", "wvvy", 12)),
            )
        )
        + "</p>"
    )
    found = ocr_tesseract.fragments(hocr, 0.25, (0.25, 0, 0, 0.25, 0, 0))
    assert [f.text for f in found] == ["THE WELL &", "17"]
    assert found[0].box == (25, 12.5, 100, 22.5)
    assert found[0].size == found[1].size > 5
