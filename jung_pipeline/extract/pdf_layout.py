"""From the pieces of text on a page to its lines in reading order.

A reader takes a page from top to bottom, column by column; notes at the foot come after the body. The
file may have drawn it in any order, a word at a time, or twice. Pure functions over
:class:`~jung_pipeline.extract.pdf_fragments.Fragment`; lengths are in points, or in ems (multiples of
the page's type size), and every threshold is a typographic one.
"""

from __future__ import annotations

import difflib
import itertools
import math
import re
from operator import attrgetter
from statistics import median

from jung_pipeline.extract.pdf_columns import columns, may_have_columns
from jung_pipeline.extract.pdf_fragments import SMALL_TYPE, Fragment, Mark
from jung_pipeline.text.words import frequency

#: A wider gap than this inside a block is a new cell, head or margin, not a word space (ems). Justified
#: lines that are drawn word by word reach one em and a half.
_GAP_IN_BLOCK = 2.5
#: The same between blocks, which a drawing program starts for its own reasons.
_GAP_BETWEEN_BLOCKS = 1.1
#: The same between pieces in different type, which may be a margin's number beside its line.
_GAP_OTHER_TYPE = 0.6
#: A single letter with its quotation mark before or its stop after.
_INITIAL = re.compile(r"\W{0,2}[^\W\d_]\W?")
#: No gutter is so narrow; what stands closer is one line whatever the columns (ems).
_GAP_TIGHT = 0.35

_BASE, _LEFT = attrgetter("base"), attrgetter("x0")


def body_size(fragments: list[Fragment]) -> float:
    """The type size of most characters, points."""
    exact: dict[float, int] = {}
    for f in fragments:
        exact[f.size] = exact.get(f.size, 0) + len(f.text)
    weight: dict[float, int] = {}
    for size, count in exact.items():
        rounded = round(size * 2) / 2
        weight[rounded] = weight.get(rounded, 0) + count
    return max(weight, key=weight.__getitem__) or 1.0


def reading_order(fragments: list[Fragment]) -> tuple[list[Fragment], list[float]]:
    """The page's lines in reading order, and the x of the gutters between its columns."""
    turned = [f for f in fragments if f.turned]
    level = [f for f in fragments if not f.turned] if turned else fragments
    gutters: list[float] = []
    lines: list[Fragment] = []
    if level:
        em = body_size(level)
        level = without_doubles(level)
        level = join_drop_caps(attach_raised(level), em)
        if may_have_columns(level, em):
            # Whole words before columns, so that no blank in a headline passes for a gutter.
            groups = columns(rows(level, widest=_GAP_TIGHT), em, gutters)
        else:
            groups = [(level, 0)]
        for group, column in groups:
            for line in rows(group):
                line.block = line.block * 8 + column % 8  # a block that runs over two columns is two
                lines.append(line)
    for f in turned:
        f.marks = [*f.marks, (0, len(f.text), "rotated")]
    return lines + without_doubles(turned), gutters


def crossing(fragments: list[Fragment], gutters: list[float]) -> bool:
    """Whether a piece of text runs over a gutter, as OCR layers that glue two columns have it."""
    return any(
        f.x0 < g - 3 * f.size and f.x1 > g + 3 * f.size for g in gutters for f in fragments if not f.turned
    )


# ---------------------------------------------------------------------------------------------------
# doubles
# ---------------------------------------------------------------------------------------------------


def without_doubles(fragments: list[Fragment]) -> list[Fragment]:
    """The fragments without those that say the same at the same place as one before."""
    if not _any_overlap(fragments):
        return list(fragments)
    kept: list[Fragment] = []
    bands: dict[int, list[Fragment]] = {}
    step = max(body_size(fragments), 1.0) if fragments else 1.0
    for f in fragments:
        band = int(f.base / step)
        reach = 0.4 * f.size
        twin = None
        for o in (*bands.get(band - 1, ()), *bands.get(band, ()), *bands.get(band + 1, ())):
            if -reach <= o.base - f.base <= reach and _same_place(o, f) and _same_words(o, f):
                twin = o
                break
        if twin is None:
            kept.append(f)
            bands.setdefault(band, []).append(f)
        elif len(f.text) > len(twin.text) * 1.2 and f.x1 - f.x0 > twin.x1 - twin.x0:
            kept[kept.index(twin)] = f  # the whole line after one of its words
            bands[int(twin.base / step)].remove(twin)
            bands.setdefault(band, []).append(f)
    return kept


