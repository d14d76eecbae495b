"""A page of a PDF as a picture for the reading pane."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pymupdf

from jung_pipeline.errors import SourceError, UsageError
from jung_pipeline.extract.pdf_pymupdf import open_pdf

#: Sharp on screens of two pixels a point; a page of A5 is then some 1,000 pixels wide.
_DPI = 150
#: A page is drawn no larger, whatever size it claims.
_MOST_PIXELS = 8_000_000
_JPEG_QUALITY = 82
#: MuPDF keeps state of its own and is used by one thread at a time.
_LOCK = threading.Lock()


def size_of(path: Path, hints: Mapping[str, Any], page: int) -> tuple[float, float, int]:
    """Width and height of a page (from 1) as it is read, in points, and how many pages there are.

    Raises:
        SourceError: the file cannot be opened.
        UsageError: it has no such page.
    """
    with _LOCK, open_pdf(path, hints, []) as document:
        rect = _page(document, path, page).rect
        return round(rect.width, 2), round(rect.height, 2), document.page_count


def draw(path: Path, hints: Mapping[str, Any], page: int) -> tuple[bytes, str]:
    """Page ``page`` (from 1) as PNG or, where it is a scan, as JPEG; with the media type.

    Raises:
        SourceError: the file cannot be opened or drawn.
        UsageError: it has no such page.
    """
    with _LOCK, open_pdf(path, hints, []) as document:
        opened = _page(document, path, page)
        area = max(opened.rect.width * opened.rect.height, 1.0)
        scale = min(_DPI / 72, math.sqrt(_MOST_PIXELS / area))
        try:
            pixmap = opened.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False, annots=False)
            if opened.get_images():
                return pixmap.tobytes("jpg", jpg_quality=_JPEG_QUALITY), "image/jpeg"
            return pixmap.tobytes("png"), "image/png"
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
            raise SourceError("damaged", path.name, "cannot be drawn", page=page) from error


def _page(document: pymupdf.Document, path: Path, page: int) -> pymupdf.Page:
    if not 1 <= page <= document.page_count:
        raise UsageError(f"{path.name} has {document.page_count} pages; there is no page {page}.")
    try:
        return document.load_page(page - 1)
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
        raise SourceError("damaged", path.name, "cannot be read", page=page) from error
