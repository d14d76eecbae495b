"""What a single HTML file says about its own structure and about the book: headings, title, author."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import regex

from jung_pipeline.extract.document import OutlineEntry
from jung_pipeline.extract.html_lines import Row
from jung_pipeline.extract.html_roles import HEADINGS
from jung_pipeline.extract.metadata import clean_metadata
from jung_pipeline.text.languages import language_tag

_TITLE = regex.compile(r"<title[^>]*>(.{0,2000}?)</title>", flags=regex.IGNORECASE | regex.DOTALL)
_META = regex.compile(r"<meta\b[^>]{0,2000}>", flags=regex.IGNORECASE)
_ATTRIBUTE = regex.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_LANGUAGE = regex.compile(r"""<html\b[^>]{0,1000}?\blang\s*=\s*["']([\w-]+)["']""", flags=regex.IGNORECASE)
#: "The Project Gutenberg eBook of X, by Y." is a sentence about the file, not a title.
_GUTENBERG_TITLE = regex.compile(
    r"(?:The )?Project Gutenberg(?:['’]s)?\s*(?:E-?(?:book|text))?\s*(?:of|,)?\s+(?P<title>.+?)"
    r"(?:,\s+by\s+(?P<author>.+?))?\.?",
    flags=regex.IGNORECASE | regex.DOTALL,
)
_GUTENBERG_SUFFIX = regex.compile(
    r"\s*[—–-]+\s*A Project Gutenberg E-?book\.?$|\s*\|\s*Project Gutenberg\.?$", flags=regex.IGNORECASE
)
_BY = regex.compile(r"(?P<title>.+?),\s+by\s+(?P<author>[^,].+?)\.?", flags=regex.DOTALL)

_META_NAMES = {
    "dc.title": "title",
    "dc.creator": "author",
    "author": "author",
    "dc.publisher": "publisher",
    "dc.language": "language",
    "citation_title": "title",
    "citation_author": "author",
    "citation_publisher": "publisher",
    "citation_publication_date": "year",
    "citation_date": "year",
    "dcterms.title": "title",
    "dcterms.publisher": "publisher",
    "dcterms.language": "language",
    "dcterms.issued": "year",
}


def outline_of(rows: Sequence[Row]) -> list[OutlineEntry]:
    """The headings of a document, levels counted from the outermost that occurs."""
    found: list[tuple[int, list[str], Row]] = []
    for index, row in enumerate(rows):
        if row.element not in HEADINGS:
            continue
        text = _without_page_marks(row)
        if index and found and rows[index - 1].block == row.block and found[-1][2].block == row.block:
            found[-1][1].append(text)
        elif text:
            found.append((int(row.element[1]), [text], row))
    levels = {level: rank for rank, level in enumerate(sorted({level for level, _, _ in found}), start=1)}
    return [
        OutlineEntry(levels[level], " ".join(filter(None, titles)), page=row.page, target=row.element_id)
        for level, titles, row in found
    ]


def _without_page_marks(row: Row) -> str:
    """The text of a heading as a title: without page numbers and note marks."""
    text = row.text
    spans = [(m.start, m.end) for m in row.marks if m.kind in ("pagebreak", "noteref")]
    spans += [(k.start, k.end) for k in row.links if k.named == "noteref"]
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return " ".join(text.split())


def metadata_of(markup: str) -> dict[str, Any]:
    """Title, author, publisher, year and language as the head of a document gives them.

    ``dc.date`` is passed over: it is the page's as often as the book's. So is every date of a Project
    Gutenberg page, which is that of the release.
    """
    head = markup[:20_000]
    stated: dict[str, str] = {}
    authors: list[str] = []
    for tag in _META.findall(head):
        attributes = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(tag)}
        name = _META_NAMES.get((attributes.get("name") or attributes.get("property") or "").lower())
        content = _plain(attributes.get("content", ""))
        if name == "author" and content and content not in authors:
            authors.append(content)
        elif name and content and (name != "language" or language_tag(content)):
            stated.setdefault(name, content)
    if authors:
        stated["author"] = "; ".join(authors)
    title = _TITLE.search(head)
    if title:
        in_title = _plain(title.group(1))
        if "gutenberg" in in_title.lower():
            stated.pop("year", None)
        for name, value in _from_title(in_title).items():
            stated.setdefault(name, value)
    language = _LANGUAGE.search(head)
    if language:
        stated.setdefault("language", language.group(1))
    return clean_metadata(stated)


def _from_title(title: str) -> dict[str, str]:
    """Title and author of what stands in ``<title>``."""
    if not title:
        return {}
    short = _GUTENBERG_SUFFIX.sub("", title)
    match = _GUTENBERG_TITLE.fullmatch(short) or (_BY.fullmatch(short))
    if match is None:
        return {"title": short}
    found = {"title": match.group("title").strip()}
    author = (match.group("author") or "").strip()
    if author and author != "AUTHOR":
        found["author"] = author
    return found


def _plain(text: str) -> str:
    return " ".join(html.unescape(regex.sub(r"<[^>]*>", "", text)).split())
