"""What a file says about the book in it, with what programs fill in by themselves left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from jung_pipeline.text.languages import language_tag

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
#: The names of people and of a firm among the fields.
_NAMES = ("author", "translator", "editor", "publisher")


def clean_metadata(stated: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of ``stated`` that say something: the one door by which a file's statements come in.

    Args:
        stated: ``title``, ``author``, ``translator``, ``editor``, ``publisher``, ``year``, ``original_year``
            and ``language`` as the file has them, or ``None``. Several people are parted by "; ". Years may
            be dates in any form.

    Returns:
        Only known fields. Years are ints between 1400 and this year, ``language`` is a BCP 47 primary tag.
        Names stand as the file gives them ("Sigm. Freud, M. D.").
    """
    found: dict[str, Any] = {}
    title = _plain(stated.get("title"))
    title = _TITLE_PREFIX.sub("", title, count=1)
    if title and not _JUNK_TITLE.fullmatch(title):
        found["title"] = title
    for name in _NAMES:
        people = [person for person in _plain(stated.get(name)).split("; ") if _is_name(person, name)]
        if people:
            found[name] = "; ".join(people)
    for name in ("year", "original_year"):
        year = _year(stated.get(name))
        if year is not None:
            found[name] = year
    language = language_tag(str(stated.get("language") or ""))
    if language is not None:
        found["language"] = language
    return found


def _plain(stated: Any) -> str:
    """A string in one line; anything else as the empty string."""
    if not isinstance(stated, str):
        return ""
    return " ".join(stated.replace("\x00", " ").replace("\ufeff", "").split())


def _is_name(value: str, field: str) -> bool:
    """Whether a value names somebody."""
    if not value or _JUNK_NAME.fullmatch(value):
        return False
    return field != "author" or not _ABBREVIATION.fullmatch(value)


def _year(stated: Any) -> int | None:
    """The one year in a date; ``None`` if there is none, several, or one that cannot be."""
    years = {int(y) for y in _YEAR.findall(str(stated or ""))}
    years = {y for y in years if y <= date.today().year}
    return years.pop() if len(years) == 1 else None
