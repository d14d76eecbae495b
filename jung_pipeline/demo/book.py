"""A book as its author wrote it: chapters, paragraphs and notes, before any builder sets them.

The prose lies in ``prose/<key>.md``, in a small dialect of Markdown::

    ---
    title: The Round Garden            (header; ``index`` lists the terms of the printed index)
    ---
    # Chapter I: The Two Gardeners {chapter 1}     (kind and number of the chapter)
    A paragraph with *italics* and a note.[^1]
    > a block quotation
    | a line of verse
    |de a line of German verse
    [^1]: The note, numbered afresh in each chapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Literal

RunStyle = Literal["roman", "italic", "noteref"]
ParagraphKind = Literal["body", "quotation", "verse"]

#: The volumes of the demo library, by key, in the order in which they are built.
BOOK_KEYS = ("the-shadow-at-the-door", "letters-from-the-night-school", "the-round-garden")

_HEADING = re.compile(r"# (?:(?P<label>[^:{]+): )?(?P<title>[^{]+?) \{(?P<kind>\w+)(?: (?P<number>\d+))?\}")
_NOTE = re.compile(r"\[\^(?P<mark>\w+)\]: (?P<text>.+)", re.DOTALL)
_INLINE = re.compile(r"\*(?P<italic>[^*]+)\*|\[\^(?P<mark>\w+)\]")
_VERSE = re.compile(r"\|(?P<language>[a-z]{2})? (?P<text>.*)")


@dataclass(frozen=True)
class Run:
    """A stretch of a paragraph in one style; of a ``noteref`` the text is the mark."""

    text: str
    style: RunStyle = "roman"


@dataclass(frozen=True)
class Note:
    """A footnote: the mark and what it says."""

    mark: str
    runs: tuple[Run, ...]

    @property
    def text(self) -> str:
        """The note without its mark."""
        return plain(self.runs)


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, a quotation set apart, or a stanza (lines parted by a line feed)."""

    kind: ParagraphKind
    runs: tuple[Run, ...]
    number: int | None = None  # through the volume, where the book numbers its paragraphs
    language: str | None = None  # BCP 47, where it is not the book's own
    notes: tuple[Note, ...] = ()  # those whose marks stand in it, in order

    @property
    def text(self) -> str:
        """The words alone, without note marks."""
        return plain(self.runs)


@dataclass(frozen=True)
class Chapter:
    """A chapter, lecture, preface, foreword, or the title leaf of a part (which has no paragraphs)."""

    kind: str  # chapter | lecture | preface | foreword | part
    number: int | None
    label: str | None  # as printed before the title: "Chapter I", "Part One"
    title: str
    part: str | None = None  # heading of the part it belongs to
    paragraphs: tuple[Paragraph, ...] = ()

    @property
    def heading(self) -> str:
        """As cited: "Chapter I: The Two Gardeners"."""
        return f"{self.label}: {self.title}" if self.label else self.title

    @property
    def notes(self) -> tuple[Note, ...]:
        """All notes of the chapter."""
        return tuple(note for paragraph in self.paragraphs for note in paragraph.notes)


