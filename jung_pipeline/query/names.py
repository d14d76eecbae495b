"""Personal names as a catalogue has them, in the parts that reference managers ask for.

``"C. G. Jung"`` and ``"Jung, C. G."`` are the same person; ``"C. G. Jung and Karl Kerényi"`` are two. What does not
look like a person's name (a society, a pen name of one word) stays whole: a literal is never cut in two.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

#: Little words that belong to the family name and stay small: "Marie-Louise von Franz".
_PARTICLES = frozenset(
    (
        *(
            "von",
            "van",
            "vom",
            "zu",
            "zum",
            "zur",
            "der",
            "den",
            "de",
            "du",
            "del",
            "della",
            "di",
            "da",
            "dos",
        ),
        *("la", "le", "ter", "ten", "af", "av", "el", "al", "bin", "ibn"),
    )
)
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv"))
#: Degrees and titles are no part of a name.
_TITLES = regex.compile(
    r"""(?:^|,\s*|\s+)(?:M\.?\s?D|Ph\.?\s?D|D\.?\s?D|LL\.?\s?D|M\.?\s?A|B\.?\s?A|Sc\.?\s?D|F\.?\s?R\.?\s?S)\.?(?=,|\s|$)
    |^(?:(?:Prof|Dr|Mrs|Mr|Ms|Sir|Dame|Rev|med|phil)\.?\s+)+""",
    regex.X,
)
_BETWEEN = regex.compile(r"\s*;\s*|\s*,?\s+(?:and|und|et)\s+|\s*,?\s*&\s*")
_CAPITAL = regex.compile(r"[\p{Lu}\p{Lt}]")
#: More words than this are a society or a sentence.
_MOST_WORDS = 6


@dataclass(frozen=True)
class Name:
    """A person's name in parts, or a name that has none (``literal``)."""

    family: str = ""
    given: str = ""
    suffix: str = ""
    literal: str = ""

    def csl(self) -> dict[str, str]:
        """As a CSL name variable."""
        parts = {"family": self.family, "given": self.given, "suffix": self.suffix, "literal": self.literal}
        return {part: value for part, value in parts.items() if value}

    @property
    def inverted(self) -> str:
        """Family name first: "Jung, C. G."; a suffix comes second, as BibTeX has it: "Smith, Jr., John"."""
        if self.literal:
            return self.literal
        return ", ".join(part for part in (self.family, self.suffix, self.given) if part)


def names(text: str | None) -> list[Name]:
    """The people that ``text`` names, in order; a text that is not made of persons' names is one literal."""
    text = " ".join((text or "").split())
    if not text:
        return []
    found: list[Name] = []
    for piece in _BETWEEN.split(text):
        people = _people(_TITLES.sub("", piece).strip(" ,"))
        if people is None:
            return [Name(literal=text)]
        found += people
    return found or [Name(literal=text)]


def _people(piece: str) -> list[Name] | None:
    """The person or persons of a piece without "and"; ``None`` if it is no person's name."""
    parts = [part.strip() for part in piece.split(",") if part.strip()]
    if not parts:
        return []
    suffix = ""
    if len(parts) > 1 and parts[-1].lower().rstrip(".") in _SUFFIXES:
        suffix = parts.pop()
    if len(parts) == 1:
        person = _in_order(parts[0], suffix)
        return [person] if person else None
    if len(parts) == 2 and _is_family(parts[0]):
        return [Name(parts[0], parts[1], suffix)] if _is_personal(parts[1].split()) else None
    people = [_in_order(part, "") for part in parts]
    return None if suffix or None in people else [person for person in people if person]


def _in_order(text: str, suffix: str) -> Name | None:
    """A name with the given names first."""
    words = text.split()
    if len(words) > 2 and words[-1].lower().rstrip(".") in _SUFFIXES:
        suffix, words = words[-1], words[:-1]
    if not 2 <= len(words) <= _MOST_WORDS or not _is_personal(words):
        return None
    at = next((i for i, word in enumerate(words) if i and word in _PARTICLES), len(words) - 1)
    return Name(" ".join(words[at:]), " ".join(words[:at]), suffix)


def _is_family(text: str) -> bool:
    """Whether ``text`` can be what stands before the comma of "Jung, C. G."."""
    words = text.split()
    return len([word for word in words if word not in _PARTICLES]) == 1 and _is_personal(words)


def _is_personal(words: list[str]) -> bool:
    """Whether every word is one of a name: with a capital, or a particle; the last is no particle."""
    fit = all(_CAPITAL.match(word.lstrip("'’(“\"")) or word in _PARTICLES for word in words)
    return bool(words) and fit and not any(regex.search(r"[\p{N}_@/]", word) for word in words)
