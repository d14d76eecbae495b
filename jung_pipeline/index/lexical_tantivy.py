"""The lexical index: BM25 over words, stemmed in the passage's own language, the same beside every store.

The words of a question are never read as query syntax: they go through the same analysers as the text and
become term queries, one disjunction a word, so that a word found in several fields counts once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import tantivy
from tantivy import Filter, Occur, Query, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from jung_pipeline.errors import VectorIndexError
from jung_pipeline.index.vector_index import Match, Where

#: Bounds on a question: characters read, and distinct words looked up.
MAX_CHARACTERS, MAX_WORDS = 4000, 64

#: Language -> the stemmer's name; text of another language is found by its exact words.
STEMMERS = {"en": "english", "de": "german"}

#: A change here makes every version be built anew.
FORMAT = 1

_FILTER_FIELDS = {
    "volumes": "volume",
    "works": "work_title",
    "authors": "author",
    "languages": "language",
    "chapters": "chapter",
    "concepts": "concepts",
    "kinds": "kind",
}
#: A hit in the title or chapter weighs less than one in the text: it is the same for the whole chapter.
_HEADING_BOOST = 0.5


def _analysers() -> dict[str, TextAnalyzer]:
    """How each text field is cut into terms."""

    def start() -> TextAnalyzerBuilder:
        return (
            TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(64)).filter(Filter.lowercase())
        )

    stemmed = {
        f"text_{language}": start().filter(Filter.stemmer(name)).filter(Filter.ascii_fold()).build()
        for language, name in STEMMERS.items()
    }
    plain = start().filter(Filter.ascii_fold()).build()
    return {**stemmed, "text_raw": plain, "heading": plain}


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("chunk_id", stored=True, tokenizer_name="raw", index_option="basic")
    for name in _FILTER_FIELDS.values():
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("page_first", "page_last"):
        builder.add_unsigned_field(name, indexed=True, fast=True)
    for name in _analysers():
        builder.add_text_field(name, tokenizer_name=f"jung_{name}", index_option="freq")
    return builder.build()


def _registered(index: tantivy.Index) -> tantivy.Index:
    for name, analyser in _analysers().items():
        index.register_tokenizer(f"jung_{name}", analyser)
    # Files never change once written. The default policy watches them from a thread of its own, which takes locks
    # in the folder whenever it gets round to it.
    index.config_reader(reload_policy="manual")
    return index


def build(folder: Path, passages: Iterable[Mapping[str, Any]]) -> int:
    """Build the index of ``passages`` (rows of ``schemas.CHUNKS``) in the empty ``folder``; their number."""
    folder.mkdir(parents=True, exist_ok=True)
    index = _registered(tantivy.Index(_schema(), path=str(folder)))
    writer = index.writer(heap_size=64_000_000, num_threads=1)
    count = 0
    for row in passages:
        writer.add_document(_document(row))
        count += 1
    writer.commit()
    writer.wait_merging_threads()
    del writer, index
    finish(folder)
    return count


def finish(folder: Path) -> None:
    """Let whoever may read ``folder`` read the files in it: Tantivy makes some for their owner alone."""
    for path in folder.glob("*.lock"):
        path.unlink(missing_ok=True)
    for path in files(folder):
        path.chmod(stat.S_IMODE(path.stat().st_mode) | stat.S_IMODE(folder.stat().st_mode) & 0o666)


def _document(row: Mapping[str, Any]) -> tantivy.Document:
    language = row["language"]
    document = tantivy.Document()
    for name in ("chunk_id", "volume", "work_title", "author", "language", "chapter", "kind"):
        if row[name] is not None:
            document.add_text(name, row[name])
    for concept in row["concepts"]:
        document.add_text("concepts", concept)
    document.add_unsigned("page_first", max(0, row["page_first"]))
    document.add_unsigned("page_last", max(0, row["page_last"]))
    document.add_text("text_raw", row["text"])
    for name in STEMMERS:
        if language in (None, name):  # a passage of unknown language is found through every stemmer
            document.add_text(f"text_{name}", row["text"])
    headings = [row["work_title"], row.get("part"), row["chapter"]]
    document.add_text("heading", " — ".join(heading for heading in headings if heading))
    return document


def files(folder: Path) -> list[Path]:
    """What :func:`build` left in ``folder``, by name; lock files are no part of an index."""
    return sorted(path for path in folder.glob("*") if path.suffix != ".lock") if folder.is_dir() else []


def described(folder: Path) -> dict[str, dict[str, Any]]:
    """Size and sha256 of each file of the index in ``folder``, by name."""
    found = {}
    for path in files(folder):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        found[path.name] = {"bytes": path.stat().st_size, "sha256": digest}
    return found


@contextlib.contextmanager
def _no_panics() -> Iterator[None]:
    """Turn a panic into a ValueError: Tantivy's Rust takes a file that is not as it was written for our mistake."""
    try:
        yield
    except BaseException as error:
        if (
            type(error).__name__ != "PanicException"
        ):  # no Exception by its makers' wish, and nowhere to import from
            raise
        raise ValueError(str(error)) from error


