"""The process that reads pages by OCR for :mod:`jung_pipeline.extract.ocr_pool`, one after the other.

The file is named in a line of JSON on standard input, the pages in lines after it; what was read goes out as a
line for each on what was standard output. When the input ends, so does the process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from jung_pipeline.extract import ocr_tesseract
from jung_pipeline.extract.bounded_child import limit_process
from jung_pipeline.extract.render_pymupdf import Picture, Renderer


def _read(
    renderer: Renderer, begun: dict[str, Any], asked: dict[str, Any], drawn: dict[int, Picture]
) -> dict[str, Any]:
    """The answer to a request for a page."""
    number = asked["page"]
    if number not in drawn:
        drawn.clear()
        drawn[number] = renderer.draw(number)
    picture = drawn[number]
    hocr = ocr_tesseract.recognise(
        begun["program"],
        picture.pnm,
        asked["languages"],
        picture.dpi,
        turned=asked["turned"],
        seconds=begun["seconds"],
    )
    return {"hocr": hocr, "scale": picture.scale, "to_page": picture.to_page}


def main() -> None:
    """Read the pages asked for."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints
    begun = json.loads(sys.stdin.readline())
    limit_process(begun["memory_mb"], begun["seconds"] * begun["pages"])
    renderer = Renderer(Path(begun["path"]), begun["hints"], begun["dpi"])
    drawn: dict[int, Picture] = {}
    for line in sys.stdin:
        try:
            answer = _read(renderer, begun, json.loads(line), drawn)
        except subprocess.TimeoutExpired:
            answer = {"failure": "too_slow"}
        except Exception as error:
            answer = {"failure": " ".join(str(error).split())[:200] or type(error).__name__}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
