"""The real books of the corpus, read and cleaned: what the benchmarks over all of them share."""

from __future__ import annotations

import argparse
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jung_pipeline.catalogue import Volume
from jung_pipeline.clean.cleaner import CleanedVolume, clean_volume
from jung_pipeline.errors import JungError
from jung_pipeline.extract.document import ExtractedDocument
from jung_pipeline.extract.extractor import extract
from jung_pipeline.library import is_book


@dataclass(frozen=True)
class CorpusVolume:
    """A book of the corpus: its file, its raw lines, and what cleaning made of them."""

    path: Path
    document: ExtractedDocument
    cleaned: CleanedVolume

    @property
    def sha256(self) -> str:
        """Digest of the file, hex."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def add_options(parser: argparse.ArgumentParser) -> None:
    """``CORPUS`` and ``--only``, which :func:`volumes` takes."""
    default = os.environ.get("JUNG_CORPUS_DIR")
    parser.add_argument("corpus", type=Path, nargs="?", default=default, help="default: JUNG_CORPUS_DIR")
    parser.add_argument("--only", default="", help="part of a file's name")


def files(corpus: Path | None, only: str = "") -> list[Path]:
    """The book files under ``corpus``, but for the folder of noisy text beside its transcription."""
    if corpus is None:
        raise SystemExit("Name the folder of real books, or set JUNG_CORPUS_DIR.")
    found = sorted(path for path in Path(corpus).rglob("*") if path.is_file() and is_book(path.name))
    return [path for path in found if only in path.name and "ocr" not in path.relative_to(corpus).parts]


def volumes(corpus: Path | None, only: str = "") -> Iterator[CorpusVolume]:
    """Read and clean every book that can be read; one that cannot is passed over, as extraction reports it."""
    for path in files(corpus, only):
        try:
            document = extract(path)
        except JungError:
            continue
        if document.lines.num_rows:
            yield CorpusVolume(path, document, cleaned(path, document))


def cleaned(path: Path, document: ExtractedDocument) -> CleanedVolume:
    """The book as a library would clean it that knows no more of it than the file says."""
    metadata = document.info.metadata
    volume = Volume(
        key="book",
        file=path.name,
        title=str(metadata.get("title") or path.stem),
        author=metadata.get("author"),
        language=metadata.get("language"),
    )
    return clean_volume(document.lines, document.info, volume)
