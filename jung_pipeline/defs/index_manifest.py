"""index_manifest: the version of the index that readers see."""

from dataclasses import asdict

import dagster as dg

from jung_pipeline import publishing
from jung_pipeline.defs.checks import specs
from jung_pipeline.defs.failing import HEALABLE, as_failure
from jung_pipeline.defs.metadata import markdown_table
from jung_pipeline.defs.plots import calibration_plot, embedding_cost_plot
from jung_pipeline.defs.resources import Library
from jung_pipeline.defs.vector_index import vector_index


@dg.asset(
    deps=[vector_index],
    group_name="indexing",
    kinds={"python", "tantivy"},
    owners=["team:library"],
    pool="index_writer",
    description="All current volumes composed into one immutable version (a failed volume keeps its last good one), "
    "with the lexical index and the calibration; audited against the chunk tables, then made current in one step.",
    retry_policy=HEALABLE,
    check_specs=[spec for spec in specs("index_manifest") if spec.name == "index_agrees_with_the_chunks"],
)
def index_manifest(context: dg.AssetExecutionContext, library: Library) -> dg.MaterializeResult:
    """Publish the index."""
    settings = library.settings()
    with as_failure():
        published = publishing.publish(settings)
    manifest = published.manifest
    return dg.MaterializeResult(
        data_version=dg.DataVersion(manifest.composition),
        metadata={
            "version": manifest.version,
            "changed": published.changed,
            "dagster/row_count": manifest.passages,
            "volumes": markdown_table(
                [{"volume": key, **asdict(entry)} for key, entry in manifest.volumes.items()]
            ),
            "not_in_it_yet": ", ".join(manifest.missing) or "none",
            "model": manifest.spec.model,
            "store": manifest.store["kind"],
            "calibration": markdown_table([manifest.calibration.get("probes", {})]),
            "calibration_curves": calibration_plot(context.instance, manifest.calibration),
            "tokens_by_run": embedding_cost_plot(context.instance, settings),
        },
        check_results=[
            # A version that fails its audit is never made: publish raises, and the version before stays live.
            dg.AssetCheckResult(
                check_name="index_agrees_with_the_chunks",
                passed=manifest.audit["passed"],
                metadata={
                    "audit": markdown_table(manifest.audit["volumes"], ["volume", "vectors", "problem_count"])
                },
            )
        ],
    )
