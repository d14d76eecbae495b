"""Citations: a passage's address as scholars write it, and as reference managers read it.

The numbered paragraph comes first where there is one, then the printed page, with the position in the file
beside it so that the page can be found on the screen. What is not known is left out, never guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import regex

from jung_pipeline.catalogue import Volume
from jung_pipeline.query.passages import Passage


@dataclass(frozen=True)
class Source:
    """A passage with the number under which an answer cites it."""

    number: int  # 1-based
    passage: Passage
    volume: Volume | None = None  # facts about the edition, where the catalogue is at hand

    @property
    def chunk_id(self) -> str:
        """Id of the passage."""
        return self.passage.chunk_id

    @property
    def text(self) -> str:
        """Text of the passage."""
        return self.passage.text

    @property
    def citation(self) -> str:
        """Author, work, edition, chapter, place; without the number."""
        return cite(self.passage, self.volume)

    @property
    def line(self) -> str:
        """As shown under an answer: "[1] Author, Work, chapter, § 513, p. 42 (file page 57)"."""
        return f"[{self.number}] {self.citation}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data, with the reference as CSL-JSON."""
        return {
            "number": self.number,
            "citation": self.citation,
            "csl": csl_json(self.passage, self.volume),
            "passage": self.passage.to_dict(),
        }


def cite(passage: Passage, volume: Volume | None = None) -> str:
    """The address of ``passage`` in one line of text."""
    author = passage.author or (volume.author if volume else None)
    edition = _edition(volume)
    parts = [author, f"{passage.work_title} ({edition})" if edition else passage.work_title, passage.chapter]
    if passage.kind == "note":
        parts.append("note")
    parts += [_numbered(passage, volume), pages(passage, volume)]
    return ", ".join(part for part in parts if part)


def _numbered(passage: Passage, volume: Volume | None) -> str:
    """The Collected Works volume where known, and the numbered paragraphs: "CW 9i, § 513"."""
    work = f"CW {volume.cw_volume}" if volume and volume.cw_volume else ""
    paragraphs = ""
    if passage.numbered_first:
        first, last = passage.numbered_first, passage.numbered_last or passage.numbered_first
        paragraphs = f"§ {first}" if first == last else f"§§ {first}–{last}"
    return ", ".join(part for part in (work, paragraphs) if part)


def pages(passage: Passage, volume: Volume | None = None) -> str:
    """The printed page where known, and the page of the file beside it: "p. 42 (file page 57)".

    The place among the documents of an e-book helps nobody who has a printed page, so it is left out there.
    """
    printed = _range("p.", "pp.", passage.label_first, passage.label_last)
    if printed and volume and PurePath(volume.file).suffix.lower() != ".pdf":
        return printed
    position = _position(passage, volume)
    if printed and position:
        return f"{printed} ({position})"
    return printed or position


def _position(passage: Passage, volume: Volume | None) -> str:
    """Where the passage stands in the file, in the words that fit the kind of file."""
    if passage.page_first is None:
        return ""
    suffix = PurePath(volume.file).suffix.lower() if volume else ""
    first, last = str(passage.page_first), str(passage.page_last or passage.page_first)
    if suffix == ".pdf":
        return _range("file page", "file pages", first, last)
    if suffix == ".epub":
        return _range("document", "documents", first, last) + " of the file"
    # A text or HTML file has one "page", which says nothing; an unknown file may be one.
    if suffix or last == "1":
        return ""
    return _range("position", "positions", first, last) + " in the file"


def _range(one: str, many: str, first: str | None, last: str | None) -> str:
    if not first and not last:
        return ""
    first, last = first or last, last or first
    return f"{one} {first}" if first == last else f"{many} {first}–{last}"


def _edition(volume: Volume | None) -> str:
    """Translator and year of the edition, the year of the original in brackets."""
    if volume is None:
        return ""
    year = str(volume.year) if volume.year else ""
    if volume.original_year and volume.original_year != volume.year:
        year = f"{year} [{volume.original_year}]" if year else f"[{volume.original_year}]"
    translator = f"trans. {volume.translator}" if volume.translator else ""
    return ", ".join(part for part in (translator, year) if part)


# --------------------------------------------------------------------------------------------------
# for reference managers
# --------------------------------------------------------------------------------------------------


