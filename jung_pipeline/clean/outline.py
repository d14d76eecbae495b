"""The file's outline (PDF) or navigation (EPUB): which of its entries are chapters, and where they begin."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import regex

from jung_pipeline.clean.book import Book, Paragraph
from jung_pipeline.clean.headings import NO_TEXT, bare_numeral, parse_heading
from jung_pipeline.clean.numeral_runs import Start, is_own_title, key_of
from jung_pipeline.clean.numerals import roman_numeral, roman_value
from jung_pipeline.extract.document import OutlineEntry

#: A note's mark that came with the title.
_NOTE = regex.compile(r"\s*\[\w{1,4}\]")
_KINDS = {
    "chapter": "chapter",
    "part": "part",
    "volume": "part",
    "foreword": "foreword",
    "preface": "preface",
    "introduction": "introduction",
    "prologue": "prologue",
    "appendix": "appendix",
    "afterword": "afterword",
    "epilogue": "afterword",
    "conclusion": "conclusion",
}
_NON_TEXT_KINDS = frozenset(
    [
        "toc",
        "index",
        "cover",
        "titlepage",
        "copyright-page",
        "landmarks",
        "page-list",
        "footnotes",
        "endnotes",
        "bibliography",
        "loi",
        "lot",
        "imprint",
        "colophon",
        "dedication",
        "halftitlepage",
    ]
)


def locate_outline(book: Book) -> list[Start]:
    """Starts for the outline's parts and chapters, in order of place; empty without a usable outline."""
    entries = [
        entry
        for entry in (replace(entry, title=_NOTE.sub("", entry.title)) for entry in book.info.outline)
        if entry.title.strip()
        and not NO_TEXT.fullmatch(entry.title.strip(" .:\t\n"))
        and entry.kind not in _NON_TEXT_KINDS
    ]
    if len(entries) < 2 or _only_headings(book, entries):
        return []
    numbers = _loose_numerals(entries)
    levels = _chapter_levels(entries, numbers)
    worded = any(
        (head := parse_heading(entry.title)) is not None and head.number is not None for entry in entries
    )
    places = _Places(book)
    starts: list[Start] = []
    taken: set[int] = set()
    last = -1
    own_titles = titles_of(book)
    for position, entry in enumerate(entries):
        if entry.level > max(levels):
            continue
        if _LETTERED.match(entry.title) and worded:
            continue
        role = "chapter" if position in numbers else _role(entries, position, levels)
        if role == "book" or (not starts and is_own_title(entry.title, own_titles)):
            continue  # the title page; behind a preface the book's title heads the text itself
        place = places.of(entry, last)
        if place is None or place in taken:
            continue
        taken.add(place)
        last = max(last, place)
        starts.append(_start(book.paragraphs, place, entry, role, numbers.get(position)))
    return sorted(starts, key=lambda start: start.paragraph)


def documents_of_outline(book: Book) -> set[int]:
    """Indices of the paragraphs at which documents of an EPUB begin that the navigation names as text."""
    if book.info.format != "epub":
        return set()
    pages = {
        entry.page
        for entry in book.info.outline
        if entry.page is not None
        and not NO_TEXT.fullmatch(entry.title.strip(" .:\t\n"))
        and entry.kind not in _NON_TEXT_KINDS
    }
    begun: dict[int, int] = {}
    for index, paragraph in enumerate(book.paragraphs):
        begun.setdefault(paragraph.page, index)
    return {begun[page] for page in pages if page in begun}


def _only_headings(book: Book, entries: Sequence[OutlineEntry]) -> bool:
    """Whether the outline is but a list of the file's headings: it says no more than they do."""
    aimed = sum(entry.target is not None or entry.page is not None for entry in entries)
    without_target = sum(entry.target is None for entry in entries)
    return book.info.format == "html" and (aimed == 0 or without_target > 0.5 * len(entries))


def titles_of(book: Book) -> set[str]:
    """Keys of the volume's own title, whole and in pieces, and of its author's name."""
    titles = {str(book.volume.title), str(book.info.metadata.get("title") or "")}
    titles |= {piece for title in titles for piece in regex.split(r"[:;(,—]|\bor\b", title)}
    titles |= {str(book.volume.author or book.info.metadata.get("author") or "")}
    return {key_of(title) for title in titles if len(key_of(title)) >= 4}


