"""chunks: the passages of a volume."""

import dagster as dg
import pyarrow as pa

from jung_pipeline import stages
from jung_pipeline.defs.failing import making
from jung_pipeline.defs.metadata import column_schema, count_table, counts, sample
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library
from jung_pipeline.defs.sources import CATALOGUE_ENTRY


@dg.asset(
    deps=[CATALOGUE_ENTRY],
    partitions_def=volumes,
    io_manager_key="stage_tables",
    group_name="chunking",
    kinds={"python", "parquet"},
    owners=["team:library"],
    description="One row per passage: ends at a sentence end, about 400 tokens, never more than 600 nor than the "
    "embedder reads, never over a chapter; with its place in the book, its concepts and its neighbours.",
)
def chunks(
    context: dg.AssetExecutionContext, library: Library, cleaned_text: pa.Table
) -> dg.Output[pa.Table]:
    """Cut one volume into passages."""
    settings, volume = library.settings(), library.volume(context.partition_key)
    made = making("chunks", volume, settings, lambda: stages.make_chunks(volume, settings, cleaned_text))
    tokens = made.table.column("cl100k_tokens").to_pylist()
    concepts = counts(name for row in made.table.column("concepts").to_pylist() for name in row)
    return dg.Output(
        made.table,
        data_version=dg.DataVersion(made.data_version),
        metadata={
            "dagster/row_count": made.table.num_rows,
            "dagster/column_schema": column_schema("chunks", made.table),
            "tokens": sum(tokens),
            "mean_tokens": round(sum(tokens) / max(1, len(tokens)), 1),
            "longest_tokens": max(tokens, default=0),
            "longest_embedder_tokens": max(made.table.column("embedder_tokens").to_pylist(), default=0),
            "kinds": count_table(counts(made.table.column("kind").to_pylist()), "kind", "passages"),
            "concepts": count_table(dict(list(concepts.items())[:25]), "concept", "passages"),
            "sample": sample(made.table, ["chunk_id", "chapter", "label_first", "cl100k_tokens", "text"], 6),
        },
    )
