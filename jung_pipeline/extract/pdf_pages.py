"""The pages of a PDF once read: which of them have usable text, and the rows they give."""

from __future__ import annotations

from dataclasses import dataclass

from jung_pipeline.extract import text_quality
from jung_pipeline.extract.document import ExtractionWarning, PageInfo
from jung_pipeline.extract.pdf_fragments import Fragment
from jung_pipeline.extract.raw_lines import RawLines

#: A page without text is worth a word if a picture takes up so much of it, or so many paths are drawn.
_PICTURE_SHARE, _MANY_PATHS = 0.1, 100


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


def judge(pages: list[PdfPage], warnings: list[ExtractionWarning]) -> tuple[list[PageInfo], RawLines]:
    """Which pages have usable text; their lines, and a warning for every page that lacks it."""
    unusable = {p.number for p in pages if p.lines and not text_quality.has_usable_characters(p.text)}
    nonsense = text_quality.nonsense_pages(
        {p.number: p.text[:1500] for p in pages if p.lines and p.number not in unusable}
    )
    lines = RawLines()
    infos = []
    for page in pages:
        reason = None
        if page.number in unusable:
            reason = "its fonts have no character map, so its text cannot be read"
        elif page.number in nonsense:
            reason = "its text layer is nonsense (a wrong character map or a failed OCR)"
        elif not page.lines and (page.image_share or 0) >= _PICTURE_SHARE:
            reason = f"it is an image ({page.image_share or 0:.0%} of the page) without a text layer"
        elif not page.lines and page.paths >= _MANY_PATHS:
            reason = "it is drawn in outlines, without text"
        usable = reason is None  # a blank page is: there is nothing in it to distrust
        if reason:
            warnings.append(
                ExtractionWarning(
                    "page_without_text", f"Page {page.number} has no usable text: {reason}.", page=page.number
                )
            )
        if usable:
            kept = page.lines
            if text_quality.bad_share(page.text):
                kept = [f for f in kept if text_quality.bad_share(f.text) <= text_quality.MAX_BAD_SHARE_LINE]
            if len(kept) < len(page.lines):
                warnings.append(
                    ExtractionWarning(
                        "unreadable_lines",
                        f"{len(page.lines) - len(kept)} line(s) in a font without a character map were left out.",
                        page=page.number,
                    )
                )
            lines.add_page(page.number, page.label, page.origin, kept)
        infos.append(
            PageInfo(
                page=page.number,
                label=page.label,
                characters=len(page.text),
                usable=usable,
                width=round(page.width, 2),
                height=round(page.height, 2),
                image_share=page.image_share,
            )
        )
    return infos, lines
