"""Dagster's own files: what is wrong with them is said in a sentence, and nothing of the library is at stake."""

from __future__ import annotations

import shutil

import pytest

from jung_pipeline.defs.instance import dagster_home, open_instance
from jung_pipeline.errors import SettingsError, StageError


def use(library):
    with open_instance(library) as instance:
        instance.add_dynamic_partitions("volumes", ["north"])
        return instance.get_dynamic_partitions("volumes"), instance.get_runs()


@pytest.mark.parametrize("name", ["history/runs.db", "history/runs/index.db", "schedules/schedules.db"])
def test_damaged_records_are_named_with_the_remedy_and_the_remedy_helps(library, name):
    assert use(library) == (["north"], [])
    home = dagster_home(library)
    (home / name).write_bytes(b"no database " * 400)
    with pytest.raises(StageError, match="move that folder away") as caught:
        use(library)
    assert str(home) in str(caught.value)
    shutil.move(home, home.with_name("moved"))
    assert use(library) == (["north"], [])


@pytest.mark.parametrize("wrong", ["concurrency: [\n", "no_such_setting: 1\n", "telemetry:\n  enabled: 7\n"])
def test_a_wrong_dagster_yaml_is_named_in_one_line(library, wrong):
    home = dagster_home(library)
    (home / "dagster.yaml").write_text(wrong, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"dagster\.yaml") as caught:
        use(library)
    assert len(str(caught.value)) < 500 and "\n" not in str(caught.value)
