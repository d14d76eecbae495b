"""Tesseract: whether it is there, what it can read, and what it read.

The program is started for every page, rather than asked through MuPDF's bridge, because a process can be
bounded and stopped. On pages of the demo's scan both read the same words within half a per cent, and the
program took two thirds of the time.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import mean

from jung_pipeline.extract.pdf_fragments import Fragment

#: Tesseract's names of the languages that books in European libraries are in, by BCP 47 primary tag.
LANGUAGES = {
    "cs": "ces",
    "da": "dan",
    "de": "deu",
    "el": "ell",
    "en": "eng",
    "es": "spa",
    "fi": "fin",
    "fr": "fra",
    "hu": "hun",
    "it": "ita",
    "la": "lat",
    "nl": "nld",
    "pl": "pol",
    "pt": "por",
    "ru": "rus",
    "sv": "swe",
}
#: Models of German in Fraktur, under the names they have been given, the quicker first.
FRAKTUR = ("deu_latf", "frk", "Fraktur", "script/Fraktur")
#: A name of a language as Tesseract may be given it; anything else might be taken for an option or a path.
LANGUAGE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:/[A-Za-z][A-Za-z0-9_]*)?")

#: So long it may take to say its version.
_PATIENCE = 20
#: So long the list of its languages is trusted, seconds: a library is looked through in less.
_TRUSTED = 5.0
#: A line that Tesseract is less sure of (per cent, mean of its words) is a stain or a picture.
_LEAST_CONFIDENCE = 35.0
#: Wider than this a gap in a line parts a head from its page number, or two columns (ems).
_GAP = 2.5
#: Lines whose type differs by less from the page's are of the page's size: the rest is the line's letters.
_SAME_SIZE = 0.15
#: The size that printers call type by is so many times what Tesseract measures from descender to ascender.
_SIZE_OF_HEIGHT = 1.1

_LINE = re.compile(
    r"<span class='ocr_(?:line|header|caption|textfloat)'[^>]*?title=\"([^\"]*)\"[^>]*>(.*?)\n     </span>",
    re.S,
)
_PARAGRAPH = re.compile(r"<p class='ocr_par'.*?</p>", re.S)
_WORD = re.compile(r"<span class='ocrx_word'[^>]*?title='([^']*)'[^>]*>(.*?)</span>", re.S)
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Tesseract:
    """The program as it is installed."""

    program: str  # its path
    version: str  # "5.3.0"
    languages: frozenset[str]

    def missing(self, languages: str) -> list[str]:
        """Those of ``languages`` ("deu+lat") that are not installed."""
        return [name for name in languages.split("+") if name not in self.languages]


def find() -> Tesseract | None:
    """Tesseract, if it is on the PATH and says what it is."""
    program = shutil.which("tesseract")
    if program is None:
        return None
    try:
        changed = Path(program).stat().st_mtime_ns
    except OSError:
        return None
    try:
        version = _version(program, changed)
    except _NoAnswerError:
        return None
    try:
        languages = _languages(program, int(time.monotonic() / _TRUSTED))
    except _NoAnswerError:
        languages = frozenset()
    return Tesseract(program, version, languages)


class _NoAnswerError(Exception):
    """The program did not say what it was asked: raised, because a failure is not to be cached."""


@lru_cache(maxsize=4)
def _version(program: str, changed: int) -> str:
    """What the program, last changed at that time, calls its version."""
    found = re.match(r"tesseract v?(\S+)", _ask(program, "--version"))
    if found is None:
        raise _NoAnswerError
    return found[1]


@lru_cache(maxsize=4)
def _languages(program: str, moment: int) -> frozenset[str]:
    """The languages installed at a moment: they come and go without the program."""
    return frozenset(line.strip() for line in _ask(program, "--list-langs").splitlines()[1:] if line.strip())


def _ask(program: str, option: str) -> str:
    """What the program says to an option.

    Raises:
        _NoAnswerError: nothing, not in time, or that it failed.
    """
    try:
        done = subprocess.run(
            [program, option],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _NoAnswerError from error
    if done.returncode:
        raise _NoAnswerError
    return done.stdout.decode("utf-8", "replace")


def packages(languages: str) -> str:
    """The Debian packages that read ``languages`` ("deu+lat"), as apt takes them."""
    names = ["tesseract-ocr"]
    for language in languages.split("+"):
        if language.endswith("Fraktur"):
            names.append("tesseract-ocr-script-frak")
        elif language != "eng":
            names.append(f"tesseract-ocr-{language.replace('_', '-').replace('/', '-').lower()}")
    return " ".join(dict.fromkeys(names))


def recognise(program: str, image: bytes, languages: str, dpi: int, *, turned: bool, seconds: float) -> str:
    """What Tesseract reads in a picture (PNM), as hOCR.

    Args:
        program: path of the program.
        image: the picture.
        languages: "deu+lat".
        dpi: its resolution.
        turned: whether to find out first which way up the page is.
        seconds: give up after.

    Raises:
        subprocess.TimeoutExpired: it took longer.
        RuntimeError: it failed; the message says how.
    """
    done = subprocess.run(
        [
            *(
                program,
                "stdin",
                "stdout",
                "-l",
                languages,
                "--dpi",
                str(dpi),
                "--psm",
                "1" if turned else "3",
            ),
            # Only hOCR tells base lines and the size of type.
            *("-c", "tessedit_create_hocr=1"),
            # Black and white by what is around (Sauvola), not by one measure for the page (Otsu), for which
            # grey paper in a white margin, or in the shadow of the binding, is all ink.
            *("-c", "thresholding_method=2"),
        ],
        input=image,
        capture_output=True,
        timeout=seconds,
        # Several threads make one page hardly faster, and the whole slower.
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        check=False,
    )
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise RuntimeError(f"Tesseract failed ({said[-200:] or f'exit code {done.returncode}'})")
    return done.stdout.decode("utf-8", "replace")


# ---------------------------------------------------------------------------------------------------
# hOCR
# ---------------------------------------------------------------------------------------------------


def fragments(hocr: str, scale: float, to_page: Sequence[float]) -> list[Fragment]:
    """The lines that Tesseract read, parted at wide gaps.

    Args:
        hocr: its output.
        scale: points to a pixel.
        to_page: matrix from pixels to points of the page, from which the picture may be turned.
    """
    found: list[Fragment] = []
    for block, paragraph in enumerate(_PARAGRAPH.findall(hocr)):
        for title, inside in _LINE.findall(paragraph):
            found.extend(_line_fragments(title, inside, block, scale))
    _even_sizes(found)
    for f in found:
        f.box = _on_page(f.box, scale, to_page)
    return found


def _on_page(
    box: tuple[float, float, float, float], scale: float, to_page: Sequence[float]
) -> tuple[float, float, float, float]:
    """Where a box of the picture, in points, lies on the page."""
    a, b, c, d, e, f = to_page
    corners = [(x / scale, y / scale) for x in box[::2] for y in box[1::2]]
    xs, ys = ([u * x + v * y + w for x, y in corners] for u, v, w in ((a, c, e), (b, d, f)))
    return min(xs), min(ys), max(xs), max(ys)


def _line_fragments(title: str, inside: str, block: int, scale: float) -> list[Fragment]:
    """The fragments of one line; none if it is no text."""
    x0, _, _, y1 = _numbers(title, "bbox", 4)
    slope, offset = _numbers(title, "baseline", 2) if "baseline" in title else (0.0, 0.0)
    height = _numbers(title, "x_size", 1)[0] if "x_size" in title else 0.0
    words: list[tuple[str, list[float]]] = []
    confidences = []
    for about, content in _WORD.findall(inside):
        text = html.unescape(_TAG.sub("", content)).strip()
        if text:
            words.append((text, _numbers(about, "bbox", 4)))
            confidences.append(_numbers(about, "x_wconf", 1)[0])
    if (
        not words
        or mean(confidences) < _LEAST_CONFIDENCE
        or not any(c.isalnum() for w, _ in words for c in w)
    ):
        return []
    height = height or max(box[3] - box[1] for _, box in words)
    lines: list[list[tuple[str, list[float]]]] = [[words[0]]]
    for word in words[1:]:
        if word[1][0] - lines[-1][-1][1][2] > _GAP * height:
            lines.append([])
        lines[-1].append(word)
    found = []
    for line in lines:
        left, right = line[0][1][0], max(box[2] for _, box in line)
        top, bottom = min(box[1] for _, box in line), max(box[3] for _, box in line)
        # At the middle of the piece: a line that slopes is level there on average.
        base = y1 + offset + slope * ((left + right) / 2 - x0)
        box = (left * scale, top * scale, right * scale, bottom * scale)
        text = " ".join(word for word, _ in line)
        found.append(Fragment(text, box, base * scale, height * scale * _SIZE_OF_HEIGHT, block))
    return found


def _numbers(title: str, name: str, count: int) -> list[float]:
    """The numbers behind a name in an hOCR title; noughts if they are not there."""
    found = re.search(rf"\b{name}((?: -?[\d.]+){{{count}}})", title)
    return [float(part) for part in found[1].split()] if found else [0.0] * count


def _even_sizes(found: list[Fragment]) -> None:
    """Give lines whose type is about the page's, or else their paragraph's, that size.

    Tesseract measures the letters that a line happens to have, which blurs one size into several.
    """
    if not found:
        return
    usual = _middle(found)
    paragraphs: dict[int, list[Fragment]] = {}
    for f in found:
        if abs(f.size - usual) <= _SAME_SIZE * usual:
            f.size = usual
        else:
            paragraphs.setdefault(f.block, []).append(f)
    for lines in paragraphs.values():
        own = _middle(lines)
        for f in lines:
            f.size = own if abs(f.size - own) <= _SAME_SIZE * own else f.size
    for f in found:
        f.size = round(f.size, 1)


def _middle(lines: list[Fragment]) -> float:
    """The size of type of the middle one of all characters."""
    left = sum(len(f.text) for f in lines) / 2
    for f in sorted(lines, key=lambda f: f.size):
        left -= len(f.text)
        if left <= 0:
            return f.size
    return lines[0].size
