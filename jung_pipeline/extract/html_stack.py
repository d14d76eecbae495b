"""The elements that are open while a document is read, and what they make of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jung_pipeline.extract.html_lines import LineBuffer
from jung_pipeline.extract.html_roles import BLOCK_ROLES, HEADINGS, STRONG, Role


@dataclass(slots=True)
class OpenElement:
    """An element that has begun and not yet ended."""

    tag: str
    role: Role
    element_id: str | None
    start: int = 0  # in the current line
    mark: str | None = None
    href: str | None = None
    raised: bool = False
    page_label: str | None = None
    rows_before: int = 0
    note: int | None = None
    containers: tuple[int, ...] = ()
    suspended: PutAside | None = None


@dataclass(slots=True)
class PutAside:
    """A paragraph put aside while a note inside it is read."""

    line: LineBuffer
    block: int
    starts: list[int]
    rows_before: int


def element_of(stack: Sequence[OpenElement], *, strong: bool = True) -> tuple[str, OpenElement | None]:
    """The role of a row inside ``stack``, and the box that gives it; without ``strong``, the role by tags."""
    if strong:
        for element in stack:
            if element.role.box == "gutenberg_licence":
                return "gutenberg_licence", element
        for element in reversed(stack):
            if element.role.box in STRONG:
                outer = next(e for e in stack if e.note == element.note) if element.note else element
                return str(element.role.box), outer
    names = set()
    for element in reversed(stack):
        if element.tag in HEADINGS:
            return element.tag, None
        names.add("td" if element.tag == "th" else element.tag)
        if element.role.box:
            names.add(element.role.box)
    return next((name for name in BLOCK_ROLES if name in names), "p"), None