def csl_json(passage: Passage, volume: Volume | None = None) -> dict[str, Any]:
    """The passage as a CSL-JSON item (what Zotero, Pandoc and citeproc read), with its locator."""
    author = passage.author or (volume.author if volume else None)
    item: dict[str, Any] = {"id": passage.volume, "type": "book", "title": passage.work_title}
    if author:
        item["author"] = [_name(author)]
    if passage.language:
        item["language"] = passage.language
    item |= _csl_edition(volume) if volume else {}
    if passage.numbered_first:
        item["label"], item["locator"] = "section", _between(passage.numbered_first, passage.numbered_last)
    elif passage.label_first:
        item["label"], item["locator"] = "page", _between(passage.label_first, passage.label_last)
    elif passage.chapter:
        item["label"], item["locator"] = "chapter", passage.chapter
    return item


def _csl_edition(volume: Volume) -> dict[str, Any]:
    """What the catalogue knows about the edition, as CSL fields."""
    known = {
        "translator": volume.translator and [_name(volume.translator)],
        "editor": volume.editor and [_name(volume.editor)],
        "publisher": volume.publisher,
        "issued": volume.year and {"date-parts": [[volume.year]]},
        "original-date": volume.original_year and {"date-parts": [[volume.original_year]]},
        "volume": volume.cw_volume,
    }
    return {name: value for name, value in known.items() if value}


def bibtex(sources: Sequence[Source]) -> str:
    """One ``@book`` entry for each volume among ``sources``, the places cited in its ``note``."""
    return "\n\n".join(_bibtex_entry(group) for group in _by_volume(sources)) + "\n" if sources else ""


def ris(sources: Sequence[Source]) -> str:
    """One RIS record for each volume among ``sources``, the places cited in its notes (``N1``)."""
    records = []
    for group in _by_volume(sources):
        item = csl_json(group[0].passage, group[0].volume)
        lines = ["TY  - BOOK", f"ID  - {item['id']}", f"TI  - {item['title']}"]
        lines += [f"AU  - {_ris_name(name)}" for name in item.get("author", [])]
        lines += [f"A4  - {_ris_name(name)}" for name in item.get("translator", [])]
        lines += [f"ED  - {_ris_name(name)}" for name in item.get("editor", [])]
        for tag, key in (("PB", "publisher"), ("VL", "volume"), ("LA", "language")):
            if key in item:
                lines.append(f"{tag}  - {item[key]}")
        if "issued" in item:
            lines.append(f"PY  - {item['issued']['date-parts'][0][0]}")
        lines += [f"N1  - {source.line}" for source in group]
        records.append("\n".join([*lines, "ER  - "]))
    return "\n\n".join(records) + "\n" if records else ""


def _by_volume(sources: Sequence[Source]) -> list[list[Source]]:
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.passage.volume, []).append(source)
    return list(groups.values())


def _bibtex_entry(group: Sequence[Source]) -> str:
    item = csl_json(group[0].passage, group[0].volume)
    values = {"title": item["title"]}
    for name in ("author", "editor", "translator"):
        if name in item:
            values[name] = " and ".join(_ris_name(person) for person in item[name])
    for name in ("publisher", "volume", "language"):
        if name in item:
            values[name] = item[name]
    if "issued" in item:
        values["year"] = str(item["issued"]["date-parts"][0][0])
    if "original-date" in item:
        values["origyear"] = str(item["original-date"]["date-parts"][0][0])
    values["note"] = "; ".join(source.line for source in group)
    body = ",\n".join(f"  {name} = {{{_bibtex_text(value)}}}" for name, value in values.items())
    return f"@book{{{item['id']},\n{body}\n}}"


def _bibtex_text(value: str) -> str:
    """``value`` with the characters that BibTeX gives a meaning to made harmless."""
    value = regex.sub(r"[{}\\]", "", value)
    return regex.sub(r"([&%$#_])", r"\\\1", value)


def _name(name: str) -> dict[str, str]:
    """A personal name in CSL parts: "C. G. Jung" and "Jung, C. G." alike; several people stay one literal."""
    if regex.search(r"\b(?:and|und|&|;)\b|;|&", name):
        return {"literal": name}
    if "," in name:
        family, given = (part.strip() for part in name.split(",", 1))
    else:
        given, _, family = name.strip().rpartition(" ")
    return {"family": family, "given": given} if given else {"literal": family or name}


def _ris_name(name: dict[str, str]) -> str:
    return name["literal"] if "literal" in name else f"{name['family']}, {name['given']}"


def _between(first: str, last: str | None) -> str:
    return first if not last or last == first else f"{first}–{last}"
