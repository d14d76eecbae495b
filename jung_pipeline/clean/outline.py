"""The file's outline (PDF) or navigation (EPUB): which of its entries are chapters, and where they begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import regex

from jung_pipeline.clean.book import Book, Paragraph
from jung_pipeline.clean.headings import bare_numeral, parse_heading
from jung_pipeline.clean.structure import Start, key_of
from jung_pipeline.extract.document import OutlineEntry

_I = regex.IGNORECASE
#: Entries that name no text of the book's own.
_NO_TEXT = regex.compile(
    r"(?:table of |analytical )?contents|inhalt(?:sverzeichnis)?|cover.*|(?:half[- ]?)?title(?:[- ]?page)?|titel(?:seite|blatt)?|copyright.*|imprint|impressum|colophon|index.*|.*register|"
    r"(?:foot|end)?notes|anmerkungen|fußnoten|bibliography|literatur(?:verzeichnis)?|works cited|references|list of .*|illustrations|dedication|uncopyright|"
    r"(?:the )?(?:full )?project gutenberg.*|credits|about (?:this|the) .*|transcriber.*|a word from project gutenberg|licen[sc]e.*|start|publisher.*|publishing.*|frontispiece|contents of .*|acknowledge?ments? of .*|also by .*|blank page",
    _I,
)
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
        for entry in book.info.outline
        if entry.title.strip()
        and not _NO_TEXT.fullmatch(entry.title.strip(" .:\t\n"))
        and entry.kind not in _NON_TEXT_KINDS
    ]
    if len(entries) < 2:
        return []
    levels = _chapter_levels(entries)
    worded = any(
        (head := parse_heading(entry.title)) is not None and head.number is not None for entry in entries
    )
    places = _Places(book)
    starts: list[Start] = []
    taken: set[int] = set()
    title = key_of(str(book.volume.title))
    for position, entry in enumerate(entries):
        if entry.level > max(levels):
            continue
        if _LETTERED.match(entry.title) and worded:
            continue
        role = _role(entries, position, levels)
        if role == "book" or (role == "chapter" and key_of(entry.title) == title and position == 0):
            continue
        place = places.of(entry)
        if place is None or place in taken:
            continue
        taken.add(place)
        starts.append(_start(book.paragraphs, place, entry, role))
    return sorted(starts, key=lambda start: start.paragraph)


def _chapter_levels(entries: Sequence[OutlineEntry]) -> set[int]:
    """The level at which chapters stand, as a set of one."""
    worded = Counter(
        entry.level
        for entry in entries
        if (head := parse_heading(entry.title)) is not None and head.kind in ("chapter", "lecture", "section")
    )
    if worded:
        return {worded.most_common(1)[0][0]}
    parts = [
        entry.level
        for entry in entries
        if (head := parse_heading(entry.title)) is not None and head.kind == "part"
    ]
    by_level = Counter(entry.level for entry in entries)
    top = min(by_level)
    if parts:
        below = [level for level in by_level if level > min(parts)]
        return {min(below)} if below else {min(parts)}
    if by_level[top] == 1 and len(by_level) > 1:
        return {sorted(by_level)[1]}
    return {top}


def _role(entries: Sequence[OutlineEntry], position: int, levels: set[int]) -> str:
    """``part``, ``chapter``, or ``book`` for an entry that is the whole book."""
    entry = entries[position]
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


def _start(paragraphs: Sequence[Paragraph], place: int, entry: OutlineEntry, role: str) -> Start:
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
    numeral = bare_numeral(entry.title) or bare_numeral(paragraphs[place].text)
    kind = "part" if role == "part" else _KINDS.get(entry.kind or "", "chapter")
    if numeral is not None:
        label = regex.match(r"[\w§]+", entry.title.strip())
        return Start(place, kind, numeral[0], numeral[1], label.group() if label else str(numeral[0]), level)
    return Start(place, kind, None, regex.sub(r"\s+", " ", entry.title).strip(), "", level)


#: "B. Effects": a section, where chapters have words or numbers.
_LETTERED = regex.compile(r"[A-Z]\.\s+\p{Lu}")


class _Places:
    """Finds the paragraph at which an outline entry begins."""

    def __init__(self, book: Book) -> None:
        self.paragraphs = book.paragraphs
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
                from bisect import bisect_right

                line_of_id[target] = bisect_right(starts, raw_start) - 1
        self.line_of_id = line_of_id
        self.first_by_page: dict[int, int] = {}
        for index, paragraph in enumerate(self.paragraphs):
            self.first_by_page.setdefault(paragraph.page, index)
        self.first_line = [paragraph.lines[0] if paragraph.lines else 0 for paragraph in self.paragraphs]
        self.last_line = [max(paragraph.lines) if paragraph.lines else 0 for paragraph in self.paragraphs]

    def of(self, entry: OutlineEntry) -> int | None:
        """Index of the paragraph where ``entry`` begins, or ``None``."""
        begin: int | None = None
        if entry.target:
            line = self.line_of_id.get(entry.target)
            if line is not None:
                begin = next((i for i, last in enumerate(self.last_line) if last >= line), None)
            else:
                page = self.file_page.get(entry.target.split("#")[0])
                begin = self._on_page(page) if page is not None else None
        elif entry.page is not None:
            begin = self._on_page(entry.page)
        if begin is None:
            return None
        return self._titled(entry, begin)

    def _on_page(self, page: int) -> int | None:
        found = self.first_by_page.get(page)
        if found is not None:
            return found
        return next((i for i, p in enumerate(self.paragraphs) if p.page >= page), None)

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
