"""Stamps and watermarks: lines printed over the pages by those who made or lent the file.

Well-known wordings go wherever they fill a line; any other line goes if the same words (numbers aside) stand
apart on a large share of the pages. The same words inside a sentence stay.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

import regex

from jung_pipeline.clean.book import Line

_I = regex.IGNORECASE

#: Whole lines that are nobody's text.
_KNOWN = regex.compile(
    r"\W*(?:"
    r"copyrighte?d? material(?:\.|s)?(?: do not (?:copy|distribute|reproduce).*)?"
    r"|material protegido por (?:derechos|copyright).*"
    r"|urheberrechtlich geschütztes material.*"
    r"|(?:this content )?downloaded (?:by|from|on|at|to)\b.*(?:\d|university|library|\[|\.(?:com|org|net)).*"
    r"|this content downloaded from.*"
    r"|all use subject to .*"
    r"|(?:digiti[sz]ed|scanned|digitalisiert) (?:by|durch|von)\b.{0,60}"
    r"|provided by .{0,60}(?:library|google|\.(?:com|org|net)).*"
    r"|(?:licensed|registered) to .{0,80}"
    r"|for (?:personal|private|educational|review) use only\.?"
    r"|(?:not for|unauthori[sz]ed) (?:re)?(?:distribution|sale|resale|reproduction)\b.{0,60}"
    r"|this page (?:is )?intentionally (?:left )?blank\.?"
    r"|(?:www\.|https?://)\S+"
    r"|created with .{0,60}(?:version|trial|pdf).{0,40}"
    r"|(?:unregistered|trial|evaluation|demo) version.{0,40}"
    r"|watermark(?:ed)?"
    r"|original from"
    r"|generated (?:on|at|for|by|through) .{0,40}\d{4}.{0,80}"
    r"|public domain(?:,? .{0,40}google-digitized.*|.{0,20}https?://\S+)"
    r"|created from .{0,80}\d{4}.{0,30}"
    r"|.{0,200}\bproquest ebook central\b.{0,120}"
    r"|(?:oceanofpdf|libgen|z-?lib(?:rary)?|b-ok|pdfdrive|avaxhome)\W{0,2}(?:\w{2,4})?"
    r")\W*",
    _I,
)

#: A scanning service names the library on the next line: "Original from" / "UNIVERSITY OF MICHIGAN".
_ORIGINAL = regex.compile(r"original from$", _I)
_OWNER = regex.compile(r"(?:THE )?[\p{Lu} .,&'-]*(?:UNIVERSITY|LIBRARY|COLLEGE|INSTITUTE)[\p{Lu} .,&'-]*")

#: How such a line begins, told at a glance.
_MAY_BE_KNOWN = re.compile(
    r"[^a-z]*(?:copyright|material |urheberrecht|downloaded|this |all use|digiti|scanned |provided |licensed "
    r"|registered |for |not for|unauthori|www|http|created |unregistered|trial|evaluation|demo |watermark|original from"
    r"|generated |public domain|oceanof|libgen|z-?lib|b-ok|pdfdrive|avaxhome)",
    re.IGNORECASE,
)

#: Any line standing on this share of all pages, and on so many at least, is a stamp.
_SHARE, _LEAST = 0.5, 4
_NUMBER = regex.compile(r"\d+|\b[ivxlc]+\b")
#: "21 of 249" is the file's own counting, not a printed page number.
_POSITION = regex.compile(r"\W*(?:page |seite )?# (?:of|von|de|/) #\b.*")
_ROMAN = frozenset("ivxlc")
_BLANK = regex.compile(r"\s+")


def template(text: str) -> str:
    """``text`` with every number as ``#``, in small letters: what lines of one stamp share."""
    return _BLANK.sub(" ", _NUMBER.sub("#", text.strip().lower()))


def find_stamps(lines: Sequence[Line], pages: int) -> None:
    """Give stamps the fate ``stamp``."""
    others: list[Line] = []
    for at, line in enumerate(lines):
        if line.fate is None and line.element is None and len(line.text) < 160 + 200 * ("http" in line.text):
            if (_MAY_BE_KNOWN.match(line.text) or "ProQuest" in line.text) and _KNOWN.fullmatch(line.words):
                line.fate = "stamp"
                owner = lines[at + 1] if at + 1 < len(lines) else line
                if _ORIGINAL.match(line.words) and _OWNER.fullmatch(owner.words):
                    owner.fate = "stamp"
            else:
                others.append(line)
    frequent = _frequent_templates(others, max(_LEAST, _SHARE * pages)) if pages >= _LEAST else set()
    if not frequent:
        return
    edge = _edge_lines(lines)
    counts: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for line in lines:
        words = template(line.text) if line.fate is None else ""
        if words in frequent:
            counts[words] += 1
            inside[words] += line.index not in edge
    for line in lines:
        # What keeps to the page's edges is a running head; its numbers are the page numbers.
        if (
            line.fate is None
            and inside[words := template(line.text)] > 0.1 * counts[words]
            and words in frequent
        ):
            line.fate = "stamp"


def _frequent_templates(lines: Sequence[Line], least: float) -> set[str]:
    """Templates with words that stand on ``least`` pages or more."""
    seen: dict[str, set[int]] = defaultdict(set)
    for beginning in _alike(lines, least, lambda words: words.partition(" ")[0]):
        for group in _alike(beginning, least, lambda words: words.rpartition(" ")[2]):
            for line in group:
                seen[template(line.text)].add(line.page)
    return {words for words, on in seen.items() if len(on) >= least and regex.search(r"\p{L}{2}", words)}


def _alike(lines: Sequence[Line], least: float, word_of: Callable[[str], str]) -> Iterator[list[Line]]:
    """The groups of ``least`` lines or more with the same word, ``#`` for what may be a number.

    The lines of one template begin and end with the same word.
    """
    by_word: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.words:
            by_word[word_of(line.words)].append(line)
    alike: dict[str, list[Line]] = defaultdict(list)
    for word, group in by_word.items():
        alike[_plain(word)] += group
    return (group for group in alike.values() if len(group) >= least)


def _plain(word: str) -> str:
    lower = word.lower()
    return lower if lower.isalpha() and not _ROMAN.issuperset(lower) else "#"


def _edge_lines(lines: Sequence[Line]) -> set[int]:
    """First two and last two lines of each page."""
    by_page: dict[int, list[int]] = defaultdict(list)
    for line in lines:
        if line.fate is None and line.words:
            by_page[line.page].append(line.index)
    return {index for indices in by_page.values() for index in (*indices[:2], *indices[-2:])}
