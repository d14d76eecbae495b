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
from operator import attrgetter

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


_PLACE = attrgetter("start", "end")


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
        ordered = sorted(edits, key=_PLACE)
        if self.held_back is not None:
            ordered = [edit for edit in ordered if not self._is_held_back(edit)]
        made: list[Edit] = []
        at, length = 0, len(self.text)
        for edit in ordered:
            if at <= edit.start <= edit.end <= length:
                made.append(edit)
                at = edit.end
        if made:
            self._replace(made)
        return len(made)

    def _replace(self, edits: Sequence[Edit]) -> None:
        """Make ``edits``, which follow one another."""
        starts = np.array([edit.start for edit in edits], dtype=np.int64)
        ends = np.array([edit.end for edit in edits], dtype=np.int64)
        self._touch_all(starts, ends, [edit.rule for edit in edits])
        put_in: list[int] = []
        for edit in edits:
            if edit.after:
                put_in += _spread(self.source[edit.start : edit.end].tolist(), len(edit.after))
        texts: list[str] = []
        at = 0
        for edit in edits:
            texts += (self.text[at : edit.start], edit.after)
            at = edit.end
        texts.append(self.text[at:])
        # Kept stretches and what is put in take turns.
        begins, lengths = np.empty((2, 2 * len(edits) + 1), dtype=np.int64)
        begins[0], begins[2::2] = 0, ends
        lengths[0:-1:2], lengths[-1] = starts, len(self.text)
        lengths[::2] -= begins[::2]
        lengths[1::2] = [len(edit.after) for edit in edits]
        begins[1::2] = len(self.text) + np.cumsum(lengths[1::2]) - lengths[1::2]
        sources = np.concatenate([self.source, np.array(put_in, dtype=np.int32)])
        self.text = "".join(texts)
        self.source = sources[_places(begins, lengths)]

    def _touch_all(self, starts: np.ndarray, ends: np.ndarray, rules: Sequence[str]) -> None:
        """As :meth:`touch` for many stretches, which follow one another."""
        touched = self.source[_places(starts, ends - starts)]
        of = np.repeat(np.arange(len(starts)), ends - starts)[touched >= 0]
        acts = np.bincount(of, minlength=len(starts)) > 0
        numbers = len(self.edits) + np.cumsum(acts) - 1
        self.touched_by[touched[touched >= 0]] = numbers[of]
        self.edits += [rule for rule, does in zip(rules, acts.tolist(), strict=True) if does]

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
        # A string put in is a stretch of characters behind the last, which come from nowhere.
        put_in = len(text) if not texts else len(text) + int(lengths.max())
        begins = np.array([len(text) if isinstance(p, str) else p[0] for p in pieces], dtype=np.int64)
        sources = np.full(put_in, NOWHERE, dtype=np.int32)
        sources[: len(text)] = self.source
        self.text = "".join(texts)
        self.source = sources[_places(begins, lengths)]

    def positions(self) -> np.ndarray:
        """For each raw character the offset of the first current character that stands for it, or -1; int32."""
        return self._found(reverse=True)

    def last_positions(self) -> np.ndarray:
        """For each raw character the offset of the last current character that stands for it, or -1; int32."""
        return self._found(reverse=False)

    def _found(self, *, reverse: bool) -> np.ndarray:
        # What was put in, from -1, is noted behind the end; of several characters the last noted stays.
        where = np.full(len(self.raw) + 1, -1, dtype=np.int32)
        step = -1 if reverse else 1
        where[self.source[::step]] = np.arange(len(self.source), dtype=np.int32)[::step]
        return where[:-1]

    def at_or_after(self) -> np.ndarray:
        """For each raw offset (and the end) the current offset of the next raw character still there.

        Only meaningful while the text is in raw order.
        """
        where = self.positions()
        where = np.append(where, np.int32(len(self.text)))
        where[where < 0] = np.iinfo(np.int32).max
        return np.minimum.accumulate(where[::-1])[::-1]


def _spread(source: list[int], length: int) -> list[int]:
    """Sources for ``length`` new characters in place of characters with ``source``."""
    known = [place for place in source if place >= 0]
    if not known:
        return [NOWHERE] * length
    return known[:length] + known[-1:] * (length - len(known))


def _places(begins: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The places of stretches, one behind the other."""
    ends = np.cumsum(lengths)
    places = np.repeat((begins - (ends - lengths)).astype(np.int32), lengths)
    places += np.arange(len(places), dtype=np.int32)
    return places
