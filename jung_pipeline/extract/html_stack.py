"""The elements that are open while a document is read, and what they make of a row.

What the open elements say together is handed on from element to element as they open, so that a row costs
the same however deep it stands: markup that never closes an element is deep without end.
"""

from __future__ import annotations

from dataclasses import dataclass

from jung_pipeline.extract.html_lines import LineBuffer
from jung_pipeline.extract.html_roles import BLOCK_ROLES, HEADINGS, STRONG, Role

_RANKS = {name: rank for rank, name in enumerate(BLOCK_ROLES)} | {"th": BLOCK_ROLES.index("td")}
_NO_RANK = len(BLOCK_ROLES)


@dataclass(slots=True)
class OpenElement:
    """An element that has begun and not yet ended."""

    tag: str
    role: Role
    element_id: str | None
    start: int = 0  # in the line on which it began
    line: LineBuffer | None = None  # that line
    mark: str | None = None
    href: str | None = None
    raised: bool = False
    page_label: str | None = None
    rows_before: int = 0
    note: int | None = None
    containers: tuple[int, ...] = ()
    suspended: PutAside | None = None
    inside: Inside | None = None  # what it and the elements around it say

    def start_in(self, line: LineBuffer) -> int:
        """Where its text begins in ``line``: at the beginning, if it was open before."""
        return self.start if self.line is line else 0


@dataclass(slots=True)
class PutAside:
    """A paragraph put aside while a note inside it is read."""

    line: LineBuffer
    block: int
    rows_before: int
    deferred_before: int


@dataclass(frozen=True, slots=True)
class Inside:
    """What the open elements say of a row inside them."""

    block: OpenElement | None = None  # the innermost block or box
    licence: OpenElement | None = None  # the outermost box with Project Gutenberg's words
    strong: OpenElement | None = None  # the innermost box that decides what its rows are
    note: OpenElement | None = None  # the box of the note
    heading: str | None = None  # the innermost heading
    rank: int = _NO_RANK  # of the strongest of BLOCK_ROLES
    in_paragraph: bool = False
    in_inline: bool = False
    among_notes: bool = False

    def of_row(self, *, strong: bool = True) -> tuple[str, OpenElement | None]:
        """The role of a row, and the box that gives it; without ``strong``, the role by tags."""
        if strong and self.licence is not None:
            return "gutenberg_licence", self.licence
        if strong and self.strong is not None:
            in_note = self.strong.note is not None and self.note is not None
            return str(self.strong.role.box), self.note if in_note else self.strong
        if self.heading is not None:
            return self.heading, None
        return BLOCK_ROLES[self.rank] if self.rank < _NO_RANK else "p", None


NOTHING = Inside()


def inside(around: Inside, element: OpenElement) -> Inside:
    """What ``element`` and the elements ``around`` it say together."""
    role, tag = element.role, element.tag
    ranks = (around.rank, _RANKS.get(tag, _NO_RANK), _RANKS.get(role.box or "", _NO_RANK))
    new_note = element.note is not None and (around.note is None or around.note.note != element.note)
    return Inside(
        block=element if role.block or role.box else around.block,
        licence=around.licence or (element if role.box == "gutenberg_licence" else None),
        strong=element if role.box in STRONG else around.strong,
        note=element if new_note else around.note,
        heading=tag if tag in HEADINGS else around.heading,
        rank=min(ranks),
        in_paragraph=around.in_paragraph or tag == "p",
        in_inline=around.in_inline or not role.block,
        among_notes=around.among_notes or role.box == "notes",
    )
