"""The Pinecone client, and the retries around every call to the service.

The SDK retries a call four times within four seconds and forgets the retry settings on the data plane; a
quota by the minute needs up to a minute. So every call goes through :func:`call`, which waits as long as the
service asks (``Retry-After``), tells its errors apart, and ends in one :class:`~jung_pipeline.errors.ServiceError`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from pinecone import Pinecone, RetryConfig
from pinecone.errors.exceptions import (
    ApiError,
    ForbiddenError,
    PineconeConnectionError,
    PineconeError,
    PineconeTimeoutError,
    RateLimitError,
    UnauthorizedError,
)
from pinecone.errors.exceptions import ServiceError as PineconeServiceError

from jung_pipeline.errors import ServiceError
from jung_pipeline.settings import secret

T = TypeVar("T")

#: Seconds in all before a call is given up: two quotas by the minute.
PATIENCE = 150.0
#: The same where somebody waits for an answer; the seconds of one request then (the SDK makes up to four of it
#: before it gives up); and those after which nothing is waited for any more.
READER_PATIENCE, READER_REQUEST, READER_DEADLINE = 10.0, 3.0, 12.0
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 20.0
_LATER = "Nothing half-done counts; run the same command again later."
_NO_KEY = "Get a key at pinecone.io and export PINECONE_API_KEY=…"


def client(host: str | None = None, *, for_reader: bool = False) -> Pinecone:
    """The client of the process for the control plane at ``host`` (default: the real one).

    ``for_reader``: somebody waits for an answer, so a request that is not answered is soon given up.

    Raises:
        ServiceError: there is no key in the environment.
    """
    key = secret("PINECONE_API_KEY")
    if key is None:
        raise ServiceError("PINECONE_API_KEY is not set.", remedy=_NO_KEY)
    return _client(key.get_secret_value(), host, for_reader)


@cache
def _client(key: str, host: str | None, for_reader: bool) -> Pinecone:
    try:
        if for_reader:
            return Pinecone(
                api_key=key,
                host=host,
                source_tag="jung_pipeline",
                timeout=READER_REQUEST,
                retry_config=RetryConfig(max_retries=1),
            )
        return Pinecone(api_key=key, host=host, source_tag="jung_pipeline")
    except PineconeError as error:
        raise ServiceError(f"Pinecone cannot be set up: {error}", remedy=_NO_KEY) from error


def call(
    what: str,
    attempt: Callable[[], T],
    *,
    patience: float = PATIENCE,
    deadline: float | None = None,
    sleep: Callable[[float], None] | None = None,
    remedy: str = _LATER,
) -> T:
    """The result of ``attempt``, tried again while that makes sense.

    Args:
        what: What the call does, for the message: "writing to the index".
        attempt: One request.
        patience: Seconds in all, those that requests take until they fail counted in.
        deadline: Seconds after which one attempt is given up even though it has not failed: the SDK waits as
            long as the service asks, several times over.
        sleep: Waits; for tests.
        remedy: What to do when the service stays down.

    Raises:
        ServiceError: the service refused, or failed for longer than ``patience``.
        ApiError: a 404 or 409, which callers tell apart.
    """
    sleep = sleep or time.sleep
    spent, pause = 0.0, _FIRST_WAIT
    while True:
        begun = time.monotonic()
        try:
            return attempt() if deadline is None else _within(deadline, attempt)
        except _NoAnswer as error:
            raise ServiceError(
                f"Pinecone did not answer while {what}, for {spent + time.monotonic() - begun:.0f} s.",
                remedy=remedy,
            ) from error
        except (RateLimitError, PineconeServiceError, PineconeConnectionError, PineconeTimeoutError) as error:
            asked = getattr(error, "retry_after", None)
            wait = max(float(asked), 0.05) if asked is not None else pause
            spent += time.monotonic() - begun
            if spent + wait > patience:
                raise ServiceError(
                    f"Pinecone failed while {what}, for {spent:.0f} s: {_said(error)}", remedy=remedy
                ) from error
            sleep(wait)
            spent += wait
            pause = min(2 * pause, _LONGEST_WAIT)
        except (UnauthorizedError, ForbiddenError) as error:
            raise ServiceError(
                f"Pinecone refused the key while {what}: {_said(error)}", remedy=_NO_KEY
            ) from error
        except ApiError as error:
            if error.status_code in (404, 409):
                raise
            raise ServiceError(f"Pinecone refused a request while {what}: {_said(error)}") from error
        except PineconeError as error:
            raise ServiceError(f"Pinecone failed while {what}: {_said(error)}") from error


class _NoAnswer(Exception):
    """An attempt took longer than it may."""


def _within(seconds: float, attempt: Callable[[], T]) -> T:
    """The result of ``attempt``, or :class:`_NoAnswer`; it is left to itself then and stops no exit."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(attempt())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not done:
        raise _NoAnswer
    return done[0]


def _said(error: PineconeError) -> str:
    """The service's own words, on one line."""
    return " ".join(str(getattr(error, "message", "") or error).split())[:300]
