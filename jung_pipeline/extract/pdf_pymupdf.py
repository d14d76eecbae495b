"""Raw lines of a PDF through PyMuPDF, the only module that imports it.

MuPDF is asked for text, never for pictures: no page is rendered, so a page of enormous size or a scan of
hundreds of megabytes costs no more than its text. MuPDF keeps global state (messages), so a process
extracts one file at a time; several files want several processes.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

import pymupdf
from pymupdf import mupdf

from jung_pipeline import progress
from jung_pipeline.errors import SourceError
from jung_pipeline.extract import pdf_fragments, pdf_layout, pdf_printed
from jung_pipeline.extract.document import (
    DocumentInfo,
    ExtractedDocument,
    ExtractionWarning,
    OutlineEntry,
)
from jung_pipeline.extract.metadata import clean_metadata
from jung_pipeline.extract.pdf_fragments import Fragment
from jung_pipeline.extract.pdf_pages import PdfPage, PdfPages
from jung_pipeline.garbage import collector_at_rest
from jung_pipeline.text.languages import sample, spread, told_language

#: Ligatures and blanks as the file has them; nothing outside the crop box; no images; unknown glyphs as
#: U+FFFD rather than as glyph numbers, which look like letters.
_FLAGS = mupdf.FZ_STEXT_PRESERVE_LIGATURES | mupdf.FZ_STEXT_PRESERVE_WHITESPACE | mupdf.FZ_STEXT_MEDIABOX_CLIP
#: JSON has whole numbers only: hundredths of a point.
_SCALE = 100
#: An image over half the page with text that nobody sees is a scan with its OCR.
_SCAN_SHARE = 0.5
#: So many different messages of MuPDF are passed on.
_MAX_MESSAGES = 20

#: How MuPDF says that it was refused memory.
_NO_MEMORY = re.compile(r"\b[mc]?(?:re)?alloc \(.*failed")

_MUPDF_ERRORS = (RuntimeError, ValueError, IndexError, mupdf.FzErrorBase)


@collector_at_rest()
def extract_pdf(path: Path, hints: Mapping[str, Any]) -> ExtractedDocument:
    """The lines of a PDF in reading order, its outline, page labels and metadata.

    Args:
        path: the file.
        hints: ``password_env``, the name of an environment variable that holds the file's password.

    Returns:
        One row a line; pages without usable text have none and are named in the warnings. The status is
        ``no_text`` if no page has usable text, ``partial`` if some page lacks it.

    Raises:
        SourceError: ``encrypted`` without the right password; ``damaged`` if no page can be read;
            ``not_this_format`` if MuPDF reads the file as something else.
    """
    warnings: list[ExtractionWarning] = []
    with open_pdf(path, hints, warnings) as document:
        pages = _read_pages(document, path, warnings)
        info_pages, lines, about_pages = pages.finish()
        warnings.extend(about_pages)
        outline = _outline(document)
        metadata = _metadata(document)
    warnings.extend(_messages())
    usable = sum(page.usable and page.characters > 0 for page in info_pages)
    lacking = any(w.code in ("page_without_text", "damaged_page") for w in warnings)
    info = DocumentInfo(
        format="pdf",
        status="no_text" if not usable else "partial" if lacking else "ok",
        extractor=f"pymupdf {pymupdf.VersionBind}",
        pages=info_pages,
        outline=outline,
        metadata=metadata,
        warnings=warnings,
    )
    return ExtractedDocument(lines, info)


def describe_pdf(path: Path, hints: Mapping[str, Any]) -> dict[str, Any]:
    """Title, author and language of a PDF as its metadata states them.

    Where no language is stated, some pages spread over the book are read for it.

    Raises:
        SourceError: as :func:`extract_pdf`.
    """
    with open_pdf(path, hints, []) as document:
        found = _metadata(document)
        if "language" not in found:
            pages = spread(document.page_count)
            language = told_language(sample("\n".join(_plain_text(document, index) for index in pages)))
            if language:
                found["language"] = language
    _messages()
    return found


def _plain_text(document: pymupdf.Document, index: int) -> str:
    """The text of a page as MuPDF orders it; none if the page is damaged."""
    try:
        return str(document.load_page(index).get_text())
    except _MUPDF_ERRORS:
        return ""


# ---------------------------------------------------------------------------------------------------
# opening
# ---------------------------------------------------------------------------------------------------


def open_pdf(path: Path, hints: Mapping[str, Any], warnings: list[ExtractionWarning]) -> pymupdf.Document:
    """The open document, unlocked; says in ``warnings`` what was done to read it."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.TOOLS.reset_mupdf_warnings()
    try:
        document = pymupdf.open(str(path), filetype="pdf")
    except (*_MUPDF_ERRORS, OSError) as error:
        raise _damaged(path, "it cannot be opened as a PDF") from error
    try:
        if not document.is_pdf:
            raise SourceError(
                "not_this_format",
                path.name,
                "this is not a PDF.",
                remedy="Give the file the suffix of its real format, or get the book as PDF or EPUB.",
            )
        if document.needs_pass:
            _unlock(document, path, hints)
        elif (document.metadata or {}).get("encryption"):
            warnings.append(
                ExtractionWarning(
                    "owner_password",
                    "The file is protected by an owner password only and was read without it.",
                )
            )
        if document.page_count == 0:
            raise _damaged(path, "it has no readable page")
        if document.is_repaired:
            warnings.append(
                ExtractionWarning(
                    "repaired",
                    "The file is damaged or cut short; MuPDF rebuilt what it could, pages may be missing.",
                )
            )
    except _MUPDF_ERRORS as error:
        document.close()
        raise _damaged(path, "its structure cannot be read") from error
    except SourceError:
        document.close()
        raise
    return document


