"""embeddings: a vector for every passage, through the cache."""

import dagster as dg
import pyarrow as pa

from jung_pipeline import stages
from jung_pipeline.defs.failing import HEALABLE, making
from jung_pipeline.defs.metadata import column_schema
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library


@dg.asset(
    partitions_def=volumes,
    io_manager_key="stage_tables",
    group_name="embedding",
    kinds={"python", "onnx", "parquet"},
    owners=["team:library"],
    pool="embedder",
    retry_policy=HEALABLE,
    description="One row per distinct text embedded, under the model of the settings. A cache: a text embedded before "
    "is never embedded again, and a run that was broken off goes on where it stopped.",
)
def embeddings(context: dg.AssetExecutionContext, library: Library, chunks: pa.Table) -> dg.Output[pa.Table]:
    """Embed one volume's passages."""
    settings, volume = library.settings(), library.volume(context.partition_key)
    made = making("embeddings", volume, settings, lambda: stages.make_embeddings(volume, settings, chunks))
    # About: the passages that were embedded now are as long as the volume's others.
    total = sum(chunks.column("embedder_tokens").to_pylist())
    tokens = round(total * made.info["embedded"] / max(1, made.info["embedded"] + made.info["reused"]))
    is_paid = settings.embedder.startswith("pinecone-")
    dollars = tokens * settings.prices.embedding_tokens_per_million / 1e6 if is_paid else 0.0
    return dg.Output(
        made.table,
        data_version=dg.DataVersion(made.data_version),
        metadata={
            "dagster/row_count": made.table.num_rows,
            "dagster/column_schema": column_schema("embeddings", made.table),
            "model": made.info["model"],
            "embedded_now": made.info["embedded"],
            "from_the_cache": made.info["reused"],
            "tokens_embedded": tokens,
            "dollars": dollars,
        },
    )
