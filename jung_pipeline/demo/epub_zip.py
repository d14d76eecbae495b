"""A clean EPUB 3 with a fallback for EPUB 2 readers: nav and NCX, linked notes, page list, cover, colophon."""

from __future__ import annotations

import uuid
import zipfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

from jung_pipeline.demo.book import Book, Chapter
from jung_pipeline.demo.epub_text import Pager, chapter_section
from jung_pipeline.demo.truth import BuiltBook, TrueParagraph, items, true_paragraph

#: A package must name a time of change; this one is part of the book, not of the moment of building.
_MODIFIED = "2026-01-01T00:00:00Z"
_ZIP_TIME = (2026, 1, 1, 0, 0, 0)

_XHTML = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="{lang}" lang="{lang}">
<head><title>{title}</title><link rel="stylesheet" type="text/css" href="book.css"/></head>
<body epub:type="{matter}">
{body}
</body>
</html>
"""

_CSS = """body { margin: 1em; line-height: 1.4; font-family: serif; }
h1, h2 { text-align: center; font-weight: normal; }
p { margin: 0; text-indent: 1.4em; text-align: justify; hyphens: auto; }
.first, .verse p, .plain p { text-indent: 0; }
blockquote { margin: 1em 2em; }
.verse { margin: 1em 3em; }
.plain { text-align: center; margin-top: 4em; }
aside { font-size: 0.85em; margin-top: 1em; }
"""

_CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""


@dataclass
class _Document:
    """One file of the spine."""

    name: str
    title: str
    body: str
    matter: str = "bodymatter"  # frontmatter | bodymatter | backmatter
    chapter: Chapter | None = None

    @property
    def id(self) -> str:
        """Its id in the manifest; an id may not begin with a digit."""
        return f"d-{Path(self.name).stem}"


def build_epub(path: Path, book: Book) -> BuiltBook:
    """Write ``book`` as an EPUB 3 to ``path``; the same book gives the same bytes."""
    pager, truth = Pager(), iter(items(book))
    paragraphs: list[TrueParagraph] = []
    documents = _leaves(book)
    for number, chapter in enumerate(book.chapters, start=1):
        name = f"{number:02}-{chapter.kind}.xhtml"
        front = chapter.kind in ("preface", "foreword")
        text, labels = chapter_section(chapter, name, pager, front=front)
        matter = "frontmatter" if front else "bodymatter"
        documents.append(_Document(name, chapter.heading, text, matter, chapter))
        place = len(documents)  # in the spine
        paragraphs.extend(
            true_paragraph(item, (place, place), pages) for pages, item in zip(labels, truth, strict=False)
        )
    documents.append(_colophon(book))
    _write(path, book, documents, pager.places)
    return BuiltBook(path, book, tuple(paragraphs))


def _leaves(book: Book) -> list[_Document]:
    """Cover, title page and imprint."""
    subtitle = f'<p epub:type="subtitle">{escape(book.subtitle)}</p>' if book.subtitle else ""
    year = f"<p>The Demonstration Library, {book.year}</p>" if book.year else ""
    return [
        _Document(
            "cover.xhtml",
            "Cover",
            f'<section epub:type="cover"><img src="cover.svg" alt="{escape(book.title)}"/></section>',
            "frontmatter",
        ),
        _Document(
            "title.xhtml",
            "Title page",
            f'<section epub:type="titlepage" class="plain"><h1>{escape(book.title)}</h1>{subtitle}'
            f"<p>{escape(book.author)}</p>{year}</section>",
            "frontmatter",
        ),
        _Document(
            "imprint.xhtml",
            "Imprint",
            '<section epub:type="copyright-page" class="plain">'
            + (f"<p>First published {book.year}</p>" if book.year else "")
            + "<p>No rights reserved: dedicated to the public domain (CC0 1.0).</p></section>",
            "frontmatter",
        ),
    ]


def _colophon(book: Book) -> _Document:
    """The last leaf."""
    return _Document(
        "colophon.xhtml",
        "Colophon",
        '<section epub:type="colophon" class="plain"><h1>Colophon</h1>'
        f"<p>{escape(book.title)} was set from plain text files and bound as an EPUB.</p></section>",
        "backmatter",
    )


def _write(path: Path, book: Book, documents: list[_Document], pages: list[tuple[str, str]]) -> None:
    """Pack everything; the mimetype comes first and uncompressed, as the container format asks."""
    files = {
        "META-INF/container.xml": _CONTAINER,
        "OEBPS/package.opf": _package(book, documents),
        "OEBPS/nav.xhtml": _nav(book, documents, pages),
        "OEBPS/toc.ncx": _ncx(book, documents),
        "OEBPS/book.css": _CSS,
        "OEBPS/cover.svg": _cover(book),
    }
    for document in documents:
        files[f"OEBPS/{document.name}"] = _XHTML.format(
            lang=book.language, title=escape(document.title), matter=document.matter, body=document.body
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        _add(archive, "mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, content in files.items():
            _add(archive, name, content, zipfile.ZIP_DEFLATED)


def _add(archive: zipfile.ZipFile, name: str, content: str, method: int) -> None:
    entry = zipfile.ZipInfo(name, _ZIP_TIME)
    entry.compress_type = method
    entry.external_attr = 0o644 << 16
    entry.create_system = 3  # the same bytes whatever the system
    archive.writestr(entry, content.encode("utf-8"))


def _identifier(book: Book) -> str:
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'jung-pipeline-demo/{book.key}')}"


def _package(book: Book, documents: list[_Document]) -> str:
    """The package document."""
    manifest = "\n".join(
        f'<item id="{d.id}" href="{d.name}" media-type="application/xhtml+xml"/>' for d in documents
    )
    spine = "\n".join(f'<itemref idref="{d.id}"/>' for d in documents)
    date = f"<dc:date>{book.year}</dc:date>" if book.year else ""
    subtitle = ""
    if book.subtitle:
        subtitle = (
            f'<dc:title id="subtitle">{escape(book.subtitle)}</dc:title>'
            '<meta refines="#subtitle" property="title-type">subtitle</meta>'
        )
    return f"""<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="{book.language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">{_identifier(book)}</dc:identifier>
