"""Chapters that are headed by numerals alone: runs 1, 2, 3 … of one style, one level, through the book."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import regex

from jung_pipeline.clean.book import Paragraph
from jung_pipeline.clean.headings import bare_numeral
from jung_pipeline.clean.numerals import roman_value, word_value

#: A run through the book covers this share of its paragraphs, or so many times more than any other run.
_THROUGH, _WIDER = 0.5, 3
#: Two headings of one number with less text than this between them are one: a half-title and the heading.
_HALF_TITLE = 400
#: A run of heading elements may begin with any number if it goes on for so long (an anthology's pieces).
_COUNTED_ON = 5


@dataclass(frozen=True, slots=True)
class Start:
    """A part or chapter that begins at ``paragraph`` (an index in the list of paragraphs)."""

    paragraph: int
    kind: str
    number: int | None
    title: str | None
    label: str
    level: int  # 1 part, 2 chapter
    rows: int = 1  # paragraphs that the heading and its title take up


def key_of(text: str) -> str:
    """Letters and digits of ``text`` in small letters: what two printings of one title share."""
    return "".join(char for char in text.lower() if char.isalnum())


def is_own_title(text: str, own_titles: Collection[str]) -> bool:
    """Whether ``text`` is the volume's title or its author's name, with or without a "by" before it."""
    return (
        key_of(text) in own_titles
        or key_of(regex.sub(r"^(?:by|von)\s+", "", text, flags=regex.IGNORECASE)) in own_titles
    )


def eligible(paragraph: Paragraph) -> bool:
    """Whether a paragraph can be a heading at all."""
    return (
        paragraph.fate is None
        and paragraph.kind in ("heading", "body", "quotation", "list", "verse")
        and len(paragraph.text) <= 220
    )


@dataclass(slots=True)
class _Run:
    """A run of numerals that is still open."""

    style: tuple[str, int | None]  # digits, roman or words; level of the heading elements, None for text
    starts: list[Start]

    @property
    def last(self) -> Start:
        return self.starts[-1]


def numeral_runs(paragraphs: Sequence[Paragraph]) -> list[list[Start]]:
    """Runs of headings that are a numeral of one style, alone or before a title.

    A run inside a run (the sections of an essay) does not end it: the outer one goes on where its next number
    comes.
    """
    open_runs: list[_Run] = []
    closed: list[_Run] = []
    for index, paragraph in enumerate(paragraphs):
        start = _numeral_start(paragraphs, index)
        if start is None:
            continue
        style = (_style(start.label), paragraph.element_level)
        home = next((run for run in reversed(open_runs) if run.style == style and _goes_on(run, start)), None)
        if home is not None:
            while open_runs[-1] is not home:
                closed.append(open_runs.pop())
            if start.number == home.last.number:
                between = paragraphs[home.last.paragraph + 1 : index]
                if sum(len(p.text) for p in between if p.fate is None) < _HALF_TITLE:
                    home.starts[-1] = start  # the heading after a half-title
            else:
                home.starts.append(start)
        elif start.number == 1 or style[1] is not None:
            open_runs.append(_Run(style, [start]))
    runs = [run for run in (*closed, *open_runs) if len(run.starts) >= _least(run)]
    return [run.starts for run in sorted(runs, key=lambda run: run.starts[0].paragraph)]


def _goes_on(run: _Run, start: Start) -> bool:
    step = (start.number or 0) - (run.last.number or 0)
    # A long run may lack a number whose heading was lost.
    return step in (0, 1) or (step == 2 and len(run.starts) >= 4)


def _least(run: _Run) -> int:
    if run.starts[0].number != 1:
        return _COUNTED_ON
    return 2 if run.style[0] == "roman" else 3


def _style(numeral: str) -> str:
    """How a numeral is written: in digits, roman, or in words."""
    return "digits" if numeral.isdigit() else "roman" if roman_value(numeral) else "words"


def _numeral_start(paragraphs: Sequence[Paragraph], index: int) -> Start | None:
    """The paragraph at ``index`` as a start, if it is a numeral alone, or a heading that begins with one."""
    paragraph = paragraphs[index]
    if not eligible(paragraph) or ("\n" in paragraph.text and not paragraph.from_heading_element):
        return None
    found = _numeral(paragraph)
    if found is None:
        return None
    number, title, label = found
    set_as_heading = paragraph.kind == "heading" or paragraph.text.isupper()
    if (title is None and _in_alphabet(paragraphs, index)) or (title is not None and not set_as_heading):
        return None
    return Start(index, "chapter", number, title, label, 2)


#: In a heading element a numeral needs nothing behind it: "IV Distortion in Dreams".
_ELEMENT = regex.compile(r"(?P<number>[IVXLC]{1,7}|\d{1,3})\s+(?P<title>[\p{Lu}\p{Pi}\"'].*)", regex.DOTALL)


#: A heading behind the number of its first paragraph: "51. VII. EACH SOCIETY IS A HEAVEN".
_BEHIND_NUMBER = regex.compile(r"\d{1,4}\.\s+(?P<number>[IVXLC]{1,7})\.\s+(?P<title>\S.{3,})", regex.DOTALL)


def _numeral(paragraph: Paragraph) -> tuple[int, str | None, str] | None:
    """Number, title and printed numeral of a heading that is or begins with one."""
    text = regex.sub(r"\s+", " ", paragraph.text) if paragraph.from_heading_element else paragraph.text
    match = _BEHIND_NUMBER.fullmatch(text) if text.isupper() else None
    found = bare_numeral(text) if match is None else None
    label = regex.match(r"[IVXLC]+|\d+", text.strip("_=* §"))
    if found is not None and label is not None:
        return found[0], found[1], label.group()
    if match is None and paragraph.from_heading_element:
        match = _ELEMENT.fullmatch(text)
    if match is None:
        return _in_words(text)
    value = roman_value(match["number"]) or (int(match["number"]) if match["number"].isdigit() else None)
    return (value, match["title"], match["number"]) if value else None


#: "ONE", "Twenty-One.", "ONE: THE WELL"
_WORDS = regex.compile(
    r"(?P<number>\p{Lu}\p{L}+(?:[- ]\p{L}+)?)\s*(?:[.:—–]\s*(?P<title>\S.*)?)?", regex.DOTALL
)


def _in_words(text: str) -> tuple[int, str | None, str] | None:
    """Number, title and printed numeral of a heading that is or begins with a number in words."""
    match = _WORDS.fullmatch(text.strip("_=* "))
    value = word_value(match["number"]) if match is not None else None
    return (value, match["title"], match["number"]) if match is not None and value else None


def _in_alphabet(paragraphs: Sequence[Paragraph], index: int) -> bool:
    """Whether the single letter at ``index`` is one of the letters that divide a dictionary or an index."""
    letter = paragraphs[index].text.strip(" .")
    if len(letter) != 1 or letter.isdigit():
        return False
    near = (
        other.text.strip(" .")
        for other in (*paragraphs[max(0, index - 400) : index], *paragraphs[index + 1 : index + 400])
        if len(other.text.strip(" .")) == 1
    )
    return sum(other.isalpha() and other.upper() not in "IVXLC" for other in near) >= 2


def reach(starts: Sequence[Start]) -> int:
    """Paragraphs from the first start to the last."""
    return starts[-1].paragraph - starts[0].paragraph if starts else 0


def _covered(run: Sequence[Start]) -> float:
    """Paragraphs that a run covers, its last chapter taken to be as long as the others."""
    return reach(run) * len(run) / max(1, len(run) - 1)


#: "5.101 The truth-functions": in a book of numbered propositions a bare "5" heads no chapter.
_DECIMAL = regex.compile(r"\d\.\d{2,5}(?:\s|$)")
_PROPOSITIONS = 20


def numeral_chapters(paragraphs: Sequence[Paragraph], parts: Sequence[Start]) -> list[Start]:
    """Numerals that head chapters: one run through the book, or one for each part. Others head sections.

    Runs that open again and again head the sections of essays; the run that covers most of the text wins.
    """
    runs = numeral_runs(paragraphs)
    if sum(_DECIMAL.match(p.text) is not None for p in paragraphs if p.fate is None) >= _PROPOSITIONS:
        runs = [run for run in runs if not run[0].label.isdigit()]
    long_runs = [run for run in runs if len(run) >= 3]
    if not long_runs:
        return []
    by_width = sorted(runs, key=_covered, reverse=True)
    widest, width = by_width[0], _covered(by_width[0])
    if len(widest) >= 3 and (
        len(runs) == 1
        or width >= _THROUGH * len(paragraphs)
        or (width >= _WIDER * _covered(by_width[1]) and width >= 0.4 * len(paragraphs))
    ):
        return widest
    for roman in (True, False):
        of_style = [run for run in runs if run[0].label.isdigit() != roman]
        if len(of_style) == 1 and len(of_style[0]) >= 3:
            return of_style[0]
        if of_style and parts and len(of_style) <= len(parts) + 1:
            return [start for run in of_style for start in run]
    return []


#: "Ch. 2. 1. All in the world know": a chapter that begins with its first verse.
_FIRST_VERSE = regex.compile(r"(?:Ch(?:ap(?:ter)?)?\. ?)?(?P<chapter>\d{1,3})\. 1\. \S")
#: "6. The valley spirit dies not": one verse that may be a chapter.
_ONE_VERSE = regex.compile(r"(?:Ch(?:ap(?:ter)?)?\. ?)?(?P<chapter>\d{1,3})\.(?:$|\s(?!\d+\. )\S)")
#: So many chapters begin with a first verse where this is how the book counts.
_VERSE_CHAPTERS = 5


def verse_chapters(paragraphs: Sequence[Paragraph]) -> list[Start]:
    """Chapters whose number stands before the number of their first verse, without a heading of their own.

    Chapters of one verse have their number alone ("6. The valley spirit …"); they are taken where the counting
    of the others leaves room for them. Such a start takes up no rows.
    """
    firsts: list[tuple[int, int]] = []
    singles: list[tuple[int, int]] = []
    for index, paragraph in enumerate(paragraphs):
        if paragraph.fate is not None or paragraph.kind == "footnote":
            continue
        if match := _FIRST_VERSE.match(paragraph.text):
            firsts.append((int(match["chapter"]), index))
        elif match := _ONE_VERSE.match(paragraph.text):
            singles.append((int(match["chapter"]), index))
    chain: list[tuple[int, int]] = []
    for number, index in firsts:
        if number > (chain[-1][0] if chain else 0):
            chain.append((number, index))
    if len(chain) < _VERSE_CHAPTERS or len(chain) < 0.8 * len(firsts):
        return []
    found = list(chain)
    borders = [*chain, (chain[-1][0] + len(singles) + 1, len(paragraphs))]
    for (number, begin), (following, end) in itertools.pairwise(borders):
        at = begin
        for missing in range(number + 1, following):
            place = next((i for n, i in reversed(singles) if n == missing and at < i < end), None)
            if place is None:
                break
            found.append((missing, place))
            at = place
    return [Start(index, "chapter", number, None, str(number), 2, rows=0) for number, index in sorted(found)]


def with_number(start: Start, paragraph: Paragraph) -> Start:
    """``start`` with the number that its heading begins with, if it does; "I am" is no first chapter."""
    found = _numeral(paragraph)
    if found is None or found[2] in ("C", "D", "L", "M"):  # letters of a list, not hundreds
        return start
    if found[2] == "I" and bare_numeral(paragraph.text) is None:
        return start
    return replace(start, number=found[0], title=found[1], label=found[2])
