"""Small EPUBs for tests, well-made or broken in one chosen way."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_CONTAINER = (
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="{path}" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def page(body: str, *, head: str = "<title>t</title>", doctype: str = "") -> str:
    """An XHTML document."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>{doctype}<html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head>{head}</head><body>{body}</body></html>'
    )


def make_epub(
    path: Path,
    documents: Mapping[str, str | bytes],
    *,
    spine: Sequence[str] | None = None,
    items: str = "",
    metadata: str = "<dc:title>A Book</dc:title><dc:language>en</dc:language>",
    guide: str = "",
    toc: str = "",
    container: str | None = _CONTAINER,
    extra: Mapping[str, str | bytes] = {},
) -> Path:
    """Write an EPUB; documents are ``href → content``, ids are d0, d1, …; ``extra`` are whole zip paths."""
    manifest = "".join(
        f'<item id="d{n}" href="{href}" media-type="application/xhtml+xml"/>'
        for n, href in enumerate(documents)
    )
    order = spine if spine is not None else [f"d{n}" for n in range(len(documents))]
    refs = "".join(ref if ref.startswith("<") else f'<itemref idref="{ref}"/>' for ref in order)
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
        f"{metadata}</metadata><manifest>{manifest}{items}</manifest><spine {toc}>{refs}</spine>{guide}"
        "</package>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        if container is not None:
            archive.writestr("META-INF/container.xml", container.format(path="OEBPS/p.opf"))
        archive.writestr("OEBPS/p.opf", package)
        for href, content in documents.items():
            archive.writestr(f"OEBPS/{href}", content)
        for name, content in extra.items():
            archive.writestr(name, content)
    return path


def damaged_entry(path: Path, name: str) -> None:
    """Spoil the compressed bytes of one entry."""
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        info = archive.getinfo(name)
    start = info.header_offset + 30 + len(info.filename)
    for at in range(start + 4, start + info.compress_size):
        data[at] ^= 0x5A
    path.write_bytes(bytes(data))