def _unlock(document: pymupdf.Document, path: Path, hints: Mapping[str, Any]) -> None:
    """Open an encrypted document with the password from the environment."""
    variable = hints.get("password_env")
    remedy = 'Put the password into an environment variable and name it in the catalogue: hints.password_env = "NAME".'
    if not variable:
        raise SourceError("encrypted", path.name, "the file needs a password.", remedy=remedy)
    password = os.environ.get(str(variable))
    if password is None:
        raise SourceError(
            "encrypted",
            path.name,
            f"the file needs a password, and the environment variable {variable} (hints.password_env) is not set.",
            remedy=f"Set {variable}.",
        )
    if not document.authenticate(password):
        raise SourceError(
            "encrypted",
            path.name,
            f"the password in {variable} (hints.password_env) does not open the file.",
            remedy=f"Correct {variable}.",
        )


def _damaged(path: Path, what: str) -> SourceError:
    """The error for a file that cannot be read, with what MuPDF said about it."""
    said = [m.message for m in _messages()]
    detail = f" ({said[0]})" if said else ""
    return SourceError(
        "damaged",
        path.name,
        f"the file is damaged: {what}{detail}.",
        remedy="Get the file again, or repair it with a PDF tool.",
    )


def _messages() -> list[ExtractionWarning]:
    """What MuPDF complained about since last asked, each kind of complaint once."""
    said = Counter(line.strip() for line in pymupdf.TOOLS.mupdf_warnings().splitlines() if line.strip())
    return [
        ExtractionWarning("mupdf", text if times == 1 else f"{text} ({times} times)")
        for text, times in list(said.items())[:_MAX_MESSAGES]
    ]


# ---------------------------------------------------------------------------------------------------
# pages
# ---------------------------------------------------------------------------------------------------


def _read_pages(document: pymupdf.Document, path: Path, warnings: list[ExtractionWarning]) -> PdfPages:
    """Every page that can be read, in order."""
    total = document.page_count
    reader = _PageReader(document)
    pages = PdfPages()
    for index in range(total):
        progress.begin("raw_text", index + 1)
        try:
            pages.add(reader.read(index))
        except _MUPDF_ERRORS as error:
            if _NO_MEMORY.search(str(error)):
                raise MemoryError(str(error)) from error  # not a matter of this page alone
            warnings.append(
                ExtractionWarning("damaged_page", f"The page cannot be read ({error}).", page=index + 1)
            )
        if index % 20 == 19 or index == total - 1:
            progress.advance("raw_text", index + 1, total)
    progress.begin("raw_text", 0)
    if not pages:
        raise _damaged(path, "none of its pages can be read")
    return pages