<dc:title id="title">{escape(book.title)}</dc:title><meta refines="#title" property="title-type">main</meta>
{subtitle}
<dc:creator>{escape(book.author)}</dc:creator>
<dc:language>{book.language}</dc:language>
{date}
<dc:rights>CC0 1.0 Universal</dc:rights>
<meta property="dcterms:modified">{_MODIFIED}</meta>
<meta name="cover" content="cover-image"/>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
<item id="css" href="book.css" media-type="text/css"/>
<item id="cover-image" href="cover.svg" media-type="image/svg+xml" properties="cover-image"/>
{manifest}
</manifest>
<spine toc="ncx">
{spine}
</spine>
</package>
"""


def _nav(book: Book, documents: list[_Document], pages: list[tuple[str, str]]) -> str:
    """Contents, page list and landmarks."""
    out, inside = [], False
    for document in documents:
        chapter = document.chapter
        if chapter is None and document.matter != "backmatter":
            continue
        if inside and (chapter is None or not chapter.part):
            out.append("</ol></li>")
            inside = False
        link = f'<a href="{document.name}">{escape(document.title)}</a>'
        if chapter is not None and chapter.kind == "part":
            out.append(f"<li>{link}<ol>")
            inside = True
        else:
            out.append(f"<li>{link}</li>")
    if inside:
        out.append("</ol></li>")
    listed = "".join(f'<li><a href="{target}">{label}</a></li>' for label, target in pages)
    first = next(d.name for d in documents if d.matter == "bodymatter")
    body = (
        f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{"".join(out)}</ol></nav>\n'
        f'<nav epub:type="page-list" hidden="hidden"><h1>Pages</h1><ol>{listed}</ol></nav>\n'
        '<nav epub:type="landmarks" hidden="hidden"><h1>Landmarks</h1><ol>'
        '<li><a epub:type="cover" href="cover.xhtml">Cover</a></li>'
        f'<li><a epub:type="bodymatter" href="{first}">Text</a></li></ol></nav>'
    )
    return _XHTML.format(lang=book.language, title="Contents", matter="frontmatter", body=body)


def _ncx(book: Book, documents: list[_Document]) -> str:
    """The table of contents for EPUB 2 readers, flat."""
    points = "".join(
        f'<navPoint id="n{i}" playOrder="{i}"><navLabel><text>{escape(d.title)}</text></navLabel>'
        f'<content src="{d.name}"/></navPoint>'
        for i, d in enumerate((d for d in documents if d.chapter is not None), start=1)
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" '
        f'version="2005-1"><head><meta name="dtb:uid" content="{_identifier(book)}"/></head>'
        f"<docTitle><text>{escape(book.title)}</text></docTitle><navMap>{points}</navMap></ncx>\n"
    )


def _cover(book: Book) -> str:
    """A plain cover: the title in a ring."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 960">'
        '<rect width="600" height="960" fill="#20302c"/>'
        '<circle cx="300" cy="430" r="210" fill="none" stroke="#c9b36b" stroke-width="6"/>'
        '<text x="300" y="440" fill="#f2ead2" font-family="serif" font-size="34" text-anchor="middle">'
        f"{escape(book.title)}</text></svg>\n"
    )
