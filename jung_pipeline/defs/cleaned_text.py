"""cleaned_text: paragraphs as a reader would read them; removal_ledger: what was left out or changed, and why."""

from collections.abc import Iterator

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc

from jung_pipeline import stages
from jung_pipeline.defs.failing import making
from jung_pipeline.defs.metadata import (
    card_metadata,
    column_schema,
    count_table,
    counts,
    markdown_table,
    sample,
)
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library
from jung_pipeline.quality.card import quality_card


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
    rules = counts(ledger.table.column("rule").to_pylist())
    yield dg.Output(
        text.table,
        output_name="cleaned_text",
        data_version=dg.DataVersion(text.data_version),
        metadata={
            "dagster/row_count": text.table.num_rows,
            "dagster/column_schema": column_schema("cleaned_text", text.table),
            "characters": sum(len(value) for value in text.table.column("text").to_pylist()),
            "kinds": count_table(kinds, "kind", "paragraphs"),
            "chapters": markdown_table([{"chapter": name} for name in chapters if name][:60]),
            **card_metadata(quality_card(raw_text, text.table, ledger.table), context.instance),
            "sample": sample(text.table, ["chapter", "label_first", "kind", "text"], 8),
        },
    )
    yield dg.Output(
        ledger.table,
        output_name="removal_ledger",
        data_version=dg.DataVersion(ledger.data_version),
        metadata={
            "dagster/row_count": ledger.table.num_rows,
            "dagster/column_schema": column_schema("removal_ledger", ledger.table),
            "by_rule": count_table(rules, "rule", "entries"),
            "samples": _samples_by_rule(raw_text, ledger.table),
            "restore": "jung explain " + volume.key + " --rule NAME",
        },
    )


def _samples_by_rule(raw_text: pa.Table, ledger: pa.Table, each: int = 3) -> dg.MetadataValue:
    """A few entries of every rule in their line, spread over the volume, so that a wrong one catches the eye."""
    lines = raw_text.column("text")
    rows: list[dict[str, object]] = []
    for rule in sorted(pc.unique(ledger["rule"]).to_pylist()):
        of_rule = ledger.filter(pc.equal(ledger["rule"], rule))
        step = max(1, of_rule.num_rows // each)
        for entry in of_rule.take(list(range(0, of_rule.num_rows, step))[:each]).to_pylist():
            line = lines[entry["line_id"]].as_py()
            start, end = entry["raw_start"], entry["raw_end"]
            rows.append(
                {
                    "rule": rule,
                    "page": entry["page"],
                    "in its line": f"{line[max(0, start - 40) : start]}⟦{entry['before']}⟧{line[end : end + 40]}",
                    "after": entry["after"],
                    "reason": entry["reason"],
                    "entry": entry["entry"],
                }
            )
    return markdown_table(rows)
