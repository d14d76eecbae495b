"""HTML documents to raw lines: a row for each line of each block element, with what the markup knows.

Well-formed XHTML is read by lxml, fast and to the letter; everything else by Beautiful Soup over Python's
own HTML parser, which loses no text whatever the markup. Document type declarations are dropped before
parsing: no external entity is ever resolved and no entity expands into others.

Text
    Inline tags never break a word. Block elements, list items, table cells and ``<br>`` do. White space is
    collapsed as browsers do, except in ``<pre>``; no-break spaces stay. Not text: head, scripts, styles,
    comments, hidden elements (unless they are notes), ``<nav>`` lists, descriptions of drawings. The rows of
    one block element share ``block``; ``<br>`` divides ``line``. A table row whose cells hold one line each
    is one row, its cells divided by tabs.

``element`` says what a row is. The first of these that applies:

    ``gutenberg_licence``, ``transcriber_note``
        words of Project Gutenberg and of transcribers, never of the book
    ``title``, ``cover``, ``copyright``, ``colophon``, ``dedication``, ``toc``, ``lot`` (lists of plates and
    tables), ``advertisement``, ``index``, ``bibliography``
        any row inside such a part, headings too; from epub:type, role=doc-*, class, the landmarks or the guide
    ``footnote``
        a row of a note, wherever it stands; ``element_id`` is the id its marks point to, the same for all
        rows of one note
    ``sidenote``
        a note in the margin; it follows the paragraph beside which it stands
    ``pagebreak``
        nothing but a printed page number, covered by its mark
    ``h1`` … ``h6``
        headings
    ``verse``
        a line of a poem (epub:type z3998:verse and kin, classes poem, poetry, stanza, verse, linegroup)
    ``caption``, ``figcaption``
        of a table or picture
    ``tr``, ``td``
        a table row; a line of a cell where cells hold several
    ``dt``, ``dd``, ``li``
        lists; the printed number of an item is not in the file
    ``blockquote``
        quotations and epigraphs (also classes blockquote, blockquot, quote, extract, epigraph)
    ``pre``
        preformatted text, blanks kept
    ``p``
        everything else, bare text in a section too

``marks`` (see ``schemas.MARK``)
    ``noteref``: a note's mark in the text, brackets included; ``target`` is the ``element_id`` of the note's
    rows. ``backlink``: in a note, its own printed mark or the arrow at its end; ``target`` is where it leads.
    ``pagebreak``: printed page ``target`` begins; the stretch covers visible text such as "[Pg 12]" and is
    empty where there is none. ``superscript`` and ``subscript``: raised and lowered letters that are text
    (19th, H2O) or unlinked note marks, which only context tells apart. ``italic``, ``bold``: by tag, class
    or style; letter-spacing is neither. ``line_number``: the number of a line of verse. ``anchor``: an id
    inside the row that a link or the outline points to.

``page_label`` is the printed page on which the row begins. ``bold`` and ``italic`` are true for a row that is
so throughout by its tags and null otherwise, as style sheets are not read.
"""

from __future__ import annotations

import html
import html.entities
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import bs4
import regex
from bs4 import BeautifulSoup
from lxml import etree

from jung_pipeline import tables
from jung_pipeline.errors import SourceError
from jung_pipeline.extract import gutenberg, gutenberg_header, html_outline
from jung_pipeline.extract.document import DocumentInfo, ExtractedDocument, ExtractionWarning, PageInfo
from jung_pipeline.extract.encoding import Decoded, declared_in_markup, decode, hint_of
from jung_pipeline.extract.html_blocks import RowBuilder
from jung_pipeline.extract.html_lines import Row
from jung_pipeline.extract.html_notes import label_pages, resolve_notes
from jung_pipeline.extract.html_roles import HEADINGS
from jung_pipeline.extract.plain_text import refuse_other_formats
from jung_pipeline.progress import advance
from jung_pipeline.schemas import RAW_TEXT

_DECLARATION = regex.compile(r"^\s*<\?xml[^>]*\?>")
_DOCTYPE = regex.compile(
    r"<!DOCTYPE[^\[>]*(?:\[(?P<subset>.*?)\]\s*)?>", flags=regex.IGNORECASE | regex.DOTALL
)
_ENTITY_DECLARATION = regex.compile(r"""<!ENTITY\s+([\w.-]+)\s+(?:"([^"&<%]{0,80})"|'([^'&<%]{0,80})')\s*>""")
_ENTITY = regex.compile(r"&([A-Za-z][\w.-]{0,40});")
_XHTML = regex.compile(r"<\?xml|xmlns\s*=|XHTML", flags=regex.IGNORECASE)
_ROOT = regex.compile(r"<(?:[\w.-]+:)?html(?=[\s>/])", flags=regex.IGNORECASE)
#: The end of a document is looked for in so many characters; what scripts append is shorter.
_ENDING = 20_000
_PREDEFINED = frozenset(("amp", "lt", "gt", "quot", "apos"))

#: Half title, title page, title page of the series.
_MAX_TITLE_PAGES = 4