def _opened(folder: Path) -> tantivy.Index:
    """The index in ``folder``; raises ValueError or OSError where it cannot be opened."""
    with _no_panics():
        index = _registered(tantivy.Index.open(str(folder)))
        index.reload()
        return index


class LexicalIndex:
    """Searches the index in ``folder``; opened when first needed."""

    def __init__(self, folder: Path) -> None:
        """``folder`` holds what :func:`build` wrote."""
        self.folder = folder

    @cached_property
    def _index(self) -> tantivy.Index:
        """The open index, every file of it mapped, so that it outlives the folder.

        Tantivy takes a lock file even to read. A library that may only be read has no place for it, and in one
        that may be written to, readers have nothing to write: the files are opened through links elsewhere.

        Raises:
            VectorIndexError: it is missing or damaged, or this user may not read it.
        """
        hidden = [path.name for path in files(self.folder) if not os.access(path, os.R_OK)]
        if hidden:
            raise VectorIndexError(
                f"The lexical index {self.folder} cannot be read (no right to read {hidden[0]}).",
                remedy="Give this user the right to read the library's folder.",
            )
        try:
            with tempfile.TemporaryDirectory(prefix="jung-lexical-") as aside:
                for path in files(self.folder):
                    (Path(aside) / path.name).symlink_to(path.resolve())
                return _opened(Path(aside))
        except ValueError as error:
            raise VectorIndexError(
                f"The lexical index {self.folder} cannot be read ({error}).",
                remedy="Run `jung ingest`; a new version of the index is made.",
            ) from error
        except (OSError, NotImplementedError) as error:
            no_links = error
        try:
            return _opened(self.folder)
        except (OSError, ValueError) as error:
            raise VectorIndexError(
                f"The lexical index {self.folder} cannot be opened, neither through links in a temporary folder "
                f"({no_links}) nor in place ({error}).",
                remedy="Set TMPDIR to a folder with room that this user may write to; if that does not help, run "
                "`jung ingest`.",
            ) from error

    @cached_property
    def _searcher(self) -> tantivy.Searcher:
        return self._index.searcher()

    @cached_property
    def _fields(self) -> dict[str, TextAnalyzer]:
        return _analysers()

    @cached_property
    def _lowered(self) -> TextAnalyzer:
        return TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase()).build()

    @cached_property
    def _function_words(self) -> dict[str, TextAnalyzer]:
        """For each language, an analyser that drops its function words (the, of; der, die)."""
        return {
            language: TextAnalyzerBuilder(Tokenizer.simple())
            .filter(Filter.lowercase())
            .filter(Filter.stopword(name))
            .build()
            for language, name in STEMMERS.items()
        }

    def count(self) -> int:
        """Passages in the index."""
        return int(self._searcher.num_docs)

    def search(self, question: str | Sequence[str], *, top_k: int, where: Where | None = None) -> list[Match]:
        """The ``top_k`` passages with the highest BM25 score for the words of ``question``, best first.

        ``question`` is a text, or terms already chosen. The score has no upper bound and compares within one
        question only. No word of it known: no match.

        Raises:
            VectorIndexError: the files are damaged.
        """
        text = question if isinstance(question, str) else " ".join(question)
        words = self._any_word(text)
        if words is None or top_k <= 0:
            return []
        clauses = [(Occur.Must, words)]
        clauses += [(Occur.Must, Query.const_score_query(only, 0.0)) for only in self._filters(where)]
        with self._told():
            found = self._searcher.search(Query.boolean_query(clauses), limit=top_k, count=False).hits
            matches = [
                Match(self._searcher.doc(address)["chunk_id"][0], float(score)) for score, address in found
            ]
        return sorted(matches, key=lambda match: (-match.score, match.chunk_id))

    def frequency(self, word: str) -> int:
        """Passages that hold ``word`` in any of its forms.

        Raises:
            VectorIndexError: the files are damaged.
        """
        query = self._any_word(word)
        if query is None:
            return 0
        with self._told():
            found = self._searcher.search(query, limit=1, count=True)
            return int(found.count or 0)  # type: ignore[attr-defined]  # its stub lacks what it has

    def _any_word(self, text: str) -> Query | None:
        """The passages that hold any word of ``text``; ``None`` if it has none."""
        words = self._words(unicodedata.normalize("NFC", text[:MAX_CHARACTERS]))
        return Query.boolean_query([(Occur.Should, word) for word in words]) if words else None

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Say so where the files are damaged: what is stored is not what is read."""
        try:
            with _no_panics():
                yield
        except (ValueError, OSError, IndexError, KeyError) as error:
            raise VectorIndexError(
                f"The lexical index {self.folder} is damaged ({str(error).splitlines()[0]}).",
                remedy="Run `jung ingest`; a new version of the index is made.",
            ) from error

    def _words(self, text: str) -> list[Query]:
        """One query for each distinct word of ``text``: the best of its hits in the fields.

        A function word is not looked up in its own language (German "war" is, in English text); a question of
        nothing but function words is looked up as it is.
        """
        words = list(dict.fromkeys(self._lowered.analyze(text)))[: 4 * MAX_WORDS]
        telling = {name: set(analyser.analyze(text)) for name, analyser in self._function_words.items()}
        in_all = set.intersection(*telling.values())
        allowed = {field: telling.get(field.removeprefix("text_"), in_all) for field in self._fields}
        if not any(allowed.values()):
            allowed = {field: set(words) for field in self._fields}
        queries = [
            self._word(word, [field for field in self._fields if word in allowed[field]]) for word in words
        ]
        return [query for query in queries if query is not None][:MAX_WORDS]

    def _word(self, word: str, fields: Sequence[str]) -> Query | None:
        """The best hit of ``word`` among ``fields``."""
        options = []
        for field in fields:
            for term in self._fields[field].analyze(word):
                query = Query.term_query(self._index.schema, field, term, "freq")
                options.append(Query.boost_query(query, _HEADING_BOOST) if field == "heading" else query)
        return Query.disjunction_max_query(options) if options else None

    def _filters(self, where: Where | None) -> Iterator[Query]:
        """The queries that a passage must match to pass ``where``."""
        if not where:
            return
        schema = self._index.schema
        for name, field in _FILTER_FIELDS.items():
            values = getattr(where, name)
            if values:
                yield Query.term_set_query(schema, field, list(values))
        if where.pages:
            first, last = (max(0, page) for page in where.pages)
            kind = tantivy.FieldType.Unsigned
            yield Query.range_query(schema, "page_first", kind, upper_bound=last)
            yield Query.range_query(schema, "page_last", kind, lower_bound=first)
