"""The one place where e5's prefixes are put on, so that no path can forget them or put them on twice.

The hosted multilingual-e5-large puts the same prefixes on by itself, told by ``input_type`` ("passage" or
"query"): its documented limit of 507 tokens is 512 less the prefix (3) and the special tokens (2). So
``pinecone_inference.py`` sends bare texts, and what is counted and hashed here is still what the model reads.
"""

from __future__ import annotations

import hashlib

from jung_pipeline.embed.embedder import EmbedderSpec


def passage_input(spec: EmbedderSpec, text: str) -> str:
    """``text`` exactly as it goes to the model when a passage is embedded.

    A text that happens to begin with a prefix keeps it and gets ours too: it is the book's words.
    """
    return spec.passage_prefix + text


def query_input(spec: EmbedderSpec, question: str) -> str:
    """``question`` exactly as it goes to the model when it is asked."""
    return spec.query_prefix + question


def input_hash(text: str) -> str:
    """sha256 (hex) of the exact text given to a model: the key of the vector cache."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
