"""Reading the pages of a PDF again by OCR, where their own text is missing or bad, and keeping the better reading.

Which pages those are is told by :mod:`jung_pipeline.extract.ocr_wanted`.

Nothing is lost by a replaced text layer: it is still in the file, whose digest the table names, and
``hints.ocr = "off"`` (or the setting) brings it back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from jung_pipeline import progress
from jung_pipeline.extract import ocr_tesseract, pdf_layout, raw_lines
from jung_pipeline.extract.document import DocumentInfo, ExtractedDocument, ExtractionWarning, PageInfo
from jung_pipeline.extract.ocr_pool import Job, Request, read_pages
from jung_pipeline.extract.ocr_wanted import (
    Mode,
    OcrOptions,
    candidates,
    decisive,
    installed,
    missing_remedy,
    wanted_pages,
)
from jung_pipeline.extract.page_quality import PageQuality, judge
from jung_pipeline.extract.pdf_fragments import Fragment
from jung_pipeline.text.languages import spread
from jung_pipeline.text.words import LANGUAGES

#: OCR's reading is better if its score is so much higher and it has nearly as many readable words; or
#: if it has many more of them and is hardly worse.
_BETTER, _NEARLY_ALL = 0.02, 0.9
_MANY_MORE, _HARDLY_WORSE = 1.3, 0.05
#: What scores lower is a picture taken for text, or text that cannot be read.
_LEAST_READABLE = 0.4
#: A page that scores lower may lie on its side.
_PERHAPS_TURNED = 0.5
#: So many pages decide in which of several languages or kinds of type a volume is read.
_TRIAL_PAGES = 3


@dataclass(frozen=True)
class _Reading:
    """A page as OCR read it."""

    lines: list[Fragment]
    text: str
    quality: PageQuality


# ---------------------------------------------------------------------------------------------------
# reading again
# ---------------------------------------------------------------------------------------------------


def read_again(
    document: ExtractedDocument, path: Path, hints: Mapping[str, Any], options: OcrOptions
) -> ExtractedDocument:
    """The document with the pages that want OCR read by it, where that is better than what the file has.

    Lines read by OCR have ``origin`` "ocr" and boxes in points of the page; page labels stay. What was done,
    what could not be done and why is in the warnings; the scores of both readings are in the pages' facts.
    """
    info = document.info
    if info.format != "pdf":
        return document
    mode = options.mode_for(hints)
    language = options.language or info.metadata.get("language")
    names = candidates(language, hints)
    facts: dict[str, Any] = {
        "wanted": {name: len(wanted_pages(info, name)) for name in ("auto", "force")},  # type: ignore[arg-type]
        "candidates": names,
    }
    pages = wanted_pages(info, mode)
    if not pages:
        return _with(document, facts)
    engine = None if mode == "off" else ocr_tesseract.find()
    usable = installed(names, engine) if engine else []
    if engine is None or not usable:
        return _with(document, facts, [_not_read(pages, mode, engine, names)])
    job = Job(path, hints, engine.program, options.dpi, options.seconds, options.memory_mb)
    reader = _Reader(job, pages, language)
    readings, languages = reader.read(usable)
    result = _choose(document, pages, readings, reader.failures, _tongues(language))
    read = [page.page for page in result.info.pages if page.ocr]
    name = f"tesseract {engine.version} ({languages})"
    warnings = [*_account(result.info, name), *reader.warnings()]
    facts |= {"languages": languages, "read": len(read), "failed": len(reader.failures)}
    if read:
        facts["decided"] = decisive(options, hints, facts)
        result = replace(result, info=replace(result.info, extractor=f"{info.extractor}, {name}"))
    return _with(result, facts, warnings)


def _with(
    document: ExtractedDocument, facts: Mapping[str, Any], warnings: Iterable[ExtractionWarning] = ()
) -> ExtractedDocument:
    """The document with facts and warnings about OCR."""
    info = replace(document.info, ocr=facts, warnings=[*document.info.warnings, *warnings])
    return replace(document, info=info)


def _tongues(language: str | None) -> list[str]:
    """Codes of the word lists, the volume's own first."""
    return sorted(LANGUAGES, key=lambda code: code != language)


