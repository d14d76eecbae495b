"""Bytes to text: the byte order mark first, then what the owner or the file says, then detection.

A declaration is believed only as far as the bytes allow. Text that is valid UTF-8 and uses it is UTF-8,
whatever the label says: eight-bit prose almost never forms valid multi-byte sequences. ``ISO-8859-1`` is
read as windows-1252, as every browser does (https://encoding.spec.whatwg.org/#names-and-labels), because
files so labelled hold typographic quotes in 0x80 to 0x9F.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import regex

from jung_pipeline.errors import SourceError

#: How much of a file detection looks at, bytes of lines that hold bytes above 0x7F.
_SAMPLE = 1 << 16

#: (mark, codec), the longer marks first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

#: Tried in this order where nothing is declared; a tie goes to the first.
_EIGHT_BIT = ("cp1252", "cp850", "cp437", "mac_roman")

#: Share of undecodable bytes up to which a file still counts as damaged UTF-8 rather than eight-bit text.
_MAX_DAMAGE = 0.002

_XML_DECLARATION = regex.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']""")
_META_CHARSET = regex.compile(
    rb"""<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)""", flags=regex.IGNORECASE
)
_HEADER_LINE = regex.compile(
    rb"^\s*Character set encoding:\s*([\w .:/-]+?)\s*\r?$", flags=regex.IGNORECASE | regex.MULTILINE
)

#: What eight-bit prose in the languages of these books is full of, beside ASCII.
_EXPECTED = frozenset("äöüßÄÖÜéèêëàâáíóúñçîïôùûœæåøÉÈÀÇ“”‘’„‚–—…«»§°£½¼¾·\xa0")


@dataclass(frozen=True)
class Decoded:
    """The text of a file and how it was read."""

    text: str
    encoding: str
    guessed: bool = False  # nothing said so; detection chose it
    repaired: bool = False  # some bytes did not fit and were read as windows-1252


def declared_in_markup(data: bytes) -> str | None:
    """The charset that an XML declaration or a ``<meta>`` tag in the first 4 KiB names."""
    head = data[:4096]
    found = _XML_DECLARATION.search(head.removeprefix(codecs.BOM_UTF8)) or _META_CHARSET.search(head)
    return found.group(1).decode("ascii", "replace") if found else None


def declared_in_header(data: bytes) -> str | None:
    """The charset that a Project Gutenberg header names ("Character set encoding: ISO-8859-1")."""
    found = _HEADER_LINE.search(data[:8192])
    return found.group(1).decode("ascii", "replace").strip() if found else None


def decode(
    data: bytes, file: str, *, declared: Iterable[str | None] = (), hint: str | None = None
) -> Decoded:
    """The text of ``data``.

    Args:
        data: the whole file.
        file: its name, for messages.
        declared: charsets that the file names, the most binding first; ``None`` and unknown ones are
            passed over.
        hint: the owner's word (``encoding`` among the catalogue's hints); it overrides all but a mark.

    Raises:
        SourceError: the hint names a charset that does not exist or does not fit.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark) and (len(mark) < 4 or len(data) % 4 == 0):
            return _decode_with(data[len(mark) :], codec, guessed=False)
    if hint:
        name = _codec(hint)
        if name is None:
            raise SourceError(
                "damaged",
                file,
                f"the catalogue gives encoding {hint!r}, which is unknown.",
                remedy="Correct the hint, for example to utf-8 or cp1252.",
            )
        return _decode_with(data, _with_order(name, data), guessed=False)
    if data.isascii() and b"\0" not in data[:4096]:
        return Decoded(data.decode("ascii"), "ascii")
    wide = _wide_without_mark(data)
    if wide:
        return _decode_with(data, wide, guessed=True)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    names = [name for label in declared if label and (name := _codec(label))]
    if _damage(data) <= _MAX_DAMAGE and (not names or "utf-8" in names):
        return _decode_with(data, "utf-8", guessed=False)
    for name in names:
        if name not in ("utf-8", "ascii"):
            return _decode_with(data, name, guessed=False)
    return _decode_with(data, _detect(data), guessed=True)


def beginning_of(start: bytes, hint: str | None = None) -> str:
    """The first bytes of a file as text, for a look at what it is: by mark, hint, or the zeros of wide letters.

    Where none of these says how, every byte is one character (Latin-1).
    """
    for mark, codec in _MARKS:
        if start.startswith(mark):
            return start[len(mark) :].decode(codec, "ignore")
    name = _codec(hint) if hint else None
    if name is not None:
        return start.decode(_with_order(name, start), "ignore")
    return start.decode(_wide_without_mark(start) or "latin-1", "ignore")


def hint_of(hints: Mapping[str, Any]) -> str | None:
    """The ``encoding`` among a volume's hints."""
    value = hints.get("encoding")
    return str(value) if value else None


