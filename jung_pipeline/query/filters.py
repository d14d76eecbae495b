"""Filters as a reader types them, made into the library's own values, or refused with the names that are near.

A misspelt filter lets no passage through, which would read as "not in these books"; so it is an error instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import regex

from jung_pipeline.errors import UsageError
from jung_pipeline.index.vector_index import Where
from jung_pipeline.query.retriever import ConceptLexicon
from jung_pipeline.text.languages import language_tag
from jung_pipeline.text.normalise import fold, squeeze, words

#: Columns of ``schemas.CHUNKS`` that a filter is checked against.
COLUMNS = ("volume", "work_title", "author", "language", "chapter", "kind", "concepts")
KINDS = ("body", "note")
#: Known values that an error names at most, near ones first.
_NAMED = 8
#: The largest page number that a passage can have (``schemas.CHUNKS``: 32 bits).
_LAST_PAGE = 2**31 - 1
_PEOPLE = regex.compile(r"\s*(?:;|&|\band\b|\bund\b)\s*")


@dataclass(frozen=True)
class Known:
    """The values that the passages of a library have, each once, in their order."""

    volumes: tuple[str, ...]
    works: tuple[str, ...]
    authors: tuple[str, ...]
    languages: tuple[str, ...]
    chapters: tuple[str, ...]
    concepts: tuple[str, ...]
    titles: Mapping[str, str]  # of a work, folded: the volume

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Known:
        """The values of ``rows`` with the columns :data:`COLUMNS`."""
        columns: dict[str, dict[str, None]] = {name: {} for name in COLUMNS}
        titles: dict[str, str] = {}
        for row in rows:
            for name in COLUMNS[:-1]:
                value = row.get(name)
                if value:
                    columns[name][value] = None
            columns["concepts"].update(dict.fromkeys(row.get("concepts") or ()))
            titles.setdefault(_key(row["work_title"]), row["volume"])
        return cls(
            volumes=tuple(columns["volume"]),
            works=tuple(columns["work_title"]),
            authors=tuple(columns["author"]),
            languages=tuple(columns["language"]),
            chapters=tuple(columns["chapter"]),
            concepts=tuple(columns["concepts"]),
            titles=titles,
        )


def resolved(where: Where, known: Known, lexicon: ConceptLexicon | None) -> Where:
    """``where`` with every value as the library writes it; several where one stands for several (a surname).

    Languages and concepts that exist but that no passage has are left as they are: that nothing passes such a
    filter is an answer, and no mistake.

    Raises:
        UsageError: a value is not known; names the nearest that are.
    """
    return replace(
        where,
        volumes=_each("volume", where.volumes, known.volumes, lambda v: _volume(v, known)),
        works=_each("work", where.works, known.works),
        authors=_each("author", where.authors, known.authors, lambda v: _authors(v, known.authors)),
        languages=_each("language", where.languages, known.languages, _language),
        chapters=_each("chapter", where.chapters, known.chapters),
        concepts=_each(
            "concept",
            where.concepts,
            known.concepts,
            lambda v: _concept(v, known, lexicon),
            _nicknames(known, lexicon) if where.concepts else None,
        ),
        kinds=_each("kind", where.kinds, KINDS),
        pages=_pages(where.pages),
    )


def _pages(asked: tuple[int, int] | None) -> tuple[int, int] | None:
    """First and last page as numbers that every index can compare with those of passages.

    Raises:
        UsageError: they are no two page numbers, or the last comes before the first.
    """
    if asked is None:
        return None
    example = "Give the first and the last position page, such as (12, 40)."
    if len(asked) != 2 or not all(isinstance(page, int) and not isinstance(page, bool) for page in asked):
        raise UsageError(f"Pages {asked!r} are not two page numbers.", remedy=example)
    first, last = (min(max(page, 0), _LAST_PAGE) for page in asked)
    if asked[0] > asked[1]:
        raise UsageError(f"Pages {asked[0]} to {asked[1]}: the last comes before the first.", remedy=example)
    return first, last


def _each(
    name: str,
    asked: Iterable[str],
    values: tuple[str, ...],
    others: Callable[[str], Iterable[str]] = lambda value: (),
    nicknames: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """The known value of each one asked for: letter for letter, else by its folded form, else by ``others``."""
    found: dict[str, None] = {}
    for value in asked:
        same = [value] if value in values else [v for v in values if _key(v) == _key(value)]
        same = same or list(others(value))
        if not same:
            raise UsageError(f"No {name} {value!r}. {_suggestion(value, values, nicknames)}")
        found.update(dict.fromkeys(same))
    return tuple(found)


def _suggestion(value: str, values: tuple[str, ...], nicknames: Mapping[str, str] | None = None) -> str:
    """The known values, those like ``value``, or with a nickname like it, first."""
    if not values:
        return "The library has none."
    by_key = {**(nicknames or {}), **{_key(known): known for known in values}}
    near = [by_key[key] for key in get_close_matches(_key(value), by_key, n=3, cutoff=0.6)]
    ordered = list(dict.fromkeys([*near, *sorted(values)]))
    shown = ", ".join(ordered[:_NAMED])
    more = len(ordered) - _NAMED
    return f"Known: {shown}{f' and {more:,} more' if more > 0 else ''}."


def _key(value: str) -> str:
    return squeeze(fold(value))


def _volume(value: str, known: Known) -> list[str]:
    """A volume by the title of its work."""
    volume = known.titles.get(_key(value))
    return [volume] if volume else []


def _authors(value: str, authors: Iterable[str]) -> list[str]:
    """The authors that a name means: their surname alone, or with given names whole or as initials."""
    asked = _name(value)
    return [
        author for author in authors if asked and any(_fits(asked, _name(p)) for p in _PEOPLE.split(author))
    ]


def _name(person: str) -> list[str]:
    """The words of a personal name, the surname last: "Jung, C. G." is "C. G. Jung"."""
    family, comma, given = person.partition(",")
    return [word.form for word in words(f"{given} {family}" if comma else person)]


def _fits(asked: list[str], name: list[str]) -> bool:
    """Whether the surname is the same and every given name asked for is one of the name's, or its initial."""
    if not name or asked[-1] != name[-1]:
        return False
    return all(
        any(part == given or (part[:1] == given[:1] and 1 in (len(part), len(given))) for given in name[:-1])
        for part in asked[:-1]
    )