def _any_overlap(fragments: list[Fragment]) -> bool:
    """Whether any two fragments near one base line share a stretch of it; if none do, nothing is double."""
    if len(fragments) < 2:
        return False
    # As far apart as two of the same place can be; see :func:`_same_place`.
    reach = 0.4 * max([f.size for f in fragments])
    ordered = sorted([(f.base, f.x0, f.x1) for f in fragments])
    row: list[tuple[float, float]] = []
    last = -math.inf
    for base, x0, x1 in [*ordered, (math.inf, 0.0, 0.0)]:
        if base - last > reach:
            if len(row) > 1:
                row.sort()
                end = -math.inf
                for left, right in row:
                    if left < end:
                        return True
                    end = max(end, right)
            row = []
        row.append((x0, x1))
        last = base
    return False


def _same_place(a: Fragment, b: Fragment) -> bool:
    """Whether the smaller of two fragments lies for the most part on the other."""
    size = min(a.size, b.size)
    if abs(a.base - b.base) > 0.4 * size or max(a.size, b.size) > 1.5 * size:
        return False
    overlap = min(a.x1, b.x1) - max(a.x0, b.x0)
    return overlap > 0.6 * min(a.x1 - a.x0, b.x1 - b.x0)


def _same_words(a: Fragment, b: Fragment) -> bool:
    """Whether the shorter text is (nearly) in the longer: two readings of one print may differ a little."""
    short, long = sorted(("".join(x.text.split()).casefold() for x in (a, b)), key=len)
    if short in long:
        return True
    return len(short) > 0.6 * len(long) and difflib.SequenceMatcher(None, short, long).ratio() > 0.75


# ---------------------------------------------------------------------------------------------------
# raised marks and dropped initials
# ---------------------------------------------------------------------------------------------------


def attach_raised(fragments: list[Fragment]) -> list[Fragment]:
    """Put small raised (or lowered) pieces on the base line of the line they stand at, and mark them."""
    small = [f for f in fragments if len(f.text.strip()) <= 5]
    if not small or len(small) == len(fragments):
        return fragments
    largest = SMALL_TYPE * max([f.size for f in fragments])
    for f in small:
        if f.size > largest:
            continue  # smaller than no other
        best: tuple[float, Fragment, str] | None = None
        for host in fragments:
            em = host.size
            if host is f or f.size > SMALL_TYPE * em or f.size < 0.3 * em or len(host.text) <= len(f.text):
                continue
            rise = host.base - f.base
            if 0.12 * em < rise < 0.75 * em:
                kind = "superscript"
            elif -0.45 * em < rise < -0.08 * em:
                kind = "subscript"
            else:
                continue
            after, before = f.x0 - host.x1, host.x0 - f.x1
            gap = after if -0.3 * em < after < 0.6 * em else before if -0.1 * em < before < em else None
            if gap is not None and (best is None or abs(gap) < best[0]):
                best = (abs(gap), host, kind)
        if best is not None:
            _, host, kind = best
            f.base, f.block = host.base, host.block
            text = f.text
            start = len(text) - len(text.lstrip())
            f.marks = [m for m in f.marks if m[2] != kind] + [(start, len(text.rstrip()), kind)]
    return fragments


def join_drop_caps(fragments: list[Fragment], em: float) -> list[Fragment]:
    """Join a large initial that hangs over several lines to the first line of its paragraph."""
    least = 1.8 * em
    initials = [f for f in fragments if f.size >= least and _INITIAL.fullmatch(f.text.strip())]
    for initial in initials:
        beside = [
            f
            for f in fragments
            if f.size < 0.6 * initial.size
            and -0.2 * em < f.x0 - initial.x1 < 1.5 * em
            and initial.y0 - 0.5 * em < f.base <= initial.base + 0.5 * em
        ]
        if len({round(f.base) for f in beside}) < 2:
            continue
        first = min(beside, key=lambda f: f.base)
        cap = initial.text.strip()
        glue = "" if _one_word(cap, first.text) else " "
        shift = len(cap) + len(glue) - (len(first.text) - len(first.text.lstrip()))
        first.marks = [(max(0, s + shift), e + shift, kind) for s, e, kind in first.marks]
        first.text = cap + glue + first.text.lstrip()
        first.x0 = initial.x0
        first.box = (min(first.box[0], initial.box[0]), *first.box[1:])
        fragments = [f for f in fragments if f is not initial]
    return fragments


def _one_word(initial: str, rest: str) -> bool:
    """Whether the initial belongs to the word after it: 'W' + 'hen', but 'A' + 'man'."""
    word = re.match(r"[^\W\d_]+", rest.lstrip())
    if rest[:1].isspace() or word is None:
        return word is not None and not rest[:1].isspace()
    letter, tail = initial[-1].lower(), word[0].lower()
    if letter not in "aioeyàéóу":
        return True
    return frequency(letter + tail) >= frequency(tail) or frequency(tail) < 1e-7


