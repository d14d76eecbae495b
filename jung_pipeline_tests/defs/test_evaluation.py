"""The evaluation as an asset: on the owner's questions where there are any, else on the calibration's probes."""

from __future__ import annotations

import json

import dagster as dg

from jung_pipeline.definitions import build_definitions
from jung_pipeline.defs.instance import open_instance
from jung_pipeline.defs.running import Ingestion
from jung_pipeline_tests.small_books import put_epub


def evaluate(library):
    """One run of the job; its metadata and its checks."""
    with open_instance(library) as instance:
        job = build_definitions(library.home).resolve_job_def("evaluate_index")
        result = job.execute_in_process(instance=instance, raise_on_error=False)
    events = result.all_events
    checks = {
        e.asset_check_evaluation_data.check_name: e.asset_check_evaluation_data
        for e in events
        if e.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION
    }
    made = [e.materialization.metadata for e in events if e.is_step_materialization]
    return result.success, made[0] if made else {}, checks


def test_golden_questions_in_the_library_folder_are_asked_and_compared(library):
    put_epub(library.paths.library, "north")
    assert not evaluate(library)[0], "there is no index yet"
    list(Ingestion(library).run())
    succeeded, metadata, checks = evaluate(library)
    assert succeeded and metadata["questions_from"].value == "probes"
    assert len(checks) == 3
    golden = library.home / "golden"
    golden.mkdir()
    span = "The keeper of the north tower counted the stones every night and wrote their number on the wall"
    question = {
        "id": "q1",
        "question": "What did the keeper of the north tower count every night?",
        "language": "en",
        "kind": "factual",
        "answers": [{"group": 1, "book": "The Book of the North", "span": span}],
    }
    (golden / "questions.jsonl").write_text(json.dumps(question), encoding="utf-8")
    _, metadata, checks = evaluate(library)
    assert metadata["questions_from"].value == "golden"
    assert metadata["recall@6"].value == 1.0
    assert checks["retrieval_has_not_become_worse"].passed
    question["answers"][0]["span"] = "words that stand nowhere in any of these books as far as anybody knows"
    (golden / "questions.jsonl").write_text(json.dumps(question), encoding="utf-8")
    succeeded, metadata, checks = evaluate(library)
    assert succeeded and metadata["recall@6"].value == 0.0
    worse = checks["retrieval_has_not_become_worse"]
    assert not worse.passed and worse.severity == dg.AssetCheckSeverity.WARN
