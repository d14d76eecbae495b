"""What the header of a Project Gutenberg file says about the book, and the names of languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import regex

from jung_pipeline.extract.gutenberg import Line, licence_bounds

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
    "original publication": "publication",
}
_OLD_TITLE = regex.compile(
    r"Project Gutenberg(?:['’]s)?\s*(?:E-?(?:book|text))?\s*(?:of|:)?\s+(?P<title>.+?),?\s+by\s+(?P<author>[^,*]+)",
    flags=_FLAGS,
)
_PUBLICATION = regex.compile(
    r"^(?:[^:]{2,60}:\s*)?(?P<publisher>[^,]{2,80}),.*?\b(?P<year>1[4-9]\d\d|20\d\d)\b"
)

#: Header lines are wrapped at about 75 characters.
_FULL_LINE = 60

_LANGUAGES = {
    "english": "en",
    "german": "de",
    "deutsch": "de",
    "french": "fr",
    "latin": "la",
    "italian": "it",
    "spanish": "es",
    "dutch": "nl",
    "greek": "el",
    "russian": "ru",
    "danish": "da",
    "swedish": "sv",
    "portuguese": "pt",
    "finnish": "fi",
    "hungarian": "hu",
    "polish": "pl",
    "chinese": "zh",
}


def metadata(lines: Sequence[Line]) -> dict[str, Any]:
    """Title, author, translator, editor, language, publisher and year as the header gives them.

    The release date is the electronic text's and says nothing about the edition; it is passed over. Only
    "Original publication" gives a year.
    """
    first, _ = licence_bounds(lines)
    if first == 0:
        return {}
    fields: dict[str, str] = {}
    key: str | None = None
    before = ""
    for line in lines[:first]:
        match = _FIELD.match(line.text)
        if match:
            key = _FIELDS.get(match.group(1).strip().lower())
            if key and key not in fields:
                fields[key] = match.group(2).strip()
            else:
                key = None
        elif key and not line.gap and line.text.startswith((" ", "\t")):
            # A line that had room for more was ended on purpose: a subtitle, a second author.
            on_purpose = bool(fields[key]) and len(before) < _FULL_LINE
            joiner = ("; " if key != "title" else ": ") if on_purpose else " "
            fields[key] = f"{fields[key]}{joiner}{line.text.strip()}".strip()
        else:
            key = None
        before = line.text
    return _facts(fields, lines[:first])


def _facts(fields: dict[str, str], header: Sequence[Line]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        name: " ".join(fields[name].split())
        for name in ("title", "author", "translator", "editor")
        if fields.get(name)
    }
    language = language_tag(fields.get("language", ""))
    if language:
        facts["language"] = language
    publication = _PUBLICATION.match(fields.get("publication", ""))
    if publication:
        facts["publisher"] = publication.group("publisher").strip()
        facts["year"] = int(publication.group("year"))
    if "title" not in facts:
        for line in header[:40]:
            old = _OLD_TITLE.search(line.text)
            if old:
                facts["title"] = old.group("title").strip()
                facts.setdefault("author", old.group("author").strip(" ."))
                break
    return facts


#: ISO 639-2 codes that e-books use beside the two-letter ones.
_THREE_LETTERS = {
    "eng": "en",
    "ger": "de",
    "deu": "de",
    "fre": "fr",
    "fra": "fr",
    "ita": "it",
    "spa": "es",
    "lat": "la",
    "dut": "nl",
    "nld": "nl",
    "grc": "grc",
    "gre": "el",
    "ell": "el",
    "rus": "ru",
    "dan": "da",
    "swe": "sv",
    "por": "pt",
}


def language_tag(value: str | None) -> str | None:
    """The BCP 47 primary tag of "en-US", "deu" or "German"; ``None`` for "und" and what is no language."""
    word = regex.split(r"[-_,;/ (]", (value or "").strip().lower())[0]
    if word in _LANGUAGES:
        return _LANGUAGES[word]
    if word in _THREE_LETTERS:
        return _THREE_LETTERS[word]
    return word if regex.fullmatch(r"[a-z]{2,3}", word) and word not in ("und", "zxx", "mul") else None
