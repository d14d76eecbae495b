"""Words of a whole volume at once: letters found in one sweep over its characters, each form looked at once."""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LETTER, DIGIT, MARK = 1, 2, 4
_CLASSES = {"L": LETTER, "N": DIGIT, "M": MARK}
#: Characters up to here are classed at first use; others as they come.
_COMMON = 0x3000

Places = npt.NDArray[np.int64]


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """The code points of ``text``."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _class_of(point: int) -> int:
    return _CLASSES.get(unicodedata.category(chr(point))[0], 0)


@functools.cache
def _common_classes() -> npt.NDArray[np.uint8]:
    return np.fromiter(map(_class_of, range(_COMMON)), dtype=np.uint8, count=_COMMON)


def classes(points: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """For each code point whether it is a ``LETTER``, a ``DIGIT`` (any number), a ``MARK`` or none of these."""
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
    numbers: dict[str, int] = {}
    setdefault = numbers.setdefault
    of = [
        setdefault(text[start:end], len(numbers))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    return Forms(list(numbers), np.array(of, dtype=np.int64))
