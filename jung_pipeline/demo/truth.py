"""What a built book really says, and what was done to it: the measure for extraction and cleaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jung_pipeline.demo.book import Book, Chapter, Note, Paragraph

FaultKind = Literal[
    "line_hyphen",  # a word parted at a line end; ``truth`` is the whole word
    "page_hyphen",  # a word parted at the end of a page
    "running_head",  # ``truth`` as printed, ``read`` as the text layer has it
    "page_number",
    "stamp",  # text that somebody laid over the page
    "speck",  # a stain that was read as a character
    "letter_spaced_heading",
    "author_spaced",  # "j u n g"
    "misreading",  # one word with letters taken for others
    "split_word",  # a gap read into a word
    "joined_words",  # a gap overlooked between two words
    "greek_misread",  # Greek letters taken for Latin ones
]


@dataclass(frozen=True)
class Fault:
    """A place where the file's text differs from what a reader should get, and the right reading."""

    kind: FaultKind
    page: int  # position in the file, 1-based
    label: str  # printed page
    truth: str  # empty where nothing should be left of it
    read: str  # what the text layer has; a line feed where a line ends
    paragraph: int | None = None  # position in ``BuiltBook.paragraphs``


@dataclass(frozen=True)
class TrueParagraph:
    """A paragraph as cleaning should deliver it. Title leaves, contents and index are not among them."""

    kind: str  # heading | body | quotation | verse | footnote
    text: str
    chapter: str  # as cited
    chapter_kind: str
    chapter_number: int | None
    chapter_title: str
    part: str | None = None
    number: int | None = None  # of a numbered paragraph
    note_mark: str | None = None  # of a footnote
    page_first: int | None = None  # position: PDF page, or place in an EPUB's spine
    page_last: int | None = None
    label_first: str | None = None  # printed page
    label_last: str | None = None


@dataclass(frozen=True)
class BuiltBook:
    """A finished file, with the truth about it."""

    path: Path
    book: Book
    paragraphs: tuple[TrueParagraph, ...]
    faults: tuple[Fault, ...] = ()

    @property
    def key(self) -> str:
        """The catalogue key that the file's name gives."""
        return self.book.key

    @property
    def title(self) -> str:
        """The book's title."""
        return self.book.title

    @property
    def true_text(self) -> str:
        """All paragraphs joined by blank lines."""
        return "\n\n".join(paragraph.text for paragraph in self.paragraphs)


@dataclass(frozen=True)
class Item:
    """One thing to set, in the order of the true paragraphs: a heading, a paragraph, or a footnote."""

    chapter: Chapter
    content: Chapter | Paragraph | Note


def items(book: Book) -> Iterator[Item]:
    """Everything in ``book`` that has a true paragraph, each footnote behind the paragraph of its mark."""
    for chapter in book.chapters:
        yield Item(chapter, chapter)
        for paragraph in chapter.paragraphs:
            yield Item(chapter, paragraph)
            for note in paragraph.notes:
                yield Item(chapter, note)


def true_paragraph(
    item: Item, pages: tuple[int, int] | None = None, labels: tuple[str, str] | None = None
) -> TrueParagraph:
    """The truth about ``item``, which stands on ``pages`` (first, last) with these printed ``labels``."""
    chapter, content = item.chapter, item.content
    kind, text = "heading", chapter.heading
    if isinstance(content, Paragraph):
        kind, text = content.kind, content.text
    elif isinstance(content, Note):
        kind, text = "footnote", content.text
    page_first, page_last = pages or (None, None)
    label_first, label_last = labels or (None, None)
    return TrueParagraph(
        kind=kind,
        text=text,
        chapter=chapter.heading,
        chapter_kind=chapter.kind,
        chapter_number=chapter.number,
        chapter_title=chapter.title,
        part=chapter.part,
        number=content.number if isinstance(content, Paragraph) else None,
        note_mark=content.mark if isinstance(content, Note) else None,
        page_first=page_first,
        page_last=page_last,
        label_first=label_first,
        label_last=label_last,
    )
