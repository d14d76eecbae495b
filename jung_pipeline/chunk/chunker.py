"""From paragraphs to passages: as long as an embedder reads, as short as a citation can bear.

Every character of the body, headings included, is in exactly one passage, in order; footnotes make passages
of their own after all body passages. A passage is the exact slice of the text that its offsets name. It ends
at a sentence end, never runs over a chapter, never ends with a heading that has text after it, and obeys two
maxima: ``Limits.max`` cl100k tokens, and what the embedder reads, counted by the embedder itself. Where the
rules collide: the maxima first, then the sentence end, then the minimum, then balance.

One encode of the volume, one pass over the sentences, one count of the sentences by the embedder, a dynamic
programme over sentence ends (``packing.py``), and one count of the finished passages by the embedder as proof.

Where footnote rows stand between body rows, the body passage is the body rows' text joined by a blank line,
and its offsets run from its first character to its last, over the note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from jung_pipeline import tables
from jung_pipeline.catalogue import Volume
from jung_pipeline.chunk import packing
from jung_pipeline.chunk.columns import Stream
from jung_pipeline.chunk.ids import chunk_ids, content_hash
from jung_pipeline.chunk.packing import Units
from jung_pipeline.chunk.tokens_tiktoken import TokenCounts, count_tokens
from jung_pipeline.chunk.units import EmbedderCounter, Paragraph, UnitLimits, divide, fixed_tokens
from jung_pipeline.concepts.lexicon import load_lexicon
from jung_pipeline.errors import SettingsError
from jung_pipeline.garbage import collector_at_rest
from jung_pipeline.schemas import CHUNKS

#: Bumped when the same paragraphs would give other passages.
CHUNKING_VERSION = "1"

#: Ending a passage inside a footnote costs more than inside a paragraph: a note is cited whole.
_INSIDE_NOTE = 20.0
#: Embedder tokens kept free while packing: sentences counted apart and together may differ by as much.
_SLACK = 2


@dataclass(frozen=True)
class Limits:
    """How long a passage may be, in cl100k tokens."""

    target: int = 400
    max: int = 600
    min: int = 80

    def __post_init__(self) -> None:
        """Refuse limits that contradict each other."""
        if not 0 <= self.min <= self.target <= self.max or self.target < 1:
            raise SettingsError(
                f"Chunk limits must rise: min {self.min}, target {self.target}, max {self.max}.",
                remedy="Look at JUNG_CHUNK__MIN, JUNG_CHUNK__TARGET and JUNG_CHUNK__MAX.",
            )


@collector_at_rest()
def chunk_volume(
    paragraphs: pa.Table,
    volume: Volume,
    *,
    limits: Limits,
    count_embedder_tokens: EmbedderCounter,
    embedder_limit: int,
) -> pa.Table:
    """The passages of a volume.

    Args:
        paragraphs: The volume's cleaned text, schema CLEANED_TEXT.
        volume: Its catalogue entry: key, title, author, language.
        limits: In cl100k tokens.
        count_embedder_tokens: Tokens of each text as the embedder reads it, prefix and special tokens counted.
        embedder_limit: The most it reads, counted the same way.

    Returns:
        A table in the schema CHUNKS: body passages in order, then note passages, linked in one chain. Empty
        for a volume without text.

    Raises:
        StageError: ``paragraphs`` is not in its schema.
        SettingsError: the embedder reads no more than its own prefix.
    """
    if fixed_tokens(count_embedder_tokens) >= embedder_limit:
        raise SettingsError(f"An embedder that reads {embedder_limit} tokens has no room for text.")
    rows = paragraphs.filter(pc.not_equal(pc.utf8_trim_whitespace(paragraphs.column("text")), ""))
    is_note = pc.equal(rows.column("kind"), "footnote")
    columns: dict[str, Any] = {field.name: [] for field in CHUNKS if field.name != "spans"}
    spans: list[pa.ListArray] = []
    for kind, part in (("body", rows.filter(pc.invert(is_note))), ("note", rows.filter(is_note))):
        if not part.num_rows:
            continue
        passages = _Passages(Stream(part), kind, limits, count_embedder_tokens, embedder_limit)
        made = passages.make(volume.language)
        spans.append(made.pop("spans"))
        for name, values in made.items():
            columns[name].extend(values)
    if not columns["text"]:
        return CHUNKS.empty_table()
    _name(columns, volume)
    return _table(columns, spans)


class _Passages:
    """The passages of one stream."""

    def __init__(
        self,
        stream: Stream,
        kind: str,
        limits: Limits,
        count_embedder_tokens: EmbedderCounter,
        embedder_limit: int,
    ) -> None:
        self.stream, self.kind, self.limits = stream, kind, limits
        self.count_embedder_tokens, self.embedder_limit = count_embedder_tokens, embedder_limit
        self.counts = TokenCounts(stream.text)
        self.costs = packing.size_costs(limits.target, limits.max, limits.min)
        self.overhead = fixed_tokens(count_embedder_tokens)

    def make(self, language: str | None) -> dict[str, Any]:
        """All columns that the passages have by themselves or from their paragraphs."""
        units, chapter_ends = divide(
            self.stream.text,
            self._paragraphs(),
            self.counts,
            UnitLimits(self.limits.max, self.embedder_limit),
            self.count_embedder_tokens,
            language=language,
            sentence_end=_INSIDE_NOTE if self.kind == "note" else packing.SENTENCE_END,
        )
        room = self.embedder_limit - self.overhead - _SLACK
        ranges: list[tuple[int, int]] = []  # of units
        first = 0
        for last in chapter_ends:
            for end in packing.pack(units, first, last, self.costs, self.limits.max, room):
                ranges.append((first, end))
                first = end
        ranges, embedded = self._proved(units, ranges)
        starts = [units.starts[first] for first, _ in ranges]
        ends = [units.ends[last - 1] for _, last in ranges]
        columns = self.stream.inherited(starts, ends)
        columns["text"] = [self.stream.text[start:end] for start, end in zip(starts, ends, strict=True)]
        heads, tails, exact = self.counts.edges(starts, ends)
        columns["cl100k_tokens"] = [
            head + tail if known else count_tokens(text)
            for head, tail, known, text in zip(heads, tails, exact, columns["text"], strict=True)
        ]
        columns["embedder_tokens"] = embedded
        columns["kind"] = [self.kind] * len(ranges)
        return columns

    def _paragraphs(self) -> list[Paragraph]:
        return [
            Paragraph(
                start,
                start + len(self.stream.value("text", row).rstrip()),
                self.stream.value("chapter_index", row),
                self.stream.value("kind", row) == "heading",
            )
            for row, start in enumerate(self.stream.starts)
        ]

    def _proved(self, units: Units, ranges: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], list[int]]:
        """The ranges and their embedder tokens, each counted as it will be embedded.

        Sums of sentences are estimates. A passage that turns out too long is packed again with less room, in
        the end unit by unit; those were counted one by one.
        """
        proved: dict[tuple[int, int], int] = {}
        while waiting := [item for item in ranges if item not in proved]:
            numbers = self.count_embedder_tokens([self._text(units, item) for item in waiting])
            proved.update(zip(waiting, numbers, strict=True))
            ranges = [
                part
                for item in ranges
                for part in (
                    [item]
                    if proved[item] <= self.embedder_limit or item[1] - item[0] == 1
                    else self._repacked(units, item, proved[item])
                )
            ]
        return ranges, [proved[item] for item in ranges]

    def _repacked(self, units: Units, item: tuple[int, int], embedded: int) -> list[tuple[int, int]]:
        """A range of two or more units that turned out too long, in two or more parts."""
        summed = sum(units.embedder_tokens[slice(*item)])
        share = (self.embedder_limit - self.overhead) / (embedded - self.overhead)
        room = min(int(summed * share), summed) - _SLACK
        at, parts = item[0], []
        for end in packing.pack(units, *item, self.costs, self.limits.max, room):
            parts.append((at, end))
            at = end
        return parts

    def _text(self, units: Units, item: tuple[int, int]) -> str:
        return self.stream.text[units.starts[item[0]] : units.ends[item[1] - 1]]


def _name(columns: dict[str, Any], volume: Volume) -> None:
    """Fill the columns that need all passages of the volume: ids, the chain, title, concepts."""
    texts: Sequence[str] = columns["text"]
    number = len(texts)
    lexicon = load_lexicon()
    columns["content_hash"] = [content_hash(text) for text in texts]
    ids = chunk_ids(volume.key, columns["content_hash"])
    columns["chunk_id"] = ids
    columns["prev_chunk_id"] = [None, *ids[:-1]]
    columns["next_chunk_id"] = [*ids[1:], None]
    columns["position"] = list(range(number))
    columns["volume"] = [volume.key] * number
    columns["work_title"] = [volume.title] * number
    columns["author"] = [volume.author] * number
    columns["language"] = [volume.language] * number
    columns["concepts"] = [lexicon.tag(text) for text in texts]


def _table(columns: dict[str, Any], spans: list[pa.ListArray]) -> pa.Table:
    arrays = [
        pa.chunked_array(spans, type=field.type).combine_chunks()
        if field.name == "spans"
        else pa.array(columns[field.name], type=field.type)
        for field in CHUNKS
    ]
    table = pa.Table.from_arrays(arrays, schema=CHUNKS)
    tables.check_schema(table, CHUNKS, where="chunks")
    return table
