"""A question as it may go further: bounded, clean, never empty, never code."""

from __future__ import annotations

import unicodedata

import regex

from jung_pipeline.errors import UsageError
from jung_pipeline.text.normalise import INVISIBLE, squeeze

#: A question longer than this is a pasted page; the embedder would read only its beginning.
MAX_CHARACTERS = 2000

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


def _too_long(length: int) -> UsageError:
    return UsageError(
        f"The question has {length:,} characters; {MAX_CHARACTERS:,} is the most.",
        remedy="Ask it in a sentence or two.",
    )
