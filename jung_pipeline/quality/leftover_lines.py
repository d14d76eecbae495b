"""Lines of a cleaned text that do not belong there, and quotation marks that do not agree."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jung_pipeline.quality.leftover_text import Leftover, Leftovers, Text

#: A line of so many letters is told again; on so many pages it is no chance.
_LETTERS_OF_A_LINE, _PAGES, _A_TITLE = 10, 4, 60
#: Paragraphs of a chapter whose quotation marks do not agree: so many, and this share of those that have any.
_QUOTES, _QUOTES_SHARE = 8, 0.2


def template(line: str) -> str:
    """A line without digits, signs and blanks, in small letters: what a running head is from page to page."""
    return "".join(filter(str.isalpha, line)).casefold()


def find_lines(
    found: Leftovers, text: Text, raw_text: pa.Table, cleaned_text: pa.Table, ledger: pa.Table
) -> None:
    """Lines of the text that are running heads elsewhere, or stand on many pages."""
    heads = ledger.filter(pc.is_in(ledger["rule"], pa.array(["running_head", "stamp"])))
    known: Counter[str] = Counter()
    begins: dict[str, int] = {}  # the heading that a running head repeats stands before it
    for before, line_id in zip(heads["before"].to_pylist(), heads["line_id"].to_pylist(), strict=True):
        key = template(before)
        known[key] += 1
        begins.setdefault(key, line_id)
    spans = pc.list_flatten(cleaned_text["spans"]).combine_chunks()
    line_of = pc.struct_field(spans, "line_id").to_numpy()
    row_of = pc.list_parent_indices(cleaned_text["spans"]).to_numpy()
    first = dict(
        zip(line_of[::-1].tolist(), zip(row_of[::-1].tolist(), _starts(spans), strict=True), strict=True)
    )
    lines = raw_text.column("text").to_pylist()
    pages = raw_text.column("page").to_pylist()
    by_template: dict[str, list[int]] = defaultdict(list)
    # Most lines are told at a glance: by their first and last letter, or as running text.
    ends = {(key[0], key[-1]) for key in known if key}
    for line_id in np.unique(line_of).tolist():
        line = lines[line_id]
        if len(line) >= 6 and (_ends_of(line) in ends or (len(line) <= _A_TITLE and _like_a_title(line))):
            key = template(line)
            if len(key) >= 6:
                by_template[key].append(line_id)
    for key, line_ids in by_template.items():
        is_head = known[key] >= 2 and len(key) >= 6
        on_pages = {pages[line_id] for line_id in line_ids}
        repeated = len(key) >= _LETTERS_OF_A_LINE and len(on_pages) >= _PAGES
        if not (is_head or repeated):
            continue
        for line_id in line_ids:
            row, start = first[line_id]
            if text.kinds[row] in ("heading", "verse", "footnote", "table"):
                continue
            if is_head and line_id < begins[key]:
                continue
            if not _stands_alone(text, row, start, lines[line_id]):
                continue
            if not is_head and not _like_a_title(lines[line_id]):
                continue
            begin = text.starts[row] + start
            kind = "running_head" if is_head else "repeated_line"
            end = begin + len(lines[line_id].strip())
            found.add(kind, partial(text.leftover, kind, begin, end))


def _ends_of(line: str) -> tuple[str, str]:
    """First and last letter, small; empty where there is none."""
    first = next(filter(str.isalpha, line), "")
    return first.casefold(), next(filter(str.isalpha, reversed(line)), "").casefold()


def _starts(spans: pa.StructArray) -> Sequence[int]:
    return pc.struct_field(spans, "start").to_numpy()[::-1].tolist()


def _stands_alone(text: Text, row: int, start: int, line: str) -> bool:
    """Whether the line is whole in the text: the same words, which a sentence may have too, are not a head."""
    line = unicodedata.normalize("NFC", line.strip())
    return text.texts[row][start : start + len(line)] == line


def _like_a_title(line: str) -> bool:
    """Whether most words begin with a capital, as in a title and at no end of a sentence."""
    words = [word for word in line.split() if word[0].isalpha()]
    return len(words) >= 2 and sum(word[0].isupper() for word in words) >= 0.6 * len(words)


def find_quotes(found: Leftovers, text: Text) -> None:
    """Chapters in many of whose paragraphs quotation marks do not agree.

    A quotation over several paragraphs opens in the first and closes in the last; those between may open too.
    """
    chapters = text.table.column("chapter_index").to_pylist()
    tally: dict[int, list[int]] = {}
    still_open: dict[int, int] = {}
    for row, (chapter, own) in enumerate(zip(chapters, text.texts, strict=True)):
        low, left, right = own.count("„"), own.count("“"), own.count("”")
        inward, outward = own.count("»"), own.count("«")
        if not (low or left or right or inward or outward):
            continue
        sums = tally.setdefault(chapter, [row, 0, 0])
        sums[1] += 1
        opened, closed = (low, left + right) if low else (left, right)
        before = still_open.get(chapter, 0)
        again = int(before > 0 and own[:1] in "“„")
        depth = before + opened - again - closed
        agree = depth in (0, 1) and abs(inward - outward) in (0, int(own[:1] in "«»"))
        still_open[chapter] = min(max(depth, 0), 1)
        sums[2] += not agree
    for row, quoting, wrong in tally.values():
        if wrong >= _QUOTES and wrong >= _QUOTES_SHARE * quoting:
            start = text.starts[row]
            found.add("unbalanced_quotes", partial(_quoting, text, start, wrong, quoting))


def _quoting(text: Text, start: int, wrong: int, quoting: int) -> Leftover:
    """The find of a chapter that begins at ``start``."""
    leftover = text.leftover("unbalanced_quotes", start, start + 1)
    return replace(leftover, text=f"in {wrong} of {quoting} paragraphs with quotation marks")
