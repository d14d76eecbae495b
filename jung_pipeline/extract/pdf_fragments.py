"""Pieces of text with their place on a page, from three sources.

The cheapest, read by :mod:`jung_pipeline.extract.pdf_printed`, serves most pages. ``dict`` (every span with
its box and direction) costs twice the plain text and is asked for only where boxes inside a line
matter: slanted text, lines across two columns. ``rawdict`` (every letter) costs six times the plain text and
serves letter-spaced words and letters printed twice. All functions here are pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

#: ``(start, end, kind)`` within the text; kinds of ``schemas.MARK``.
Mark = tuple[int, int, str]

#: Bits of MuPDF's span flags.
_RAISED, _ITALIC, _BOLD = 1, 2, 16

#: Type smaller than this share of its line's is a note mark's, not the text's.
SMALL_TYPE = 0.85
#: What a raised mark may look like when only its size or height speaks for it.
_NOTE_MARK = re.compile(r"[\s(\[]*(?:\d{1,4}(?:\s*[,–-]\s*\d{1,4})*|[*†‡§¶‖#]{1,4}|[a-z])[\s)\].,]*")
#: Letters one by one with blanks between: letter-spacing, or the blanks MuPDF saw in it.
_SPACED_RUN = re.compile(r"(?<!\w)\w(?: +\w(?!\w)){2,}")


class Fragment:
    """A run of text on one base line.

    ``x0, y0, x1, y1, base`` are in layout coordinates: points from the top left, turned so that the
    page's main text runs left to right; ``box`` is the same box on the page as it is read.
    """

    __slots__ = (
        "base",
        "block",
        "bold",
        "box",
        "italic",
        "marks",
        "size",
        "text",
        "turned",
        "x0",
        "x1",
        "y0",
        "y1",
    )

    def __init__(
        self,
        text: str,
        box: tuple[float, float, float, float],
        base: float,
        size: float,
        block: int = 0,
        bold: bool = False,
        italic: bool = False,
        marks: list[Mark] | None = None,
    ) -> None:
        self.text = text
        self.box = box
        self.x0, self.y0, self.x1, self.y1 = box
        self.base = base
        self.size = size
        self.block = block
        self.bold = bold
        self.italic = italic
        self.marks: list[Mark] = marks or []
        self.turned = False  # runs in another direction than the page's main text

    def __repr__(self) -> str:
        return f"Fragment({self.text!r}, {self.x0:.0f}-{self.x1:.0f} @ {self.base:.0f}, {self.size:.1f})"


Style = tuple[str, float, bool, bool, bool]  # text, size, raised, bold, italic


def styled(styles: list[Style], fallback_size: float) -> tuple[float, bool, bool, list[Mark]]:
    """Size, bold and italic of most of a line's characters, and marks where a stretch differs."""
    weight: dict[float, int] = {}
    letters = bold = italic = raised_letters = 0
    for text, size, raised, is_bold, is_italic in styles:
        count = len(text.strip())
        weight[size] = weight.get(size, 0) + count
        letters += count
        bold += count * is_bold
        italic += count * is_italic
        raised_letters += count * raised
    main = max(weight, key=weight.__getitem__) if letters else fallback_size
    line_bold, line_italic = 2 * bold > letters, 2 * italic > letters
    marks: list[Mark] = []
    end = 0
    for index, (text, size, raised, is_bold, is_italic) in enumerate(styles):
        start, end = end, end + len(text)
        small = size <= SMALL_TYPE * main
        if not (small or raised or (is_italic and not line_italic) or (is_bold and not line_bold)):
            continue
        stripped = text.strip()
        if not stripped:
            continue
        start += len(text) - len(text.lstrip())
        stretch = start, start + len(stripped)
        if is_italic and not line_italic:
            marks.append((*stretch, "italic"))
        if is_bold and not line_bold:
            marks.append((*stretch, "bold"))
        if not (small or raised):
            continue
        note_like = _NOTE_MARK.fullmatch(stripped) is not None
        # MuPDF calls raised what stands higher than the line's first letter. So a line that begins with a
        # raised number has none (the small number in front is the mark then), and one that begins below
        # the line (a dropped initial) has nothing else.
        if (raised and 2 * raised_letters < letters and (small or note_like)) or (
            index == 0 and small and note_like and not stripped.isalpha() and letters > len(stripped)
        ):
            marks.append((*stretch, "superscript"))
        elif index and small and not raised and stripped.isdigit() and styles[index - 1][0][-1:].isalpha():
            # In line with the letter before it but smaller, and not raised: H2O. Where the line begins
            # with a raised mark, MuPDF calls later ones level.
            level = not any(kind == "superscript" and first == 0 for first, _, kind in marks)
            marks.append((*stretch, "subscript" if level else "superscript"))
    return main, line_bold, line_italic, _joined(marks) if len(marks) > 1 else marks