def _codec(label: str) -> str | None:
    """The name of Python's codec for a charset label; ``None`` if there is none for text."""
    try:
        info = codecs.lookup(label.strip().replace(" ", "-"))
    except LookupError:
        return None
    if not getattr(info, "_is_text_encoding", True):
        return None
    return {"iso8859-1": "cp1252", "ascii": "ascii"}.get(info.name, info.name)


def _decode_with(data: bytes, codec: str, *, guessed: bool) -> Decoded:
    """Decode; bytes that do not fit are read as windows-1252, or as Latin-1 where that has no letter."""
    try:
        return Decoded(data.decode(codec), codec, guessed=guessed)
    except UnicodeDecodeError:
        pass

    def misfit(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        bad = error.object[error.start : error.end]
        return "".join(_one_byte(byte) for byte in bad), error.end

    codecs.register_error("jung_misfit", misfit)
    wide = codec.startswith(("utf-16", "utf-32"))
    text = data.decode(codec, "replace" if wide else "jung_misfit")
    return Decoded(text, codec, guessed=guessed, repaired=True)


def _one_byte(byte: int) -> str:
    """A byte as windows-1252; the five bytes that it leaves undefined as Latin-1."""
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


def _damage(data: bytes) -> float:
    """Share of the bytes above 0x7F that do not decode as UTF-8, weighed against the whole file."""
    high = len(data.translate(None, bytes(range(128))))
    bad = data.decode("utf-8", "replace").count("�")
    # Eight-bit text has nearly all its high bytes wrong; damaged UTF-8 only a few of them.
    return bad / max(len(data), 1) if bad * 4 < high else 1.0


def _with_order(codec: str, data: bytes) -> str:
    """The codec with the order of bytes that the data show, where its name leaves that open."""
    if codec in ("utf-16", "utf-32"):
        seen = _wide_without_mark(data)
        return seen if seen and seen.startswith(codec) else f"{codec}-le"
    return codec


def _wide_without_mark(data: bytes) -> str | None:
    """UTF-16 and UTF-32 without a byte order mark show in zero bytes on one side of every letter."""
    head = data[:4096]
    if len(head) < 8 or head.count(0) < len(head) * 0.3:
        return None
    first, second, third, last = (head[at::4].count(0) for at in range(4))
    quarter = len(head) // 4
    if min(third, last) >= 0.99 * quarter and second > 8 * max(first, 1):
        return "utf-32-le"
    if min(first, second) >= 0.99 * quarter and third > 8 * max(last, 1):
        return "utf-32-be"
    even, odd = first + third, second + last
    if odd > 8 * max(even, 1):
        return "utf-16-le"
    return "utf-16-be" if even > 8 * max(odd, 1) else None


def _detect(data: bytes) -> str:
    """The likeliest eight-bit charset: plausible letters first, charset-normalizer where that is unsure."""
    lines = [line for line in data.splitlines() if not line.isascii()]
    sample = b"\n".join(lines)[:_SAMPLE]
    scores = {codec: _plausibility(sample, codec) for codec in _EIGHT_BIT}
    best = max(_EIGHT_BIT, key=lambda codec: scores[codec])
    if scores[best] >= 0.5:
        return best
    from charset_normalizer import from_bytes

    match = from_bytes(sample).best()
    return match.encoding if match is not None else "cp1252"


def _plausibility(sample: bytes, codec: str) -> float:
    """Mean over the non-ASCII characters: 1 for one that such prose is full of, -1 for one it never has."""
    text = "".join(_one_byte(b) for b in sample) if codec == "cp1252" else sample.decode(codec, "replace")
    odd = [char for char in text if char > "\x7f"]
    if not odd:
        return 0.0
    good = sum(char in _EXPECTED for char in odd)
    # A small letter followed by a capital inside a word gives a wrong charset away.
    broken = len(regex.findall(r"\p{Ll}[ÀÈÉÖÄÜÇ]\p{Ll}", text))
    return (good - (len(odd) - good) - 2 * broken) / len(odd)
