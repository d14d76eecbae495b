"""Project Gutenberg's own words around a book: the header, the licence, and transcribers' notes.

They are kept as raw lines, marked, so that the cleaner takes them out into the ledger with that reason.
Recognised are the markers of all generations: ``*** START OF THE PROJECT GUTENBERG EBOOK … ***`` (also
with THIS, without blanks, or over two lines), the "Small Print" of the 1990s
(``*END*THE SMALL PRINT! …*END*``), "End of Project Gutenberg's …", and the producers' credits that follow
the header. A book without markers is left alone. A file may hold several texts one after the other, each
with its header and its licence: what lies between an END and the next START is Project Gutenberg's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import regex

LICENCE = "gutenberg_licence"
TRANSCRIBER = "transcriber_note"

_FLAGS = regex.IGNORECASE

_START = regex.compile(r"\*{2,3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)", flags=_FLAGS)
_END = regex.compile(r"\*{2,3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)", flags=_FLAGS)
_END_LINE = regex.compile(
    r"^\W{0,3}(?:This is the )?End of (?:the |this )?Project Gutenberg(?:['’]s|\s+E-?(?:book|text)|\b.{0,12}$)",
    flags=_FLAGS,
)
_SMALL_PRINT_END = regex.compile(r"\*END\s*\*?\s*THE SMALL PRINT", flags=_FLAGS)
_SMALL_PRINT_START = regex.compile(r"\*START\s*\*+\s*THE SMALL PRINT", flags=_FLAGS)
_LICENCE_START = regex.compile(
    r"^\W*(?:START: FULL LICENSE|THE FULL PROJECT GUTENBERG™? LICENSE)", flags=_FLAGS
)
_HEADER = regex.compile(
    r"^\W{0,3}(?:This is )?(?:The )?Project Gutenberg(?:['’]s|\s+E-?(?:book|text))", flags=_FLAGS
)
_CREDITS = regex.compile(
    r"^\W{0,2}(?:Produced by|E-?text prepared by|This e-?(?:text|book) was (?:produced|prepared)|"
    r"E-?text (?:donated|contributed|submitted)|Prepared by|Scanned by|Transcribed by|HTML version by|Created by)\b",
    flags=_FLAGS,
)
_CREDIT_WORDS = regex.compile(
    r"Distributed Proofread|Project Gutenberg|pgdp\.net|archive\.org|scann?ed|images? (?:generously )?made",
    flags=_FLAGS,
)
_NOTE = regex.compile(
    r"^[\W_]*(?:(?:e-?text )?transcribers?(?:['’]s?|s['’])?\s+(?:end)?notes?\b|"
    r"note (?:of|by|from) (?:the )?(?:e-?text )?transcriber|"
    r"(?:the following )?(?:typographical )?errors (?:have been |were )?corrected by the|"
    r"im folgenden werden alle geänderten textzeilen|"
    r"(?:anmerkungen?|hinweise?) (?:zur transkription|de[sr] bearbeiters?|zum? (?:e-?)?text des bearbeiters)|"
    r"note sur la transcription|notes? du transcripteur)",
    flags=_FLAGS,
)

#: After a note of transcribers the book itself may go on with its notes or its index.
_AUTHORS_AGAIN = regex.compile(
    r"^\s*(?:\[1\]|\W*(?:FOOTNOTES?|ENDNOTES?|NOTES|INDEX|FUSSNOTEN|ANMERKUNGEN|REGISTER)\W*$)"
)

#: What such notes talk about.
_ABOUT_THE_COPY = regex.compile(
    r"transcri|cover image|public domain|typograph|spelling|hyphenat|punctuation|footnotes? (?:have|were)|"
    r"corrected|inconsisten|retained|e-?text|\bhtml\b|rechtschreib|gesperrt|kursiv|buchausgabe|druckfehler",
    flags=_FLAGS,
)

#: Blank lines that end a note; its paragraphs are parted by one.
_SECTION_GAP = 2

#: A first line so short stands as a heading over the note; a longer one is the note.
_HEADING_LENGTH = 60

#: A note of transcribers that begins in the last part of a book runs to its end.
_BACK = 0.9

#: How far into a file its header may reach, in rows.
_MAX_HEADER_ROWS = 600

#: The header of a further text is no longer than this, in rows; such a text is no shorter than that.
_HEADER_REACH = 60
_MIN_TEXT_ROWS = 60

#: "End of …" and the marker that ends the file stand no further apart, in rows.
_AT_THE_END = 8


class TextLine(Protocol):
    """What recognising the texts of a file asks of a line."""

    @property
    def text(self) -> str:
        """Its text."""

    @property
    def gap(self) -> int:
        """Blank lines before it."""


@dataclass(frozen=True)
class Line:
    """A line as boilerplate recognition sees it."""

    text: str
    gap: int = 0  # blank lines before it; for HTML 1 at a block's beginning
    containers: tuple[int, ...] | None = None  # the enclosing <div>s, outermost first; None for plain text
    heading: bool = False


def label_lines(lines: Sequence[Line]) -> list[str | None]:
    """For each line ``gutenberg_licence``, ``transcriber_note`` or ``None``."""
    labels: list[str | None] = [LICENCE] * len(lines)
    for first, last in texts_of(lines):
        labels[first:last] = [None] * (last - first)
        _label_credits(lines, labels, first, last)
        _label_notes(lines, labels, first, last)
        for row in range(first, last):
            if _names_itself(lines[row].text) and _END_LINE.search(
                lines[row].text
            ):  # of a part of a compilation
                labels[row] = LICENCE
    return labels


def is_gutenberg(lines: Sequence[Line]) -> bool:
    """Whether Project Gutenberg's header or markers stand around this text."""
    return texts_of(lines) != [(0, len(lines))]


