"""The fonts that PyMuPDF brings along: widths of letters, and the letters as a PDF wants them."""

from __future__ import annotations

from functools import cache

import pymupdf

#: Our names for the faces, and PyMuPDF's. The first three are among the fourteen every PDF reader has.
_FACES = {"roman": "tiro", "italic": "tiit", "bold": "tibo"}
_PAINT = {"visible": 0, "invisible": 3}


@cache
def font(name: str) -> pymupdf.Font:
    """The font of that name: roman, italic, bold, or greek (Noto Serif, which has accents and breathings)."""
    return pymupdf.Font(language="el") if name == "greek" else pymupdf.Font(_FACES[name])


@cache
def advance(name: str, character: str) -> float:
    """Width of ``character`` in the font ``name`` at a size of one point.

    Raises:
        ValueError: the font does not have it.
    """
    if not font(name).has_glyph(ord(character)):
        raise ValueError(f"No font here has {character!r} (U+{ord(character):04X}).")
    return font(name).glyph_advance(ord(character))


def add_fonts(page: pymupdf.Page, names: set[str]) -> None:
    """Make the fonts ``names`` known to ``page`` under their own names."""
    for name in sorted(names):
        if name == "greek":
            page.insert_font(fontname=name, fontbuffer=font(name).buffer)
        else:
            page.insert_font(fontname=_FACES[name])


def text_operators(
    x: float,
    y: float,
    text: str,
    name: str,
    size: float,
    *,
    word_space: float = 0.0,
    tracking: float = 0.0,
    stretch: float = 1.0,
    invisible: bool = False,
) -> bytes:
    """PDF operators that show ``text`` with its baseline at ``(x, y)``, counted from the bottom left."""
    if name == "greek":
        shown = "<" + "".join(f"{font(name).has_glyph(ord(c)):04x}" for c in text) + ">"
        literal = shown.encode()
    else:
        escaped = text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        literal = b"(" + escaped + b")"
    state = (
        f"BT /{_FACES.get(name, name)} {size:.2f} Tf {_PAINT['invisible' if invisible else 'visible']} Tr "
        f"{tracking:.3f} Tc {word_space:.3f} Tw {stretch * 100:.2f} Tz 1 0 0 1 {x:.2f} {y:.2f} Tm "
    )
    return state.encode() + literal + b" Tj ET\n"


def set_content(document: pymupdf.Document, page: pymupdf.Page, content: bytes) -> None:
    """Make ``content`` the page's only content stream."""
    xref = document.get_new_xref()
    document.update_object(xref, "<<>>")
    document.update_stream(xref, content)
    page.set_contents(xref)
