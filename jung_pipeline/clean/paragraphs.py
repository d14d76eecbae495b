"""Lines to paragraphs: which lines belong together, of what kind each paragraph is, and how lines are joined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import regex

from jung_pipeline.clean.book import Book, Line, Paragraph
from jung_pipeline.clean.headings import bare_numeral, parse_heading
from jung_pipeline.clean.hyphenation import HARD_HYPHEN, LINE_END_SIGNS, join_between
from jung_pipeline.clean.layout import (
    SENTENCE_END,
    Frame,
    breaks_between,
    frames,
    mark_verse,
    uses_indents,
)
from jung_pipeline.extract import gutenberg

#: Element of an HTML row → kind of paragraph.
_KINDS = {
    "blockquote": "quotation",
    "verse": "verse",
    "pre": "verse",
    "li": "list",
    "dt": "list",
    "dd": "list",
    "td": "table",
    "th": "table",
    "tr": "table",
    "caption": "caption",
    "figcaption": "caption",
    "footnote": "footnote",
    "notes": "footnote",
}
#: Element → rule that takes its rows out.
_FATES = {
    "gutenberg_licence": "licence",
    "transcriber_note": "transcriber_note",
    "toc": "contents",
    "lot": "contents",
    "title": "front_matter",
    "copyright": "front_matter",
    "cover": "front_matter",
    "dedication": "front_matter",
    "colophon": "back_matter",
    "advertisement": "back_matter",
    "index": "index",
    "bibliography": "bibliography",
    "nav": "navigation",
}
_HEADING_ELEMENT = re.compile(r"h[1-6]")
_ORNAMENT = regex.compile(r"[\s*·•.—–_=~#+§◆■□●○♦❦❧☙-]+")
_ILLUSTRATION = regex.compile(r"\[Illustration[^\]]*\]?", regex.IGNORECASE)
_CAPTION = regex.compile(
    r"(?:Fig(?:ure|\.)?|Abb(?:ildung|\.)?|Plate|Tafel|PLATE|FIG\.)\s*[\dIVXLC]+\b.{0,200}$"
)
_COLUMNS = regex.compile(r"\S {3,}\S")
_NAME = regex.compile(r"(?:(?:\p{Lu}\. ?){1,4}|(?:Dr|Prof)\. )[\p{Lu}\p{Ll}-]+\.?|(?:\p{Lu}\.\s?){2,5}")
_LONGEST_HEADING = 160
#: Lines that <br> ends are verse if none is longer; preformatted lines are prose if all fill at least so much.
_LONGEST_VERSE, _FILLED_LINE = 75, 50
#: So many lines of verse make a paragraph where the file does not show the stanzas.
_STANZA = 12


def fates_by_element(book: Book) -> None:
    """Take out the rows that extraction has recognised as no text of the book's."""
    for line in book.lines:
        if line.fate is None and line.element in _FATES:
            line.fate = _FATES[line.element]
    if book.info.format == "pdf":
        # Extraction marks Project Gutenberg's words in texts and HTML; a PDF's lines carry no roles.
        behind = 0
        for first, last in [*gutenberg.texts_of(book.lines), (len(book.lines), 0)]:
            for line in book.lines[behind:first]:
                line.fate = "licence"
            behind = last


def assemble(book: Book) -> None:
    """Make ``book.paragraphs`` of the live lines, and the tracked text the paragraphs' text."""
    lines = [line for line in book.live() if line.words]
    body = [line for line in lines if line.note is None]
    framed = frames(body) if book.has_boxes else {}
    verse = mark_verse(book, body, framed)
    indents = uses_indents(body, framed) if framed else False
    width = max((len(line.words) for line in body), default=72)
    groups = list(_groups(body, book, framed, verse, indents))
    paragraphs: list[Paragraph] = []
    for group in groups:
        paragraphs += _paragraphs_of(group, book, framed, verse, width)
    paragraphs += _note_paragraphs(book, lines)
    paragraphs.sort(key=lambda p: p.lines[0])
    book.paragraphs = paragraphs
    for line in book.lines:
        if line.fate is not None:
            book.tracked.touch(line.start, line.end, line.fate)
    _rebuild(book)


def _groups(
    lines: Sequence[Line], book: Book, framed: dict[int, Frame], verse: set[int], indents: bool
) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in lines:
        if group:
            last = group[-1]
            both = (last.index in verse, line.index in verse) if verse else ()
            if last.element == "verse" == line.element and last.block != line.block:
                # A block of several lines is a stanza. Where every line of the poem is a block of its own, they
                # stay together up to the end of a sentence.
                new = (len(group) > 1 and group[-2].block == last.block) or (
                    len(group) >= _STANZA
                    and (bool(SENTENCE_END.search(last.words)) or len(group) >= 4 * _STANZA)
                )
            elif both and all(both):
                new = (line.gap > 0 and not framed) or line.page != last.page or _far(last, line, framed)
            elif any(both):
                new = True
            else:
                new = breaks_between(last, line, book, framed, indents)
            if new:
                yield group
                group = []
        group.append(line)
    if group:
        yield group


