"""Tables of contents and lists of illustrations.

A list ends where its first entry comes again with text under it. In doubt a paragraph is text; the word
"Contents" alone proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import regex

from jung_pipeline.clean.book import Book, Paragraph
from jung_pipeline.clean.headings import bare_numeral, is_contents_line, parse_heading
from jung_pipeline.clean.numeral_runs import key_of
from jung_pipeline.clean.outline import documents_of_outline
from jung_pipeline.clean.prose import is_prose

_I = regex.IGNORECASE

_CONTENTS = regex.compile(
    r"(?:(?:.{0,25}table of |analytical |general |the )?contents(?: of .{1,40})?|inhalt|inhalts(?:verzeichnis|übersicht|angabe)|table des matières|"
    r"(?:list|table) of (?:the )?(?:illustrations|plates|figures|tables|abbreviations|works cited)|illustrations|list of .{1,30} illustrations|"
    r"(?:abbildungs|tafel|tabellen|abkürzungs)verzeichnis|verzeichnis der (?:abbildungen|tafeln))[.:]?",
    _I,
)

#: A line with leaders ends in a number, of ASCII digits if it is ASCII.
_LAST_OF_A_NUMBER = frozenset("0123456789ivxlc")
_LED = regex.compile(r"(?:[.·…]\s?){4,}\s*(?:\d+|[ivxlc]+)\s*$")
#: More paragraphs of plain text than these do not stand in a list.
_PLAIN = 3
#: Contents lie in this first share of the paragraphs.
_FRONT = 0.35

_LOOK_AHEAD = 8

#: So many keys of entries make a list.
_FEW_KEYS = 2

#: A book has a few lists: each paragraph is looked at for so many, at most.
_LOOKED_AT = 4


def take_out_contents(book: Book) -> set[str]:
    """Give tables of contents and lists the fate ``contents``; returns the keys of the titles listed."""
    paragraphs = book.paragraphs
    listed: set[str] = set()
    limit = min(len(paragraphs), max(12, int(_FRONT * len(paragraphs))))
    at, looked_at = 0, 0
    borders = documents_of_outline(book)
    while at < limit and looked_at <= _LOOKED_AT * len(paragraphs):
        paragraph = paragraphs[at]
        if (
            paragraph.fate is None
            and len(paragraph.text) < 60
            and _CONTENTS.fullmatch(paragraph.text.strip(" _=*[]"))
        ):
            end, steps = _end_of_contents(book, at, borders)
            looked_at += steps
            if end is not None:
                for entry in paragraphs[at:end]:
                    if entry.fate is None:
                        entry.fate = "contents"
                        listed |= _entry_keys(book, entry)
                at = end
                continue
        at += 1
    listed |= _take_out_unheaded(book)
    for paragraph in paragraphs:
        if paragraph.fate is None and _is_contents_block(book, paragraph):
            paragraph.fate = "contents"
            listed |= _entry_keys(book, paragraph)
        elif paragraph.fate == "contents" and paragraph.kind != "heading":
            listed |= _entry_keys(book, paragraph)
    return listed


def _take_out_unheaded(book: Book) -> set[str]:
    """A list without a heading of its own: chapters that come again, title and all, with text under them."""
    paragraphs = book.paragraphs
    first: dict[tuple[str, int | None, str], int] = {}
    listed: set[str] = set()
    for index, paragraph in enumerate(paragraphs[: int(0.2 * len(paragraphs))]):
        head = parse_heading(paragraph.text) if paragraph.fate is None and len(paragraph.text) < 200 else None
        if head is None or head.number is None:
            continue
        key = (head.kind, head.number, min(_paired(paragraphs, index, {key_of(head.title or "")})))
        begin = first.setdefault(key, index)
        between = paragraphs[begin:index]
        heads = sum(p.kind == "heading" for p in between if p.fate is None)
        if (
            begin == index
            or heads < 3
            or sum(is_prose(p.text, dashes=60) for p in between if p.fate is None) > 2
        ):
            continue
        if _prose_follows(paragraphs, index):
            for entry in between:
                if entry.fate is None:
                    entry.fate = "contents"
                    listed |= _entry_keys(book, entry)
            break
    return listed


def _is_contents_block(book: Book, paragraph: Paragraph) -> bool:
    """Two or more lines, most of them with leaders and a page number."""
    lines = (
        [book.lines[index].text for index in paragraph.lines]
        if paragraph.lines
        else paragraph.text.split("\n")
    )
    leaders = sum(
        line.count(".") + line.count("·") + line.count("…") >= 4 and _LED.search(line) is not None
        for line in lines
        if line.rstrip()[-1:] in _LAST_OF_A_NUMBER or not line.isascii()
    )
    return (leaders >= 2 and leaders >= 0.6 * len(lines)) or (leaders == 1 and len(lines) == 1)


def _end_of_contents(book: Book, at: int, borders: Collection[int]) -> tuple[int | None, int]:
    """Index of the first paragraph after the list that begins at ``at``, ``None`` if it is no list; steps it took.

    The list ends where one of its entries comes again with text under it, unless plain text lies before that:
    then it ends with the headings above that text. Summaries of chapters are no plain text: they are all dashes.
    ``borders`` are paragraphs where, as the file's navigation says, text begins: no list goes on there.
    """
    paragraphs = book.paragraphs
    seen: set[str] = set()
    limit = min(len(paragraphs), at + 1 + max(60, int(0.3 * len(paragraphs))))
    contents_lines = plain = 0
    prose: int | None = None
    index = at
    for index in range(at + 1, limit):
        paragraph = paragraphs[index]
        if index in borders and prose is None and index > at + 1:
            return (index if len(seen) >= _FEW_KEYS else None), index - at
        if paragraph.fate is not None:
            continue
        listed = _has_contents_line(book, paragraph)
        keys = _paired(paragraphs, index, _entry_keys(book, paragraph))
        title = paragraph.kind == "heading" and len(paragraph.lines) <= 3 and len(paragraph.text) < 200
        if title and keys & seen and not listed and _prose_follows(paragraphs, index):
            return _label_before(paragraphs, at, index), index - at
        if not listed and is_prose(paragraph.text):
            prose = index if prose is None else prose
        plain += not listed and is_prose(paragraph.text, 20, dashes=60)
        if plain > _PLAIN:
            break
        if prose is None:
            contents_lines += listed
        seen |= keys
    if prose is None or (contents_lines < 2 and len(seen) < 3):
        return None, index - at
    begin = _headings_above(book, at, prose)
    return (begin if begin > at + 1 or contents_lines else None), index - at


def _headings_above(book: Book, at: int, prose: int) -> int:
    """Index of the first of the headings that stand directly above the text at ``prose``."""
    begin = prose
    for index in range(prose - 1, max(at, prose - 8), -1):
        paragraph = book.paragraphs[index]
        if paragraph.fate is not None or paragraph.kind == "footnote":
            continue
        numeral = bare_numeral(paragraph.text)
        if (paragraph.kind != "heading" and not numeral) or _has_contents_line(book, paragraph):
            break
        begin = index
        if numeral or parse_heading(paragraph.text) is not None:
            break
    return begin


def _label_before(paragraphs: Sequence[Paragraph], at: int, index: int) -> int:
    """Index of the numeral or label that stands in its own paragraph before the title at ``index``."""
    before = index - 1
    while before > at and paragraphs[before].fate is not None:
        before -= 1
    text = paragraphs[before].text
    numeral, head = bare_numeral(text), parse_heading(text)
    if before > at and len(text) < 40:
        if numeral is not None and numeral[1] is None:
            return before
        if head is not None and head.number is not None and head.title is None:
            return before
    return index


def _paired(paragraphs: Sequence[Paragraph], index: int, keys: set[str]) -> set[str]:
    """``keys`` of an entry; a numbered label alone ("CHAPTER I", which every part may have) counts with its title."""
    head = parse_heading(paragraphs[index].text)
    if head is None or head.number is None or head.title is not None:
        return keys
    title = next((p.text for p in paragraphs[index + 1 : index + 4] if p.fate is None), "")
    title = regex.sub(r"[.·…\s]*\b\d{1,4}\s*$", "", title)
    return {f"{key_of(head.label)}|{key_of(title)[:20]}"}


def _has_contents_line(book: Book, paragraph: Paragraph) -> bool:
    if paragraph.lines:
        return any(is_contents_line(book.lines[index].text) for index in paragraph.lines)
    return is_contents_line(paragraph.text)


def _entry_keys(book: Book, paragraph: Paragraph) -> set[str]:
    """Keys under which an entry of the contents may come again in the book."""
    texts = [paragraph.text, *(book.lines[index].words for index in paragraph.lines)]
    keys = set()
    for text in texts:
        bare = regex.sub(r"(?:[.·…_\s]*)(?:\b\d{1,4}|\b[ivxlc]{1,7})\s*$", "", text)
        for form in {text, bare}:
            head = parse_heading(form)
            if head is not None:
                keys.add(key_of(head.label))
                if head.title:
                    keys.add(key_of(head.title))
            numeral = bare_numeral(form)
            if numeral is not None and numeral[1]:
                keys.add(key_of(numeral[1]))
            keys.add(key_of(form))
            keys.add(key_of(regex.sub(r"^(?:[IVXLC]+|\d+)[.)—–:-]*\s+", "", form)))
    return {key for key in keys if len(key) >= 4}


def _prose_follows(paragraphs: Sequence[Paragraph], index: int) -> bool:
    """Whether text stands under a heading, before many more headings."""
    headings = 0
    for paragraph in paragraphs[index + 1 : index + 1 + _LOOK_AHEAD]:
        if paragraph.fate is not None:
            continue
        if is_prose(paragraph.text, 15):
            return True
        headings += paragraph.kind == "heading"
        if headings > 4:
            return False
    return False
