"""Which note belongs to which mark, and so to which chapter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from jung_pipeline.clean.book import Book, Paragraph


def place_footnotes(book: Book) -> None:
    """Give each footnote the place of the paragraph its mark stood in."""
    owner = _paragraph_of_raw(book)
    links = link_notes(book, owner)
    book.links = links
    placed: set[int] = set()
    for number, note in links.items():
        raw = book.anchors[number].raw
        home = _home(owner, raw)
        if home is None or note in placed or book.paragraphs[home].kind == "footnote":
            continue
        placed.add(note)
        for paragraph in _whole_note(book.paragraphs, note):
            _take_place(paragraph, book.paragraphs[home])
            paragraph.note_mark = (
                paragraph.note_mark or book.anchors[number].mark
            )  # of a list, where none is printed
    book.report["footnotes linked"] = len(set(links.values()))


def _whole_note(paragraphs: list[Paragraph], first: int) -> list[Paragraph]:
    """The rows of one note: the first and those that go on with it."""
    rows = [paragraphs[first]]
    for paragraph in paragraphs[first + 1 :]:
        if paragraph.fate == "note_frame":
            continue
        own = rows[0].note_id or rows[0].note_mark
        same = paragraph.kind == "footnote" and paragraph.fate is None and own is not None
        if not same or paragraph.note_id != rows[0].note_id:
            break
        if paragraph.note_id is None and paragraph.note_mark != rows[0].note_mark:
            break
        rows.append(paragraph)
    return rows


def _take_place(paragraph: Paragraph, home: Paragraph) -> None:
    for name in (
        "section",
        "part",
        "chapter",
        "chapter_kind",
        "chapter_number",
        "chapter_title",
        "chapter_index",
    ):
        setattr(paragraph, name, getattr(home, name))


def _paragraph_of_raw(book: Book) -> np.ndarray:
    """For each raw character the index of the live paragraph it stands in, or -1; int32."""
    owner = np.full(len(book.tracked.raw) + 1, -1, dtype=np.int32)
    for index, paragraph in enumerate(book.paragraphs):
        if paragraph.fate is None:
            source = book.tracked.source[paragraph.start : paragraph.end]
            owner[source[source >= 0]] = index
    return owner


def _home(owner: np.ndarray, raw: int) -> int | None:
    """The paragraph at ``raw``, or the nearest before it (or directly behind) where the mark itself is gone."""
    before = owner[max(0, raw - 400) : raw + 1]
    known = before[before >= 0]
    if len(known):
        return int(known[-1])
    after = owner[raw : raw + 400]
    known = after[after >= 0]
    return int(known[0]) if len(known) else None


def link_notes(book: Book, paragraph_of_raw: np.ndarray) -> dict[int, int]:
    """For each anchor (index in ``book.anchors``) the index of its note's paragraph.

    Args:
        book: the volume.
        paragraph_of_raw: for each raw character the index of its paragraph, or -1.
    """
    by_id: dict[str, int] = {}
    by_mark: dict[str, list[int]] = defaultdict(list)
    for index, paragraph in enumerate(book.paragraphs):
        if paragraph.kind == "footnote" and paragraph.fate is None:
            if paragraph.note_id and paragraph.note_id not in by_id:
                by_id[paragraph.note_id] = index
            if paragraph.note_mark and (
                not by_mark[paragraph.note_mark] or not _continues(book.paragraphs, index)
            ):
                by_mark[paragraph.note_mark].append(index)
    links: dict[int, int] = {}
    in_order = _in_order(book, by_mark, by_id)
    for number, anchor in enumerate(book.anchors):
        if anchor.target is not None and anchor.target in by_id:
            links[number] = by_id[anchor.target]
            continue
        here = int(paragraph_of_raw[anchor.raw]) if anchor.raw < len(paragraph_of_raw) else -1
        candidates = [i for i in by_mark.get(anchor.mark, []) if i != here]
        if book.page_notes:
            near = [i for i in candidates if abs(book.paragraphs[i].page - anchor.page) <= 1]
            candidates = [i for i in near if book.paragraphs[i].page == anchor.page] or near
        elif number in in_order:
            links[number] = in_order[number]
            continue
        if candidates:
            place = anchor.raw
            after = [i for i in candidates if book.lines[book.paragraphs[i].lines[0]].raw_start > place]
            if after:
                links[number] = after[0]
            elif (
                book.page_notes
                or len(candidates) == 1
                or _same_chapter(book.paragraphs, here, candidates[-1])
            ):
                links[number] = candidates[-1]
    return links


def _same_chapter(paragraphs: Sequence[Paragraph], one: int, other: int) -> bool:
    """Whether two paragraphs stand in one chapter: a note with a mark like this may be another chapter's."""
    return one >= 0 and paragraphs[one].chapter_index == paragraphs[other].chapter_index


def _in_order(book: Book, by_mark: dict[str, list[int]], by_id: dict[str, int]) -> dict[int, int]:
    """Anchor → note for marks that every chapter has anew: as many in the text as notes, the first for the first."""
    anchors: dict[str, list[int]] = defaultdict(list)
    for number, anchor in enumerate(book.anchors):
        if anchor.target not in by_id:
            anchors[anchor.mark].append(number)
    paired: dict[int, int] = {}
    for mark, numbers in anchors.items():
        notes = by_mark.get(mark, [])
        if len(notes) == len(numbers) > 1:
            paired |= dict(zip(sorted(numbers, key=lambda n: book.anchors[n].raw), notes, strict=True))
    return paired


def _continues(paragraphs: Sequence[Paragraph], index: int) -> bool:
    """Whether the footnote row before is of the same note."""
    before = paragraphs[index - 1] if index else None
    return (
        before is not None and before.kind == "footnote" and before.note_mark == paragraphs[index].note_mark
    )