class _PageReader:
    """Reads the pages of a document, and remembers what one page says about others."""

    def __init__(self, document: pymupdf.Document) -> None:
        self._document = document
        self._rules = sorted(document.get_page_labels(), key=itemgetter("startpage"))
        self._starts = [rule["startpage"] for rule in self._rules]
        self._directions: dict[tuple[str, int], bool] = {}
        self._without_images: set[int] = set()

    def read(self, index: int) -> PdfPage:
        """One page: its lines in reading order and what lies behind them."""
        page = mupdf.fz_load_page(self._document.this, index)
        stext = mupdf.FzStextPage(page, mupdf.FzStextOptions(_FLAGS))
        lines = _lines(stext, self._directions)
        box = mupdf.fz_bound_page(page)
        if mupdf.fz_is_infinite_rect(box):
            box = self._document.load_page(index).rect
        width, height = max(0.0, box.x1 - box.x0), max(0.0, box.y1 - box.y0)
        found = PdfPage(
            index + 1, self._label(index), lines, "\n".join([f.text for f in lines]), width, height
        )
        if not lines or self._has_images(page, index):
            _look_behind(self._document.load_page(index), found)
        if found.origin == "ocr":
            for line in lines:
                pdf_fragments.without_ocr_noise(line)
        return found

    def _label(self, index: int) -> str | None:
        """The printed page number; ``None`` where the file gives none."""
        place = bisect_right(self._starts, index) - 1
        if place < 0:
            return None
        rule = self._rules[place]
        style = rule.get("style", "")
        # Letters count from 0.
        number = index - rule["startpage"] + rule["firstpagenum"] - (style in ("a", "A"))
        try:
            return pymupdf.utils.construct_label(style, rule.get("prefix", ""), number).strip() or None
        except _MUPDF_ERRORS:
            return None

    def _has_images(self, page: mupdf.FzPage, index: int) -> bool:
        """Whether the page, or a form on it, names an image as something it may show."""
        resources = mupdf.pdf_dict_get_inheritable(
            mupdf.pdf_page_from_fz_page(page).obj(), mupdf.PDF_ENUM_NAME_Resources
        )
        shown = mupdf.pdf_dict_get(resources, mupdf.PDF_ENUM_NAME_XObject)
        for place in range(mupdf.pdf_dict_len(shown)):
            form = mupdf.pdf_dict_get_val(shown, place)
            number = mupdf.pdf_to_num(form)
            if number in self._without_images:
                continue
            kind = mupdf.pdf_dict_get(form, mupdf.PDF_ENUM_NAME_Subtype)
            if mupdf.pdf_name_eq(kind, mupdf.PDF_ENUM_NAME_Image):
                return True
            inner = mupdf.pdf_dict_get(form, mupdf.PDF_ENUM_NAME_Resources)
            if mupdf.pdf_dict_len(mupdf.pdf_dict_get(inner, mupdf.PDF_ENUM_NAME_XObject)):
                return bool(self._document.get_page_images(index))  # forms in forms
            if number:
                self._without_images.add(number)
        return False


