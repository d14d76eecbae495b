"""The shared cases, where they are at hand: each is a promise, but for those named here as not kept yet."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jung_pipeline_tests import cases_adapter
from jung_pipeline_tests.corpus import SHARED

CASES = SHARED / "cases"
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(
        not (CASES / "cases.jsonl").exists(), reason=f"no cases beside the corpus at {SHARED}"
    ),
]

#: Cases that do not hold yet. One that begins to hold fails here until it is taken off the list.
NOT_YET: frozenset[str] = frozenset()


def _cases() -> list[dict]:
    if not (CASES / "cases.jsonl").exists():
        return []
    return [json.loads(line) for line in (CASES / "cases.jsonl").open(encoding="utf-8")]


@pytest.fixture(scope="session")
def check():
    spec = importlib.util.spec_from_file_location("check", CASES / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    folder = os.environ.get("CASES_FILES")
    if folder and Path(folder).exists():
        return Path(folder)
    folder = tmp_path_factory.mktemp("files")
    environment = {**os.environ, "CASES_FILES": str(folder)}
    subprocess.run(
        [sys.executable, str(CASES / "make_files.py")], env=environment, check=True, capture_output=True
    )
    return folder


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_case(case, check, files, request):
    if case["id"] in NOT_YET:
        request.applymarker(pytest.mark.xfail(strict=True))
    given = check.expand(case["input"]) if "input" in case else str(files / case["file"])
    started = time.monotonic()
    result = getattr(cases_adapter, case["op"])(given)
    assert check.check(case, case["expect"], result, cases_adapter, time.monotonic() - started, given) == []
