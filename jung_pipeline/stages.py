"""The stages of the line as plain functions of one volume: table in, table out.

Dagster assets (``defs/``) call these and add no rule of their own. A stage's table carries in its footer
the ``fingerprint`` of everything it was made from (input content, code version, the settings and catalogue
fields that matter) and the ``data_version`` of what came out; ``freshness.py`` compares the two.
"""

from __future__ import annotations

import hashlib
import json
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from jung_pipeline import tables
from jung_pipeline.catalogue import Volume
from jung_pipeline.embed.registry import embedder_name
from jung_pipeline.errors import SourceError
from jung_pipeline.index.vector_index import IndexSpec
from jung_pipeline.settings import Settings

if TYPE_CHECKING:
    from jung_pipeline.extract.ocr_wanted import OcrOptions

#: The partitioned stages, in order. ``removal_ledger`` is made together with ``cleaned_text``.
STAGES = ("raw_text", "cleaned_text", "chunks", "embeddings", "vector_index")

#: Bumped when the way vectors are made or stored changes although the model does not.
EMBEDDING_VERSION = "1"
INDEXING_VERSION = "1"


@dataclass(frozen=True)
class StageTable:
    """What a stage made of one volume; ``table`` carries ``info`` in its footer."""

    table: pa.Table
    info: dict[str, Any]

    @property
    def data_version(self) -> str:
        """Digest of the content: equal when nothing that matters downstream has changed."""
        return str(self.info["data_version"])


def _digest(value: Any) -> str:
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, ensure_ascii=False, default=str).encode()
    ).hexdigest()


def code_version(stage: str, settings: Settings) -> str:
    """The version of the rules of ``stage`` under ``settings``: what Dagster calls its code version."""
    if stage == "raw_text":
        from jung_pipeline.extract.extractor import EXTRACTION_VERSION

        return EXTRACTION_VERSION
    if stage in ("cleaned_text", "removal_ledger"):
        from jung_pipeline.clean.cleaner import CLEANING_VERSION

        return CLEANING_VERSION
    if stage == "chunks":
        from jung_pipeline.chunk.chunker import CHUNKING_VERSION
        from jung_pipeline.concepts.lexicon import lexicon_digest

        limits = settings.chunk
        version = f"{CHUNKING_VERSION}-{limits.target}-{limits.max}-{limits.min}-{lexicon_digest()[:8]}"
        return version + _embedder_limit(settings)
    if stage == "embeddings":
        from jung_pipeline.embed.windows import WINDOWS_VERSION

        windows = f"-windows{WINDOWS_VERSION}" if settings.windows else ""
        return f"{EMBEDDING_VERSION}-{embedder_name(settings)}{windows}"
    if stage == "vector_index":
        return f"{INDEXING_VERSION}-{settings.store}"
    raise ValueError(f"no stage {stage!r}")


def _embedder_limit(settings: Settings) -> str:
    """What the length of passages owes to the embedder: nothing to tell for the e5 models, which read alike."""
    if settings.embedder != "sentence-transformers":
        return ""
    from jung_pipeline.embed.registry import embedder_spec

    spec = embedder_spec(settings)
    return f"-{_digest([spec.model, spec.max_tokens, spec.passage_prefix])[:8]}"


def _catalogue_fields(stage: str, volume: Volume) -> dict[str, Any]:
    """The catalogue fields that change what ``stage`` makes."""
    if stage == "raw_text":
        # What cleaning is to keep makes no scan be read again.
        return {"hints": {name: value for name, value in volume.hints.items() if name != "keep"}}
    if stage == "cleaned_text":
        return {"hints": dict(volume.hints), "language": volume.language}
    if stage == "chunks":
        return {"title": volume.title, "author": volume.author, "language": volume.language}
    return {}


def entry_version(volume: Volume) -> str:
    """Digest of what citations show of a catalogue entry: of the fields that change the chunks."""
    return _digest(_catalogue_fields("chunks", volume))


