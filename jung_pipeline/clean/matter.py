"""What surrounds the text of a book: title page, imprint, index, bibliography, advertisements.

In doubt a paragraph is text. An index is a heading with entries under it; a word such as "Index" or "Notes"
alone proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import regex

from jung_pipeline.clean.book import Book, Paragraph
from jung_pipeline.clean.headings import parse_heading
from jung_pipeline.clean.prose import IMPRINT, is_prose

_I = regex.IGNORECASE

_INDEX = regex.compile(
    r"(?:(?:general |subject |name |author |literary |alphabetical )?index(?: of .{1,40})?|index (?:nominum|rerum)|(?:sach|namen|personen|stichwort|namens)?-?(?:und sach)?register|(?:sach|namen)verzeichnis)[.:]?",
    _I,
)

_BIBLIOGRAPHY = regex.compile(
    r"(?:(?:select(?:ed)? |general )?bibliograph(?:y|ical (?:note|list|index))|bibliographie|literatur(?:verzeichnis|angaben)?|(?:list of )?(?:works|references)(?: cited)?|references|literature|quellen(?:verzeichnis)?)[.:]?(?: \(.{1,60}\))?",
    _I,
)

_ADVERTISEMENT = regex.compile(
    r"(?:by the same author|works by .{1,60}|other (?:works|books) by .{1,60}|advertisements?|(?:books|works) (?:published )?by .{1,60}|"
    r"vom selben verfasser|publications of .{1,60}|.{0,40}\bpublishers?[.,] (?:london|new york).{0,40})[.:]?",
    _I,
)

_PRICE = regex.compile(
    r"\b(?:net|cr(?:own)?\.? 8vo|demy 8vo|cloth|paper boards|\d+s\. ?\d+d\.|\$\d|\d+/6)\b", _I
)

_YEAR = regex.compile(r"\b1[4-9]\d\d\b|\b20[0-2]\d\b")

#: A collection has a list of literature to every essay, but few lists that run to the end of the book: each
#: paragraph is looked at for so many, at most.
_LOOKED_AT = 8

#: No heading with its numeral is longer than this.
_LONGEST_LINE = 500

#: What is set in another size than a list's entries by this factor is not of the list.
_OTHER_TYPE = 1.05

#: Back matter lies behind this share of the text.
_BACK = 0.5


def take_out_front_matter(book: Book, starts: Sequence[int]) -> None:
    """Give title page and imprint the fate ``front_matter``.

    Args:
        book: the volume, its contents already taken out.
        starts: indices of the paragraphs where chapters and prefaces begin.
    """
    paragraphs = book.paragraphs
    first = min(starts, default=None)
    region = range(first if first is not None else min(len(paragraphs), 40))
    imprint = [
        i
        for i in region
        if paragraphs[i].fate is None
        and IMPRINT.search(paragraphs[i].text)
        and len(paragraphs[i].text) < 1500
    ]
    boilerplate = any(line.fate == "licence" for line in book.lines[:50])
    has_contents = any(
        paragraphs[i].fate == "contents" for i in range(min(len(paragraphs), (first or 0) + 1))
    )
    evidence = bool(imprint) or has_contents or boilerplate
    if first is None:
        # Without a chapter only what lies before the imprint's end, at the very beginning, is sure.
        end = max(imprint, default=-1) + 1 if imprint and max(imprint) < 25 else 0
        if boilerplate and not end:
            end = next((i for i, p in enumerate(paragraphs) if is_prose(p.text, 25)), 0)
            end = min(end, 30)
        region = range(end)
    elif not evidence:
        total = sum(len(p.text) for p in paragraphs)
        before = sum(len(paragraphs[i].text) for i in region)
        if total < 20_000 or before > 0.05 * total:
            return
    for i in region:
        paragraph = paragraphs[i]
        if paragraph.fate is None and not is_prose(paragraph.text, 25):
            paragraph.fate = "front_matter"
    for i in imprint:
        paragraphs[i].fate = paragraphs[i].fate or "front_matter"


def take_out_back_matter(book: Book, borders: Collection[int] = ()) -> None:
    """Give index, bibliography and advertisements their fates.

    Args:
        book: the volume.
        borders: indices of the paragraphs where, as the file's outline says, something else begins.
    """
    paragraphs = book.paragraphs
    total = sum(len(paragraph.text) for paragraph in paragraphs)
    ahead = looked_at = 0
    for at, paragraph in enumerate(paragraphs):
        if looked_at > _LOOKED_AT * len(paragraphs):
            return
        place = ahead / max(1, total)  # by text: an index may have as many paragraphs as the book
        ahead += len(paragraph.text)
        if paragraph.fate is not None or len(paragraph.text) > _LONGEST_LINE:
            continue
        text = regex.sub(r"^(?:[IVXLC]+|\d+|[A-Z])\.\s+", "", paragraph.text.strip(" _=*[]"))
        if not text or len(text) > 90 or "\n" in text:
            continue
        behind = place >= _BACK
        if _INDEX.fullmatch(text) and behind:
            looked_at += _take_section(book, at, "index", _is_index_entry, 0.5, borders)
        elif _BIBLIOGRAPHY.fullmatch(text) and (behind or paragraph.kind == "heading"):
            # A collection has one at the end of every essay.
            looked_at += _take_section(
                book, at, "bibliography", _is_reference, 0.35 if behind else 0.6, borders
            )
        elif _ADVERTISEMENT.fullmatch(text) and place > 0.9:
            looked_at += _take_section(book, at, "back_matter", _is_advertisement, 0.4, borders)
        elif (
            paragraph.kind == "heading"
            and place > 0.95
            and regex.fullmatch(r"(?:the end|finis|ende|end)\.?", text, _I)
        ):
            paragraph.fate = "ornament"


def _take_section(
    book: Book, at: int, rule: str, fits: Callable[[str], bool], share: float, borders: Collection[int]
) -> int:
    """Take out the section under the heading at ``at`` if most of its lines are what the heading says.

    Returns:
        How many paragraphs it looked at.
    """
    paragraphs = book.paragraphs
    body: list[Paragraph] = []
    end = at
    for end in range(at + 1, len(paragraphs)):
        paragraph = paragraphs[end]
        if paragraph.fate is not None or paragraph.kind == "footnote":
            continue
        if end in borders:
            break
        if paragraph.kind == "heading" and (_ends_section(paragraph.text) or _opens_text(book, at, end)):
            break
        if body and _in_other_type(book, body[0], paragraph) and len(paragraph.text.split()) >= 6:
            break
        if is_prose(paragraph.text, 60) and not fits(paragraph.text):
            run = [p for p in paragraphs[end : end + 3] if is_prose(p.text, 40) and not fits(p.text)]
            if len(run) >= 2:
                break
        body.append(paragraph)
    entries = [text for p in body for text in _entries(book, p) if len(text) > 3]
    if len(entries) < 2 or sum(map(fits, entries)) < share * len(entries):
        return end - at
    if sum(is_prose(text, 30) and not fits(text) for text in entries) > 0.2 * len(entries):
        return end - at
    paragraphs[at].fate = rule
    for paragraph in body:
        paragraph.fate = rule
    return end - at


def _in_other_type(book: Book, entry: Paragraph, paragraph: Paragraph) -> bool:
    """Whether a paragraph is set in another size than the list's entries, as far as sizes are known."""
    sizes = [book.lines[p.lines[0]].size or 0.0 for p in (entry, paragraph) if p.lines]
    return len(sizes) == 2 and min(sizes) > 0 and max(sizes) > _OTHER_TYPE * min(sizes)


