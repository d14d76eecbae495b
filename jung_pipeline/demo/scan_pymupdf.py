"""A PDF like a scan of the 1950s: grey page images with the text that a machine read from them beneath.

Each page is a JPEG of the typeset page (slightly askew, uneven paper, noise) and an invisible text layer
(render mode 3) whose words lie over their pictures and carry the faults of :mod:`jung_pipeline.demo.faults`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pymupdf

from jung_pipeline.demo.book import Book
from jung_pipeline.demo.faults import FaultRates, Misreader
from jung_pipeline.demo.fonts_pymupdf import add_fonts, advance, font, set_content, text_operators
from jung_pipeline.demo.lines import Line, in_latin_font
from jung_pipeline.demo.pages import lay_out
from jung_pipeline.demo.pdf_pymupdf import draw, finish, true_paragraphs, typesetting_faults
from jung_pipeline.demo.setting import FOOT, HEIGHT, TOP, WIDTH, Page, left_margin
from jung_pipeline.demo.truth import BuiltBook, Fault, FaultKind

#: Resolution of the page images, dots per inch: enough to read, small enough to keep.
DPI = 120
_JPEG_QUALITY = 38
#: What a seller laid over the pages, and where its baseline stands (points from the top).
STAMPS = (("Copyrighted Material", 20.0), ("Copyrighted Material", 488.0), ("COPYRIGHTED MATERIAL", 488.0))


@dataclass(frozen=True)
class OcrWord:
    """A word of the text layer: where it lies, and what it says."""

    x: float
    y: float  # baseline, from the top
    width: float
    text: str
    font: str
    size: float
    rise: float = 0.0


def build_scan(path: Path, book: Book, faults: FaultRates | None = None) -> BuiltBook:
    """Write ``book`` as a scan with a faulty text layer to ``path``.

    Args:
        path: the PDF to write.
        book: what was printed.
        faults: how often the reader erred; ``None`` is a bad but usable scan, ``NO_FAULTS`` a perfect one.

    Returns:
        The file with its true paragraphs and every fault, in reading order of the pages.
    """
    rates = faults or FaultRates()
    layout = lay_out(book, advance, tracked_headings=rates.letter_spaced_heading > 0)
    reader = Misreader(rates, book.key)
    found = [f for f in typesetting_faults(layout) if f.kind in ("line_hyphen", "page_hyphen")]
    printed, document = pymupdf.open(), pymupdf.open()
    for number, page in enumerate(layout.pages, start=1):
        layer = _Layer(reader, number, page)
        image = _photograph(draw(printed, page), layer.stamp, number)
        sheet = document.new_page(width=WIDTH, height=HEIGHT)
        sheet.insert_image(sheet.rect, stream=image)
        _add_text(document, sheet, layer.words)
        found.extend(layer.faults)
    printed.close()
    finish(document, layout, path, labels=False)
    found.sort(key=lambda fault: fault.page)
    return BuiltBook(path, book, true_paragraphs(layout), tuple(found))


class _Layer:
    """The text layer of one page, and the faults in it."""

    def __init__(self, reader: Misreader, number: int, page: Page) -> None:
        self.reader, self.number, self.page = reader, number, page
        self.words: list[OcrWord] = []
        self.faults: list[Fault] = []
        self.stamp: tuple[str, float] | None = None
        if reader.strikes(reader.rates.stamp):
            self.stamp = reader.random.choice(STAMPS)
        if self.stamp is not None and self.stamp[1] < TOP:
            self._stamp(self.stamp)
        for line in page.lines:
            self._line(line)
        speck = reader.speck()
        if speck is not None:
            x, y = left_margin(page.label) - 20, reader.random.uniform(TOP + 60, FOOT - 20)
            self.words.append(OcrWord(x, y, 4.0, speck, "roman", 7.0))
            self._fault("speck", "", speck)
        if self.stamp is not None and self.stamp[1] > TOP:
            self._stamp(self.stamp)

    def _fault(self, kind: FaultKind, truth: str, read: str, paragraph: int | None = None) -> None:
        self.faults.append(Fault(kind, self.number, self.page.label, truth, read, paragraph))

    def _stamp(self, stamp: tuple[str, float]) -> None:
        text, y = stamp
        extent = font("roman").text_length(text, 9.0)
        self.words.append(OcrWord((WIDTH - extent) / 2, y, extent, text, "roman", 9.0))
        self._fault("stamp", "", text)

    def _line(self, line: Line) -> None:
        if line.role in ("head", "number", "heading") or (
            line.role in ("contents", "index") and line.tracking
        ):
            self._whole(line)
            return
        skip = False
        for i, (x, extent, word) in enumerate(line.words):
            spoken = "".join(c.text for c in word if not c.mark)
            if skip or not spoken:
                skip = False
                self._marks(line, x, extent, i, spoken)
                continue
            parted = line.split is not None and i == len(line.words) - 1
            text, width = spoken, self._spoken_width(line, i)
            whole = not parted and not (line.continued and i == 0)
            if whole and i + 1 < len(line.words) and self._joins(line, i):
                following = "".join(c.text for c in line.words[i + 1][2])
                next_x, next_extent, _ = line.words[i + 1]
                self._fault("joined_words", f"{spoken} {following}", spoken + following, line.item)
                text, width, skip = spoken + following, next_x + next_extent - x, True
            elif whole and line.item is not None:
                misread = self.reader.word(spoken)
                if misread is not None:
                    text = misread[1]
                    self._fault(misread[0], spoken, text, line.item)  # type: ignore[arg-type]
            first = next(c for c in word if not c.mark)
            latin = first.font if first.font != "greek" else "roman"
            face = latin if all(map(in_latin_font, text)) else "greek"
            self.words.append(OcrWord(x, line.y, width, text, face, first.size))
            self._marks(line, x, extent, i, spoken)

    def _joins(self, line: Line, i: int) -> bool:
        """Whether the gap behind word ``i`` is overlooked; never before a note mark or a parted word."""
        here, following = line.words[i][2], line.words[i + 1][2]
        plain = all(c.font == here[0].font and not c.mark and c.text.isalpha() for c in here + following)
        last = line.split is not None and i + 1 == len(line.words) - 1
        rate = self.reader.rates.joined_words
        return plain and not last and line.item is not None and self.reader.strikes(rate)

    def _spoken_width(self, line: Line, i: int) -> float:
        """Width of word ``i`` without the note mark behind it."""
        _, extent, word = line.words[i]
        return extent - sum(advance(c.font, c.text) * c.size for c in word if c.mark)

    def _marks(self, line: Line, x: float, extent: float, i: int, spoken: str) -> None:
        """The note mark in word ``i``, read rightly and raised as printed."""
        marks = [c for c in line.words[i][2] if c.mark]
        if marks:
            text = "".join(c.text for c in marks)
            width = sum(advance(c.font, c.text) * c.size for c in marks)
            start = x + self._spoken_width(line, i) if spoken else x
            self.words.append(
                OcrWord(start, line.y, width, text, marks[0].font, marks[0].size, marks[0].rise)
            )

    def _whole(self, line: Line) -> None:
        """A heading, running head or page number, read in one piece."""
        x = line.words[0][0]
        extent = line.words[-1][0] + line.words[-1][1] - x
        truth, read = line.text, line.text
        kind: FaultKind = "running_head"
        if line.role == "head":
            read = self.reader.running_head(truth)
        elif line.role == "number":
            kind, read = "page_number", self.reader.page_number(truth)
        elif self.reader.strikes(self.reader.rates.letter_spaced_heading):
            kind, read = "letter_spaced_heading", "   ".join(" ".join(word) for word in truth.split())
        size = line.words[0][2][0].size
        self.words.append(OcrWord(x, line.y, extent, read, "roman", size))
        if line.role in ("head", "number") or read != truth:
            self._fault(kind, truth, read, line.item)


def _add_text(document: pymupdf.Document, sheet: pymupdf.Page, words: Sequence[OcrWord]) -> None:
    """Lay ``words`` invisibly over the image of ``sheet``, each stretched to the width it has there."""
    add_fonts(sheet, {"roman", *(word.font for word in words)})
    content = bytearray(sheet.read_contents() + b"\n")
    for word, following in zip(words, [*words[1:], None], strict=True):
        natural = font(word.font).text_length(word.text, word.size) or 1.0
        content += text_operators(
            word.x,
            HEIGHT - word.y + word.rise,
            word.text,
            word.font,
            word.size,
            stretch=word.width / natural,
            invisible=True,
        )
        same_line = following is not None and (following.y, following.size) == (word.y, word.size)
        gap = following.x - word.x - word.width if following and same_line else 0.0
        if 0 < gap < 3 * word.size:  # a space as wide as the gap, as readers of print write it
            space = advance("roman", " ") * word.size
            at = (word.x + word.width, HEIGHT - word.y)
            content += text_operators(*at, " ", "roman", word.size, stretch=gap / space, invisible=True)
    set_content(document, sheet, bytes(content))


def _photograph(sheet: pymupdf.Page, stamp: tuple[str, float] | None, number: int) -> bytes:
    """The page as a grey JPEG: slightly askew, unevenly lit, with grain and a few stains."""
    if stamp is not None:
        text, y = stamp
        x = (WIDTH - font("roman").text_length(text, 9.0)) / 2
        sheet.insert_text((x, y), text, fontname="tiro", fontsize=9.0, color=(0.35, 0.35, 0.35))
    rng = np.random.default_rng(number)
    lean = random.Random(number).uniform(-0.25, 0.25)
    scale = DPI / 72
    pixmap = sheet.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale).prerotate(lean),
        colorspace=pymupdf.csGRAY,
        clip=sheet.rect,
        alpha=False,
    )
    ink = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.stride)[:, : pixmap.width]
    height, width = ink.shape
    light = np.linspace(232, 214, width)[None, :] + np.linspace(4, -6, height)[:, None]
    grey = light * (0.14 + 0.86 * ink / 255.0) + rng.normal(0, 3.5, ink.shape)
    for _ in range(6):  # stains
        y, x = rng.integers(2, height - 2), rng.integers(2, width - 2)
        grey[y : y + 2, x : x + 2] -= 60
    samples = np.clip(grey, 0, 255).astype(np.uint8).tobytes()
    image = pymupdf.Pixmap(pymupdf.csGRAY, width, height, samples, False)
    return bytes(image.tobytes("jpeg", jpg_quality=_JPEG_QUALITY))
