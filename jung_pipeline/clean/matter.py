"""What surrounds the text of a book: title page, imprint, contents, index, bibliography, advertisements.

In doubt a paragraph is text. A contents list ends where its first entry comes again with text under it; an
index is a heading with entries under it; a word such as "Contents" or "Notes" alone proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from jung_pipeline.clean.book import Book, Paragraph
from jung_pipeline.clean.headings import bare_numeral, is_contents_line, parse_heading
from jung_pipeline.clean.structure import key_of

_I = regex.IGNORECASE
_CONTENTS = regex.compile(
    r"(?:(?:.{0,25}table of |analytical |general |the )?contents(?: of .{1,40})?|inhalt|inhalts(?:verzeichnis|übersicht|angabe)|table des matières|"
    r"(?:list|table) of (?:the )?(?:illustrations|plates|figures|tables|abbreviations|works cited)|illustrations|list of .{1,30} illustrations|"
    r"(?:abbildungs|tafel|tabellen|abkürzungs)verzeichnis|verzeichnis der (?:abbildungen|tafeln))[.:]?",
    _I,
)
_IMPRINT = regex.compile(
    r"all rights reserved|\bisbn\b|copyright(?:ed)?(?:,| \(c\)| ©|\s*©| by\b| \d{4})|©\s*(?:\d{4}|by)|\(c\) ?\d{4}|"
    r"printed (?:and bound )?(?:in|by|at)\b|(?:first|second|third|published|reprinted) (?:published|edition|printing|impression)\b.{0,30}\d{4}|"
    r"alle rechte vorbehalten|library of congress|no part of this (?:book|publication)|druck (?:von|der)|set (?:up )?in type|"
    r"entered at stationers|creative commons|published by\b",
    _I,
)
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
_SENTENCE = regex.compile(r"[.!?;](?=\s|$)")
_DASHES = regex.compile(r"--|—|–")
#: Contents and front matter lie in this first share of the paragraphs; back matter in the last part.
_FRONT, _BACK = 0.35, 0.5
_LOOK_AHEAD = 8


def is_prose(text: str, least: int = 45, *, dashes: int = 14) -> bool:
    """Whether ``text`` is running text: many words, sentences, few dashes (one in ``dashes`` words) and numbers."""
    words = text.split()
    if len(words) < least or (_IMPRINT.search(text[:400]) and len(words) < 150):
        return False
    if len(_DASHES.findall(text)) > len(words) / dashes:
        return False
    if len(_SENTENCE.findall(text)) > len(words) / 6.5:  # a summary of catchwords
        return False
    if sum(word.strip(".,()").isdigit() for word in words) > len(words) / 12:
        return False
    small = sum(word[0].islower() for word in words)
    return small >= 0.6 * len(words) and regex.search(r"[.!?…][\"'”’)\]]*(?:\s|$)", text) is not None


def take_out_contents(book: Book) -> set[str]:
    """Give tables of contents and lists the fate ``contents``; returns the keys of the titles listed."""
    paragraphs = book.paragraphs
    listed: set[str] = set()
    limit = min(len(paragraphs), max(12, int(_FRONT * len(paragraphs))))
    at = 0
    while at < limit:
        paragraph = paragraphs[at]
        if (
            paragraph.fate is None
            and len(paragraph.text) < 60
            and _CONTENTS.fullmatch(paragraph.text.strip(" _=*[]"))
        ):
            end = _end_of_contents(book, at)
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
    leaders = sum(bool(regex.search(r"(?:[.·…]\s?){4,}\s*(?:\d+|[ivxlc]+)\s*$", line)) for line in lines)
    return (leaders >= 2 and leaders >= 0.6 * len(lines)) or (leaders == 1 and len(lines) == 1)


def _end_of_contents(book: Book, at: int) -> int | None:
    """Index of the first paragraph after the list that begins at ``at``; ``None`` if it is no list.

    The list ends where one of its entries comes again with text under it, unless plain text lies before that:
    then it ends with the headings above that text. Summaries of chapters are no plain text: they are all dashes.
    """
    paragraphs = book.paragraphs
    seen: set[str] = set()
    limit = min(len(paragraphs), at + 1 + max(60, int(0.3 * len(paragraphs))))
    contents_lines = plain = 0
    prose: int | None = None
    for index in range(at + 1, limit):
        paragraph = paragraphs[index]
        if paragraph.fate is not None:
            continue
        listed = _has_contents_line(book, paragraph)
        keys = _paired(paragraphs, index, _entry_keys(book, paragraph))
        title = paragraph.kind == "heading" and len(paragraph.lines) <= 3 and len(paragraph.text) < 200
        if title and keys & seen and not listed and _prose_follows(paragraphs, index):
            return _label_before(paragraphs, at, index)
        if not listed and is_prose(paragraph.text):
            prose = index if prose is None else prose
            plain += is_prose(paragraph.text, dashes=60)
            if plain > 2:
                break
        if prose is None:
            contents_lines += listed
        seen |= keys
    if prose is None or (contents_lines < 2 and len(seen) < 3):
        return None
    begin = _headings_above(book, at, prose)
    return begin if begin > at + 1 or contents_lines else None


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
    if (
        before > at
        and len(text) < 40
        and (bare_numeral(text) or (parse_heading(text) and paragraphs[before].kind == "heading"))
    ):
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
        and _IMPRINT.search(paragraphs[i].text)
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


def take_out_back_matter(book: Book) -> None:
    """Give index, bibliography and advertisements their fates."""
    paragraphs = book.paragraphs
    for at in range(int(_BACK * len(paragraphs)), len(paragraphs)):
        paragraph = paragraphs[at]
        text = regex.sub(r"^(?:[IVXLC]+|\d+|[A-Z])\.\s+", "", paragraph.text.strip(" _=*[]"))
        if paragraph.fate is not None or not text or len(text) > 90 or "\n" in text:
            continue
        if _INDEX.fullmatch(text):
            _take_section(paragraphs, at, "index", _is_index_entry, 0.5)
        elif _BIBLIOGRAPHY.fullmatch(text):
            _take_section(paragraphs, at, "bibliography", _is_reference, 0.35)
        elif _ADVERTISEMENT.fullmatch(text) and at > 0.9 * len(paragraphs):
            _take_section(paragraphs, at, "back_matter", _is_advertisement, 0.4)
        elif (
            paragraph.kind == "heading"
            and at > 0.95 * len(paragraphs)
            and regex.fullmatch(r"(?:the end|finis|ende|end)\.?", text, _I)
        ):
            paragraph.fate = "ornament"


def _take_section(paragraphs: Sequence[Paragraph], at: int, rule: str, fits: object, share: float) -> None:
    """Take out the section under the heading at ``at`` if most of it is what the heading says."""
    assert callable(fits)
    end = at + 1
    body: list[Paragraph] = []
    while end < len(paragraphs):
        paragraph = paragraphs[end]
        if paragraph.fate is None and paragraph.kind != "footnote":
            if paragraph.kind == "heading" and _ends_section(paragraph.text):
                break
            if is_prose(paragraph.text, 60) and not fits(paragraph.text):
                run = [p for p in paragraphs[end : end + 3] if is_prose(p.text, 40) and not fits(p.text)]
                if len(run) >= 2:
                    break
            body.append(paragraph)
        end += 1
    entries = [p for p in body if len(p.text) > 3]
    if len(entries) < 2 or sum(fits(p.text) for p in entries) < share * len(entries):
        return
    if sum(is_prose(p.text, 30) and not fits(p.text) for p in entries) > 0.2 * len(entries):
        return
    paragraphs[at].fate = rule
    for paragraph in body:
        paragraph.fate = rule


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
