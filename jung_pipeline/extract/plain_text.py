"""Raw lines of a plain text: a file, or pages of text handed over as strings.

A row is a line with letters or signs on it, exactly as it stands: leading blanks are kept (verse, centred
headings), trailing ones too. Blank lines have no row but are not forgotten: ``block`` goes up by one for
every blank line, so the difference between the block numbers of two neighbouring rows is the number of
blank lines between them (Project Gutenberg parts paragraphs by one, sections by two to four).
A form feed begins a new page and a new block. ``element`` is null except for Project Gutenberg's own words
(``gutenberg_licence``, ``transcriber_note``; see :mod:`jung_pipeline.extract.gutenberg`).
Marks: ``emphasis_mark``, ``italic``, ``bold``, ``superscript``, ``subscript``, ``pagebreak``
(see :mod:`jung_pipeline.extract.text_marks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from jung_pipeline import tables
from jung_pipeline.errors import SourceError
from jung_pipeline.extract import gutenberg, gutenberg_header, text_marks
from jung_pipeline.extract.document import DocumentInfo, ExtractedDocument, ExtractionWarning, PageInfo
from jung_pipeline.extract.encoding import declared_in_header, decode, hint_of
from jung_pipeline.progress import advance
from jung_pipeline.schemas import RAW_TEXT

#: A line ends in any of these; "\r\r\n" is one end, written by a double conversion.
_LINE_END = regex.compile(r"\r*\n|\r|\u2028|\u2029")

#: First bytes of files that are no text, whatever their name says.
_OTHER_FORMATS = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a zip archive (an EPUB or an office document)"),
    (b"{\\rtf", "an RTF document"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"\x1f\x8b", "a gzip archive"),
)


@dataclass
class _Row:
    page: int
    block: int
    line: int
    gap: int
    text: str
    element: str | None = None
    page_label: str | None = None
    marks: list[text_marks.Mark] = field(default_factory=list)


def extract_plain_text(data: bytes, file: str, hints: Mapping[str, Any]) -> ExtractedDocument:
    """The raw lines of a plain-text book.

    Args:
        data: the whole file.
        file: its name, for messages.
        hints: of the catalogue; ``encoding`` names the charset where the owner knows it.

    Raises:
        SourceError: the file is empty, or no text at all.
    """
    if not data.strip():
        raise SourceError("empty_file", file, "the file is empty.", remedy="Get the file again.")
    refuse_other_formats(data, file)
    decoded = decode(data, file, declared=[declared_in_header(data)], hint=hint_of(hints))
    if decoded.text.count("\0") > len(decoded.text) * 0.01:
        raise SourceError(
            "not_this_format", file, "this is not text.", remedy="Give the file its right extension."
        )
    warnings = []
    if decoded.guessed:
        warnings.append(
            ExtractionWarning(
                "encoding_guessed",
                f"The file does not say how its letters are coded; read as {decoded.encoding}. "
                'If letters are wrong, set hints = { encoding = "…" } in the catalogue.',
            )
        )
    if decoded.repaired:
        warnings.append(
            ExtractionWarning(
                "repaired", f"Some bytes were not {decoded.encoding} and were read as windows-1252."
            )
        )
    return _document(list(_rows(decoded.text.split("\f"))), warnings)


def describe_plain_text(data: bytes, file: str) -> dict[str, Any]:
    """What the header of the text ``data``, a whole file or its beginning, says about the book."""
    text = decode(data, file, declared=[declared_in_header(data)]).text
    return gutenberg_header.metadata([gutenberg.Line(row.text, row.gap) for row in _rows(text.split("\f"))])


def raw_text_from_pages(pages: Sequence[str]) -> ExtractedDocument:
    """The raw lines of pages of text given as strings, page 1 first; an empty page has no rows."""
    warnings = []
    clean = []
    for number, page in enumerate(pages, start=1):
        whole = page.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if whole != page:
            warnings.append(
                ExtractionWarning("repaired", "Half a surrogate pair was replaced by U+FFFD.", number)
            )
        clean.append(whole)
    return _document(list(_rows(clean)), warnings, pages=len(pages))


def refuse_other_formats(data: bytes, file: str) -> None:
    """Raise SourceError if the first bytes say that this is something else than text or markup."""
    head = data[:8].lstrip()
    for magic, what in _OTHER_FORMATS:
        if head.startswith(magic):
            raise SourceError(
                "not_this_format", file, f"this is {what}.", remedy="Give the file its right extension."
            )


def _rows(pages: Sequence[str]) -> Iterator[_Row]:
    """A row for each line that is not blank."""
    block = 0
    begun = False
    for page, content in enumerate(pages, start=1):
        gap, line = 0, 0
        if begun:
            block += 1
            gap = 1
        for text in _LINE_END.split(content):
            if not text.strip():
                if begun:
                    block += 1
                    gap += 1
                    line = 0
                continue
            yield _Row(page=page, block=block, line=line, gap=gap, text=text)
            begun = True
            gap, line = 0, line + 1


def _document(rows: list[_Row], warnings: list[ExtractionWarning], pages: int = 0) -> ExtractedDocument:
    book = [gutenberg.Line(row.text, row.gap) for row in rows]
    for row, label in zip(rows, gutenberg.label_lines(book), strict=True):
        row.element = label
    _mark_emphasis(rows)
    _mark_pages(rows)
    count = max(pages, rows[-1].page if rows else 0, 1)
    advance("raw_text", count, count)
    table = tables.from_rows(
        (
            {
                "line_id": line_id,
                "page": row.page,
                "page_label": row.page_label,
                "block": row.block,
                "line": row.line,
                "origin": "plain_text",
                "element": row.element,
                "text": row.text,
                "marks": [
                    {"start": start, "end": end, "kind": kind, "target": target}
                    for start, end, kind, target in row.marks
                ],
            }
            for line_id, row in enumerate(rows)
        ),
        RAW_TEXT,
    )
    characters = [0] * (count + 1)
    labels: list[str | None] = [None] * (count + 1)
    for row in rows:
        characters[row.page] += len(row.text)
        labels[row.page] = labels[row.page] or row.page_label
    return ExtractedDocument(
        table,
        DocumentInfo(
            format="txt",
            status="ok" if any(row.element is None for row in rows) else "no_text",
            extractor="plain_text 1",
            pages=[
                PageInfo(page, labels[page], characters[page], usable=characters[page] > 0)
                for page in range(1, count + 1)
            ],
            metadata=gutenberg_header.metadata(book),
            warnings=warnings,
        ),
    )


def _mark_emphasis(rows: list[_Row]) -> None:
    """Emphasis is looked for paragraph by paragraph, so that a lost sign harms no more than one."""
    begin = 0
    for index in range(1, len(rows) + 1):
        if index == len(rows) or rows[index].gap:
            paragraph = rows[begin:index]
            texts = [row.text for row in paragraph]
            if any(sign in text for text in texts for sign in "_=~#{"):
                for row, marks in zip(paragraph, text_marks.emphasis_marks(texts), strict=True):
                    row.marks += marks
            begin = index


def _mark_pages(rows: list[_Row]) -> None:
    """Printed page numbers, and the label in force where each line begins."""
    marks = text_marks.page_marks([row.text if row.element is None else "" for row in rows])
    label: str | None = None
    for index, row in enumerate(rows):
        found = marks.get(index, [])
        at_start = [mark for mark in found if not row.text[: mark[0]].strip()]
        row.page_label = at_start[-1][3] if at_start else label
        if found:
            row.marks = sorted(row.marks + found)
            label = found[-1][3]
