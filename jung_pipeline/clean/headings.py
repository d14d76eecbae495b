"""What a heading says: chapter, lecture, part or preface, its number and its title.

Only wording is judged here; whether a heading counts (running heads, contents, sequences) is decided where
the whole book is in view (:mod:`jung_pipeline.clean.structure`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import regex

from jung_pipeline.clean.numerals import number_value, ordinal_value, roman_value

#: Word → kind. Parts hold chapters; the others are what is cited.
_WORDS = {
    "chapter": "chapter",
    "chap": "chapter",
    "kapitel": "chapter",
    "capitel": "chapter",
    "chapitre": "chapter",
    "caput": "chapter",
    "cap": "chapter",
    "kap": "chapter",
    "lecture": "lecture",
    "lectures": "lecture",
    "vorlesung": "lecture",
    "seminar": "lecture",
    "part": "part",
    "teil": "part",
    "theil": "part",
    "partie": "part",
    "pars": "part",
    "book": "part",
    "buch": "part",
    "volume": "part",
    "band": "part",
    "section": "section",
    "abschnitt": "section",
    "hauptstück": "chapter",
    "essay": "chapter",
    "treatise": "chapter",
    "letter": "chapter",
    "vortrag": "lecture",
    "abhandlung": "chapter",
    "act": "part",
    "akt": "part",
    "aufzug": "part",
    "scene": "chapter",
    "szene": "chapter",
    "auftritt": "chapter",
}
_LEVELS = {"part": 1, "section": 3}
#: Those that are cut short, with the stop behind them: "CHAP. IV.", "Kap. 3".
_CUT_SHORT = frozenset({"chap", "cap", "kap"})
#: Words in capitals that scanners misread by a letter ("CHAFTER", "LECTUBE"), of so many letters at least.
_MISREAD_LEAST = 6

#: Entries that name no text of the book's own.
NO_TEXT = regex.compile(
    r"(?:table of |analytical )?contents|inhalt(?:sverzeichnis)?|cover.*|(?:half[- ]?)?title(?:[- ]?page)?|titel(?:seite|blatt)?|copyright.*|imprint|impressum|colophon|index.*|.*register|"
    r"(?:by|von) (?:\p{L}\. ?)+\p{L}+|translated (?:by|from).*|edited by.*|\d+|"
    r"(?:foot|end)?notes|anmerkungen|fußnoten|bibliography|literatur(?:verzeichnis)?|works cited|references|list of .*|illustrations|dedication|uncopyright|"
    r"(?:the )?(?:full )?project gutenberg.*|credits|about (?:this|the) .*|transcriber.*|a word from project gutenberg|licen[sc]e.*|start|publisher.*|publishing.*|frontispiece|contents of .*|acknowledge?ments? of .*|also by .*|blank page",
    regex.IGNORECASE,
)
#: Pieces of text around the chapters that are cited by their name.
_NAMED = {
    "foreword": "foreword|fore-word|geleitwort|zum geleit|avant-propos",
    "preface": "preface|prefatory (?:note|remarks)|vorwort|vorrede|préface|author's note|editor(?:s'|'s|ial) (?:note|foreword|preface|introduction)|translator's (?:note|foreword|preface|introduction)|note to the .{1,40} edition",
    "introduction": "introduction|introductory(?: (?:remarks|note|chapter|lecture))?|einleitung|einführung|vorbemerkung(?:en)?",
    "prologue": "prologue|prolog",
    "appendix": "appendix|appendices|anhang|supplement|nachtrag|addend(?:a|um)",
    "afterword": "afterword|epilogue|epilog|nachwort|postscript|schlußwort|schlusswort|concluding remarks",
    "conclusion": "conclusions?|schluß|schluss",
}
_OWNER = r"(?:(?:the |an |a )?(?:author|editor|translator|publisher)(?:'s|s')? )?(?:general |first |second |new |historical )?"
_NAMED_HEADING = {
    kind: regex.compile(
        rf"{_OWNER}(?:{words})(?P<more>(?: (?:to|by|of|for|zur|zum|der|des|von|from)\b.{{1,90}}|\s*(?:[:.—–]|--|-)\s*.{{1,90}}| (?:[ivxlc\d]{{1,4}}|[a-h])(?:[.:—–-].{{0,90}})?)?)\.?",
        regex.IGNORECASE,
    )
    for kind, words in _NAMED.items()
}
_NUMBER = r"(?:\d{1,3}|[IVXLCivxlc1l!|]{1,8}|\p{L}+(?:[- ]\p{L}+)?)"
_WORD_FIRST = regex.compile(
    rf"(?P<word>{'|'.join(_WORDS)})(?P<stop>\.?)(?P<gap>[\s ]+)(?:the |n(?:o|r|um)\. ?|№ ?|\# ?)?(?P<number>{_NUMBER}?)"
    rf"(?P<second>(?:\s*(?:,? and|,? und|&|,|-|–)\s*[IVXLC\d]{{1,6}}\b)*)(?P<rest>(?:\s*$|[\s.:;,—–-].*))",
    regex.IGNORECASE,
)
_ORDINAL_FIRST = regex.compile(
    r"(?:the |die |das |der )?(?P<number>[\p{L}-]+(?: [\p{L}]+)?|\d{1,2}\.|[IVXLC]{1,7}\.|\d{1,2}(?:st|nd|rd|th)) "
    rf"(?P<word>{'|'.join(_WORDS)})(?P<rest>(?:\s*$|[\s.:—–-].*))",
    regex.IGNORECASE,
)
#: A title on the heading's line stands behind a stop, colon or dash, or a wide gap.
_SEPARATED = regex.compile(r"\s*(?:[.:—–]|--+|\s-\s|-(?=\s))[\s.:—–-]*(?P<title>.*)$", regex.DOTALL)
_WIDE = regex.compile(r"(?:\s{2,}|\t|\n)\s*(?P<title>\S.*)$", regex.DOTALL)
#: What a line of a table of contents ends with.
_LEADERS = regex.compile(
    r"(?:[.·…_]\s?){3,}\s*(?:\d+|[ivxlc]+)?\s*$|(?:\s{3,}|\t)(?:\d{1,4}|[ivxlc]{1,6})\s*$"
)
_MAX_TITLE = 130
#: Words of titles that stay small.
SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "but",
        "by",
        "for",
        "from",
        "in",
        "into",
        "nor",
        "of",
        "off",
        "on",
        "or",
        "over",
        "the",
        "to",
        "with",
        "upon",
        "von",
        "und",
        "der",
        "die",
        "das",
        "des",
        "dem",
        "den",
        "im",
        "in",
        "zu",
        "zur",
        "zum",
        "mit",
        "als",
    ]
)


@dataclass(frozen=True, slots=True)
class Heading:
    """What a heading says."""

    kind: str  # chapter | lecture | part | section | foreword | preface | introduction | appendix | …
    number: int | None
    title: str | None  # as printed, on the same line
    label: str  # "CHAPTER VII", as printed
    level: int  # 1 part, 2 chapter, 3 section


def is_contents_line(text: str) -> bool:
    """Whether ``text`` ends like a line of a table of contents: leaders, or a page number set far right."""
    return bool(_LEADERS.search(text))


@lru_cache(maxsize=20_000)
def parse_heading(text: str) -> Heading | None:
    """What ``text`` says as a heading, or ``None`` if it is prose, a contents line, or no heading with a word.

    Bare numerals are not judged here (:func:`bare_numeral`).
    """
    text = text.strip()
    if text[:1] == "[" and text[-1:] == "]" and text.count("[") == 1:
        text = text[1:-1].strip()  # an editor's heading
    begins = text.lstrip("_=*# ")[:1]
    if not (begins.isupper() or begins.isdigit()):
        return None
    if len(text) > _MAX_TITLE + 40 or is_contents_line(text):
        return None
    if any(is_contents_line(line) for line in text.split("\n")):
        return None
    text = text.strip("_=* ").lstrip("# ")
    if not text:
        return None
    return _numbered(text) or _ordinal(text) or _named(text)


def _numbered(text: str) -> Heading | None:
    match = _WORD_FIRST.fullmatch(text) or _WORD_FIRST.fullmatch(_word_as_printed(text))
    if not match or not match["word"][0].isupper():
        return None
    if bool(match["stop"]) != (match["word"].lower() in _CUT_SHORT):
        return None
    number = number_value(match["number"]) or ordinal_value(match["number"])
    # The number may have two words ("TWENTY ONE"), the second of which may belong to the title instead.
    rest, written = match["rest"], match["number"]
    if number is None and (" " in written or "-" in written):
        first = regex.split(r"[ -]", written)[0]
        number, rest = number_value(first), written[len(first) :] + rest
        written = first
    if number is None or (written.isalpha() and not _number_like(written, match["word"])):
        return None
    kind = _WORDS[match["word"].lower()]
    title = _title_of(rest)
    if title is None:
        return None
    label = (
        match.string[: match.start("rest")].strip() if rest == match["rest"] else f"{match['word']} {written}"
    )
    return Heading(kind, number, title or None, label.rstrip(" ."), _LEVELS.get(kind, 2))


def _word_as_printed(text: str) -> str:
    """``text`` with the word in capitals that it begins with put right, if a letter of it was misread."""
    first, blank, rest = text.partition(" ")
    if not blank or not (first.isupper() and first.isalpha() and len(first) >= _MISREAD_LEAST):
        return text
    number = regex.match(r"(?:THE )?([IVXLCl1]{1,7}|\d{1,3})(?![\p{L}\p{N}])", rest)
    if number is None:
        return text
    for word in _WORDS:
        if len(word) == len(first) and sum(a != b for a, b in zip(word, first.lower(), strict=True)) == 1:
            return word.upper() + blank + rest
    return text


def _number_like(written: str, word: str) -> bool:
    """Words for numbers count with the case of their heading: "Part one ended" is decided by its rest."""
    return written.islower() is False or word.islower() or number_value(written) is not None


def _ordinal(text: str) -> Heading | None:
    match = _ORDINAL_FIRST.fullmatch(text)
    if not match:
        return None
    number = ordinal_value(match["number"]) or roman_value(match["number"].rstrip("."))
    if number is None or not (text[0].isupper() or text[0].isdigit()):
        return None
    if match["word"][0].islower() and match["rest"].strip() != "":
        return None
    kind = _WORDS[match["word"].lower()]
    title = _title_of(match["rest"])
    if title is None:
        return None
    return Heading(kind, number, title or None, text[: match.start("rest")].strip(), _LEVELS.get(kind, 2))


def _named(text: str) -> Heading | None:
    if not text[0].isupper():
        return None
    plain = text.replace("’", "'")
    for kind, pattern in _NAMED_HEADING.items():
        match = pattern.fullmatch(plain)
        if match is None:
            continue
        more = text[match.start("more") : match.end("more")]
        if regex.match(r"\s*[:.—–-]", more):
            title = _title_of(more)
            if title is None:
                return None
            return Heading(kind, None, title or None, text[: match.start("more")].rstrip(" ."), 2)
        if more and not (text.isupper() or _title_case(text)):
            return None
        return Heading(kind, None, None, text.rstrip(" ."), 2)
    return None


def _title_of(rest: str) -> str | None:
    """The title in what follows a heading's number: ``""`` for none, ``None`` if this is prose."""
    if not rest.strip(" .:—–-"):
        return ""
    separated = _SEPARATED.match(rest) or _WIDE.match(rest)
    title = (separated["title"] if separated else rest).strip()
    if not title:
        return ""
    if len(title) > _MAX_TITLE or is_contents_line(title):
        return None
    if not regex.match(r"[\p{L}\p{N}\"“„‘'«(\[¿¡—–-]", title):
        return None
    first = regex.search(r"\p{L}", title)
    if first and title[first.start()].islower():
        return None
    if separated is None and not (title.isupper() or _title_case(title)):
        return None
    if separated is not None and title.endswith((",", ";")):
        return None
    words = title.split()
    if regex.search(r"[.!?]\s+\p{Lu}\p{Ll}", title) and not _title_case(title):
        return None  # two sentences
    if title.endswith(".") and len(words) > 6 and not (title.isupper() or _title_case(title)):
        return None
    return title


