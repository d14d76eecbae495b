"""Who may come in, how much they may bring, and what a browser may do with what it gets.

On loopback anybody on this machine may read. From elsewhere a token is asked for (``JUNG_SERVE_TOKEN``), in the
header ``Authorization: Bearer …`` or in the cookie that the link ``/login?token=…`` sets. A page of another site is
refused either way: its requests carry the name of that site.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "jung_reader"
#: A question has at most 2,000 characters; filters are short.
MOST_BODY_BYTES = 64 * 1024
#: Nothing but our own files, no script or style in the page itself, in no frame, no form sent anywhere else.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
#: Answered to anybody: whether the program lives, for whoever keeps it alive.
_OPEN = frozenset({"/healthz", "/readyz"})


class Safety:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, *, token: str | None, public: bool) -> None:
        """``token`` of the settings; ``public``: everybody may read, as the owner has decided."""
        self.app = app
        self._token = token
        self._public = public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._login(scope) or self._refusal(scope, headers)
        if answer is not None:
            await answer(scope, receive, _with_headers(send, scope["path"]))
            return
        await self.app(scope, _bounded(receive), _with_headers(send, scope["path"]))

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        if scope["path"] in _OPEN:
            return None
        if not self._may_enter(scope, headers):
            if self._token:
                return refused(
                    401, "A token is needed here.", "Open the link with the token that its owner gave you."
                )
            return refused(
                403,
                "This reading room is open to its own machine alone.",
                "Set JUNG_SERVE_TOKEN to let in who has the token.",
            )
        origin = headers.get("origin")
        foreign = origin is not None and urlsplit(origin).netloc != headers.get("host", "")
        foreign = foreign or headers.get("sec-fetch-site") in ("cross-site", "same-site")
        asks = scope["method"] not in ("GET", "HEAD") or scope["path"].startswith("/api/")
        if foreign and asks:  # following a link to the page is no asking
            return refused(403, "A page of another site may not ask here.")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BODY_BYTES:
            return refused(413, f"More than {MOST_BODY_BYTES // 1024} KB at once.", "Ask a shorter question.")
        return None

    def _may_enter(self, scope: Scope, headers: Headers) -> bool:
        if self._public or _is_local(scope, headers):
            return True
        if not self._token:
            return False
        bearer = headers.get("authorization", "")
        if bearer.startswith("Bearer ") and _same(bearer.removeprefix("Bearer ").strip(), self._token):
            return True
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return morsel is not None and _same(morsel.value, _pass(self._token))

    def _login(self, scope: Scope) -> RedirectResponse | JSONResponse | None:
        """Answer ``/login?token=…``: a cookie that holds no token, and the way to the page."""
        if scope["path"] != "/login" or not self._token:
            return None
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if not _same(given, self._token):
            return refused(401, "That is not the token.", "Ask the owner of this library for the link.")
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(
            COOKIE,
            _pass(self._token),
            max_age=30 * 24 * 3600,
            httponly=True,
            samesite="lax",  # strict would not come along when the link was followed from a letter
            secure=scope.get("scheme") == "https",
        )
        return answer


def refused(status: int, message: str, remedy: str = "", kind: str = "Refused") -> JSONResponse:
    """An answer that says no, and what helps."""
    return JSONResponse({"error": {"kind": kind, "message": message, "remedy": remedy}}, status_code=status)


def is_loopback(host: str) -> bool:
    """Whether ``host`` (a name or an address, without port) is this machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_local(scope: Scope, headers: Headers) -> bool:
    """Whether a request comes from this machine and asks for it by name.

    The name guards against a site whose name is made to lead here; a forwarded request comes from elsewhere.
    """
    client = scope.get("client")
    if client is None or not is_loopback(client[0]) or "x-forwarded-for" in headers or "forwarded" in headers:
        return False
    host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    return is_loopback(host)


def _same(given: str, wanted: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _pass(token: str) -> str:
    """What the cookie holds: made from the token, and the token cannot be made from it."""
    return hmac.new(token.encode(), b"reading room", hashlib.sha256).hexdigest()


def _with_headers(send: Send, path: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            extra: Iterable[tuple[str, str]] = _HEADERS.items()
            if path.startswith("/api/"):
                extra = [*extra, ("cache-control", "no-store")]
            message["headers"] = [
                *message["headers"],
                *((name.encode(), value.encode()) for name, value in extra if name.encode() not in present),
            ]
        await send(message)

    return sending


def _bounded(receive: Receive) -> Receive:
    """A body without a length is cut off where it becomes too long: the parser then refuses it."""
    seen = 0

    async def receiving() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > MOST_BODY_BYTES:
                return {"type": "http.disconnect"}
        return message

    return receiving
