"""What the API gives besides answers: passages in their place, works, concepts, pages, references, examples."""

from __future__ import annotations

from itertools import islice
from typing import Any

from jung_pipeline import tables
from jung_pipeline.errors import JungError, UsageError
from jung_pipeline.index.vector_index import Where
from jung_pipeline.query.library import Library
from jung_pipeline.serve import pages
from jung_pipeline.serve.models import ReferenceForm
from jung_pipeline.serve.reader import Reader
from jung_pipeline.serve.shown import shown_hit, shown_passage
from jung_pipeline.serve.survey import Survey, question_about

#: Passages elsewhere that say the same: looked at, shown, and how near they must be (cosine of e5, which gives two
#: passages on different matters 0.75 to 0.85).
_LOOKED_AT, _SHOWN, _NEAR = 24, 4, 0.87
#: Passages shown for a concept.
_OF_A_CONCEPT = 8
#: Examples offered.
_EXAMPLES = 4


class NotHere(JungError):
    """What was asked for by its name is not in this library."""


def passage(reader: Reader, chunk_id: str, around: int, quote: str | None = None) -> dict[str, Any]:
    """A passage with its neighbours and what stands close to it elsewhere.

    Raises:
        NotHere: there is no such passage.
    """
    library = reader.library()
    try:
        here = library.passage(chunk_id)
    except UsageError as error:
        raise NotHere(error.message) from error
    before, after = library.neighbours(here.chunk_id, around)
    return {
        "passage": shown_passage(here, library),
        "before": [shown_passage(each, library) for each in before],
        "after": [shown_passage(each, library) for each in after],
        "start_page": pages.start_page(library, here, quote),
        "previous": here.prev_chunk_id,
        "next": here.next_chunk_id,
        "elsewhere": _elsewhere(library, here.chunk_id),
    }


def _elsewhere(library: Library, chunk_id: str) -> list[dict[str, Any]]:
    """Passages of other chapters and works that come nearest in meaning, if they come near at all."""
    stored = library.version.vectors.fetch([chunk_id]).get(chunk_id)
    if stored is None:
        return []
    here = library.passage(chunk_id)
    found = []
    for match in library.version.vectors.query(stored.vector, top_k=_LOOKED_AT):
        if match.chunk_id == chunk_id or match.score < _NEAR:
            continue
        other = library.passage(match.chunk_id)
        if (other.volume, other.chapter) != (here.volume, here.chapter):
            found.append({**shown_passage(other, library), "same_text": other.text == here.text})
    return found[:_SHOWN]


def works(reader: Reader) -> dict[str, Any]:
    """Every volume of the live version, with its chapters and, where the tables are at hand, its quality."""
    return reader.once("works", lambda library: _works(library, reader.survey()))


def _works(library: Library, survey: Survey) -> dict[str, Any]:
    rows = []
    for work in library.works():
        entry = library.volumes.get(work.volume)
        counted = survey.works.get(work.volume)
        rows.append(
            {
                "volume": work.volume,
                "title": work.title,
                "author": work.author,
                "language": work.language,
                "passages": work.passages,
                "year": entry.year if entry else None,
                "original_year": entry.original_year if entry else None,
                "translator": entry.translator if entry else None,
                "chapters": list(counted.chapters.values()) if counted else [],
                "concepts": [name for name, _ in counted.concepts.most_common(6)] if counted else [],
                "has_pages": pages.pdf_of(library, work.volume) is not None,
                "file": _of_the_file(library, work.volume),
            }
        )
    manifest = library.version.manifest
    return {
        "works": rows,
        "passages": manifest.passages,
        "version": manifest.version,
        "published": manifest.created,
    }


def _of_the_file(library: Library, volume: str) -> dict[str, Any] | None:
    """Pages and the quality of their text, from what extraction noted; ``None`` where that is not at hand."""
    info = tables.read_info(library.settings.paths.table("raw_text", volume)) or {}
    read = info.get("document", {}).get("pages", [])
    if not read:
        return None
    judged = [each["quality"] for each in read if each.get("quality") is not None]
    return {
        "pages": len(read),
        "without_text": sum(not each.get("usable", True) for each in read),
        "quality": round(sum(judged) / len(judged), 3) if judged else None,
    }


def concept(reader: Reader, name: str) -> dict[str, Any]:
    """Where a concept lives, with the passages that speak most of it.

    Raises:
        NotHere: no passage is tagged with it.
    """
    library, survey = reader.library(), reader.survey()
    if name not in survey.concepts:
        raise NotHere(f"No passage of this library speaks of {name!r}.")
    titles = {work.volume: work.title for work in library.works()}
    found = library.search(name, top_k=_OF_A_CONCEPT, where=Where(concepts=(name,)))
    return {
        **survey.concept(name, library.volumes, titles),
        "found": [shown_hit(hit, library) for hit in found.hits],
    }


def examples(reader: Reader) -> dict[str, Any]:
    """Questions about the concepts most at home here; only those that the library answers."""

    def answered(library: Library) -> list[str]:
        questions = map(question_about, reader.survey().examples())
        return list(islice((q for q in questions if library.search(q).answerable), _EXAMPLES))

    return {"examples": reader.once("examples", answered)}


def page(
    reader: Reader, volume: str, number: int, chunk_id: str | None, quote: str | None = None
) -> dict[str, Any]:
    """A page of a book; see :func:`pages.page_of`.

    Raises:
        NotHere: there is no such volume, page or passage.
    """
    try:
        return pages.page_of(reader.library(), volume, number, chunk_id, quote)
    except UsageError as error:
        raise NotHere(error.message) from error


def picture(reader: Reader, volume: str, number: int) -> tuple[bytes, str]:
    """The picture of a page, and its media type.

    Raises:
        NotHere: there is no such page, or its file is not at hand.
    """
    from jung_pipeline.serve.picture_pymupdf import draw

    found = pages.pdf_of(reader.library(), volume)
    if found is None:
        raise NotHere("The pages of this volume are not at hand.")
    try:
        return draw(found[0], found[1].hints, number)
    except UsageError as error:
        raise NotHere(error.message) from error


def references(reader: Reader, ids: list[str], form: ReferenceForm) -> str:
    """References to passages, in their order.

    Raises:
        NotHere: one of them is not in this library.
    """
    library = reader.library()
    try:
        return library.references([library.passage(each) for each in dict.fromkeys(ids)], form)
    except UsageError as error:
        raise NotHere(error.message) from error