def fingerprint(
    stage: str,
    volume: Volume,
    settings: Settings,
    inputs: Mapping[str, str],
    ocr: Mapping[str, Any] | None = None,
) -> str:
    """Digest of all that ``stage`` would be made from; ``inputs`` maps each input to its data version.

    Of raw text, OCR is a part of that where pages want it, which the reading found out: ``ocr`` are its facts
    about that (``DocumentInfo.ocr``), by default those of the table there is. Without inputs anything may matter.
    """
    made_from = [stage, code_version(stage, settings), _catalogue_fields(stage, volume), dict(inputs)]
    if stage == "raw_text":
        from jung_pipeline.extract.ocr_wanted import decisive

        if ocr is None and inputs:
            info = tables.read_info(stage_path(stage, volume.key, settings)) or {}
            ocr = info.get("document", {}).get("ocr")
        decided = decisive(ocr_options(volume, settings), volume.hints, ocr)
        made_from += [] if decided is None else [decided]
    return _digest(made_from)


def ocr_options(volume: Volume, settings: Settings) -> OcrOptions:
    """How the pages of ``volume`` that want OCR are read by it."""
    from jung_pipeline.extract.ocr_wanted import OcrOptions

    return OcrOptions(
        settings.ocr, volume.language, settings.ocr_dpi, settings.ocr_seconds, settings.ocr_memory_mb
    )


def stage_path(stage: str, volume: str, settings: Settings) -> Path:
    """The Parquet file of ``volume`` after ``stage``."""
    if stage == "embeddings":
        return settings.paths.embeddings(embedder_name(settings), volume)
    return settings.paths.table(stage, volume)


def _finish(
    stage: str,
    volume: Volume,
    settings: Settings,
    inputs: Mapping[str, str],
    table: pa.Table,
    facts: dict[str, Any],
) -> StageTable:
    """The table with its footer: facts, fingerprint, data version."""
    info = {
        **facts,
        "stage": stage,
        "volume": volume.key,
        "code_version": code_version(stage, settings),
        "fingerprint": fingerprint(
            stage, volume, settings, inputs, facts.get("document", {}).get("ocr") if facts else None
        ),
        "data_version": _digest([tables.content_digest(table), facts.get("document")]),
    }
    return StageTable(tables.with_info(table, info), info)


# --------------------------------------------------------------------------------------------------
# the source file
# --------------------------------------------------------------------------------------------------


