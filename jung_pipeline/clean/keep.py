"""What the owner of a book does not want taken out or changed: ``hints.keep`` of its catalogue entry.

::

    [volumes.cw-09i.hints]
    keep = ["running_head", "front_matter@7", "stamp@120-134"]

A rule by its name acts nowhere in the volume; with ``@`` it does not act on that page, or on those pages
(positions in the file, as ``jung explain`` shows them).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import regex

from jung_pipeline.clean.rules import REASONS
from jung_pipeline.errors import CatalogueError

#: Rules without which the text is no text: clean Unicode, and blanks that mean nothing.
ALWAYS_ACT = frozenset({"composed", "invisible", "soft_hyphen", "white_space", "unexplained"})

_ITEM = regex.compile(r"([a-z_]+)(?:@(\d+)(?:-(\d+))?)?")


@dataclass(frozen=True)
class Keep:
    """Where which rule does not act.

    Attributes:
        everywhere: rules that do not act in the volume.
        pages: the pages (first, last) on which a rule does not act, by rule.
    """

    everywhere: frozenset[str] = frozenset()
    pages: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.everywhere or self.pages)

    def names(self, rule: str) -> bool:
        """Whether ``rule`` is held back anywhere."""
        return rule in self.everywhere or rule in self.pages

    def holds(self, rule: str, page: int) -> bool:
        """Whether ``rule`` must not act on ``page``."""
        return rule in self.everywhere or any(a <= page <= b for a, b in self.pages.get(rule, ()))


def keep_of(hints: Mapping[str, Any], volume: str) -> Keep:
    """The ``keep`` among a volume's hints.

    Raises:
        CatalogueError: it is no list of rules, or names one that there is not or that always acts.
    """
    value = hints.get("keep", [])
    items = [value] if isinstance(value, str) else value
    where = f"Catalogue entry {volume!r}: hints.keep"
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise CatalogueError(f"{where} must be a list of rules.", remedy='Such as ["running_head@45"].')
    everywhere: set[str] = set()
    pages: dict[str, list[tuple[int, int]]] = {}
    for item in items:
        match = _ITEM.fullmatch(item.replace(" ", ""))
        if match is None or match[1] not in REASONS or match[1] in ALWAYS_ACT:
            known = [rule for rule in REASONS if rule not in ALWAYS_ACT]
            near = get_close_matches(item.split("@")[0], known, n=1)
            raise CatalogueError(
                f"{where} has {item!r}, which is no rule that can be held back.",
                remedy=f"Write {near[0]}." if near else f"Those are: {', '.join(known)}.",
            )
        if match[2] is None:
            everywhere.add(match[1])
        else:
            first = int(match[2])
            pages.setdefault(match[1], []).append((first, int(match[3] or first)))
    return Keep(frozenset(everywhere), {rule: tuple(found) for rule, found in pages.items()})