def texts_of(lines: Sequence[TextLine]) -> list[tuple[int, int]]:
    """The texts that a file holds, each as ``lines[first:last]``; headers and licences are the rest.

    Mostly there is one. The first begins behind the last marker of the header, or with the file.
    """
    named = [(index, line.text) for index, line in enumerate(lines) if _names_itself(line.text)]
    starts = [index for index, text in named if _START.search(text) or _SMALL_PRINT_END.search(text)]
    ends = _ends(lines, named)
    first = 0
    for index in starts:
        anew = bool(first) and _START.search(lines[index].text) and index - first > _MIN_TEXT_ROWS
        if index >= _MAX_HEADER_ROWS or any(end < index for end in ends[:1]) or anew:
            break
        first = _end_of_marker(lines, index)
    texts: list[tuple[int, int]] = []
    while True:
        last = next((end for end in ends if end >= first), None)
        again = next((s for s in starts if s >= first and _begins_anew(lines, s, ends)), None)
        if again is not None and (last is None or again < last):
            last = _header_before(lines, again, first)
        texts.append((first, _unmarked_licence(lines, first) if last is None else last))
        if again is None:
            return texts
        first = _end_of_marker(lines, again)


def _ends(lines: Sequence[TextLine], named: Sequence[tuple[int, str]]) -> list[int]:
    """The rows at which texts end. In a compilation "End of Project Gutenberg's …" stands behind each part too."""
    ends = [index for index, text in named if _END.search(text)]
    worded = [index for index, text in named if _END_LINE.search(text)]
    for number, index in enumerate(worded):
        later = [end for end in (*ends, *worded[number + 1 : number + 2]) if end > index]
        between = lines[index + 1 : min(later, default=index + 1)]
        inner = len(between) > _AT_THE_END and not any(
            pattern.search(line.text)
            for line in between
            for pattern in (_HEADER, _START, _LICENCE_START, _SMALL_PRINT_START)
        )
        if not inner:
            ends.append(index)
    return sorted(ends)


def _names_itself(text: str) -> bool:
    """Whether a marker may stand in ``text``, told at a glance."""
    lower = text.lower()
    return "gutenberg" in lower or "small print" in lower


def _begins_anew(lines: Sequence[TextLine], start: int, ends: Sequence[int]) -> bool:
    """Whether a text begins at a marker behind the first: the small print of old files may close one too."""
    if _START.search(lines[start].text):
        return True
    following = next((end for end in ends if end > start), len(lines))
    return following - start > _MIN_TEXT_ROWS


def _header_before(lines: Sequence[TextLine], start: int, first: int) -> int:
    """Where the header begins whose marker is row ``start``, where no END parts it from the text before."""
    window = range(max(first, start - _HEADER_REACH), start)
    return next((index for index in window if _HEADER.search(lines[index].text)), start)


