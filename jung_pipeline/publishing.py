"""Publishing: the volumes that stand become the version of the index that readers see."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jung_pipeline.depot.index_copy import shared_index
from jung_pipeline.errors import IndexAuditError, NotPromotedError, ServiceError, VectorIndexError
from jung_pipeline.index import versions
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.registry import open_index, store_of
from jung_pipeline.index.vector_index import Vectors
from jung_pipeline.query.calibration import CALIBRATION_VERSION, calibrate
from jung_pipeline.query.probes import ProbeVectors
from jung_pipeline.settings import Settings
from jung_pipeline.stages import index_spec, stage_path
from jung_pipeline.volumes import present_volumes

#: Versions kept for going back.
KEPT_VERSIONS = 3


@dataclass(frozen=True)
class Published:
    """The live version, and whether this call made it."""

    manifest: versions.Manifest
    changed: bool

    @property
    def summary(self) -> str:
        """In one line."""
        manifest = self.manifest
        late = [key for key, entry in manifest.volumes.items() if not entry.fresh]
        parts = [
            f"version {manifest.version}, {manifest.passages:,} passages of {len(manifest.volumes)} volume(s), "
            f"{manifest.spec.model}, {manifest.store['kind']}"
        ]
        if late:
            parts.append(f"in their last good state: {', '.join(late)}")
        if manifest.missing:
            parts.append(f"not in it yet: {', '.join(manifest.missing)}")
        return "; ".join(parts)


def _chunk_tables(keys: Collection[str], settings: Settings) -> dict[str, Path]:
    return {key: stage_path("chunks", key, settings) for key in keys}


def publish(settings: Settings, *, force: bool = False, even_if_worse: bool = False) -> Published:
    """Make the newest good state of every volume in the library the live version; idempotent.

    A version that evaluates clearly worse than the live one does not go live, unless ``even_if_worse``.

    Raises:
        NotPromotedError: it is clearly worse; the message says in what.
        VectorIndexError: index and chunk tables do not agree (the volumes concerned are due again), or the disk
            does not take it; the version before stays live.
        ServiceError: the remote store cannot be asked what it holds, or the depot cannot be reached.
        ConflictError: another machine has published to the depot meanwhile; its version stays live there.
    """
    with shared_index(settings, keep=KEPT_VERSIONS):
        return _publish(settings, force=force, even_if_worse=even_if_worse)


def _publish(settings: Settings, *, force: bool, even_if_worse: bool) -> Published:
    spec = index_spec(settings)
    keys = [volume.key for volume in present_volumes(settings.paths)]
    check_ready(settings)
    before = versions.current_id(settings.paths.index)
    try:
        manifest = versions.publish(
            settings.paths,
            spec,
            _chunk_tables(keys, settings),
            store=store_of(settings, spec),
            remote=open_index(settings, spec) if settings.store != "embedded" else None,
            embed=lambda texts: _embedded(texts, settings),
            calibrate=lambda version: _judged(version, settings, even_if_worse=even_if_worse),
            calibration_version=str(CALIBRATION_VERSION),
            settings=settings,
            force=force,
        )
    except IndexAuditError as error:
        # What was done to the store for these volumes did not last: the stage has to be made again.
        for key in error.volumes:
            for stage in ("embeddings", "vector_index") if error.embed_again else ("vector_index",):
                with contextlib.suppress(OSError):
                    stage_path(stage, key, settings).unlink(missing_ok=True)
        raise
    versions.prune(settings.paths.index, KEPT_VERSIONS)
    return Published(manifest, changed=manifest.version != before)


def check_ready(settings: Settings) -> None:
    """Whether there is something to publish that takes nothing from readers by accident.

    A working index of one model stays until every volume in it stands under the new one.

    Raises:
        VectorIndexError: no volume is ready at all, or volumes that readers have now would be missing after a
            change of model.
    """
    spec = index_spec(settings)
    keys = [volume.key for volume in present_volumes(settings.paths)]
    pointers = EmbeddedIndex(settings.paths.index, spec).pointers()
    try:
        live = versions.read_current(settings.paths.index).manifest
    except VectorIndexError as error:
        if not any(key in pointers for key in keys):
            raise VectorIndexError(
                "There is nothing to publish: no volume has come through yet.",
                remedy="`jung status` says what each one lacks.",
            ) from error
        return
    if (live.spec.model, live.spec.dimension) == (spec.model, spec.dimension):
        return
    late = [key for key in keys if key in live.volumes and key not in pointers]
    if late:
        raise VectorIndexError(
            f"The index stays with {live.spec.model}: {', '.join(late)} not yet embedded with {spec.model}.",
            remedy="Run `jung ingest` until every volume has succeeded; the new model then goes live at once.",
        )


def _embedded(texts: Sequence[str], settings: Settings) -> Vectors:
    """The vectors of ``texts`` as passages."""
    from jung_pipeline.embed.registry import make_embedder

    return make_embedder(settings).embed_passages(texts)


def _calibrated(version: versions.IndexVersion, settings: Settings) -> dict[str, Any]:
    """The calibration of ``version``; none for an index without passages."""
    from jung_pipeline.embed.registry import make_embedder

    if not version.manifest.passages:
        return {}
    embedder = make_embedder(settings)
    vectors = ProbeVectors.beside(settings.paths.index, embedder.spec.model)
    return calibrate(version, embedder, vectors=vectors)


def _judged(version: versions.IndexVersion, settings: Settings, *, even_if_worse: bool) -> dict[str, Any]:
    """The calibration of ``version``, once it has been held against the live one.

    Raises:
        NotPromotedError: it is clearly worse.
    """
    from jung_pipeline.embed.registry import make_embedder
    from jung_pipeline.evaluation.gate import reasons_against
    from jung_pipeline.evaluation.run import golden_folder

    calibration = _calibrated(version, settings)
    if even_if_worse or not version.manifest.passages:
        return calibration
    try:
        live = versions.read_current(settings.paths.index)
    except VectorIndexError:  # there is none, or it is damaged
        return calibration
    finished = replace(version, manifest=replace(version.manifest, calibration=calibration))
    against = reasons_against(finished, live, settings, make_embedder(settings), golden_folder(settings))
    if against:
        raise NotPromotedError(
            f"The new version of the index is worse than the live one and was not made live: {'; '.join(against)}.",
            remedy="Look at what changed (jung status --quality, jung eval). `jung index promote` makes it live all "
            "the same.",
        )
    return calibration


def is_current(settings: Settings, keys: Collection[str]) -> bool:
    """Whether the live version is what publishing the volumes ``keys`` would make, with all its files there.

    A remote store that can be reached must hold as many vectors as the version: one request.
    """
    spec = index_spec(settings)
    return versions.is_live(
        settings.paths,
        spec,
        _chunk_tables(keys, settings),
        store=store_of(settings, spec),
        calibration_version=str(CALIBRATION_VERSION),
    ) and (settings.store == "embedded" or _remote_is_whole(settings, keys))


def _remote_is_whole(settings: Settings, keys: Collection[str]) -> bool:
    """Whether the remote store has as many vectors as the live version; so too where it cannot be asked.

    After going back it has those of the newest segments instead, knowingly.
    """
    from jung_pipeline.index.registry import open_remote

    spec = index_spec(settings)
    manifest = versions.read_current(settings.paths.index).manifest
    wanted = manifest.passages
    if versions.is_rolled_back(settings.paths.index):
        pointers = EmbeddedIndex(settings.paths.index, spec).pointers()
        wanted = sum(pointers[key]["chunks"] for key in keys if key in pointers)
    newest = replace(
        manifest, spec=spec, store=store_of(settings, spec)
    )  # what was gone back to may be elsewhere
    try:
        return open_remote(newest, settings).count() == wanted
    except ServiceError:
        return True
    except VectorIndexError:  # the index is gone
        return False


def current(settings: Settings) -> Published:
    """The live version, as its manifest has it.

    Raises:
        VectorIndexError: there is none.
    """
    return Published(versions.read_current(settings.paths.index).manifest, changed=False)


def late_volumes(settings: Settings) -> list[dict[str, str]]:
    """The volumes that readers see in an older state than the library would give now, or not at all, and why.

    Raises:
        UsageError: the library folder is not there.
        VectorIndexError: there is no index yet.
    """
    from jung_pipeline import freshness

    live = current(settings).manifest
    present = {volume.key: volume for volume in present_volumes(settings.paths)}
    late = []
    for key, volume in present.items():
        state = next((s for s in freshness.states(volume, settings) if s.status != "fresh"), None)
        if state is not None:
            late.append({"volume": key, "why": f"{state.stage} is {state.status}: {state.reason}"})
    gone = sorted(live.volumes.keys() - present.keys())
    late += [{"volume": key, "why": "its book is gone, and it is still in the index"} for key in gone]
    if not late and not is_current(settings, list(present)):
        late.append({"volume": "", "why": "the volumes are up to date, and not published yet: jung ingest"})
    return late


def versions_kept(settings: Settings) -> list[dict[str, Any]]:
    """The versions that are kept, in the order in which they were made; ``problem`` says why one cannot be used."""
    folder = settings.paths.index
    live = versions.current_id(folder)
    rows: list[dict[str, Any]] = []
    for version in versions.version_ids(folder):
        row: dict[str, Any] = {"version": version, "live": version == live, "problem": ""}
        try:
            path = folder / "versions" / version
            manifest = versions.Manifest.read(path / "manifest.json")
            versions.IndexVersion(path, manifest, settings, local=True).open()
            row |= {
                "created": manifest.created,
                "volumes": len(manifest.volumes),
                "passages": manifest.passages,
                "model": manifest.spec.model,
                "store": manifest.store["kind"],
            }
        except VectorIndexError as error:
            row["problem"] = str(error)
        rows.append(row)
    return rows


def version_before(settings: Settings) -> str | None:
    """The last whole version made before the live one, as far as it is kept; ``None`` if there is none."""
    kept = versions_kept(settings)
    live = next((place for place, row in enumerate(kept) if row["live"]), len(kept))
    older = [row["version"] for row in kept[:live] if not row["problem"]]
    return older[-1] if older else None


def roll_back(settings: Settings, version: str) -> Published:
    """Make an older version live again; it stays so until a volume changes, or :func:`promote`.

    Raises:
        VectorIndexError: it is not there, or not whole.
    """
    with shared_index(settings, keep=KEPT_VERSIONS):
        before = versions.current_id(settings.paths.index)
        manifest = versions.roll_back(settings.paths.index, version)
    return Published(manifest, changed=manifest.version != before)


def promote(settings: Settings) -> Published:
    """Let the newest good state of the library go live: after a rollback, or though it evaluates worse."""
    with shared_index(settings, keep=KEPT_VERSIONS):
        versions.release(settings.paths.index)
        return _publish(settings, force=False, even_if_worse=True)


def prune(settings: Settings, keep: int | None = None) -> list[str]:
    """Remove all but the last ``keep`` versions (default: as many as publishing keeps), never the live one."""
    return versions.prune(settings.paths.index, keep or KEPT_VERSIONS)


def summary(settings: Settings) -> dict[str, Any]:
    """The live version as plain data, with a ``summary`` in one line; ``version`` is null without one.

    ``problem`` says what is wrong with its files; "" if they can all be opened.
    """
    try:
        published = current(settings)
    except VectorIndexError as error:
        return {"version": None, "summary": f"Index: {error}", "problem": str(error)}
    manifest = published.manifest
    problem = ""
    try:
        versions.open_current(settings.paths.index)
    except VectorIndexError as error:
        problem = str(error)
    return {
        "version": manifest.version,
        "created": manifest.created,
        "passages": manifest.passages,
        "volumes": {key: entry.chunks for key, entry in manifest.volumes.items()},
        "model": manifest.spec.model,
        "store": manifest.store,
        "summary": f"Index: {problem or published.summary}",
        "problem": problem,
    }
