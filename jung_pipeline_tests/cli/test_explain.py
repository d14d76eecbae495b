"""`jung explain`: a page as the file has it, and what became of it."""

from __future__ import annotations

import json

import pytest

from jung_pipeline import tables
from jung_pipeline.clean.explain import explain_page
from jung_pipeline.errors import UsageError
from jung_pipeline.extract.plain_text import raw_text_from_pages
from jung_pipeline.library import Home
from jung_pipeline_tests.clean.helpers import clean_pages
from jung_pipeline_tests.cli.test_commands import jung

PROSE = (
    "The keeper of the lake went down to the water every morning and counted the stones, and his wife\n"
    "wrote the number on the door, where the rain had washed away the number of the day before; {n} it\n"
    "was on most days, and nobody in the village could say why it was never more or less than that.\n"
)


def pages() -> list[str]:
    numbers = ["seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen"]
    return [f"{41 + at}  THE KEEPER OF STONES\n\n{PROSE.format(n=name)}" for at, name in enumerate(numbers)]


def explained(**which):
    raw = raw_text_from_pages(pages()).lines
    cleaned = clean_pages(*pages())
    return explain_page(raw, cleaned.paragraphs, cleaned.ledger, **which)


def test_a_page_by_its_printed_number_is_the_page_by_its_position():
    by_label, by_position = explained(label="43"), explained(page=3)
    assert by_label == by_position
    assert (by_label.pages, by_label.labels) == ([3], ["43"])
    assert any("nine it" in line.text for line in by_label.lines)


def test_every_line_says_where_it_went_or_why_not():
    page = explained(page=3)
    head = next(line for line in page.lines if "KEEPER" in line.text)
    assert head.paragraphs == [] and [change.rule for change in head.changes] == ["running_head"]
    assert head.changes[0].before == head.text and head.changes[0].reason
    for line in page.lines:
        assert line.paragraphs or line.changes or not line.text.strip()
    numbers = {number for line in page.lines for number in line.paragraphs}
    assert numbers == {paragraph.paragraph for paragraph in page.paragraphs}


@pytest.mark.parametrize(
    ("which", "says"),
    [
        ({"page": 99}, "8 pages"),
        ({"label": "7"}, "41 to 48"),
        ({}, "Name one page"),
        ({"page": 1, "label": "41"}, "Name one page"),
    ],
)
def test_a_page_that_is_not_there_is_refused_with_what_is(which, says):
    with pytest.raises(UsageError, match=says):
        explained(**which)


@pytest.fixture(scope="module")
def demo_home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    assert jung("demo", "--json", home=folder).returncode == 0
    return folder / "demo"


def test_the_command_shows_a_page_to_people_and_to_programs(demo_home):
    home = Home(demo_home)
    for volume in home.catalogue():
        ledger = tables.read_table(home.table("removal_ledger", volume.key)).to_pylist()
        entry = next(entry for entry in ledger if entry["rule"] not in ("white_space", "licence"))
        page = str(entry["page"])
        shown = jung("explain", volume.key, "--page", page, home=demo_home)
        assert shown.returncode == 0, shown.stderr
        assert entry["rule"] in shown.stdout
        printed = json.loads(jung("explain", volume.key, "--page", page, "--json", home=demo_home).stdout)
        changes = [change for line in printed["lines"] for change in line["changes"]]
        assert {"rule": entry["rule"], "before": entry["before"]}.items() <= next(
            change for change in changes if change["rule"] == entry["rule"]
        ).items()
    unknown = jung("explain", "no-such-volume", "--page", "1", home=demo_home)
    assert unknown.returncode != 0 and "no-such-volume" in unknown.stderr
