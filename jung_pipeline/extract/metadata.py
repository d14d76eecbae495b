"""What a file says about the book in it, with what programs fill in by themselves left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

#: Titles that name a program, a file or nothing.
_JUNK_TITLE = re.compile(
    r"""
      (?:untitled|unknown|unbekannt|sans\ titre|ohne\ titel|no\ title|title|titel|document|dokument|book|scan)
      (?:\W*\d+)?
    | microsoft\ (?:word|powerpoint)\ -\ .*
    | (?:untitled|unbenannt|binder|scan|img|doc|document|dokument|page|seite|layout|slide)[-_ ]*\d+(?:\.\w{2,5})?
    | .*\.(?:docx?|pdf|indd|qxd|qxp|tex|rtf|odt|pages|txt|html?|epub|tiff?|jpe?g|ps|p65|pmd|dvi|cdr|fm)
    | [\d\W_]+
    | (?:calibre|adobe|acrobat|quarkxpress|powerpoint|abbyy|pdf).*
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: Names that stand for a program, an account or nobody.
_JUNK_NAME = re.compile(
    r"(?:unknown|unbekannt|anonymous user|admin(?:istrator)?|user|owner|author|autor|calibre.*|adobe.*|acrobat.*|"
    r"microsoft.*|abbyy.*|(?:hp|dell|lenovo|acer|asus)\b.*|pc|default|none|n/?a|[\d\W_]+|\S+@\S+|https?://.*)",
    re.IGNORECASE,
)
#: A bare abbreviation is a firm's or a scanner's name; "H. D." and "S.H." have stops.
_ABBREVIATION = re.compile(r"[A-Z]{2,5}")
#: What Project Gutenberg puts before a title.
_TITLE_PREFIX = re.compile(
    r"(?:the )?project gutenberg(?:'s)? e-?(?:book|text)(?: #?\d+)?(?: of|:)\s+", re.IGNORECASE
)
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_LANGUAGES = {"eng": "en", "english": "en", "ger": "de", "deu": "de", "german": "de", "deutsch": "de"}


def clean_metadata(stated: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of ``stated`` that say something: title, author, translator, publisher, year, language.

    Args:
        stated: strings as the file has them, or ``None``; ``year`` may be a date in any form.

    Returns:
        Only known fields. ``year`` is an int between 1400 and this year, ``language`` a BCP 47 primary
        tag. ("C. G. Jung" and the like pass unchanged.)
    """
    found: dict[str, Any] = {}
    for name in ("title", "author", "translator", "publisher"):
        value = stated.get(name)
        if isinstance(value, str):
            value = " ".join(value.replace("\x00", " ").replace("\ufeff", "").split())
            if name == "title":
                value = _TITLE_PREFIX.sub("", value, count=1)
                junk = _JUNK_TITLE.fullmatch(value) is not None
            else:
                junk = _JUNK_NAME.fullmatch(value) is not None or (
                    name == "author" and _ABBREVIATION.fullmatch(value) is not None
                )
            if value and not junk:
                found[name] = value
    year = _year(stated.get("year"))
    if year is not None:
        found["year"] = year
    language = _language(stated.get("language"))
    if language is not None:
        found["language"] = language
    return found


def _year(stated: Any) -> int | None:
    """The one year in a date; ``None`` if there is none, several, or one that cannot be."""
    years = {int(y) for y in _YEAR.findall(str(stated or ""))}
    years = {y for y in years if y <= date.today().year}
    return years.pop() if len(years) == 1 else None


def _language(stated: Any) -> str | None:
    """The primary tag of a language code or name."""
    text = str(stated or "").strip().lower()
    text = _LANGUAGES.get(text, re.split(r"[-_]", text)[0])
    text = _LANGUAGES.get(text, text)
    return text if re.fullmatch(r"[a-z]{2,3}", text) and text not in ("und", "zxx", "mul") else None
