"""One door to all formats: look at what a file is, not at what it is called, and read it.

The format modules and the libraries behind them are imported only when a file of their kind comes.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from jung_pipeline.errors import SourceError
from jung_pipeline.extract.document import ExtractedDocument
from jung_pipeline.extract.encoding import beginning_of, hint_of
from jung_pipeline.extract.gutenberg import LICENCE, TRANSCRIBER
from jung_pipeline.text.languages import sample, told_language

#: Goes up when the raw lines of the same file would come out differently.
EXTRACTION_VERSION = "4"

Format = Literal["pdf", "epub", "html", "txt"]

#: A PDF's header may stand anywhere in the first kilobyte (PDF 1.7 reference, implementation note 13).
_PDF_HEADER_WITHIN = 1024
#: So much of a file is looked at to tell its format.
_SNIFF = 8192
#: What each suffix promises.
_SUFFIXES: dict[str, Format] = {
    ".pdf": "pdf",
    ".epub": "epub",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".txt": "txt",
    ".text": "txt",
    ".md": "txt",
}
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>])",
    re.I | re.S,
)
#: Files that are neither text nor a book format, by their first bytes.
_OTHER_FORMATS: tuple[tuple[bytes, str], ...] = (
    (b"{\\rtf", "RTF"),
    (b"\xd0\xcf\x11\xe0", "an old Word document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"AT&TFORM", "DjVu"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%!PS", "PostScript"),
    (b"ITSF", "a Windows help file"),
)


def extract(path: Path, *, hints: Mapping[str, Any] = {}, max_file_mb: int = 1000) -> ExtractedDocument:
    """The raw lines of a book file, whatever its format.

    Args:
        path: a PDF, EPUB, HTML or plain-text file.
        hints: the catalogue's hints for the file, such as ``encoding`` or ``password_env``.
        max_file_mb: refuse files larger than this many megabytes (millions of bytes).

    Raises:
        SourceError: the file is empty, too large, of another format than its name says, damaged,
            encrypted, protected or unsafe; the error's ``kind`` says which.
    """
    kind = file_format(path, hints=hints, max_file_mb=max_file_mb)
    if kind == "pdf":
        from jung_pipeline.extract.pdf_pymupdf import extract_pdf

        return with_language(extract_pdf(path, hints))
    if kind == "epub":
        from jung_pipeline.extract.epub_ebooklib import extract_epub

        return with_language(extract_epub(path, hints))
    data = path.read_bytes()
    if kind == "html":
        from jung_pipeline.extract.html_bs4 import extract_html

        return with_language(extract_html(data, path.name, hints))
    from jung_pipeline.extract.plain_text import extract_plain_text

    return with_language(extract_plain_text(data, path.name, hints))


def with_language(document: ExtractedDocument) -> ExtractedDocument:
    """The document with the language that its text tells, where the file states none and the text is clear."""
    if document.info.metadata.get("language"):
        return document
    texts, elements = (document.lines[name].to_pylist() for name in ("text", "element"))
    book = "\n".join(t for t, e in zip(texts, elements, strict=True) if e not in (LICENCE, TRANSCRIBER))
    language = told_language(sample(book))
    if language is None:
        return document
    metadata = {**document.info.metadata, "language": language, "language_from": "text"}
    return replace(document, info=replace(document.info, metadata=metadata))


def file_format(path: Path, *, hints: Mapping[str, Any] = {}, max_file_mb: int = 1000) -> Format:
    """The format a file really has, from its content first and its suffix second.

    A hint about its ``encoding`` counts where the bytes alone would not pass for text.

    Raises:
        SourceError: ``empty_file``, ``too_large``, or ``not_this_format`` if the content is no book
            format or contradicts the suffix.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(_SNIFF)
    except FileNotFoundError as error:
        raise SourceError(
            "damaged", path.name, "there is no such file.", remedy="Check the catalogue's `file`."
        ) from error
    except OSError as error:
        raise SourceError("damaged", path.name, f"the file cannot be read ({error.strerror}).") from error
    if size == 0:
        raise SourceError("empty_file", path.name, "the file is empty (0 bytes).", remedy="Get it again.")
    if size > max_file_mb * 1_000_000:
        raise SourceError(
            "too_large",
            path.name,
            f"the file has {size / 1e6:,.0f} MB; the limit is {max_file_mb} MB.",
            remedy="Raise max_file_mb if the file is what you expect.",
        )
    return _decide(path, start, beginning_of(start, hint_of(hints)))


