"""One question as a stream of events: the passages first, the answer as it grows, then what was checked.

Events in order: ``passages`` (what was found, before any model is asked), ``text`` (a piece of the answer, not checked
yet), ``verdicts`` (on its quotations), ``citations`` (its sources as they are numbered in the end), ``follow_ups``,
``answer`` (the whole), ``done``; or ``error`` in place of what could not be had. Nothing is asked of a model, and the
events between the first and ``answer`` are left out, where the library does not answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, TypeVar

from jung_pipeline.errors import JungError
from jung_pipeline.query import events as steps
from jung_pipeline.query.library import Library
from jung_pipeline.serve.gate import Gate
from jung_pipeline.serve.models import Query
from jung_pipeline.serve.reader import Reader
from jung_pipeline.serve.shown import shown_answer, shown_found, shown_quotes, shown_sources
from jung_pipeline.settings import secret

_T = TypeVar("_T")


@dataclass(frozen=True)
class Event:
    """One step of an answer: its name and its data as JSON-able values."""

    name: str
    data: dict[str, Any]


@dataclass(frozen=True)
class Desk:
    """What answering takes: the library, and threads with a gate before them for each kind of work.

    Composing an answer from the passages takes longer than finding them, so it has threads of its own, and fewer:
    whoever asks sees passages first, however many answers are still being composed.
    """

    reader: Reader
    short: Executor
    searching: Gate
    composers: Executor
    composing: Gate
    models: Executor
    answering: Gate

    async def quickly(self, work: Callable[[], _T]) -> _T:
        """Do short work in a thread, as many at once as the gate lets through.

        Raises:
            Busy: too many wait already.
        """
        async with self.searching:
            return await asyncio.get_running_loop().run_in_executor(self.short, work)


class _Walk:
    """Takes a generator step by step, each step in a thread; closing it stops a model in mid-sentence."""

    def __init__(self, generator: Generator[steps.Event, None, None]) -> None:
        self._generator = generator
        self._stepping: asyncio.Future[steps.Event | None] | None = None

    def step(self) -> steps.Event | None:
        """The next event; ``None`` at the end."""
        return next(self._generator, None)

    async def step_in(self, executor: Executor) -> steps.Event | None:
        """The next event, made in a thread of ``executor``."""
        self._stepping = asyncio.get_running_loop().run_in_executor(executor, self.step)
        return await asyncio.shield(self._stepping)

    def close(self) -> None:
        """Stop; what is at work in a thread just now is stopped when its step ends."""
        if self._stepping is not None and not self._stepping.done():
            self._stepping.add_done_callback(self._stepped)
        else:
            self._generator.close()

    def _stepped(self, step: asyncio.Future[steps.Event | None]) -> None:
        step.exception()  # looked at: nobody waits for it any more
        self._generator.close()


async def events(desk: Desk, query: Query) -> AsyncIterator[Event]:
    """Answer ``query``; see the module for the events.

    Raises:
        Busy: too many wait already.
    """
    asks_model = query.model and secret("ANTHROPIC_API_KEY") is not None
    walk: _Walk | None = None
    try:
        library = await desk.quickly(desk.reader.library)
        walk = _Walk(library.ask_events(query.question, where=query.filters.where(), use_model=asks_model))
        async with desk.searching:
            first = await walk.step_in(desk.short)
        assert isinstance(first, steps.PassagesFound)
        writes = asks_model and first.search.answerable
        yield Event("passages", {**shown_found(first.search, library), "asks_model": writes})
        gate, threads = (desk.answering, desk.models) if writes else (desk.composing, desk.composers)
        async with gate:
            while (step := await walk.step_in(threads)) is not None:
                yield _told(step, library)
        yield Event("done", {})
    except JungError as error:
        yield problem(error, desk.reader)
    finally:
        if walk is not None:
            walk.close()


def _told(step: steps.Event, library: Library) -> Event:
    """A step as it is sent."""
    match step:
        case steps.AnswerText():
            return Event("text", {"text": step.text})
        case steps.Verdicts():
            return Event("verdicts", {"verdicts": [each.to_dict() for each in step.verdicts]})
        case steps.Citations():
            return Event("citations", {"sources": shown_sources(step.sources, step.cited, library)})
        case steps.FollowUps():
            offered = [
                {"concept": each.concept, "label": each.label, "question": each.question}
                for each in step.follow_ups
            ]
            return Event("follow_ups", {"follow_ups": offered})
        case steps.Finished():
            return Event(
                "answer", {**shown_answer(step.answer, library), "quotes": shown_quotes(step.answer)}
            )
        case _:
            raise AssertionError(f"{type(step).__name__} comes first and once")


def problem(error: JungError, reader: Reader) -> Event:
    """``error`` as an event. Where the library lies is nobody's business but its owner's."""
    home = str(reader.settings.home)
    return Event(
        "error",
        {
            "error": {
                "kind": type(error).__name__,
                "message": error.message.replace(home, "the library"),
                "remedy": error.remedy.replace(home, "the library"),
            }
        },
    )
