"""What the header of a Project Gutenberg file, or of a text with a header like it, says about the book."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import regex

from jung_pipeline.extract.gutenberg import Line, texts_of
from jung_pipeline.extract.metadata import clean_metadata

_FLAGS = regex.IGNORECASE

_FIELD = regex.compile(r"^\s{0,3}([A-Z][A-Za-z ]{2,24}):\s*(.*)$")
_FIELDS = {
    "title": "title",
    "author": "author",
    "authors": "author",
    "translator": "translator",
    "translators": "translator",
    "editor": "editor",
    "editors": "editor",
    "language": "language",
    "publisher": "publisher",
    "original publication": "publication",
}
_OLD_TITLE = regex.compile(
    r"Project Gutenberg(?:['’]s)?\s*(?:E-?(?:book|text))?\s*(?:of|:)?\s+(?P<title>.+?),?\s+by\s+(?P<author>[^,*]+)",
    flags=_FLAGS,
)
#: "New York: Moffat, Yard and Company, 1916"; the place may be missing.
_PUBLICATION = regex.compile(
    r"^(?:[^:]{2,60}:\s*)?(?P<publisher>.{2,80}?),\s*(?:[cC©]\s*)?(?P<year>1[4-9]\d\d|20\d\d)\b"
)
_TRANSLATED = regex.compile(
    r"(?:^|[,;(.]\s*)(?i:translated by|übersetzt von|traduit par)\s+(?P<name>\p{Lu}[^,;*()\d]{2,80}?)[\s.*)]*$"
)
#: A continued title line that tells how the text came about is none of the title's words.
_NOT_TITLE = regex.compile(r"(?:translated|edited|übersetzt|aus dem \p{L}+ übersetzt)\b", flags=_FLAGS)

#: Header lines are wrapped at about 75 characters.
_FULL_LINE = 60

#: The sentence that names the book in old headers is among the first lines.
_OLD_TITLE_WITHIN = 40

#: A text with a header of its own before it begins with these fields, the title and one more.
_LEAST_FIELDS = 2


def metadata(lines: Sequence[Line]) -> dict[str, Any]:
    """Title, author, translator, editor, language, publisher and year as the header gives them.

    The release date is the electronic text's and says nothing about the edition; it is passed over. Only
    "Original publication" gives a year. A text without Project Gutenberg's markers may begin with the same
    fields ("Title: …", "Author: …"); they count if they are its very first lines.
    """
    first = texts_of(lines)[0][0]
    if first:
        return _facts(_fields(lines[:first]), lines[:first])
    fields = _fields(lines[: _own_header(lines)])
    return _facts(fields, ()) if "title" in fields and len(fields) >= _LEAST_FIELDS else {}


def _own_header(lines: Sequence[Line]) -> int:
    """How many lines at the beginning of a text are fields and their continuations."""
    for index, line in enumerate(lines):
        continues = index > 0 and not line.gap and line.text.startswith((" ", "\t"))
        if not (_FIELD.match(line.text) or continues):
            return index
    return len(lines)


def _fields(header: Sequence[Line]) -> dict[str, str]:
    """The fields of a header as they stand, by our names."""
    fields: dict[str, str] = {}
    key: str | None = None
    before = ""
    for line in header:
        match = _FIELD.match(line.text)
        if match:
            key = _FIELDS.get(match.group(1).strip().lower())
            if key and key not in fields:
                fields[key] = match.group(2).strip()
            else:
                key = None
        elif key and not line.gap and line.text.startswith((" ", "\t")):
            fields[key] = _continued(key, fields[key], line.text.strip(), wrapped=len(before) >= _FULL_LINE)
        else:
            key = None
        before = line.text
    return {key: value for key, value in fields.items() if value}


def _continued(key: str, value: str, more: str, *, wrapped: bool) -> str:
    """A field with its next line: the rest of a long line, a subtitle, or one more person."""
    if not value or wrapped:
        return f"{value} {more}".strip()
    if key != "title":
        return f"{value}; {more}"
    if _NOT_TITLE.match(more):
        return value
    joiner = " " if more.startswith("and ") else ", " if more.startswith("or ") else ": "
    return value + joiner + more


def _facts(fields: dict[str, str], header: Sequence[Line]) -> dict[str, Any]:
    facts: dict[str, Any] = {key: value for key, value in fields.items() if key != "publication"}
    publication = _PUBLICATION.match(fields.get("publication", ""))
    if publication:
        facts["publisher"] = publication.group("publisher")
        facts["year"] = publication.group("year")
    for line in header[:_OLD_TITLE_WITHIN]:
        old = _OLD_TITLE.search(line.text) if "title" not in facts else None
        if old:
            facts["title"] = old.group("title")
            facts.setdefault("author", old.group("author").strip(" ."))
    for line in header:
        translated = _TRANSLATED.search(line.text.strip())
        if translated:
            facts.setdefault("translator", translated.group("name"))
    return clean_metadata(facts)