def _not_read(
    pages: Sequence[int], mode: Mode, engine: ocr_tesseract.Tesseract | None, names: Sequence[str]
) -> ExtractionWarning:
    """The warning that pages want OCR and did not have it."""
    what = f"{_count(pages)} without usable text or with bad text could be read by OCR"
    if mode == "off":
        return ExtractionWarning("ocr_off", f'{what}, which is off. Set ocr = "auto".')
    why = "Tesseract is not installed" if engine is None else f"Tesseract lacks the language ({names[0]})"
    return ExtractionWarning("ocr_missing", f"{what}, but {why}. {missing_remedy(names)}")


class _Reader:
    """Reads the pages of one file."""

    def __init__(self, job: Job, pages: Sequence[int], language: str | None) -> None:
        self._job, self._pages, self._tongues = job, pages, _tongues(language)
        self._known: dict[Request, _Reading] = {}
        self.failures: dict[int, str] = {}

    def read(self, usable: Sequence[str]) -> tuple[dict[int, _Reading], str]:
        """The pages read, and in which languages; of several those that some of the pages read best in."""
        languages = usable[0]
        if len(usable) > 1:
            trial = [self._pages[i] for i in spread(len(self._pages), _TRIAL_PAGES)]
            self._have(Request(page, name) for page in trial for name in usable)
            languages = max(usable, key=lambda name: self._worth(trial, name))
        self._have(Request(page, languages) for page in self._pages)
        readings = {
            page: self._known[key] for page in self._pages if (key := Request(page, languages)) in self._known
        }
        doubtful = [p for p, r in readings.items() if (r.quality.score or 0) < _PERHAPS_TURNED]
        self._have(Request(page, languages, turned=True) for page in doubtful)
        for page in doubtful:
            turned = self._known.get(Request(page, languages, turned=True))
            if turned and turned.quality.known > 2 * readings[page].quality.known:
                readings[page] = turned
        # A page that was read has not failed, though not every try at it may have succeeded.
        self.failures = {page: why for page, why in self.failures.items() if page not in readings}
        return readings, languages

    def _worth(self, pages: Sequence[int], name: str) -> float:
        """How well a language reads pages: words by their score."""
        found = [self._known[r].quality for page in pages if (r := Request(page, name)) in self._known]
        return sum((quality.score or 0.0) * quality.words for quality in found)

    def _have(self, requests: Iterable[Request]) -> None:
        """Have pages read that have not been."""
        wanted = [request for request in requests if request not in self._known]
        if not wanted:
            return
        total = len(wanted)
        answers = read_pages(self._job, wanted, lambda done: progress.advance("raw_text", done, total))
        for request in wanted:
            answer = answers[request]
            if "failure" in answer:
                self.failures[request.page] = answer["failure"]
                continue
            lines, _ = pdf_layout.reading_order(
                ocr_tesseract.fragments(answer["hocr"], answer["scale"], answer["to_page"])
            )
            text = "\n".join(line.text for line in lines)
            self._known[request] = _Reading(lines, text, judge(text, self._tongues))

    def warnings(self) -> list[ExtractionWarning]:
        """A warning for every page that could not be read."""
        return [
            ExtractionWarning("ocr_failed", f"Page {page} could not be read by OCR: {why}.", page=page)
            for page, why in sorted(self.failures.items())
        ]


# ---------------------------------------------------------------------------------------------------
# the better reading
# ---------------------------------------------------------------------------------------------------


def is_better(ocr: PageQuality, layer: PageQuality | None) -> bool:
    """Whether OCR's reading of a page is to replace the file's own text (``None``: it has none that is usable).

    A tie keeps the file's own. A few good words never replace many: that would lose text.
    """
    score = ocr.score
    if layer is None:
        return ocr.known > 0 if score is None else score >= _LEAST_READABLE
    if score is None or score < _LEAST_READABLE:
        return False
    if ocr.readable >= _MANY_MORE * layer.readable and score >= (layer.score or 0.0) - _HARDLY_WORSE:
        return True
    return (
        layer.score is not None
        and score >= layer.score + _BETTER
        and ocr.readable >= _NEARLY_ALL * layer.readable
    )


