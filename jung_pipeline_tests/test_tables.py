"""Tables: all or nothing, digests that depend on content alone, facts in the footer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pytest

from jung_pipeline import schemas, tables
from jung_pipeline.errors import DamagedTableError, StageError


def test_facts_about_the_volume_are_read_without_the_rows(tmp_path):
    path = tmp_path / "t" / "v.parquet"
    tables.write_table(path, tables.with_info(pa.table({"a": [1]}), {"pages": 3, "title": "Träume"}))
    assert tables.read_info(path) == {"pages": 3, "title": "Träume"}
    assert tables.read_table(path).to_pydict() == {"a": [1]}
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_table(tmp_path):
    path = tmp_path / "v.parquet"
    tables.write_table(path, pa.table({"a": [1]}))

    def broken(staged):
        staged.write_bytes(b"half a")
        raise OSError("disk full")

    with pytest.raises(StageError, match=r"v\.parquet cannot be written \(disk full\)"):
        tables.write_atomically(path, broken)
    assert tables.read_table(path).to_pydict() == {"a": [1]}
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_takes_no_more_is_told_with_path_and_remedy(tmp_path):
    """A process that may write few bytes stands for a full disk: both end in the middle of the file."""
    path = tmp_path / "v.parquet"
    tables.write_table(path, pa.table({"a": [1]}))
    code = (
        "import resource, signal, sys, random\n"
        "from pathlib import Path\n"
        "import pyarrow as pa\n"
        "from jung_pipeline import tables\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    tables.write_table(Path(sys.argv[1]), pa.table({'a': [random.random() for _ in range(9999)]}))\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"StageError {path} cannot be written (")
    assert "run the same command again" in done.stdout
    assert tables.read_table(path).to_pydict() == {"a": [1]}
    assert list(tmp_path.iterdir()) == [path]


def test_any_name_that_a_disk_allows_can_be_written(tmp_path):
    path = tmp_path / ("n" * 251 + ".txt")
    tables.write_text(path, "x")
    assert path.read_text(encoding="utf-8") == "x"


def test_what_a_killed_writer_left_goes_when_nobody_can_be_at_work_on_it(tmp_path):
    old, new = (tmp_path / tables.TEMPORARY.replace("*", name) for name in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    tables.write_text(tmp_path / "v.txt", "x")
    assert not old.exists()
    assert new.exists()


def test_a_source_that_cannot_be_copied_is_named_not_the_copy(tmp_path):
    gone = tmp_path / "gone.pdf"
    with pytest.raises(StageError, match=r"gone\.pdf cannot be read"):
        tables.write_atomically(tmp_path / "x" / "v.pdf", lambda staged: shutil.copyfile(gone, staged))


def test_the_digest_is_of_the_content_not_of_how_it_is_cut_into_batches():
    whole = pa.table({"a": ["x", "y", None]})
    pieces = pa.concat_tables([whole.slice(0, 1), whole.slice(1)])
    assert tables.content_digest(whole) == tables.content_digest(pieces)
    assert tables.content_digest(whole) == tables.content_digest(tables.with_info(whole, {"made": "later"}))
    assert tables.content_digest(whole) != tables.content_digest(pa.table({"a": ["x", "y", ""]}))


def test_a_damaged_or_missing_table_is_named_with_the_remedy(tmp_path):
    path = tmp_path / "v.parquet"
    with pytest.raises(StageError, match=r"v\.parquet is missing.*jung ingest"):
        tables.read_table(path)
    path.write_bytes(b"PAR1 torn")
    with pytest.raises(StageError, match=r"v\.parquet is damaged.*jung ingest"):
        tables.read_table(path)
    assert tables.read_info(path) is None


@pytest.mark.parametrize("place", [0.1, 0.4, 0.7])
def test_a_table_that_the_disk_has_forgotten_some_of_is_not_read(tmp_path, place):
    path = tmp_path / "v.parquet"
    table = pa.table({"a": [f"Passage {n} of {n * n}." for n in range(3000)]})
    tables.write_table(path, tables.with_info(table, {"pages": 3}))
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 4
    path.write_bytes(content)
    assert tables.read_info(path) == {"pages": 3}, "the footer cannot tell"
    with pytest.raises(DamagedTableError, match=r"v\.parquet is damaged"):
        tables.read_table(path)
    with pytest.raises(DamagedTableError, match=r"jung ingest"):
        tables.read_or_discard(path)
    assert not path.exists(), "it counts as missing, so that it is made anew"


def test_rows_must_fit_the_schema():
    with pytest.raises(StageError, match="chpter"):
        tables.from_rows([{"chpter": 1}], schemas.CHUNKS)
    with pytest.raises(StageError, match="null"):
        tables.from_rows(
            [{"text_hash": None, "model": "m", "vector": [0.0, 1.0]}], schemas.embeddings_schema(2)
        )
