"""A loopback server that speaks the Anthropic Messages protocol to the unmodified SDK, with faults on demand.

It checks requests as the service does (key, model, removed parameters, all-or-none citations), answers in one
piece or as server-sent events, and cites by ``search_result_location`` what the script tells it to.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODELS = ("claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5")
#: Gone from the service since its version of 2026-10-21.
REMOVED = ("temperature", "top_p", "top_k")


@dataclass
class Part:
    """A text block: what it says and what it cites, as (passage index, first sentence, end sentence)."""

    text: str
    cites: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass
class Script:
    """What the next reply says."""

    parts: list[Part] = field(default_factory=lambda: [Part("Yes.")])
    stop_reason: str = "end_turn"
    thinking: str | None = "The reader asks …"


@dataclass
class Fault:
    """What goes wrong with one request instead.

    ``kind``: ``status`` (an error answer), ``drop`` (the connection closes after some events), ``stall`` (no
    answer for ``seconds``), ``stream_error`` (an error event in the stream), ``truncate`` (the stream ends
    early but properly), ``trickle`` (words come one after the other until the reader leaves, or ``seconds`` end).
    """

    kind: str
    status: int = 500
    error: str = "api_error"
    seconds: float = 0.0
    retry_after: str | None = None


class AnthropicServer:
    """The server; a context manager. ``url`` goes into ANTHROPIC_BASE_URL."""

    def __init__(self):
        self.script = Script()
        self.faults: list[Fault] = []
        self.requests: list[dict] = []
        self.left = threading.Event()  # a reader has gone away in the middle of an answer
        server = self

        class Handler(_Handler):
            owner = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._http.shutdown()
        self._http.server_close()


class _Refused(Exception):
    def __init__(self, status, kind, message):
        super().__init__(message)
        self.status, self.kind = status, kind


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: AnthropicServer

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._guarded(self._models)

    def do_POST(self):
        self._guarded(self._messages)

    def _guarded(self, handle):
        try:
            bearer = self.headers.get("Authorization", "").removeprefix("Bearer ").strip()
            if not (bearer or self.headers.get("x-api-key")) or bearer == "wrong":
                raise _Refused(401, "authentication_error", "invalid x-api-key")
            if not self.headers.get("anthropic-version"):
                raise _Refused(400, "invalid_request_error", "anthropic-version: header is required")
            handle()
        except _Refused as refused:
            self._error(refused.status, refused.kind, str(refused))
        except (BrokenPipeError, ConnectionResetError):
            self.owner.left.set()
            self.close_connection = True

    def _models(self):
        name = self.path.split("?")[0].removeprefix("/v1/models").strip("/")
        if name and name not in MODELS:
            raise _Refused(404, "not_found_error", f"model: {name}")
        models = [
            {"type": "model", "id": m, "display_name": m, "created_at": "2026-09-01T00:00:00Z"}
            for m in MODELS
            if name in ("", m)
        ]
        self._json(
            200, models[0] if name else {"data": models, "has_more": False, "first_id": None, "last_id": None}
        )

    def _messages(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        path = self.path.split("?")[0]
        if path == "/v1/messages/count_tokens":
            return self._json(200, {"input_tokens": max(1, len(json.dumps(body)) // 4)})
        if path != "/v1/messages":
            raise _Refused(404, "not_found_error", "no such route")
        self.owner.requests.append(body)
        if self.owner.faults:
            fault = self.owner.faults.pop(0)
            if fault.kind == "status":
                return self._error(fault.status, fault.error, "as told", retry_after=fault.retry_after)
            if fault.kind == "stall":
                time.sleep(fault.seconds)
                self.close_connection = True
                return None
        else:
            fault = None
        blocks = _checked(body)
        message = self._message(body, blocks)
        if not body.get("stream"):
            return self._json(200, message)
        return self._stream(message, fault)

    def _message(self, body, blocks):
        script = self.owner.script
        content = []
        if script.thinking is not None:
            content.append({"type": "thinking", "thinking": script.thinking, "signature": "c2ln"})
        for part in script.parts:
            content.append(
                {
                    "type": "text",
                    "text": part.text,
                    "citations": [_location(blocks, c) for c in part.cites] or None,
                }
            )
        return {
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": script.stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 200},
        }

    def _stream(self, message, fault):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        events = list(_events(message))
        if fault is not None:
            events = events[: len(events) // 2]
        for event in events:
            self._event(event)
        if fault is not None and fault.kind == "trickle":
            self._trickle(sum(event["type"] == "content_block_start" for event in events), fault.seconds)
        if fault is not None and fault.kind == "stream_error":
            self._event({"type": "error", "error": {"type": fault.error, "message": "as told"}})
        if fault is not None and fault.kind == "drop":
            self.connection.close()

    def _trickle(self, index, seconds):
        self._event(
            {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
        )
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._event(
                {
                    "type": "content_block_delta",
                    "index": index,
                    "delta": {"type": "text_delta", "text": "on "},
                }
            )
            time.sleep(0.02)

    def _event(self, event):
        self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def _json(self, status, data, **headers):
        raw = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("request-id", "req_01")
        for name, value in headers.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)

    def _error(self, status, kind, message, retry_after=None):
        error = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_01"}
        self._json(status, error, retry_after=retry_after)


def _checked(body):
    """The search results of a request, or the error the service would give."""
    for name in REMOVED:
        if name in body:
            raise _Refused(400, "invalid_request_error", f"{name}: Extra inputs are not permitted")
    if body.get("model") not in MODELS:
        raise _Refused(404, "not_found_error", f"model: {body.get('model')}")
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        raise _Refused(400, "invalid_request_error", "max_tokens: must be at least 1")
    if not body.get("messages") or body["messages"][-1]["role"] != "user":
        raise _Refused(400, "invalid_request_error", "messages: the last must be of the user (no prefill)")
    blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
    _check_texts(blocks)
    return _checked_results([b for b in blocks if b["type"] == "search_result"])


def _check_texts(blocks):
    for block in blocks:
        if block["type"] == "text" and not block["text"].strip():
            raise _Refused(400, "invalid_request_error", "text content blocks must be non-empty")
        if block["type"] == "text" and block.get("citations"):
            raise _Refused(400, "invalid_request_error", "citations are not allowed on user text")


def _checked_results(results):
    enabled = {bool(b.get("citations", {}).get("enabled")) for b in results}
    if len(enabled) > 1:
        raise _Refused(400, "invalid_request_error", "citations must be enabled for all or none")
    for block in results:
        if not block.get("source") or not block.get("title"):
            raise _Refused(400, "invalid_request_error", "search_result: source and title are required")
        if not block.get("content") or any(not part.get("text", "").strip() for part in block["content"]):
            raise _Refused(
                400, "invalid_request_error", "search_result: text content blocks must be non-empty"
            )
    return results


def _location(blocks, cite):
    index, start, end = cite
    block = blocks[index]
    return {
        "type": "search_result_location",
        "search_result_index": index,
        "source": block["source"],
        "title": block["title"],
        "cited_text": "".join(part["text"] for part in block["content"][start:end]),
        "start_block_index": start,
        "end_block_index": end,
    }


def _events(message):
    opening = {
        **message,
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 1000, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": opening}
    for index, block in enumerate(message["content"]):
        if block["type"] == "thinking":
            empty = {"type": "thinking", "thinking": "", "signature": ""}
            yield {"type": "content_block_start", "index": index, "content_block": empty}
            yield _delta(index, {"type": "thinking_delta", "thinking": block["thinking"]})
            yield _delta(index, {"type": "signature_delta", "signature": block["signature"]})
        else:
            empty = {"type": "text", "text": "", **({"citations": []} if block["citations"] else {})}
            yield {"type": "content_block_start", "index": index, "content_block": empty}
            for citation in block["citations"] or ():
                yield _delta(index, {"type": "citations_delta", "citation": citation})
            half = len(block["text"]) // 2
            for piece in (block["text"][:half], block["text"][half:]):
                if piece:
                    yield _delta(index, {"type": "text_delta", "text": piece})
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": message["usage"]["output_tokens"]},
    }
    yield {"type": "message_stop"}


def _delta(index, delta):
    return {"type": "content_block_delta", "index": index, "delta": delta}
