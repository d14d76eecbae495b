"""cleaned_text: paragraphs as a reader would read them; removal_ledger: what was left out or changed, and why."""

from collections.abc import Iterator

import dagster as dg
import pyarrow as pa

from jung_pipeline import stages
from jung_pipeline.defs.failing import making
from jung_pipeline.defs.metadata import column_schema, count_table, counts, markdown_table, sample
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library


@dg.multi_asset(
    partitions_def=volumes,
    outs={
        "cleaned_text": dg.AssetOut(
            io_manager_key="stage_tables",
            group_name="cleaning",
            kinds={"python", "parquet"},
            owners=["team:library"],
            description="One row per paragraph: running heads, page numbers, stamps and the matter before and after "
            "the book taken out, words mended with evidence, notes linked, chapters and printed pages known. Every "
            "character leads back to a raw line.",
        ),
        "removal_ledger": dg.AssetOut(
            io_manager_key="stage_tables",
            group_name="cleaning",
            kinds={"python", "parquet"},
            owners=["team:library"],
            description="One row per raw stretch that is not in the cleaned text as it was printed: what was removed, "
            "changed or moved, by which rule and for what reason.",
        ),
    },
)
def cleaned_text(
    context: dg.AssetExecutionContext, library: Library, raw_text: pa.Table
) -> Iterator[dg.Output[pa.Table]]:
    """Clean one volume."""
    settings, volume = library.settings(), library.volume(context.partition_key)
    text, ledger = making(
        "cleaned_text", volume, settings, lambda: stages.make_cleaned_text(volume, settings, raw_text)
    )
    kinds = counts(text.table.column("kind").to_pylist())
    chapters = list(dict.fromkeys(text.table.column("chapter").to_pylist()))
    report = text.info["report"]
    rules = counts(ledger.table.column("rule").to_pylist())
    yield dg.Output(
        text.table,
        output_name="cleaned_text",
        data_version=dg.DataVersion(text.data_version),
        metadata={
            "dagster/row_count": text.table.num_rows,
            "dagster/column_schema": column_schema(text.table),
            "characters": sum(len(value) for value in text.table.column("text").to_pylist()),
            "kinds": count_table(kinds, "kind", "paragraphs"),
            "chapters": markdown_table([{"chapter": name} for name in chapters if name][:60]),
            **{
                name: report[name]
                for name in ("words_corrected", "words_joined", "labels", "footnotes", "footnotes_linked")
            },
            "chapters_found": report["chapters"],
            "leftovers": count_table(report["leftovers"], "looks like", "times"),
            "removed_by_rule": count_table(rules, "rule", "entries"),
            "sample": sample(text.table, ["chapter", "label_first", "kind", "text"], 8),
        },
    )
    yield dg.Output(
        ledger.table,
        output_name="removal_ledger",
        data_version=dg.DataVersion(ledger.data_version),
        metadata={
            "dagster/row_count": ledger.table.num_rows,
            "dagster/column_schema": column_schema(ledger.table),
            "by_rule": count_table(rules, "rule", "entries"),
            "samples": _samples_by_rule(ledger.table),
        },
    )


def _samples_by_rule(ledger: pa.Table, each: int = 3) -> dg.MetadataValue:
    """A few entries of every rule, so that a wrong one catches the eye."""
    shown: dict[str, int] = {}
    rows = []
    for row in ledger.select(["rule", "page", "action", "before", "after", "reason"]).to_pylist():
        shown[row["rule"]] = shown.get(row["rule"], 0) + 1
        if shown[row["rule"]] <= each:
            rows.append(row)
    return markdown_table(sorted(rows, key=lambda row: row["rule"])[:90])
