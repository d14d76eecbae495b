"""Questions put to an index to calibrate it: some it can answer, made from its passages; some it cannot."""

from __future__ import annotations

import hashlib
import tomllib
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random

import numpy as np

from jung_pipeline.embed.embedder import Embedder
from jung_pipeline.embed.inputs import input_hash, query_input
from jung_pipeline.index.vector_index import Vectors
from jung_pipeline.query.passages import Passage
from jung_pipeline.query.rewording import OtherWords
from jung_pipeline.query.signals import rarity
from jung_pipeline.tables import write_atomically
from jung_pipeline.text.normalise import ASKING_WORDS, STOP_WORDS, squeeze, words
from jung_pipeline.text.sentences import sentence_spans

#: Probes made from passages: more than are shipped, for exchanging words makes some of them another question.
IN_CORPUS_PROBES = 600
#: Words of the library among which others near in meaning are looked for.
VOCABULARY = 2500
#: In a small library a passage gives several probes, from different sentences.
_PER_PASSAGE = 6

_SENTENCE_WORDS = (8, 60)


@dataclass(frozen=True)
class Probe:
    """A question with the passage that answers it, or ``None`` for one that nothing answers."""

    text: str
    chunk_id: str | None
    field: str | None = None  # of a shipped question


#: The field of the shipped questions that sound at home among such books.
NEIGHBOURING = "neighbouring"


@cache
def out_of_corpus() -> dict[str, tuple[str, ...]]:
    """The shipped questions that a library of depth psychology does not answer, by field."""
    data = tomllib.loads(
        files("jung_pipeline.query").joinpath("probes_out_of_corpus.toml").read_text(encoding="utf-8")
    )
    return {field: tuple(questions) for field, questions in data["questions"].items()}


def sample_ids(ids: Iterable[str], count: int, purpose: str) -> list[str]:
    """``count`` of ``ids``, the same ones on every machine: those whose salted hashes come first."""
    return sorted(ids, key=lambda i: hashlib.sha256(f"{purpose}/{i}".encode()).digest())[:count]


