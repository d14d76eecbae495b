"""EPUB to raw lines: EbookLib reads the package, the archive guards what is unpacked, every loss is reported.

EbookLib reads every file of the manifest into memory while opening a book and stops at the first that is
missing; it forgets the file of a cover page and of an item without a name. So it is given a reader that
hands it the package document alone, its result is compared with the document itself, and the text is read
afterwards, one spine document at a time, through :class:`~jung_pipeline.extract.epub_archive.Archive`
(see :mod:`jung_pipeline.extract.epub_reading`).

``page`` is the position in the spine; ids are qualified with the path inside the archive. Rows and marks:
:mod:`jung_pipeline.extract.html_bs4`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ebooklib
from ebooklib import epub

from jung_pipeline.errors import SourceError
from jung_pipeline.extract import epub_package, epub_reading
from jung_pipeline.extract.document import ExtractedDocument
from jung_pipeline.extract.epub_archive import Archive, EntryTooLarge
from jung_pipeline.extract.epub_package import Item, Package


def extract_epub(path: Path, hints: Mapping[str, Any]) -> ExtractedDocument:
    """The raw lines of an EPUB in reading order.

    Args:
        path: the file.
        hints: of the catalogue; ``encoding`` overrides what the documents say.

    Raises:
        SourceError: the file is empty, no EPUB, damaged, protected, or too large to be safe.
    """
    with Archive(path) as archive:
        package_path, named = epub_package.find_package(archive)
        reading = epub_reading.Reading(archive, Package(package_path), hints)
        if not named:
            reading.warn(
                "repaired", f"META-INF/container.xml names no package document; {package_path} was used."
            )
        reading.package = _read_package(reading, package_path)
        version = ".".join(str(part) for part in ebooklib.VERSION)
        return epub_reading.read_book(reading, extractor=f"ebooklib {version}")


# --------------------------------------------------------------------------------------------------
# the package
# --------------------------------------------------------------------------------------------------


class _PackageReader(epub.EpubReader):
    """EbookLib's reader, given the package document and nothing else to read."""

    def __init__(self, package_path: str, data: bytes) -> None:
        super().__init__("")
        self._data = data
        self.opf_file = package_path
        self.opf_dir = package_path.rpartition("/")[0]

    def read_file(self, name: str) -> bytes:
        return self._data if name == self.opf_file else b""

    def _load(self) -> None:
        self._load_opf_file()

    def _parse_nav(self, data: bytes, base_path: str, navtype: str = "toc") -> None:
        """Left to :mod:`jung_pipeline.extract.epub_navigation`."""

    def _parse_ncx(self, data: bytes) -> None:
        """Left to :mod:`jung_pipeline.extract.epub_navigation`."""


def _read_package(reading: epub_reading.Reading, path: str) -> Package:
    """The package by EbookLib, or by the lenient reader where EbookLib fails or drops something."""
    archive = reading.archive
    try:
        data = archive.read(path)
    except KeyError as error:
        raise SourceError(
            "damaged", archive.file, f"{error.args[0]}.", remedy="Get the file again."
        ) from error
    except EntryTooLarge as error:
        raise SourceError("too_large", archive.file, f"{error}.") from error
    lenient = epub_package.read_leniently(data, path, archive.file)
    try:
        package = _by_ebooklib(path, data)
    except Exception as error:  # EbookLib fails in as many ways as files are broken
        reading.warn(
            "repaired", f"EbookLib cannot read {path} ({type(error).__name__}); it was read around it."
        )
        return lenient
    if _lost(package, lenient):
        # Its reader for covers forgets the file; the package document is right.
        return lenient
    # EbookLib sorts the metadata by name; the statements in their own order serve describing too.
    package.statements, package.refinements = lenient.statements, lenient.refinements
    return package


def _by_ebooklib(path: str, data: bytes) -> Package:
    book = _PackageReader(path, data).load()
    package = Package(path, spine=[(idref, linear != "no") for idref, linear in book.spine])
    for item in book.get_items():
        properties = tuple(getattr(item, "properties", ()) or ())
        if isinstance(item, epub.EpubNav) and "nav" not in properties:
            properties = (*properties, "nav")
        package.items.append(Item(item.id or "", item.file_name or "", item.media_type or "", properties))
    for reference in book.guide:
        package.guide.append(((reference["type"] or "").lower(), reference["href"] or ""))
    return package


def _lost(package: Package, lenient: Package) -> bool:
    """Whether EbookLib has fewer files or spine entries than the package document."""
    ours, theirs = {i.item_id for i in package.items}, {i.item_id for i in lenient.items}
    return (
        not theirs <= ours
        or len(package.items) < len(lenient.items)
        or package.spine != lenient.spine
        or any(i.is_document and not i.href for i in package.items)
        or (package.navigation() is None and lenient.navigation() is not None)
    )
