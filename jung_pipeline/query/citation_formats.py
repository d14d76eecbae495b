"""References for other programs: the sources of an answer as text, CSL-JSON, BibTeX and RIS.

An edition is one entry, whatever number of its places is cited: that is what belongs into a bibliography. The places
(numbered paragraph, printed page) stand beside it: in ``note``, and for programs in ``custom.places`` (CSL-JSON) and
``pages`` (BibTeX, ``SE`` in RIS). What the catalogue does not know is left out.

Rules: CSL 1.0.2 (``csl-data.json``; ``custom`` is its place for what it has no field for), the fields of BibTeX and
biblatex (``translator``, ``origdate``), the RIS specification of 2011.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from jung_pipeline.query.names import Name, names
from jung_pipeline.text.printable import one_line

if TYPE_CHECKING:
    from jung_pipeline.catalogue import Volume
    from jung_pipeline.query.citations import Source
    from jung_pipeline.query.passages import Passage

CiteFormat = Literal["text", "csl-json", "bibtex", "ris"]
#: Every format, in the order in which they are offered.
FORMATS: tuple[CiteFormat, ...] = get_args(CiteFormat)

#: The series that ``cw_volume`` counts in.
_SERIES = "Collected Works"


def references(sources: Sequence[Source], form: CiteFormat) -> str:
    """``sources`` as ``form``, ending in a line break; empty (``[]`` in CSL-JSON) where there are none.

    Raises:
        ValueError: there is no such format.
    """
    if form == "text":
        return "".join(f"{source.line}\n" for source in sources)
    if form == "csl-json":
        return json.dumps(csl_items(sources), ensure_ascii=False, indent=2) + "\n"
    if form == "bibtex":
        return bibtex(sources)
    if form == "ris":
        return ris(sources)
    raise ValueError(f"{form!r} is no format of references; there are {', '.join(FORMATS)}")


# --------------------------------------------------------------------------------------------------
# CSL-JSON
# --------------------------------------------------------------------------------------------------


def csl_items(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """One CSL item for each edition among ``sources``, in order of first use."""
    items = []
    for group in _by_volume(sources):
        item = csl_item(group[0].passage, group[0].volume)
        item["note"] = "; ".join(source.line for source in group)
        item["custom"] = {"places": [_place(source) for source in group]}
        items.append(item)
    return items


def csl_item(passage: Passage, volume: Volume | None = None) -> dict[str, Any]:
    """The edition that ``passage`` is from, as a CSL item."""
    authors = names(passage.author or (volume.author if volume else None))
    item: dict[str, Any] = {"id": passage.volume, "type": "book", "title": one_line(passage.work_title)}
    known = {
        "author": [name.csl() for name in authors],
        "translator": [name.csl() for name in names(volume.translator)] if volume else [],
        "editor": [name.csl() for name in names(volume.editor)] if volume else [],
        "language": passage.language,
        "publisher": volume and volume.publisher,
        "issued": volume and _date(volume.year),
        "original-date": volume and _date(volume.original_year),
        "collection-title": _SERIES if volume and volume.cw_volume else None,
        "volume": volume and volume.cw_volume,
    }
    return item | {name: value for name, value in known.items() if value}


def csl_cite(passage: Passage) -> dict[str, str]:
    """The place of ``passage`` in its edition, as an item of a CSL citation: ``id`` with ``label`` and ``locator``."""
    cite = {"id": passage.volume}
    if passage.numbered_first:
        locator = _range(passage.numbered_first, passage.numbered_last)
        return {**cite, "label": "paragraph", "locator": locator}
    printed = _printed(passage)
    if printed:
        return {**cite, "label": "page", "locator": printed}
    return {**cite, "label": "chapter", "locator": one_line(passage.chapter)} if passage.chapter else cite


def _place(source: Source) -> dict[str, Any]:
    """A cited place for programs: what is known of it."""
    passage = source.passage
    cite = csl_cite(passage)
    known = {
        "number": source.number,
        "citation": source.citation,
        "chunk_id": passage.chunk_id,
        "label": cite.get("label"),
        "locator": cite.get("locator"),
        "chapter": passage.chapter,
        "page": _printed(passage),
    }
    return {name: value for name, value in known.items() if value}


def _date(year: int | None) -> dict[str, Any] | None:
    return {"date-parts": [[year]]} if year else None


# --------------------------------------------------------------------------------------------------
# BibTeX
# --------------------------------------------------------------------------------------------------


def bibtex(sources: Sequence[Source]) -> str:
    """One ``@book`` entry for each edition among ``sources``; for BibTeX and for biblatex."""
    return "\n\n".join(_bibtex_entry(group) for group in _by_volume(sources)) + "\n" if sources else ""


def _bibtex_entry(group: Sequence[Source]) -> str:
    passage, volume = group[0].passage, group[0].volume
    item = csl_item(passage, volume)
    chapters = list(dict.fromkeys(source.passage.chapter for source in group))
    known = {
        "author": _bibtex_names(passage.author or (volume.author if volume else None)),
        "title": _bibtex_text(item["title"]),
        "translator": _bibtex_names(volume.translator if volume else None),
        "editor": _bibtex_names(volume.editor if volume else None),
        "publisher": _bibtex_text(item.get("publisher")),
        "year": str(volume.year) if volume and volume.year else "",
        "origdate": str(volume.original_year) if volume and volume.original_year else "",
        "series": _bibtex_text(item.get("collection-title")),
        "volume": _bibtex_text(item.get("volume")),
        "language": _bibtex_text(item.get("language")),
        "chapter": _bibtex_text(chapters[0]) if len(chapters) == 1 else "",
        "pages": _bibtex_text(_pages(group).replace("–", "--")),
        "note": _bibtex_text("; ".join(source.line for source in group)),
    }
    body = ",\n".join(f"  {field} = {{{value}}}" for field, value in known.items() if value)
    return f"@book{{{item['id']},\n{body}\n}}"


def _bibtex_names(text: str | None) -> str:
    """Names joined by "and"; a literal in braces, so that it is not taken apart."""
    return " and ".join(
        f"{{{_bibtex_text(name.literal)}}}" if name.literal else _bibtex_text(name.inverted)
        for name in names(text)
    )


#: What TeX gives a meaning to. Braces by name: BibTeX counts them also where they are escaped.
_TEX = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
}  # fmt: skip


def _bibtex_text(value: str | None) -> str:
    """``value`` in one line, with everything that TeX gives a meaning to written out."""
    return "".join(_TEX.get(c, c) for c in one_line(value or ""))


# --------------------------------------------------------------------------------------------------
# RIS
# --------------------------------------------------------------------------------------------------


def ris(sources: Sequence[Source]) -> str:
    """One RIS record for each edition among ``sources``, the places cited in its notes (``N1``)."""
    return "\n".join(_ris_record(group) for group in _by_volume(sources))


def _ris_record(group: Sequence[Source]) -> str:
    passage, volume = group[0].passage, group[0].volume
    item = csl_item(passage, volume)
    lines = [("TY", "BOOK"), ("ID", item["id"]), ("TI", item["title"])]
    lines += [("AU", _ris_name(n)) for n in names(passage.author or (volume.author if volume else None))]
    if volume:
        lines += [("A3", _ris_name(name)) for name in names(volume.editor)]
        lines += [("A4", _ris_name(name)) for name in names(volume.translator)]
    year, original = (volume.year, volume.original_year) if volume else (None, None)
    lines += [
        ("PB", item.get("publisher")),
        ("PY", year and str(year)),
        ("OP", original and str(original)),
        ("T3", item.get("collection-title")),
        ("VL", item.get("volume")),
        ("LA", item.get("language")),
        ("SE", _pages(group)),
        *(("N1", source.line) for source in group),
    ]
    return "".join(f"{tag}  - {one_line(value)}\n" for tag, value in lines if value) + "ER  - \n"


def _ris_name(name: Name) -> str:
    """Family name, given names, suffix, in the order of RIS; a comma in a name that is none would divide it."""
    if name.literal:
        return name.literal.replace(",", "")
    return ", ".join(part for part in (name.family, name.given, name.suffix) if part)


# --------------------------------------------------------------------------------------------------
# places
# --------------------------------------------------------------------------------------------------


def _by_volume(sources: Sequence[Source]) -> list[list[Source]]:
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.passage.volume, []).append(source)
    return list(groups.values())


def _pages(group: Sequence[Source]) -> str:
    """The printed pages of the places, in the order of their numbers: "7, 42–43"."""
    return ", ".join(dict.fromkeys(filter(None, (_printed(source.passage) for source in group))))


def _printed(passage: Passage) -> str:
    return _range(passage.label_first, passage.label_last)


def _range(first: str | None, last: str | None) -> str:
    first, last = first or last, last or first
    return (first if first == last else f"{first}–{last}") if first and last else ""