def source_facts(path: Path, known: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """sha256, size and modification time of a book file.

    ``known`` (facts from before) is trusted while size and time are the same, so that a library of
    gigabytes is not read through at every look.

    Raises:
        SourceError: the file is not there or cannot be read.
    """
    try:
        stat = path.stat()
        if known and (known.get("size"), known.get("mtime_ns")) == (stat.st_size, stat.st_mtime_ns):
            return dict(known)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(
            "damaged",
            path.name,
            f"cannot be read ({error.strerror})",
            remedy="Put the file back, or remove its entry.",
        ) from error
    return {"sha256": digest, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}


def book_facts(volume: Volume, settings: Settings, known: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """:func:`source_facts` of the book of ``volume``; of one that lies in the depot alone, as it was put there.

    Raises:
        SourceError: the library does not have it, or it cannot be read.
    """
    home = settings.paths
    path = home.source(volume)
    if settings.data_url and not path.exists():
        facts = home.books_elsewhere().get(unicodedata.normalize("NFC", volume.file))
        if facts:
            return {name: facts[name] for name in ("sha256", "size", "mtime_ns")}
    return source_facts(path, known)


# --------------------------------------------------------------------------------------------------
# the stages
# --------------------------------------------------------------------------------------------------


def make_raw_text(volume: Volume, settings: Settings) -> StageTable:
    """The raw lines of the volume's file.

    Raises:
        SourceError: the file cannot be used; the message names file, page and remedy.
    """
    from jung_pipeline.extract.bounded import Limits, extract_bounded
    from jung_pipeline.extract.ocr_wanted import no_text_remedy

    path = settings.paths.source(volume)
    facts = source_facts(path)
    limits = Limits(settings.extract_seconds, settings.extract_memory_mb, settings.max_file_mb)
    document = extract_bounded(path, volume.hints, limits, ocr_options(volume, settings))
    if document.info.status == "no_text":
        raise SourceError(
            "no_text",
            volume.file,
            "opened, but no page has usable text (a scan without a text layer, or fonts without a character map)",
            remedy=no_text_remedy(document.info),
        )
    return _finish(
        "raw_text",
        volume,
        settings,
        {"source": facts["sha256"]},
        document.lines,
        {"document": document.info.to_dict(), "source": facts},
    )


def make_cleaned_text(
    volume: Volume, settings: Settings, raw_text: pa.Table
) -> tuple[StageTable, StageTable]:
    """The volume as paragraphs, and the ledger of what was left out or changed on the way."""
    from jung_pipeline.clean.cleaner import clean_volume
    from jung_pipeline.extract.document import DocumentInfo

    raw_info = tables.info_of(raw_text)
    cleaned = clean_volume(raw_text, DocumentInfo.from_dict(raw_info["document"]), volume)
    inputs = {"raw_text": raw_info["data_version"]}
    return (
        _finish("cleaned_text", volume, settings, inputs, cleaned.paragraphs, {"report": cleaned.report}),
        _finish("removal_ledger", volume, settings, inputs, cleaned.ledger, {"report": cleaned.report}),
    )


def make_chunks(volume: Volume, settings: Settings, cleaned_text: pa.Table) -> StageTable:
    """The volume as passages, no longer than the embedder of ``settings`` reads."""
    from jung_pipeline.chunk.chunker import Limits, chunk_volume
    from jung_pipeline.embed.registry import make_embedder

    embedder = make_embedder(settings)
    chunks = chunk_volume(
        cleaned_text,
        volume,
        limits=Limits(settings.chunk.target, settings.chunk.max, settings.chunk.min),
        count_embedder_tokens=lambda texts: embedder.count_tokens(texts),
        embedder_limit=embedder.spec.max_tokens,
    )
    inputs = {"cleaned_text": tables.info_of(cleaned_text)["data_version"]}
    return _finish("chunks", volume, settings, inputs, chunks, {"embedder_limit": embedder.spec.max_tokens})


def make_embeddings(volume: Volume, settings: Settings, chunks: pa.Table) -> StageTable:
    """A vector for every passage and its windows; those of texts embedded before, under this model, are kept."""
    from jung_pipeline.embed.cache import embed_chunks
    from jung_pipeline.embed.registry import make_embedder

    embedder = make_embedder(settings)
    started = time.monotonic()
    path = stage_path("embeddings", volume.key, settings)
    result = embed_chunks(chunks, embedder, path, windows=settings.windows)
    facts = {
        **tables.info_of(result.table),
        "embedded": result.embedded,
        "reused": result.reused,
        "windows": result.windows,
        "windows_embedded": result.windows_embedded,
        "seconds": round(time.monotonic() - started, 2),  # for plans: how long the next ones will take
        "model": embedder.spec.model,
    }
    inputs = {"chunks": tables.info_of(chunks)["data_version"]}
    return _finish("embeddings", volume, settings, inputs, result.table, facts)


def index_spec(settings: Settings) -> IndexSpec:
    """What all vectors of this library's index share; loads no model."""
    from jung_pipeline.embed.registry import embedder_spec
    from jung_pipeline.index.registry import index_spec as spec_of

    return spec_of(embedder_spec(settings), code_version("chunks", settings))


def make_vector_index(
    volume: Volume, settings: Settings, chunks: pa.Table, embeddings: pa.Table
) -> StageTable:
    """The volume's vectors in the index; the table says in one row what was added, kept, updated, removed."""
    from jung_pipeline.embed.cache import vectors_for, window_vectors_for
    from jung_pipeline.index.registry import open_index

    index = open_index(settings, index_spec(settings))
    windows = window_vectors_for(chunks, embeddings) if settings.windows else None
    change = index.replace_volume(volume.key, chunks, vectors_for(chunks, embeddings), windows)
    index.settle()
    facts = {"count": index.count(volume.key), "store": settings.store}
    inputs = {
        "chunks": tables.info_of(chunks)["data_version"],
        "embeddings": tables.info_of(embeddings)["data_version"],
    }
    row = {
        "volume": volume.key,
        "added": change.added,
        "kept": change.kept,
        "updated": change.updated,
        "removed": change.removed,
    }
    made = _finish(
        "vector_index", volume, settings, inputs, pa.table({k: [v] for k, v in row.items()}), facts
    )
    # What the index now holds is a matter of its inputs, not of what this run had to do to get there.
    info = {**made.info, "data_version": _digest(inputs)}
    return StageTable(tables.with_info(made.table, info), info)
