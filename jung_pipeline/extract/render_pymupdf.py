"""A page of a PDF as a picture for OCR."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf

from jung_pipeline.extract.pdf_pymupdf import open_pdf

#: A page is drawn no larger, whatever size it claims: A3 at 300 dpi has half as many pixels.
_MOST_PIXELS = 35_000_000
#: A scan is drawn at twice its own resolution at most; what is not in it cannot be read out of it, and letters
#: blown up are read worse. But never below what small type needs.
_ENLARGED, _LEAST_DPI = 2.0, 150
#: Pictures that cover less of the page say nothing about its resolution.
_LARGE = 0.25


@dataclass(frozen=True)
class Picture:
    """A page drawn in grey."""

    pnm: bytes
    dpi: int
    scale: float  # points to a pixel


class Renderer:
    """Draws the pages of one PDF."""

    def __init__(self, path: Path, hints: Mapping[str, Any], dpi: int) -> None:
        """Open the file.

        Raises:
            SourceError: as :func:`jung_pipeline.extract.pdf_pymupdf.extract_pdf`.
        """
        self._document = open_pdf(path, hints, [])
        self._dpi = dpi

    def draw(self, number: int) -> Picture:
        """Page ``number`` (from 1) as it is read: cropped, the right way up, without annotations."""
        page = self._document.load_page(number - 1)
        area = max(page.rect.width * page.rect.height, 1.0)
        dpi = min(float(self._dpi), max(_LEAST_DPI, _ENLARGED * _resolution(page, area, self._dpi)))
        dpi = min(dpi, 72 * math.sqrt(_MOST_PIXELS / area))
        scale = max(dpi, 1.0) / 72
        pixmap = page.get_pixmap(
            matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False, annots=False
        )
        return Picture(pixmap.tobytes("pnm"), max(70, round(dpi)), 1 / scale)


def _resolution(page: pymupdf.Page, area: float, otherwise: float) -> float:
    """The resolution of the page's largest picture, dots per inch; ``otherwise`` where it has no large one."""
    best, found = _LARGE * area, otherwise
    for image in page.get_image_info():
        box = pymupdf.Rect(image["bbox"]) & page.rect
        if not box.is_empty and box.width * box.height > best:
            best = box.width * box.height
            box = pymupdf.Rect(image["bbox"])
            found = 72 * math.sqrt(image["width"] * image["height"] / (box.width * box.height))
    return found
