"""Notes, their marks and the printed pages, once all rows of a book are known.

Which of its links are note marks shows only in the whole book: a link is one because the markup says so
(epub:type, role, class), because it is raised and looks like a mark, because it points into a note, or
because two short links point at each other's row. Of such a pair the first in reading order is the mark in
the text, the second the way back, and the row of the second is the note.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import regex

from jung_pipeline.extract.html_lines import Link, Mark, Row
from jung_pipeline.extract.html_roles import HEADINGS, STRONG

#: What a printed note mark looks like.
_MARK = regex.compile(
    r"[\[({]?\s*(?:(?:note|fn|n|anm|fu(?:ss|ß)note|footnote|line|zeile|l|page|p|s)[. ]*)?(?:\d{1,4}[a-z]?|[ivxlc]{1,6}|[a-zA-Z]{1,2}|[*†‡§¶‖#]{1,4})\s*[\])}]?[.:]?",
    flags=regex.IGNORECASE,
)
#: What stands at the end of a note to lead back.
_BACK = regex.compile(
    r"[\[(]?\s*(?:[↩↑↵⏎←^⇑⤴➚]\ufe0e?|back|return|zurück)\s*[\])]?\.?", flags=regex.IGNORECASE
)

#: A note's own mark stands so near its beginning.
_AT_START = 3

#: So many rows without an identity of their own may continue a note before the next one.
_CONTINUES = 12


@dataclass(frozen=True)
class _Place:
    row: int
    offset: int


def resolve_notes(rows: Sequence[Row], targets: Collection[str]) -> None:
    """Turn links into ``noteref`` and ``backlink`` marks, name note rows, keep the anchors that are used.

    Args:
        rows: all rows of the book, changed in place.
        targets: further ids that are pointed to: those of the outline.
    """
    places = _places(rows)
    for row in rows:
        row.links = _without_doubles(row.links)
    linked_rows = _linked_rows(rows, places)
    references: dict[str, None] = {}
    for index, row in enumerate(rows):
        if not row.links:
            continue
        lead = _lead(row.text)
        found: list[Mark] = []
        for link in row.links:
            kind = _kind(rows, index, link, places, linked_rows, lead)
            if kind is None:
                continue
            start, end = _with_brackets(row.text, link.start, link.end)
            found.append(Mark(start, end, kind, link.target or None))
            if kind == "noteref" and link.target in places:
                references[link.target] = None
        row.marks = [m for m in row.marks if not _is_covered(m, found)] + found
    _name_notes(rows, references, places)
    used = {link.target for row in rows for link in row.links} | set(targets)
    for row in rows:
        row.marks += [
            Mark(at, at, "anchor", name)
            for at, name in row.anchors
            if name in used and name != row.element_id
        ]
        row.marks.sort(key=lambda m: (m.start, m.end))


def _lead(text: str) -> int:
    """Length of the blanks and opening brackets with which a row begins."""
    return len(text) - len(text.lstrip(" [("))


def _is_covered(mark: Mark, links: Sequence[Mark]) -> bool:
    """Whether raised letters are those of one of the links' marks, which are in order of place."""
    if mark.kind != "superscript" or not links:
        return False
    at = bisect_right(links, mark.start, key=lambda link: link.start)
    return any(mark.end <= link.end + 1 for link in links[max(0, at - 2) : at])


def label_pages(rows: Sequence[Row]) -> None:
    """Give every row the label of the printed page on which it begins, and whole-row italic and bold."""
    label: str | None = None
    for row in rows:
        first = len(row.text) - len(row.text.lstrip())
        for mark in row.marks:
            if mark.kind == "pagebreak" and mark.start <= first:
                label = mark.target
        row.page_label = label
        for mark in row.marks:
            if mark.kind == "pagebreak":
                label = mark.target
        whole = len(row.text.strip())
        row.italic = _covers(row, "italic", whole)
        row.bold = _covers(row, "bold", whole)


def _covers(row: Row, kind: str, whole: int) -> bool | None:
    """True where marks of ``kind`` cover the row; otherwise not known, as style sheets are not read."""
    covered = sum(m.end - m.start for m in row.marks if m.kind == kind)
    return True if covered >= whole else None


def _places(rows: Sequence[Row]) -> dict[str, _Place]:
    """Where every id is; of two equal ids the first counts, as in browsers."""
    places: dict[str, _Place] = {}
    for index, row in enumerate(rows):
        if row.element_id:
            places.setdefault(row.element_id, _Place(index, 0))
        for offset, name in row.anchors:
            places.setdefault(name, _Place(index, offset))
    return places


def _without_doubles(links: list[Link]) -> list[Link]:
    """An element named a note mark around the link itself is one mark, not two."""
    kept: list[Link] = []
    for link in sorted(links, key=lambda k: (k.start, -k.end, not k.target)):
        outer = kept[-1] if kept and link.start < kept[-1].end else None
        if outer is None:
            kept.append(link)
        elif not outer.target:
            outer.target, outer.raised = link.target, outer.raised or link.raised
            outer.named = outer.named or link.named
    return kept


def _linked_rows(rows: Sequence[Row], places: dict[str, _Place]) -> set[tuple[int, int]]:
    """(from row, to row) for every link that looks like a note mark or a way back."""
    pairs = set()
    for index, row in enumerate(rows):
        for link in row.links:
            place = places.get(link.target)
            if place is not None and _looks_like_mark(row, link):
                pairs.add((index, place.row))
    return pairs


def _looks_like_mark(row: Row, link: Link) -> bool:
    text = row.text[link.start : link.end].strip()
    return bool(link.named or _MARK.fullmatch(text) or _BACK.fullmatch(text))


