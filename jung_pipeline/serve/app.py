"""The reading room as one ASGI application: ``jung_pipeline.serve.app:app``.

It keeps nothing between requests but the opened index, so that any number of instances can stand side by side, and
one that starts cold answers from the finished index alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from jung_pipeline import settings as settings_module
from jung_pipeline.errors import JungError
from jung_pipeline.serve import models, rooms
from jung_pipeline.serve.asking import Desk, Event, events, problem
from jung_pipeline.serve.gate import Busy, Gate, Rate
from jung_pipeline.serve.reader import Reader
from jung_pipeline.serve.safety import Safety, is_loopback, refused
from jung_pipeline.settings import Settings

_T = TypeVar("_T")
_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": models.ErrorBody, "description": says}
    for code, says in {
        400: "The question or a filter makes no sense.",
        401: "A token is needed.",
        403: "Not from here.",
        404: "There is no such thing in this library.",
        413: "Too long.",
        422: "Not what this call takes.",
        502: "The service behind it failed.",
        503: "Too busy, or no index yet; see Retry-After.",
    }.items()
}
_ID = Query(min_length=1, max_length=200, description="id of a passage, as the other calls give it")
_QUOTE = Query(max_length=2000, description="words of the passage, to be found in it")
_STREAM = "text/event-stream"


def create_app(settings: Settings) -> FastAPI:
    """The application over the library of ``settings``; opens nothing before the first request."""
    token = settings.serve_token.get_secret_value() if settings.serve_token else None
    app = FastAPI(
        title="Jung library: the reading room",
        version=importlib.metadata.version("jung-pipeline"),
        summary="Questions to a person's own library of C. G. Jung: passages, cited answers, pages, concepts.",
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
        responses=_ERRORS,
    )
    composers = max(1, settings.serve_at_once // 4)
    app.state.desk = Desk(
        Reader(settings),
        ThreadPoolExecutor(settings.serve_at_once, thread_name_prefix="search"),
        Gate(settings.serve_at_once, settings.serve_waiting),
        ThreadPoolExecutor(composers, thread_name_prefix="compose"),
        Gate(composers, settings.serve_waiting),
        ThreadPoolExecutor(settings.serve_models_at_once, thread_name_prefix="model"),
        Gate(settings.serve_models_at_once, settings.serve_waiting),
    )
    app.state.rate = Rate(settings.serve_per_minute)
    app.include_router(_api())
    app.include_router(_health())
    static = Path(str(resources.files("jung_pipeline.serve") / "static"))
    app.mount("/", StaticFiles(directory=static, html=True), name="page")
    for error, handler in _handlers().items():
        app.add_exception_handler(error, handler)
    app.add_middleware(Safety, token=token, public=settings.serve_public)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    desk: Desk = app.state.desk
    for threads in (desk.short, desk.composers, desk.models):
        threads.shutdown(wait=False, cancel_futures=True)


@cache
def _application() -> FastAPI:
    return create_app(settings_module.load())


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of the library that ``JUNG_HOME`` names, made at the first request."""
    await _application()(scope, receive, send)


# --------------------------------------------------------------------------------------------------
# the API
# --------------------------------------------------------------------------------------------------


def _api() -> APIRouter:
    api = APIRouter(prefix="/api")

    @api.post("/query", summary="Ask the library", responses=_asked())
    async def query(asked: models.Query, request: Request) -> Response:
        """Passages, then the answer as it grows, then what was checked: server-sent events.

        With ``Accept: application/json`` one document at the end. See ``docs/reading-room.md`` for the events.
        """
        desk: Desk = request.app.state.desk
        client = request.client.host if request.client else ""
        if not is_loopback(client):
            request.app.state.rate.take(client)
        steps = events(desk, asked)
        if _STREAM not in request.headers.get("accept", "") and "json" in request.headers.get("accept", ""):
            return await _whole(steps, request)
        first = await anext(steps)  # too busy is told by the status, not inside a stream
        return StreamingResponse(
            _streamed(first, steps), media_type=_STREAM, headers={"x-accel-buffering": "no"}
        )

    @api.get("/passages/{chunk_id}", summary="A passage in its surroundings")
    async def passage(
        request: Request,
        chunk_id: str,
        around: Annotated[int, Query(ge=0, le=10)] = 1,
        quote: Annotated[str | None, _QUOTE] = None,
    ) -> dict[str, Any]:
        """The passage, those before and after it, and what stands close to it elsewhere in the library."""
        return await _quickly(request, lambda reader: rooms.passage(reader, chunk_id, around, quote))

    @api.get("/references", summary="References to passages")
    async def references(
        request: Request,
        id: Annotated[list[str], Query(min_length=1, max_length=50)],
        form: models.ReferenceForm = "text",
    ) -> Response:
        """The passages' places as text, CSL-JSON, BibTeX or RIS."""
        text = await _quickly(request, lambda reader: rooms.references(reader, id, form))
        kind = "application/json" if form == "csl-json" else "text/plain"
        return Response(text, media_type=f"{kind}; charset=utf-8")

    @api.get("/works", summary="The works in the library")
    async def works(request: Request) -> dict[str, Any]:
        """Every volume: title, author, language, size, chapters, and what is known of its quality."""
        return await _quickly(request, rooms.works)

    @api.get("/concepts", summary="The concept map")
    async def concepts(request: Request) -> dict[str, Any]:
        """Concepts with the number of passages that speak of them, and those that meet in passages."""
        return await _quickly(
            request, lambda reader: reader.once("map", lambda _: reader.survey().concept_map())
        )

    @api.get("/concepts/{name}", summary="One concept")
    async def concept(request: Request, name: str) -> dict[str, Any]:
        """Where a concept lives: works in the order of years, passages, and what it meets."""
        return await _quickly(request, lambda reader: rooms.concept(reader, name))

    @api.get("/examples", summary="Questions to begin with")
    async def examples(request: Request) -> dict[str, Any]:
        """Questions that this very library answers."""
        return await _quickly(request, rooms.examples)

    @api.get("/pages/{volume}/{page}", summary="A page of a book")
    async def page(
        request: Request,
        volume: str,
        page: int,
        passage: Annotated[str | None, _ID] = None,
        quote: Annotated[str | None, _QUOTE] = None,
    ) -> dict[str, Any]:
        """The page with the boxes of the passage's lines, or the section with the passage marked."""
        return await _quickly(request, lambda reader: rooms.page(reader, volume, page, passage, quote))

    @api.get(
        "/pages/{volume}/{page}/picture",
        summary="The picture of a page",
        response_class=Response,
        responses={200: {"content": {"image/png": {}, "image/jpeg": {}}}},
    )
    async def picture(request: Request, volume: str, page: int) -> Response:
        """The page as it is printed, where the PDF is at hand."""
        data, kind = await _quickly(request, lambda reader: rooms.picture(reader, volume, page))
        return Response(data, media_type=kind, headers={"cache-control": "private, max-age=3600"})

    return api


