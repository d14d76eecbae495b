"""Parts, chapters and prefaces: where each begins, what it is called, and which paragraphs stand in it.

Evidence, strongest first: the file's own outline or navigation; headings with a word ("CHAPTER VII", "FIRST
LECTURE", "Vorwort"); numerals alone in sequence; heading elements of HTML; titles that the table of contents
lists. A heading that repeats the one in force is a running head and opens nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import regex

from jung_pipeline import tables
from jung_pipeline.clean.book import Paragraph
from jung_pipeline.clean.headings import (
    Heading,
    bare_numeral,
    cited,
    in_title_case,
    is_contents_line,
    parse_heading,
)
from jung_pipeline.clean.lexicon import guess_language
from jung_pipeline.schemas import CLEANED_TEXT, PARAGRAPH_SEPARATOR

#: Pieces of text before and after the chapters.
FRONT_KINDS = frozenset({"foreword", "preface", "introduction", "prologue"})
BACK_KINDS = frozenset({"appendix", "afterword"})
_NAMED_KINDS = FRONT_KINDS | BACK_KINDS | {"conclusion"}
_MAX_TITLE_WORDS = 16


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


def assign_places(
    paragraphs: Sequence[Paragraph],
    language: str,
    *,
    outline: Sequence[Start] = (),
    contents: Collection[str] = (),
) -> list[Start]:
    """Give every paragraph its part, chapter and section; returns the starts in order.

    Args:
        paragraphs: of one volume; those with a fate are passed over.
        language: of the volume, for how titles are cited.
        outline: starts that the file's outline or navigation names, already located.
        contents: keys (:func:`key_of`) of the titles in the table of contents.
    """
    worded = _without_inner_parts(_worded(paragraphs))
    starts = _choose(paragraphs, worded, outline, contents)
    starts = _with_titles(paragraphs, starts)
    starts = _without_title_page(paragraphs, starts)
    starts = _without_empty_ends(paragraphs, _outside_appendices(_levels(starts)))
    _walk(paragraphs, starts, language)
    return starts


# --------------------------------------------------------------------------------------------------
# candidates
# --------------------------------------------------------------------------------------------------


def _eligible(paragraph: Paragraph) -> bool:
    return (
        paragraph.fate is None
        and paragraph.kind in ("heading", "body", "quotation", "list", "verse")
        and len(paragraph.text) <= 220
    )


def _worded(paragraphs: Sequence[Paragraph]) -> list[Start]:
    """Headings with a word, without those that repeat the one in force."""
    found: list[Start] = []
    last: dict[str, tuple[int | None, str | None]] = {}
    for index, paragraph in enumerate(paragraphs):
        if not _eligible(paragraph):
            continue
        head = _heading_of(paragraph)
        if head is None or (head.kind in _NAMED_KINDS and not _stands_as_heading(paragraph)):
            continue
        same = last.get(head.kind)
        if same is not None and head.number is not None and same[0] == head.number:
            if head.title is None or same[1] is None or key_of(head.title) == key_of(same[1] or ""):
                continue
        if head.kind in _NAMED_KINDS and found and found[-1].label == head.label:
            between = paragraphs[found[-1].paragraph + 1 : index]
            if sum(len(p.text) for p in between if p.fate is None) < 400:
                continue  # the heading after a half-title
        if head.kind == "part":
            last.clear()
        last[head.kind] = (head.number, head.title)
        found.append(Start(index, head.kind, head.number, head.title, head.label, head.level))
    return found


def _without_inner_parts(starts: list[Start]) -> list[Start]:
    """Without parts that divide a chapter: a series I, II … whose first follows a chapter and holds none."""
    if sum(s.level == 2 and s.kind in ("chapter", "lecture") for s in starts) < 2:
        return starts
    inner: set[int] = set()
    series_is_inner = False
    for at, start in enumerate(starts):
        if start.kind != "part":
            continue
        if start.number == 1 or start.number is None:
            following = next((s for s in starts[at + 1 :] if s.kind in ("part", "chapter", "lecture")), None)
            holds_none = following is None or following.kind == "part"
            series_is_inner = holds_none and any(s.kind == "chapter" for s in starts[:at])
        if series_is_inner:
            inner.add(at)
    return [start for at, start in enumerate(starts) if at not in inner]


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


def _numerals(paragraphs: Sequence[Paragraph], *, roman: bool) -> list[list[Start]]:
    """Runs 1, 2, 3 … of headings that are a numeral of one style, alone or before a title."""
    runs: list[list[Start]] = []
    for index, paragraph in enumerate(paragraphs):
        if not _eligible(paragraph) or "\n" in paragraph.text:
            continue
        found = bare_numeral(paragraph.text)
        label = regex.match(r"[IVXLC]+|\d+", paragraph.text.strip("_=* §"))
        if found is None or label is None or label.group().isdigit() == roman:
            continue
        number, title = found
        if (title is None and _in_alphabet(paragraphs, index)) or (
            title is not None and paragraph.kind != "heading"
        ):
            continue
        start = Start(index, "chapter", number, title, label.group(), 2)
        open_run = runs[-1] if runs else None
        if open_run and number == open_run[-1].number:
            between = paragraphs[open_run[-1].paragraph + 1 : index]
            if sum(len(p.text) for p in between if p.fate is None) < 400:
                open_run[-1] = start  # a half-title before the heading itself
        elif open_run and number == (open_run[-1].number or 0) + 1:
            open_run.append(start)
        elif number == 1:
            runs.append([start])
    return [run for run in runs if len(run) >= (2 if roman else 3)]


def _in_alphabet(paragraphs: Sequence[Paragraph], index: int) -> bool:
    """Whether the single letter at ``index`` is one of the letters that divide a dictionary or an index."""
    letter = paragraphs[index].text.strip(" .")
    if len(letter) != 1:
        return False
    near = (
        other.text.strip(" .")
        for other in (*paragraphs[max(0, index - 400) : index], *paragraphs[index + 1 : index + 400])
        if len(other.text.strip(" .")) == 1
    )
    return sum(other.isalpha() and other.upper() not in "IVXLC" for other in near) >= 2


def _elements(paragraphs: Sequence[Paragraph], worded: Sequence[Start]) -> list[Start]:
    """Heading elements of the level at which the book's chapters stand."""
    headings = [
        (index, p)
        for index, p in enumerate(paragraphs)
        if p.from_heading_element and p.fate is None and len(p.text) < 300
    ]
    if len(headings) < 2:
        return []
    by_level: dict[int, list[int]] = defaultdict(list)
    for index, p in headings:
        by_level[p.heading_level or 9].append(index)
    known = Counter(
        paragraphs[start.paragraph].heading_level
        for start in worded
        if paragraphs[start.paragraph].from_heading_element and start.level == 2
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
        Start(index, "chapter", None, regex.sub(r"\s+", " ", paragraphs[index].text), "", 2)
        for index in by_level[level or 9]
    ]