def _chapter_levels(entries: Sequence[OutlineEntry], numbers: Mapping[int, tuple[int, str]]) -> set[int]:
    """The level at which chapters stand, as a set of one."""
    heads = [(entry.level, parse_heading(entry.title)) for entry in entries]
    for kinds in (("chapter", "lecture"), ("section",)):
        worded = Counter(level for level, head in heads if head is not None and head.kind in kinds)
        if sum(worded.values()) >= 2:
            return {worded.most_common(1)[0][0]}
    if len(numbers) >= 3:
        return {Counter(entries[position].level for position in numbers).most_common(1)[0][0]}
    by_level = Counter(entry.level for entry in entries)
    top = min(by_level)
    parts = [level for level, head in heads if head is not None and head.kind == "part"]
    if parts:
        below = [level for level in by_level if level > min(parts)]
        return {min(below)} if below else {min(parts)}
    # Groups that lead nowhere themselves (an anthology's authors) are parts; what they hold are the chapters.
    leading = Counter(entry.level for entry in entries if entry.target or entry.page is not None)
    for level in sorted(by_level):
        if leading[level] >= 0.6 * by_level[level] and (by_level[level] >= 3 or level == max(by_level)):
            return {level}
    return {top}


def _role(entries: Sequence[OutlineEntry], position: int, levels: set[int]) -> str:
    """``part``, ``chapter``, or ``book`` for an entry that is the whole book."""
    entry = entries[position]
    head = parse_heading(entry.title)
    if head is not None and (head.number is None or head.kind in ("chapter", "lecture")):
        return "chapter"  # whatever is under it
    following = entries[position + 1] if position + 1 < len(entries) else None
    has_children = following is not None and following.level > entry.level
    head = parse_heading(entry.title)
    if (
        head is not None
        and head.kind == "part"
        and (has_children or entry.level < max(levels) or _part_before_chapters(entries, position))
    ):
        return "part"
    if entry.level < max(levels) and has_children:
        alone = sum(other.level == entry.level for other in entries) == 1
        return "book" if alone else "part"
    return "chapter"


def _part_before_chapters(entries: Sequence[OutlineEntry], position: int) -> bool:
    """Whether chapters follow a part at the same level, as in flat outlines."""
    following = entries[position + 1] if position + 1 < len(entries) else None
    if following is None:
        return False
    head = parse_heading(following.title)
    return head is not None and head.kind in ("chapter", "lecture")


def _loose_numerals(entries: Sequence[OutlineEntry]) -> dict[int, tuple[int, str]]:
    """Number and title of entries such as "IV DISTORTION IN DREAMS" that count on at one level.

    Entries at other levels belong to them only where they fill a gap in the counting.
    """
    found: dict[int, tuple[int, str]] = {}
    for position, entry in enumerate(entries):
        match = regex.fullmatch(r"([IVXLC]+|\d{1,2})(?:[.:]|\s)\s*(\S.*)?", entry.title.strip() + " ")
        value = (roman_value(match[1]) or (int(match[1]) if match[1].isdigit() else None)) if match else None
        if match and value:
            found[position] = (value, (match[2] or "").strip())
    by_level: dict[int, set[int]] = defaultdict(set)
    for position, (value, _) in found.items():
        by_level[entries[position].level].add(value)
    sizes = Counter(entry.level for entry in entries)
    level = next(
        (
            level
            for level, values in sorted(by_level.items())
            if {1, 2, 3} <= values or ({1, 2} <= values and len(values) >= 0.5 * sizes[level])
        ),
        None,
    )
    if level is None:
        return {}
    at_level = by_level[level]
    return {
        position: numeral
        for position, numeral in found.items()
        if entries[position].level == level or (numeral[0] not in at_level and numeral[0] - 1 in at_level)
    }


def _start(
    paragraphs: Sequence[Paragraph], place: int, entry: OutlineEntry, role: str, loose: tuple[int, str] | None
) -> Start:
    """The start that an outline entry names; what the page itself says is preferred for its wording."""
    printed = parse_heading(paragraphs[place].text) if len(paragraphs[place].text) < 220 else None
    named = parse_heading(entry.title)
    head = printed or named
    level = 1 if role == "part" else 2
    if head is not None:
        title = head.title or (named.title if named else None)
        kind = head.kind
        if role == "part":
            kind = "part"
        return Start(place, kind, head.number, title, head.label, level)
    numeral = loose or bare_numeral(entry.title) or bare_numeral(paragraphs[place].text)
    kind = "part" if role == "part" else _KINDS.get(entry.kind or "", "chapter")
    if numeral is not None:
        printed_numeral = regex.match(r"[\s_*§]*([IVXLC]+|\d+)", entry.title) or regex.match(
            r"[\s_*§]*([IVXLC]+|\d+)", paragraphs[place].text
        )
        label = printed_numeral[1] if printed_numeral else roman_numeral(numeral[0])
        return Start(place, kind, numeral[0], numeral[1] or None, label, level)
    return Start(place, kind, None, regex.sub(r"\s+", " ", entry.title).strip(), "", level)


