"""The lexicon of Jungian concepts: tags for passages, forms and neighbours for questions.

``lexicon.toml`` beside this module holds the concepts. How a form is matched:

* On whole words of Unicode letters and digits, case and ß/ss apart: "shadowy" is not "shadow".
* The longest form wins and takes its words: "collective unconscious" is not "unconscious" too (their relation
  is in ``related``).
* The parts of a hyphened compound count ("anima-image" holds "anima") unless the form is ambiguous.
* ``exact`` forms match in their own case only: "the Self", "das Selbst".
* ``ambiguous`` forms are everyday words too ("complex", "self"): in a passage they count only where one of
  the concept's ``context`` words stands in the same passage; in a question they always count.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jung_pipeline.errors import StageError

_FILE = Path(__file__).with_name("lexicon.toml")
_WORD = re.compile(r"[^\W_]+(?:[-‐‑][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_KEYS = {"name", "en", "de", "other", "exact", "ambiguous", "context", "related"}


@dataclass(frozen=True)
class Concept:
    """One concept.

    Attributes:
        name: Canonical name, English, lower case, singular.
        en: Further English forms: plural, variants, other translations.
        de: German forms with their inflections.
        other: Latin, Greek, French forms.
        exact: Forms that count in their own case only.
        ambiguous: Forms that are everyday words too.
        context: Words one of which must stand in the passage for an ambiguous form to count.
        related: Names of neighbouring concepts.
    """

    name: str
    en: tuple[str, ...] = ()
    de: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    related: tuple[str, ...] = ()

    @property
    def forms(self) -> tuple[str, ...]:
        """All forms, the name first, each once."""
        plain = (self.name, *self.en, *self.de, *self.other, *self.exact, *self.ambiguous)
        return tuple(dict.fromkeys(plain))


@dataclass(frozen=True)
class _Form:
    """One form as it is looked up: its folded words, and what has to hold besides."""

    concept: str
    words: tuple[str, ...]
    exact: tuple[str, ...] | None = None
    ambiguous: bool = False


@dataclass
class Lexicon:
    """The concepts, indexed by the first word of their forms."""

    concepts: dict[str, Concept]
    _by_first: dict[str, list[_Form]] = field(init=False, repr=False)
    _context: dict[str, frozenset[str]] = field(init=False, repr=False)
    _names: dict[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Build the look-up tables."""
        self._by_first, self._names, self._context = {}, {}, {}
        for concept in self.concepts.values():
            ambiguous = set(concept.ambiguous)
            exact = set(concept.exact)
            for form in concept.forms:
                words = tuple(_words(form))
                self._names.setdefault(" ".join(words), concept.name)
                self._by_first.setdefault(words[0], []).append(
                    _Form(
                        concept.name,
                        words,
                        tuple(_PART.findall(form)) if form in exact else None,
                        form in ambiguous,
                    )
                )
            if ambiguous:
                self._context[concept.name] = frozenset(
                    word for form in concept.context for word in _words(form)
                )
        for forms in self._by_first.values():
            forms.sort(key=lambda form: (-len(form.words), form.ambiguous, form.concept))

    def tag(self, text: str) -> list[str]:
        """Names of the concepts in ``text``, the most frequent first, then the first to come."""
        return self._found(text, question=False)

    def match_query(self, question: str) -> list[str]:
        """Names of the concepts that a question speaks of, in the order of :meth:`tag`.

        More is taken than in a passage: ambiguous forms need no context, and exact forms count in any case
        when they are longer than a word ("das selbst").
        """
        return self._found(question, question=True)

    def expand(self, term: str) -> tuple[str, ...]:
        """All forms of the concept that ``term`` (its name, or any of its forms) names; empty if unknown."""
        name = self._names.get(" ".join(_words(term)))
        return self.concepts[name].forms if name else ()

    def related(self, name: str) -> tuple[str, ...]:
        """Names of the concepts next to ``name`` (a name or a form); empty if unknown."""
        found = self._names.get(" ".join(_words(name)))
        return self.concepts[found].related if found else ()

    def _found(self, text: str, *, question: bool) -> list[str]:
        folded, printed, hyphened = _tokens(text)
        by_first = self._by_first
        counts: dict[str, int] = {}
        present: set[str] | None = None
        free = 0  # words before this one belong to a form already found
        for at, word in enumerate(folded):
            if word not in by_first or at < free:
                continue
            for form in by_first[word]:
                length = len(form.words)
                if length > 1 and tuple(folded[at : at + length]) != form.words:
                    continue
                if (
                    form.exact
                    and not (question and length > 1)
                    and tuple(printed[at : at + length]) != form.exact
                ):
                    continue
                if form.ambiguous and not question:
                    if length == 1 and hyphened[at]:
                        continue
                    if present is None:
                        present = set(folded)
                    if self._context[form.concept].isdisjoint(present):
                        continue
                counts[form.concept] = counts.get(form.concept, 0) + 1
                free = at + length
                break
        return sorted(counts, key=counts.__getitem__, reverse=True)


def _words(form: str) -> list[str]:
    return _PART.findall(form.casefold())


def _tokens(text: str) -> tuple[list[str], list[str], Sequence[bool]]:
    """The words of ``text`` folded and as printed, and whether each is part of a hyphened compound."""
    printed = _WORD.findall(text)
    if not any(map(_HYPHENED, printed)):
        return [word.casefold() for word in printed], printed, [False] * len(printed)
    parts: list[str] = []
    hyphened: list[bool] = []
    for word in printed:
        if _HYPHENED(word):
            pieces = _PART.findall(word)
            parts += pieces
            hyphened += [True] * len(pieces)
        else:
            parts.append(word)
            hyphened.append(False)
    return [part.casefold() for part in parts], parts, hyphened


_HYPHENED = re.compile(r"[^\W_]+[-‐‑]").match


def _concept(entry: dict[str, Any], names: Iterable[str]) -> Concept:
    """A concept from its entry in the file.

    Raises:
        StageError: the entry has an unknown key, or names a concept that is not there.
    """
    unknown = set(entry) - _KEYS
    strange = set(entry.get("related", ())) - set(names)
    if unknown or strange:
        raise StageError(f"{_FILE.name}, {entry.get('name')!r}: {sorted(unknown | strange)} is not known.")
    if entry.get("ambiguous") and not entry.get("context"):
        raise StageError(f"{_FILE.name}, {entry['name']!r}: ambiguous forms need context words.")
    return Concept(**{key: value if key == "name" else tuple(value) for key, value in entry.items()})


@cache
def load_lexicon() -> Lexicon:
    """The lexicon, read once a process."""
    entries = tomllib.loads(_FILE.read_text(encoding="utf-8"))["concept"]
    names = [entry["name"] for entry in entries]
    if len(set(names)) != len(names):
        raise StageError(f"{_FILE.name}: a concept is there twice.")
    return Lexicon({entry["name"]: _concept(entry, names) for entry in entries})


@cache
def lexicon_digest() -> str:
    """sha256 of the lexicon file, hex: passages tagged by another lexicon are out of date."""
    return hashlib.sha256(_FILE.read_bytes()).hexdigest()
