"""Where parts and chapters may begin: the candidates, the choice among them, and their titles.

Evidence, strongest first: the file's own outline or navigation; headings with a word ("CHAPTER VII", "FIRST
LECTURE", "Vorwort"); numerals alone in sequence; heading elements of HTML; titles that the table of contents
lists. A heading that repeats the one in force is a running head and opens nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

import regex

from jung_pipeline.clean.book import Paragraph
from jung_pipeline.clean.headings import NO_TEXT, Heading, bare_numeral, is_contents_line, parse_heading
from jung_pipeline.clean.numeral_runs import (
    Start,
    eligible,
    is_own_title,
    key_of,
    numeral_chapters,
    numeral_runs,
    reach,
    verse_chapters,
    with_number,
)

#: Pieces of text before and after the chapters.
FRONT_KINDS = frozenset({"foreword", "preface", "introduction", "prologue"})

BACK_KINDS = frozenset({"appendix", "afterword"})

NAMED_KINDS = FRONT_KINDS | BACK_KINDS | {"conclusion"}

_MAX_TITLE_WORDS = 16


def worded_headings(paragraphs: Sequence[Paragraph]) -> list[Start]:
    """Headings with a word, without those that repeat the one in force."""
    found: list[Start] = []
    last: dict[str, tuple[int | None, str | None]] = {}
    for index, paragraph in enumerate(paragraphs):
        if not eligible(paragraph):
            continue
        head = _heading_of(paragraph)
        if head is None or (head.kind in NAMED_KINDS and not _stands_as_heading(paragraph)):
            continue
        same = last.get(head.kind)
        if (
            same is not None
            and head.number is not None
            and same[0] == head.number
            and _same_title(head.title, same[1])
        ):
            continue
        if head.kind in NAMED_KINDS and found and found[-1].label == head.label:
            between = paragraphs[found[-1].paragraph + 1 : index]
            if sum(len(p.text) for p in between if p.fate is None) < 400:
                continue  # the heading after a half-title
        if head.kind == "part":
            last.clear()
        last[head.kind] = (head.number, head.title)
        found.append(Start(index, head.kind, head.number, head.title, head.label, head.level))
    return found


def _same_title(one: str | None, other: str | None) -> bool:
    return one is None or other is None or key_of(one) == key_of(other)


def _heading_of(paragraph: Paragraph) -> Heading | None:
    """What the paragraph says as a heading; its first line may be the heading and the rest the title."""
    text = paragraph.text
    head = parse_heading(text)
    if head is None and "\n" in text:
        first, rest = text.split("\n", 1)
        head = parse_heading(first)
        if head is not None and head.title is None:
            one_line = regex.sub(r"\s+", " ", rest).strip()
            return replace(head, title=one_line) if _like_a_title(one_line) else None
    return head


def _stands_as_heading(paragraph: Paragraph) -> bool:
    """Whether a paragraph such as "Preface." stands as a heading and is no short sentence of a list."""
    return paragraph.kind == "heading" or (
        len(paragraph.text) < 60 and paragraph.text[:1].isupper() and paragraph.kind != "list"
    )


def _like_a_title(text: str, *, headed: bool = False) -> bool:
    """Whether a paragraph after a bare heading is the chapter's title and not its first sentence.

    Args:
        text: of the paragraph.
        headed: whether it is set like a heading (size, weight, or wide blanks around it).
    """
    if not text or len(text) > 200 or is_contents_line(text):
        return False
    words = text.split()
    if text.isupper():
        return len(words) <= 40
    if headed and len(words) <= _MAX_TITLE_WORDS and text[-1] not in ",;:-":
        return True
    if len(words) > _MAX_TITLE_WORDS or regex.search(r"[.!?:;,—-]['\"”’)]*$", text):
        capital = list(regex.findall(r"\p{L}{4,}", text))
        titled = capital and sum(word[0].isupper() for word in capital) >= 0.8 * len(capital)
        return bool(titled) and len(words) <= _MAX_TITLE_WORDS and text[-1] in ".?!"
    return text[0].isupper() or text[0] in '"“‘«„' or text[0].isdigit()


def _elements(paragraphs: Sequence[Paragraph], worded: Sequence[Start]) -> list[Start]:
    """Heading elements of the level at which the book's chapters stand."""
    headings = [
        (index, p)
        for index, p in enumerate(paragraphs)
        if p.from_heading_element
        and p.fate is None
        and len(p.text) < 300
        and not NO_TEXT.fullmatch(p.text.strip(" .:"))
    ]
    parts = {start.paragraph for start in worded if start.level == 1}
    if parts and parts == {
        index for index, p in headings if p.element_level == paragraphs[min(parts)].element_level
    }:
        headings = [(index, p) for index, p in headings if index not in parts]  # chapters stand below
    if len(headings) < 2:
        return []
    by_level: dict[int, list[int]] = defaultdict(list)
    for index, p in headings:
        by_level[p.element_level or 9].append(index)
    known = Counter(
        paragraphs[start.paragraph].element_level
        for start in worded
        if paragraphs[start.paragraph].from_heading_element
        and start.level == 2
        and start.kind not in NAMED_KINDS
    )
    if known:
        level = known.most_common(1)[0][0]
    else:
        lengths = {
            level: sum(len(p.text) for p in paragraphs[indices[0] :]) / len(indices)
            for level, indices in by_level.items()
            if len(indices) >= 2
        }
        fitting = [level for level in sorted(lengths) if lengths[level] >= 300]
        if not fitting:
            return []
        level = fitting[0]
        if len(by_level[level]) == 2 and len(fitting) > 1 and len(by_level[fitting[1]]) >= 4:
            level = fitting[1]
    return [
        with_number(
            Start(index, "chapter", None, regex.sub(r"\s+", " ", paragraphs[index].text), "", 2),
            paragraphs[index],
        )
        for index in by_level[level or 9]
    ]


