from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.chunk import tokens_tiktoken
from jung_pipeline.chunk.tokens_tiktoken import TokenCounts, count_tokens, encode
from jung_pipeline.errors import StageError

WORDS = st.lists(
    st.sampled_from(
        ["The", " keeper", " don't", "'s", ".", "\n\n", "\n", "  ", " 1917", ",", " ψυχή", "—", "naïve", "…", "🜍", "<|endoftext|>", "[12]", "’ll", "ß", "e\u0301", " (", ")", "\t", "ſ", "א"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


def test_known_counts() -> None:
    # cl100k_base: one token a common word, and control tokens are ordinary text.
    assert encode("hello world") == [15339, 1917]
    assert count_tokens("<|endoftext|>") > 1
    assert count_tokens("") == 0


def test_an_endless_run_of_spaces_is_counted() -> None:
    assert count_tokens(" " * 1_000_000 + "x") > 1000


@given(WORDS, st.integers(0, 200), st.integers(0, 200))
def test_a_slice_counts_as_if_encoded_alone(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    part = text[start:end].strip()
    start += text[start:end].find(part) if part else 0
    end = start + len(part)
    assert TokenCounts(text).count(start, end) == count_tokens(text[start:end])


def test_damaged_or_missing_ranks_are_named(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "cl100k_base.tiktoken"
    damaged.write_bytes(b"IQ== 0\n")
    tokens_tiktoken.encoding.cache_clear()
    monkeypatch.setattr(tokens_tiktoken, "_ranks_file", lambda: damaged)
    with pytest.raises(StageError, match=r"encoding cl100k_base.*damaged"):
        tokens_tiktoken.encoding()
    monkeypatch.undo()
    monkeypatch.setattr(importlib.metadata, "files", lambda name: None)
    with pytest.raises(StageError, match=r"encoding cl100k_base.*missing"):
        tokens_tiktoken.encoding()
    monkeypatch.undo()
    tokens_tiktoken.encoding.cache_clear()
    assert count_tokens("hello") == 1


def test_neither_network_nor_cache_is_touched(tmp_path) -> None:
    (tmp_path / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4").write_text("damaged")  # tiktoken's own cache name
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('network')\n"
        "socket.socket.connect = refuse\n"
        "from jung_pipeline.chunk.tokens_tiktoken import count_tokens\n"
        "print(count_tokens('The keeper counted the stones.'))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={"TIKTOKEN_CACHE_DIR": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "6"
