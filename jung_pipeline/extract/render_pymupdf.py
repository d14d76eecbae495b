"""A page of a PDF as a picture for OCR."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf

from jung_pipeline.extract.pdf_pymupdf import open_pdf

#: A page is drawn no larger, whatever size it claims: A3 at 300 dpi has half as many pixels.
_MOST_PIXELS = 35_000_000
#: A scan is drawn at half as much again as its own resolution at most: what is not in it cannot be read out of
#: it, and letters blown up are read worse (benchmarks/ocr.py). But never below what small type needs.
_ENLARGED, _LEAST_DPI = 1.5, 200
#: Pictures that cover less of the page say nothing about its resolution.
_LARGE = 0.25
#: A page that leans more (degrees) is set straight: Tesseract loses lines of it. It copes with less by itself.
_LEANING = 1.0
#: How far a page may lean, and in what steps that is looked for: coarse, then fine.
_MOST_LEANING, _COARSE, _FINE = 6.0, 0.5, 0.1
#: The page is so many pixels wide for that.
_SMALL_WIDTH = 500


@dataclass(frozen=True)
class Picture:
    """A page drawn in grey."""

    pnm: bytes
    dpi: int
    scale: float  # points to a pixel
    to_page: tuple[float, ...]  # matrix from pixels to points of the page, which may lean


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
        matrix = pymupdf.Matrix(scale, scale).prerotate(-_lean(page))
        pixmap = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False, annots=False)
        to_page = pymupdf.Matrix(1, 0, 0, 1, pixmap.x, pixmap.y) * ~matrix
        return Picture(pixmap.tobytes("pnm"), max(70, round(dpi)), 1 / scale, tuple(to_page))


def _lean(page: pymupdf.Page) -> float:
    """How far the lines of a page lean, degrees clockwise; 0.0 if hardly.

    Seen along the lines, ink gathers where they are, and is missing between them: the direction in which
    it is most uneven is theirs.
    """
    zoom = _SMALL_WIDTH / max(page.rect.width, page.rect.height / 2, 1.0)
    pixmap = page.get_pixmap(
        matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False, annots=False
    )
    grey = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.stride)[:, : pixmap.width]
    # Ink is darker than the paper around it by a good part of what the page has of dark and light.
    ys, xs = np.nonzero(grey < np.median(grey) - 0.4 * (np.median(grey) - float(grey.min())))
    if not 200 <= len(ys) <= 0.4 * grey.size:
        return 0.0

    def evenness(angle: float) -> float:
        turn = math.radians(angle)
        rows = (ys * math.cos(turn) - xs * math.sin(turn) + pixmap.width).astype(np.int64)
        return -float((np.bincount(rows).astype(np.float64) ** 2).sum())

    best = min(np.arange(-_MOST_LEANING, _MOST_LEANING + _FINE, _COARSE), key=evenness)
    best = min(np.arange(best - _COARSE, best + _COARSE + _FINE / 2, _FINE), key=evenness)
    return 0.0 if abs(best) < _LEANING else float(round(best, 1))


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
