"""What the checks warn of is told at the end of an ingestion, and the volume is usable all the same."""

from __future__ import annotations

import json
import os

from jung_pipeline_tests.cli.test_commands import jung
from jung_pipeline_tests.extract.test_ocr import PROSE as PRINTED
from jung_pipeline_tests.extract.test_ocr import scan, stand_in

PROSE = "The keeper of the lake went down to the water every morning and counted the stones by the door.\n"


def test_a_warning_is_told_with_the_way_to_look_closer(tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    misread = "".join(
        f"He saw the {word} by the lake.\n" for word in ("trpzk", "qvxnd", "mnwqx", "zzkrb", "bxdkq", "wkpzt")
    )
    (library / "misread.txt").write_text((PROSE * 8 + "\n") * 4 + misread, encoding="utf-8")
    (library / "clean.txt").write_text((PROSE * 8 + "\n") * 4, encoding="utf-8")
    done = jung("ingest", home=tmp_path)
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stdout.splitlines() if "jung status misread" in line]
    assert len(told) == 1 and "little_looks_misread" in told[0]
    assert "jung status clean" not in done.stdout
    again = json.loads(jung("ingest", "--force", "--json", home=tmp_path).stdout)
    assert {row["volume"]: row["warnings"] for row in again["volumes"]} == {
        "misread": ["little_looks_misread"],
        "clean": [],
    }
    shown = jung("status", "misread", home=tmp_path).stdout
    assert "trpzk" in shown


def test_pages_that_ocr_could_not_read_are_told_with_what_hindered_it(tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    scan(library / "scan.pdf", (PRINTED, PRINTED), (PRINTED, None))
    scan(library / "whole.pdf", (PRINTED, PRINTED))
    works = os.pathsep.join([str(stand_in(tmp_path / "bin", PRINTED)), os.environ["PATH"]])
    for path, hindrance in ((str(tmp_path / "nothing"), "apt install tesseract-ocr"), (works, None)):
        done = jung("ingest", home=tmp_path, PATH=path)
        assert done.returncode == 0, done.stderr
        told = [line for line in done.stdout.splitlines() if "bad_pages_were_read_again" in line]
        assert all("jung status scan" in line for line in told) and len(told) == (hindrance is not None)
        shown = jung("status", "scan", home=tmp_path, PATH=path).stdout
        assert ("✗ warning bad_pages_were_read_again" in shown) == (hindrance is not None)
        assert hindrance is None or hindrance in shown
    card = jung("status", "--quality", "scan", home=tmp_path, PATH=works).stdout
    (again,) = [line for line in card.splitlines() if "read again by OCR" in line]
    assert again.split()[-1] == "2"