def _listed(paragraphs: Sequence[Paragraph], contents: Collection[str]) -> list[Start]:
    """Paragraphs that are, word for word, a title of the table of contents."""
    if not contents:
        return []
    found, seen = [], set()
    behind = next((i for i, p in enumerate(paragraphs) if p.fate == "contents"), 0)
    for index, paragraph in enumerate(paragraphs):
        if not _eligible(paragraph) or paragraph.kind != "heading" or index < behind:
            continue
        key = key_of(paragraph.text)
        if len(key) >= 5 and key in contents and key not in seen:
            seen.add(key)
            found.append(Start(index, "chapter", None, paragraph.text, "", 2))
    return found


# --------------------------------------------------------------------------------------------------
# choice
# --------------------------------------------------------------------------------------------------


def _choose(
    paragraphs: Sequence[Paragraph],
    worded: list[Start],
    outline: Sequence[Start],
    contents: Collection[str],
) -> list[Start]:
    """The starts that count, of all candidates."""
    chapters = [s for s in worded if s.level == 2 and s.kind not in _NAMED_KINDS]
    named = [s for s in worded if s.kind in _NAMED_KINDS]
    parts = [s for s in worded if s.level == 1]
    sections = [s for s in worded if s.kind == "section"]
    if len([s for s in outline if s.level == 2 and s.kind not in _NAMED_KINDS]) >= 2:
        known = {s.kind for s in outline}
        extra = [s for s in chapters if s.kind not in known and s.kind != "section" and s.label]
        return _merge(paragraphs, list(outline), [s for s in parts if "part" not in known], named, extra)
    if not chapters and len(sections) >= 2:
        chapters = [replace(s, level=2) for s in sections]
    elements = _elements(paragraphs, worded)
    numerals = _numeral_chapters(paragraphs, parts)
    if len(chapters) >= 2 and not _reach(numerals) > 3 * _reach(chapters) > 0:
        return _merge(paragraphs, chapters, parts, named, elements)
    if numerals:
        return _merge(
            paragraphs,
            numerals,
            parts,
            named,
            chapters,
            elements if len(elements) <= 2 * len(numerals) else [],
        )
    if elements:
        return _merge(paragraphs, elements, parts, named, chapters)
    listed = _listed(paragraphs, contents)
    if len(listed) >= 2:
        return _merge(paragraphs, listed, parts, named, chapters)
    runs = _numerals(paragraphs, roman=True)
    return _merge(paragraphs, chapters, parts, named, runs[0] if len(runs) == 1 else [])


