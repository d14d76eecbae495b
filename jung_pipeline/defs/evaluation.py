"""evaluation: how well the live index finds and refuses, measured on the owner's questions or on probes."""

import dagster as dg

from jung_pipeline.defs.checks import specs
from jung_pipeline.defs.failing import HEALABLE, as_failure
from jung_pipeline.defs.index_manifest import index_manifest
from jung_pipeline.defs.metadata import markdown_table
from jung_pipeline.defs.plots import evaluation_plot
from jung_pipeline.defs.resources import Library
from jung_pipeline.evaluation import record
from jung_pipeline.quality.promises import promise

#: What a figure may be at most before its check warns: one in twenty, the operating point of the calibration.
_AT_MOST = 0.05
#: How much recall may fall from one evaluation to the next: less is noise of a few questions.
_MAY_FALL = 0.03


@dg.asset(
    deps=[index_manifest],
    group_name="evaluation",
    kinds={"python"},
    owners=["team:library"],
    description="Asks the live index the golden questions in `golden/` of the library folder (or where the setting "
    "`golden` leads; see docs/evaluation.md): recall, refusals, quotations, latency. Without any, the figures of the "
    "calibration's own probes. Asks no language model.",
    retry_policy=HEALABLE,
    check_specs=specs("evaluation"),
)
def evaluation(context: dg.AssetExecutionContext, library: Library) -> dg.MaterializeResult:
    """Evaluate the live index."""
    from jung_pipeline.evaluation.run import golden_folder, run

    settings = library.settings()
    with as_failure():
        done = run(settings, golden_folder(settings))
    report = done.report
    numbers = {name: value for name, value in report.items() if isinstance(value, int | float)}
    tables = {
        name: markdown_table([{"": key, **row} for key, row in report[name].items()])
        for name in ("by_kind", "by_language", "ablations", "quote_accuracy_by_verdict")
        if report.get(name)
    }
    return dg.MaterializeResult(
        # Numbers on their own: the UI draws each over the runs.
        metadata={
            "questions_from": done.golden,
            "over_time": evaluation_plot(context.instance, record.history(settings.home, done.golden)),
            **numbers,
            **tables,
            "latency_ms": markdown_table([report["latency_ms"]] if report.get("latency_ms") else []),
            "changes_since_the_last_run": markdown_table(
                [{"figure": name, "change": change} for name, change in done.changes.items()]
            ),
            "books_not_in_the_library": ", ".join(report.get("missing_books", ())) or "none",
        },
        check_results=[
            _result("off_topic_questions_are_refused", report.get("false_answer_rate"), _AT_MOST),
            _result("answerable_questions_are_answered", report.get("false_refusal_rate"), _AT_MOST),
            _result("retrieval_has_not_become_worse", -done.changes.get("recall@6", 0.0), _MAY_FALL),
        ],
    )


def _result(name: str, figure: float | None, limit: float) -> dg.AssetCheckResult:
    """A figure that was not measured breaks no promise; it says so."""
    return dg.AssetCheckResult(
        check_name=name,
        passed=figure is None or figure <= limit,
        severity=dg.AssetCheckSeverity.WARN,
        description=promise(name).description,
        metadata={
            "figure": "not measured" if figure is None else round(figure, 4),
            "limit": limit,
            "look_closer": "jung eval",
        },
    )
