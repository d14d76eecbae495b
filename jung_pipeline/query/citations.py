"""Citations: a passage's address as scholars write it (for reference managers: ``citation_formats.py``).

The numbered paragraph comes first where there is one, then the printed page, with the position in the file
beside it so that the page can be found on the screen. What is not known is left out, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from jung_pipeline.catalogue import Volume
from jung_pipeline.query.citation_formats import csl_cite, csl_item
from jung_pipeline.query.passages import Passage


@dataclass(frozen=True)
class Source:
    """A passage with the number under which an answer cites it."""

    number: int  # 1-based
    passage: Passage
    volume: Volume | None = None  # facts about the edition, where the catalogue is at hand
    surrounds: str | None = None  # of a neighbour that was given for context: the passage it belongs to
    before: tuple[Passage, ...] = ()  # the passages round it, as many as were asked for, in reading order
    after: tuple[Passage, ...] = ()

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
        """As JSON-able data, with the edition as a CSL item and the place in it as an item of a CSL citation."""
        return {
            "number": self.number,
            "citation": self.citation,
            "csl": csl_item(self.passage, self.volume),
            "cite": csl_cite(self.passage),
            "passage": self.passage.to_dict(),
            "before": [passage.to_dict() for passage in self.before],
            "after": [passage.to_dict() for passage in self.after],
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
    """Translator, editor and year of the edition, the year of the original in brackets."""
    if volume is None:
        return ""
    year = str(volume.year) if volume.year else ""
    if volume.original_year and volume.original_year != volume.year:
        year = f"{year} [{volume.original_year}]" if year else f"[{volume.original_year}]"
    translator = f"trans. {volume.translator}" if volume.translator else ""
    editor = f"ed. {volume.editor}" if volume.editor else ""
    return ", ".join(part for part in (translator, editor, year) if part)