def in_corpus(passages: Sequence[Passage], others: OtherWords | None = None) -> list[Probe]:
    """Questions that the passages answer: each asks after one sentence.

    One in ten repeats some words of it. The others ask as a reader would who does not know the book's words: most of
    the words are exchanged for ``others`` near in meaning. Questions that only repeat the book would teach that what
    shares few words with it has no answer in it.
    """
    by_id = {passage.chunk_id: passage for passage in passages}
    chosen = sample_ids(by_id, IN_CORPUS_PROBES, "probe")
    rounds = min(_PER_PASSAGE, -(-IN_CORPUS_PROBES // max(1, len(chosen))))
    probes: dict[str, Probe] = {}
    for turn in range(rounds):
        for number, chunk_id in enumerate(chosen):
            passage = by_id[chunk_id]
            random = Random(hashlib.sha256(f"{chunk_id}/{turn}".encode()).digest())
            repeats = (number + turn) % _ONE_REPEATS_IN == 0
            text = _question(passage, random, None if repeats else others)
            if text:
                probes.setdefault(text, Probe(text, chunk_id))
    return list(probes.values())[:IN_CORPUS_PROBES]


#: The form of a question that is nothing but words, in no particular order.
_KEYWORDS = "{}"
_TEMPLATES = {
    "en": (
        "What does the author say about {}?",
        "How is {} explained?",
        "What is said here about {} and why?",
        "Where is there talk of {}?",
        _KEYWORDS,
    ),
    "de": (
        "Was sagt der Verfasser über {}?",
        "Wie wird {} erklärt?",
        "Wo ist von {} die Rede?",
        "Was bedeutet {} hier?",
        _KEYWORDS,
    ),
}
#: How many of the probes repeat the book's words: one in so many.
_ONE_REPEATS_IN = 10
#: Content words of a question in other words, at least (where the sentence has so many) and at most.
_FEWEST, _MOST = 4, 9
#: Shares of its words that are exchanged for others.
_EXCHANGED = (0.5, 0.75, 1.0)


def _question(passage: Passage, random: Random, others: OtherWords | None) -> str | None:
    """A question after one sentence of the passage; ``None`` where no sentence lends itself."""
    language = passage.language if passage.language in _TEMPLATES else "en"
    spans = [
        passage.text[a:b]
        for a, b in sentence_spans(passage.text)
        if _SENTENCE_WORDS[0] <= len(words(passage.text[a:b])) <= _SENTENCE_WORDS[1]
    ]
    if not spans:
        return None
    sentence = random.choice(spans)
    stop = STOP_WORDS[language]
    found = [
        w for w in words(sentence) if len(w.form) > 2 and w.form not in stop and w.form not in ASKING_WORDS
    ]
    if len(found) < 3:
        return None
    if others is None:
        template = random.choice([form for form in _TEMPLATES[language] if form != _KEYWORDS])
        # The clause round the rarest word, some six words of it.
        rarest = max(range(len(found)), key=lambda i: (rarity(found[i].form, language), -i))
        low, high = max(0, rarest - 1), min(len(found), rarest + 2)
        return template.format(squeeze(sentence[found[low].start : found[high - 1].end]))
    template = random.choice(_TEMPLATES[language])
    count = random.randint(min(_FEWEST, len(found)), min(len(found), _MOST))
    first = random.randint(0, len(found) - count)
    share = random.choice(_EXCHANGED)
    asked = []
    for word in found[first : first + count]:
        other = others.choose(word.form, random) if random.random() < share else None
        asked.append(other or sentence[word.start : word.end])
    return template.format(" ".join(reversed(asked) if template == _KEYWORDS else asked))


def vocabulary(passages: Sequence[Passage]) -> list[str]:
    """Content words that several of the passages share, the commonest :data:`VOCABULARY` of them."""
    counts: dict[str, int] = {}
    for passage in passages:
        for form in {w.form for w in words(passage.text) if len(w.form) > 3}:
            if form not in STOP_WORDS["en"] and form not in STOP_WORDS["de"]:
                counts[form] = counts.get(form, 0) + 1
    shared = sorted((form for form, count in counts.items() if count >= 3), key=lambda f: (-counts[f], f))
    return sorted(shared[:VOCABULARY])


class ProbeVectors:
    """The vectors of the probes under one model, kept beside the index so that publishing again is free."""

    def __init__(self, path: Path | None) -> None:
        """Read the cache at ``path``; without a path, or with a damaged file, start empty."""
        self._path = path
        self._known: dict[str, Vectors] = {}
        self._used: dict[str, Vectors] = {}
        if path is not None and path.exists():
            try:
                with np.load(path, allow_pickle=False) as stored:
                    self._known = dict(zip(stored["hashes"].tolist(), stored["vectors"], strict=True))
            except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
                self._known = {}

    @classmethod
    def beside(cls, index: Path, model: str) -> ProbeVectors:
        """The cache of ``model`` in the index folder."""
        return cls(index / f"probe_vectors.{model}.npz")

    def of(self, texts: Sequence[str], embedder: Embedder) -> list[Vectors]:
        """The vectors of the questions ``texts``, from the cache or made now, all in one call."""
        keys = [input_hash(query_input(embedder.spec, text)) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        made = (
            dict(zip(missing, embedder.embed_queries(list(missing.values())), strict=True)) if missing else {}
        )
        self._used.update({key: self._known[key] if key in self._known else made[key] for key in keys})
        return [self._used[key] for key in keys]

    def save(self) -> None:
        """Write what was used, and drop what was not."""
        if self._path is None or not self._used or self._used.keys() == self._known.keys():
            return
        hashes, rows = np.array(list(self._used)), np.asarray(list(self._used.values()), dtype=np.float32)

        def write(staged: Path) -> None:
            with staged.open("wb") as file:
                np.savez(file, hashes=hashes, vectors=rows)

        write_atomically(self._path, write)