def _listed(paragraphs: Sequence[Paragraph], contents: Collection[str]) -> list[Start]:
    """Paragraphs that are, word for word, a title of the table of contents."""
    if not contents:
        return []
    found: list[Start] = []
    seen: set[str] = set()
    behind = next((i for i, p in enumerate(paragraphs) if p.fate == "contents"), 0)
    for index, paragraph in enumerate(paragraphs):
        if not eligible(paragraph) or paragraph.kind != "heading" or index < behind:
            continue
        key = key_of(paragraph.text)
        no_text = NO_TEXT.fullmatch(paragraph.text.strip(" .:"))
        if len(key) >= 4 and key in contents and key not in seen and not no_text:
            seen.add(key)
            found.append(Start(index, "chapter", None, paragraph.text, "", 2))
    return found


def choose_starts(
    paragraphs: Sequence[Paragraph],
    worded: list[Start],
    outline: Sequence[Start],
    contents: Collection[str],
    own_titles: Collection[str] = (),
) -> list[Start]:
    """The starts that count, of all candidates."""
    chapters = [s for s in worded if s.level == 2 and s.kind not in NAMED_KINDS]
    named = [s for s in worded if s.kind in NAMED_KINDS]
    parts = [s for s in worded if s.level == 1]
    sections = [s for s in worded if s.kind == "section"]
    if len([s for s in outline if s.level == 2 and s.kind not in NAMED_KINDS]) >= 2:
        known = {s.kind for s in outline}
        extra = [s for s in chapters if s.kind not in known and s.kind != "section" and s.label]
        first, last = outline[0].paragraph, outline[-1].paragraph
        inner = ("introduction", "conclusion")  # of the essays of a collection
        around = [s for s in named if s.kind not in inner or not first < s.paragraph < last]
        return _merge(paragraphs, list(outline), [s for s in parts if "part" not in known], around, extra)
    if not chapters and len(sections) >= 2:
        chapters = [replace(s, level=2) for s in sections]
    elements = [
        s for s in _elements(paragraphs, worded) if not is_own_title(paragraphs[s.paragraph].text, own_titles)
    ]
    numerals = numeral_chapters(paragraphs, parts)
    if len(chapters) >= 2 and not reach(numerals) > 3 * reach(chapters) > 0:
        return _merge(paragraphs, chapters, parts, named, _beside(chapters, elements))
    if verses := verse_chapters(paragraphs):
        return _merge(paragraphs, verses, parts, named)
    listed = _listed(paragraphs, contents)
    if numerals and not _heads_sections(paragraphs, numerals, listed):
        return _merge(
            paragraphs,
            numerals,
            parts,
            named,
            [s for s in chapters if not _divides(s, numerals)],
            _of_level(paragraphs, elements, numerals) if len(elements) <= 2 * len(numerals) else [],
        )
    if elements:
        return _merge(paragraphs, parts, _of_level(paragraphs, named, elements), chapters, elements)
    if len(listed) >= 2:
        return _merge(paragraphs, parts, named, listed, chapters)
    runs = [run for run in numeral_runs(paragraphs) if not run[0].label.isdigit()]
    return _merge(paragraphs, chapters, parts, named, runs[0] if len(runs) == 1 else [])


