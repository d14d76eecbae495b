"""The Arrow schema of every stage: the one place that says what a column is called and means.

Rows know where they come from: a vector names its passage, a passage its spans in the cleaned text, a
cleaned paragraph its spans in the raw lines, a raw line its page and box in the file. See
``docs/columns.md`` for the same in prose.

Conventions: positions are 0-based and ends exclusive, except pages, which are 1-based as people count
them. Offsets count Unicode code points. Boxes are PDF points from the top left of the page as it is read
(rotation applied). A value that is not known is null, never guessed.
"""

from __future__ import annotations

import pyarrow as pa

# --------------------------------------------------------------------------------------------------
# raw_text: one row per line as the file has it, in reading order
# --------------------------------------------------------------------------------------------------

#: A stretch of a raw line that is more than plain text. ``kind``:
#: ``noteref`` (a note mark; ``target`` is the id of the note, or null), ``pagebreak`` (the printed page
#: ``target`` begins here; the stretch covers the mark's own text and may be empty), ``superscript``,
#: ``subscript``, ``italic``, ``bold``, ``rotated`` (the whole line runs in another direction than the
#: page's main text, as slanted stamps do), ``anchor`` (an element id, ``target``, that links may point to;
#: the stretch is empty).
MARK = pa.struct(
    [
        pa.field("start", pa.int32(), nullable=False),
        pa.field("end", pa.int32(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("target", pa.string()),
    ]
)

RAW_TEXT = pa.schema(
    [
        pa.field("line_id", pa.int32(), nullable=False),  # 0.. in reading order; the row's address
        pa.field("page", pa.int32(), nullable=False),  # PDF page, EPUB spine position, 1 for text and HTML
        pa.field("page_label", pa.string()),  # the printed page at the line's beginning, where known
        pa.field("block", pa.int32(), nullable=False),  # 0.. in the volume: PDF block, HTML block element
        pa.field("line", pa.int32(), nullable=False),  # 0.. in its block
        pa.field("x0", pa.float32()),
        pa.field("y0", pa.float32()),
        pa.field("x1", pa.float32()),
        pa.field("y1", pa.float32()),
        pa.field("font_size", pa.float32()),  # of most of the line's characters, points
        pa.field("bold", pa.bool_()),
        pa.field("italic", pa.bool_()),
        pa.field("origin", pa.string(), nullable=False),  # text_layer | ocr | html | plain_text
        # For HTML and EPUB the block's role: h1..h6, p, blockquote, li, dt, dd, verse, pre, figcaption,
        # td, footnote, toc, title, index, … (see extract/html_bs4.py); null for PDF and plain text.
        pa.field("element", pa.string()),
        pa.field("element_id", pa.string()),  # id of the block element, file-qualified ("ch1.xhtml#n3")
        pa.field("text", pa.string(), nullable=False),
        pa.field("marks", pa.list_(MARK), nullable=False),
    ]
)

# --------------------------------------------------------------------------------------------------
# cleaned_text: one row per paragraph as a reader would read it
# --------------------------------------------------------------------------------------------------

#: ``text[start:end]`` of this row comes from ``raw line line_id, text[raw_start:raw_end]``.
SPAN = pa.struct(
    [
        pa.field("start", pa.int32(), nullable=False),
        pa.field("end", pa.int32(), nullable=False),
        pa.field("line_id", pa.int32(), nullable=False),
        pa.field("raw_start", pa.int32(), nullable=False),
        pa.field("raw_end", pa.int32(), nullable=False),
    ]
)

#: A note mark stood at ``offset`` of this row's text; ``paragraph`` is the row of the footnote, or null.
NOTE_LINK = pa.struct(
    [
        pa.field("offset", pa.int32(), nullable=False),
        pa.field("mark", pa.string(), nullable=False),
        pa.field("paragraph", pa.int32()),
    ]
)

#: The printed page ``label`` (position ``page``) begins at ``offset`` of this row's text.
PAGE_START = pa.struct(
    [
        pa.field("offset", pa.int32(), nullable=False),
        pa.field("page", pa.int32(), nullable=False),
        pa.field("label", pa.string()),
    ]
)

#: Where a row stands in the book, shared by paragraphs and chunks.
_PLACE = [
    pa.field("section", pa.string(), nullable=False),  # front | body | back
    pa.field("part", pa.string()),  # "PART TWO: THE MIRROR", as printed
    pa.field("chapter", pa.string()),  # as cited: "Chapter VII: The Broken Jar"
    pa.field("chapter_kind", pa.string()),  # chapter | lecture | section | foreword | appendix | …
    pa.field("chapter_number", pa.int32()),
    pa.field("chapter_title", pa.string()),
    # 0.. in the volume: changes wherever a chapter (or foreword, appendix, …) begins. No chunk runs over it.
    pa.field("chapter_index", pa.int32(), nullable=False),
]

CLEANED_TEXT = pa.schema(
    [
        pa.field("paragraph", pa.int32(), nullable=False),  # 0.. in the volume; the row's address
        pa.field(
            "kind", pa.string(), nullable=False
        ),  # heading|body|verse|quotation|list|table|caption|footnote
        *_PLACE,
        pa.field("heading_level", pa.int32()),  # 1 part, 2 chapter, 3.. sections; null unless a heading
        pa.field("page_first", pa.int32(), nullable=False),
        pa.field("page_last", pa.int32(), nullable=False),
        pa.field("label_first", pa.string()),
        pa.field("label_last", pa.string()),
        pa.field("page_starts", pa.list_(PAGE_START), nullable=False),
        pa.field("numbered_paragraph", pa.string()),  # Collected Works style: "513", "51a"
        pa.field("note_mark", pa.string()),  # of a footnote: its printed mark
        pa.field("note_links", pa.list_(NOTE_LINK), nullable=False),
        # Offsets in the volume's cleaned text, which is the rows' texts joined by a blank line.
        pa.field("char_start", pa.int64(), nullable=False),
        pa.field("char_end", pa.int64(), nullable=False),
        pa.field("spans", pa.list_(SPAN), nullable=False),
        pa.field("text", pa.string(), nullable=False),
    ]
)

#: Joins the paragraphs of a volume, and of a chunk.
PARAGRAPH_SEPARATOR = "\n\n"

#: removal_ledger: one row per raw stretch that was left out, changed, or moved.
REMOVAL_LEDGER = pa.schema(
    [
        pa.field("entry", pa.int32(), nullable=False),
        pa.field("line_id", pa.int32(), nullable=False),
        pa.field("raw_start", pa.int32(), nullable=False),
        pa.field("raw_end", pa.int32(), nullable=False),
        pa.field("page", pa.int32(), nullable=False),
        pa.field("action", pa.string(), nullable=False),  # removed | changed | moved
        pa.field("rule", pa.string(), nullable=False),  # e.g. running_head, page_number, line_hyphen
        pa.field("reason", pa.string(), nullable=False),  # in words, for a reader
        pa.field("before", pa.string(), nullable=False),
        pa.field("after", pa.string(), nullable=False),  # empty where removed
    ]
)

# --------------------------------------------------------------------------------------------------
# chunks: one row per passage to embed
# --------------------------------------------------------------------------------------------------

CHUNKS = pa.schema(
    [
        pa.field("chunk_id", pa.string(), nullable=False),  # ASCII: "<volume>#<12 hex of the text>[-n]"
        pa.field("volume", pa.string(), nullable=False),
        pa.field("position", pa.int32(), nullable=False),  # 0.. in the volume: body passages, then notes
        pa.field("prev_chunk_id", pa.string()),
        pa.field("next_chunk_id", pa.string()),
        pa.field("work_title", pa.string(), nullable=False),
        pa.field("author", pa.string()),
        pa.field("language", pa.string()),  # BCP 47 primary tag: "en", "de"
        pa.field("kind", pa.string(), nullable=False),  # body | note
        *_PLACE,
        pa.field("concepts", pa.list_(pa.string()), nullable=False),  # lexicon names, lower-case singular
        pa.field("text", pa.string(), nullable=False),
        pa.field("cl100k_tokens", pa.int32(), nullable=False),
        pa.field("embedder_tokens", pa.int32(), nullable=False),  # of the exact text embedded, prefix and all
        pa.field("page_first", pa.int32(), nullable=False),
        pa.field("page_last", pa.int32(), nullable=False),
        pa.field("label_first", pa.string()),
        pa.field("label_last", pa.string()),
        pa.field("numbered_first", pa.string()),
        pa.field("numbered_last", pa.string()),
        pa.field("paragraph_first", pa.int32(), nullable=False),
        pa.field("paragraph_last", pa.int32(), nullable=False),
        pa.field("char_start", pa.int64(), nullable=False),  # in the volume's cleaned text
        pa.field("char_end", pa.int64(), nullable=False),
        pa.field("spans", pa.list_(SPAN), nullable=False),
        pa.field("content_hash", pa.string(), nullable=False),  # sha256 of the text, hex
    ]
)

# --------------------------------------------------------------------------------------------------
# embeddings: a cache of vectors by the exact text embedded
# --------------------------------------------------------------------------------------------------


def embeddings_schema(dimension: int) -> pa.Schema:
    """Schema of a volume's embeddings under one model with vectors of length ``dimension``."""
    return pa.schema(
        [
            pa.field("text_hash", pa.string(), nullable=False),  # sha256 of the exact text embedded, hex
            pa.field("model", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),  # unit length
        ]
    )
