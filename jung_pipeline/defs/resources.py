"""Resources: the library (settings and catalogue) and the tables on disk."""

import contextlib
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa

from jung_pipeline import freshness, tables
from jung_pipeline import settings as settings_module
from jung_pipeline.catalogue import Volume
from jung_pipeline.defs.at_work import hold
from jung_pipeline.defs.failing import making
from jung_pipeline.depot.working_copy import working_copy
from jung_pipeline.errors import CatalogueError, StageError
from jung_pipeline.settings import Settings
from jung_pipeline.stages import stage_path

_PARTITION = "dagster/partition"


class Library(dg.ConfigurableResource):
    """The library at ``home``: its settings and its catalogue, read afresh in every step."""

    home: str = ""  # empty: JUNG_HOME, else data/

    def settings(self) -> Settings:
        """The settings as they are now."""
        return settings_module.load(Path(self.home) if self.home else None)

    def volume(self, key: str) -> Volume:
        """The catalogue entry of a partition."""
        return self.settings().paths.catalogue().get(key)

    def setup_for_execution(self, context: dg.InitResourceContext) -> None:
        """In a run, hold its lock for as long as it lives (see ``at_work.py``), and take what it needs from the depot.

        A sensor or schedule sees the library as the depot has it now.
        """
        if context.run is not None and context.instance is not None:
            hold(context.instance, context.run.run_id)
        take_for_run(self.settings(), context.run.tags.get(_PARTITION) if context.run else None)


def take_for_run(settings: Settings, key: str | None) -> None:
    """Bring this working copy to where a run about the volume ``key`` (``None``: all of them) can start."""
    copy = working_copy(settings)
    if copy is None:
        return
    if key is None:
        copy.refresh()
        return
    copy.sync_catalogue()
    copy.sync_books()
    copy.take(key)
    with contextlib.suppress(CatalogueError):  # the step itself says that there is no such volume
        copy.take_book(settings.paths.catalogue().get(key).file)


class StageTables(dg.ConfigurableIOManager):
    """Keeps a stage's table of a volume as Parquet, all or nothing, where the command line finds it too."""

    library: dg.ResourceDependency[Library]

    def teardown_after_execution(self, context: dg.InitResourceContext) -> None:
        """Hand over to the depot what is left of the run's volume: outcomes of checks, and failures."""
        key = context.run.tags.get(_PARTITION) if context.run else None
        copy = working_copy(self.library.settings()) if key else None
        if copy and key:
            copy.hand_over(key)
            copy.sweep(key)

    def handle_output(self, context: dg.OutputContext, obj: pa.Table) -> None:
        """Write the table of the step's partition; where the disk refuses it, that is why the stage failed."""
        stage, settings = context.asset_key.path[-1], self.library.settings()
        path = stage_path(stage, context.partition_key, settings)
        volume = self.library.volume(context.partition_key)
        making(stage, volume, settings, lambda: tables.write_table(path, obj))
        copy = working_copy(settings)
        if copy:
            making(stage, volume, settings, lambda: copy.hand_over(volume.key))
        context.add_output_metadata({"path": dg.MetadataValue.path(str(path))})

    def load_input(self, context: dg.InputContext) -> Any:
        """Read the table of the step's partition; a damaged one is gone afterwards, so that it is made anew."""
        stage, settings = context.asset_key.path[-1], self.library.settings()
        path = stage_path(stage, context.partition_key, settings)
        is_there = path.exists()
        try:
            return tables.read_or_discard(path)
        except StageError as error:
            if is_there:
                volume = self.library.volume(context.partition_key)
                freshness.remember(stage, volume, settings, error)
            raise dg.Failure(description=str(error), allow_retries=False) from error