def _heads_sections(
    paragraphs: Sequence[Paragraph], numerals: Sequence[Start], listed: Sequence[Start]
) -> bool:
    """Whether bare numerals divide the chapters that the contents list.

    Those are more, lie further apart, and few of them are a numeral's title.
    """
    titles = [s for s in listed if parse_heading(paragraphs[s.paragraph].text) is None]
    beside = {_next_live(paragraphs, start.paragraph) for start in numerals}
    beside |= {start.paragraph - 1 for start in numerals}
    return (
        len(titles) >= max(3, len(numerals))
        and reach(titles) > reach(numerals)
        and all(start.title is None for start in numerals)
        and sum(start.paragraph in beside for start in titles) < 0.5 * len(numerals)
    )


def _of_level(
    paragraphs: Sequence[Paragraph], starts: Sequence[Start], chapters: Sequence[Start]
) -> Sequence[Start]:
    """The starts that stand no lower than the chapters, where the file says at which level headings stand."""
    level = paragraphs[chapters[0].paragraph].element_level
    return [s for s in starts if level is None or (paragraphs[s.paragraph].element_level or level) <= level]


def _divides(start: Start, numerals: Sequence[Start]) -> bool:
    """Whether a worded chapter stands inside a run of numerals: it divides one of its pieces."""
    return numerals[0].paragraph < start.paragraph < numerals[-1].paragraph or (
        start.paragraph > numerals[-1].paragraph and start.number is not None and start.kind == "chapter"
    )


def _beside(chapters: Sequence[Start], elements: Sequence[Start]) -> Sequence[Start]:
    """Heading elements that stand beside worded chapters; none where they divide them (as many as chapters)."""
    known = {start.paragraph for start in chapters}
    inside = [
        start
        for start in elements
        if chapters[0].paragraph < start.paragraph < chapters[-1].paragraph and start.paragraph not in known
    ]
    titles = sum(start.paragraph - 1 in known for start in inside)
    return elements if len(inside) - titles < len(chapters) else []


def _merge(paragraphs: Sequence[Paragraph], *groups: Sequence[Start]) -> list[Start]:
    """All groups in order of place; where two name one place (or a heading and its title), the first group's."""
    taken: dict[int, Start] = {}
    claimed: set[int] = set()
    for group in groups:
        for start in group:
            if start.paragraph in claimed:
                continue
            taken[start.paragraph] = start
            claimed.add(start.paragraph)
    ordered = [taken[index] for index in sorted(taken)]
    kept: list[Start] = []
    for start in ordered:
        before = kept[-1] if kept else None
        if before is not None and not start.label and start.number is None:
            between = paragraphs[before.paragraph + 1 : start.paragraph]
            if before.title is None and not any(p.fate is None for p in between) and before.level == 2:
                continue  # the title of the heading before it
        kept.append(start)
    return kept


def with_titles(paragraphs: Sequence[Paragraph], starts: list[Start]) -> list[Start]:
    """Starts with the title that stands in the paragraph after a bare heading."""
    places = {start.paragraph for start in starts}
    complete = []
    for start in starts:
        if start.title is not None or start.kind in NAMED_KINDS or not start.rows:
            complete.append(start)
            continue
        index = _next_live(paragraphs, start.paragraph)
        if index is None or (index in places and not _named_title(starts, index)):
            complete.append(start)
            continue
        following = paragraphs[index]
        text = regex.sub(r"\s+", " ", following.text).strip()
        head = parse_heading(text)
        known = (head is not None and head.kind not in NAMED_KINDS) or bare_numeral(text) is not None
        after = _next_live(paragraphs, index)
        if (
            not known
            and following.kind in ("heading", "body", "quotation")
            and _like_a_title(text, headed=following.kind == "heading")
            and after is not None
        ):
            complete.append(replace(start, title=text, rows=index - start.paragraph + 1))
        else:
            complete.append(start)
    titles = {start.paragraph + start.rows - 1 for start in complete if start.rows > 1}
    return [start for start in complete if start.paragraph not in titles]


def _named_title(starts: Sequence[Start], index: int) -> bool:
    """Whether the start at paragraph ``index`` is a bare "INTRODUCTION", which may be a numbered chapter's title."""
    start = next(s for s in starts if s.paragraph == index)
    return start.kind in NAMED_KINDS and start.title is None


def _next_live(paragraphs: Sequence[Paragraph], index: int) -> int | None:
    for at in range(index + 1, min(index + 8, len(paragraphs))):
        if paragraphs[at].fate is None and paragraphs[at].kind != "footnote":
            return at
    return None
