"""vector_index: the upsert of one volume into the store."""

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
    group_name="indexing",
    kinds={"python", "arrow"},
    owners=["team:library"],
    pool="index_writer",
    retry_policy=HEALABLE,
    description="The volume's vectors in the store (an immutable segment, or its vectors in the Pinecone namespace): "
    "created before anything is deleted, old ones deleted by their ids.",
)
def vector_index(
    context: dg.AssetExecutionContext, library: Library, chunks: pa.Table, embeddings: pa.Table
) -> dg.Output[pa.Table]:
    """Bring one volume in the store up to date."""
    settings, volume = library.settings(), library.volume(context.partition_key)
    made = making(
        "vector_index",
        volume,
        settings,
        lambda: stages.make_vector_index(volume, settings, chunks, embeddings),
    )
    return dg.Output(
        made.table,
        data_version=dg.DataVersion(made.data_version),
        metadata={
            "dagster/row_count": made.info["count"],
            "dagster/column_schema": column_schema("vector_index", made.table),
            "store": made.info["store"],
            **made.table.select(["added", "kept", "updated", "removed"]).to_pylist()[0],
        },
    )
