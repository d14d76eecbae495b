"""Small PDFs written by hand, so that a test decides where every letter stands."""

from __future__ import annotations

import zlib
from pathlib import Path

FONTS = {
    "Sans": "Helvetica",
    "Serif": "Times-Roman",
    "Bold": "Times-Bold",
    "Italic": "Times-Italic",
    "Mono": "Courier-Bold",
}


def show(x, y, text, size=11.0, font="Sans", *, mode=0, tracking=0.0, turn=(1, 0, 0, 1)) -> bytes:
    """A string at (x, y), y counted up from the foot of the page."""
    escaped = text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    matrix = " ".join(f"{n:g}" for n in (*turn, x, y))
    return f"BT /{font} {size:g} Tf {mode} Tr {tracking:g} Tc {matrix} Tm (".encode() + escaped + b") Tj ET\n"


def lines(x, y, texts, size=11.0, leading=15.0, **style) -> bytes:
    return b"".join(show(x, y - i * leading, text, size, **style) for i, text in enumerate(texts))


def write_pdf(
    path: Path,
    contents: list[bytes],
    *,
    size=(432, 648),
    rotate=0,
    scans: tuple[int, ...] = (),
    catalog="",
    extra_font: str | None = None,
    info="",
) -> Path:
    """A PDF with a page for each content stream; pages whose index is in ``scans`` lie on a grey image."""
    objects: list[bytes] = [b"", b""]

    def add(body: bytes | str) -> int:
        objects.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(objects)

    def stream(data: bytes, entries="") -> int:
        return add(f"<< /Length {len(data)} {entries} >>\nstream\n".encode() + data + b"\nendstream")

    fonts = " ".join(
        f"/{name} {add(f'<< /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding /WinAnsiEncoding >>')} 0 R"
        for name, base in FONTS.items()
    )
    if extra_font:
        fonts += f" /Extra {add(extra_font)} 0 R"
    image = stream(
        zlib.compress(bytes(range(64)) * 4),
        "/Type /XObject /Subtype /Image /Width 16 /Height 16 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode",
    )
    kids = []
    for index, content in enumerate(contents):
        objects_used = ""
        if index in scans:
            content = f"q {size[0]} 0 0 {size[1]} 0 0 cm /Scan Do Q\n".encode() + content
            objects_used = f"/XObject << /Scan {image} 0 R >>"
        body = stream(content)
        kids.append(
            add(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size[0]} {size[1]}] /Rotate {rotate} "
                f"/Contents {body} 0 R /Resources << /Font << {fonts} >> {objects_used} >> >>"
            )
        )
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode()
    objects[1] = (
        f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{k} 0 R' for k in kids)}] >>".encode()
    )
    about = add(f"<< {info} >>") if info else None
    out = b"%PDF-1.5\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    trailer = f"/Size {len(objects) + 1} /Root 1 0 R" + (f" /Info {about} 0 R" if about else "")
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< {trailer} >>\nstartxref\n{len(out)}\n%%EOF\n".encode()
    path.write_bytes(out)
    return path