def _unmarked_licence(lines: Sequence[TextLine], first: int) -> int:
    """Where the licence begins in the oldest files, which put it at the end without a marker."""
    for index in range((first + len(lines)) // 2, len(lines)):
        text = lines[index].text
        lower = text.lower()
        if not ("small print" in lower or "full " in lower):
            continue
        if _SMALL_PRINT_START.search(text) or _LICENCE_START.search(text):
            return index
    return len(lines)


def _end_of_marker(lines: Sequence[TextLine], index: int) -> int:
    """The row after a marker that may be broken over two or three rows."""
    text = lines[index].text.rstrip()
    for following in range(index + 1, min(index + 4, len(lines))):
        if regex.search(r"\*{2,3}$|\*END\*$", text) and text.count("*") > 3:
            return following
        if lines[following].gap:
            return following
        text = lines[following].text.rstrip()
        if text.endswith("**"):
            return following + 1
    return index + 1


def _label_credits(lines: Sequence[Line], labels: list[str | None], first: int, last: int) -> None:
    """Mark the producers' credits directly after the header, a paragraph each."""
    if first == 0:
        return
    index = first
    for _ in range(4):  # credits and an address or two; then the book begins
        end = _paragraph_end(lines, index, last)
        text = " ".join(line.text.strip() for line in lines[index:end])
        if not (_CREDITS.search(text) or (len(text) < 600 and _CREDIT_WORDS.search(text))):
            return
        if _NOTE.search(text):
            return
        for row in range(index, end):
            labels[row] = LICENCE
        index = end


def _paragraph_end(lines: Sequence[Line], index: int, last: int) -> int:
    """The row after the paragraph that begins at ``index``."""
    end = min(index + 1, last)
    while end < last and not lines[end].gap:
        end += 1
    return end


def _label_notes(lines: Sequence[Line], labels: list[str | None], first: int, last: int) -> None:
    """Mark transcribers' notes: in brackets, in a box, in a container of their own, or under a heading."""
    index = first
    while index < last:
        if labels[index] is None and _NOTE.search(lines[index].text):
            begin, end = _note_bounds(lines, index, first, last)
            for row in range(begin, end):
                labels[row] = labels[row] or TRANSCRIBER
            index = max(end, index + 1)
        else:
            index += 1


def _note_bounds(lines: Sequence[Line], index: int, first: int, last: int) -> tuple[int, int]:
    text = lines[index].text.strip()
    in_the_back = index > first + (last - first) * _BACK
    if text.startswith("["):
        return index, _closing_bracket(lines, index, last, in_the_back)
    box = _box_bounds(lines, index, first, last)
    if box:
        return box
    containers = lines[index].containers
    if containers is not None:
        return index, _container_end(lines, index, first, last, in_the_back)
    if in_the_back:
        return index, _to_the_end(lines, index, last)
    paragraph = _paragraph_end(lines, index, last)
    if paragraph > index + 1 or len(text) > _HEADING_LENGTH:
        return index, paragraph
    end = index + 2  # the heading and what it stands over
    while end < last and lines[end].gap < _SECTION_GAP:
        end += 1
    return index, min(end, last)


def _container_end(lines: Sequence[Line], index: int, first: int, last: int, in_the_back: bool) -> int:
    """The row after a note in HTML: the widest element that it opens, else as far as it speaks of the copy."""
    for container in lines[index].containers or ():
        if index > first and container in (lines[index - 1].containers or ()):
            continue
        end = index + 1
        while end < last and container in (lines[end].containers or ()):
            end += 1
        if end > index + 1 and (in_the_back or end - index < (last - first) * (1 - _BACK)):
            return end
    if in_the_back:
        return _to_the_end(lines, index, last)
    end = index + 1
    while end < last and not lines[end].heading and _ABOUT_THE_COPY.search(lines[end].text):
        end += 1
    return end


def _box_bounds(lines: Sequence[Line], index: int, first: int, last: int) -> tuple[int, int] | None:
    """The rows of the box of signs around row ``index``, borders included; ``None`` if there is no box."""
    begin, end = index, index + 1
    if _is_inside_box(lines[index].text.strip()):
        while begin > first and _is_box(lines[begin - 1].text):
            begin -= 1
        while end < last and _is_box(lines[end].text):
            end += 1
        return begin, end
    if index > first and _is_border(lines[index - 1].text):
        for row in range(index, last):
            if _is_border(lines[row].text):
                return index - 1, row + 1
    return None


def _to_the_end(lines: Sequence[Line], index: int, last: int) -> int:
    """The row after a note at the back of a book: the end, unless notes of the author follow."""
    for row in range(index + 1, last):
        if lines[row].gap and _AUTHORS_AGAIN.match(lines[row].text):
            return row
    return last


def _closing_bracket(lines: Sequence[Line], index: int, last: int, in_the_back: bool) -> int:
    """The row after the one that closes the bracket opened in row ``index``."""
    reach = last if in_the_back else min(last, index + 200)
    for row in range(index, reach):
        if lines[row].text.strip() == "]":
            return row + 1
    depth = 0
    for row in range(index, reach):
        depth += lines[row].text.count("[") - lines[row].text.count("]")
        if depth <= 0:
            return row + 1
    return last if in_the_back else _paragraph_end(lines, index, last)


def _is_border(text: str) -> bool:
    return bool(regex.fullmatch(r"\s*\+?([#*=~_-])\1{9,}\+?\s*|\s*\+[-=]{9,}\+\s*", text))


def _is_box(text: str) -> bool:
    return _is_border(text) or _is_inside_box(text.strip())


def _is_inside_box(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] == "|"