#: A title page names the book, its author, its publisher.
_TITLE_PAGE_ROWS = 3

_TYPE_ATTRIBUTES = {"{http://www.idpf.org/2007/ops}type": "epub:type", "ops:type": "epub:type"}


def extract_html(data: bytes, file: str, hints: Mapping[str, Any]) -> ExtractedDocument:
    """The raw lines of an HTML book in one file.

    Args:
        data: the whole file.
        file: its name, for messages and to qualify ids.
        hints: of the catalogue; ``encoding`` names the charset where the owner knows it.

    Raises:
        SourceError: the file is empty, or not HTML at all.
    """
    if not data.strip():
        raise SourceError("empty_file", file, "the file is empty.", remedy="Get the file again.")
    refuse_other_formats(data, file)
    decoded = decode_markup(data, file, hints)
    if "<" not in decoded.text:
        raise SourceError(
            "not_this_format", file, "this has no markup.", remedy="Give the file its right extension."
        )
    builder = RowBuilder(file, 1, lambda href: _local_target(href, file))
    builder = parse_into(decoded.text, builder)
    rows = builder.close()
    metadata = {**html_outline.metadata_of(decoded.text), **settle_parts(rows)}
    outline = html_outline.outline_of(rows)
    resolve_notes(rows, [entry.target for entry in outline if entry.target])
    label_pages(rows)
    advance("raw_text", 1, 1)
    characters = sum(len(row.text) for row in rows)
    book = any(row.element != gutenberg.LICENCE for row in rows)
    return ExtractedDocument(
        to_table(rows),
        DocumentInfo(
            format="html",
            status="ok" if book else "no_text",
            extractor=parser_name(),
            pages=[PageInfo(1, rows[0].page_label if rows else None, characters, usable=book, name=file)],
            outline=outline,
            metadata=metadata,
            warnings=encoding_warnings(decoded, file, None),
        ),
    )


def describe_html(data: bytes, file: str) -> dict[str, Any]:
    """What the head of the page ``data``, a whole file or its beginning, and a header in it say of the book."""
    text = decode_markup(data, file, {}).text
    return {**html_outline.metadata_of(text), **header_of([text])}


def header_of(documents: Sequence[str]) -> dict[str, Any]:
    """The facts of Project Gutenberg's header in ``documents``, or in their beginnings; empty without one."""
    rows: list[Row] = []
    serial = 0
    for text in documents:
        builder = parse_into(text, RowBuilder("", 1, lambda href: None, serial=serial))
        rows += builder.close()
        serial = builder.serial
    return settle_parts(rows)


def decode_markup(data: bytes, file: str, hints: Mapping[str, Any]) -> Decoded:
    """The text of a markup file, by its mark, the owner's hint, its own declaration, or detection."""
    return decode(data, file, declared=[declared_in_markup(data)], hint=hint_of(hints))


def encoding_warnings(decoded: Decoded, name: str, page: int | None) -> list[ExtractionWarning]:
    """What a reader should know about how the bytes of ``name`` were read."""
    warnings = []
    if decoded.guessed:
        warnings.append(
            ExtractionWarning(
                "encoding_guessed", f"{name} does not say its charset; read as {decoded.encoding}.", page
            )
        )
    if decoded.repaired:
        warnings.append(
            ExtractionWarning(
                "repaired",
                f"Some bytes of {name} were not {decoded.encoding} and were read as windows-1252.",
                page,
            )
        )
    return warnings


def parser_name() -> str:
    """The libraries that read the markup, with versions."""
    version = ".".join(str(part) for part in etree.LXML_VERSION[:3])
    return f"beautifulsoup4 {bs4.__version__}, lxml {version}"


def parse_into(text: str, builder: RowBuilder) -> RowBuilder:
    """Feed the document ``text`` to ``builder``, or to a fresh one like it where the XML is broken."""
    text = without_doctype(text)
    if _XHTML.search(text[:2000]):
        trial = _copy(builder)
        if _feed_xml(_with_prefixes(text), trial):
            return trial
    _feed_soup(text, builder)
    return builder


def is_cut_off(text: str) -> bool:
    """Whether an XHTML document ends before its body does: it closes neither."""
    end = text[-_ENDING:].lower()
    head = text[:2000]
    is_document = _XHTML.search(head) is not None and "<html" in head.lower()
    return is_document and "</body" not in end and "</html" not in end


def _copy(builder: RowBuilder) -> RowBuilder:
    return RowBuilder(
        builder.file,
        builder.page,
        builder.resolve,
        builder.page_targets,
        waiting_pages=list(builder.waiting_pages),
        serial=builder.serial,
    )