def _language(value: str) -> list[str]:
    """The tag of a language that is named or tagged; letters that are no language's are none."""
    tag = language_tag(value)
    return [tag] if tag in NAMES["en"] else []


def _concept(value: str, known: Known, lexicon: ConceptLexicon | None) -> list[str]:
    """The concept that has ``value`` among its names."""
    forms = lexicon.expand(value) if lexicon else ()
    return [form for form in forms if form in known.concepts][:1] or list(forms[:1])


def _nicknames(known: Known, lexicon: ConceptLexicon | None) -> dict[str, str]:
    """The names, folded, under which the concepts of the library are known: the concept of each."""
    if lexicon is None:
        return {}
    return {_key(form): concept for concept in known.concepts for form in lexicon.expand(concept)}


#: Names of languages, in the languages that the library speaks with its reader.
NAMES = {
    "en": {
        "en": "English", "de": "German", "fr": "French", "it": "Italian", "es": "Spanish", "la": "Latin",
        "nl": "Dutch", "el": "Greek", "ru": "Russian", "da": "Danish", "sv": "Swedish", "pt": "Portuguese",
        "fi": "Finnish", "hu": "Hungarian", "pl": "Polish", "zh": "Chinese",
    },
    "de": {
        "en": "Englisch", "de": "Deutsch", "fr": "Französisch", "it": "Italienisch", "es": "Spanisch",
        "la": "Latein", "nl": "Niederländisch", "el": "Griechisch", "ru": "Russisch", "da": "Dänisch",
        "sv": "Schwedisch", "pt": "Portugiesisch", "fi": "Finnisch", "hu": "Ungarisch", "pl": "Polnisch",
        "zh": "Chinesisch",
    },
}  # fmt: skip


_KINDS_NAMED = {"note": "in the notes", "body": "in the body text"}


def nothing_passes(where: Where, language: str | None) -> str:
    """What to say when no passage passes the filter, in the language of the question."""
    german = language == "de"
    names = NAMES["de" if german else "en"]
    either = " oder " if german else " or "

    def listed(values: Iterable[str]) -> str:
        return either.join(values)

    spoken = listed(names.get(value, value) for value in where.languages)
    within = [*where.works, *where.volumes]
    parts = []
    if spoken:
        parts.append(f"auf {spoken}" if german else f"in {spoken}")
    if where.concepts:
        parts.append(f"{'zu' if german else 'on'} {listed(where.concepts)}")
    if where.authors:
        parts.append(f"{'von' if german else 'by'} {listed(where.authors)}")
    if where.kinds:
        kinds = {"note": "in den Anmerkungen", "body": "im Text"} if german else _KINDS_NAMED
        parts.append(listed(kinds[kind] for kind in where.kinds))
    place = f" in {listed([*within, *where.chapters])}" if within or where.chapters else ""
    if german:
        return f"Keine Stelle {' '.join(parts)}{place or ' in dieser Bibliothek'}.".replace("  ", " ")
    return f"No passage {' '.join(parts)}{place or ' in this library'}.".replace("  ", " ")