def _decide(path: Path, start: bytes, text: str) -> Format:
    """The format from a file's first bytes, read as text too, and its suffix."""
    promised = _SUFFIXES.get(path.suffix.lower())
    if b"%PDF-" in start[:_PDF_HEADER_WITHIN] and (promised == "pdf" or start.lstrip()[:5] == b"%PDF-"):
        return "pdf"
    if start[:2] == b"PK" or (promised == "epub" and zipfile.is_zipfile(path)):
        if promised == "epub" or _looks_like_epub(path):
            return "epub"
        raise _not(path, promised, "a ZIP archive without the parts of an EPUB")
    if start[60:68] == b"BOOKMOBI" or start.startswith(b"\xeaDRMION"):
        raise _not(path, promised, "a Kindle book")
    for magic, name in _OTHER_FORMATS:
        if start.startswith(magic):
            raise _not(path, promised, name)
    if _HTML_START.match(text):
        if promised in ("pdf", "epub"):
            raise _not(path, promised, "an HTML page (perhaps the error page of a download)")
        return "html"
    if promised in ("pdf", "epub"):
        raise _not(path, promised, "text" if _is_text(text) else "something unknown")
    if promised == "html" and "<" not in text and _is_text(text):
        return "txt"
    if not _is_text(text):
        raise _not(path, promised, "binary data of an unknown kind")
    return promised or "txt"


def _looks_like_epub(path: Path) -> bool:
    """Whether a ZIP has what only an EPUB has."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.lower() for name in archive.namelist()[:5000]}
    except (zipfile.BadZipFile, OSError, ValueError):
        return False
    return "meta-inf/container.xml" in names or any(name.endswith(".opf") for name in names)


def _is_text(start: str) -> bool:
    """Whether the beginning of a file looks like text: hardly a control character."""
    controls = sum(char < " " and char not in "\t\n\r\f\x1a\x1b" for char in start)
    return controls <= 0.01 * len(start)


def _not(path: Path, promised: str | None, found: str) -> SourceError:
    """The error for a file that is not what a book file may be."""
    named = f"named {path.suffix} but is" if promised else "not a PDF, EPUB, HTML or text file but"
    return SourceError(
        "not_this_format",
        path.name,
        f"the file is {named} {found}.",
        remedy="Get the book as PDF, EPUB, HTML or text.",
    )


def describe_file(path: Path) -> dict[str, Any]:
    """What a file says about its book, read cheaply: title, author, translator, editor, publisher, years, language.

    The same facts as in :func:`extract`'s ``info.metadata``, and only those: not what a program filled in
    ("untitled", "calibre"), nor a date that is the file's. ``year`` and ``original_year`` are ints,
    ``language`` is a BCP 47 primary tag, from the text where the file states none and the text is clear.

    Raises:
        SourceError: as :func:`file_format`; a file that needs a password has an empty description.
    """
    kind = file_format(path)
    if kind == "pdf":
        from jung_pipeline.extract.pdf_pymupdf import describe_pdf

        try:
            return describe_pdf(path, {})
        except SourceError as error:
            if error.kind == "encrypted":
                return {}
            raise
    from jung_pipeline.extract import describe

    if kind == "epub":
        return describe.describe_epub(path)
    return describe.describe_html(path) if kind == "html" else describe.describe_text(path)
