"""A chapter as the XHTML of an EPUB: headings, paragraphs, linked notes, and marks of printed pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

from jung_pipeline.demo.book import Chapter, Note, Paragraph, Run
from jung_pipeline.demo.setting import roman

#: Characters of text on a page of the printed edition that the page list refers to.
CHARACTERS_A_PAGE = 1250

#: Kinds of chapters and the words the EPUB vocabulary of structure has for them.
_TYPES = {"preface": "preface", "foreword": "foreword", "part": "part", "lecture": "chapter"}
#: A block that opens with the mark of a new page.
_PAGE_FIRST = re.compile(r"(?:<(?!span)[^>]*>|\[\d+\] )*<span epub:type")


@dataclass
class Pager:
    """Counts characters and says where a new printed page begins."""

    labels: list[str] = field(default_factory=list)
    places: list[tuple[str, str]] = field(default_factory=list)  # label, "file#id"
    file: str = ""
    filled: int = 0
    front: bool = True

    def begin(self, file: str, *, front: bool) -> str:
        """A chapter opens on a new page of ``file``."""
        self.file, self.front = file, front
        return self._mark()

    def take(self, characters: int) -> bool:
        """Count ``characters`` of text; whether they begin a new page."""
        self.filled += characters
        return self.filled > CHARACTERS_A_PAGE

    def turn(self) -> str:
        """The mark of the page that begins here."""
        return self._mark()

    def _mark(self) -> str:
        ours = [label for label in self.labels if label.isdecimal() != self.front]
        # Title, imprint, contents and dedication are the leaves before page v.
        label = roman(len(ours) + 5) if self.front else str(len(ours) + 1)
        self.labels.append(label)
        self.places.append((label, f"{self.file}#page{label}"))
        self.filled = 0
        return (
            f'<span epub:type="pagebreak" role="doc-pagebreak" id="page{label}" title="{label}"'
            f' aria-label="{label}"></span>'
        )


def chapter_section(
    chapter: Chapter, name: str, pager: Pager, *, front: bool
) -> tuple[str, list[tuple[str, str]]]:
    """The section of ``chapter`` for the file ``name``, its notes gathered at the end.

    Returns:
        The XHTML, and the first and last printed page of its heading, of each paragraph, and of the notes
        behind their paragraph: the order of the true paragraphs.
    """
    mark = pager.begin(name, front=front)
    level = "h2" if chapter.part and chapter.kind != "part" else "h1"
    kind = _TYPES.get(chapter.kind, "chapter")
    out = [f'<section epub:type="{kind}" id="c{name[:2]}">{mark}<{level}>{escape(chapter.heading)}</{level}>']
    labels: list[tuple[str, str] | None] = [(pager.labels[-1], pager.labels[-1])]
    for i, paragraph in enumerate(chapter.paragraphs):
        turned = len(pager.labels)
        text = _paragraph(paragraph, pager, first=i == 0)
        out.append(text)
        at_once = _PAGE_FIRST.match(text) is not None
        labels.append((pager.labels[turned if at_once else turned - 1], pager.labels[-1]))
        labels.extend(None for _ in paragraph.notes)
    out.extend(_note(note) for note in chapter.notes)
    out.append("</section>")
    end = (pager.labels[-1], pager.labels[-1])  # where the notes are
    return "\n".join(out), [pages or end for pages in labels]


def _paragraph(paragraph: Paragraph, pager: Pager, *, first: bool) -> str:
    """A paragraph with its note marks, page breaks and, where the book numbers it, its number."""
    inner = "".join(_run(run, pager) for run in paragraph.runs)
    lang = f' xml:lang="{paragraph.language}" lang="{paragraph.language}"' if paragraph.language else ""
    if paragraph.kind == "verse":
        lines = "<br/>\n".join(inner.split("\n"))
        return f'<div class="verse" epub:type="z3998:verse"{lang}><p>{lines}</p></div>'
    if paragraph.kind == "quotation":
        return f"<blockquote{lang}><p>{inner}</p></blockquote>"
    number = f"[{paragraph.number}] " if paragraph.number is not None else ""
    opening = '<p class="first"' if first else "<p"
    return f"{opening}{lang}>{number}{inner}</p>"


def _run(run: Run, pager: Pager) -> str:
    """One stretch of text as XHTML."""
    if run.style == "noteref":
        mark = escape(run.text)
        return f'<a epub:type="noteref" role="doc-noteref" id="ref{mark}" href="#note{mark}"><sup>{mark}</sup></a>'
    pieces = []
    for word in re.findall(r"\S+|\s+", run.text):
        turns = pager.take(len(word)) and not word.isspace()
        pieces.append((pager.turn() if turns else "") + escape(word, quote=False))
    text = "".join(pieces)
    return f"<i>{text}</i>" if run.style == "italic" else text


def _note(note: Note) -> str:
    """A footnote as a pop-up aside."""
    mark = escape(note.mark)
    text = "".join(
        f"<i>{escape(run.text, quote=False)}</i>" if run.style == "italic" else escape(run.text, quote=False)
        for run in note.runs
    )
    return (
        f'<aside epub:type="footnote" role="doc-footnote" id="note{mark}"><p>'
        f'<a href="#ref{mark}" role="doc-backlink">{mark}</a> {text}</p></aside>'
    )
