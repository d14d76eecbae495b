"""Jobs: bring a volume up to date, publish the index, look whether it is up to date, evaluate it."""

from collections.abc import Sequence

import dagster as dg

#: Run monitoring ends a run that takes longer than this many seconds. A volume of scans read by OCR takes an hour.
_AT_MOST = {"dagster/max_runtime": str(6 * 3600)}

#: Every stage of one volume with its checks: one run a volume, so that one bad volume stops no other.
ingest_volume = dg.define_asset_job(
    "ingest_volume",
    selection=dg.AssetSelection.assets(
        "raw_text", "cleaned_text", "removal_ledger", "chunks", "embeddings", "vector_index"
    ),
    description="From the book file to its vectors, one volume.",
    tags=_AT_MOST,
)

#: The volumes that stand, as the version that readers see.
publish_index = dg.define_asset_job(
    "publish_index",
    selection=dg.AssetSelection.assets("index_manifest"),
    description="Compose the current segments into a version, audit it, and make it the current one.",
    tags=_AT_MOST,
)

#: Whether readers see what the library would give now.
check_index = dg.define_asset_job(
    "check_index",
    selection=dg.AssetSelection.checks(
        dg.AssetCheckKey(dg.AssetKey("index_manifest"), "index_is_up_to_date")
    ),
    description="Look whether the live index is what the library would give now.",
    tags=_AT_MOST,
)

#: How well the live index finds and refuses.
evaluate_index = dg.define_asset_job(
    "evaluate_index",
    selection=dg.AssetSelection.assets("evaluation"),
    description="Ask the live index golden questions (or the figures of its probes), and compare with the last time.",
    tags=_AT_MOST,
)

ALL = [ingest_volume, publish_index, check_index, evaluate_index]


def assets_of(stages: Sequence[str]) -> list[dg.AssetKey]:
    """The assets that a run makes for ``stages``: the ledger comes with the text."""
    names = [*stages, "removal_ledger"] if "cleaned_text" in stages else stages
    return [dg.AssetKey(name) for name in names]
