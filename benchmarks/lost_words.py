"""Is a word lost? Every book of the corpus, a plain extraction against cleaned text and ledger together.

python benchmarks/lost_words.py [CORPUS] [--only NAME] [--show N]

Two steps, each of which may lose nothing:

1. From the file to the raw lines. The words of a plain extraction that shares no code with ours (MuPDF's text
   page by page; the text of all documents of an EPUB or an HTML file by BeautifulSoup; a text file as it is
   decoded) must be in the raw lines. Both are aligned; what differs only in where words are divided is no loss,
   nor is what stands elsewhere (reading order).
2. From the raw lines to the cleaned text. Every character must be in the text or in the ledger, and the raw
   text changed as the ledger says must be the cleaned text (the two checks of every ingestion).

A plain extraction may have too much, and that is counted as lost although nothing is: a line that a PDF has twice
at one place, read two ways by two layers of text, and signs of fonts without Unicode that look like letters (a sum
sign stored as "P"). Of 5.46 million words of sixty books 14 are lost, all of these two kinds.

A line for every book: words of the plain extraction, those lost, and the share; the lost ones with --show.
"""

from __future__ import annotations

import argparse
import sys
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

from corpus_volumes import CorpusVolume, add_options, volumes
from twins import compare, words_of

#: Elements whose text is no text of the page.
_NOT_SHOWN = ("script", "style", "head", "template")
_MARKUP = (".xhtml", ".html", ".htm")


def plain_text(path: Path) -> str:
    """The file's text by the shortest way there is."""
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        import pymupdf

        with pymupdf.open(path) as document:
            return "\n".join(page.get_text("text") for page in document)
    if suffix == ".epub":
        return "\n".join(_markup_text(data) for data in _documents(path))
    data = path.read_bytes()
    return _markup_text(data) if suffix in _MARKUP else _decoded(data)


def _documents(path: Path) -> list[bytes]:
    """The documents of an EPUB's reading order, without its navigation."""
    import posixpath

    from bs4 import BeautifulSoup

    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        package = next((name for name in names if name.endswith(".opf")), None)
        if package is None:
            return [archive.read(name) for name in names if name.lower().endswith(_MARKUP)]
        soup = BeautifulSoup(archive.read(package), "lxml-xml")
        items = {str(item["id"]): item for item in soup.find_all("item") if item.get("id")}
        found = []
        for reference in soup.find_all("itemref"):
            item = items.get(str(reference.get("idref")))
            if item is None or "nav" in str(item.get("properties") or "").split():
                continue
            name = posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(str(item["href"]))))
            if name in names:
                found.append(archive.read(name))
        return found


def _markup_text(data: bytes) -> str:
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(data, "lxml")
    for element in soup(_NOT_SHOWN):
        element.decompose()
    # No separator: a word may run over elements ("<b>W</b>hen"); blocks end with a line feed in the source.
    for block in soup(
        ["p", "div", "br", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "tr"]
    ):
        block.append("\n")
        block.insert_before("\n")
    return soup.get_text()


def _decoded(data: bytes) -> str:
    for encoding in ("utf-8-sig", "cp1252", "latin-1"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def lost_in_extraction(plain: str, lines: list[str]) -> Counter[str]:
    """Words of ``plain`` that are not in ``lines``."""
    first, second = words_of(plain), words_of("\n".join(lines))
    only_first: Counter[str] = Counter()
    only_second: Counter[str] = Counter()
    for _, one, other in compare(first, second).differences:
        if one.replace(" ", "") != other.replace(" ", ""):
            only_first.update(one.split())
            only_second.update(other.split())
    return _without_divisions(only_first - only_second, only_second - only_first)


def _without_divisions(lost: Counter[str], put_in: Counter[str]) -> Counter[str]:
    """``lost`` without what is there in other pieces: "of the" for "ofthe", "no" and "tes" for "notes"."""
    pieces = set(put_in)
    for word in list(lost):
        there = any(word[:at] in pieces and word[at:] in pieces for at in range(1, len(word)))
        inside = len(word) > 2 and any(word in other for other in pieces if len(other) > len(word))
        if there or inside:
            del lost[word]
    return lost


def lost_in_cleaning(volume: CorpusVolume) -> int:
    """Raw characters neither in the cleaned text nor in the ledger, and paragraphs that do not replay."""
    from jung_pipeline.clean.replay import replay, unaccounted

    lines, cleaned = volume.document.lines, volume.cleaned
    texts = cleaned.paragraphs.column("text").to_pylist()
    made = replay(lines, cleaned.paragraphs, cleaned.ledger)
    return len(unaccounted(lines, cleaned.paragraphs, cleaned.ledger)) + sum(
        one != other for one, other in zip(made, texts, strict=True)
    )


def main() -> None:
    """Print a line for every book; ends with 1 if a word is lost in any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--show", type=int, default=0, help="so many of the lost words of each book")
    options = parser.parse_args()
    all_words = all_lost = all_unaccounted = 0
    for volume in volumes(options.corpus, options.only):
        plain = plain_text(volume.path)
        words = len(words_of(plain))
        lost = lost_in_extraction(plain, volume.document.lines.column("text").to_pylist())
        unaccounted = lost_in_cleaning(volume)
        all_words, all_lost = all_words + words, all_lost + lost.total()
        all_unaccounted += unaccounted
        print(
            f"{volume.path.name[:52]:52} {words:8,} words, lost {lost.total():4} "
            f"({lost.total() / max(1, words):.4%}), not accounted for {unaccounted}",
            flush=True,
        )
        if options.show and lost:
            print("    " + ", ".join(f"{word} {count}" for word, count in lost.most_common(options.show)))
    print(f"all: {all_words:,} words, lost {all_lost} ({all_lost / max(1, all_words):.4%})", end="")
    print(f", not accounted for {all_unaccounted}")
    sys.exit(1 if all_lost or all_unaccounted else 0)


if __name__ == "__main__":
    main()
