"""Words of a whole volume at once: letters found in one sweep over its characters, each form looked at once."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

#: Bits of a character's class; a capital is a letter as well.
LETTER, DIGIT, MARK, CAPITAL = 1, 2, 4, 8
_CLASSES = {"L": LETTER, "N": DIGIT, "M": MARK}
#: Characters up to here are classed at first use; others as they come.
_COMMON = 0x3000

#: Bits of a letter's number among a few letters.
_LETTER_BITS, _LETTER_MASK = 12, 0xFFF

Places = npt.NDArray[np.int64]


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """The code points of ``text``."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _class_of(point: int) -> int:
    category = unicodedata.category(chr(point))
    return _CLASSES.get(category[0], 0) | (CAPITAL if category == "Lu" else 0)


@functools.cache
def _common_classes() -> npt.NDArray[np.uint8]:
    return np.fromiter(map(_class_of, range(_COMMON)), dtype=np.uint8, count=_COMMON)


def classes(points: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """For each code point whether it is a ``LETTER`` (and ``CAPITAL``), a ``DIGIT`` (any number), a ``MARK``."""
    common = _common_classes()
    if not len(points) or int(points.max()) < _COMMON:
        return common[points]
    found = common[np.minimum(points, _COMMON - 1)]
    rare = np.flatnonzero(points >= _COMMON)
    forms, which = np.unique(points[rare], return_inverse=True)
    found[rare] = np.array([_class_of(point) for point in forms.tolist()], dtype=np.uint8)[which]
    return found


def runs(inside: npt.NDArray[np.bool_]) -> tuple[Places, Places]:
    """Where the runs of ``True`` begin and end."""
    padded = np.zeros(len(inside) + 2, dtype=np.int8)
    padded[1:-1] = inside
    steps = np.diff(padded)
    return np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)


@dataclass(frozen=True, slots=True)
class Forms:
    """The distinct strings among stretches of a text.

    Attributes:
        strings: each form once, in the order of its first place.
        of: for each stretch the number of its form.
    """

    strings: list[str]
    of: Places

    def counts(self) -> list[int]:
        """How often each form stands there."""
        return np.bincount(self.of, minlength=len(self.strings)).tolist()


def forms(text: str, starts: Places, ends: Places) -> Forms:
    """The distinct strings of the stretches ``starts`` to ``ends`` of ``text``."""
    if not len(starts):
        return Forms([], np.zeros(0, dtype=np.int64))
    # Arrow tells equal strings many times faster than a dictionary does: they are laid end to end for it.
    points = code_points(text)
    steps = np.zeros(len(points) + 1, dtype=np.int8)
    steps[starts] = 1
    steps[ends] -= 1
    points = points[np.cumsum(steps[:-1], dtype=np.int8) > 0]
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    np.cumsum(ends - starts, out=offsets[1:])
    if int(points.max()) < 0x80:
        data, width = points.astype(np.uint8).data, 1
    else:
        data, width = points.data, 4
    array = pa.Array.from_buffers(
        pa.large_binary(), len(starts), [None, pa.py_buffer(offsets * width), pa.py_buffer(data)]
    )
    of = array.dictionary_encode().indices.to_numpy().astype(np.int64)
    first = np.empty(int(of.max()) + 1, dtype=np.int64)
    first[of[::-1]] = np.arange(len(of) - 1, -1, -1)
    at = zip(starts[first].tolist(), ends[first].tolist(), strict=True)
    return Forms([text[start:end] for start, end in at], of)


def rows_of_single_letters(text: str, least: int, between: str) -> list[int]:
    """Offsets of letters that stand by themselves and begin a row of ``least`` such letters.

    Args:
        text: any text.
        least: how many letters make a row.
        between: the characters that may stand between them.
    """
    points = code_points(text)
    starts, ends = runs((classes(points) & LETTER) > 0)
    last = len(starts) - least + 1
    if last < 1:
        return []
    alone = ends - starts == 1
    begins = np.ones(last, dtype=bool)
    for step in range(least):
        begins &= alone[step : step + last]
    gap_sign = points == ord(between[0])
    for sign in between[1:]:
        gap_sign |= points == ord(sign)
    for number in np.flatnonzero(begins).tolist():
        for step in range(number, number + least - 1):
            if not gap_sign[ends[step] : starts[step + 1]].all():
                begins[number] = False
    return starts[:last][begins].tolist()


def places_of(text: str, strings: Iterable[str]) -> list[int]:
    """Where runs of letters begin that may be one of ``strings`` (of five letters at most); others are left out."""
    points = code_points(text)
    starts, ends = runs((classes(points) & LETTER) > 0)
    lengths = ends - starts
    found: list[int] = []
    by_length: dict[int, list[int]] = {}
    for string in strings:
        number = 0
        for char in string:
            number = number << _LETTER_BITS | (ord(char) & _LETTER_MASK)
        by_length.setdefault(len(string), []).append(number)
    for length, known in by_length.items():
        at = starts[lengths == length]
        numbers = np.zeros(len(at), dtype=np.int64)
        for step in range(length):
            numbers = (numbers << _LETTER_BITS) | (points[at + step] & _LETTER_MASK)
        found += at[np.isin(numbers, known)].tolist()
    return sorted(found)


def all_places(text: str, signs: Iterable[str]) -> list[int]:
    """Where any of ``signs`` stands."""
    found: list[int] = []
    for sign in signs:
        at = text.find(sign)
        while at >= 0:
            found.append(at)
            at = text.find(sign, at + 1)
    return sorted(found)
