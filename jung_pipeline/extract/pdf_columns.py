"""Which columns a page has, and in which order a reader takes them.

Pure functions over :class:`~jung_pipeline.extract.pdf_fragments.Fragment`.
"""

from __future__ import annotations

from jung_pipeline.extract.pdf_fragments import Fragment

#: A column is at least so wide (ems) and has at least so many lines.
_COLUMN_WIDTH, _COLUMN_LINES = 7.0, 3


def may_have_columns(fragments: list[Fragment], em: float) -> bool:
    """Whether enough pieces of text begin far enough from the left that there could be a second column."""
    return bool(_left_edges(fragments, em))


def columns(
    fragments: list[Fragment], em: float, gutters: list[float], depth: int = 0, column: int = 0
) -> list[tuple[list[Fragment], int]]:
    """Groups to read one after the other, each with the number of its column; adds gutters it found.

    A gutter is the left edge of at least three lines with other lines wholly to its left at the same
    height. Text that runs over it (a headline) divides the page into bands, read from top to bottom.
    """
    if depth > 3 or len(fragments) < 2 * _COLUMN_LINES:
        return [(fragments, column)]
    best: tuple[int, float, list[_Band]] | None = None
    for gutter in _left_edges(fragments, em):
        bands = _bands(fragments, gutter, em)
        score = sum(len(b.left) + len(b.right) for b in bands if b.is_columns)
        if score and (best is None or score > best[0]):
            best = (score, gutter, bands)
    if best is None:
        return [(fragments, column)]
    gutters.append(best[1])
    groups: list[tuple[list[Fragment], int]] = []
    for band in best[2]:
        if not band.is_columns:
            whole = [*band.left, *band.right]
            if groups and groups[-1][1] == column:
                groups[-1][0].extend(whole)
            else:
                groups.append((whole, column))
            continue
        left, left_notes = _foot(band.left, em, fragments)
        right, right_notes = _foot(band.right, em, fragments)
        for number, part in ((1, left), (2, right), (3, left_notes), (4, right_notes)):
            if part:
                groups.extend(columns(part, em, gutters, depth + 1, column + number))
    return groups


def _left_edges(fragments: list[Fragment], em: float) -> list[float]:
    """Positions just left of where at least three fragments begin, far enough from the page's left edge."""
    first = min(f.x0 for f in fragments) + _COLUMN_WIDTH * em * 0.9
    edges = sorted(f.x0 for f in fragments if f.x0 > first)
    found: list[float] = []
    start = 0
    for index in range(1, len(edges) + 1):
        if index == len(edges) or edges[index] - edges[start] > 0.9 * em:
            if index - start >= _COLUMN_LINES:
                found.append(edges[start] - 0.1 * em)
            start = index
    return found


class _Band:
    """A stretch of a page: text over the whole width, or text left and right of a gutter."""

    def __init__(self, left: list[Fragment], right: list[Fragment], is_columns: bool) -> None:
        self.left, self.right, self.is_columns = left, right, is_columns


def _bands(fragments: list[Fragment], gutter: float, em: float) -> list[_Band]:
    """The page cut into bands at the lines that run over the gutter."""
    slack = 0.3 * em
    bands: list[_Band] = []
    left: list[Fragment] = []
    right: list[Fragment] = []
    for f in sorted(fragments, key=lambda f: f.base):
        centred = (
            len(f.text) <= 12 and abs((f.x0 + f.x1) / 2 - gutter) < 1.5 * em
        )  # a page number at the foot
        if f.x1 <= gutter + slack and not centred:
            left.append(f)
        elif f.x0 >= gutter - slack and not centred:
            right.append(f)
        else:
            if left or right:
                bands.append(_Band(left, right, _are_columns(left, right, gutter, em)))
                left, right = [], []
            bands.append(_Band([f], [], False))
    if left or right:
        bands.append(_Band(left, right, _are_columns(left, right, gutter, em)))
    return bands


def _are_columns(left: list[Fragment], right: list[Fragment], gutter: float, em: float) -> bool:
    """Whether two piles of text beside a gutter are columns of prose, not cells, margins or an index of pages.

    The lines of a column of prose fill it; numbers at the end of a line of contents, or one word a cell,
    do not.
    """
    sides = []
    for side in (left, right):
        lines: list[tuple[float, float, float]] = []  # base, left, right edge of each line
        for f in side:
            if lines and f.base - lines[-1][0] <= 0.3 * em:
                lines[-1] = (lines[-1][0], min(lines[-1][1], f.x0), max(lines[-1][2], f.x1))
            else:
                lines.append((f.base, f.x0, f.x1))
        if len(lines) < _COLUMN_LINES:
            return False
        x0, x1 = min(line[1] for line in lines), max(line[2] for line in lines)
        widths = [line[2] - line[1] for line in lines]
        if x1 - x0 < _COLUMN_WIDTH * em or sum(w > 0.6 * (x1 - x0) for w in widths) < 0.5 * len(widths):
            return False
        sides.append((lines[0][0], lines[-1][0]))
    shared = min(sides[0][1], sides[1][1]) - max(sides[0][0], sides[1][0])
    return shared >= (_COLUMN_LINES - 1) * 0.9 * em


def _foot(side: list[Fragment], em: float, page: list[Fragment]) -> tuple[list[Fragment], list[Fragment]]:
    """A column's body and the notes in small type at its foot."""
    top, bottom = min(f.base for f in page), max(f.base for f in page)
    cut = len(side)
    while cut and side[cut - 1].size <= 0.9 * em and side[cut - 1].base > top + 0.5 * (bottom - top):
        cut -= 1
    return (side[:cut], side[cut:]) if cut else (side, [])
