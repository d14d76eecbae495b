"""The Pinecone client, and the retries around every call to the service.

The SDK retries a call four times within four seconds and forgets the retry settings on the data plane; a
quota by the minute needs up to a minute. So every call goes through :func:`call`, which waits as long as the
service asks (``Retry-After``), tells its errors apart, and ends in one :class:`~jung_pipeline.errors.ServiceError`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from pinecone import Pinecone
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

#: Seconds of waiting in all before a call is given up: two quotas by the minute.
PATIENCE = 150.0
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 20.0
_NO_KEY = "Get a key at pinecone.io and export PINECONE_API_KEY=…"


def client(host: str | None = None) -> Pinecone:
    """The client of the process for the control plane at ``host`` (default: the real one).

    Raises:
        ServiceError: there is no key in the environment.
    """
    key = secret("PINECONE_API_KEY")
    if key is None:
        raise ServiceError("PINECONE_API_KEY is not set.", remedy=_NO_KEY)
    return _client(key.get_secret_value(), host)


@cache
def _client(key: str, host: str | None) -> Pinecone:
    try:
        return Pinecone(api_key=key, host=host, source_tag="jung_pipeline")
    except PineconeError as error:
        raise ServiceError(f"Pinecone cannot be set up: {error}", remedy=_NO_KEY) from error


def call(
    what: str,
    attempt: Callable[[], T],
    *,
    patience: float = PATIENCE,
    sleep: Callable[[float], None] | None = None,
) -> T:
    """The result of ``attempt``, tried again while that makes sense.

    Args:
        what: What the call does, for the message: "writing to the index".
        attempt: One request.
        patience: Seconds of waiting in all.
        sleep: Waits; for tests.

    Raises:
        ServiceError: the service refused, or failed for longer than ``patience``.
        ApiError: a 404 or 409, which callers tell apart.
    """
    sleep = sleep or time.sleep
    waited, pause = 0.0, _FIRST_WAIT
    while True:
        try:
            return attempt()
        except (RateLimitError, PineconeServiceError, PineconeConnectionError, PineconeTimeoutError) as error:
            asked = getattr(error, "retry_after", None)
            wait = max(float(asked), 0.05) if asked is not None else pause
            if waited + wait > patience:
                raise ServiceError(
                    f"Pinecone failed while {what}, for {waited:.0f} s: {_said(error)}",
                    remedy="Nothing half-done counts; run the same command again later.",
                ) from error
            sleep(wait)
            waited += wait
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


def _said(error: PineconeError) -> str:
    """The service's own words, on one line."""
    return " ".join(str(getattr(error, "message", "") or error).split())[:300]
