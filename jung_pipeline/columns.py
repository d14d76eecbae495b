"""What every column means, in the words that the Dagster UI shows beside it.

The same words as in ``docs/columns.md``; a test holds the two, and the schemas, against each other.
"""

from __future__ import annotations

#: Column to meaning, by table. Markdown's quotes around values are kept.
COLUMNS: dict[str, dict[str, str]] = {
    "raw_text": {
        "line_id": "0, 1, 2, … in reading order: the row's address",
        "page": "PDF page; place in the spine for EPUB; 1 for HTML and plain text",
        "page_label": "the printed page at the line's beginning, where the file says so",
        "block": "0.. in the volume: PDF block, HTML block element, run of lines between blank ones",
        "line": "0.. in its block",
        "x0": "box; null where the format has none",
        "y0": "box; null where the format has none",
        "x1": "box; null where the format has none",
        "y1": "box; null where the format has none",
        "font_size": "of most of the line's characters, in points",
        "bold": "of most of the line's characters",
        "italic": "of most of the line's characters",
        "origin": "`text_layer`, `ocr`, `html`, `plain_text`",
        "element": "role of the HTML block (`h2`, `p`, `blockquote`, `footnote`, …); see `extract/html_bs4.py`",
        "element_id": "id of the block element, with its file: `ch1.xhtml#n3`",
        "text": "the line, unchanged",
        "marks": "stretches that are more than text: `start`, `end`, `kind` (note mark, page break, raised, italic, …), `target`",
    },
    "cleaned_text": {
        "paragraph": "0, 1, 2, … in the volume: the row's address",
        "kind": "`heading`, `body`, `verse`, `quotation`, `list`, `table`, `caption`, `footnote`",
        "section": "`front` (forewords), `body`, `back` (appendices); title pages, contents and indexes are in the ledger",
        "part": '"Part Two: The Mirror"',
        "chapter": 'as cited: "Chapter VII: The Broken Jar"',
        "chapter_kind": "`chapter`, `lecture`, `section`, `foreword`, `appendix`, …",
        "chapter_number": "as a figure: VII is 7",
        "chapter_title": "without its number",
        "chapter_index": "counts chapters, forewords, appendices through the volume; no chunk runs over a change",
        "heading_level": "1 part, 2 chapter, 3 and more sections; null unless the row is a heading",
        "page_first": "pages in the file",
        "page_last": "pages in the file",
        "label_first": "printed pages",
        "label_last": "printed pages",
        "page_starts": "pages that begin inside the row: `offset`, `page`, `label`",
        "numbered_paragraph": 'Collected Works style: "513"',
        "note_mark": "of a footnote: its printed mark",
        "note_links": "note marks that stood in the row: `offset`, `mark`, `paragraph` of the footnote or null",
        "char_start": "in the volume's text, which is the rows' texts joined by a blank line",
        "char_end": "in the volume's text, which is the rows' texts joined by a blank line",
        "spans": "`start`, `end` here come from `line_id`, `raw_start`, `raw_end` there",
        "text": "NFC; verse keeps its line breaks",
    },
    "removal_ledger": {
        "entry": "0, 1, 2, …",
        "line_id": "the raw stretch",
        "raw_start": "the raw stretch",
        "raw_end": "the raw stretch",
        "page": "its page in the file",
        "action": "`removed`, `changed`, `moved`",
        "rule": "name of the rule: `running_head`, `line_hyphen`, …",
        "reason": "in words",
        "before": "what stood there, what stands there now (empty where removed)",
        "after": "what stood there, what stands there now (empty where removed)",
    },
    "chunks": {
        "chunk_id": "ASCII, `volume#` and twelve hex digits of the text's hash (`-2` for a repeat): the same on every machine",
        "volume": "key of the catalogue entry, and of the partition",
        "position": "0.. in the volume: body passages in order, then notes",
        "prev_chunk_id": "one chain through the volume",
        "next_chunk_id": "one chain through the volume",
        "work_title": "from the catalogue",
        "author": "from the catalogue",
        "language": "`en`, `de`",
        "kind": "`body` or `note`",
        "section": "as in `cleaned_text`",
        "part": "as in `cleaned_text`",
        "chapter": "as in `cleaned_text`",
        "chapter_kind": "as in `cleaned_text`",
        "chapter_number": "as in `cleaned_text`",
        "chapter_title": "as in `cleaned_text`",
        "chapter_index": "as in `cleaned_text`",
        "concepts": "names from the lexicon, lower-case singular English",
        "text": "the exact stretch of the cleaned text",
        "cl100k_tokens": "of `text`, by tiktoken's cl100k_base",
        "embedder_tokens": "of the exact text embedded, prefix and special tokens counted",
        "page_first": "pages in the file",
        "page_last": "pages in the file",
        "label_first": "printed pages",
        "label_last": "printed pages",
        "numbered_first": "numbered paragraphs",
        "numbered_last": "numbered paragraphs",
        "paragraph_first": "rows of `cleaned_text`",
        "paragraph_last": "rows of `cleaned_text`",
        "char_start": "in the volume's cleaned text",
        "char_end": "in the volume's cleaned text",
        "spans": "as in `cleaned_text`, offsets in this passage",
        "content_hash": "sha256 of `text`",
    },
    "embeddings": {
        "text_hash": "sha256 of the exact text given to the model, prefix and all: nothing is embedded twice",
        "model": "the model that made it",
        "vector": "unit length",
    },
    "vector_index": {
        "volume": "key of the catalogue entry, and of the partition",
        "added": "passages that are new in the store",
        "kept": "passages that were there with the same text and columns",
        "updated": "passages whose columns changed and whose vector was kept",
        "removed": "passages that no text asks for any more",
    },
}


def meaning(table: str, column: str) -> str | None:
    """What ``column`` of ``table`` means, as plain text; ``None`` for one that is not described."""
    text = COLUMNS.get(table, {}).get(column)
    if text and text.startswith("as in `cleaned_text`"):
        text = COLUMNS["cleaned_text"].get(column, "") + text.removeprefix("as in `cleaned_text`")
    return text.replace("`", "") if text else None
