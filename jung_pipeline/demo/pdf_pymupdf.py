"""A cleanly typeset PDF: running heads, page labels, an outline, notes at the foot, an index."""

from __future__ import annotations

from pathlib import Path

import pymupdf

from jung_pipeline.demo.book import Book
from jung_pipeline.demo.fonts_pymupdf import add_fonts, advance, set_content, text_operators
from jung_pipeline.demo.pages import Layout, lay_out
from jung_pipeline.demo.setting import HEIGHT, WIDTH, Page, left_margin
from jung_pipeline.demo.truth import BuiltBook, Fault, FaultKind, TrueParagraph, true_paragraph


def build_pdf(path: Path, book: Book) -> BuiltBook:
    """Write ``book`` as a typeset PDF to ``path``; the same book gives the same bytes."""
    layout = lay_out(book, advance)
    document = pymupdf.open()
    for page in layout.pages:
        draw(document, page)
    finish(document, layout, path)
    return BuiltBook(path, book, true_paragraphs(layout), typesetting_faults(layout))


def draw(document: pymupdf.Document, page: Page) -> pymupdf.Page:
    """Add ``page`` to ``document`` as a visible page."""
    sheet = document.new_page(width=WIDTH, height=HEIGHT)
    add_fonts(sheet, {piece.font for line in page.lines for piece in line.pieces})
    content = bytearray()
    for line in page.lines:
        for piece in line.pieces:
            content += text_operators(
                piece.x,
                HEIGHT - line.y + piece.rise,
                piece.text,
                piece.font,
                piece.size,
                word_space=line.word_space,
                tracking=line.tracking,
            )
    if page.rule is not None:
        x, y = left_margin(page.label), HEIGHT - page.rule
        content += f"0.4 w {x:.2f} {y:.2f} m {x + 60:.2f} {y:.2f} l S\n".encode()
    set_content(document, sheet, bytes(content))
    return sheet


def finish(document: pymupdf.Document, layout: Layout, path: Path, *, labels: bool = True) -> None:
    """Add the facts about the book (no dates) and, if ``labels``, page labels and outline; save."""
    book = layout.book
    if labels:
        first = next((i for i, page in enumerate(layout.pages) if page.label == "1"), len(layout.pages))
        document.set_page_labels(
            [
                {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1},
                {"startpage": first, "prefix": "", "style": "D", "firstpagenum": 1},
            ]
        )
        document.set_toc(_outline(layout))
    document.set_metadata({"title": book.title, "author": book.author, "subject": book.subtitle or ""})
    document.set_language(book.language)
    document.subset_fonts()
    path.parent.mkdir(parents=True, exist_ok=True)
    document.save(path, garbage=4, deflate=True, no_new_id=True)
    document.close()


def _outline(layout: Layout) -> list[list[object]]:
    """Parts and chapters with the pages where they begin."""
    entries: list[list[object]] = []
    for position, page in enumerate(layout.pages, start=1):
        if page.matter == "contents":
            entries.append([1, "Contents", position])
        elif page.matter == "index":
            entries.append([1, "Index", position])
        elif page.opening and page.chapter is not None:
            level = 2 if page.chapter.part else 1
            entries.append([level, page.chapter.heading, position])
    return entries


def true_paragraphs(layout: Layout) -> tuple[TrueParagraph, ...]:
    """The truth about every paragraph, with its pages."""
    found = []
    for position, item in enumerate(layout.items):
        first, last = layout.spans[position]
        labels = layout.pages[first].label, layout.pages[last].label
        found.append(true_paragraph(item, (first + 1, last + 1), labels))
    return tuple(found)


def typesetting_faults(layout: Layout) -> tuple[Fault, ...]:
    """What typesetting itself does to the text: words parted at line and page ends, heads and numbers."""
    faults: list[Fault] = []
    kinds: dict[str, FaultKind] = {"head": "running_head", "number": "page_number"}
    for number, page in enumerate(layout.pages):
        for line in page.lines:
            if line.role in kinds:
                faults.append(Fault(kinds[line.role], number + 1, page.label, line.text, line.text))
            if line.split is not None:
                runs_on = line.item is not None and line is _last_of(page, line.item)
                kind: FaultKind = "page_hyphen" if runs_on else "line_hyphen"
                read = f"{line.split.head}\n{line.split.tail}"
                faults.append(Fault(kind, number + 1, page.label, line.split.word, read, line.item))
    return tuple(faults)


def _last_of(page: Page, item: int) -> object:
    """The last line that true paragraph ``item`` has on ``page``."""
    return [line for line in page.lines if line.item == item][-1]
