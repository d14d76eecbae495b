"""A whole index in memory: small, exact implementations of what the query side reads."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from jung_pipeline.embed.embedder import EmbedderSpec
from jung_pipeline.index.vector_index import IndexSpec, Match, StoredVector
from jung_pipeline.text.normalise import STOP_WORDS, stem, words


def row(chunk_id, text, **values):
    """A row of the chunk table, as far as readers look at it."""
    return {
        "chunk_id": chunk_id,
        "volume": chunk_id.split("#")[0],
        "work_title": "A Work",
        "author": None,
        "language": "en",
        "chapter": None,
        "kind": "body",
        "text": text,
        "concepts": [],
        "page_first": 1,
        "page_last": 1,
        "prev_chunk_id": None,
        "next_chunk_id": None,
        "content_hash": hashlib.sha256(text.encode()).hexdigest(),
        **values,
    }


def chain(rows):
    """The rows with previous and next ids within their volumes."""
    by_volume = defaultdict(list)
    for r in rows:
        by_volume[r["volume"]].append(r)
    for group in by_volume.values():
        for a, b in pairwise(group):
            a["next_chunk_id"], b["prev_chunk_id"] = b["chunk_id"], a["chunk_id"]
    return rows


class HashingEmbedder:
    """Sums of one fixed random direction per word stem, above a common direction as e5 has: cosines bunch."""

    def __init__(self, dimension=128, model="hashing-words", common=1.6):
        self.spec = EmbedderSpec(model, dimension, 512, "passage: ", "query: ")
        self.queries = 0
        self._common = np.ones(dimension) / math.sqrt(dimension) * common

    def _direction(self, word):
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).standard_normal(self.spec.dimension)
        return vector / np.linalg.norm(vector)

    def _vector(self, text):
        found = [stem(w.form) for w in words(text) if w.form not in STOP_WORDS["en"]]
        total = sum((self._direction(w) for w in found), np.zeros(self.spec.dimension))
        total = total / max(1e-9, np.linalg.norm(total)) + self._common
        return (total / np.linalg.norm(total)).astype(np.float32)

    def count_tokens(self, passages):
        return [len(text.split()) + 4 for text in passages]

    def embed_passages(self, passages, *, on_batch=None):
        return np.array([self._vector(text) for text in passages], dtype=np.float32)

    def embed_query(self, question):
        self.queries += 1
        return self._vector(question)

    def embed_queries(self, questions):
        return np.array([self.embed_query(question) for question in questions], dtype=np.float32)


def passes(row, where):
    """Whether a row passes a filter, as index/vector_index.py defines it."""
    if not where:
        return True
    for values, column in (
        (where.volumes, "volume"),
        (where.works, "work_title"),
        (where.authors, "author"),
        (where.languages, "language"),
        (where.chapters, "chapter"),
        (where.kinds, "kind"),
    ):
        if values and row.get(column) not in values:
            return False
    if where.concepts and not set(where.concepts) & set(row["concepts"]):
        return False
    return not where.pages or (row["page_first"] <= where.pages[1] and row["page_last"] >= where.pages[0])


class Vectors:
    """An exact vector index over a matrix."""

    def __init__(self, rows, matrix, spec):
        self._rows, self._matrix = rows, matrix
        self._at = {r["chunk_id"]: i for i, r in enumerate(rows)}
        self.spec = spec

    def count(self, volume=None):
        return sum(volume in (None, r["volume"]) for r in self._rows)

    def volumes(self):
        return sorted({r["volume"] for r in self._rows})

    def list_ids(self, volume):
        return sorted(r["chunk_id"] for r in self._rows if r["volume"] == volume)

    def fetch(self, ids):
        return {i: StoredVector(i, self._matrix[self._at[i]]) for i in ids if i in self._at}

    def query(self, vector, *, top_k, where=None):
        scores = self._matrix @ vector
        order = [i for i in np.argsort(-scores, kind="stable") if passes(self._rows[i], where)]
        return [Match(self._rows[i]["chunk_id"], float(scores[i])) for i in order[:top_k]]


class Lexical:
    """BM25 over stems."""

    def __init__(self, rows, k1=1.2, b=0.75):
        self._rows = rows
        bags = [Counter(stem(w.form) for w in words(r["text"])) for r in rows]
        lengths = [sum(bag.values()) for bag in bags]
        mean = sum(lengths) / max(1, len(lengths))
        self._postings = defaultdict(list)
        for i, bag in enumerate(bags):
            for term, count in bag.items():
                weight = count * (k1 + 1) / (count + k1 * (1 - b + b * lengths[i] / mean))
                self._postings[term].append((i, weight))

    def count(self):
        return len(self._rows)

    def frequency(self, word):
        return len({i for w in words(word) for i, _ in self._postings.get(stem(w.form), ())})

    def search(self, text, *, top_k, where=None):
        scores = defaultdict(float)
        for term in {stem(w.form) for w in words(text)}:
            postings = self._postings.get(term, ())
            idf = math.log(1 + (len(self._rows) - len(postings) + 0.5) / (len(postings) + 0.5))
            for i, weight in postings:
                scores[i] += idf * weight
        found = [(i, s) for i, s in scores.items() if passes(self._rows[i], where)]
        found.sort(key=lambda item: (-item[1], item[0]))
        return [Match(self._rows[i]["chunk_id"], s) for i, s in found[:top_k]]


class Closeness:
    """Cosines of whole passages."""

    def __init__(self, vectors):
        self._vectors = vectors

    def __len__(self):
        return self._vectors.count()

    def of(self, ids, question):
        return {i: float(found.vector @ question) for i, found in self._vectors.fetch(ids).items()}


class Passages:
    """Rows by id."""

    def __init__(self, rows):
        self._rows = {r["chunk_id"]: r for r in rows}

    def get(self, chunk_id):
        return self._rows.get(chunk_id)

    def iterate(self, *, columns=None):
        for r in self._rows.values():
            yield {name: r[name] for name in columns} if columns else r

    def works(self):
        counts = Counter(
            (r["volume"], r["work_title"], r["author"], r["language"]) for r in self._rows.values()
        )
        return [
            SimpleNamespace(volume=v, work_title=t, author=a, language=lang, passages=n)
            for (v, t, a, lang), n in counts.items()
        ]


class TinyVersion:
    """An index version over rows."""

    def __init__(self, rows, embedder, matrix=None):
        spec = embedder.spec
        matrix = embedder.embed_passages([r["text"] for r in rows]) if matrix is None else matrix
        self.passages = Passages(rows)
        self.vectors = Vectors(
            rows,
            matrix,
            IndexSpec(
                spec.model, spec.dimension, spec.max_tokens, spec.passage_prefix, spec.query_prefix, "1"
            ),
        )
        self.lexical = Lexical(rows)
        self.closeness = Closeness(self.vectors)
        self.manifest = SimpleNamespace(calibration={}, spec=self.vectors.spec)
