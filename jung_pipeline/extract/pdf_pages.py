"""The pages of a PDF once read: which of them have usable text, and the rows they give.

A page is judged and turned into rows as soon as it is read; of the pages themselves only the beginning
of their text is kept, by which nonsense is told in the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa

from jung_pipeline.extract import page_quality, text_quality
from jung_pipeline.extract.document import ExtractionWarning, PageInfo
from jung_pipeline.extract.pdf_fragments import Fragment
from jung_pipeline.extract.raw_lines import RawLines
from jung_pipeline.text.languages import spread, told_language
from jung_pipeline.text.words import LANGUAGES

#: A page without text is worth a word if a picture takes up so much of it, or so many paths are drawn.
_PICTURE_SHARE, _MANY_PATHS = 0.1, 100
#: The likeliest language is told by so many pages; it is the first if its list lacks so few of their words.
_SOME_PAGES, _FEW_UNKNOWN = 8, 0.3


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
        self._scans: set[int] = set()

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
            if page.origin == "ocr":
                self._scans.add(page.number)
            self._beginnings[page.number] = page.text[: page_quality.JUDGED_CHARACTERS]
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
        qualities, nonsense = self._judged()
        for page in nonsense:
            self._warn(page, "its text layer is nonsense (a wrong character map or a failed OCR)")
        infos = [self._with_quality(info, qualities, nonsense) for info in self._infos]
        warnings = [self._warnings[page] for page in sorted(self._warnings)]
        return infos, self._rows.table(without_pages=nonsense), warnings

    def _judged(self) -> tuple[dict[int, page_quality.PageQuality], set[int]]:
        """The quality of every page with text, and the pages that are well-formed nonsense."""
        qualities: dict[int, page_quality.PageQuality] = {}
        doubtful: dict[int, str] = {}
        likely = self._likely_languages()
        for page, text in self._beginnings.items():
            found = qualities[page] = page_quality.judge(text, likely, scanned=page in self._scans)
            if found.language != likely[0]:
                likely.remove(found.language)
                likely.insert(0, found.language)
            if not text_quality.surely_words(found.known, text):
                doubtful[page] = text
        return qualities, text_quality.nonsense_pages(doubtful)

    def _likely_languages(self) -> list[str]:
        """The languages that a page may be in, the one that some pages tell first."""
        pages = list(self._beginnings.values())
        some = "\n".join(pages[index] for index in spread(len(pages), _SOME_PAGES))
        first = page_quality.judge(some, LANGUAGES[:1], scanned=False)
        # The first language's words tell it quickest.
        told = first.language if first.unknown < _FEW_UNKNOWN else told_language(some)
        return sorted(LANGUAGES, key=lambda language: language != told)

    def _with_quality(
        self, info: PageInfo, qualities: dict[int, page_quality.PageQuality], nonsense: set[int]
    ) -> PageInfo:
        """What is known about a page, with the score of its text."""
        if info.page in nonsense:
            return replace(info, usable=False, quality=0.0, quality_reason="nonsense")
        found = qualities.get(info.page)
        if found is None:
            unreadable = info.characters > 0 and not info.usable
            return replace(info, quality=0.0, quality_reason="unreadable") if unreadable else info
        return replace(
            info, quality=found.score, quality_reason=found.reason if found.score is not None else None
        )
