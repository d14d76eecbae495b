"""What a search shows of a passage: the stretch where the words of the question stand thickest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import regex

from jung_pipeline.query.asking import forms_of
from jung_pipeline.query.passages import Passage
from jung_pipeline.query.signals import weights_of
from jung_pipeline.text.normalise import language_of, squeeze, stem, words

#: Between a heading and the text under it.
_HEADING_MARK = " · "
_LONGEST_HEADING = 80
_LINES = regex.compile(r"\n[ \t]*\n")
#: Characters before and behind the stretch in which a beginning or an end of a sentence is looked for.
_LEEWAY = 80


def snippet(passage: Passage, question: str, length: int = 420) -> str:
    """At most about ``length`` characters of ``passage`` in one line, with … where something is left out."""
    text = one_line(passage.text)
    if len(text) <= length:
        return text
    weights = weights_of(question, language_of(question))
    wanted = {form: weight for word, weight in weights.items() for form in forms_of(word)}
    found = [(word.start, word.end, stem(word.form)) for word in words(text)]
    found = [item for item in found if item[2] in wanted]
    start = max(
        (_start(text, item[0], length) for item in found), key=_worth(found, wanted, length), default=0
    )
    end = min(len(text), start + length)
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + 1)
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"


def _worth(
    found: Sequence[tuple[int, int, str]], wanted: Mapping[str, float], length: int
) -> Callable[[int], tuple[float, int]]:
    """Ranks the beginning of a stretch by the words in it, each counted once; then the earlier one."""

    def worth(start: int) -> tuple[float, int]:
        inside = {form for begin, end, form in found if begin >= start and end <= start + length}
        return sum(wanted[form] for form in inside), -start

    return worth


def _start(text: str, at: int, length: int) -> int:
    """Where a stretch that shows the word ``at`` begins: at a sentence if one begins near, else at a word."""
    at = min(at, max(0, len(text) - length))
    low = max(0, at - _LEEWAY)
    if low == 0:
        return 0
    ends = [match.end() for match in regex.finditer(r"[.!?…][”\"’»“]?\s|\s·\s", text[low:at])]
    if ends:
        return low + ends[-1]
    space = text.find(" ", low, at)
    return space + 1 if space >= 0 else at


def one_line(text: str) -> str:
    """``text`` in one line, its headings divided from what follows by a dot."""
    pieces: list[str] = []
    for block in _LINES.split(text):
        piece = squeeze(block)
        if not piece:
            continue
        pieces.append(piece)
        pieces.append(_HEADING_MARK if _is_heading(piece) else " ")
    return "".join(pieces[:-1])


def _is_heading(piece: str) -> bool:
    return len(piece) <= _LONGEST_HEADING and regex.search(r"[.!?…:;,”\"’»“)]$", piece) is None
