"""Tables of contents, page lists and landmarks of an EPUB: the navigation document, else the NCX.

EbookLib drops what has no link, knows no landmarks, and stops at a list that is not an exact ``nav > ol``;
so both are read here, from lxml's tolerant parsers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lxml import etree, html

from jung_pipeline.extract.document import OutlineEntry
from jung_pipeline.extract.epub_archive import parse_xml
from jung_pipeline.extract.html_roles import structure_type

#: href → file-qualified target inside the book.
Resolver = Callable[[str], str | None]

_TYPE = "{http://www.idpf.org/2007/ops}type"

#: Entries and levels of an outline; more is no table of contents.
_MAX_ENTRIES = 20_000
_MAX_DEPTH = 30


@dataclass
class Navigation:
    """What an EPUB's navigation says."""

    outline: list[OutlineEntry] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)  # file-qualified target → printed page
    landmarks: dict[str, str] = field(default_factory=dict)  # file-qualified target → epub:type


def read_nav(text: str, resolve: Resolver) -> Navigation:
    """The navigation document ``text`` (EPUB 3)."""
    root = _parse(text)
    found = Navigation()
    if root is None:
        return found
    for nav in root.iter("{*}nav", "nav"):
        kinds = _types(nav)
        if "page-list" in kinds:
            for link in nav.iter("{*}a", "a"):
                target, label = resolve(link.get("href", "")), _text(link)
                if target and label:
                    found.pages.setdefault(target, label)
        elif "landmarks" in kinds:
            for link in nav.iter("{*}a", "a"):
                target, kind = resolve(link.get("href", "")), structure_type(" ".join(_types(link)), "")
                if target and kind:
                    found.landmarks.setdefault(target, kind)
        elif not found.outline and ("toc" in kinds or not kinds):
            _walk_list(nav, 1, found.outline, resolve)
    return found


def read_ncx(data: bytes, resolve: Resolver) -> Navigation:
    """The table of contents ``data`` of EPUB 2."""
    root = parse_xml(data)
    found = Navigation()
    if root is None:
        return found
    for nav_map in root.iter("{*}navMap"):
        _walk_points(nav_map, 1, found.outline, resolve)
        break
    for target_element in root.iter("{*}pageTarget"):
        content = target_element.find("{*}content")
        target = resolve(content.get("src", "")) if content is not None else None
        label = _label(target_element) or target_element.get("value", "")
        if target and label:
            found.pages.setdefault(target, label)
    return found


def _parse(text: str) -> Any:
    """The root of an XHTML document; damaged ones through the HTML parser."""
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        return etree.fromstring(text.encode("utf-8"), parser)
    except (etree.XMLSyntaxError, ValueError):
        pass
    try:
        return html.document_fromstring(text.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _walk_list(parent: Any, level: int, into: list[OutlineEntry], resolve: Resolver) -> None:
    """The entries of the lists directly below ``parent``, whatever wraps them."""
    if level > _MAX_DEPTH:
        return
    for item in _nearest(parent, "li"):
        if len(into) >= _MAX_ENTRIES:
            return
        heads = _nearest(item, "a") or _nearest(item, "span")
        if heads:
            title = _text(heads[0])
            kind = structure_type(" ".join([*_types(heads[0]), *_types(item)]), "")
            if title:
                into.append(OutlineEntry(level, title, target=resolve(heads[0].get("href", "")), kind=kind))
        _walk_list(item, level + 1, into, resolve)


def _nearest(parent: Any, name: str) -> list[Any]:
    """Descendants called ``name`` that are not inside a nested list item."""
    found = []
    stack = list(reversed(list(parent)))
    while stack:
        element = stack.pop()
        tag = _name(element)
        if tag == name:
            found.append(element)
        elif tag != "li":
            stack.extend(reversed(list(element)))
    return found


def _walk_points(parent: Any, level: int, into: list[OutlineEntry], resolve: Resolver) -> None:
    if level > _MAX_DEPTH:
        return
    for point in parent.findall("{*}navPoint"):
        if len(into) >= _MAX_ENTRIES:
            return
        content = point.find("{*}content")
        title = _label(point)
        if title:
            target = resolve(content.get("src", "")) if content is not None else None
            into.append(OutlineEntry(level, title, target=target))
        _walk_points(point, level + 1, into, resolve)


def _label(point: Any) -> str:
    label = point.find("{*}navLabel")
    return _text(label) if label is not None else ""


def _text(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _types(element: Any) -> list[str]:
    """The epub:type and ARIA roles of an element, as one list."""
    types = element.get(_TYPE) or element.get("epub:type") or ""
    roles = [role.removeprefix("doc-") for role in (element.get("role") or "").lower().split()]
    if "pagelist" in roles:
        roles.append("page-list")
    return [*types.lower().split(), *roles]
