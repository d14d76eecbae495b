"""What goes wrong around the command: names, folders, pipes, Ctrl-C, programs that read its JSON."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.table import Table

from jung_pipeline.cli.output import SafeConsole
from jung_pipeline_tests.cli.test_commands import jung

TEXT = "CHAPTER I\n\nThe keeper counted the stones every night and wrote the number on the wall.\n"


@pytest.fixture
def home(tmp_path):
    """A library with one book, not ingested yet."""
    book = tmp_path / "Stones.txt"
    book.write_text(TEXT, encoding="utf-8")
    assert jung("add", str(book), home=tmp_path / "home").returncode == 0
    return tmp_path / "home"


def with_latin_1_name(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = Path(os.fsdecode(os.fsencode(folder) + "/Märchen.txt".encode("latin-1")))
    path.write_text(TEXT, encoding="utf-8")
    return path


def one_line(done) -> str:
    """What the command said: one line, no traceback, nothing of a fault of ours."""
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("jung: ") and "fault of ours" not in line and "Traceback" not in line
    return line


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep names in UTF-8")
def test_a_name_that_is_not_utf_8_is_told_and_the_others_are_added(tmp_path):
    good = tmp_path / "in" / "Good.txt"
    bad = with_latin_1_name(tmp_path / "in")
    good.write_text(TEXT, encoding="utf-8")
    done = jung("add", str(bad), str(good), home=tmp_path / "home")
    assert done.returncode == 1
    assert r"M\xe4rchen.txt" in one_line(done) and "Rename" in done.stderr
    assert "Good" in done.stdout
    with_latin_1_name(tmp_path / "home" / "library")
    printed = json.loads(jung("status", "--json", home=tmp_path / "home").stdout)
    assert printed["not_catalogued"] == [r"M\xe4rchen.txt"]
    assert [row["volume"] for row in printed["volumes"]] == ["good"]
    shown = jung("status", home=tmp_path / "home").stdout
    assert r"M\xe4rchen.txt" in shown and "Rename" in shown


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep names in UTF-8")
def test_ingestion_names_the_file_that_it_cannot_take_up_and_goes_on(home):
    with_latin_1_name(home / "library")
    done = jung("ingest", "--json", home=home)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert [(row["volume"], row["status"]) for row in report["volumes"]] == [("stones", "done")]
    (failed,) = report["not_taken"]
    assert failed["file"] == r"M\xe4rchen.txt" and "Rename" in failed["problem"]
    again = jung("ingest", home=home)
    assert again.returncode == 1 and r"M\xe4rchen.txt" in again.stdout and "1 not taken up" in again.stdout


def test_a_disk_that_refuses_is_told_for_each_book(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "library").write_text("a file where the folder of the books should be")
    book = tmp_path / "Stones.txt"
    book.write_text(TEXT, encoding="utf-8")
    done = jung("add", str(book), home=tmp_path / "home")
    assert done.returncode == 1
    assert str(tmp_path / "home" / "library") in one_line(done) and "folder should be" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "says"),
    [
        (["status"], {"JUNG_TYPO": "1"}, 2, "JUNG_TYPO"),
        (["doctor", "--offlin"], {}, 2, "--offline"),
        (["search"], {}, 2, "QUESTION"),
        (["serch", "dream"], {}, 2, "serch"),
        (["ask", "What is a stone?"], {}, 1, "jung ingest"),
        (["ui", "--port", "x"], {}, 2, "--port"),
        (["ui"], {"JUNG_STORE": "shelf"}, 2, "store"),
        (["explain", "nowhere", "--page", "1"], {}, 1, "nowhere"),
        (["ingest", "nowhere"], {}, 1, "nowhere"),
        (["add", "nothing.txt"], {}, 1, "nothing.txt"),
    ],
)
def test_with_json_every_error_is_one_json_document_too(home, arguments, environment, code, says):
    done = jung(*arguments, "--json", home=home, **environment)
    assert done.returncode == code
    assert says in json.dumps(json.loads(done.stdout)) and "Traceback" not in done.stderr


def test_before_the_first_ingest_status_says_what_to_run(home):
    shown = jung("status", home=home).stdout
    assert "Index: not made yet; run `jung ingest`." in shown


def test_status_of_a_library_whose_books_are_gone_shows_it_and_how_to_get_them_back(home):
    jung("status", home=home)
    (home / "library").rename(home / "unmounted")
    done = jung("status", home=home)
    assert done.returncode == 0
    assert "gone" in done.stdout and "restore the folder; nothing was removed" in done.stdout
    (home / "library").mkdir()
    (home / "unmounted" / ".jung-library").replace(home / "library" / ".jung-library")
    done = jung("status", home=home)
    assert "Stones.txt is no longer in the library folder" in done.stdout


def test_a_wrong_catalogue_is_one_line_in_every_command(home):
    catalogue = home / "catalogue.toml"
    catalogue.write_text(catalogue.read_text(encoding="utf-8") + "year = 'long ago'\n", encoding="utf-8")
    for command in (["status"], ["ingest"], ["add", str(home / "library" / "Stones.txt")]):
        line = one_line(jung(*command, home=home))
        assert str(catalogue) in line and "year" in line and "stones" in line


def begun(*arguments: str, home: Path, **options) -> subprocess.Popen:
    """The command, as it begins to run."""
    script = "import sys; from jung_pipeline.cli.main import main; print('ready', file=sys.stderr, flush=True); main()"
    environment = {**os.environ, "JUNG_HOME": str(home)}
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )
    assert process.stderr.readline() == "ready\n"
    return process


#: Runs the command, and presses Ctrl-C in the very moment it begins to import the module named first.
STOPPED_AT = """
import signal, sys
MODULE = sys.argv.pop(1)
class CtrlC:
    def find_spec(self, name, *_):
        if name == MODULE:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, CtrlC())
from jung_pipeline.cli.main import main
main()
"""


@pytest.mark.parametrize("module", ["jung_pipeline.cli.group", "click", "rich.console", "pyarrow.parquet"])
@pytest.mark.parametrize("command", [["status"], ["search", "stones", "--json"]])
def test_ctrl_c_ends_any_command_without_a_traceback(home, command, module):
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_AT, module, *command],
        env={**os.environ, "JUNG_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr and "Stopped" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes")
@pytest.mark.parametrize("command", [["status"], ["status", "--json"]])
def test_a_reader_that_has_gone_away_is_no_error(home, command):
    reading, writing = os.pipe()
    os.close(reading)
    process = begun(*command, home=home, stdout=writing)
    os.close(writing)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (141, "")


@pytest.mark.parametrize(
    "environment", [{"COLUMNS": "40"}, {"COLUMNS": "1"}, {"NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_any_terminal_will_do(home, environment):
    done = jung("status", home=home, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout and "not made yet" in done.stdout


def test_what_a_book_brings_along_never_commands_the_terminal():
    shown = io.StringIO()
    console = SafeConsole(
        file=shown, force_terminal=True, color_system="truecolor", width=80, highlight=False
    )
    table = Table()
    for hostile in (
        "\x1b]0;owned\x07",
        "\x1b[2J",
        "\x9b31m",
        "\x1b]52;c;aGk=\x1b\\",
        "\x08\x7f",
        "\u202e",
        "\udce4",
    ):
        console.print(f"A {hostile}title", style="bold")
        table.add_row(hostile)
    console.print(table)
    text = shown.getvalue()
    for own in ("\x1b[1m", "\x1b[0m"):  # rich's own bold
        text = text.replace(own, "")
    assert text.count("title") == 7 and r"\xe4" in text
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c == "\u202e" for c in text)
    text.encode("utf-8")
