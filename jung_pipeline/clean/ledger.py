"""From the tracked text to the two tables: paragraphs with spans, and the ledger of all that is not as printed."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import pyarrow as pa

from jung_pipeline.clean import tokens
from jung_pipeline.clean.book import Book
from jung_pipeline.clean.rules import REASONS
from jung_pipeline.schemas import REMOVAL_LEDGER, SPAN

_MOVED = "footnote"


class Accounts:
    """What became of each raw character, worked out once for a volume.

    Attributes:
        owner: line of each raw character, -1 for the breaks between lines.
        kept: whether a raw character stands in the final text as it was.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        tracked = book.tracked
        self.owner = book.line_of_raw()
        self.raw_points = tokens.code_points(tracked.raw)
        self.text_points = tokens.code_points(tracked.text)
        source = tracked.source
        raw = np.maximum(source, 0)
        same = (source >= 0) & (self.raw_points[raw] == self.text_points)
        moved = np.array([rule == _MOVED for rule in tracked.edits], dtype=bool)
        touched = tracked.touched_by
        plain = touched < 0
        if len(moved):
            plain |= moved[np.maximum(touched, 0)] & (touched >= 0)
        same &= plain[raw]
        self.same = same  # by current position
        self.kept = np.zeros(len(tracked.raw), dtype=bool)
        self.kept[source[same]] = True

    def spans(self, starts: np.ndarray, ends: np.ndarray) -> pa.ListArray:
        """The spans of each stretch ``[start, end)`` of the current text, offsets from its start.

        The stretches ascend and do not overlap.
        """
        source = self.book.tracked.source
        if not len(source) or not len(starts):
            return pa.array([[] for _ in starts], type=pa.list_(SPAN))
        raw = np.maximum(source, 0)
        owner = np.where(source >= 0, self.owner[raw], -1)
        edit = np.where(self.same, -1, self.book.tracked.touched_by[raw])
        cut = (np.diff(owner) != 0) | (np.diff(edit) != 0) | (self.same[1:] != self.same[:-1])
        cut |= self.same[1:] & (np.diff(source) != 1)
        begins = np.unique(np.concatenate([[0], np.flatnonzero(cut) + 1, starts, ends]))
        begins = begins[begins < len(source)]
        stops = np.append(begins[1:], len(source))
        low, high = np.minimum.reduceat(source, begins), np.maximum.reduceat(source, begins)
        stretch = np.searchsorted(starts, begins, side="right") - 1
        wanted = (owner[begins] >= 0) & (stretch >= 0) & (begins < ends[np.maximum(stretch, 0)])
        begins, stops, low, high, stretch = (each[wanted] for each in (begins, stops, low, high, stretch))
        lines = owner[begins]
        base = np.array([line.raw_start for line in self.book.lines], dtype=np.int64)[lines]
        columns = (
            begins - starts[stretch],
            stops - starts[stretch],
            lines,
            low - base,
            high + 1 - base,
        )
        offsets = np.searchsorted(stretch, np.arange(len(starts) + 1))
        return pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()),
            pa.StructArray.from_arrays([pa.array(c, pa.int32()) for c in columns], fields=list(SPAN)),
            type=pa.list_(SPAN),
        )

    def ledger(self) -> pa.Table:
        """The ledger, in raw order."""
        tracked = self.book.tracked
        touched = tracked.touched_by
        is_moved = np.zeros(len(touched), dtype=bool)
        moved_rules = np.array([rule == _MOVED for rule in tracked.edits], dtype=bool)
        if len(moved_rules):
            is_moved = (touched >= 0) & moved_rules[np.maximum(touched, 0)] & self.kept
        listed = np.flatnonzero((~self.kept | is_moved) & (self.owner >= 0))
        if not len(listed):
            return REMOVAL_LEDGER.empty_table()
        gap = (
            (np.diff(listed) != 1)
            | (np.diff(self.owner[listed]) != 0)
            | (np.diff(touched[listed]) != 0)
            | (is_moved[listed][1:] != is_moved[listed][:-1])
        )
        borders = np.append(0, np.flatnonzero(gap) + 1)
        first, last = tracked.positions(), tracked.last_positions()
        here = first[listed]
        here[here < 0] = np.iinfo(np.int32).max
        starts = listed[borders]
        ends = listed[np.append(borders[1:], len(listed)) - 1] + 1
        owners, moved = self.owner[starts], is_moved[starts]
        lines = [self.book.lines[index] for index in owners.tolist()]
        before = [tracked.raw[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        now = zip(
            np.minimum.reduceat(here, borders).tolist(),
            (np.maximum.reduceat(last[listed], borders) + 1).tolist(),
            strict=True,
        )
        after = [tracked.text[start:end] for start, end in now]
        rules = [
            tracked.edits[edit] if edit >= 0 else ("white_space" if not text.strip() else "unexplained")
            for edit, text in zip(touched[starts].tolist(), before, strict=True)
        ]
        base = np.array([line.raw_start for line in lines], dtype=np.int64)
        columns = {
            "entry": np.arange(len(starts)),
            "line_id": owners,
            "raw_start": starts - base,
            "raw_end": ends - base,
            "page": [line.page for line in lines],
            "action": [
                "moved" if went else "changed" if text else "removed"
                for went, text in zip(moved.tolist(), after, strict=True)
            ],
            "rule": rules,
            "reason": [REASONS[rule] for rule in rules],
            "before": before,
            "after": after,
        }
        return pa.table(columns, schema=REMOVAL_LEDGER)


class PageMap:
    """Which printed page each raw character stands on."""

    def __init__(self, book: Book) -> None:
        starts: list[tuple[int, int, str | None]] = list(book.page_starts)
        marked = {(page, label) for _, page, label in starts}
        previous: tuple[int, str | None] | None = None
        inline = bool(starts)
        for line in book.lines:
            label = line.label if line.label is not None else book.labels.get(line.page)
            here = (line.page, label)
            if (
                previous is None
                or here[0] != previous[0]
                or (here != previous and label is not None and (not inline or here not in marked))
            ):
                starts.append((line.raw_start, line.page, label))
            previous = here
        starts.sort(key=lambda start: start[0])
        # A page of the file goes on with the printed page before it, where only marks in the text tell.
        self.starts: list[tuple[int, int, str | None]] = []
        label = None
        for raw, page, own in starts:
            label = own if own is not None else (label if inline else None)
            if self.starts and self.starts[-1][0] == raw:
                self.starts.pop()
            if not self.starts or self.starts[-1][1:] != (page, label):
                self.starts.append((raw, page, label))
        self.offsets = [start[0] for start in self.starts]

    def at(self, raw: int) -> tuple[int, str | None]:
        """Position page and printed label of the raw character ``raw``."""
        index = bisect_left(self.offsets, raw + 1) - 1
        _, page, label = self.starts[max(0, index)]
        return page, label

    def within(self, first: int, last: int) -> list[tuple[int, int, str | None]]:
        """The page starts behind ``first`` up to and with ``last``."""
        return self.starts[bisect_left(self.offsets, first + 1) : bisect_left(self.offsets, last + 1)]
