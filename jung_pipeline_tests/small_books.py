"""Small books of our own for tests of the whole line."""

from __future__ import annotations

from pathlib import Path

from jung_pipeline.demo.book import Book, Chapter, Paragraph, Run
from jung_pipeline.demo.builder import build_epub

_WORDS = (
    "The keeper of the {name} tower counted the stones every night and wrote their number on the wall. "
    "That was night {n}, and the wind came from the lake. He had dreamed of a door that nobody had opened."
)


def small_book(name: str, chapters: int = 2, paragraphs: int = 5) -> Book:
    """A book of a few hundred words, no two of whose passages are alike."""
    return Book(
        key=name,
        title=f"The Book of the {name.title()}",
        author="A. Keeper",
        chapters=tuple(
            Chapter(
                "chapter",
                number,
                f"Chapter {number}",
                f"The {name.title()} Wall {number}",
                paragraphs=tuple(
                    Paragraph("body", (Run(_WORDS.format(name=name, n=100 * number + n)),))
                    for n in range(1, paragraphs + 1)
                ),
            )
            for number in range(1, chapters + 1)
        ),
    )


def put_epub(folder: Path, name: str, **shape: int) -> Path:
    """A small EPUB called ``name`` in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.epub"
    build_epub(path, small_book(name, **shape))
    return path
