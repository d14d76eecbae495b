"""The docs say what is true: every column and every command is in them, and no local link is dead."""

from __future__ import annotations

from pathlib import Path

import pytest
import regex

from jung_pipeline import schemas
from jung_pipeline.columns import COLUMNS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize(
    ("heading", "schema"),
    [
        ("raw_text", schemas.RAW_TEXT),
        ("cleaned_text", schemas.CLEANED_TEXT),
        ("removal_ledger", schemas.REMOVAL_LEDGER),
        ("chunks", schemas.CHUNKS),
        ("embeddings", schemas.embeddings_schema(2)),
    ],
)
def test_every_column_is_described_and_no_other(heading, schema):
    page = (ROOT / "docs" / "columns.md").read_text(encoding="utf-8")
    section = page.split(f"## {heading}", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    described = {name: row[-1].strip() for row in rows for name in regex.findall(r"`(\w+)`", row[0])}
    assert list(described) == schema.names
    assert described == COLUMNS[heading], "columns.py says the same, word for word"


def test_every_command_is_in_the_readme():
    from jung_pipeline.cli.group import jung

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in jung.commands:
        assert f"jung {name}" in readme, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_local_links_lead_somewhere(page):
    for target in regex.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
