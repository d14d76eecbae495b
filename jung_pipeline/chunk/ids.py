"""Names of passages, made from their content.

An id holds no position, time or path, so an edit in one chapter changes no id in another, and the same
text chunked twice has the same ids.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence


def content_hash(text: str) -> str:
    """sha256 of ``text``, hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def chunk_ids(volume: str, hashes: Sequence[str]) -> list[str]:
    """``<volume>#<12 hex>`` for each content hash; the same text again gets ``-2``, ``-3``, … in order."""
    seen: Counter[str] = Counter()
    ids = []
    for digest in hashes:
        short = digest[:12]
        seen[short] += 1
        ids.append(f"{volume}#{short}" + (f"-{seen[short]}" if seen[short] > 1 else ""))
    return ids
