"""The passages round a source: what a passage that is cut short leans on, and as much more as is asked for.

Neighbours are sources of their own with their own address, so that a citation never names the wrong page; one that the
answer does not cite is shown as part of the surroundings of the passage that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from jung_pipeline.catalogue import Volume
from jung_pipeline.query.citations import Source
from jung_pipeline.query.passages import Passage
from jung_pipeline.schemas import PARAGRAPH_SEPARATOR

#: The most neighbours on each side that a model is given.
MOST_CONTEXT = 10

Lookup = Callable[[str], Passage | None]


def with_surroundings(
    passages: Sequence[Passage],
    lookup: Lookup,
    volumes: Mapping[str, Volume],
    context: int | None,
) -> list[Source]:
    """``passages`` as numbered sources, each between its neighbours in reading order.

    Args:
        passages: best first; blank ones are passed over.
        lookup: gives a passage by id.
        volumes: facts about the editions.
        context: so many neighbours on each side; ``None``: one where the passage begins or ends inside a
            paragraph, so that it is cut short there.
    """
    passages = [passage for passage in passages if passage.text.strip()]
    taken = {passage.chunk_id for passage in passages}
    sources: list[Source] = []
    for passage in passages:
        before = _side(passage, lookup, context, forward=False)
        after = _side(passage, lookup, context, forward=True)
        core = Source(0, passage, volumes.get(passage.volume))
        if context:
            core = replace(core, before=tuple(before), after=tuple(after))
        round_it = [replace(core, passage=p, surrounds=passage.chunk_id) for p in (*before, *after)]
        round_it = [
            replace(source, before=(), after=()) for source in round_it if source.chunk_id not in taken
        ]
        taken.update(source.chunk_id for source in round_it)
        ids = {p.chunk_id for p in before}
        sources += [source for source in round_it if source.chunk_id in ids]
        sources.append(core)
        sources += [source for source in round_it if source.chunk_id not in ids]
    return [replace(source, number=number) for number, source in enumerate(sources, start=1)]


def _side(passage: Passage, lookup: Lookup, context: int | None, *, forward: bool) -> list[Passage]:
    """The neighbours on one side, in reading order: of the same kind, and no further than the chapter."""
    found: list[Passage] = []
    here = passage
    while context is None or len(found) < min(context, MOST_CONTEXT):
        name = here.next_chunk_id if forward else here.prev_chunk_id
        neighbour = lookup(name) if name else None
        if neighbour is None or (neighbour.kind, neighbour.chapter) != (passage.kind, passage.chapter):
            break
        if context is None and not cut_between(*((here, neighbour) if forward else (neighbour, here))):
            break
        found.append(neighbour)
        here = neighbour
        if context is None:
            break
    return found if forward else found[::-1]


def cut_between(first: Passage, second: Passage) -> bool:
    """Whether two passages that follow one another divide a paragraph between them."""
    if first.char_end is None or second.char_start is None:
        return False
    return 0 <= second.char_start - first.char_end < len(PARAGRAPH_SEPARATOR)
