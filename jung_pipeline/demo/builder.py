"""The demo library: three volumes of our own, one as an EPUB, one as a typeset PDF, one as a faulty scan.

``build_epub``, ``build_pdf`` and ``build_scan`` set any :class:`~jung_pipeline.demo.book.Book`, so tests can
compare what came out of a file with what was put in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from jung_pipeline.demo.book import BOOK_KEYS, Book, load_book
from jung_pipeline.demo.epub_zip import build_epub
from jung_pipeline.demo.faults import NO_FAULTS, FaultRates
from jung_pipeline.demo.pdf_pymupdf import build_pdf
from jung_pipeline.demo.scan_pymupdf import build_scan
from jung_pipeline.demo.truth import BuiltBook, Fault, TrueParagraph

__all__ = [
    "NO_FAULTS",
    "BuiltBook",
    "Fault",
    "FaultRates",
    "TrueParagraph",
    "build_demo_library",
    "build_epub",
    "build_pdf",
    "build_scan",
    "load_book",
]

#: The form in which each volume of the demo library comes: file type, and what builds it.
FORMS: Mapping[str, tuple[str, Callable[[Path, Book], BuiltBook]]] = {
    "the-shadow-at-the-door": (".epub", build_epub),
    "letters-from-the-night-school": (".pdf", build_scan),
    "the-round-garden": (".pdf", build_pdf),
}


def build_demo_library(folder: Path) -> list[BuiltBook]:
    """Write the three volumes into ``folder``, named after their titles; files of those names are replaced.

    Takes a few seconds and about one megabyte. No network, no time stamps: the same bytes each time.
    """
    built = []
    for key in BOOK_KEYS:
        book, (suffix, build) = load_book(key), FORMS[key]
        built.append(build(folder / f"{book.title}{suffix}", book))
    return built