def without_doctype(text: str) -> str:
    """The document without its type declaration; plain entities that it declares are written out.

    Named characters of HTML are written out too, as XML knows only five. An entity that points to a file
    or to other entities stays as the words it is written with.
    """
    text = _DECLARATION.sub("", text.lstrip("\ufeff"))
    own: dict[str, str] = {}
    found = _DOCTYPE.search(text[:100_000])
    if found:
        for name, double, single in _ENTITY_DECLARATION.findall(found.group("subset") or ""):
            own[name] = html.escape(double or single)
        text = text[: found.start()] + text[found.end() :]

    def written_out(match: regex.Match[str]) -> str:
        name = match.group(1)
        if name in _PREDEFINED:
            return match.group(0)
        if name in own:
            return own[name]
        char = html.entities.html5.get(f"{name};")
        return char if char and char not in "<>&" else f"&amp;{name};" if char is None else match.group(0)

    return _ENTITY.sub(written_out, text) if "&" in text else text


def _with_prefixes(text: str) -> str:
    """The document with the namespace of ``epub:type`` declared, where it uses the prefix without: lxml drops those."""
    for prefix in ("epub", "ops"):
        if f" {prefix}:type" in text and f"xmlns:{prefix}" not in text:
            text = _ROOT.sub(rf'\g<0> xmlns:{prefix}="http://www.idpf.org/2007/ops"', text, count=1)
    return text


class _XmlTarget:
    """Passes what lxml reads on to a builder, names in lower case and without namespaces."""

    def __init__(self, builder: RowBuilder) -> None:
        self._builder = builder

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        self._builder.start(
            tag.rpartition("}")[2].lower(),
            {_TYPE_ATTRIBUTES.get(k) or k.rpartition("}")[2].lower(): v for k, v in attrib.items()},
        )

    def end(self, tag: str) -> None:
        self._builder.end(tag.rpartition("}")[2].lower())

    def data(self, data: str) -> None:
        self._builder.data(data)

    def close(self) -> None:
        """The parser wants it."""


def _feed_xml(text: str, builder: RowBuilder) -> bool:
    """Read ``text`` as XML; whether it was well-formed."""
    parser = etree.XMLParser(
        target=_XmlTarget(builder), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        parser.feed(text.encode("utf-8", "replace"))
        parser.close()
    except (etree.XMLSyntaxError, ValueError):
        return False
    return True


def _feed_soup(text: str, builder: RowBuilder) -> None:
    """Read ``text`` with Beautiful Soup, whatever it is, and walk the tree without recursion."""
    soup = BeautifulSoup(text, "html.parser", multi_valued_attributes=None)
    silent = (bs4.Comment, bs4.Declaration, bs4.Doctype, bs4.ProcessingInstruction)
    stack: list[Any] = [iter(soup.contents)]
    tags: list[str] = []
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            if tags:
                builder.end(tags.pop())
        elif isinstance(node, bs4.Tag):
            tag = node.name.rpartition(":")[2].lower()
            builder.start(tag, {name.lower(): str(value or "") for name, value in node.attrs.items()})
            tags.append(tag)
            stack.append(iter(node.contents))
        elif not isinstance(node, silent):
            builder.data(str(node))


def _local_target(href: str, file: str) -> str | None:
    """The file-qualified target of a link inside a single file."""
    path, _, fragment = href.strip().partition("#")
    if not fragment or (path and unquote(path).rpartition("/")[2] != file):
        return None
    return f"{file}#{unquote(fragment)}"


def settle_parts(rows: Sequence[Row]) -> dict[str, Any]:
    """Give Project Gutenberg's own words their element; the facts that its header states.

    Converters (DocBook's among them) put every heading into a block of class "titlepage": where there are
    more such blocks than a book has title pages, those of a line or two, or of headings alone, are none.
    """
    titles: dict[int | None, list[Row]] = {}
    for row in rows:
        if row.element == "title":
            titles.setdefault(row.box, []).append(row)
    if len(titles) > _MAX_TITLE_PAGES:
        for part in titles.values():
            if len(part) < _TITLE_PAGE_ROWS or all(row.plain_element in HEADINGS for row in part):
                for row in part:
                    row.element = row.plain_element
    lines = []
    before: Row | None = None
    for row in rows:
        new = before is None or before.block != row.block
        lines.append(gutenberg.Line(row.text, int(new), row.containers, row.element[0] == "h"))
        before = row
    for row, label in zip(rows, gutenberg.label_lines(lines), strict=True):
        if label is not None:
            row.element = label
    return gutenberg_header.metadata(lines)


def to_table(rows: Sequence[Row]) -> Any:
    """The rows as a table in ``schemas.RAW_TEXT``, numbered in reading order."""
    records: list[dict[str, Any]] = []
    block, line, serial = -1, 0, -1
    for line_id, row in enumerate(rows):
        if row.block != serial or (records and records[-1]["page"] != row.page):
            serial, block, line = row.block, block + 1, 0
        else:
            line += 1
        records.append(
            {
                "line_id": line_id,
                "page": row.page,
                "page_label": row.page_label,
                "block": block,
                "line": line,
                "bold": row.bold,
                "italic": row.italic,
                "origin": "html",
                "element": row.element,
                "element_id": row.element_id,
                "text": row.text,
                "marks": [
                    {"start": m.start, "end": m.end, "kind": m.kind, "target": m.target} for m in row.marks
                ],
            }
        )
    return tables.from_rows(records, RAW_TEXT)
