"""The package document of an EPUB: what is in the book, in which order, and what it says about itself.

:class:`Package` is what the rest of extraction needs. :func:`read_leniently` fills it where EbookLib cannot:
package files found without a container, manifests with missing or double entries, broken XML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from jung_pipeline.errors import SourceError
from jung_pipeline.extract.epub_archive import Archive, EntryTooLarge, parse_xml
from jung_pipeline.extract.metadata import clean_metadata
from jung_pipeline.text.languages import language_tag

_XHTML_TYPES = frozenset(
    ("application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/xml", "text/xml")
)
_NCX_TYPE = "application/x-dtbncx+xml"
_OPF = "{http://www.idpf.org/2007/opf}"


@dataclass(frozen=True)
class Item:
    """A file that the manifest names."""

    item_id: str
    href: str  # as written, relative to the package document
    media_type: str
    properties: tuple[str, ...] = ()

    @property
    def is_document(self) -> bool:
        """Whether it holds text, by its type or its name."""
        if self.media_type in _XHTML_TYPES:
            return True
        return not self.media_type and bool(regex.search(r"\.x?html?(?:$|[?#])", self.href.lower()))


@dataclass(frozen=True)
class Statement:
    """An element of the metadata, such as ``dc:creator``."""

    name: str
    value: str
    attributes: Mapping[str, str]


@dataclass
class Package:
    """A package document."""

    path: str
    items: list[Item] = field(default_factory=list)
    spine: list[tuple[str, bool]] = field(default_factory=list)  # (idref, linear)
    statements: list[Statement] = field(default_factory=list)
    refinements: dict[str, dict[str, str]] = field(default_factory=dict)  # "#id" → {property: value}
    guide: list[tuple[str, str]] = field(default_factory=list)  # (type, href)
    toc_id: str | None = None  # idref of the NCX
    _by_id: dict[str, list[Item]] = field(default_factory=dict)
    _indexed: int = 0  # so many items are in _by_id

    def by_id(self, item_id: str) -> list[Item]:
        """The items of an id; more than one where the manifest gives it twice."""
        for item in self.items[self._indexed :]:
            self._by_id.setdefault(item.item_id, []).append(item)
        self._indexed = len(self.items)
        return self._by_id.get(item_id, [])

    def navigation(self) -> Item | None:
        """The navigation document of EPUB 3."""
        return next((item for item in self.items if "nav" in item.properties), None)

    def ncx(self) -> Item | None:
        """The table of contents of EPUB 2."""
        named = [i for i in self.by_id(self.toc_id) if i.href.lower().endswith(".ncx")] if self.toc_id else []
        typed = [item for item in self.items if item.media_type == _NCX_TYPE]
        return next(iter([*named, *typed]), None)


def find_package(archive: Archive) -> tuple[str, bool]:
    """(path of the package document, whether the container named it).

    Raises:
        SourceError: there is no package document in the archive.
    """
    container = archive.find("META-INF/container.xml")
    if container:
        try:
            root = parse_xml(archive.read(container))
        except (KeyError, EntryTooLarge):
            root = None
        for rootfile in root.iter("{*}rootfile") if root is not None else ():
            path = archive.find(rootfile.get("full-path", ""))
            if path:
                return path, True
    candidates = [name for name in archive.names if name.lower().endswith(".opf")]
    if not candidates:
        raise SourceError(
            "not_this_format",
            archive.file,
            "the archive holds no package document (.opf), so it is not an EPUB.",
            remedy="Get the file again, or convert it with calibre.",
        )
    return min(candidates, key=lambda name: (name.count("/"), name)), False


def read_leniently(data: bytes, path: str, file: str) -> Package:
    """The package document ``data`` as far as it can be read.

    Raises:
        SourceError: it has no manifest.
    """
    root = parse_xml(data)
    if root is None or next(root.iter("{*}manifest"), None) is None:
        raise SourceError(
            "damaged",
            file,
            f"the package document {path} is damaged.",
            remedy="Get the file again, or repair it with Sigil or calibre.",
        )
    package = Package(path)
    for element in root.iter("{*}item"):
        href = element.get("href")
        if href:
            package.items.append(
                Item(
                    element.get("id", ""),
                    href,
                    element.get("media-type", ""),
                    tuple(element.get("properties", "").split()),
                )
            )
    for element in root.iter("{*}spine"):
        package.toc_id = package.toc_id or element.get("toc")
    for element in root.iter("{*}itemref"):
        package.spine.append((element.get("idref", ""), element.get("linear", "yes") != "no"))
    for element in root.iter("{*}reference"):
        package.guide.append((element.get("type", "").lower(), element.get("href", "")))
    for metadata in root.iter("{*}metadata"):
        for element in metadata.iter():
            if isinstance(element.tag, str) and element.text and element.text.strip():
                name = element.tag.rpartition("}")[2].lower()
                attributes = {str(k).rpartition("}")[2]: str(v) for k, v in element.attrib.items()}
                _add_statement(package, name, element.text, attributes)
    return package


def _add_statement(package: Package, name: str, value: str | None, attributes: Mapping[str, str]) -> None:
    """Add an element of the metadata: a statement about the book, or a refinement of one."""
    text = " ".join((value or "").split())
    if not text:
        return
    refines, prop = attributes.get("refines"), attributes.get("property")
    if refines and prop:
        package.refinements.setdefault(refines.lstrip("#"), {}).setdefault(prop, text)
    elif name == "meta" and prop:
        package.statements.append(Statement(prop.lower(), text, attributes))
    else:
        package.statements.append(Statement(name, text, attributes))


# --------------------------------------------------------------------------------------------------
# what the metadata say
# --------------------------------------------------------------------------------------------------


def facts(package: Package, header: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Title, author, translator, editor, publisher, years and language; only what the book says.

    Args:
        package: the package document; it comes first.
        header: what Project Gutenberg's header in the text says; where it names the printed edition, that is
            the edition, and not Project Gutenberg's own.
    """
    people = {"author": ("aut", ""), "translator": ("trl",), "editor": ("edt",)}
    stated = clean_metadata(
        {
            "title": _title(package),
            **{name: "; ".join(_people(package, roles)) for name, roles in people.items()},
            "publisher": next((s.value for s in package.statements if s.name == "publisher"), None),
            "language": next(
                (s.value for s in package.statements if s.name == "language" and language_tag(s.value)), None
            ),
            **_years(package),
        }
    )
    printed = {name: header[name] for name in ("publisher", "year") if name in header}
    return {**header, **stated, **printed}


