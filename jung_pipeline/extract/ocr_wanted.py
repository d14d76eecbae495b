"""Which pages of a PDF want OCR, in which languages, and what about OCR decides how a volume comes out.

What the file itself has is judged first (:mod:`jung_pipeline.extract.page_quality`). Which pages want OCR
follows from that alone, so it is known whether Tesseract is installed or not, and a volume is due again when
that changes something for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jung_pipeline.extract import ocr_tesseract
from jung_pipeline.extract.document import DocumentInfo

Mode = Literal["auto", "off", "force"]

#: A scanned page of a lower score is read again. Of the pages of transcribed scans 1 to 2 % of those with less
#: than 5 % of their words misread lie below, and of those with more than 15 % a third of the English and
#: four fifths of the German (benchmarks/page_quality.py).
LEAST_QUALITY = 0.8
#: A page of which images cover so much is a scan, whatever its text layer.
_SCAN_SHARE = 0.5
#: A scanned page with a smaller share of the usual number of characters may have been read in part.
_SPARSE, _USUAL_CHARACTERS = 0.2, 600
#: Languages that a volume of an unknown one is tried in.
_USUAL_LANGUAGES = ("eng", "deu", *ocr_tesseract.FRAKTUR, "fra", "lat", "ita", "spa")


@dataclass(frozen=True)
class OcrOptions:
    """How a volume's pages are read by OCR; ``hints.ocr`` in the catalogue overrides ``mode``."""

    mode: Mode = "auto"
    language: str | None = None  # of the volume, BCP 47 primary tag
    dpi: int = 300
    seconds: float = 60.0  # for a page
    memory_mb: int = 1000  # for a page

    def mode_for(self, hints: Mapping[str, Any]) -> Mode:
        """The mode for a volume with these hints; a hint that is none is passed over."""
        stated = hints.get("ocr")
        return stated if stated in ("auto", "off", "force") else self.mode


def wanted_pages(info: DocumentInfo, mode: Mode) -> list[int]:
    """The pages that want OCR by what the file itself has; those for ``off`` are those for ``auto``."""
    if info.format != "pdf":
        return []
    scans = sorted(p.characters for p in info.pages if (p.image_share or 0) >= _SCAN_SHARE)
    usual = scans[len(scans) // 2] if scans else 0
    sparse = _SPARSE * usual if usual >= _USUAL_CHARACTERS else 0
    left_out = {w.page for w in info.warnings if w.code == "unreadable_lines"}
    return [
        page.page
        for page in info.pages
        if not page.usable
        or page.page in left_out
        or (mode == "force" and page.image_share)
        or (
            (page.image_share or 0) >= _SCAN_SHARE
            and (page.characters < sparse or (page.quality is not None and page.quality < LEAST_QUALITY))
        )
    ]


def candidates(language: str | None, hints: Mapping[str, Any]) -> list[str]:
    """What the volume may be read in, in Tesseract's names ("deu+lat"), installed or not, the likeliest first."""
    language = language.split("-")[0].lower() if language else None
    stated = hints.get("ocr_languages")
    if stated:
        parts = stated.replace(",", "+").split("+") if isinstance(stated, str) else map(str, stated)
        names = [ocr_tesseract.LANGUAGES.get(part.strip(), part.strip()) for part in parts]
        return ["+".join(name for name in names if ocr_tesseract.LANGUAGE_NAME.fullmatch(name)) or "eng"]
    if hints.get("fraktur") is True:
        return list(ocr_tesseract.FRAKTUR)
    if language is None:
        return [x for x in _USUAL_LANGUAGES if hints.get("fraktur") is None or x not in ocr_tesseract.FRAKTUR]
    if language == "de" and hints.get("fraktur") is None:
        return ["deu", *ocr_tesseract.FRAKTUR]
    name = ocr_tesseract.LANGUAGES.get(language, language)
    return [name if ocr_tesseract.LANGUAGE_NAME.fullmatch(name) else "eng"]


def installed(names: Sequence[str], engine: ocr_tesseract.Tesseract) -> list[str]:
    """Those of the candidates that can be used; of the models of Fraktur the first."""
    found = [name for name in names if not engine.missing(name)]
    fraktur = [name for name in found if name in ocr_tesseract.FRAKTUR]
    return [name for name in found if name not in fraktur[1:]]


def missing_remedy(names: Sequence[str]) -> str:
    """What to install to have a volume with these candidates read, in words."""
    wanted = [name for name in names if name not in ocr_tesseract.FRAKTUR][:2] or [ocr_tesseract.FRAKTUR[1]]
    return f"Install Tesseract (Debian: apt install {ocr_tesseract.packages('+'.join(wanted))}) and run `jung ingest`."


def decisive(options: OcrOptions, hints: Mapping[str, Any], facts: Mapping[str, Any] | None) -> Any:
    """What about OCR decides how a volume's raw text comes out now; ``None`` if nothing does.

    A text that was read by OCR stays as good as it was while Tesseract is gone or lacks the languages it was
    read in: reading the file anew would only lose it. What decided then (``facts["decided"]``) then decides still.

    Args:
        options: how its pages would be read.
        hints: the catalogue's hints for it.
        facts: ``DocumentInfo.ocr`` of its table; ``None`` where there is none, so that anything may matter.
    """
    mode = options.mode_for(hints)
    if facts is not None and not facts.get("wanted", {}).get("force" if mode == "force" else "auto"):
        return None
    if mode == "off":
        return "off"
    engine = ocr_tesseract.find()
    names = (facts or {}).get("candidates") or candidates(options.language, hints)
    usable = installed(names, engine) if engine else []
    if facts and facts.get("read") and facts.get("decided") and facts.get("languages") not in usable:
        return facts["decided"]
    return {
        "mode": mode,
        "language": options.language,
        "engine": engine.version if engine else None,
        "languages": usable,
        "dpi": options.dpi,
        # Other limits matter to a page that did not keep within these.
        "limits": [options.seconds, options.memory_mb] if facts is None or facts.get("failed") else None,
    }


def no_text_remedy(info: DocumentInfo) -> str:
    """What the owner can do about a file of which no page has usable text, in words."""
    for warning in info.warnings:
        if warning.code in ("ocr_missing", "ocr_off"):
            return warning.message[warning.message.index(". ") + 2 :]
    if info.format != "pdf":
        return "Get the book in another edition or format."
    return "Tesseract could not read its pages either: get a better scan, or add the text with --replace."
