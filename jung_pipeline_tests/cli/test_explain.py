"""`jung explain`: a page as the file has it, and what became of it."""

from __future__ import annotations

import json

import pytest

from jung_pipeline import tables
from jung_pipeline.clean.explain import explain_page
from jung_pipeline.clean.explain_entries import explain_entry, explain_rule, summarise_rules
from jung_pipeline.clean.keep import keep_of
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


def made():
    raw = raw_text_from_pages(pages()).lines
    cleaned = clean_pages(*pages())
    return raw, cleaned.paragraphs, cleaned.ledger


def test_all_that_a_rule_did_is_listed_in_order_a_page_at_a_time():
    first, total = explain_rule(*made(), "running_head", count=3)
    assert total == len(pages()) and [entry.page for entry in first] == [1, 2, 3]
    rest, _ = explain_rule(*made(), "running_head", first=4, count=100)
    assert [entry.page for entry in [*first, *rest]] == list(range(1, total + 1))
    none, _ = explain_rule(*made(), "running_head", first=total + 1)
    assert none == []


def test_an_entry_shows_what_stood_there_what_stands_there_now_and_how_to_have_it_back():
    raw, cleaned, ledger = made()
    row = next(row for row in ledger.to_pylist() if row["rule"] == "running_head" and row["page"] == 3)
    entry = explain_entry(raw, cleaned, ledger, row["entry"])
    assert entry.line[entry.start : entry.end] == entry.before == row["before"]
    assert any("more or less than that" in line for line in entry.lines_before)
    before, after = entry.cleaned.split("⟦⟧")
    assert before.rstrip().endswith("than that.") or before in ("", "…")
    assert "43" in entry.labels and entry.paragraph is not None and after is not None
    keep = keep_of({"keep": [entry.restore]}, "a-volume")
    assert keep.holds("running_head", 3) and not keep.holds("running_head", 4)


def test_a_changed_word_stands_in_brackets_in_the_cleaned_text():
    raw = raw_text_from_pages([f"{PROSE.format(n='seven')}The ﬁre was lit.\n"]).lines
    cleaned = clean_pages(f"{PROSE.format(n='seven')}The ﬁre was lit.\n")
    [entry], _ = explain_rule(raw, cleaned.paragraphs, cleaned.ledger, "ligature")
    assert (entry.action, entry.before, entry.after) == ("changed", "ﬁ", "fi")
    assert "The ⟦fi⟧re was lit." in entry.cleaned


def test_rules_that_did_nothing_and_entries_there_are_not_are_refused():
    for wrong, says in (("no_rule", "no rule"), ("stamp", "did nothing")):
        with pytest.raises(UsageError, match=says):
            explain_rule(*made(), wrong)
    with pytest.raises(UsageError, match="no entry 99999"):
        explain_entry(*made(), 99999)


def test_the_summary_counts_every_entry_once():
    _, _, ledger = made()
    summaries = summarise_rules(ledger)
    assert sum(s.removed + s.changed + s.moved for s in summaries) == ledger.num_rows
    assert sum(s.characters for s in summaries) == sum(len(b) for b in ledger.column("before").to_pylist())
    assert all(summary.reason for summary in summaries)


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


def test_the_command_lists_rules_entries_and_the_way_back(demo_home):
    volume = next(iter(Home(demo_home).catalogue())).key
    rules = json.loads(jung("explain", volume, "--json", home=demo_home).stdout)["rules"]
    rule = next(r["rule"] for r in rules if r["rule"] not in ("white_space", "licence") and r["removed"])
    listed = json.loads(jung("explain", volume, "--rule", rule, "--json", home=demo_home).stdout)
    assert listed["total"] >= len(listed["entries"]) > 0
    number = str(listed["entries"][0]["entry"])
    shown = jung("explain", volume, "--entry", number, home=demo_home)
    assert shown.returncode == 0, shown.stderr
    assert "removed" in shown.stdout and "⟦" in shown.stdout
    assert f'keep = ["{listed["entries"][0]["restore"]}"]' in shown.stdout
    assert rule in jung("explain", volume, home=demo_home).stdout
    both = jung("explain", volume, "--page", "1", "--rule", rule, home=demo_home)
    assert both.returncode == 2 and "Name one of" in both.stderr


def test_status_shows_the_quality_card_to_people_and_to_programs(demo_home):
    keys = [volume.key for volume in Home(demo_home).catalogue()]
    table = jung("status", "--quality", home=demo_home)
    assert table.returncode == 0 and all(key in table.stdout for key in keys)
    one = jung("status", "--quality", keys[1], home=demo_home)
    assert "printed page numbers" in one.stdout and "jung explain" in one.stdout
    printed = json.loads(jung("status", "--quality", "--json", home=demo_home).stdout)["volumes"]
    assert [row["volume"] for row in printed] == keys
    assert all(row["card"]["chapters"] >= 6 and row["card"]["words"] > 1000 for row in printed)
    assert jung("status", "--quality", "no-such-volume", home=demo_home).returncode == 1
