"""Asset checks: every promise in ``quality/promises.py``, as thin wrappers over the rules beside it.

Errors block what comes after; warnings do not. What a check said is remembered beside the tables too, so
that ``jung status`` can tell it without Dagster.
"""

from collections.abc import Iterator, Sequence

import dagster as dg
import pyarrow as pa

from jung_pipeline import publishing, tables
from jung_pipeline.defs.metadata import markdown_table, outcome_metadata
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library
from jung_pipeline.errors import JungError
from jung_pipeline.quality import card_rules, chunk_rules, embedding_rules, index_rules, text_rules
from jung_pipeline.quality.card import quality_card
from jung_pipeline.quality.outcome import CheckOutcome
from jung_pipeline.quality.promises import promises
from jung_pipeline.quality.record import write_outcomes
from jung_pipeline.stages import STAGES, index_spec


def specs(asset: str, *reads: str) -> list[dg.AssetCheckSpec]:
    """A check for every promise of ``asset``; ``reads`` are the other assets its rules look at.

    Only what is an error blocks: a warning that were declared as blocking would hold back automation for good.
    """
    return [
        dg.AssetCheckSpec(
            promise.name,
            asset=asset,
            description=promise.description,
            partitions_def=volumes if asset in STAGES else None,
            additional_deps=list(reads),
            blocking=promise.severity == "error",
            metadata={"severity": promise.severity},
        )
        for promise in promises(asset)
    ]


def _report(
    context: dg.AssetCheckExecutionContext,
    library: Library,
    asset: str,
    table: pa.Table,
    outcomes: Sequence[CheckOutcome],
) -> Iterator[dg.AssetCheckResult]:
    """Remember the outcomes and hand the selected ones to Dagster."""
    volume = context.partition_key
    write_outcomes(
        library.settings().paths.checks(asset, volume),
        tables.info_of(table).get("data_version", ""),
        outcomes,
    )
    for outcome in outcomes:
        if dg.AssetCheckKey(dg.AssetKey(asset), outcome.name) in context.selected_asset_check_keys:
            severity = (
                dg.AssetCheckSeverity.ERROR if outcome.severity == "error" else dg.AssetCheckSeverity.WARN
            )
            yield dg.AssetCheckResult(
                asset_key=asset,
                check_name=outcome.name,
                passed=outcome.passed,
                severity=severity,
                description=outcome.description,
                metadata=outcome_metadata(outcome, volume),
            )


@dg.multi_asset_check(specs=specs("raw_text"), can_subset=True)
def raw_text_checks(
    context: dg.AssetCheckExecutionContext, library: Library, raw_text: pa.Table
) -> Iterator[dg.AssetCheckResult]:
    """What extraction promises."""
    yield from _report(context, library, "raw_text", raw_text, text_rules.check_raw_text(raw_text))


@dg.multi_asset_check(
    specs=specs("cleaned_text", "raw_text", "removal_ledger"),
    can_subset=True,
)
def cleaned_text_checks(
    context: dg.AssetCheckExecutionContext,
    library: Library,
    cleaned_text: pa.Table,
    raw_text: pa.Table,
    removal_ledger: pa.Table,
) -> Iterator[dg.AssetCheckResult]:
    """What cleaning promises."""
    outcomes = text_rules.check_cleaned_text(raw_text, cleaned_text, removal_ledger)
    outcomes += card_rules.check_card(quality_card(raw_text, cleaned_text, removal_ledger))
    yield from _report(context, library, "cleaned_text", cleaned_text, outcomes)


@dg.multi_asset_check(
    specs=specs("chunks", "cleaned_text"),
    can_subset=True,
)
def chunk_checks(
    context: dg.AssetCheckExecutionContext, library: Library, chunks: pa.Table, cleaned_text: pa.Table
) -> Iterator[dg.AssetCheckResult]:
    """What chunking promises."""
    from jung_pipeline.chunk.chunker import Limits

    limits = library.settings().chunk
    outcomes = chunk_rules.check_chunks(
        chunks,
        cleaned_text,
        Limits(limits.target, limits.max, limits.min),
        tables.info_of(chunks)["embedder_limit"],
    )
    yield from _report(context, library, "chunks", chunks, outcomes)


@dg.multi_asset_check(
    specs=specs("embeddings", "chunks"),
    can_subset=True,
)
def embedding_checks(
    context: dg.AssetCheckExecutionContext, library: Library, embeddings: pa.Table, chunks: pa.Table
) -> Iterator[dg.AssetCheckResult]:
    """What embedding promises."""
    outcomes = embedding_rules.check_embeddings(embeddings, chunks, index_spec(library.settings()))
    yield from _report(context, library, "embeddings", embeddings, outcomes)


@dg.multi_asset_check(
    specs=specs("vector_index", "chunks"),
    can_subset=True,
)
def vector_index_checks(
    context: dg.AssetCheckExecutionContext, library: Library, vector_index: pa.Table, chunks: pa.Table
) -> Iterator[dg.AssetCheckResult]:
    """What the upsert promises: one vector for every chunk, and none besides."""
    from jung_pipeline.index.registry import open_index

    settings = library.settings()
    index = open_index(settings, index_spec(settings))
    outcomes = index_rules.check_vector_index(index, context.partition_key, chunks)
    yield from _report(context, library, "vector_index", vector_index, outcomes)


@dg.multi_asset_check(specs=[spec for spec in specs("index_manifest") if spec.name == "index_is_up_to_date"])
def index_freshness(library: Library) -> Iterator[dg.AssetCheckResult]:
    """Whether readers see what the library would give now."""
    settings = library.settings()
    promise = next(one for one in promises("index_manifest") if one.name == "index_is_up_to_date")
    try:
        late = publishing.late_volumes(settings)
    except JungError as error:  # the folder is not there, or there is no index yet
        late = [{"volume": "", "why": str(error)}]
    yield dg.AssetCheckResult(
        asset_key="index_manifest",
        check_name=promise.name,
        passed=not late,
        severity=dg.AssetCheckSeverity.WARN,
        description=promise.description,
        metadata={
            "late": markdown_table(late),
            "version": str(publishing.summary(settings)["version"]),
            **({"look_closer": "jung status"} if late else {}),
        },
    )


ALL = [
    raw_text_checks,
    cleaned_text_checks,
    chunk_checks,
    embedding_checks,
    vector_index_checks,
    index_freshness,
]
