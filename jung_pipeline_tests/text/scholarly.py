"""The labelled sentences of ``scholarly_sentences.txt``, and how a splitter does on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("scholarly_sentences.txt")


@dataclass(frozen=True)
class Labelled:
    """A paragraph with the offsets at which its sentences end, the last one left out."""

    text: str
    language: str
    ends: frozenset[int]


@dataclass(frozen=True)
class Score:
    """Boundaries found rightly, found where there is none, and missed."""

    right: int
    extra: tuple[str, ...]  # what stands before each, for people
    missed: tuple[str, ...]

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / (2 * self.right + len(self.extra) + len(self.missed))


def paragraphs() -> list[Labelled]:
    """The labelled paragraphs, in order."""
    found: list[Labelled] = []
    language, sentences = "en", list[str]()
    for line in [*FILE.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("## "):
            language = line[3:].strip()
        elif line.strip() and not line.startswith("# "):
            sentences.append(line)
        elif sentences and not line.strip():
            ends, at = set(), 0
            for sentence in sentences[:-1]:
                at += len(sentence)
                ends.add(at)
                at += 1
            found.append(Labelled(" ".join(sentences), language, frozenset(ends)))
            sentences = []
    return found


def score(split: Callable[[str, str], list[tuple[int, int]]]) -> Score:
    """How ``split`` (text, language → spans) does; a boundary is where the sentence's last character ends."""
    right, extra, missed = 0, list[str](), list[str]()
    for one in paragraphs():
        ends = {len(one.text[:end].rstrip()) for _, end in split(one.text, one.language)}
        ends.discard(len(one.text))
        right += len(ends & one.ends)
        extra += [one.text[max(0, end - 40) : end] for end in sorted(ends - one.ends)]
        missed += [one.text[max(0, end - 40) : end] for end in sorted(one.ends - ends)]
    return Score(right, tuple(extra), tuple(missed))