def _choose(
    document: ExtractedDocument,
    pages: Sequence[int],
    readings: Mapping[int, _Reading],
    failures: Mapping[int, str],
    tongues: Sequence[str],
) -> ExtractedDocument:
    """The document with the better reading of every page."""
    layers = _layer_texts(document, set(pages))
    taken = raw_lines.RawLines()
    replaced: set[int] = set()
    infos: list[PageInfo] = []
    empty: set[int] = set()
    for page in document.info.pages:
        reading = readings.get(page.page)
        if reading is None:
            infos.append(page)
            continue
        layer = judge(layers[page.page], tongues) if page.page in layers else None
        found = _page_facts(page, reading, layer)
        infos.append(found)
        if found.ocr:
            replaced.add(page.page)
            taken.add_page(page.page, page.label, "ocr", reading.lines)
        elif found.usable and not page.usable:
            empty.add(page.page)
    lines = raw_lines.with_pages(document.lines, taken.table(), replaced)
    settled = replaced | empty
    warnings = [
        warning
        for warning in document.info.warnings
        if not (warning.page in settled and warning.code in ("page_without_text", "unreadable_lines"))
    ]
    usable = any(page.usable and page.characters for page in infos)
    lacking = any(
        warning.code in ("page_without_text", "damaged_page", "missing_part") for warning in warnings
    )
    status: Literal["ok", "partial", "no_text"] = "no_text" if not usable else "partial" if lacking else "ok"
    return ExtractedDocument(lines, replace(document.info, status=status, pages=infos, warnings=warnings))


def _layer_texts(document: ExtractedDocument, pages: set[int]) -> dict[int, str]:
    """The file's own text of some pages, as far as it is usable."""
    found: dict[int, list[str]] = {}
    columns = (document.lines[name].to_pylist() for name in ("page", "text"))
    for page, text in zip(*columns, strict=True):
        if page in pages:
            found.setdefault(page, []).append(text)
    return {page: "\n".join(texts) for page, texts in found.items()}


def _page_facts(page: PageInfo, reading: _Reading, layer: PageQuality | None) -> PageInfo:
    """What is known about a page of which there are two readings."""
    scores: dict[str, Any] = {
        "layer_quality": layer.score if layer else 0.0 if page.characters else None,
        "ocr_quality": reading.quality.score,
    }
    if is_better(reading.quality, layer):
        return replace(
            page,
            characters=len(reading.text),
            usable=True,
            quality=reading.quality.score,
            quality_reason=reading.quality.reason if reading.quality.score is not None else None,
            ocr=True,
            **scores,
        )
    if layer is not None:
        return replace(page, quality=layer.score, quality_reason=page.quality_reason, ocr=False, **scores)
    # A page without a letter, on which OCR finds no word either, is blank or a picture.
    blank = not page.characters and reading.quality.score is None
    return replace(page, usable=blank, ocr=False, **scores)


def _account(info: DocumentInfo, name: str) -> list[ExtractionWarning]:
    """What was done, in warnings without a page: a book may have hundreds."""
    tried = [page for page in info.pages if page.ocr is not None]
    groups = (
        (
            "ocr_read",
            [p for p in tried if p.ocr and p.layer_quality is None],
            "had no text and {} read by {name}",
        ),
        (
            "ocr_replaced",
            [p for p in tried if p.ocr and p.layer_quality is not None],
            "{} read by {name} rather than taken from the worse text layer{scores}",
        ),
        (
            "ocr_declined",
            [p for p in tried if not p.ocr and p.layer_quality and p.usable],
            "{} read by {name} and left as the text layer has it, which is no worse{scores}",
        ),
        (
            "ocr_found_nothing",
            [p for p in tried if not p.ocr and not p.characters and p.usable],
            "had no text, and {name} found none either: blank, or pictures",
        ),
    )
    return [
        ExtractionWarning(
            code,
            f"{_count([p.page for p in pages])} "
            + text.format("was" if len(pages) == 1 else "were", name=name, scores=_scores(pages))
            + ".",
        )
        for code, pages, text in groups
        if pages
    ]


def _scores(pages: Sequence[PageInfo]) -> str:
    """The mean scores of both readings, in words."""
    both = [
        (p.ocr_quality, p.layer_quality)
        for p in pages
        if p.ocr_quality is not None and p.layer_quality is not None
    ]
    if not both:
        return ""
    ours, theirs = (sum(column) / len(both) for column in zip(*both, strict=True))
    return f" (score {ours:.2f} against {theirs:.2f})"


def _count(pages: Sequence[int]) -> str:
    """How many pages and which, as in "3 pages (5, 7–8)"."""
    ranges = []
    for _, run in itertools.groupby(enumerate(sorted(pages)), lambda item: item[1] - item[0]):
        numbers = [number for _, number in run]
        ranges.append(str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}")
    listed = ", ".join(ranges[:20]) + (", …" if len(ranges) > 20 else "")
    return f"{len(pages)} page{'s' if len(pages) != 1 else ''} ({listed})"
