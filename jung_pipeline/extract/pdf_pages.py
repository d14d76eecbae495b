"""The pages of a PDF once read: which of them have usable text, and the rows they give.

A page is judged and turned into rows as soon as it is read; of the pages themselves only the beginning
of their text is kept, by which nonsense is told in the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa

from jung_pipeline.extract import text_quality
from jung_pipeline.extract.document import ExtractionWarning, PageInfo
from jung_pipeline.extract.pdf_fragments import Fragment
from jung_pipeline.extract.raw_lines import RawLines

#: A page without text is worth a word if a picture takes up so much of it, or so many paths are drawn.
_PICTURE_SHARE, _MANY_PATHS = 0.1, 100
#: Nonsense is told by so many characters of a page.
_JUDGED_CHARACTERS = 1500


@dataclass
class PdfPage:
    """What was read of one page."""

    number: int
    label: str | None
    lines: list[Fragment]
    text: str
    width: float
    height: float
    image_share: float | None = None
    origin: str = "text_layer"
    paths: int = 0


class PdfPages:
    """The pages read so far: facts, rows and warnings."""

    def __init__(self) -> None:
        self._infos: list[PageInfo] = []
        self._rows = RawLines()
        self._warnings: dict[int, ExtractionWarning] = {}
        self._beginnings: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._infos)

    def add(self, page: PdfPage) -> None:
        """Judge a page and take its lines."""
        reason = None
        ordinary = text_quality.is_ordinary(page.text)
        if page.lines and not ordinary and not text_quality.has_usable_characters(page.text):
            reason = "its fonts have no character map, so its text cannot be read"
        elif not page.lines and (page.image_share or 0) >= _PICTURE_SHARE:
            reason = f"it is an image ({page.image_share or 0:.0%} of the page) without a text layer"
        elif not page.lines and page.paths >= _MANY_PATHS:
            reason = "it is drawn in outlines, without text"
        self._infos.append(
            PageInfo(
                page=page.number,
                label=page.label,
                characters=len(page.text),
                usable=reason is None,  # a blank page is: there is nothing in it to distrust
                width=round(page.width, 2),
                height=round(page.height, 2),
                image_share=page.image_share,
            )
        )
        if reason:
            self._warn(page.number, reason)
        elif page.lines:
            self._beginnings[page.number] = page.text[:_JUDGED_CHARACTERS]
            self._rows.add_page(
                page.number, page.label, page.origin, page.lines if ordinary else self._readable(page)
            )

    def _warn(self, page: int, reason: str) -> None:
        """Note that a page has no usable text."""
        self._warnings[page] = ExtractionWarning(
            "page_without_text", f"Page {page} has no usable text: {reason}.", page=page
        )

    def _readable(self, page: PdfPage) -> list[Fragment]:
        """The lines that are text, of a page that is so as a whole."""
        if not text_quality.bad_share(page.text):
            return page.lines
        kept = [f for f in page.lines if text_quality.bad_share(f.text) <= text_quality.MAX_BAD_SHARE_LINE]
        if len(kept) < len(page.lines):
            self._warnings[page.number] = ExtractionWarning(
                "unreadable_lines",
                f"{len(page.lines) - len(kept)} line(s) in a font without a character map were left out.",
                page=page.number,
            )
        return kept

    def finish(self) -> tuple[list[PageInfo], pa.Table, list[ExtractionWarning]]:
        """The facts about every page, the rows of the usable ones, and a warning for every page that lacks text."""
        nonsense = text_quality.nonsense_pages(self._beginnings)
        for page in nonsense:
            self._warn(page, "its text layer is nonsense (a wrong character map or a failed OCR)")
        infos = [replace(info, usable=False) if info.page in nonsense else info for info in self._infos]
        warnings = [self._warnings[page] for page in sorted(self._warnings)]
        return infos, self._rows.table(without_pages=nonsense), warnings
