"""What the checks warn of is told at the end of an ingestion, and the volume is usable all the same."""

from __future__ import annotations

import json

from jung_pipeline_tests.cli.test_commands import jung

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