def _title_case(text: str) -> bool:
    """Whether most longer words begin with a capital."""
    words = [word for word in regex.findall(r"\p{L}[\p{L}'’-]*", text) if word.lower() not in SMALL]
    return bool(words) and sum(word[0].isupper() for word in words) >= 0.75 * len(words)


_BARE = regex.compile(r"[§\s]*(?P<number>[IVXLC]{1,7}|\d{1,3})\s*[.)]?")
_BARE_TITLED = regex.compile(
    r"(?:§\s*)?(?P<number>[IVXLC]{1,7}|\d{1,3})(?:\.\s*[—–-]*|\s*[—–:]\s*|\s{2,}|\)\s)\s*(?P<title>\S.*)"
)


def bare_numeral(text: str) -> tuple[int, str | None] | None:
    """Number and title of a heading that is a numeral alone ("IV.") or before a title ("IV. THE WELL")."""
    text = text.strip("_=* ")
    if len(text) > _MAX_TITLE or is_contents_line(text):
        return None
    match = _BARE.fullmatch(text)
    if match:
        value = roman_value(match["number"]) or (int(match["number"]) if match["number"].isdigit() else None)
        return (value, None) if value else None
    match = _BARE_TITLED.fullmatch(text)
    if not match:
        return None
    title = match["title"].strip()
    value = roman_value(match["number"]) or (int(match["number"]) if match["number"].isdigit() else None)
    if value is None or not (title.isupper() or _title_case(title)) or len(title.split()) > 16:
        return None
    if title.endswith((",", ";")) or (title.endswith(".") and len(title.split()) > 9 and not title.isupper()):
        return None
    return value, title
