"""After going back to an older version: which state of the library is not to go live again by itself.

``index/HELD`` has the composition of the version that was gone back from, by which it is known again, and its
state: the segments, the model and the store. As long as publishing would make a version of that state, the older
one stays. Neither a new calibration nor a volume that is being made again ends that; another segment, model or
store does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jung_pipeline import tables
from jung_pipeline.index.manifest import Manifest
from jung_pipeline.index.sources import Source
from jung_pipeline.index.vector_index import IndexSpec

_HELD = "HELD"

State = dict[str, Any]


def state_of(spec: IndexSpec, digests: Mapping[str, str], store: Mapping[str, Any]) -> State:
    """The state of a library that is held or not: segments by volume, model and store."""
    return {"spec": asdict(spec), "volumes": dict(digests), "store": dict(store)}


def state_of_sources(spec: IndexSpec, sources: Mapping[str, Source], store: Mapping[str, Any]) -> State:
    """The state that publishing ``sources`` would put live."""
    return state_of(spec, {volume: source.entry.digest for volume, source in sources.items()}, store)


def hold(index_dir: Path, left: Manifest) -> None:
    """Keep what ``left`` is made of from going live again."""
    digests = {volume: entry.digest for volume, entry in left.volumes.items()}
    held = {"composition": left.composition, "state": state_of(left.spec, digests, left.store)}
    tables.write_text(index_dir / _HELD, json.dumps(held, sort_keys=True, indent=1))


def is_held(index_dir: Path, state: State) -> bool:
    """Whether ``state`` is the one that somebody went back from."""
    held = _read(index_dir)
    return held is not None and held["state"] == state


def was_left(index_dir: Path, version: Manifest) -> bool:
    """Whether ``version`` is of the composition that somebody went back from."""
    held = _read(index_dir)
    return held is not None and held["composition"] == version.composition


def is_rolled_back(index_dir: Path) -> bool:
    """Whether somebody went back to an older version, and it is held."""
    return (index_dir / _HELD).exists()


def release(index_dir: Path) -> None:
    """Let every state go live again."""
    (index_dir / _HELD).unlink(missing_ok=True)


def _read(index_dir: Path) -> dict[str, Any] | None:
    """What is held; ``None`` if nothing is, or the file says nothing that makes sense."""
    try:
        held = json.loads((index_dir / _HELD).read_text(encoding="utf-8"))
        return {"composition": held["composition"], "state": held["state"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None
