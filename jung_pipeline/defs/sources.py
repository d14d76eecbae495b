"""What the line is made from and does not make itself: the book files, and what the catalogue says of each.

Both are observed, not materialised. Their data versions are digests of the content, so that the UI shows for every
volume whether its file or its entry changed since its tables were made. The sensor and the command line observe; so does
the *Observe* button.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG

from jung_pipeline import tables
from jung_pipeline import volumes as library_volumes
from jung_pipeline.catalogue import Volume
from jung_pipeline.defs.partitions import volumes
from jung_pipeline.defs.resources import Library
from jung_pipeline.errors import JungError, SourceError
from jung_pipeline.settings import Settings
from jung_pipeline.stages import book_facts, entry_version, stage_path

BOOK_FILE, CATALOGUE_ENTRY = dg.AssetKey("book_file"), dg.AssetKey("catalogue_entry")

#: Facts of the files seen by this process, so that a file of gigabytes is read once and not at every look.
_facts: dict[str, dict[str, Any]] = {}


def file_version(volume: Volume, settings: Settings) -> str | None:
    """The digest of the volume's file; ``None`` where it cannot be read.

    A file of the same size and time as when it was last read is taken to be the same.
    """
    path = settings.paths.source(volume)
    known = _facts.get(str(path))
    if known is None:
        known = (tables.read_info(stage_path("raw_text", volume.key, settings)) or {}).get("source")
    try:
        facts = _facts[str(path)] = book_facts(volume, settings, known)
    except SourceError:
        return None
    return str(facts["sha256"])


def _versions(
    present: Iterable[Volume], settings: Settings
) -> Iterator[tuple[dg.AssetKey, Volume, str, dict[str, Any]]]:
    """Asset, volume, data version and metadata of all that can be observed of the volumes ``present``."""
    for volume in present:
        digest = file_version(volume, settings)
        if digest is not None:
            yield BOOK_FILE, volume, digest, {"file": volume.file}
        citation = {"title": volume.title, "author": volume.author or "", "language": volume.language or ""}
        yield CATALOGUE_ENTRY, volume, entry_version(volume), citation


def observe(instance: dg.DagsterInstance, present: Iterable[Volume], settings: Settings) -> list[str]:
    """Record the versions of files and entries that changed since they were last observed; the volumes' keys."""
    before = {
        key: instance.event_log_storage.get_latest_tags_by_partition(
            key, dg.DagsterEventType.ASSET_OBSERVATION, [DATA_VERSION_TAG]
        )
        for key in (BOOK_FILE, CATALOGUE_ENTRY)
    }
    changed = []
    for key, volume, version, metadata in _versions(present, settings):
        if before[key].get(volume.key, {}).get(DATA_VERSION_TAG) != version:
            instance.report_runless_asset_event(
                dg.AssetObservation(
                    key, partition=volume.key, tags={DATA_VERSION_TAG: version}, metadata=metadata
                )
            )
            changed.append(volume.key)
    return list(dict.fromkeys(changed))


def _observed(library: Library, key: dg.AssetKey) -> dg.DataVersionsByPartition:
    settings = library.settings()
    try:
        present = library_volumes.present_volumes(settings.paths)
    except JungError as error:  # a folder that is not there is not an empty library
        raise dg.Failure(description=str(error), allow_retries=False) from error
    return dg.DataVersionsByPartition(
        {volume.key: version for asset, volume, version, _ in _versions(present, settings) if asset == key}
    )


@dg.observable_source_asset(
    name="book_file",
    partitions_def=volumes,
    group_name="library",
    description="The file of a volume in the library folder. Its data version is the sha256 of its content: touching or "
    "renaming it changes nothing, another scan makes raw_text stale.",
)
def book_file(library: Library) -> dg.DataVersionsByPartition:
    """Observe all book files."""
    return _observed(library, BOOK_FILE)


@dg.observable_source_asset(
    name="catalogue_entry",
    partitions_def=volumes,
    group_name="library",
    description="What catalogue.toml says about a volume and citations show: title, author, language. A correction "
    "there makes chunks stale, and nothing before them.",
)
def catalogue_entry(library: Library) -> dg.DataVersionsByPartition:
    """Observe all catalogue entries."""
    return _observed(library, CATALOGUE_ENTRY)


ALL = [book_file, catalogue_entry]
