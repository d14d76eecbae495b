"""Which of many words are one confusion away from frequent words, found for all of them at once.

A book's unknown words, with every likely confusion undone at every place, make some hundred thousand strings,
hardly any of which is a frequent word. So the strings are not made: their hashes are worked out from those of
the pieces and looked up in a table. A hash may err, in one direction only: a word that is passed over has no
frequent word near it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jung_pipeline.clean import tokens

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
#: The table has so many places (two to the power of it).
_BITS = 22
#: Letters of a word or a piece, at most; longer words are left undecided.
_LONGEST = 60
#: A letter takes so many bits of the number of its piece.
_LETTER_BITS = 21

Hashes = npt.NDArray[np.uint64]


def _powers(base: int) -> Hashes:
    values, value = [], 1
    for _ in range(_LONGEST + 4):
        values.append(value)
        value = value * base % (1 << 64)
    return np.array(values, dtype=np.uint64)


_POWERS, _INVERSES = _powers(_BASE), _powers(_INVERSE)


class _Words:
    """Words laid end to end, and the sums that make the hash of any piece of them."""

    def __init__(self, words: Sequence[str]) -> None:
        self.points = tokens.code_points("".join(words)).astype(np.uint64)
        self.lengths = np.array([len(word) for word in words], dtype=np.int64)
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.ends = self.starts + self.lengths
        self.of = np.repeat(np.arange(len(words)), self.lengths)
        self.place = np.arange(len(self.points)) - self.starts[self.of]
        self.sums = np.zeros(len(self.points) + 1, dtype=np.uint64)
        np.cumsum((self.points + np.uint64(1)) * _POWERS[self.place], out=self.sums[1:])

    def hashes(self) -> Hashes:
        """The hash of each word."""
        return self.sums[self.ends] - self.sums[self.starts]


def _places(hashes: Hashes) -> npt.NDArray[np.int64]:
    return ((hashes * _MIX) >> np.uint64(64 - _BITS)).astype(np.int64)


def nearest_tiers(
    words: Sequence[str], confusions: Mapping[str, Sequence[str]], tiers: Sequence[Collection[str]]
) -> list[int]:
    """For each of ``words`` the first of ``tiers`` that may hold it with one confusion undone.

    Args:
        words: in lower case.
        confusions: what may have been printed, by what was read (up to three letters); what stands for a
            letter lost (read ``""``) is put in only in words of five letters or more.
        tiers: sets of words, each of which holds the one before.

    Returns:
        Numbers of tiers; ``len(tiers)`` where certainly none holds such a word.
    """
    short = [len(word) <= _LONGEST for word in words]
    nearest = np.full(len(words), len(tiers), dtype=np.uint8)
    table = np.full(1 << _BITS, len(tiers), dtype=np.uint8)
    for number in range(len(tiers) - 1, -1, -1):
        known = [word for word in tiers[number] if len(word) < _LONGEST]
        if known:
            table[_places(_Words(known).hashes())] = number
    laid = _Words([word if fits else "" for word, fits in zip(words, short, strict=True)])
    if len(laid.points):
        for of, hashes in _undone(laid, confusions):
            found = table[_places(hashes)]
            hit = np.flatnonzero(found < len(tiers))
            np.minimum.at(nearest, of[hit], found[hit])
    nearest[~np.array(short, dtype=bool)] = 0
    found_in = nearest.tolist()
    tier_of = {word: tier for tier in range(len(tiers) - 1, -1, -1) for word in tiers[tier]}
    for number, other in _everywhere(words, laid, confusions):
        if other in tier_of and tier_of[other] < found_in[number]:
            found_in[number] = tier_of[other]
    return found_in


def _undone(
    laid: _Words, confusions: Mapping[str, Sequence[str]]
) -> Iterator[tuple[npt.NDArray[np.int64], Hashes]]:
    """Numbers of words, and the hashes of these words with a confusion undone at one place."""
    inserted = confusions.get("", ())
    if inserted:
        # Before every letter, and at the end.
        at = np.concatenate([np.arange(len(laid.points)), laid.ends])
        of = np.concatenate([laid.of, np.arange(len(laid.lengths))])
        long = laid.lengths[of] >= 5
        yield from _with(laid, of[long], at[long], 0, [inserted], np.zeros(int(long.sum()), dtype=np.int64))
    for size in (1, 2, 3):
        of, at, which, printed = _read(laid, confusions, size)
        if len(of):
            yield from _with(laid, of, at, size, printed, which)


def _read(
    laid: _Words, confusions: Mapping[str, Sequence[str]], size: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], list[Sequence[str]]]:
    """Words and places where a piece of ``size`` letters stands that may be misread, its number, and what by number."""
    reads = sorted((read for read in confusions if len(read) == size), key=_number)
    nothing = np.zeros(0, dtype=np.int64)
    last = len(laid.points) - size + 1
    if not reads or last < 1:
        return nothing, nothing, nothing, []
    numbers = laid.points[:last].copy()
    for step in range(1, size):
        numbers |= laid.points[step : last + step] << np.uint64(_LETTER_BITS * step)
    known = np.array([_number(read) for read in reads], dtype=np.uint64)
    which = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    inside = np.arange(last) + size <= laid.ends[laid.of[:last]]
    at = np.flatnonzero((known[which] == numbers) & inside)
    return laid.of[at], at, which[at], [confusions[read] for read in reads]


def _number(piece: str) -> int:
    return sum(ord(char) << (_LETTER_BITS * place) for place, char in enumerate(piece))


def _with(
    laid: _Words,
    of: npt.NDArray[np.int64],
    at: npt.NDArray[np.int64],
    size: int,
    printed: Sequence[Sequence[str]],
    which: npt.NDArray[np.int64],
) -> Iterator[tuple[npt.NDArray[np.int64], Hashes]]:
    """The words ``of`` with the ``size`` letters at ``at`` replaced by each of ``printed[which]``."""
    head = laid.sums[at] - laid.sums[laid.starts[of]]
    tail = laid.sums[laid.ends[of]] - laid.sums[at + size]
    here = _POWERS[at - laid.starts[of]]
    most = max(map(len, printed))
    for turn in range(most):
        having = np.array([turn < len(others) for others in printed], dtype=bool)[which]
        pieces = [others[turn] if turn < len(others) else "" for others in printed]
        values = np.array([_piece_hash(piece) for piece in pieces], dtype=np.uint64)[which[having]]
        longer = np.array([len(piece) - size for piece in pieces], dtype=np.int64)[which[having]]
        shift = np.where(longer >= 0, _POWERS[np.maximum(longer, 0)], _INVERSES[np.maximum(-longer, 0)])
        yield of[having], head[having] + here[having] * values + tail[having] * shift


def _piece_hash(piece: str) -> int:
    return sum((ord(char) + 1) * int(_POWERS[place]) for place, char in enumerate(piece)) % (1 << 64)


def _everywhere(
    words: Sequence[str], laid: _Words, confusions: Mapping[str, Sequence[str]]
) -> Iterator[tuple[int, str]]:
    """Numbers of words, and the words with a confusion that comes again undone at every place."""
    for size in (1, 2, 3):
        of, _, which, _ = _read(laid, confusions, size)
        if not len(of):
            continue
        reads = sorted((read for read in confusions if len(read) == size), key=_number)
        both, counts = np.unique(of * len(reads) + which, return_counts=True)
        for number, read in zip(
            *(found.tolist() for found in np.divmod(both[counts > 1], len(reads))), strict=True
        ):
            word = words[number]
            for printed in confusions[reads[read]]:
                yield number, word.replace(reads[read], printed)