def _entries(book: Book, paragraph: Paragraph) -> list[str]:
    """A paragraph's lines where they are short, as in an index without blank lines; else its text."""
    lines = [book.lines[index].words for index in paragraph.lines]
    return lines if len(lines) > 2 and max(map(len, lines)) < 60 else [paragraph.text]


def _ends_section(text: str) -> bool:
    """Whether a heading begins something else than another letter or part of an index."""
    head = parse_heading(text)
    if head is not None:
        return True
    bare = text.strip(" .:_=*[]")
    if len(bare) <= 3 or _INDEX.fullmatch(bare):
        return False
    return (
        bool(
            regex.fullmatch(
                r"(?:foot|end)?notes|anmerkungen|fußnoten|appendix.*|transcriber.*|advertisement.*|bibliography",
                bare,
                _I,
            )
        )
        or _BIBLIOGRAPHY.fullmatch(bare) is not None
    )


def _opens_text(book: Book, at: int, end: int) -> bool:
    """Whether the heading at ``end`` is no lower than the section's at ``at`` and has text under it."""
    paragraphs = book.paragraphs
    outer, inner = paragraphs[end].element_level, paragraphs[at].element_level
    if outer is not None and inner is not None and outer < inner:
        return True
    level, own = paragraphs[end].heading_level or 9, paragraphs[at].heading_level or 9
    under = [p for p in paragraphs[end + 1 : end + 12] if p.fate is None and p.kind != "footnote"][:4]
    return level <= own and any(is_prose(p.text, 40) and not _YEAR.search(p.text[-60:]) for p in under)


def _is_index_entry(text: str) -> bool:
    return (
        bool(
            regex.search(
                r"(?:,|\s)\s*(?:\d{1,4}|[ivxlc]{1,6})(?:\s?(?:ff?|n)\.?)?(?:\s*[,;–-]\s*\d+)*\.?\]?$", text
            )
        )
        or bool(regex.match(r".{2,60}?, \d{1,4}\b", text))
        or bool(regex.search(r"\bsee (?:also )?\p{L}|\bs(?:iehe|\.) ", text) and len(text) < 200)
    )


def _is_reference(text: str) -> bool:
    return (
        bool(_YEAR.search(text))
        or bool(regex.search(r"\bM\.?\s?D\.?\s?[CLXVI. ]{2,}", text))
        or bool(regex.search(r"\b(?:vol|bd|ed|hrsg|pp?|S)\.", text) and len(text) < 400)
    )


def _is_advertisement(text: str) -> bool:
    return bool(_PRICE.search(text)) or len(text) < 120
