"""From an open EPUB with a known package to raw lines: navigation, spine, documents, the book as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jung_pipeline.errors import SourceError
from jung_pipeline.extract import encoding, epub_navigation, epub_package, gutenberg, html_bs4, html_outline
from jung_pipeline.extract.document import (
    DocumentInfo,
    ExtractedDocument,
    ExtractionWarning,
    OutlineEntry,
    PageInfo,
)
from jung_pipeline.extract.epub_archive import Archive, EntryTooLarge
from jung_pipeline.extract.epub_navigation import Navigation
from jung_pipeline.extract.epub_package import Item, Package
from jung_pipeline.extract.html_blocks import RowBuilder
from jung_pipeline.extract.html_lines import Row
from jung_pipeline.extract.html_notes import label_pages, resolve_notes
from jung_pipeline.progress import advance


@dataclass
class Reading:
    """A book while it is read."""

    archive: Archive
    package: Package
    hints: Mapping[str, Any]
    navigation: Navigation = field(default_factory=Navigation)
    rows: list[Row] = field(default_factory=list)
    pages: list[PageInfo] = field(default_factory=list)
    warnings: list[ExtractionWarning] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    waiting_pages: list[str] = field(default_factory=list)
    serial: int = 0
    missing: int = 0
    too_large: int = 0
    navigation_file: str | None = None  # the navigation document in the archive

    def warn(self, code: str, message: str, page: int | None = None, part: str | None = None) -> None:
        """Report something to the reader of the text."""
        self.warnings.append(ExtractionWarning(code, message, page, part))

    def miss(self, part: str, message: str, page: int | None = None) -> None:
        """Report a part of the book that was not read."""
        self.missing += 1
        self.warn("missing_part", message, page, part)

    def resolver(self, base: str) -> epub_navigation.Resolver:
        """From an href in the document ``base`` to the file-qualified target inside the book."""

        def resolve(href: str) -> str | None:
            entry, fragment = self.archive.resolve(href, base) if href else (None, "")
            if entry is None:
                return None
            return f"{entry}#{fragment}" if fragment else entry

        return resolve


#: Control characters, white space aside; cipher is full of them, text has none or a stray one.
_CONTROLS = bytes([*range(1, 9), *range(14, 32)])
_MAX_CONTROLS = 0.01


def read_book(reading: Reading, *, extractor: str) -> ExtractedDocument:
    """The raw lines of the book; ``extractor`` names what read the package.

    Raises:
        SourceError: its text is protected, or none of its documents can be read.
    """
    _read_navigation(reading)
    entries = _reading_order(reading)
    _refuse_protected(reading, entries)
    for position, entry in enumerate(entries, start=1):
        _read_document(reading, entry, position)
        advance("raw_text", position, len(entries))
    _read_linked(reading, set(entries))
    return _finish(reading, extractor)


def _entry(reading: Reading, item: Item) -> str | None:
    """The file in the archive that an item means."""
    entry, _ = reading.archive.resolve(item.href, reading.package.path)
    return entry


def _read_navigation(reading: Reading) -> None:
    """Outline, page list and landmarks, from the navigation document and the NCX together."""
    archive = reading.archive
    nav, ncx = reading.package.navigation(), reading.package.ncx()
    for item, is_nav in ((nav, True), (ncx, False)):
        entry = _entry(reading, item) if item else None
        if is_nav:
            reading.navigation_file = entry
        if entry is None:
            continue
        try:
            data = archive.read(entry)
        except (KeyError, EntryTooLarge):
            reading.warn("repaired", f"The table of contents {entry} cannot be read.")
            continue
        if is_nav:
            text = html_bs4.without_doctype(html_bs4.decode_markup(data, entry, {}).text)
            found = epub_navigation.read_nav(text, reading.resolver(entry))
        else:
            found = epub_navigation.read_ncx(data, reading.resolver(entry))
        current = reading.navigation
        current.outline = current.outline or found.outline
        current.pages = current.pages or found.pages
        current.landmarks = {**found.landmarks, **current.landmarks}
    resolve = reading.resolver(reading.package.path)
    for kind, href in reading.package.guide:
        target = resolve(href)
        if target and kind:
            reading.navigation.landmarks.setdefault(target, kind)


def _reading_order(reading: Reading) -> list[str]:
    """The documents to read, in the order of the spine, each once; notes out of line too."""
    package = reading.package
    order: dict[str, None] = {}
    for idref, _ in package.spine:
        items = package.by_id(idref)
        if not items:
            reading.warn("repaired", f"The spine names {idref!r}, which is not in the manifest; passed over.")
        for item in items:
            if item.media_type.startswith("image/") and item.media_type != "image/svg+xml":
                continue
            entry = _entry(reading, item)
            if entry is None:
                reading.miss(item.href, f"{item.href} is named in the spine but not in the archive.")
            else:
                order[entry] = None
    if not order and not reading.missing:
        for item in package.items:
            entry = _entry(reading, item)
            if entry and item.is_document and "nav" not in item.properties:
                order[entry] = None
        if order:
            reading.warn("repaired", "The spine is empty; the order of the manifest was used.")
    return list(order)


def _refuse_protected(reading: Reading, entries: list[str]) -> None:
    """Raise SourceError if text of the book is encrypted."""
    locked = reading.archive.encrypted_entries() & set(entries)
    if locked:
        raise _protected(reading.archive, sorted(locked)[0])


def _protected(archive: Archive, entry: str) -> SourceError:
    return SourceError(
        "drm",
        archive.file,
        f"the book is protected by digital rights management: {archive.protection()} ({entry} is encrypted).",
        remedy="Get an edition without protection.",
    )


# --------------------------------------------------------------------------------------------------
# the documents
# --------------------------------------------------------------------------------------------------


def _read_document(reading: Reading, entry: str, page: int) -> None:
    """Add the rows of one document; what cannot be read is reported and left out."""
    archive = reading.archive
    try:
        data = archive.read(entry)
    except EntryTooLarge as error:
        reading.too_large += 1
        reading.miss(entry, f"{error}; it was left out.", page)
        return
    except KeyError as error:
        reading.miss(entry, f"{error.args[0]}; it was left out.", page)
        return
    if not data.strip():
        reading.miss(entry, f"{entry} is empty.", page)
        return
    if _is_binary(data):
        if archive.protection():
            raise _protected(archive, entry)
        reading.miss(entry, f"{entry} holds no text document; it was left out.", page)
        return
    decoded = html_bs4.decode_markup(data, entry, reading.hints)
    reading.warnings += html_bs4.encoding_warnings(decoded, entry, page)
    if html_bs4.is_cut_off(decoded.text):
        reading.miss(entry, f"{entry} ends in the middle; what is there was read.", page)
    builder = html_bs4.parse_into(
        decoded.text,
        RowBuilder(
            entry,
            page,
            reading.resolver(entry),
            reading.navigation.pages,
            waiting_pages=reading.waiting_pages,
            serial=reading.serial,
        ),
    )
    rows = builder.close()
    if entry == reading.navigation_file:
        for row in rows:
            row.element = "toc"
    reading.rows += rows
    reading.serial, reading.waiting_pages = builder.serial, builder.waiting_pages
    reading.types.update(builder.types)
    characters = sum(len(row.text) for row in rows)
    reading.pages.append(PageInfo(page, None, characters, usable=characters > 0, name=entry))


def _is_binary(data: bytes) -> bool:
    """Whether a document is no markup at all: cipher, a picture, another format."""
    head = data[:8192]
    if not head.strip() or head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    if head.lstrip().startswith((b"%PDF", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8")):
        return True
    wide = head.count(0) > 0.3 * len(head)  # UTF-16 without a mark
    text = encoding.beginning_of(head).encode("utf-8") if wide else head
    controls = len(text) - len(text.translate(None, _CONTROLS))
    return b"<" not in data.replace(b"\0", b"") or controls > len(text) * _MAX_CONTROLS


def _read_linked(reading: Reading, read: set[str]) -> None:
    """Documents outside the spine that the text links to, notes mostly, come after the rest."""
    documents = {
        entry
        for item in reading.package.items
        if item.is_document and (entry := _entry(reading, item)) and entry != reading.navigation_file
    }
    outside = documents - read
    targets = (link.target.partition("#")[0] for row in list(reading.rows) for link in row.links)
    locked = reading.archive.encrypted_entries() if outside else set()
    for entry in dict.fromkeys(target for target in targets if target in outside):
        if entry not in locked:
            reading.warn("repaired", f"{entry} is linked to but not in the spine; it was added at the end.")
            _read_document(reading, entry, len(read) + 1)
            read.add(entry)


# --------------------------------------------------------------------------------------------------
# the book as a whole
# --------------------------------------------------------------------------------------------------

#: epub:type of a landmark, or type of a guide reference → element of the rows of that document.
_PARTS = {
    "toc": "toc",
    "cover": "cover",
    "titlepage": "title",
    "title-page": "title",
    "halftitlepage": "title",
    "copyright-page": "copyright",
    "imprint": "copyright",
    "colophon": "colophon",
    "dedication": "dedication",
    "index": "index",
    "bibliography": "bibliography",
    "loi": "lot",
    "lot": "lot",
}

#: A title page or the like is short; a longer document only begins with one.
_SHORT_PART = 4000

#: Share of the rows of a contents page that hold a link.
_LINKED_ROWS = 0.5


def _finish(reading: Reading, extractor: str) -> ExtractedDocument:
    rows = reading.rows
    if not rows and reading.too_large:
        raise SourceError(
            "too_large",
            reading.archive.file,
            reading.warnings[-1].message,
            remedy="No book's text is that large: get the file from another source.",
        )
    if reading.missing and not reading.pages:
        raise SourceError(
            "damaged",
            reading.archive.file,
            "none of the documents of its spine can be read.",
            remedy="Get the file again.",
        )
    _mark_parts(reading)
    header = html_bs4.settle_parts(rows)
    outline = _outline(reading)
    resolve_notes(rows, [*(e.target for e in outline if e.target), *reading.navigation.landmarks])
    label_pages(rows)
    metadata = epub_package.facts(reading.package, header)
    book = any(row.element != gutenberg.LICENCE for row in rows)
    first_labels: dict[int, str | None] = {}
    for row in rows:
        first_labels.setdefault(row.page, row.page_label)
    return ExtractedDocument(
        html_bs4.to_table(rows),
        DocumentInfo(
            format="epub",
            status="no_text" if not book else "partial" if reading.missing else "ok",
            extractor=f"{extractor}, {html_bs4.parser_name()}",
            pages=[replace(page, label=first_labels.get(page.page)) for page in reading.pages],
            outline=outline,
            metadata=metadata,
            warnings=reading.warnings,
        ),
    )


def _mark_parts(reading: Reading) -> None:
    """Rows of title pages, contents and the like that only the landmarks or the guide name."""
    documents: dict[str, list[Row]] = {}
    for row in reading.rows:
        documents.setdefault(row.file, []).append(row)
    begins = {file: _ids_of(rows[0]) for file, rows in documents.items()}
    seen: set[tuple[str, str]] = set()
    for target, kind in reading.navigation.landmarks.items():
        element = _PARTS.get(kind)
        file, _, fragment = target.partition("#")
        rows = documents.get(file, [])
        if element is None or not rows or len(documents) < 2 or (file, element) in seen:
            continue
        if fragment and f"{file}#{fragment}" not in begins[file]:
            continue
        seen.add((file, element))
        if element in ("toc", "lot"):
            fits = sum(bool(row.links) for row in rows) >= _LINKED_ROWS * len(rows)
        elif element in ("index", "bibliography"):
            fits = True
        else:
            fits = sum(len(row.text) for row in rows) <= _SHORT_PART
        if fits:
            for row in rows:
                if row.note is None and row.element != gutenberg.LICENCE:
                    row.element = element


def _ids_of(row: Row) -> set[str | None]:
    return {row.element_id, *(name for _, name in row.anchors)}


def _outline(reading: Reading) -> list[OutlineEntry]:
    """The navigation's entries with their pages and kinds; the headings where there is no navigation."""
    pages = {page.name: page.page for page in reading.pages}
    entries = reading.navigation.outline or html_outline.outline_of(reading.rows)
    kinds = {**reading.types, **reading.navigation.landmarks}
    return [
        replace(
            entry,
            page=pages.get(entry.target.partition("#")[0]) if entry.target else None,
            kind=entry.kind or kinds.get(entry.target or ""),
        )
        for entry in entries
    ]
