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
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from jung_pipeline.errors import StageError

_FILE = Path(__file__).with_name("lexicon.toml")
_WORD = re.compile(r"\w+")  # on texts without "_", which marks emphasis in plain-text editions
_ARTICLES = frozenset(("the", "of", "das", "des", "dem", "der", "die", "a"))
_HYPHENS = ("-", "‐", "‑")
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
    lead: int  # words before the one it is looked up by
    exact: tuple[str, ...] | None = None
    ambiguous: bool = False


@dataclass
class Lexicon:
    """The concepts, their forms indexed by their first word that is no article."""

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
                # "the Self" is looked up by "self": articles are at every corner.
                lead = next((i for i, word in enumerate(words) if word not in _ARTICLES), 0)
                self._by_first.setdefault(words[lead], []).append(
                    _Form(
                        concept.name,
                        words,
                        lead,
                        tuple(_WORD.findall(form)) if form in exact else None,
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
        passage = _Passage(text)
        words, by_first = passage.words, self._by_first
        counts: dict[str, int] = {}
        free = 0  # words before this one belong to a form already found
        for found in [at for at, word in enumerate(words) if word in by_first]:
            if found < free:
                continue
            for form in by_first[words[found]]:
                length, at = len(form.words), found - form.lead
                if length > 1 and (at < free or tuple(words[at : at + length]) != form.words):
                    continue
                if form.exact and not (question and length > 1):
                    if passage.printed(at, length) != form.exact:
                        continue
                elif form.ambiguous and not question:
                    if self._context[form.concept].isdisjoint(passage.present):
                        continue
                    if length == 1 and passage.is_compounded(at):
                        continue
                counts[form.concept] = counts.get(form.concept, 0) + 1
                free = at + length
                break
        return sorted(counts, key=counts.__getitem__, reverse=True)


class _Passage:
    """The words of a text folded, and what is rarely asked of them worked out only then."""

    def __init__(self, text: str) -> None:
        self._text = text = text.replace("_", " ")
        folded = text.casefold()
        self.words: list[str] = _WORD.findall(folded)
        # "İ" folds to two characters, one of them no letter: then word by word, so that all stay in step.
        if len(folded) != len(text):
            self.words = [word.casefold() for word in _WORD.findall(text)]

    @cached_property
    def present(self) -> set[str]:
        """The different words."""
        return set(self.words)

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return [match.span() for match in _WORD.finditer(self._text)]

    def printed(self, at: int, length: int) -> tuple[str, ...]:
        """Words as the text has them."""
        return tuple(self._text[start:end] for start, end in self._spans[at : at + length])

    def is_compounded(self, at: int) -> bool:
        """Whether a word is part of a hyphened compound."""
        start, end = self._spans[at]
        before, after = self._text[max(0, start - 2) : start], self._text[end : end + 2]
        return (before[-1:] in _HYPHENS and before[:1].isalnum()) or (
            after[:1] in _HYPHENS and after[1:].isalnum()
        )


def _words(form: str) -> list[str]:
    return _WORD.findall(form.casefold())


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
    forms = {key: tuple(value) for key, value in entry.items() if key != "name"}
    return Concept(entry["name"], **forms)


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
