"""Text without what commands a terminal: for names and titles that files bring along, and for all that is shown.

A title may hold anything, also the sequences by which a program moves the cursor, changes colours, sets the
window's title or writes to the clipboard (ECMA-48 control functions and their one-byte forms). None of it is
text, and none may reach a terminal.
"""

from __future__ import annotations

import regex

# Whole control sequences first, so that of "\x1b[31m" nothing is left over; a string (OSC, DCS, APC, PM, SOS) is
# taken out only where its end is found, for what has none might be the rest of the text.
_SEQUENCES = regex.compile(
    r"""
      (?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]                                            # CSI … final byte
    | (?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)    # OSC, DCS, … up to BEL or ST
    | \x1b[ -/]*[0-~]                                                             # the other escapes
    """,
    regex.VERBOSE,
)
# Control characters but tab and line feed, and the marks that turn the direction of writing round.
_CONTROLS = regex.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Bytes of file names that are not UTF-8, as Python keeps them; other surrogates stand for nothing.
_BYTES = regex.compile(r"[\udc80-\udcff]")
_SURROGATES = regex.compile(r"[\ud800-\udfff]")


def printable(text: str) -> str:
    r"""``text`` that can be shown on a terminal and written as UTF-8: no control but tab and line feed.

    A byte of a file name that is not UTF-8 is shown as ``\xe4``.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _CONTROLS.sub("", _SEQUENCES.sub("", text))
    text = _BYTES.sub(lambda match: f"\\x{ord(match[0]) - 0xDC00:02x}", text)
    return _SURROGATES.sub("\ufffd", text)


def one_line(text: str) -> str:
    """:func:`printable` text with every stretch of white space as one blank: a title, a name."""
    return " ".join(printable(text).split())
