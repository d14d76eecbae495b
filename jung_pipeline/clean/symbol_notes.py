"""Notes led by an asterisk or dagger that nothing else marks: paired with the signs that hang on words.

"The king* slept." and, a few paragraphs on, "* Not the old one." A paragraph led by such a sign is a note only
if the sign hangs on a word before it and no other note has claimed it; bullets of a list have no such signs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from jung_pipeline.clean.book import Book, Paragraph
from jung_pipeline.clean.tracked import Edit

SIGNS = "*†‡§"
_LED = regex.compile(r"(?P<mark>[*†‡§]{1,3})[.)]?\s?(?=[\p{L}\p{N}\"“‘«„(\[])")
_HANGING = regex.compile(r"(?<=[\p{L}\p{N}.,;:!?”\"’'»)])\s?([*†‡§]{1,3})(?=[\s.,;:!?)”\"—–]|$)")
#: A note stands so few paragraphs behind its sign.
_FAR = 60
_KINDS = ("body", "quotation", "list", "verse")


def hanging_signs(text: str) -> Iterator[regex.Match[str]]:
    """Signs that hang on words as notes' marks do; not the second one of a pair that frames a word."""
    for match in _HANGING.finditer(text):
        sign = match.group(1)
        opened = regex.search(rf"(?<![^\s(„“\"‘'—–]){regex.escape(sign)}(?=[^\s*])", text[: match.start()])
        if opened is None or (opened.start() == 0 and _LED.match(text)):
            yield match


def find_symbol_notes(book: Book) -> None:
    """Make footnotes of the paragraphs that asterisks and daggers lead, where a sign in the text calls for them."""
    if not any(sign in book.tracked.text for sign in SIGNS):
        return
    edits = []
    taken = [(a.raw, a.mark) for a in book.anchors if a.target is None and a.mark.strip(SIGNS) == ""]
    begins = [book.lines[p.lines[0]].raw_start for p in book.paragraphs]
    for paragraph, match in _paired(book.paragraphs, begins, sorted(taken)):
        paragraph.kind, paragraph.note_mark = "footnote", match["mark"]
        edits.append(Edit(paragraph.start, paragraph.start + match.end(), "", "note_frame"))
    book.tracked.apply(edits)
    book.sync_paragraphs()


def _paired(
    paragraphs: Sequence[Paragraph], begins: Sequence[int], taken: list[tuple[int, str]]
) -> list[tuple[Paragraph, regex.Match[str]]]:
    """The paragraphs that are such notes, and the matches of their marks.

    Args:
        paragraphs: of the volume.
        begins: where each begins in the raw text.
        taken: raised signs that are already out of the text: where they stood, in order, and which.
    """
    open_signs: Counter[str] = Counter()
    last_seen: dict[str, int] = {}
    found: list[tuple[Paragraph, regex.Match[str]]] = []
    unclaimed: Counter[str] = Counter()
    for index, paragraph in enumerate(paragraphs):
        while taken and taken[0][0] < begins[index]:
            mark = taken.pop(0)[1]
            open_signs[mark], last_seen[mark] = open_signs[mark] + 1, index
        if paragraph.fate is not None or not any(sign in paragraph.text for sign in SIGNS):
            continue
        led = _LED.match(paragraph.text) if paragraph.kind in _KINDS else None
        if led is not None:
            mark = led["mark"]
            if open_signs[mark] and index - last_seen[mark] <= _FAR:
                open_signs[mark] -= 1
                found.append((paragraph, led))
            else:
                unclaimed[mark] += 1
        if paragraph.kind == "footnote" or led is not None:
            continue
        for match in hanging_signs(paragraph.text):
            open_signs[match.group(1)] += 1
            last_seen[match.group(1)] = index
    # Where such paragraphs mostly have no sign in the text, they are points of lists.
    claimed = Counter(match["mark"] for _, match in found)
    return [(p, match) for p, match in found if claimed[match["mark"]] > unclaimed[match["mark"]]]