def _far(before: Line, after: Line, framed: dict[int, Frame]) -> bool:
    frame = framed.get(after.index)
    if frame is None or before.y0 is None or after.y0 is None:
        return False
    return after.y0 - before.y0 > 1.45 * frame.pitch


def _paragraphs_of(
    group: list[Line], book: Book, framed: dict[int, Frame], verse: set[int], width: int
) -> list[Paragraph]:
    """One paragraph, or several where a heading stands directly on its text."""
    first = group[0]
    if first.element is not None:
        return [_from_element(group)]
    if first.index in verse:
        return [Paragraph("verse", [line.index for line in group])]
    if _is_list_of_headings(group):
        return [Paragraph("table", [line.index for line in group])]  # a list of chapters
    if len(group) > 1 and (head := parse_heading(first.words)) and not head.title:
        rest = _paragraphs_of(group[1:], book, framed, verse, width)
        return [Paragraph("heading", [first.index], heading_level=head.level), *rest]
    indices = [line.index for line in group]
    whole = " ".join(line.words for line in group)
    if _ORNAMENT.fullmatch(whole):
        return [Paragraph("body", indices, fate="ornament")]
    if _ILLUSTRATION.fullmatch(whole):
        bare = regex.fullmatch(r"\[Illustration:?\s*\]?", whole, regex.IGNORECASE)
        return [Paragraph("caption", indices, fate="ornament" if bare else None)]
    if level := _heading_level(group, whole, book):
        return [Paragraph("heading", indices, heading_level=level)]
    if (
        not framed
        and len(group) >= 3
        and sum(bool(_COLUMNS.search(line.words)) for line in group) >= 0.6 * len(group)
    ):
        return [Paragraph("table", indices)]
    if len(group) <= 4 and _CAPTION.match(whole) and (first.size or 0) < (book.body_size or 1):
        return [Paragraph("caption", indices)]
    return [Paragraph("quotation" if _set_in(group, framed, width) else "body", indices)]


def _is_list_of_headings(group: list[Line]) -> bool:
    """Whether three lines or more, and half of all, are chapters' headings."""
    least = max(3, len(group) / 2)
    # Lines of prose begin with small letters, most of them.
    may_be = [line.words for line in group if not line.words[:1].islower()]
    return len(may_be) >= least and sum(parse_heading(words) is not None for words in may_be) >= least


def _from_element(group: list[Line]) -> Paragraph:
    element = group[0].element or "p"
    indices = [line.index for line in group]
    if _HEADING_ELEMENT.fullmatch(element):
        level = int(element[1]) + 1
        return Paragraph(
            "heading", indices, heading_level=level, from_heading_element=True, element_level=level
        )
    whole = " ".join(line.words for line in group)
    kind = _KINDS.get(element, "body")
    if _ORNAMENT.fullmatch(whole) and kind != "footnote":
        return Paragraph("body", indices, fate="ornament")
    least = {"body": 3, "quotation": 2}.get(kind)
    if least is not None and len(group) >= least and max(len(line.words) for line in group) <= _LONGEST_VERSE:
        kind = "verse"
    elif element == "pre" and _is_filled(group):
        kind = "body"
    return Paragraph(kind, indices, note_id=group[0].element_id if kind == "footnote" else None)


def _is_filled(group: list[Line]) -> bool:
    """Whether preformatted lines are prose broken at a width: all but the last are about as long as the longest."""
    lengths = [len(line.words) for line in group[:-1]]
    return bool(lengths) and min(lengths) >= 0.75 * max(lengths) and max(lengths) >= _FILLED_LINE


def _heading_level(group: list[Line], whole: str, book: Book) -> int | None:
    """The level of a heading by wording, size, weight or capitals; ``None`` for text."""
    if len(group) > 4 or len(whole) > _LONGEST_HEADING:
        return None
    head = parse_heading(whole)
    if head is not None:
        return head.level
    size = group[0].size
    letters = "".join(filter(str.isalpha, whole))
    if not letters or _NAME.fullmatch(whole):
        return None
    ended = bool(SENTENCE_END.search(whole)) or whole[-1:] in ",;:-"
    if size and book.body_size:
        if (
            size >= 1.18 * book.body_size
            and len(group) <= 3
            and (not ended or len(whole) < 60)
            and len(letters) >= 2
        ):
            return 3
        if size < 0.95 * book.body_size:
            return None
        if all(line.bold for line in group) and not ended and len(whole) <= 100:
            return 4
    if letters.isupper() and len(letters) >= 4 and not regex.search(r"\d{3}", whole):
        return 3 if not (ended and whole[-1] in ",;:-") else None
    labelled = group[0].index > 0 and _is_label(book.lines[group[0].index - 1].words)
    if (
        (group[0].gap >= 2 or labelled or (group[0].index == 0 and _is_counted(whole)))
        and not book.has_boxes
        and (len(group) == 1 or (len(group) == 2 and _gap_after(group, book) >= 2))
        and len(whole) <= 85 * len(group)
        and (whole[0].isupper() or _is_counted(whole))
        and whole[-1] not in ",;:-"
        and not (ended and len(whole.split()) > 6 and _gap_after(group, book) < 2)
    ):
        return 4
    return None


