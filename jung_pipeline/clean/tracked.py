"""Text that knows, for every character, where in the raw text it comes from.

All cleaning is done on one :class:`TrackedText` per volume. The raw text (all lines joined by a line feed)
never changes; the current text is changed by :meth:`TrackedText.apply` (replace stretches) and
:meth:`TrackedText.rebuild` (drop, reorder and join stretches). Each current character carries the offset of
the raw character it stands for, or -1 if it was put in. So the ledger and the spans are not kept by the
rules but read off at the end, and nothing can go missing between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import regex

#: Put in at a join, or otherwise without a raw character.
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Edit:
    """``text[start:end]`` becomes ``after``, because of ``rule``."""

    start: int
    end: int
    after: str
    rule: str


class TrackedText:
    """The current text of a volume and its way back to the raw text.

    Attributes:
        raw: the raw text; never changes.
        text: the current text.
        source: for each current character the offset of its raw character, or ``NOWHERE``; int32.
        touched_by: for each raw character the number of the last edit that touched it, or -1; int32.
        edits: rule of each edit, by number.
        held_back: whether a rule must not act on the raw characters from one to another; such edits are
            not made.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.text = raw
        self.source = np.arange(len(raw), dtype=np.int32)
        self.touched_by = np.full(len(raw), -1, dtype=np.int32)
        self.edits: list[str] = []
        self.held_back: Callable[[str, int, int], bool] | None = None

    def apply(self, edits: Iterable[Edit]) -> int:
        """Make ``edits`` (of the current text, in any order); one that overlaps an earlier one is dropped.

        Returns:
            How many were made.
        """
        ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
        if self.held_back is not None:
            ordered = [edit for edit in ordered if not self._is_held_back(edit)]
        if not ordered:
            return 0
        texts: list[str] = []
        sources: list[np.ndarray] = []
        at = made = 0
        for edit in ordered:
            if edit.start < at or edit.end > len(self.text) or edit.end < edit.start:
                continue
            if edit.start > at:
                texts.append(self.text[at : edit.start])
                sources.append(self.source[at : edit.start])
            self.touch(edit.start, edit.end, edit.rule)
            if edit.after:
                texts.append(edit.after)
                sources.append(_spread(self.source[edit.start : edit.end], len(edit.after)))
            at = edit.end
            made += 1
        texts.append(self.text[at:])
        sources.append(self.source[at:])
        self.text = "".join(texts)
        self.source = np.concatenate(sources) if sources else self.source
        return made

    def _is_held_back(self, edit: Edit) -> bool:
        """Whether the edit's rule must not act where it stands."""
        assert self.held_back is not None
        known = self.source[edit.start : max(edit.end, edit.start + 1)]
        known = known[known >= 0]
        return bool(len(known)) and self.held_back(edit.rule, int(known.min()), int(known.max()))

    def substitute(
        self, pattern: regex.Pattern[str], after: str | Callable[[regex.Match[str]], str | None], rule: str
    ) -> int:
        """Replace every match of ``pattern``; a function that returns ``None`` leaves its match alone."""
        edits = []
        for match in pattern.finditer(self.text):
            new = after(match) if callable(after) else after
            if new is not None and new != match.group():
                edits.append(Edit(match.start(), match.end(), new, rule))
        return self.apply(edits)

    def touch(self, start: int, end: int, rule: str) -> None:
        """Note that ``rule`` acts on ``text[start:end]`` as a whole, whatever becomes of it."""
        touched = self.source[start:end]
        touched = touched[touched >= 0]
        if len(touched):
            self.touched_by[touched] = len(self.edits)
            self.edits.append(rule)

    def rebuild(self, pieces: Sequence[tuple[int, int] | str]) -> None:
        """Make the text anew of stretches ``(start, end)`` of the current one and of strings put in.

        What no stretch takes up is gone; the caller has said why with :meth:`touch`.
        """
        text = self.text
        texts = [piece if isinstance(piece, str) else text[piece[0] : piece[1]] for piece in pieces]
        lengths = np.array([len(piece) for piece in texts], dtype=np.int64)
        ends = np.cumsum(lengths)
        # A string put in is a stretch of characters behind the last, which come from nowhere.
        put_in = len(text) if not texts else len(text) + int(lengths.max())
        begins = np.array([len(text) if isinstance(p, str) else p[0] for p in pieces], dtype=np.int64)
        places = np.repeat(begins - (ends - lengths), lengths)
        places += np.arange(len(places))
        sources = np.full(put_in, NOWHERE, dtype=np.int32)
        sources[: len(text)] = self.source
        self.text = "".join(texts)
        self.source = sources[places]

    def positions(self) -> np.ndarray:
        """For each raw character the offset of the first current character that stands for it, or -1; int32."""
        where = np.full(len(self.raw), -1, dtype=np.int32)
        known = np.flatnonzero(self.source >= 0)[::-1]
        where[self.source[known]] = known
        return where

    def at_or_after(self) -> np.ndarray:
        """For each raw offset (and the end) the current offset of the next raw character still there.

        Only meaningful while the text is in raw order.
        """
        where = self.positions()
        where = np.append(where, len(self.text))
        where[where < 0] = np.iinfo(np.int32).max
        return np.minimum.accumulate(where[::-1])[::-1]


def _spread(source: np.ndarray, length: int) -> np.ndarray:
    """Sources for ``length`` new characters in place of characters with ``source``."""
    known = source[source >= 0]
    if not len(known):
        return np.full(length, NOWHERE, dtype=np.int32)
    index = np.minimum(np.arange(length), len(known) - 1)
    return known[index]
