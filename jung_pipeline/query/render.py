"""Passages and answers as HTML in which everything from a book or a model is text and nothing is live."""

from __future__ import annotations

from collections.abc import Collection
from html import escape

import regex

_CITATION = regex.compile(r"\[(\d{1,3}(?:\s*[,–-]\s*\d{1,3})*)\]")
_PARAGRAPHS = regex.compile(r"\n[ \t]*\n")


def render_html(title: str, passage: str, reply: str, *, number: int = 1) -> str:
    """An answer with the passage it cites as a fragment of HTML; for pages that show one beside the other.

    Title, passage and reply are escaped whole, so mark-up, links and scripts in them show as typed. The only
    links are ours: ``[n]`` in the reply leads to ``#source-n`` of a source that is there.
    """
    return (
        '<article class="answer">\n'
        f'<div class="reply">{paragraphs(reply, linked={number})}</div>\n'
        f"{source_html(title, passage, number=number)}\n"
        "</article>"
    )


def source_html(title: str, passage: str, *, number: int) -> str:
    """A numbered passage under its title."""
    return (
        f'<section class="source" id="source-{number:d}">\n'
        f"<h2>[{number:d}] {escape(title)}</h2>\n"
        f"<blockquote>{paragraphs(passage)}</blockquote>\n"
        "</section>"
    )


def paragraphs(text: str, *, linked: Collection[int] = ()) -> str:
    """``text`` escaped, a ``<p>`` for each paragraph, line breaks kept; ``[n]`` a link where n is ``linked``."""
    blocks = [block.strip() for block in _PARAGRAPHS.split(text)]
    return "".join(f"<p>{_inline(block, linked)}</p>" for block in blocks if block)


def _inline(text: str, linked: Collection[int]) -> str:
    safe = escape(text).replace("\n", "<br>\n")

    def link(match: regex.Match[str]) -> str:
        numbers = [int(n) for n in regex.findall(r"\d+", match[1])]
        if len(numbers) == 1 and numbers[0] in linked:
            return f'<a class="citation" href="#source-{numbers[0]}">{match[0]}</a>'
        return match[0]

    return _CITATION.sub(link, safe) if linked else safe