# ---------------------------------------------------------------------------------------------------
# rows
# ---------------------------------------------------------------------------------------------------


def rows(fragments: list[Fragment], *, widest: float | None = None) -> list[Fragment]:
    """The fragments from top to bottom, those on one base line with small gaps joined to one line.

    ``widest`` (ems) joins over smaller gaps only than a line may have.
    """
    ordered = sorted(fragments, key=_BASE)
    lines: list[Fragment] = []
    row = ordered[:1]
    for f in ordered[1:]:
        # On one base line, as far as print and scan keep to one.
        first = row[0]
        if f.base - first.base <= 0.3 * (f.size if f.size < first.size else first.size):
            row.append(f)
            continue
        lines.extend(_join_row(sorted(row, key=_LEFT), widest) if len(row) > 1 else row)
        row = [f]
    lines.extend(_join_row(sorted(row, key=_LEFT), widest) if len(row) > 1 else row)
    return lines


def _join_row(row: list[Fragment], widest: float | None) -> list[Fragment]:
    """Neighbours in a row joined over gaps no wider than a word space may be."""
    gaps = [max(0.0, b.x0 - a.x1) for a, b in itertools.pairwise(row)]
    letters = sum([len(f.text.strip()) == 1 for f in row]) if len(row) >= 4 else 0
    spaced = letters >= 4 and 2 * letters > len(row)
    usual = median(gaps) if spaced else 0.0
    joined = [row[0]]
    for gap, f in zip(gaps, row[1:], strict=True):
        last = joined[-1]
        if not _one_line(last, f, gap, widest):
            joined.append(f)
            continue
        if (spaced and gap > 1.5 * usual) or (
            gap > 0.5 * f.size and _letter_spaced(last) and _letter_spaced(f)
        ):
            blank = "   "
        elif last.text[-1:].isspace() or f.text[:1].isspace() or gap < _no_blank_under(last, f):
            blank = ""
        else:
            blank = " "
        joined[-1] = _joined_pair(last, f, blank)
    return joined


def _letter_spaced(f: Fragment) -> bool:
    """Whether a fragment is a letter-spaced word, one letter after the other with blanks between."""
    parts = f.text.split()
    return len(parts) > 1 and all(len(part) == 1 for part in parts[-3:])


def _is_raised(f: Fragment) -> bool:
    """Whether a fragment is a raised or lowered mark as a whole."""
    return any(
        kind in ("superscript", "subscript") and end - start >= len(f.text.strip())
        for start, end, kind in f.marks
    )


def _one_line(a: Fragment, b: Fragment, gap: float, widest: float | None) -> bool:
    """Whether two neighbours in a row are parts of one line: close enough for their block and their type."""
    small, large = sorted((max(a.size, 0.1), max(b.size, 0.1)))
    raised = _is_raised(a) or _is_raised(b)
    if large > 1.6 * small and not raised:
        return False
    limit = _GAP_IN_BLOCK if a.block == b.block else _GAP_BETWEEN_BLOCKS
    if large > 1.1 * small:
        limit = min(limit, _GAP_OTHER_TYPE)
    if widest is not None:
        limit = min(limit, widest)
    return gap <= limit * (large if raised else small)


def _no_blank_under(a: Fragment, b: Fragment) -> float:
    """The gap (points) under which two neighbours are one word: wider before a raised mark."""
    return 0.3 * max(a.size, b.size) if _is_raised(b) else 0.12 * min(a.size, b.size)


def _joined_pair(a: Fragment, b: Fragment, blank: str) -> Fragment:
    """One fragment of two on a row; the longer one gives the type."""
    main = a if len(a.text) >= len(b.text) else b
    shift = len(a.text) + len(blank)
    marks: list[Mark] = [*a.marks, *((s + shift, e + shift, kind) for s, e, kind in b.marks)]
    for part, offset in ((a, 0), (b, shift)):
        for flag, kind in ((part.italic, "italic"), (part.bold, "bold")):
            if flag and not (main.italic if kind == "italic" else main.bold):
                marks.append((offset, offset + len(part.text.rstrip()), kind))
    box = (
        min(a.box[0], b.box[0]),
        min(a.box[1], b.box[1]),
        max(a.box[2], b.box[2]),
        max(a.box[3], b.box[3]),
    )
    pair = Fragment(
        a.text + blank + b.text,
        box,
        main.base,
        main.size,
        a.block,
        main.bold,
        main.italic,
        marks,
    )
    pair.x0, pair.x1, pair.y0, pair.y1 = a.x0, max(a.x1, b.x1), min(a.y0, b.y0), max(a.y1, b.y1)
    return pair