#: "B. Effects": a section, where chapters have words or numbers.
_LETTERED = regex.compile(r"[A-Z]\.\s+\p{Lu}")


class _Places:
    """Finds the paragraph at which an outline entry begins."""

    def __init__(self, book: Book) -> None:
        self.paragraphs = book.paragraphs
        self.single = len({line.page for line in book.lines}) == 1
        self.file_page = {page.name: page.page for page in book.info.pages if page.name}
        line_of_id: dict[str, int] = {}
        owner = None
        for line in book.lines:
            if line.element_id and line.element_id not in line_of_id:
                line_of_id[line.element_id] = line.index
        for raw_start, _, kind, target in book.marks:
            if kind == "anchor" and target and target not in line_of_id:
                if owner is None:
                    owner = book.line_of_raw()
                    starts = [line.raw_start for line in book.lines]
                line_of_id[target] = bisect_right(starts, raw_start) - 1
        self.line_of_id = line_of_id
        self.first_by_page: dict[int, int] = {}
        for index, paragraph in enumerate(self.paragraphs):
            self.first_by_page.setdefault(paragraph.page, index)
        self.first_line = [paragraph.lines[0] if paragraph.lines else 0 for paragraph in self.paragraphs]
        last_line = (max(paragraph.lines) if paragraph.lines else 0 for paragraph in self.paragraphs)
        self.last_line = list(itertools.accumulate(last_line, max))  # of it and all before it
        self.pages = list(itertools.accumulate((paragraph.page for paragraph in self.paragraphs), max))

    def of(self, entry: OutlineEntry, after: int) -> int | None:
        """Index of the paragraph where ``entry`` begins, or ``None``; ``after`` is the last entry's."""
        begin: int | None = None
        if self.single and entry.target is None:
            return self._by_title(entry, after)
        if entry.target:
            line = self.line_of_id.get(entry.target)
            if line is not None:
                begin = self._first(self.last_line, line)
            else:
                page = self.file_page.get(entry.target.split("#")[0])
                begin = self._on_page(page) if page is not None else None
        elif entry.page is not None:
            begin = self._on_page(entry.page)
        if begin is None:
            return None
        return self._titled(entry, begin)

    def _by_title(self, entry: OutlineEntry, after: int) -> int | None:
        """The next heading with the entry's title: all there is in a file of one piece without targets."""
        wanted = key_of(regex.sub(r"\[\w{1,4}\]", "", entry.title))
        for index in range(after + 1, len(self.paragraphs)):
            paragraph = self.paragraphs[index]
            if paragraph.fate is None and paragraph.kind == "heading" and key_of(paragraph.text) == wanted:
                return index
        return None

    def _on_page(self, page: int) -> int | None:
        found = self.first_by_page.get(page)
        if found is not None:
            return found
        return self._first(self.pages, page)

    @staticmethod
    def _first(rising: Sequence[int], least: int) -> int | None:
        """The first index whose value is no less than ``least``."""
        index = bisect_left(rising, least)
        return index if index < len(rising) else None

    def _titled(self, entry: OutlineEntry, begin: int) -> int | None:
        """The paragraph near ``begin`` that bears the entry's title, else the first that is text."""
        wanted = key_of(entry.title)
        page = self.paragraphs[begin].page
        first: int | None = None
        for index in range(begin, min(begin + 40, len(self.paragraphs))):
            paragraph = self.paragraphs[index]
            if paragraph.fate is not None or paragraph.kind == "footnote":
                continue
            if paragraph.page > page + 1:
                break
            key = key_of(paragraph.text)
            if first is None:
                first = index
            if (
                len(key) >= 1
                and len(paragraph.text) < 220
                and (
                    key == wanted
                    or (len(key) >= 4 and (wanted.startswith(key) or wanted.endswith(key)))
                    or (len(wanted) >= 6 and key.startswith(wanted))
                )
            ):
                return self._heading_before(index, wanted)
            if index > begin + 12 and entry.target:
                break
        return first

    def _heading_before(self, index: int, wanted: str) -> int:
        """The label that stands in its own paragraph before a title ("CHAPTER I", then the title)."""
        for at in range(index - 1, max(-1, index - 3), -1):
            paragraph = self.paragraphs[at]
            if paragraph.fate is not None:
                continue
            head = parse_heading(paragraph.text) if len(paragraph.text) < 80 else None
            if head is not None and head.title is None and head.level == 2:
                return at
            return index
        return index
