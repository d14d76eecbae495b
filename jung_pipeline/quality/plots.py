"""A small plot of the quality of pages in block characters, for a terminal; as a picture: ``svg.py``."""

from __future__ import annotations

from collections.abc import Sequence

from jung_pipeline.quality.card import PageQuality

_BLOCKS = "▁▂▃▄▅▆▇█"
#: Stands for pages without text, and for pages whose quality nobody has measured.
_NO_TEXT, _UNKNOWN = "×", "·"


def binned(pages: Sequence[PageQuality], width: int) -> list[tuple[int, int, float | None, bool]]:
    """The pages in at most ``width`` bins: first and last page, the lowest quality, whether one has no text.

    The lowest, not the mean: a bad page is what a reader looks for.
    """
    count = min(width, len(pages))
    found = []
    for number in range(count):
        group = pages[number * len(pages) // count : (number + 1) * len(pages) // count]
        known = [page.quality for page in group if page.quality is not None]
        found.append(
            (group[0].page, group[-1].page, min(known, default=None), any(not page.usable for page in group))
        )
    return found


def text_plot(pages: Sequence[PageQuality], width: int = 60) -> str:
    """One line of block characters, the higher the better; ``×`` for pages without text, ``·`` if not known."""
    return "".join(
        _NO_TEXT
        if no_text
        else _UNKNOWN
        if quality is None
        else _BLOCKS[min(len(_BLOCKS) - 1, int(max(0.0, quality) * len(_BLOCKS)))]
        for _, _, quality, no_text in binned(pages, width)
    )
