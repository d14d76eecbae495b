"""The windows of a passage: runs of whole sentences short enough that a vector says one thing.

A vector of a whole passage is the mean of what it talks about. A question asks after one thing, so the passages
found are looked at again by their windows (``index/closeness.py``). A window is embedded like a passage, beside
them, under the same cache; a short passage is its own window and costs nothing more.
"""

from __future__ import annotations

from jung_pipeline.text.sentences import sentence_spans

#: Raised whenever windows are cut otherwise: their vectors are then made anew.
WINDOWS_VERSION = "1"
#: Words of a window; a longer sentence is a window of its own. Measured with `jung eval --golden` on English and
#: German books, by meaning alone: recall@6 0.58 for whole passages, 0.66 for windows of 120 words, 0.71 for 60.
WINDOW_WORDS = 60
#: A rest at the end with fewer words than this goes to the window before it.
_FEWEST_WORDS = 20


def window_spans(text: str, language: str | None = None) -> list[tuple[int, int]]:
    """Where the windows of ``text`` begin and end; none where they would be the text itself."""
    spans: list[tuple[int, int]] = []
    held: list[int] = []  # where the sentences of the window at hand begin and end
    count = 0
    for start, end in sentence_spans(text, language=language):
        words = len(text[start:end].split())
        if held and count + words > WINDOW_WORDS:
            spans.append((held[0], held[-1]))
            held, count = [], 0
        held += [start, end]
        count += words
    if held:
        if spans and count < _FEWEST_WORDS:
            spans[-1] = (spans[-1][0], held[-1])
        else:
            spans.append((held[0], held[-1]))
    return spans if len(spans) > 1 else []


def windows_of(text: str, language: str | None = None) -> list[str]:
    """The windows of ``text``, each a part of it; none where there would be one."""
    return [text[start:end] for start, end in window_spans(text, language)]
