"""Jobs: bring a volume up to date, publish the index, evaluate it."""

import dagster as dg

#: Every stage of one volume with its checks: one run a volume, so that one bad volume stops no other.
ingest_volume = dg.define_asset_job(
    "ingest_volume",
    selection=dg.AssetSelection.assets(
        "raw_text", "cleaned_text", "removal_ledger", "chunks", "embeddings", "vector_index"
    ),
    description="From the book file to its vectors, one volume.",
)

#: The volumes that stand, as the version that readers see.
publish_index = dg.define_asset_job(
    "publish_index",
    selection=dg.AssetSelection.assets("index_manifest"),
    description="Compose the current segments into a version, audit it, and make it the current one.",
)

#: How well the live index finds and refuses.
evaluate_index = dg.define_asset_job(
    "evaluate_index",
    selection=dg.AssetSelection.assets("evaluation"),
    description="Ask the live index golden questions (or the figures of its probes), and compare with the last time.",
)

ALL = [ingest_volume, publish_index, evaluate_index]
