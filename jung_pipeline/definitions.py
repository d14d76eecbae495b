"""The only place where the Dagster definitions are put together. Loads without secrets and without services."""

import warnings
from pathlib import Path

import dagster as dg

from jung_pipeline import settings as settings_module
from jung_pipeline import stages
from jung_pipeline.errors import SettingsError

# Partition-aware checks and automation are preview and beta features of the Dagster version we pin; the
# warnings would stand between a library owner and every message that matters.
warnings.filterwarnings("ignore", category=dg.PreviewWarning)
warnings.filterwarnings("ignore", category=dg.BetaWarning)


def build_definitions(home: Path | None = None) -> dg.Definitions:
    """The definitions for the library at ``home`` (default: ``JUNG_HOME``, else ``data/``)."""
    from jung_pipeline.defs import (
        alerts,
        automation,
        checks,
        chunks,
        cleaned_text,
        embeddings,
        evaluation,
        index_manifest,
        jobs,
        raw_text,
        retention,
        sources,
        vector_index,
    )
    from jung_pipeline.defs.resources import Library, StageTables

    settings = settings_module.load(home)

    def versioned(spec: dg.AssetSpec) -> dg.AssetSpec:
        name = spec.key.path[-1]
        if name in automation.CONDITIONS:
            spec = spec.replace_attributes(automation_condition=automation.CONDITIONS[name])
        if name in ("index_manifest", "evaluation"):
            return spec
        return spec.replace_attributes(code_version=stages.code_version(name, settings))

    assets = [
        raw_text.raw_text,
        cleaned_text.cleaned_text,
        chunks.chunks,
        embeddings.embeddings,
        vector_index.vector_index,
        index_manifest.index_manifest,
        evaluation.evaluation,
    ]
    library = Library(home=str(home) if home else "")
    return dg.Definitions(
        assets=[*sources.ALL, *dg.map_asset_specs(versioned, assets)],
        asset_checks=checks.ALL,
        jobs=[*jobs.ALL, *retention.JOBS],
        schedules=[*automation.schedules(settings), *retention.SCHEDULES],
        sensors=[*automation.sensors(settings), *alerts.ALL],
        resources={"library": library, "stage_tables": StageTables(library=library)},
        # A process for every step would cost seconds a step beside tenths of a second of work.
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What ``workspace.yaml`` and ``pyproject.toml`` load."""
    try:
        return build_definitions()
    except SettingsError as error:
        raise dg.DagsterInvalidDefinitionError(str(error)) from error
