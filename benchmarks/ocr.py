"""How well and how fast page images are read by OCR: words found and made up, seconds a page.

python benchmarks/ocr.py [--pages 8] [--dpi 300] [--lean 0] [--noise 0] [--json]

The pages are those of the demo's scan, photographed at 120 dpi and without its text layer, so what stands
on them is known. ``--lean`` turns them (degrees), ``--noise`` adds grain (standard deviation, of 255). Note
marks, which no reader of print gets right, count as words.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pymupdf

from jung_pipeline.demo.builder import NO_FAULTS, build_scan, load_book
from jung_pipeline.extract.bounded import extract_bounded
from jung_pipeline.extract.ocr_wanted import OcrOptions

#: Where the text of the book begins.
_FIRST = 5


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def _spoiled(image: bytes, lean: float, noise: float) -> bytes:
    """A page image turned and grained."""
    if not lean and not noise:
        return image
    flat = pymupdf.Pixmap(image)
    with pymupdf.open() as document:
        page = document.new_page(width=flat.width, height=flat.height)
        page.insert_image(page.rect, stream=image)
        turned = page.get_pixmap(matrix=pymupdf.Matrix(1, 1).prerotate(lean), colorspace=pymupdf.csGRAY)
    grey = np.frombuffer(turned.samples, np.uint8).reshape(turned.height, turned.stride)[:, : turned.width]
    grained = grey + np.random.default_rng(1).normal(0, noise, grey.shape)
    samples = np.clip(grained, 0, 255).astype(np.uint8).tobytes()
    return bytes(pymupdf.Pixmap(pymupdf.csGRAY, turned.width, turned.height, samples, False).tobytes("png"))


def bare_scan(folder: Path, pages: int, lean: float, noise: float) -> tuple[Path, str]:
    """Some pages of the demo's scan as images alone, and what is printed on them."""
    built = build_scan(folder / "scan.pdf", load_book("letters-from-the-night-school"), NO_FAULTS)
    path = folder / "bare.pdf"
    with pymupdf.open(built.path) as scan, pymupdf.open() as images:
        numbers = range(_FIRST, min(_FIRST + pages, len(scan)))
        truth = "\n".join(scan[index].get_text() for index in numbers)
        for index in numbers:
            image = scan.extract_image(scan[index].get_images()[0][0])["image"]
            sheet = images.new_page(width=scan[index].rect.width, height=scan[index].rect.height)
            sheet.insert_image(sheet.rect, stream=_spoiled(image, lean, noise), keep_proportion=True)
        images.save(path)
    return path, truth


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=8)
    parser.add_argument("--dpi", type=int, default=300)
    parser.add_argument("--lean", type=float, default=0.0)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--json", action="store_true", help="machine-readable")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, truth = bare_scan(Path(folder), options.pages, options.lean, options.noise)
        begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        document = extract_bounded(path, ocr=OcrOptions("force", "en", options.dpi))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = time.monotonic() - begin
    read, printed = _words("\n".join(document.lines["text"].to_pylist())), _words(truth)
    agree, pages = (read & printed).total(), len(document.info.pages)
    figures = {
        "pages": pages,
        "recall": round(agree / printed.total(), 4),
        "precision": round(agree / max(1, read.total()), 4),
        "quality": round(sum(page.quality or 0 for page in document.info.pages) / pages, 3),
        "seconds_a_page": round(seconds / pages, 2),
        "cpu_seconds_a_page": round(
            (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / pages, 2
        ),
        "extractor": document.info.extractor,
    }
    print(json.dumps(figures) if options.json else "  ".join(f"{k} {v}" for k, v in figures.items()))


if __name__ == "__main__":
    main()