def _health() -> APIRouter:
    health = APIRouter()

    @health.get("/healthz", summary="Whether the program lives", response_class=PlainTextResponse)
    async def healthz() -> str:
        """Answered without looking at the library."""
        return "ok"

    @health.get("/readyz", summary="Whether there is an index to answer from")
    async def readyz(request: Request) -> dict[str, Any]:
        """Opens the live index; 503 while there is none."""
        library = await _quickly(request, lambda reader: reader.library())
        return {
            "ready": True,
            "version": library.version.manifest.version,
            "passages": library.version.manifest.passages,
        }

    return health


def _asked() -> dict[int | str, dict[str, Any]]:
    whole = {"schema": {"type": "object"}}
    return {
        200: {
            "description": "The events, or one document.",
            "content": {_STREAM: {}, "application/json": whole},
        }
    }


async def _quickly(request: Request, work: Callable[[Reader], _T]) -> _T:
    desk: Desk = request.app.state.desk
    return await desk.quickly(lambda: work(desk.reader))


async def _streamed(first: Event, steps: AsyncIterator[Event]) -> AsyncIterator[bytes]:
    """The events as they go over the line; when the reader leaves, the generator is closed and the model stops."""
    yield _line(first)
    try:
        async for step in steps:
            yield _line(step)
    except Busy as busy:
        yield _line(
            Event(
                "error", {"error": {"kind": "Busy", "message": str(busy), "remedy": "Ask again in a moment."}}
            )
        )
    finally:
        await steps.aclose()  # type: ignore[attr-defined]


def _line(event: Event) -> bytes:
    return f"event: {event.name}\ndata: {json.dumps(event.data, ensure_ascii=False)}\n\n".encode()


async def _whole(steps: AsyncIterator[Event], request: Request) -> JSONResponse:
    """All events in one document; given up when the reader leaves."""
    collected: dict[str, Any] = {}

    async def collect() -> None:
        async for step in steps:
            if step.name != "text":
                collected[step.name] = step.data

    async def left() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(0.25)

    tasks = [asyncio.create_task(collect()), asyncio.create_task(left())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await tasks[0]
    if "error" in collected:
        return JSONResponse(collected["error"], status_code=_status(collected["error"]["error"]["kind"]))
    follow_ups = collected.get("follow_ups", {"follow_ups": []})
    return JSONResponse(
        {"found": collected.get("passages"), "answer": {**collected.get("answer", {}), **follow_ups}}
    )


# --------------------------------------------------------------------------------------------------
# errors
# --------------------------------------------------------------------------------------------------


def _status(kind: str) -> int:
    by_kind = {
        "UsageError": 400,
        "AnswerError": 502,
        "ServiceError": 502,
        "VectorIndexError": 503,
        "ModelMismatchError": 503,
        "NotHere": 404,
    }
    return by_kind.get(kind, 500)


def _handlers() -> dict[Any, Callable[[Request, Any], Any]]:
    async def busy(request: Request, error: Busy) -> JSONResponse:
        answer = refused(503, str(error), "Ask again in a moment.", kind="Busy")
        answer.headers["retry-after"] = str(error.retry_after)
        return answer

    async def known(request: Request, error: JungError) -> JSONResponse:
        event = problem(error, request.app.state.desk.reader)
        answer = JSONResponse(event.data, status_code=_status(type(error).__name__))
        if answer.status_code == 503:
            answer.headers["retry-after"] = "30"
        return answer

    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        return refused(422, f"{where}: {first['msg']}." if where else f"{first['msg']}.", kind="UsageError")

    async def plain(request: Request, error: HTTPException) -> JSONResponse:
        answer = refused(
            error.status_code, f"{error.detail}.", kind="NotHere" if error.status_code == 404 else "Refused"
        )
        answer.headers.update(error.headers or {})
        return answer

    return {
        Busy: busy,
        JungError: known,
        RequestValidationError: invalid,
        HTTPException: plain,
    }