def _reach(starts: Sequence[Start]) -> int:
    """Paragraphs from the first start to the last."""
    return starts[-1].paragraph - starts[0].paragraph if starts else 0


def _numeral_chapters(paragraphs: Sequence[Paragraph], parts: Sequence[Start]) -> list[Start]:
    """Numerals that head chapters: one run through the book, or one for each part. Others head sections.

    A run that opens again and again heads the sections of essays; the run that covers most of the text wins.
    """
    for roman in (True, False):
        runs = _numerals(paragraphs, roman=roman)
        if not runs or max(map(len, runs)) < 3:
            continue
        covered = [run[-1].paragraph - run[0].paragraph for run in runs]
        if len(runs) > 1 and max(covered) >= 0.6 * len(paragraphs):
            return runs[covered.index(max(covered))]
        if len(runs) == 1 or (roman and parts and len(runs) <= len(parts) + 1):
            return [start for run in runs for start in run]
    return []


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


def _with_titles(paragraphs: Sequence[Paragraph], starts: list[Start]) -> list[Start]:
    """Starts with the title that stands in the paragraph after a bare heading."""
    places = {start.paragraph for start in starts}
    complete = []
    for start in starts:
        if start.title is not None or start.kind in _NAMED_KINDS:
            complete.append(start)
            continue
        index = _next_live(paragraphs, start.paragraph)
        if index is None or (index in places and not _named_title(starts, index)):
            complete.append(start)
            continue
        following = paragraphs[index]
        text = regex.sub(r"\s+", " ", following.text).strip()
        head = parse_heading(text)
        known = (head is not None and head.kind not in _NAMED_KINDS) or bare_numeral(text) is not None
        after = _next_live(paragraphs, index)
        if (
            not known
            and following.kind in ("heading", "body", "quotation")
            and _like_a_title(text)
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
    return start.kind in _NAMED_KINDS and start.title is None


def _next_live(paragraphs: Sequence[Paragraph], index: int) -> int | None:
    for at in range(index + 1, min(index + 8, len(paragraphs))):
        if paragraphs[at].fate is None and paragraphs[at].kind != "footnote":
            return at
    return None


def _levels(starts: list[Start]) -> list[Start]:
    """Drop sections, and introductions or conclusions that stand inside chapters, from the starts."""
    numbered = [i for i, s in enumerate(starts) if s.level == 2 and s.kind in ("chapter", "lecture")]
    if not numbered:
        return [replace(s, level=2) if s.kind == "section" else s for s in starts]
    first, last = numbered[0], numbered[-1]
    return [
        s
        for i, s in enumerate(starts)
        if not (
            s.level == 3
            or (
                s.kind in ("introduction", "conclusion")
                and first < i < last
                and not s.title
                and _within_chapter(starts, i)
            )
        )
    ]


def _outside_appendices(starts: list[Start]) -> list[Start]:
    """Without parts and chapters that an appendix counts anew."""
    kept: list[Start] = []
    highest: dict[str, int] = {}
    behind = anew = False
    for start in starts:
        if start.kind in BACK_KINDS:
            behind, anew = bool(highest), False
        elif start.number is not None and start.kind not in _NAMED_KINDS:
            anew = anew or (behind and start.number <= highest.get(start.kind, 1 << 30))
            if anew:
                continue
            highest[start.kind] = start.number
        kept.append(start)
    return kept


def _without_title_page(paragraphs: Sequence[Paragraph], starts: list[Start]) -> list[Start]:
    """Without the headings of a title page: no number, no text under them, before the first that has text."""
    for at, start in enumerate(starts):
        end = starts[at + 1].paragraph if at + 1 < len(starts) else len(paragraphs)
        under = paragraphs[start.paragraph + start.rows : end]
        has_text = any(
            len(p.text.split()) >= 20 or p.kind == "verse"
            for p in under
            if p.fate is None and p.kind != "footnote"
        )
        if has_text or (start.number is not None and start.kind != "part") or start.kind in _NAMED_KINDS:
            return starts[at:] if start.paragraph < 0.1 * len(paragraphs) else starts
    return starts


def _without_empty_ends(paragraphs: Sequence[Paragraph], starts: list[Start]) -> list[Start]:
    """Without headings at the very end of the volume that have no text under them (a publisher's list)."""
    while starts and len(starts) > 1 and starts[-1].paragraph > 0.95 * len(paragraphs):
        under = paragraphs[starts[-1].paragraph + starts[-1].rows :]
        if any(len(p.text.split()) >= 25 for p in under if p.fate is None and p.kind != "footnote"):
            break
        if (
            any(
                key_of(p.text) and len(p.text.split()) >= 6 and p.text.rstrip()[-1] in ".!?"
                for p in under
                if p.fate is None
            )
            and starts[-1].kind != "part"
        ):
            break
        starts = starts[:-1]
    return starts


def _within_chapter(starts: Sequence[Start], index: int) -> bool:
    """Whether the start at ``index`` follows a chapter directly, with no part in between."""
    return starts[index - 1].level == 2 and starts[index - 1].kind in ("chapter", "lecture")


# --------------------------------------------------------------------------------------------------
# places
# --------------------------------------------------------------------------------------------------


def _walk(paragraphs: Sequence[Paragraph], starts: Sequence[Start], language: str) -> None:
    by_place = {start.paragraph: start for start in starts}
    numbered = [s.paragraph for s in starts if s.kind not in FRONT_KINDS | BACK_KINDS]
    first = numbered[0] if numbered else None
    last = numbered[-1] if numbered else None
    chapters = sum(s.kind == "chapter" for s in starts)
    lectures_inside = chapters >= 2 and any(s.kind == "lecture" for s in starts)
    part: str | None = None
    outer: str | None = None
    current: Start | None = None
    index = 0
    begun = False
    waiting = False  # a part's heading whose first chapter has not come yet
    heading_until = -1
    before_total = sum(len(p.text) for p in paragraphs[: first or 0] if p.fate is None)
    total = sum(len(p.text) for p in paragraphs) or 1
    pending: list[Paragraph] = []
    for place, paragraph in enumerate(paragraphs):
        if paragraph.fate is not None:
            continue
        start = by_place.get(place)
        if start is not None:
            heading_until = place + start.rows - 1
            if begun and not waiting:
                index += 1
            if start.level == 1:
                part, outer = cited(start.label, start.title, language), None
                current, waiting = start, True
            else:
                if lectures_inside and start.kind == "chapter":
                    outer = cited(start.label, start.title, language)
                elif start.kind != "lecture":
                    outer = None
                if start.kind in BACK_KINDS and last is not None and place > last:
                    part = None
                current, waiting = start, False
        begun = True
        if place <= heading_until and paragraph.kind in ("heading", "body", "quotation", "verse", "list"):
            paragraph.kind = "heading"
            paragraph.heading_level = current.level if current else 2
        elif paragraph.kind == "heading":
            paragraph.heading_level = max(3, paragraph.heading_level or 3)
        if waiting and paragraph.kind not in ("heading", "footnote", "caption"):
            waiting = False  # text directly under the part's heading: the part is its chapter
        _place(
            paragraph,
            current,
            part,
            outer if current and current.kind == "lecture" else None,
            index,
            language,
        )
        paragraph.section = _section(place, current, first, last, before_total, total)
        if waiting:
            pending.append(paragraph)
        elif pending:
            # A part's heading stands in front of its first chapter and belongs to it.
            if current is not None and current.level == 2:
                for heading in pending:
                    _place(heading, current, part, None, index, language)
            pending = []


def _place(
    paragraph: Paragraph, start: Start | None, part: str | None, outer: str | None, index: int, language: str
) -> None:
    paragraph.part = outer if outer and not part else f"{part}, {outer}" if outer else part
    paragraph.chapter_index = index
    if start is None:
        return
    paragraph.chapter_kind = start.kind
    paragraph.chapter_number = start.number
    paragraph.chapter_title = start.title
    if not start.label:
        paragraph.chapter = in_title_case(start.title or "", language) or None
    elif regex.fullmatch(r"[IVXLC]+|\d+", start.label):
        paragraph.chapter = (
            f"{start.label}. {in_title_case(start.title, language)}"
            if start.title
            else f"{'Kapitel' if language == 'de' else 'Chapter'} {start.label}"
        )
    else:
        paragraph.chapter = cited(start.label, start.title, language)


def _section(
    place: int, start: Start | None, first: int | None, last: int | None, before: int, total: int
) -> str:
    if start is not None and start.kind in FRONT_KINDS and first is not None and place < first:
        return "front"
    if start is not None and start.kind in BACK_KINDS and (last is None or place > last):
        return "back"
    if start is None and first is not None and before < 0.1 * total:
        return "front"
    return "body"


def chapters_of(paragraphs: pa.Table) -> list[dict[str, object]]:
    """The parts and chapters of a volume in order, read off its paragraphs.

    Args:
        paragraphs: a ``cleaned_text`` table.

    Returns:
        ``kind``, ``number``, ``title`` (as printed), ``chapter`` (as cited) and ``paragraph`` (where it begins)
        of each part and chapter; text before the first chapter has no entry.
    """
    found: list[dict[str, object]] = []
    last_index, last_part = -1, None
    columns = [
        "paragraph",
        "kind",
        "heading_level",
        "part",
        "chapter",
        "chapter_kind",
        "chapter_number",
        "chapter_title",
        "chapter_index",
        "text",
    ]
    for row in paragraphs.select(columns).to_pylist():
        if row["kind"] == "heading" and row["heading_level"] == 1 and row["part"] != last_part:
            last_part = row["part"]
            head = parse_heading(row["text"])
            title = row["part"].split(": ", 1)[1] if ": " in (row["part"] or "") else None
            found.append(
                {
                    "kind": "part",
                    "number": head.number if head else row["chapter_number"],
                    "title": (head.title if head and head.title else None) or title,
                    "chapter": row["part"],
                    "paragraph": row["paragraph"],
                }
            )
        if row["chapter_index"] != last_index and row["kind"] != "footnote":
            if row["chapter_kind"] == "part" or (row["kind"] == "heading" and row["heading_level"] == 1):
                if row["chapter_kind"] == "part":
                    last_index = row["chapter_index"]
                continue
            last_index = row["chapter_index"]
            if row["chapter_kind"] is not None:
                found.append(
                    {
                        "kind": row["chapter_kind"],
                        "number": row["chapter_number"],
                        "title": row["chapter_title"],
                        "chapter": row["chapter"],
                        "paragraph": row["paragraph"],
                    }
                )
    return found


def paragraphs_from_text(text: str) -> pa.Table:
    """Clean text, paragraphs divided by blank lines, as a ``cleaned_text`` table with its chapters.

    The paragraphs' texts are kept to the letter but for white space at their ends; there are no raw lines,
    so ``spans`` is empty and everything stands on page 1.
    """
    paragraphs = []
    for block in regex.split(r"\n[ \t]*\n\s*", text.strip("\n")):
        if block.strip():
            head = parse_heading(block.strip())
            capitals = len(block) < 120 and block.isupper() and sum(char.isalpha() for char in block) >= 4
            kind = "heading" if head is not None or (capitals and not is_contents_line(block)) else "body"
            level = head.level if head else 3 if kind == "heading" else None
            paragraphs.append(Paragraph(kind, [], heading_level=level, text=block.strip()))
    assign_places(paragraphs, guess_language(text))
    rows, at = [], 0
    for number, paragraph in enumerate(paragraphs):
        rows.append(
            {
                "paragraph": number,
                "kind": paragraph.kind,
                "section": paragraph.section,
                "part": paragraph.part,
                "chapter": paragraph.chapter,
                "chapter_kind": paragraph.chapter_kind,
                "chapter_number": paragraph.chapter_number,
                "chapter_title": paragraph.chapter_title,
                "chapter_index": paragraph.chapter_index,
                "heading_level": paragraph.heading_level if paragraph.kind == "heading" else None,
                "page_first": 1,
                "page_last": 1,
                "page_starts": [],
                "note_links": [],
                "char_start": at,
                "char_end": at + len(paragraph.text),
                "spans": [],
                "text": paragraph.text,
            }
        )
        at += len(paragraph.text) + len(PARAGRAPH_SEPARATOR)
    return tables.from_rows(rows, CLEANED_TEXT)
