"""What a file says about its book, read cheaply for the catalogue: nothing is extracted.

Every fact comes from the function that extraction asks too, given the beginning of the file or its package
document only; the language of a file that states none from a sample of its text.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import regex

from jung_pipeline.errors import SourceError
from jung_pipeline.extract import epub_package
from jung_pipeline.extract.encoding import declared_in_header, declared_in_markup, decode
from jung_pipeline.extract.epub_archive import Archive, EntryTooLarge
from jung_pipeline.text.languages import sample, spread, told_language

#: So much of a page or text is read for what it states: a header and the "Small Print" of old files fit in.
_BEGINNING = 128 << 10
#: Where a language is to be told, a text is read that far: the longest books have 5 MB.
_ENOUGH = 16 << 20
#: The header of a Project Gutenberg EPUB is in the first document or follows a cover and a title page.
_HEADER_DOCUMENTS = 3
#: So many documents of an EPUB are read for their language.
_SAMPLED_DOCUMENTS = 5

_NO_TEXT = regex.compile(
    r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", regex.DOTALL | regex.IGNORECASE
)


def describe_epub(path: Path) -> dict[str, Any]:
    """What an EPUB's package document says, and Project Gutenberg's header; empty if it cannot be read."""
    try:
        with Archive(path) as archive:
            package_path, _ = epub_package.find_package(archive)
            package = epub_package.read_leniently(archive.read(package_path), package_path, archive.file)
            documents = _documents(archive, package)
            header = {}
            if epub_package.is_gutenberg(package):
                header = _header(archive, documents[:_HEADER_DOCUMENTS])
            found = epub_package.facts(package, header)
            if "language" not in found:
                chosen = [documents[index] for index in spread(len(documents), _SAMPLED_DOCUMENTS)]
                found |= _told("\n".join(map(_words_of, _read(archive, chosen))))
            return found
    except (SourceError, EntryTooLarge, KeyError):
        return {}


def _documents(archive: Archive, package: epub_package.Package) -> list[str]:
    """The entries of the spine's documents, in order; none that is encrypted."""
    locked = archive.encrypted_entries()
    items = [item for idref, _ in package.spine for item in package.by_id(idref)]
    entries = [archive.resolve(item.href, package.path)[0] for item in items]
    return [entry for entry in dict.fromkeys(entries) if entry and entry not in locked]


def _read(archive: Archive, entries: list[str]) -> list[bytes]:
    """The contents of those entries that can be read."""
    contents = []
    for entry in entries:
        try:
            contents.append(archive.read(entry))
        except (SourceError, KeyError, EntryTooLarge):
            continue
    return contents


def _header(archive: Archive, entries: list[str]) -> dict[str, Any]:
    """What Project Gutenberg's header in the first documents says."""
    from jung_pipeline.extract import html_bs4

    return html_bs4.header_of([_decoded(_beginning(data)) for data in _read(archive, entries)])


def describe_html(path: Path) -> dict[str, Any]:
    """What the head of an HTML page and Project Gutenberg's header in it say."""
    from jung_pipeline.extract import html_bs4

    found = html_bs4.describe_html(_beginning(_start(path, _BEGINNING + 1)), path.name)
    return found if "language" in found else found | _told(_words_of(_start(path)))


def describe_text(path: Path) -> dict[str, Any]:
    """What the header of a plain text says."""
    from jung_pipeline.extract import plain_text

    found = plain_text.describe_plain_text(_beginning(_start(path, _BEGINNING + 1)), path.name)
    if "language" in found:
        return found
    data = _start(path)
    return found | _told(decode(data, path.name, declared=[declared_in_header(data)]).text)


def _told(text: str) -> dict[str, Any]:
    """The language that a text tells, as a fact; empty in doubt."""
    language = told_language(sample(text))
    return {"language": language} if language else {}


def _words_of(markup: bytes) -> str:
    """What is text in a document, roughly: enough to tell its language."""
    return html.unescape(_NO_TEXT.sub(" ", _decoded(markup)))


def _decoded(markup: bytes) -> str:
    return decode(markup, "", declared=[declared_in_markup(markup)]).text


def _start(path: Path, size: int = _ENOUGH) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _beginning(data: bytes) -> bytes:
    """The first bytes of a file, ending at white space so that no character is cut in two."""
    if len(data) <= _BEGINNING:
        return data
    start = data[:_BEGINNING]
    if b"\0" in start[:4096]:  # UTF-16, which any even number of bytes leaves whole
        return start
    return start[: max(start.rfind(b"\n"), start.rfind(b" ")) + 1] or start
