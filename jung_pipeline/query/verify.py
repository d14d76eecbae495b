"""Is this quotation in the library, and where? A verdict for every quotation of a text, by machine.

Candidates come from the lexical index; each is then held against the quotation letter by letter
(``text/quotes.py``), also across the seam between a passage and the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

import regex

from jung_pipeline.catalogue import Volume
from jung_pipeline.query.citations import cite
from jung_pipeline.query.misreadings import only_misread
from jung_pipeline.query.passages import Passage
from jung_pipeline.query.retriever import Retriever
from jung_pipeline.query.signals import weights_of
from jung_pipeline.text.normalise import Word, content_words, fold, language_of, squeeze, words
from jung_pipeline.text.quotes import Alignment, align, find_quotations, locate, negation_cut_off

#: Passages looked at for one quotation.
CANDIDATES = 40
#: From this share of words in their places a quotation counts as altered rather than as not in these books.
ALTERED_FROM = 0.7
#: A splice is made of so many pieces at most, each of so many words in print, which together are this share of it.
SPLICED_OF, SPLICED_PIECE, SPLICED_FROM = 3, 5, 0.9
#: Shorter quotations are too common to say anything about.
FEWEST_WORDS = 3
#: How far before and after a quotation its attribution is looked for, in characters.
_BEFORE, _AFTER = 160, 160


@dataclass(frozen=True)
class Place:
    """Where words stand."""

    chunk_id: str
    citation: str
    printed: str  # the words as printed there


@dataclass(frozen=True)
class QuoteVerdict:
    """What became of one quotation."""

    quote: str
    verdict: str  # verbatim | altered | misattributed | not_in_library | too_short
    places: tuple[Place, ...] = ()  # where it stands; for an altered one, where it comes nearest
    attributed_to: str | None = None  # the work or author named beside it, where one of the library is
    changes: tuple[tuple[str, str], ...] = ()  # (as quoted, as printed), for an altered one
    similarity: float = 0.0  # share of its words in their places

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            **asdict(self),
            "places": [asdict(place) for place in self.places],
            "changes": [list(change) for change in self.changes],
        }


@dataclass(frozen=True)
class Verifier:
    """Judges quotations against one version of the library."""

    retriever: Retriever
    works: Sequence[tuple[str, str | None]]  # (work_title, author) of everything in the library
    volumes: Mapping[str, Volume]

    def verify(self, text: str, *, attributed_to: str | None = None) -> list[QuoteVerdict]:
        """A verdict for each quotation of ``text``; a text without quotation marks is one quotation.

        ``attributed_to`` names the author or work that all are said to be from; without it, that is looked
        for in the words around each.
        """
        quotations = find_quotations(text)
        if not quotations:
            return [self.judge(squeeze(text), attributed_to=attributed_to)] if text.strip() else []
        verdicts = []
        for index, quotation in enumerate(quotations):
            start = max(quotations[index - 1].end if index else 0, quotation.start - _BEFORE)
            end = min(
                quotations[index + 1].start if index + 1 < len(quotations) else len(text),
                quotation.end + _AFTER,
            )
            around = f"{text[start : quotation.start]} … {text[quotation.end : end]}"
            verdicts.append(self.judge(quotation.inner, around, attributed_to=attributed_to))
        return verdicts

    def judge(self, quote: str, around: str = "", *, attributed_to: str | None = None) -> QuoteVerdict:
        """The verdict on ``quote``, which the words ``around`` it may attribute to a work or an author."""
        if len(words(quote)) < FEWEST_WORDS:
            return QuoteVerdict(quote, "too_short")
        named = self._attribution(attributed_to or around)
        if attributed_to and not named:  # said to be from something that is not in the library
            named = ((squeeze(attributed_to), None),)
        exact: list[tuple[Passage, str]] = []
        near: list[tuple[Passage, Alignment, str]] = []
        for passage, text in self._candidates(quote):
            place = locate(quote, text)
            if place is not None:
                exact.append((passage, text[place[0] : place[1]]))
            elif not exact:
                alignment = align(quote, text)
                if alignment is not None:
                    near.append((passage, alignment, text))
        if exact:
            places = tuple(self._place(passage, printed) for passage, printed in _once(exact))
            right = not named or any(self._is_named(passage, named) for passage, _ in exact)
            return QuoteVerdict(
                quote, "verbatim" if right else "misattributed", places, _shown(named), similarity=1.0
            )
        # Of two that are equally near the one whose own text it is, not the joined-on beginning of the next.
        near.sort(key=lambda item: (-item[1].similarity, item[1].start >= len(item[0].text)))
        misread = self._misread(quote, near)
        if misread:
            right = not named or any(self._is_named(passage, named) for passage, _ in misread)
            places = tuple(self._place(passage, printed) for passage, printed in misread)
            return QuoteVerdict(
                quote, "verbatim" if right else "misattributed", places, _shown(named), similarity=1.0
            )
        if near and near[0][1].similarity >= ALTERED_FROM:
            passage, alignment, text = near[0]
            left_out = negation_cut_off(text, alignment.start, alignment.end)
            return QuoteVerdict(
                quote,
                "altered",
                (self._place(passage, text[alignment.start : alignment.end]),),
                _shown(named),
                (
                    *((change.quoted, change.printed) for change in alignment.changes),
                    *([("", left_out)] if left_out else ()),
                ),
                round(alignment.similarity, 3),
            )
        spliced = _spliced(quote, near)
        if spliced:
            places = tuple(self._place(passage, printed) for passage, printed in spliced)
            return QuoteVerdict(quote, "altered", places, _shown(named), similarity=1.0)
        return QuoteVerdict(
            quote,
            "not_in_library",
            attributed_to=_shown(named),
            similarity=round(near[0][1].similarity, 3) if near else 0.0,
        )

    def _misread(
        self, quote: str, near: Sequence[tuple[Passage, Alignment, str]]
    ) -> list[tuple[Passage, str]]:
        """Where the quotation stands but for words that a scanner misread."""
        length = len(words(quote))
        return [
            (passage, text[alignment.start : alignment.end])
            for passage, alignment, text in near
            if alignment.similarity >= ALTERED_FROM
            and only_misread(((c.quoted, c.printed) for c in alignment.changes), length, passage.language)
        ]

    def _candidates(self, quote: str) -> Iterable[tuple[Passage, str]]:
        """Passages that share the quotation's words, each with the beginning of the next one joined on."""
        searches = [quote]
        # Every word may be changed but the rare ones; a long quotation may run on into the next passage.
        weights = weights_of(quote, language_of(quote))
        rare = sorted(weights, key=lambda word: -weights[word])[:4]
        if rare:
            searches.append(" ".join(rare))
        parts = content_words(quote)
        if len(parts) > 16:
            searches += [" ".join(parts[: len(parts) // 2]), " ".join(parts[len(parts) // 2 :])]
        seen: dict[str, None] = {}
        for search in searches:
            for match in self.retriever.lexical.search(search, top_k=CANDIDATES):
                seen.setdefault(match.chunk_id)
        for chunk_id in seen:
            passage = self.retriever.passage(chunk_id)
            if passage is None:
                continue
            following = self.retriever.passage(passage.next_chunk_id) if passage.next_chunk_id else None
            text = passage.text
            if following is not None and following.kind == passage.kind:
                text = f"{text}\n\n{following.text[: 2 * len(quote) + 200]}"
            yield passage, text

    def _place(self, passage: Passage, printed: str) -> Place:
        return Place(passage.chunk_id, cite(passage, self.volumes.get(passage.volume)), squeeze(printed))

    def _attribution(self, around: str) -> tuple[tuple[str, str | None], ...]:
        """The works of the library that the words around a quotation name: by title, else by author."""
        flat = f" {' '.join(word.form for word in words(around))} "
        titles = [
            (title, author)
            for title, author in self.works
            if f" {' '.join(w.form for w in words(title))} " in flat
        ]
        if titles:
            return tuple(titles)
        return tuple(
            (title, author) for title, author in self.works if author and f" {_family_name(author)} " in flat
        )

    def _is_named(self, passage: Passage, named: tuple[tuple[str, str | None], ...]) -> bool:
        return any(passage.work_title == title for title, _ in named)


def _spliced(quote: str, near: Sequence[tuple[Passage, Alignment, str]]) -> list[tuple[Passage, str]]:
    """The places that a quotation was put together from, in its order; empty if it was not.

    Each piece stands in print word for word; what is left over between them is a word or two at most.
    """
    forms = [word.form for word in words(quote)]
    texts = [(passage, text, words(text)) for passage, _, text in near]
    matchers = [
        (SequenceMatcher(None, forms, [word.form for word in found], autojunk=False), passage, text, found)
        for passage, text, found in texts
    ]
    gaps: list[tuple[int, int]] = [(0, len(forms))]
    pieces: list[tuple[int, int, Passage, str]] = []
    while gaps and len(pieces) < SPLICED_OF:
        low, high = max(gaps, key=lambda gap: gap[1] - gap[0])
        best = max(
            (
                (m.find_longest_match(low, high, 0, len(found)), passage, text, found)
                for m, passage, text, found in matchers
            ),
            key=lambda item: (item[0].size, _is_own(item[1], item[3], item[0].b)),
            default=None,
        )
        if best is None or best[0].size < SPLICED_PIECE:
            break
        match, passage, text, found = best
        if len(content_words(" ".join(forms[match.a : match.a + match.size]))) < 2:
            break
        printed = text[found[match.b].start : found[match.b + match.size - 1].end]
        pieces.append((match.a, match.size, passage, printed))
        gaps.remove((low, high))
        gaps += [(low, match.a), (match.a + match.size, high)]
    covered = sum(size for _, size, _, _ in pieces)
    if len(pieces) < 2 or covered < SPLICED_FROM * len(forms):
        return []
    return [(passage, printed) for _, _, passage, printed in sorted(pieces, key=lambda piece: piece[0])]


def _is_own(passage: Passage, found: Sequence[Word], at: int) -> bool:
    """Whether the word ``at`` stands in the passage itself, not in the joined-on beginning of the next."""
    return at < len(found) and found[at].start < len(passage.text)


def _once(found: Sequence[tuple[Passage, str]]) -> list[tuple[Passage, str]]:
    """Each place once: a quotation inside the joined-on beginning of the next passage is found twice."""
    ids = {passage.chunk_id for passage, _ in found}
    return [
        (passage, printed)
        for passage, printed in found
        if not (passage.next_chunk_id in ids and locate(printed, passage.text) is None)
    ] or list(found[:1])


def _family_name(author: str) -> str:
    family = author.split(",")[0] if "," in author else author.split()[-1]
    return fold(regex.sub(r"[^\p{L}-]", "", family))


def _shown(named: tuple[tuple[str, str | None], ...]) -> str | None:
    if not named:
        return None
    if len(named) == 1:
        return named[0][0]
    authors = {author for _, author in named}
    return next(iter(authors)) if len(authors) == 1 else "; ".join(title for title, _ in named)