def _kind(
    rows: Sequence[Row],
    index: int,
    link: Link,
    places: dict[str, _Place],
    linked_rows: set[tuple[int, int]],
    lead: int,
) -> str | None:
    """``noteref``, ``backlink`` or ``None`` for a link of row ``index``, whose first letter stands at ``lead``."""
    row = rows[index]
    if not _looks_like_mark(row, link):
        return None
    text = row.text[link.start : link.end].strip()
    place = places.get(link.target)
    at_start = link.start <= max(lead, _AT_START)
    if link.named == "backlink" or (_BACK.fullmatch(text) and not _MARK.fullmatch(text)):
        return "backlink"
    target_row = rows[place.row] if place else None
    from_note = row.note is not None
    to_note = target_row is not None and target_row.note is not None
    if from_note and target_row is not None and not to_note and (at_start or _is_before(place, index)):
        return "backlink"
    mutual = place is not None and (place.row, index) in linked_rows
    if mutual and place is not None and place.row != index and not from_note and not to_note:
        if place.row > index and target_row is not None and target_row.element not in HEADINGS:
            return "noteref"
        if place.row < index and at_start and row.element not in HEADINGS:
            return "backlink"
    if link.named == "noteref":
        return "noteref"
    if to_note and not from_note:
        return "noteref"
    ahead = place is not None and place.row > index and place.offset <= _AT_START
    if (
        ahead
        and target_row is not None
        and target_row.element not in HEADINGS
        and _hangs_in_brackets(row, link)
    ):
        return "noteref"
    if link.raised and not (at_start and (from_note or row.element == "li")):
        return "noteref"
    return None


#: A mark in brackets: "[12]", "(3)", "[*]".
_FRAMED = regex.compile(r"\[(?:\d{1,4}[a-z]?|[a-z]{1,2}|[*†‡§]{1,3})\]|\((?:\d{1,4}|[*†‡§]{1,3})\)")


def _hangs_in_brackets(row: Row, link: Link) -> bool:
    """Whether a link is a mark in brackets behind a word: "lamp[1]", "lamp [1]", "lamp(1)"."""
    start, end = _with_brackets(row.text, link.start, link.end)
    before, mark = row.text[:start], row.text[start:end]
    close = not before[-1:].isspace() or mark.startswith("[")
    return bool(before.strip()) and close and _FRAMED.fullmatch(mark) is not None


def _is_before(place: _Place | None, index: int) -> bool:
    """Whether a place lies earlier in the book than row ``index``."""
    return place is not None and place.row < index


def _with_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch with the brackets around it: "[1]" where only "1" is the link."""
    opening, closing = text[start - 1 : start], text[end : end + 1]
    if (opening, closing) in (("[", "]"), ("(", ")"), ("{", "}")):
        return start - 1, end + 1
    return start, end


def _name_notes(rows: Sequence[Row], references: dict[str, None], places: dict[str, _Place]) -> None:
    """Rows of a note get the element ``footnote`` and, as ``element_id``, the id that its marks point to."""
    wanted: dict[int, str] = {}
    for name in references:
        wanted.setdefault(places[name].row, name)
    current: str | None = None
    current_note: int | None = None
    since = 0
    box: int | None = None  # the list item, cell or the like that began with the note
    for index, row in enumerate(rows):
        if row.note is not None and row.note != current_note:
            current = row.box_id
        current_note = row.note
        wanted_name = wanted.get(index)
        if wanted_name is not None and row.element not in HEADINGS and not _is_elsewhere(row):
            _become_note(row, wanted_name)
            current, since = wanted_name, 0
            box = _begun_with(rows, index)
        elif row.note is not None:
            _become_note(row, current or row.element_id)
            since = 0
        elif current is not None:
            since += 1
            if _continues(rows, index, wanted, since, box):
                _become_note(row, current)
            else:
                current = None


def _is_elsewhere(row: Row) -> bool:
    return row.element in STRONG and row.element != "footnote"


def _become_note(row: Row, name: str | None) -> None:
    if row.element_id and row.element_id != name:
        row.anchors.append((0, row.element_id))
    row.element, row.element_id = ("footnote", name) if not _is_elsewhere(row) else (row.element, name)


def _begun_with(rows: Sequence[Row], index: int) -> int | None:
    """The innermost list item, division or the like, if it begins with row ``index``: all of it is one note."""
    before = rows[index - 1].containers if index else ()
    inner = rows[index].containers
    return inner[-1] if inner and inner[-1] not in before else None


def _continues(rows: Sequence[Row], index: int, wanted: dict[int, str], since: int, box: int | None) -> bool:
    """Whether a row belongs to the note before it, whose container is ``box`` if it has one of its own.

    Between two notes it does if it stands in the same list or section and has no note mark in it.
    """
    row = rows[index]
    if (
        since > _CONTINUES
        or row.element in HEADINGS
        or rows[index - 1].file != row.file
        or _is_elsewhere(row)
    ):
        return False
    if box in row.containers or row.block == rows[index - 1].block:
        return True
    if row.among_notes or _is_mark_alone(rows[index - 1]):
        return True
    for later in range(index, min(index + _CONTINUES, len(rows))):
        if later in wanted:
            return rows[later].file == row.file
        if rows[later].element in HEADINGS or any(m.kind == "noteref" for m in rows[later].marks):
            return False
    return False


def _is_mark_alone(row: Row) -> bool:
    """Whether a row of a note holds nothing but its printed mark, so that the words must come behind it."""
    covered = sum(m.end - m.start for m in row.marks if m.kind == "backlink")
    return row.element == "footnote" and 0 < len(row.text.strip()) <= covered
