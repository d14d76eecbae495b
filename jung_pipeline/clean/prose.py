"""Running text told from everything else that stands in a book."""

from __future__ import annotations

import regex

_I = regex.IGNORECASE
IMPRINT = regex.compile(
    r"all rights reserved|\bisbn\b|copyright(?:ed)?(?:,| \(c\)| ©|\s*©| by\b| \d{4})|©\s*(?:\d{4}|by)|\(c\) ?\d{4}|"
    r"printed (?:and bound )?(?:in|by|at)\b|(?:first|second|third|published|reprinted) (?:published|edition|printing|impression)\b.{0,30}\d{4}|"
    r"alle rechte vorbehalten|library of congress|no part of this (?:book|publication)|druck (?:von|der)|set (?:up )?in type|"
    r"entered at stationers|creative commons|published by\b",
    _I,
)

_SENTENCE = regex.compile(r"[.!?;](?=\s|$)")

_DASHES = regex.compile(r"--|—|–")


def is_prose(text: str, least: int = 45, *, dashes: int = 14) -> bool:
    """Whether ``text`` is running text: many words, sentences, few dashes (one in ``dashes`` words) and numbers."""
    words = text.split()
    if len(words) < least or (IMPRINT.search(text[:400]) and len(words) < 150):
        return False
    if len(_DASHES.findall(text)) > len(words) / dashes:
        return False
    if len(_SENTENCE.findall(text)) > len(words) / 6.5:  # a summary of catchwords
        return False
    if sum(word.strip(".,()").isdigit() for word in words) > len(words) / 12:
        return False
    small = sum(word[0].islower() for word in words)
    return small >= 0.6 * len(words) and regex.search(r"[.!?…][\"'”’)\]]*(?:\s|$)", text) is not None