def _lines(stext: Any, directions: dict[tuple[str, int], bool]) -> list[Fragment]:
    """The lines of a page, with as much detail asked of MuPDF as the page needs.

    ``directions`` remembers which texts of which size run aslant, so that a stamp is looked into once
    and not on every page.
    """
    page_json, page_html = _printed(stext)
    if b'"lines"' not in page_json:
        return []
    fragments = pdf_printed.from_json_and_html(page_json, page_html, _SCALE)
    if fragments is None:
        fragments = pdf_fragments.from_dict(pymupdf.TextPage(stext).extractDICT())
    if pdf_printed.needs_letters(fragments):
        fragments = pdf_fragments.from_rawdict(pymupdf.TextPage(stext).extractRAWDICT())
    else:
        tall = pdf_printed.tall(fragments)
        if any((f.text, round(f.size)) not in directions for f in tall):
            fragments = pdf_fragments.from_dict(pymupdf.TextPage(stext).extractDICT())
            turned = {f.text for f in fragments if f.turned}
            directions.update({(f.text, round(f.size)): f.text in turned for f in tall})
        else:
            for f in tall:
                f.turned = directions[f.text, round(f.size)]
    lines, gutters = pdf_layout.reading_order(fragments)
    if gutters and pdf_layout.crossing(lines, gutters):
        lines, _ = pdf_layout.reading_order(
            pdf_fragments.split_at(pymupdf.TextPage(stext).extractDICT(), gutters)
        )
    return lines


def _printed(stext: mupdf.FzStextPage) -> tuple[bytes, str]:
    """A page as MuPDF's own writers print it: JSON and HTML."""
    buffer = mupdf.FzBuffer(32768)
    output = mupdf.FzOutput(buffer)
    mupdf.fz_print_stext_page_as_json(output, stext, float(_SCALE))
    mupdf.fz_print_stext_page_as_html(output, stext, 0)
    output.fz_close_output()
    # No string in JSON can hold the quotation marks, so they are the first of the HTML.
    page_json, begin, page_html = buffer.fz_buffer_extract().partition(b'<div id="page0"')
    return page_json, (begin + page_html).decode("utf-8", "replace")


def _look_behind(page: pymupdf.Page, found: PdfPage) -> None:
    """Fill in how much of a page images cover, and whether its text is the OCR of a scan."""
    width, height = found.width, found.height
    if page.rotation % 180:
        width, height = height, width  # the log does not know of rotation
    area = max(width * height, 1.0)
    seen: set[tuple[float, ...]] = set()
    large: list[tuple[float, ...]] = []
    covered = 0.0
    hidden = shown = after_image = 0
    for kind, (bx0, by0, bx1, by1) in page.get_bboxlog():
        if kind in ("fill-image", "fill-imgmask"):
            box = (max(bx0, 0.0), max(by0, 0.0), min(bx1, width), min(by1, height))
            size = max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)
            if size > _SCAN_SHARE * area:
                after_image = 0
            # Pictures lie on pictures (layers of a scan); strips lie side by side.
            if box not in seen and not any(_inside(box, other) for other in large):
                seen.add(box)
                covered += size
                if size > 0.1 * area:
                    large.append(box)
        elif kind == "ignore-text":
            hidden += 1
        elif kind in ("fill-text", "stroke-text"):
            shown += 1
            after_image += 1
        elif kind in ("fill-path", "stroke-path"):
            found.paths += 1
    found.image_share = round(min(1.0, covered / area), 3)
    if found.image_share >= _SCAN_SHARE and found.lines and (hidden > shown or after_image == 0):
        found.origin = "ocr"


def _inside(box: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether a box lies within another, to a point."""
    return (
        box[0] >= other[0] - 1
        and box[1] >= other[1] - 1
        and box[2] <= other[2] + 1
        and box[3] <= other[3] + 1
    )


# ---------------------------------------------------------------------------------------------------
# the document as a whole
# ---------------------------------------------------------------------------------------------------


def _outline(document: pymupdf.Document) -> list[OutlineEntry]:
    """The bookmarks in order; an entry that leads nowhere has no page."""
    try:
        entries = document.get_toc(simple=True)
    except _MUPDF_ERRORS:
        return []
    return [
        OutlineEntry(level=level, title=" ".join(title.split()), page=page if page > 0 else None)
        for level, title, page in entries
        if title and title.strip()
    ]


def _metadata(document: pymupdf.Document) -> dict[str, Any]:
    """Title, author and language as the file states them. The date of the file is not the book's."""
    stated = document.metadata or {}
    try:
        language = document.language
    except _MUPDF_ERRORS:
        language = None
    return clean_metadata(
        {"title": stated.get("title"), "author": stated.get("author"), "language": language}
    )
