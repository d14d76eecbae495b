"""Numbered paragraphs: "[513]" or a marginal number, as in the Collected Works, are addresses and no text.

Numbers count only as a long rising sequence over the whole volume; a list of three points has none.
"""

from __future__ import annotations

import itertools

import regex

from jung_pipeline.clean.book import Book, Paragraph
from jung_pipeline.clean.inline_marks import longest_rise
from jung_pipeline.clean.tracked import Edit

#: Style → pattern at a paragraph's beginning, least members, least share that rises by one, least share on the chain.
_STYLES = {
    "bracketed": (regex.compile(r"\[\s*(\d{1,4})([a-z]?)\s*\]\.?\s*"), 3, 0.6, 0.7),
    "bare": (regex.compile(r"(\d{1,4})([a-z]?)\s+(?=[\p{Lu}“‘\"'„«(\[—])"), 5, 0.7, 0.7),
    "dotted": (regex.compile(r"(?:§\s*)?(\d{1,4})([a-z]?)\.\s+(?=\S)"), 30, 0.85, 0.85),
}
_KINDS = ("body", "quotation", "list", "verse")
_ALONE, _LONGEST_NUMBER = regex.compile(r"\[?(\d{1,4})([a-z]?)\]?"), 8


#: So few paragraphs show that all are numbered, from this number on: a list of points begins with 1.
_FEW, _NO_LIST = 3, 20


def _counts_the_paragraphs(book: Book, found: list[tuple[int, Paragraph, regex.Match[str]]]) -> bool:
    """Whether nearly every paragraph of a short text begins with the number that comes next."""
    values = [int(match.group(1)) for _, _, match in found]
    text = [p for p in book.paragraphs if p.fate is None and p.kind == "body"]
    return (
        len(found) >= max(_FEW, 0.75 * len(text))
        and values[0] > _NO_LIST
        and all(b - a == 1 for a, b in itertools.pairwise(values))
    )


def _number_alone(text: str) -> regex.Match[str] | None:
    stripped = text.strip()
    return _ALONE.fullmatch(stripped) if len(stripped) < _LONGEST_NUMBER else None


def take_out_paragraph_numbers(book: Book) -> None:
    """Move the numbers of numbered paragraphs into ``number``; a number alone belongs to the next paragraph."""
    for pattern, least, by_one, share in _STYLES.values():
        found: list[tuple[int, Paragraph, regex.Match[str]]] = []
        for index, paragraph in enumerate(book.paragraphs):
            if (
                paragraph.fate is None
                and paragraph.kind in _KINDS
                and (match := pattern.match(paragraph.text))
            ):
                found.append((index, paragraph, match))
            elif (
                paragraph.fate is None
                and paragraph.kind in _KINDS
                and (alone := _number_alone(paragraph.text))
                and pattern is not _STYLES["dotted"][0]
                and paragraph.text.strip().startswith("[") == (pattern is _STYLES["bracketed"][0])
            ):
                found.append((index, paragraph, alone))
        # "51a" follows 51.
        values = [2 * int(match.group(1)) + bool(match.group(2)) for _, _, match in found]
        chain = longest_rise(values)
        steps = [values[b] - values[a] for a, b in itertools.pairwise(chain)]
        few = pattern is _STYLES["bare"][0] and _counts_the_paragraphs(book, found)
        if len(chain) < (_FEW if few else least) or len(chain) < share * len(found):
            continue
        if sum(step <= 2 for step in steps) < by_one * len(steps):
            continue
        edits = []
        for i in chain:
            index, paragraph, match = found[i]
            number = match.group(1) + match.group(2)
            if match.end() >= len(paragraph.text.rstrip()):
                following = next((p for p in book.paragraphs[index + 1 : index + 3] if p.fate is None), None)
                if following is None or following.kind not in _KINDS:
                    continue
                paragraph.fate, following.number = "paragraph_number", number
                continue
            paragraph.number = number
            edits.append(Edit(paragraph.start, paragraph.start + match.end(), "", "paragraph_number"))
        book.tracked.apply(edits)
        book.sync_paragraphs()
        book.report["numbered paragraphs"] += len(chain)
        return
