"""A volume's cleaned text laid out for searching, and what a find in it looks like."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import regex

from jung_pipeline.clean import tokens
from jung_pipeline.schemas import PARAGRAPH_SEPARATOR

#: So many of a kind are kept with their place; all are counted.
MOST_SHOWN = 50
#: Characters of surroundings on each side of a find.
_AROUND = 40
WORD_AT = regex.compile(r"[\p{L}\p{M}\p{N}'’]+")


@dataclass(frozen=True)
class Leftover:
    """A stretch of cleaned text that looks wrong.

    Attributes:
        kind: one of ``leftovers.KINDS``.
        page: position in the file.
        label: printed page, where known.
        paragraph: row of ``cleaned_text``.
        text: the stretch.
        snippet: the stretch in its surroundings.
    """

    kind: str
    page: int
    label: str | None
    paragraph: int
    text: str
    snippet: str


class Leftovers:
    """All leftovers of a volume: how many of each kind, and the first of each with their places."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.shown: list[Leftover] = []

    def add(self, kind: str, make: Callable[[], Leftover]) -> None:
        """Count one; ``make()`` is asked for its place only if it will be shown."""
        self.counts[kind] += 1
        if self.counts[kind] <= MOST_SHOWN:
            self.shown.append(make())


class Text:
    """The volume's cleaned text with what the searches share."""

    def __init__(self, cleaned_text: pa.Table) -> None:
        self.table = cleaned_text
        self.texts: list[str] = cleaned_text.column("text").to_pylist()
        self.kinds: list[str] = cleaned_text.column("kind").to_pylist()
        self.starts: list[int] = cleaned_text.column("char_start").to_pylist()
        self.whole = PARAGRAPH_SEPARATOR.join(self.texts)
        points = tokens.code_points(self.whole)
        # A blank on each side, so that neighbours can be looked at without asking for the ends.
        self.points = np.concatenate([[32], points, [32]]).astype(np.uint32)
        classes = tokens.classes(self.points)
        self.letter = (classes & tokens.LETTER) > 0
        self.capital = (classes & tokens.CAPITAL) > 0
        self.digit = (self.points >= 48) & (self.points <= 57)
        self.white = (self.points == 32) | (self.points == 10)

    def word_around(self, at: int) -> tuple[int, int, str]:
        """The word at offset ``at``, with what is glued to it left out."""
        begin = max(0, at - 30)
        for match in WORD_AT.finditer(self.whole, begin, min(len(self.whole), at + 30)):
            if match.start() <= at < match.end():
                return match.start(), match.end(), match.group()
        return at, at + 1, self.whole[at : at + 1]

    def glued(self, start: int, end: int) -> bool:
        """Whether the stretch is part of an address, a file name or a formula."""
        around = self.whole[max(0, start - 1) : start] + self.whole[end : end + 1]
        if any(sign in "_@/\\=+<>%#&~^" for sign in around):
            return True
        left = self.whole.rfind(" ", max(0, start - 80), start)
        right = self.whole.find(" ", end, end + 80)
        chunk = self.whole[left + 1 : right if right >= 0 else end + 80]
        return "://" in chunk or "www." in chunk or "@" in chunk

    def kind_at(self, at: int) -> str:
        """The kind of the paragraph at offset ``at``."""
        return self.kinds[bisect_right(self.starts, at) - 1]

    def leftover(self, kind: str, start: int, end: int) -> Leftover:
        """The find at ``whole[start:end]``."""
        row = bisect_right(self.starts, start) - 1
        begin = self.starts[row]
        page, label = self._place(row, start - begin)
        own = self.texts[row]
        a, b = max(0, start - begin - _AROUND), min(len(own), end - begin + _AROUND)
        snippet = ("…" if a else "") + own[a:b].replace("\n", " / ") + ("…" if b < len(own) else "")
        return Leftover(kind, page, label, row, self.whole[start:end], snippet)

    def _place(self, row: int, offset: int) -> tuple[int, str | None]:
        values = self.table.select(["page_first", "label_first", "page_starts"]).slice(row, 1).to_pylist()[0]
        page, label = values["page_first"], values["label_first"]
        for begins in values["page_starts"]:
            if begins["offset"] <= offset:
                page, label = begins["page"], begins["label"]
        return page, label
