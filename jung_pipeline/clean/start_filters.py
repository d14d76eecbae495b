"""Headings that look like chapters but open none: divisions of a chapter, title pages, lists at the end."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import regex

from jung_pipeline.clean.book import Paragraph
from jung_pipeline.clean.numeral_runs import Start, key_of
from jung_pipeline.clean.prose import is_prose
from jung_pipeline.clean.starts import BACK_KINDS, NAMED_KINDS

#: The page that a line of a table of contents ends with, where it has no leaders: "The Hill 7".
_PAGE_BEHIND = regex.compile(r".*\p{L}.*\s(\d{1,4})", regex.DOTALL)


def without_contents(starts: list[Start]) -> list[Start]:
    """Without the lines of a table of contents that has no leaders.

    They stand one behind the other, each ends with a higher page, and their numbers come again later.
    """
    pages = [int(m.group(1)) if (m := _PAGE_BEHIND.fullmatch(s.title or "")) else None for s in starts]
    listed: set[int] = set()
    for at, (one, other) in enumerate(itertools.pairwise(starts)):
        low, high = pages[at], pages[at + 1]
        if low is not None and high is not None and low <= high and other.paragraph - one.paragraph <= 2:
            listed |= {at, at + 1}
    again = {(s.kind, s.number) for at, s in enumerate(starts) if at not in listed}
    if not all((starts[at].kind, starts[at].number) in again for at in listed):
        return starts
    return [start for at, start in enumerate(starts) if at not in listed]


def without_inner_parts(starts: list[Start]) -> list[Start]:
    """Without parts that divide a chapter: a series I, II … whose first follows a chapter and holds none."""
    if sum(s.level == 2 and s.kind in ("chapter", "lecture") for s in starts) < 2:
        return starts
    inner: set[int] = set()
    series_is_inner = False
    for at, start in enumerate(starts):
        if start.kind != "part":
            continue
        if start.number == 1 or start.number is None:
            following = next((s for s in starts[at + 1 :] if s.kind in ("part", "chapter", "lecture")), None)
            holds_none = following is None or following.kind == "part"
            series_is_inner = holds_none and any(s.kind == "chapter" for s in starts[:at])
        if series_is_inner:
            inner.add(at)
    return [start for at, start in enumerate(starts) if at not in inner]


def without_sections(starts: list[Start]) -> list[Start]:
    """Drop sections, and introductions or conclusions that stand inside chapters, from the starts."""
    numbered = [i for i, s in enumerate(starts) if s.level == 2 and s.kind in ("chapter", "lecture")]
    if not numbered:
        return [replace(s, level=2) if s.kind == "section" else s for s in starts]
    first, last = numbered[0], numbered[-1]
    return [
        s
        for i, s in enumerate(starts)
        if not (
            s.level == 3
            or (
                s.kind in ("introduction", "conclusion")
                and first < i < last
                and not s.title
                and _within_chapter(starts, i)
            )
        )
    ]


def outside_appendices(starts: list[Start]) -> list[Start]:
    """Without parts and chapters that an appendix counts anew."""
    kept: list[Start] = []
    highest: dict[str, int] = {}
    behind = anew = False
    for start in starts:
        if start.kind in BACK_KINDS:
            behind, anew = bool(highest), False
        elif start.number is not None and start.kind not in NAMED_KINDS:
            anew = anew or (behind and start.number <= highest.get(start.kind, 1 << 30))
            if anew:
                continue
            highest[start.kind] = start.number
        kept.append(start)
    return kept


def without_title_page(paragraphs: Sequence[Paragraph], starts: list[Start]) -> list[Start]:
    """Without the headings of a title page: no number, no text under them, before the first that has text."""
    for at, start in enumerate(starts):
        end = starts[at + 1].paragraph if at + 1 < len(starts) else len(paragraphs)
        under = paragraphs[start.paragraph + start.rows : end]
        has_text = any(
            is_prose(p.text, 20) if start.kind == "part" else len(p.text.split()) >= 20 or p.kind == "verse"
            for p in under
            if p.fate is None and p.kind != "footnote"
        )
        if has_text or (start.number is not None and start.kind != "part") or start.kind in NAMED_KINDS:
            return starts[at:] if start.paragraph < 0.1 * len(paragraphs) else starts
    return starts


def without_empty_ends(paragraphs: Sequence[Paragraph], starts: list[Start]) -> list[Start]:
    """Without headings at the very end of the volume that have no text under them (a publisher's list)."""
    while starts and len(starts) > 1 and starts[-1].paragraph > 0.95 * len(paragraphs):
        under = paragraphs[starts[-1].paragraph + starts[-1].rows :]
        if any(len(p.text.split()) >= 25 for p in under if p.fate is None and p.kind != "footnote"):
            break
        if (
            any(
                key_of(p.text) and len(p.text.split()) >= 6 and p.text.rstrip()[-1] in ".!?"
                for p in under
                if p.fate is None
            )
            and starts[-1].kind != "part"
        ):
            break
        starts = starts[:-1]
    return starts


def _within_chapter(starts: Sequence[Start], index: int) -> bool:
    """Whether the start at ``index`` follows a chapter directly, with no part in between."""
    return starts[index - 1].level == 2 and starts[index - 1].kind in ("chapter", "lecture")