def _is_counted(text: str) -> bool:
    """Whether a line is a heading with a numeral: "IV.", "4. The Well"; "116. XIV. THE SUN" begins with an address."""
    numeral = bare_numeral(text)
    return numeral is not None and (numeral[1] is None or bare_numeral(numeral[1]) is None)


def _is_label(text: str) -> bool:
    """Whether a line is a heading without a title: "IV." or "CHAPTER IV"."""
    numeral = bare_numeral(text)
    head = parse_heading(text)
    return (numeral is not None and numeral[1] is None) or (
        head is not None and head.number is not None and not head.title
    )


def _gap_after(group: list[Line], book: Book) -> int:
    """Blank lines after a group of lines."""
    after = group[-1].index + 1
    return book.lines[after].gap if after < len(book.lines) else 0


def _set_in(group: list[Line], framed: dict[int, Frame], width: int) -> bool:
    """Whether every line is set in from the left: a block quotation."""
    if len(group) < 2:
        return False
    if framed:
        return all(
            (frame := framed.get(line.index)) is not None and line.x0 is not None and line.x0 - frame.left > 7
            for line in group
        )
    return all(2 <= line.indent <= 20 for line in group) and any(len(line.words) > 30 for line in group)


def _note_paragraphs(book: Book, lines: Sequence[Line]) -> list[Paragraph]:
    """A footnote row for each note at a page's foot."""
    live = {line.index for line in lines}
    found = []
    for note in book.page_notes:
        indices = [index for index in note.lines if index in live]
        if indices:
            found.append(Paragraph("footnote", indices, note_mark=note.mark))
    return found


def _rebuild(book: Book) -> None:
    """The tracked text as paragraphs, a blank line between; the lines' own places are void after this."""
    pieces: list[tuple[int, int] | str] = []
    for number, paragraph in enumerate(book.paragraphs):
        if number:
            pieces.append("\n\n")
        by_line = paragraph.kind in ("verse", "table")
        before: Line | None = None
        for index in paragraph.lines:
            line = book.lines[index]
            words = line.words
            start, end = line.start, line.end
            if len(words) < end - start:
                start, end = end - len(line.text.lstrip()), start + len(line.text.rstrip())
            if before is None:
                pass
            elif by_line:
                pieces += _plain_hyphen(pieces, book)
                pieces.append("\n")
            elif before.words[-1:] not in LINE_END_SIGNS and words[:1] != "—":
                pieces.append(" ")
            else:
                how = join_between(before.words, words, book.lexicon)
                if how == "-" and book.keep.holds("line_hyphen", line.page):
                    pieces += _plain_hyphen(pieces, book)
                elif how == "-":
                    _drop_hyphen(pieces, book)
                else:
                    pieces += [*_plain_hyphen(pieces, book), *([how] if how else [])]
            pieces.append((start, end))
            before = line
        pieces += _plain_hyphen(pieces, book)
        first = book.lines[paragraph.lines[0]]
        paragraph.page = first.page
    book.tracked.rebuild(pieces)
    book.sync_paragraphs()


def _plain_hyphen(pieces: list[tuple[int, int] | str], book: Book) -> list[str]:
    """The plain hyphen in place of a special one at the end of the last piece, where the word stays divided."""
    last = pieces[-1]
    if not isinstance(last, tuple) or book.tracked.text[last[1] - 1] not in ("¬", HARD_HYPHEN):
        return []
    book.tracked.touch(last[1] - 1, last[1], "hyphen_form")
    pieces[-1] = (last[0], last[1] - 1)
    return ["-"]


def _drop_hyphen(pieces: list[tuple[int, int] | str], book: Book) -> None:
    """Take the hyphen off the end of the last piece."""
    last = pieces[-1]
    assert isinstance(last, tuple)
    end = last[1]
    while end > last[0] and book.tracked.text[end - 1] not in "-¬":
        end -= 1
    book.tracked.touch(end - 1, last[1], "line_hyphen")
    book.report["words joined at line ends"] += 1
    pieces[-1] = (last[0], end - 1)
