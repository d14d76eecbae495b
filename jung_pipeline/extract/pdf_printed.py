"""Pieces of text from what MuPDF prints about a page: its lines as JSON and as HTML.

MuPDF writes both in C, together at about a fifth of the price of finding the text. JSON has box, base
line and the type of the first letter; HTML has every change of type and raised letters. Most lines of a
book have one type throughout, so the HTML is mostly only counted.
"""

from __future__ import annotations

import html
import json
import re
from functools import lru_cache
from typing import Any

import orjson

from jung_pipeline.extract.pdf_fragments import Fragment, Style, styled

_FONT_SIZE = re.compile(r"font-size:([\d.]+)pt")


@lru_cache(maxsize=4096)
def _points(style: str) -> float:
    """The type size that the style of a span states; 0.0 without one."""
    found = _FONT_SIZE.search(style)
    return float(found[1]) if found else 0.0


def _spans(row: str) -> list[Style]:
    """The spans of a line in HTML: ``<sup><b><i><span style="…">text</span></i></b></sup>``, each optional."""
    styles: list[Style] = []
    for part in row.split("</span>")[:-1]:
        head, _, text = part.rpartition(">")  # in the text it is written &gt;
        tags, _, style = head.rpartition("<span ")
        if "&" in text:
            text = html.unescape(text)
        styles.append((text, _points(style), "<sup>" in tags, "<b>" in tags, "<i>" in tags))
    return styles


def from_json_and_html(page_json: bytes, page_html: str | None, scale: float) -> list[Fragment] | None:
    """Fragments from MuPDF's JSON (written with ``scale``) and HTML of a page; ``None`` if they disagree."""
    blocks = _blocks(page_json)
    if blocks is None:
        return None
    fragments: list[Fragment] = []
    by_line: list[Fragment | None] = []  # every line of the page; None for a blank one
    filled = 0
    for number, block in enumerate(blocks):
        for line in block.get("lines", ()):
            text = line["text"]
            if not text or text.isspace():
                by_line.append(None)
                filled += bool(text)
                continue
            filled += 1
            box, font = line["bbox"], line["font"]
            x, width = box["x"], box["w"]
            if line["x"] > x + 0.6 * width and width > font["size"]:
                return None  # begins at its right end: upside down, or written from right to left
            x0, y0 = x / scale, box["y"] / scale
            fragment = Fragment(
                text,
                (x0, y0, x0 + width / scale, y0 + box["h"] / scale),
                line["y"] / scale,
                font["size"] / scale,
                number,
                font["weight"] == "bold",
                font["style"] == "italic",
            )
            fragments.append(fragment)
            by_line.append(fragment)
    if page_html is None:
        return fragments
    if page_html.count("<p ") != len(by_line):
        return None
    # A line that is not empty has a span at least; so with no more spans than that each has exactly one.
    if page_html.count("<span ") != filled and not _give_types(page_html, by_line):
        return None
    return fragments


def _blocks(page_json: bytes) -> list[dict[str, Any]] | None:
    """The blocks of a page; ``None`` if what MuPDF wrote cannot be read."""
    try:
        return orjson.loads(page_json)["blocks"]
    except orjson.JSONDecodeError:
        pass
    try:  # control characters and lone surrogates as fonts with broken maps give them
        return json.loads(page_json, strict=False)["blocks"]
    except ValueError:
        return None


def _give_types(page_html: str, by_line: list[Fragment | None]) -> bool:
    """Put the type of most characters, and marks where others differ, on lines of several spans.

    Returns whether HTML and JSON agree about these lines.
    """
    rows = [row for row in page_html.split("</p>\n") if "<p " in row]
    for row, fragment in zip(rows, by_line, strict=True):
        if fragment is None or row.count("<span ") < 2:
            continue
        styles = _spans(row)
        _, size, raised, bold, italic = styles[0]
        length = 0
        alike = not raised
        for text, points, sup, b, i in styles:
            length += len(text)
            if alike and (points != size or sup or b != bold or i != italic):
                alike = False
        if length != len(fragment.text) or not size:
            return False
        if alike:  # several fonts that look alike
            main, fragment.bold, fragment.italic = size, bold, italic
        else:
            main, fragment.bold, fragment.italic, fragment.marks = styled(styles, fragment.size)
        if abs(main - fragment.size) >= 0.06:  # HTML has one decimal only
            fragment.size = main
    return True


#: What a page with letter-spaced words, or with letters printed twice, has in its text; see below. All three
#: patterns begin with a blank so that a whole page is searched in microseconds. The first finds little
#: more than the other two together.
_ODD_LETTERS = re.compile(r" (\w)(?: +\w +\w(?!\w)|\1(\w)\2(\w)\3)")
#: Letters one by one with blanks between: letter-spacing, or the blanks MuPDF saw in it.
_SPACED_LETTERS = re.compile(r" \w +\w +\w(?!\w)")
#: A word with each letter twice: printed again with a small shift to look bold.
_DOUBLED_LETTERS = re.compile(r" ([^\W\d_])\1([^\W\d_])\2([^\W\d_])\3")


def needs_letters(fragments: list[Fragment]) -> bool:
    """Whether a page has letter-spaced words, or letters printed twice, which only ``rawdict`` can resolve."""
    text = " " + "\n ".join([f.text for f in fragments])
    if _ODD_LETTERS.search(text) is None:
        return False
    return _SPACED_LETTERS.search(text) is not None or _DOUBLED_LETTERS.search(text) is not None


def tall(fragments: list[Fragment]) -> list[Fragment]:
    """The fragments whose box is so tall for their type that they may not be level.

    They may be: some mathematical fonts claim boxes of several ems.
    """
    return [
        f
        for f in fragments
        if f.y1 - f.y0 > 1.9 * f.size
        and len(f.text) > 1
        and (len(f.text.strip()) > 2 or f.x1 - f.x0 < f.y1 - f.y0)
    ]
