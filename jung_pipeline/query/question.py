"""A question as it may go further: bounded, clean, never empty, never code."""

from __future__ import annotations

import unicodedata

import regex

from jung_pipeline.embed.embedder import Embedder
from jung_pipeline.embed.inputs import query_input
from jung_pipeline.errors import EmbeddingError, UsageError
from jung_pipeline.text.normalise import INVISIBLE, squeeze

#: A question longer than this is a pasted page.
MAX_CHARACTERS = 2000

#: Tokens that a model's prefix and its own marks take at most, besides those of the question.
_AROUND = 16
#: What is counted for no text behind its prefix: a mark at the beginning, the prefix's last blank, a mark at the end.
_OF_NOTHING = 3

# Control and private characters, lone surrogates, and the marks that turn the direction of writing round.
_UNWANTED = regex.compile(rf"[\p{{Cc}}\p{{Cs}}\p{{Co}}\p{{Cn}}\u202a-\u202e\u2066-\u2069{INVISIBLE}]")


def clean_question(text: str) -> str:
    """``text`` in one line, composed, without control or invisible characters.

    Raises:
        UsageError: nothing to ask is left, or it is longer than :data:`MAX_CHARACTERS`.
    """
    if not isinstance(text, str):
        raise UsageError(f"A question is text, not {type(text).__name__}.")
    # Bounded before normalising too: a few characters decompose into many.
    if len(text) > 10 * MAX_CHARACTERS:
        raise _too_long(len(text))
    cleaned = squeeze(_UNWANTED.sub(" ", unicodedata.normalize("NFC", text)))
    if len(cleaned) > MAX_CHARACTERS:
        raise _too_long(len(cleaned))
    if not any(c.isalnum() for c in cleaned):
        raise UsageError("The question is empty.", remedy="Ask in words, for instance: What is the shadow?")
    return cleaned


def fitting_question(question: str, embedder: Embedder) -> str:
    """``question``, if ``embedder`` reads all of it. Nothing is cut off: the end may be what is asked.

    How many characters that are depends on the script: about 2,000 of English, 500 to 700 of Chinese, fewer of
    signs and of languages that the model has hardly seen.

    Raises:
        UsageError: it is too long; the message says how many of its characters fit.
    """
    spec = embedder.spec
    # A token is one character or more, so most questions need not be counted (their tokenizer is not loaded).
    if len(unicodedata.normalize("NFKC", question)) + _AROUND <= spec.max_tokens:
        return question
    try:
        if _fits(question, embedder):
            return question
        fits, too_long = 0, len(question)
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            fits, too_long = (middle, too_long) if _fits(question[:middle], embedder) else (fits, middle)
    except EmbeddingError:  # there is nothing to count with; a hosted model refuses what it does not read
        return question
    raise UsageError(
        f"The question has {len(question):,} characters; in this script {spec.model} reads {fits:,} of them.",
        remedy="Ask it in a sentence or two.",
    )


def _fits(question: str, embedder: Embedder) -> bool:
    """Whether ``embedder`` reads all of ``question``, which it counts behind the prefix of a passage."""
    spec = embedder.spec
    both, nothing = embedder.count_tokens([query_input(spec, question), ""])
    return both - nothing + _OF_NOTHING <= spec.max_tokens


def _too_long(length: int) -> UsageError:
    return UsageError(
        f"The question has {length:,} characters; {MAX_CHARACTERS:,} is the most.",
        remedy="Ask it in a sentence or two.",
    )