@dataclass(frozen=True)
class Book:
    """A whole book, ready to be set by any of the builders."""

    key: str  # also the catalogue key that the finished file gets
    title: str
    author: str
    chapters: tuple[Chapter, ...]
    subtitle: str | None = None
    language: str = "en"
    year: int | None = None
    index_terms: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Every paragraph and note in order, joined by blank lines; for looking words up."""
        pieces: list[str] = []
        for chapter in self.chapters:
            for paragraph in chapter.paragraphs:
                pieces.append(paragraph.text)
                pieces.extend(note.text for note in paragraph.notes)
        return "\n\n".join(pieces)


def plain(runs: tuple[Run, ...]) -> str:
    """The words of ``runs`` without note marks."""
    return "".join(run.text for run in runs if run.style != "noteref")


def parse_book(key: str, source: str) -> Book:
    """The book in ``source``, a text of the dialect described above.

    Raises:
        ValueError: the header is missing, a note has no mark or a mark no note; the message names the place.
    """
    header, body = _split_header(key, source)
    chapters: list[Chapter] = []
    part: str | None = None
    number = 0
    numbered = header.get("numbered") == "true"
    for chapter, blocks in _chapters(body):
        if chapter.kind == "part":
            part = chapter.heading
            chapters.append(chapter)
            continue
        paragraphs, notes = _paragraphs(blocks)
        finished: list[Paragraph] = []
        for paragraph in paragraphs:
            if numbered and chapter.number is not None and paragraph.kind == "body":
                number += 1
                paragraph = replace(paragraph, number=number)
            marks = [run.text for run in paragraph.runs if run.style == "noteref"]
            try:
                finished.append(replace(paragraph, notes=tuple(notes.pop(mark) for mark in marks)))
            except KeyError as error:
                raise ValueError(f"{key}, {chapter.heading}: no note for mark {error}.") from None
        if notes:
            raise ValueError(f"{key}, {chapter.heading}: no mark for note {next(iter(notes))!r}.")
        chapters.append(replace(chapter, part=part, paragraphs=tuple(finished)))
    return Book(
        key=key,
        title=header["title"],
        subtitle=header.get("subtitle"),
        author=header["author"],
        language=header.get("language", "en"),
        year=int(header["year"]) if "year" in header else None,
        index_terms=tuple(term.strip() for term in header.get("index", "").split(";") if term.strip()),
        chapters=tuple(chapters),
    )


@cache
def load_book(key: str) -> Book:
    """The volume ``key`` of the demo library (one of :data:`BOOK_KEYS`).

    Raises:
        ValueError: there is no such volume.
    """
    if key not in BOOK_KEYS:
        raise ValueError(f"No demo volume {key!r}; there are {', '.join(BOOK_KEYS)}.")
    source = resources.files(__package__).joinpath("prose", f"{key}.md").read_text(encoding="utf-8")
    return parse_book(key, source)


def _split_header(key: str, source: str) -> tuple[dict[str, str], str]:
    """The header's fields and the text after it."""
    match = re.match(r"---\n(.*?)\n---\n(.*)", source, re.DOTALL)
    if match is None:
        raise ValueError(f"{key}: the header between two lines of '---' is missing.")
    fields = (line.split(": ", 1) for line in match[1].splitlines())
    return {name: value.strip() for name, value in fields}, match[2]


def _chapters(body: str) -> Iterator[tuple[Chapter, list[str]]]:
    """Each chapter without its paragraphs, and the blocks of text that make them."""
    current: Chapter | None = None
    blocks: list[str] = []
    for block in re.split(r"\n{2,}", body.strip()):
        match = _HEADING.fullmatch(block)
        if match is None:
            blocks.append(block)
            continue
        if current is not None:
            yield current, blocks
        number = int(match["number"]) if match["number"] else None
        current, blocks = Chapter(match["kind"], number, match["label"], _typographic(match["title"])), []
    if current is not None:
        yield current, blocks


def _paragraphs(blocks: list[str]) -> tuple[list[Paragraph], dict[str, Note]]:
    """The paragraphs of a chapter, and its notes by mark."""
    paragraphs: list[Paragraph] = []
    notes: dict[str, Note] = {}
    for block in blocks:
        note = _NOTE.fullmatch(block)
        if note is not None:
            notes[note["mark"]] = Note(note["mark"], _runs(note["text"]))
        elif block.startswith("> "):
            paragraphs.append(Paragraph("quotation", _runs(re.sub(r"^> ?", "", block, flags=re.MULTILINE))))
        elif verse := [match for line in block.splitlines() if (match := _VERSE.fullmatch(line))]:
            lines = "\n".join(match["text"] for match in verse)
            paragraphs.append(Paragraph("verse", _runs(lines), language=verse[0]["language"]))
        else:
            paragraphs.append(Paragraph("body", _runs(block.replace("\n", " "))))
    return paragraphs, notes


def _runs(text: str) -> tuple[Run, ...]:
    """Inline marks resolved, straight quotation marks made typographic."""
    runs: list[Run] = []
    text = _typographic(text)
    position = 0
    for match in _INLINE.finditer(text):
        if match.start() > position:
            runs.append(Run(text[position : match.start()]))
        runs.append(Run(match["italic"], "italic") if match["italic"] else Run(match["mark"], "noteref"))
        position = match.end()
    if position < len(text):
        runs.append(Run(text[position:]))
    return tuple(runs)


def _typographic(text: str) -> str:
    """Straight quotation marks and apostrophes replaced by the printed ones."""
    text = re.sub(r'(?<![\w.,;:!?*)])"', "“", text).replace('"', "”")
    return text.replace("'", "’")