def without_ocr_noise(fragment: Fragment) -> None:
    """Drop raised marks that OCR's uneven type sizes only seem to show: all but numbers and signs at a word."""
    fragment.marks = [
        (start, end, kind)
        for start, end, kind in fragment.marks
        if kind not in ("superscript", "subscript")
        or (
            not any(c.isalpha() for c in fragment.text[start:end])
            and (start == 0 or not fragment.text[start - 1].isspace())
        )
    ]


def _joined(marks: list[Mark]) -> list[Mark]:
    """Marks of one kind that touch (or have a blank between) as one."""
    joined: list[Mark] = []
    for start, end, kind in sorted(marks, key=lambda mark: (mark[2], mark[0])):
        if joined and joined[-1][2] == kind and kind != "superscript" and start - joined[-1][1] <= 1:
            joined[-1] = (joined[-1][0], end, kind)
        else:
            joined.append((start, end, kind))
    return sorted(joined)


def from_dict(page: Mapping[str, Any]) -> list[Fragment]:
    """Fragments from ``dict`` output: one a line, turned so that the page's main text is level."""
    return _turned([_from_spans(number, line, line["spans"]) for number, line in _lines(page)])


def split_at(page: Mapping[str, Any], gutters: list[float]) -> list[Fragment]:
    """As :func:`from_dict`, with lines cut where a gap between their spans lies on one of ``gutters``."""
    fragments = []
    for number, line in _lines(page):
        run: list[Mapping[str, Any]] = []
        for span in line["spans"]:
            if run and not span["text"].isspace():
                before = [s for s in run if not s["text"].isspace()]
                left = before[-1]["bbox"][2] if before else -math.inf
                right = span["bbox"][0]
                slack = 0.6 * span["size"]
                if any(left - slack <= g <= right + slack for g in gutters) and right - left > 0.2 * slack:
                    fragments.append(_from_spans(number, line, run))
                    run = []
            run.append(span)
        fragments.append(_from_spans(number, line, run))
    return _turned(fragments)


def from_rawdict(page: Mapping[str, Any]) -> list[Fragment]:
    """Fragments from ``rawdict`` output: letters printed twice once, letter-spaced words told apart."""
    fragments = []
    for number, line in _lines(page):
        kept: list[tuple[int, Mapping[str, Any]]] = []
        for index, span in enumerate(line["spans"]):
            for char in span["chars"]:
                if not any(_same_print(char, other) for _, other in kept[-6:]):
                    kept.append((index, char))
        texts = [""] * len(line["spans"])
        for (index, _), text in zip(kept, _word_gaps([char for _, char in kept]), strict=True):
            texts[index] += text
        spans = [{**span, "text": text} for span, text in zip(line["spans"], texts, strict=True)]
        fragments.append(_from_spans(number, line, spans))
    return _turned(fragments)


