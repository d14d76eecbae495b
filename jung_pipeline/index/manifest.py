"""What a version of the index is made of: ``manifest.json`` as typed values."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from jung_pipeline import tables
from jung_pipeline.errors import VectorIndexError
from jung_pipeline.index.segments import remedy_for
from jung_pipeline.index.vector_index import IndexSpec

FORMAT = 1


@dataclass(frozen=True)
class VolumeEntry:
    """One volume of a version."""

    digest: str  # of its segment
    chunks: int
    tokens: int  # embedder tokens
    data_version: str | None  # of the chunk table, as its stage stated it
    fresh: bool  # made from the chunk table as it is now; False: the last good one of a volume that failed


@dataclass(frozen=True)
class Manifest:
    """What a version is made of (``manifest.json``)."""

    version: str
    composition: str  # equal compositions are equal versions
    created: str  # ISO 8601, UTC
    spec: IndexSpec
    volumes: dict[str, VolumeEntry]
    missing: list[str]  # volumes of the catalogue without any good segment yet
    audit: dict[str, Any]
    store: dict[str, Any]  # {"kind": "embedded"} or {"kind": "pinecone", "index": …, "namespace": …}
    lexical: dict[str, Any]  # engine, format, passages, digests of the segments, files with size and sha256
    calibration: dict[str, Any] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def passages(self) -> int:
        """Passages in all volumes."""
        return sum(entry.chunks for entry in self.volumes.values())

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """The manifest at ``path``; raises VectorIndexError where it cannot be used."""
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["format"] != FORMAT:
                raise VectorIndexError(
                    f"{path} has format {values['format']}; this program reads {FORMAT}.",
                    remedy="Run `jung ingest` to build the index anew.",
                )
            values["spec"] = IndexSpec(**values["spec"])
            values["volumes"] = {key: VolumeEntry(**entry) for key, entry in values["volumes"].items()}
            return cls(**values)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise VectorIndexError(
                f"The manifest {path} cannot be read ({getattr(error, 'strerror', None) or error}).",
                remedy=remedy_for(error, "Run `jung ingest` to build the index."),
            ) from error

    def write(self, path: Path) -> None:
        """Write it to ``path``, all or nothing."""
        tables.write_text(path, json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, indent=1))
