"""What EPUB, HTML and text files state about their book, read from their first bytes only.

For the catalogue; extraction itself has its own, fuller view.
"""

from __future__ import annotations

import html
import posixpath
import re
import zipfile
from pathlib import Path
from typing import Any

from lxml import etree

from jung_pipeline.extract.metadata import clean_metadata

#: A package document is a few kilobytes; more than this is no package document.
_MAX_PACKAGE_BYTES = 4_000_000
_DC = "{http://purl.org/dc/elements/1.1/}"
_OPF = "{http://www.idpf.org/2007/opf}"
#: MARC relator codes of people who made the text.
_TRANSLATOR = "trl"


def describe_epub(path: Path) -> dict[str, Any]:
    """Dublin Core fields of an EPUB's package document; empty if there is none to read."""
    try:
        with zipfile.ZipFile(path) as archive:
            package = _package(archive)
            if package is None:
                return {}
            with archive.open(package) as file:
                data = file.read(_MAX_PACKAGE_BYTES)
    except (zipfile.BadZipFile, KeyError, OSError, RuntimeError, ValueError, NotImplementedError):
        return {}
    root = _parsed(data)
    if root is None:
        return {}
    roles = {
        (meta.get("refines") or "").lstrip("#"): (meta.text or "").strip()
        for meta in root.iter(f"{_OPF}meta")
        if meta.get("property") == "role"
    }

    def people(tag: str, role: str) -> list[str]:
        return [
            person.text.strip()
            for person in root.iter(f"{_DC}{tag}")
            if person.text
            and (person.get(f"{_OPF}role") or roles.get(person.get("id") or "", "")) in ("", role)
        ]

    def first(tag: str) -> str | None:
        return next((e.text.strip() for e in root.iter(f"{_DC}{tag}") if e.text and e.text.strip()), None)

    translators = [
        person.text.strip()
        for tag in ("contributor", "creator")
        for person in root.iter(f"{_DC}{tag}")
        if person.text and (person.get(f"{_OPF}role") or roles.get(person.get("id") or "", "")) == _TRANSLATOR
    ]
    dates = [
        e.text
        for e in root.iter(f"{_DC}date")
        if e.text and (e.get(f"{_OPF}event") or "publication") in ("publication", "original-publication")
    ]
    return clean_metadata(
        {
            "title": first("title"),
            "author": ", ".join(people("creator", "aut")) or None,
            "translator": ", ".join(translators) or None,
            "publisher": first("publisher"),
            "year": dates[0] if len(dates) == 1 else None,
            "language": first("language"),
        }
    )


def _parsed(data: bytes) -> Any:
    """The XML tree, broken or not, with no entity expanded and nothing fetched; ``None`` without one."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _package(archive: zipfile.ZipFile) -> str | None:
    """Name of the package document: where the container says, or the only ``.opf``."""
    names = archive.namelist()
    container = next((n for n in names if n.lower() == "meta-inf/container.xml"), None)
    if container is not None:
        with archive.open(container) as file:
            root = _parsed(file.read(_MAX_PACKAGE_BYTES))
        if root is not None:
            for rootfile in root.iter("{*}rootfile"):
                name = posixpath.normpath(rootfile.get("full-path") or "")
                if name in names:
                    return name
    return next((n for n in names if n.lower().endswith(".opf")), None)


def describe_html(start: bytes) -> dict[str, Any]:
    """``<title>`` and ``<meta>`` of a page; a title of the kind "… eBook of X, by Y" gives both parts."""
    head = _decoded(start)
    metas: dict[str, str] = {}
    for tag in re.findall(r"<meta\s[^>]*>", head, re.I):
        attributes = {
            k.lower(): html.unescape(b or c)
            for k, b, c in re.findall(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", tag)
        }
        name = (attributes.get("name") or attributes.get("property") or "").lower()
        if name and attributes.get("content"):
            metas.setdefault(name, attributes["content"])
    title = re.search(r"<title[^>]*>(.*?)</title>", head, re.I | re.S)
    language = re.search(r"<html[^>]*?\s(?:xml:)?lang\s*=\s*[\"']([\w-]+)", head, re.I)
    stated = html.unescape(re.sub(r"<[^>]+>", "", title[1])) if title else None
    found = re.fullmatch(
        r"\s*(?:The\s+Project\s+Gutenberg\s+e-?(?:book|text)\s+of\s+)?(.+?)(?:,?\s+by\s+(.+?))?(?:\s*[—-]+\s*A Project Gutenberg e-?Book)?\.?\s*",
        stated or "",
        re.I | re.S,
    )
    return clean_metadata(
        {
            "title": metas.get("dc.title") or metas.get("dcterms.title") or (found[1] if found else stated),
            "author": metas.get("dc.creator") or metas.get("author") or (found[2] if found else None),
            "publisher": metas.get("dc.publisher"),
            "year": metas.get("dc.date") or metas.get("dcterms.issued"),
            "language": metas.get("dc.language") or (language[1] if language else None),
        }
    )


def describe_plain_text(start: bytes) -> dict[str, Any]:
    """The ``Title: …`` lines that Project Gutenberg and others put before a text."""
    stated: dict[str, str] = {}
    for line in _decoded(start).splitlines()[:120]:
        match = re.match(r"(Title|Author|Translator|Language|Publisher):\s+(\S.*)", line.strip())
        if match:
            stated.setdefault(match[1].lower(), match[2])
    return clean_metadata(stated)


def _decoded(start: bytes) -> str:
    """Text of a file's beginning, good enough for names."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if start.startswith(mark):
            return start[2:].decode(encoding, "ignore")
    try:
        return start.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        # A character cut in two by reading only the beginning is no reason to doubt UTF-8.
        if error.start > len(start) - 8:
            return start[: error.start].decode("utf-8", "ignore")
        return start.decode("cp1252", "replace")