def _same_print(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether two letters are one printed again less than half its width away."""
    if a["c"] != b["c"]:
        return False
    (ax, ay), (bx, by) = a["origin"], b["origin"]
    width = max(a["bbox"][2] - a["bbox"][0], b["bbox"][2] - b["bbox"][0], 0.1)
    return math.hypot(ax - bx, ay - by) < 0.45 * width


def _lines(page: Mapping[str, Any]) -> Iterable[tuple[int, Mapping[str, Any]]]:
    """The text lines of a dict or rawdict with the number of their block."""
    for number, block in enumerate(page["blocks"]):
        for line in block.get("lines", ()):
            if line["spans"]:
                yield number, line


def _from_spans(
    number: int, line: Mapping[str, Any], spans: Sequence[Mapping[str, Any]]
) -> tuple[Fragment, Any]:
    """A fragment of ``spans`` and the direction of its line."""
    styles: list[Style] = [
        (
            span["text"],
            round(span["size"], 2),
            bool(span["flags"] & _RAISED),
            bool(span["flags"] & _BOLD),
            bool(span["flags"] & _ITALIC),
        )
        for span in spans
    ]
    text = "".join(style[0] for style in styles)
    size, bold, italic, marks = styled(styles, spans[0]["size"])
    # The base line is that of the main type, not of a raised number in front.
    base = next(
        (s["origin"][1] for s in spans if s["size"] == size and s["text"].strip()), spans[0]["origin"][1]
    )
    box = (
        min(s["bbox"][0] for s in spans),
        min(s["bbox"][1] for s in spans),
        max(s["bbox"][2] for s in spans),
        max(s["bbox"][3] for s in spans),
    )
    fragment = Fragment(text, box, base, size, number, bold, italic, marks)
    return fragment, (line["dir"], spans[0]["origin"])


def _word_gaps(chars: Sequence[Mapping[str, Any]]) -> list[str]:
    """The characters of a line, with the blank between letter-spaced words made wide (three blanks).

    In a letter-spaced line there is a gap after every letter, and MuPDF puts a blank into each, so that
    words can no longer be told apart. Where the gap is clearly wider than between the letters, a word ends.
    """
    out = [char["c"] for char in chars]
    text = "".join(c[:1] or " " for c in out)
    for run in _SPACED_RUN.finditer(text):
        places = [i for i in range(run.start(), run.end()) if not text[i].isspace()]
        gaps = [chars[j]["bbox"][0] - chars[i]["bbox"][2] for i, j in pairwise(places)]
        usual = sorted(gaps)[len(gaps) // 2]
        before = [i for i in range(run.start()) if not text[i].isspace()][-1:]
        after = [i for i in range(run.end(), len(text)) if not text[i].isspace()][:1]
        for i, j in pairwise([*before, *places, *after]):
            height = chars[i]["bbox"][3] - chars[i]["bbox"][1]
            if j - i > 1 and chars[j]["bbox"][0] - chars[i]["bbox"][2] > 1.5 * usual + 0.02 * height:
                out[i + 1 : j] = ["   ", *[""] * (j - i - 2)]
    return out


def _turned(pairs: list[tuple[Fragment, Any]]) -> list[Fragment]:
    """The fragments in coordinates in which the direction of most of the text is level."""
    pairs = [(f, d) for f, d in pairs if f.text and not f.text.isspace()]
    weight: dict[int, int] = {}
    angles = []
    for fragment, ((dx, dy), _) in pairs:
        angle = round(math.degrees(math.atan2(dy, dx))) % 360
        angles.append(angle)
        weight[round(angle / 15) % 24] = weight.get(round(angle / 15) % 24, 0) + len(fragment.text)
    if not weight:
        return []
    main = max(weight, key=lambda step: weight[step]) * 15
    cos, sin = round(math.cos(math.radians(main)), 9), round(math.sin(math.radians(main)), 9)
    for (fragment, (_, (x, y))), angle in zip(pairs, angles, strict=True):
        fragment.turned = min((angle - main) % 360, (main - angle) % 360) > 8
        if main:
            xs = [a * cos + b * sin for a in fragment.box[::2] for b in fragment.box[1::2]]
            ys = [b * cos - a * sin for a in fragment.box[::2] for b in fragment.box[1::2]]
            fragment.x0, fragment.x1, fragment.y0, fragment.y1 = min(xs), max(xs), min(ys), max(ys)
            fragment.base = y * cos - x * sin
    return [fragment for fragment, _ in pairs]
