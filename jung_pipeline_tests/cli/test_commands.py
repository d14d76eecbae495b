"""The jung command as a person uses it, on the demo library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jung_pipeline.demo.questions import demo_questions


def jung(*arguments: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUNG_", "DAGSTER", "ANTHROPIC", "PINECONE"))
    }
    return subprocess.run(
        [sys.executable, "-c", "from jung_pipeline.cli.main import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**kept, "JUNG_HOME": str(home), "COLUMNS": "200", **environment},
    )


@pytest.fixture(scope="module")
def made(demo_copy):
    """The finished demo: its home, and what the command printed as JSON."""
    folder, printed = demo_copy
    return folder / "demo", printed


def test_the_demo_answers_two_questions_with_citations_and_says_no_to_the_third(made):
    _, printed = made
    first, second, third = printed["answers"]
    for answer in (first, second):
        assert answer["status"] == "ok"
        assert answer["cited"] and not answer["flags"]
        assert answer["model"] is None
        assert all(quote["verdict"] == "verbatim" for quote in answer["quotes"]) and answer["quotes"]
        assert all(source["citation"] for source in answer["sources"])
    assert [question.volume for question in demo_questions()[:2]] == [
        answer["sources"][0]["passage"]["volume"] for answer in (first, second)
    ]
    assert (third["status"], third["cited"], third["sources"]) == ("not_found", [], [])


def test_the_demo_again_makes_nothing_new(made):
    home, _ = made
    again = json.loads(jung("demo", "--json", home=home.parent).stdout)
    assert {row["status"] for row in again["ingestion"]["volumes"]} == {"fresh"}
    assert again["ingestion"]["index"] == "unchanged"


def test_status_shows_every_volume_and_every_stage(made):
    home, _ = made
    table = jung("status", home=home)
    assert table.returncode == 0, table.stderr
    assert "The Round Garden" in table.stdout and "55" not in table.stderr
    report = json.loads(jung("status", "--json", home=home).stdout)
    assert len(report["volumes"]) == 3
    for row in report["volumes"]:
        assert {state["status"] for state in row["stages"].values()} == {"fresh"}
        assert row["passages"] > 10 and row["chapters"] >= 6 and row["pages"] > 0
    one = json.loads(jung("status", "the-round-garden", "--json", home=home).stdout)["volumes"]
    assert {outcome["passed"] for outcome in one[0]["checks"] if outcome["severity"] == "error"} == {True}


def test_search_show_and_the_filters(made):
    home, _ = made
    found = json.loads(jung("search", "embroidery and the green stitch", "--json", home=home).stdout)
    best = found["hits"][0]["passage"]
    assert best["volume"] == "the-round-garden" and "stitch" in best["text"]
    shown = json.loads(jung("show", best["chunk_id"], "--context", "1", "--json", home=home).stdout)
    assert shown["passage"]["text"] == best["text"]
    assert shown["before"][-1]["chunk_id"] == best["prev_chunk_id"]
    assert "The Round Garden" in shown["citation"] and "p" in shown["citation"]
    only = json.loads(
        jung("search", "dream", "--volume", "the-shadow-at-the-door", "--json", home=home).stdout
    )
    assert {hit["passage"]["volume"] for hit in only["hits"]} == {"the-shadow-at-the-door"}


def test_strict_has_an_exit_code_of_its_own(made):
    home, _ = made
    outside = demo_questions()[2].question
    assert jung("ask", outside, "--strict", home=home).returncode == 3
    assert jung("ask", outside, home=home).returncode == 0
    assert jung("ask", demo_questions()[0].question, "--strict", home=home).returncode == 0


def test_the_seed_policy_answers_everything_as_it_was_written(made):
    home, _ = made
    found = json.loads(
        jung("search", demo_questions()[2].question, "--policy", "seed", "--json", home=home).stdout
    )
    assert (found["policy"], found["status"], len(found["kept"])) == ("seed", "ok", 3)


@pytest.mark.parametrize(
    ("arguments", "says", "code"),
    [
        (("show", "no-such#passage"), "no-such#passage", 2),
        (("ask", "  "), "", 2),
        (("status", "nowhere"), "nowhere", 1),
        (("add", "nothing.epub"), "nothing.epub", 1),
        (("search", "dream", "--policy", "sead"), "sead", 2),
        (("ingest", "nowhere"), "nowhere", 1),
    ],
)
def test_what_goes_wrong_is_one_line_with_the_remedy(made, arguments, says, code):
    home, _ = made
    done = jung(*arguments, home=home)
    assert done.returncode == code
    assert says in done.stderr and "Traceback" not in done.stderr
    if arguments[0] != "search":
        assert len(done.stderr.strip().splitlines()) == 1


def test_an_empty_library_says_what_to_do(tmp_path):
    done = jung("ingest", home=tmp_path)
    assert done.returncode == 2 and "jung add" in done.stderr
    for arguments in (("status",), ("status", "--json")):  # how it stands can always be told
        done = jung(*arguments, home=tmp_path)
        assert done.returncode == 0
    assert "jung add" in jung("status", home=tmp_path).stdout
    done = jung("ask", "What is the shadow?", home=tmp_path)
    assert done.returncode == 1 and "jung ingest" in done.stderr


def test_doctor_tells_what_is_there_and_never_a_secret(made):
    home, _ = made
    done = jung(
        "doctor",
        "--json",
        "--offline",
        home=home,
        ANTHROPIC_API_KEY="sk-very-secret",
        PINECONE_API_KEY="pc-very-secret",
    )
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 0
    assert findings["embedder"]["level"] == findings["index"]["level"] == findings["library"]["level"] == "ok"
    assert "very-secret" not in done.stdout + done.stderr
    broken = jung("doctor", "--json", "--offline", home=home, JUNG_STORE="pinecone")
    assert broken.returncode == 1 and "PINECONE_API_KEY" in broken.stdout


def test_an_index_of_another_model_is_refused_with_both_names(made):
    home, _ = made
    done = jung(
        "search", "dream", home=home, JUNG_EMBEDDER="pinecone-multilingual-e5-large", PINECONE_API_KEY="x"
    )
    assert done.returncode == 1
    assert "multilingual-e5-small" in done.stderr and "multilingual-e5-large" in done.stderr


def test_a_wrong_catalogue_keeps_nobody_from_asking_but_is_told(made):
    home, _ = made
    catalogue = home / "catalogue.toml"
    before = catalogue.read_text(encoding="utf-8")
    catalogue.write_text(before + 'year = "long ago"\n', encoding="utf-8")
    try:
        done = jung("ask", demo_questions()[0].question, "--json", home=home)
    finally:
        catalogue.write_text(before, encoding="utf-8")
    assert done.returncode == 0 and json.loads(done.stdout)["status"] == "ok"
    assert str(catalogue) in done.stderr and "long ago" in done.stderr and "citations" in done.stderr


def test_adding_shows_the_entry_and_the_file_is_in_the_library(made, tmp_path):
    home, _ = made
    book = next((home / "books").glob("*.epub"))
    done = json.loads(jung("add", str(book), "--json", home=tmp_path).stdout)
    entry = done["files"][0]["volume"]
    assert (entry["title"], entry["language"]) == ("The Shadow at the Door", "en")
    assert (tmp_path / "library" / entry["file"]).read_bytes() == book.read_bytes()
    shown = jung("add", str(book), home=tmp_path).stdout
    assert "unchanged" in shown and "The Shadow at the Door" in shown


def test_the_entry_stands_to_the_left_however_long_its_key(tmp_path):
    book = tmp_path / ("a-very-long-name-" * 4 + ".txt")
    title = "On Ferries and the Men Who Keep Them Upon the Greater Rivers"
    book.write_text(f"Title: {title}\nAuthor: A. N. Other\n\nOne boat.\n")
    shown = jung("add", str(book), home=tmp_path / "home", COLUMNS="80").stdout.splitlines()
    assert shown[0].startswith("a-very-long-name") and shown[0].endswith("added")
    assert [line.split()[0] for line in shown[1:3]] == ["title", "author"]
    assert title in shown[1] and shown[1].index("On") == shown[2].index("A. N.") < 20


def test_ui_starts_dagster_on_the_instance_that_ingest_writes_to(made):
    home, _ = made
    planned = json.loads(jung("ui", "--json", "--port", "3999", home=home).stdout)
    assert planned["dagster_home"] == str(home / "dagster")
    assert {"dev", "3999"} <= set(planned["command"])


def test_help_teaches():
    done = jung("--help", home=Path("nowhere"))
    for command in ("add", "ingest", "status", "ask", "search", "show", "ui", "demo", "doctor"):
        assert f"  {command}" in done.stdout
