"""What extraction hands on: the raw lines of a file and what is known about the file as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeVar

import pyarrow as pa

_Record = TypeVar("_Record", "PageInfo", "OutlineEntry", "ExtractionWarning")


@dataclass(frozen=True)
class PageInfo:
    """A page of a PDF, or a document of an EPUB's spine."""

    page: int  # 1-based position
    label: str | None  # printed page number, where the file says so
    characters: int  # of text found
    usable: bool  # whether that text can be trusted at all (fonts with a character map, not noise)
    width: float | None = None  # points
    height: float | None = None
    image_share: float | None = None  # of the page's area that images cover, 0..1
    name: str | None = None  # file inside an EPUB
    # How good the text is that was taken, 0 (noise) to 1 (every word known), and why; see
    # extract/page_quality.py. None where there is too little text to judge, and outside PDFs.
    quality: float | None = None
    quality_reason: str | None = None
    # Of a page that was read again by OCR: the scores of both readings, and whether OCR's was taken.
    layer_quality: float | None = None
    ocr_quality: float | None = None
    ocr: bool | None = None  # None: not read by OCR


@dataclass(frozen=True)
class OutlineEntry:
    """An entry of a PDF outline or of an EPUB's navigation, in order."""

    level: int  # 1 is outermost
    title: str
    page: int | None = None  # position page
    target: str | None = None  # file-qualified element id, "ch1.xhtml#c2" or "ch1.xhtml"
    kind: str | None = None  # epub:type where given: "chapter", "part", "toc", "index", …


@dataclass(frozen=True)
class ExtractionWarning:
    """Something a reader of the text should know: a repair made, a page without text, a part missing."""

    code: str  # e.g. page_without_text, missing_part, repaired, encoding_guessed
    message: str
    page: int | None = None
    part: str | None = None  # file inside an EPUB that the warning is about


def _known(kind: type[_Record], data: Mapping[str, Any]) -> _Record:
    """A record of what it has fields for: a table of another version may say more."""
    names = {known.name for known in fields(kind)}
    return kind(**{name: value for name, value in data.items() if name in names})


@dataclass(frozen=True)
class DocumentInfo:
    """The file as a whole; goes into the footer of the raw_text table."""

    format: Literal["pdf", "epub", "html", "txt"]
    status: Literal["ok", "partial", "no_text"]
    extractor: str  # "pymupdf 1.28.2"
    pages: list[PageInfo] = field(default_factory=list)
    outline: list[OutlineEntry] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(
        default_factory=dict
    )  # title, author, translator, editor, publisher, year, original_year, language; language_from "text" if so
    warnings: list[ExtractionWarning] = field(default_factory=list)
    # Of a PDF, what decides whether it is to be read anew when OCR changes; see extract/ocr.py.
    ocr: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DocumentInfo:
        """The inverse of :meth:`to_dict`; keys it does not know are passed over."""
        return cls(
            format=data["format"],
            status=data["status"],
            extractor=data["extractor"],
            pages=[_known(PageInfo, page) for page in data.get("pages", [])],
            outline=[_known(OutlineEntry, entry) for entry in data.get("outline", [])],
            metadata=data.get("metadata", {}),
            warnings=[_known(ExtractionWarning, warning) for warning in data.get("warnings", [])],
            ocr=data.get("ocr", {}),
        )


@dataclass(frozen=True)
class ExtractedDocument:
    """A file as raw lines (``schemas.RAW_TEXT``) and the facts about it."""

    lines: pa.Table
    info: DocumentInfo