def _title(package: Package) -> str | None:
    titles = [s for s in package.statements if s.name == "title"]
    for statement in titles:
        if package.refinements.get(statement.attributes.get("id", ""), {}).get("title-type") == "main":
            return statement.value
    return titles[0].value if titles else None


def _people(package: Package, roles: Sequence[str]) -> list[str]:
    """The names of those who had one of ``roles``; "" means a creator without a role."""
    names = []
    for statement in package.statements:
        if statement.name not in ("creator", "contributor"):
            continue
        refined = package.refinements.get(statement.attributes.get("id", ""), {})
        role = (statement.attributes.get("role") or refined.get("role") or "").lower()
        if role in roles and (role or statement.name == "creator") and statement.value not in names:
            names.append(statement.value)
    return names


def is_gutenberg(package: Package) -> bool:
    """Whether the electronic edition is Project Gutenberg's."""
    return any(
        s.name in ("publisher", "source", "identifier", "rights") and "gutenberg" in s.value.lower()
        for s in package.statements
    )


#: What the ``event`` of a date of EPUB 2 says its year is; dates of EPUB 3 have none.
_DATES = {"publication": "year", "": "year", "original-publication": "original_year"}


def _years(package: Package) -> dict[str, str | None]:
    """The year of the edition and that of the first; ``None`` where several are given.

    The date of a Project Gutenberg file is the release, which says nothing about either.
    """
    if is_gutenberg(package):
        return {}
    found: dict[str, set[str]] = {}
    for statement in package.statements:
        event = statement.attributes.get("event", "").lower()
        year = regex.match(r"(?:1[4-9]\d\d|20\d\d)\b", statement.value)
        if statement.name == "date" and event in _DATES and year:
            found.setdefault(event, set()).add(year.group())
    years: dict[str, str | None] = {}
    for event, name in _DATES.items():
        if event in found and name not in years:
            years[name] = found[event].pop() if len(found[event]) == 1 else None
    return years
