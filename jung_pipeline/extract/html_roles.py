"""What an HTML element is: block or inline, its role in the book, the mark its text gets.

Evidence, in this order: ``epub:type`` (https://idpf.github.io/epub-vocabs/structure/) and ``role="doc-…"``
(https://www.w3.org/TR/dpub-aria-1.1/), then class names that converters and Project Gutenberg use, then
the tag. What the roles mean: :mod:`jung_pipeline.extract.html_bs4`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import regex


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _table(**names: str) -> dict[str, str]:
    """Name → role, of roles with the names that mean them."""
    return {name: role for role, words in names.items() for name in words.split()}


#: Elements that begin and end a block. Everything else is inline and never breaks a word.
BLOCKS = _words(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre "
    "section summary table tbody td tfoot th thead title tr ul xmp listing plaintext html option"
)

#: Elements whose content a reader never sees as text. ``case`` is the optional branch of epub:switch.
SKIPPED = _words(
    "head title nav script style template noscript iframe object audio video canvas annotation annotation-xml "
    "metadata desc rp datalist case textarea select button"
)

HEADINGS = _words("h1 h2 h3 h4 h5 h6")

#: Roles that decide what a row is, whatever the tags inside.
STRONG = _words(
    "gutenberg_licence transcriber_note title copyright cover colophon dedication toc lot index bibliography "
    "footnote sidenote advertisement"
)

#: Which block decides a row's element where weaker blocks are nested, the strongest first.
BLOCK_ROLES = ("verse", "caption", "figcaption", "td", "dt", "dd", "li", "blockquote", "pre")

#: Values of epub:type, and of role without "doc-".
_TYPES = _table(
    footnote="footnote endnote rearnote note annotation",
    notes="footnotes endnotes rearnotes",
    toc="toc toc-brief landmarks page-list",
    lot="loi lot loa lov",
    title="titlepage halftitlepage halftitle",
    copyright="copyright-page imprint imprimatur",
    colophon="colophon z3998:publisher-logo",
    cover="cover",
    dedication="dedication",
    index="index",
    bibliography="bibliography",
    blockquote="epigraph",
    sidenote="pullquote",
    verse="z3998:verse z3998:poem z3998:song z3998:hymn z3998:lyrics",
    noteref="noteref annoref",
    backlink="backlink",
    pagebreak="pagebreak",
)

#: Class names of blocks, whole and in lower case.
_CLASSES = _table(
    footnote="footnote footnotetext footnote-text foot-note endnote end-note rearnote fn ftn note-text notetext "
    "_idfootnote fnote",
    notes="footnotes endnotes rearnotes notes-section _idfootnotes _idendnotes",
    toc="toc contents tableofcontents table-of-contents sgc-toc-level",
    lot="loi lot illustrations list-of-illustrations",
    verse="poem poetry verse stanza linegroup lg poetry-container poems versegroup",
    blockquote="blockquote blockquot block-quote bq quotation extract epigraph blockcite quote",
    title="titlepage title-page title_page halftitle half-title halftitlepage",
    copyright="copyright copyright-page copyrightpage imprint",
    index="index indx ifrst isub1 isub2 isub3",
    bibliography="bibliography biblio references",
    sidenote="sidenote side-note marginnote margin-note marginalia sidenotes",
    advertisement="ads adverts advertisement advertisements",
    caption="caption caption2 figcaption",
    transcriber_note="transnote trans-note trans_note transnotes tnote tnotes tn tnbox transcriber "
    "transcribernote transcribers-note transcriber-note transcribersnote transcribers transcriberdata",
    gutenberg_licence="pg-boilerplate pgheader pgfooter pg-header pg-footer",
    dedication="dedication dedicate",
    colophon="colophon",
)

#: Class names of inline elements.
_INLINE_CLASSES = _table(
    noteref="fnanchor footnote footnoteref footnote-ref noteref fnref fn-ref endnoteref endnote-ref footnotelink "
    "_idfootnotelink _idendnotelink footnote-reference footnote-anchor fnanch noteanchor",
    backlink="footnote-back footnoteback backlink fn-back endnote-back noteback",
    sidenote="sidenote side-note marginnote margin-note",
    line_number="linenum lineno lnum line-number linenumber ln-num poemnum",
    italic="italic italics ital it",
    bold="bold",
    superscript="super superscript sup",
    subscript="subscript",
)

_PAGE_CLASSES = _words(
    "pagenum pageno pagenumber page-number page_number pagenumbers pagebreak page-break pb newpage pgnum "
    "x-ebookmaker-pageno folio"
)

_INLINE_TAGS = _table(italic="i em cite dfn var", bold="b strong", superscript="sup", subscript="sub")

#: Letter-spacing: emphasis that is neither italic nor bold.
_SPACED = _words("gesperrt gspr spaced letterspaced letter-spaced")

_STYLES = (
    (regex.compile(r"font-style\s*:\s*(?:italic|oblique)"), "italic"),
    (regex.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)"), "bold"),
    (regex.compile(r"vertical-align\s*:\s*(?:super|text-top)"), "superscript"),
    (regex.compile(r"vertical-align\s*:\s*sub\b"), "subscript"),
)

_HIDDEN_STYLE = regex.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")

_PAGE_ID = regex.compile(
    r"(?:page|pagebreak|pagenum|pg|pag|seite|p[_.-]|s[_.-])[_.-]?(\d{1,4}[a-z]?|[ivxlc]{1,8})",
    flags=regex.IGNORECASE,
)
_PAGE_TEXT = regex.compile(
    r"[\s\[({|\-–—]*(?:pg|page|pages|pag|pp?|seite|s)?\.?\s*(\d{1,4}\s?[a-z*]?|[ivxlcdm]{1,8}|[A-Z]-?\d{1,3})[\s\])}|\-–—]*",
    flags=regex.IGNORECASE,
)


@dataclass(frozen=True)
class Role:
    """What an element contributes."""

    block: bool
    box: str | None = None  # a role its rows have: "footnote", "toc", "verse", …
    mark: str | None = None  # a mark its text gets: "italic", "noteref", "pagebreak", …
    skipped: bool = False
    page_break: bool = False  # a block that may hold nothing but a page number


def role_of(tag: str, attrs: Mapping[str, str]) -> Role:
    """The role of an element; ``attrs`` with lower-case names, ``epub:type`` spelled so."""
    return _role(
        tag,
        attrs.get("epub:type", ""),
        attrs.get("role", ""),
        attrs.get("class", ""),
        attrs.get("style", ""),
        attrs.get("id", "") if tag in ("div", "section", "aside") else "",
        "hidden" in attrs,
    )


@lru_cache(maxsize=4096)
def _role(tag: str, types: str, aria: str, classes: str, style: str, box_id: str, hidden: bool) -> Role:
    named = _from_types(types, aria)
    names = classes.lower().split()
    block = tag in BLOCKS
    if tag in SKIPPED:
        return Role(block, skipped=True)
    if (hidden or _HIDDEN_STYLE.search(style.lower())) and named not in ("footnote", "notes"):
        return Role(block, skipped=True)
    if named == "pagebreak":
        return Role(False, mark="pagebreak")
    if block:
        if named is None:
            named = next((_CLASSES[name] for name in names if name in _CLASSES), None)
        if named is None and box_id.lower() in ("pg-header", "pg-footer", "pgheader", "pgfooter"):
            named = "gutenberg_licence"
        if named is None:
            named = next((_CLASSES[stem] for stem in map(_stem, names) if stem in _CLASSES), None)
        if named in ("noteref", "backlink"):
            named = None
        return Role(True, box=named, page_break=any(name in _PAGE_CLASSES for name in names))
    if any(name in _PAGE_CLASSES for name in names):
        return Role(False, mark="pagebreak")
    if named == "footnote":
        return Role(False, box="footnote")
    if named in ("noteref", "backlink"):
        return Role(False, mark=named)
    return _inline(tag, names, style)


def _inline(tag: str, names: list[str], style: str) -> Role:
    """The mark of an inline element by class, tag or style."""
    by_class = next((_INLINE_CLASSES[name] for name in names if name in _INLINE_CLASSES), None)
    if by_class == "noteref" and tag not in ("a", "sup"):
        return Role(False, box="footnote") if "footnote" in names else Role(False, mark=None)
    if by_class == "sidenote":
        return Role(False, box="sidenote")
    if by_class:
        return Role(False, mark=by_class)
    if any(name in _SPACED for name in names):
        return Role(False)
    mark = _INLINE_TAGS.get(tag)
    if mark is None and style:
        mark = next((kind for pattern, kind in _STYLES if pattern.search(style.lower())), None)
    return Role(False, mark=mark)


def _from_types(types: str, aria: str) -> str | None:
    """The role that epub:type or an ARIA role names; the first that is known."""
    for name in types.lower().split():
        if name in _TYPES:
            return _TYPES[name]
    for name in aria.lower().split():
        short = name.removeprefix("doc-")
        if short != name and short in _TYPES:
            return _TYPES[short]
    return None


def _stem(name: str) -> str:
    """A class name without the number or the variant that converters append: "toc2", "sgc-toc-level-1"."""
    return regex.sub(r"[-_]?\d+$", "", name)


def structure_type(types: str, aria: str) -> str | None:
    """The kind of section that epub:type or ARIA names; for the outline."""
    for name in [*types.lower().split(), *(a.removeprefix("doc-") for a in aria.lower().split())]:
        if ":" not in name and name not in ("bodymatter", "frontmatter", "backmatter", "title", "heading"):
            return name
    return None


def label_from_id(element_id: str) -> str | None:
    """The printed page that an id such as "Page_12" or "pg-xii" names."""
    match = _PAGE_ID.fullmatch(element_id)
    return match.group(1).lstrip("0") or None if match else None


def label_from_text(text: str) -> str | None:
    """The printed page in "[Pg 12]", "{12}", "– xii –" or "12"; ``None`` if that is not all there is."""
    match = _PAGE_TEXT.fullmatch(text.strip())
    return match.group(1).replace(" ", "") if match else None
