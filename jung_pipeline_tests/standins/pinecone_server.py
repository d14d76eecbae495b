"""A stand-in for Pinecone: speaks the real protocol (2026-07) to the unmodified SDK, on a loopback address.

It enforces what the service does and the SDK does not check (sizes, counts, nulls, dimensions, token limits,
quotas), shows writes late, remembers every request, and fails on demand. Nothing but the standard library::

    with PineconeServer() as server:
        pinecone.Pinecone(api_key="any", host=server.url)

The SDK keeps its retry budget by host name, so every server gets a loopback address of its own.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import random
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

MAX_REQUEST_BYTES = 2 * 1024 * 1024
RERANKERS = ("bge-reranker-v2-m3", "pinecone-rerank-v0", "cohere-rerank-3.5")
MAX_METADATA_BYTES = 40_960
MAX_VECTORS, MAX_TEXTS, MAX_FETCH_IDS, MAX_DELETE_IDS, MAX_TOP_K, MAX_PAGE = 1000, 96, 1000, 1000, 10_000, 100
MAX_TOKENS = 507
DIMENSION = 1024
MODEL = "multilingual-e5-large"
_addresses = itertools.count(2)


@dataclass
class Request:
    """A request as it arrived."""

    method: str
    path: str
    size: int
    body: Any = None
    status: int = 0

    @property
    def vectors(self) -> int:
        return len(self.body.get("vectors", [])) if isinstance(self.body, dict) else 0

    @property
    def metadata(self) -> list[dict[str, Any]]:
        return [v.get("metadata") or {} for v in self.body["vectors"]] if self.vectors else []


@dataclass
class Fault:
    """What goes wrong with the next ``times`` requests whose path begins with ``path``."""

    path: str
    status: int
    times: int
    retry_after: float | None = None
    drop: bool = False


class Refused(Exception):
    """The service answers with an error."""

    def __init__(self, status: int, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.retry_after = status, message, retry_after


@dataclass
class Namespace:
    """Records as a reader sees them, and writes that are not visible yet."""

    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    pending: deque[tuple[int, int, Callable[[dict[str, Any]], None]]] = field(default_factory=deque)
    reads: int = 0
    written: int = 0  # log position of the last write
    visible: int = 0

    def write(self, change: Callable[[dict[str, Any]], None], lag: int) -> int:
        self.written += 1
        self.pending.append((self.reads + lag, self.written, change))
        self.show()
        return self.written

    def read(self) -> dict[str, dict[str, Any]]:
        self.reads += 1
        self.show()
        return self.records

    def show(self) -> None:
        while self.pending and self.pending[0][0] <= self.reads:
            _, self.visible, change = self.pending.popleft()
            change(self.records)


@dataclass
class StoredIndex:
    model: dict[str, Any]
    dimension: int
    metric: str
    namespaces: dict[str, Namespace] = field(default_factory=dict)

    def namespace(self, name: str | None, *, create: bool = False) -> Namespace:
        key = name or "__default__"
        if create:
            return self.namespaces.setdefault(key, Namespace())
        return self.namespaces.get(key) or Namespace()


class PineconeServer:
    """The service on a thread; ``url`` is its control plane."""

    def __init__(
        self,
        *,
        lag: int = 0,
        tokens_per_minute: int | None = None,
        count_tokens: Callable[[str], int] = lambda text: len(text.split()),
        api_key: str | None = None,
    ) -> None:
        """``lag``: reads of a namespace that still miss a write. ``count_tokens``: of a bare text."""
        self.lag = lag
        self.tokens_per_minute = tokens_per_minute
        self.count_tokens = count_tokens
        self.api_key = api_key
        self.indexes: dict[str, StoredIndex] = {}
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self._spent: deque[tuple[float, int]] = deque()
        self.lock = threading.RLock()

    def start(self) -> PineconeServer:
        address = f"127.0.{random.randrange(1, 250)}.{next(_addresses) % 250 + 1}"
        handler = type("Handler", (_Handler,), {"stand_in": self})
        try:
            self._server = ThreadingHTTPServer((address, 0), handler)
        except OSError:  # a system with one loopback address
            self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        host, port = self._server.server_address[:2]
        self.url = f"http://{host}:{port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> PineconeServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def fail(
        self,
        path: str,
        *,
        status: int = 503,
        times: int = 1,
        retry_after: float | None = None,
        drop: bool = False,
    ) -> None:
        """Let the next ``times`` requests to ``path`` fail with ``status``, or drop their connection."""
        self.faults.append(Fault(path, status, times, retry_after, drop))

    def requests_to(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.path == path]

    def fault_for(self, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and path.startswith(fault.path):
                fault.times -= 1
                return fault
        return None

    # ---- control plane -------------------------------------------------------------------------

    def control(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/indexes":
            if method == "GET":
                return 200, {"indexes": [index.model for index in self.indexes.values()]}
            return 201, self.create(body)
        name = unquote(path.removeprefix("/indexes/"))
        index = self.indexes.get(name)
        if index is None:
            raise Refused(404, f"Resource {name} not found")
        if method == "DELETE":
            del self.indexes[name]
            return 202, None
        return 200, index.model

    def create(self, body: dict[str, Any]) -> dict[str, Any]:
        name = body["name"]
        if name in self.indexes:
            raise Refused(409, "Resource already exists")
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,43}[a-z0-9])?", name):
            raise Refused(400, "Name must be 1 to 45 lower-case letters, digits or hyphens")
        fields = body["schema"]["fields"]
        dense = next(f for f in fields.values() if f["type"] == "dense_vector")
        model = {
            "name": name,
            "status": {"ready": True, "state": "Ready"},
            "schema": {"fields": fields},
            "deployment": {**body["deployment"], "environment": "stand-in"},
            "deletion_protection": body.get("deletion_protection", "disabled"),
            "host": f"{self.url}/i/{name}",
            "tags": body.get("tags"),
        }
        self.indexes[name] = StoredIndex(model, dense["dimension"], dense.get("metric", "cosine"))
        return model

    # ---- data plane ----------------------------------------------------------------------------

    def data(self, index: StoredIndex, method: str, path: str, query: dict[str, list[str]], body: Any) -> Any:
        route = {
            "/vectors/upsert": self.upsert,
            "/query": self.query,
            "/vectors/delete": self.delete,
            "/describe_index_stats": self.stats,
        }.get(path)
        if route:
            return route(index, body)
        namespace = index.namespace((query.get("namespace") or [""])[0])
        if path == "/vectors/fetch":
            ids = query.get("ids", [])
            if not 0 < len(ids) <= MAX_FETCH_IDS:
                raise Refused(400, f"Fetch takes 1 to {MAX_FETCH_IDS} ids")
            records = namespace.read()
            return {
                "vectors": {i: records[i] for i in ids if i in records},
                "namespace": "",
                "usage": {"readUnits": 1},
            }
        if path == "/vectors/list":
            return self.list_ids(namespace, query)
        raise Refused(404, f"No route {method} {path}")

    def upsert(self, index: StoredIndex, body: dict[str, Any]) -> Any:
        vectors = body["vectors"]
        if not 0 < len(vectors) <= MAX_VECTORS:
            raise Refused(400, f"An upsert takes 1 to {MAX_VECTORS} vectors, not {len(vectors)}")
        records = {}
        for vector in vectors:
            check_id(vector["id"])
            check_values(vector["values"], index.dimension)
            check_metadata(vector.get("metadata"))
            records[vector["id"]] = {
                "id": vector["id"],
                "values": vector["values"],
                "metadata": as_stored(vector.get("metadata") or {}),
            }
        namespace = index.namespace(body.get("namespace"), create=True)
        position = namespace.write(lambda held: held.update(records), self.lag)
        return {"upsertedCount": len(records)}, {"x-pinecone-request-lsn": str(position)}

    def delete(self, index: StoredIndex, body: dict[str, Any]) -> Any:
        namespace = index.namespace(body.get("namespace"))
        ids = body.get("ids") or []
        if len(ids) > MAX_DELETE_IDS:
            raise Refused(400, f"A delete takes at most {MAX_DELETE_IDS} ids")
        chosen = body.get("filter")
        every = bool(body.get("deleteAll"))

        def change(held: dict[str, Any]) -> None:
            gone = [i for i in held if every or i in ids or (chosen and passes(held[i]["metadata"], chosen))]
            for chunk_id in gone:
                del held[chunk_id]

        return {}, {"x-pinecone-request-lsn": str(namespace.write(change, self.lag))}

    def query(self, index: StoredIndex, body: dict[str, Any]) -> Any:
        top_k = body["topK"]
        if not 1 <= top_k <= MAX_TOP_K:
            raise Refused(400, f"topK is 1 to {MAX_TOP_K}")
        check_values(body["vector"], index.dimension)
        namespace = index.namespace(body.get("namespace"))
        wanted = body.get("filter")
        scored = [
            (cosine(body["vector"], record["values"]), record)
            for record in namespace.read().values()
            if not wanted or passes(record["metadata"], wanted)
        ]
        scored.sort(key=lambda pair: -pair[0])
        matches = []
        for score, record in scored[:top_k]:
            match: dict[str, Any] = {"id": record["id"], "score": score}
            if body.get("includeValues"):
                match["values"] = record["values"]
            if body.get("includeMetadata"):
                match["metadata"] = record["metadata"]
            matches.append(match)
        answer = {"matches": matches, "namespace": body.get("namespace", ""), "usage": {"readUnits": 1}}
        return answer, {"x-pinecone-max-indexed-lsn": str(namespace.visible)}

    def stats(self, index: StoredIndex, body: dict[str, Any]) -> Any:
        counts = {name: {"vectorCount": len(space.read())} for name, space in index.namespaces.items()}
        return {
            "namespaces": counts,
            "dimension": index.dimension,
            "indexFullness": 0,
            "totalVectorCount": sum(space["vectorCount"] for space in counts.values()),
        }

    def list_ids(self, namespace: Namespace, query: dict[str, list[str]]) -> Any:
        prefix = (query.get("prefix") or [""])[0]
        limit = int((query.get("limit") or [str(MAX_PAGE)])[0])
        if not 1 <= limit <= MAX_PAGE:
            raise Refused(400, f"A page holds 1 to {MAX_PAGE} ids")
        after = (query.get("paginationToken") or [""])[0]
        ids = sorted(i for i in namespace.read() if i.startswith(prefix) and i > after)
        page: dict[str, Any] = {
            "vectors": [{"id": i} for i in ids[:limit]],
            "namespace": "",
            "usage": {"readUnits": 1},
        }
        if len(ids) > limit:
            page["pagination"] = {"next": ids[limit - 1]}
        return page

    # ---- inference -----------------------------------------------------------------------------

    def rerank(self, body: dict[str, Any]) -> Any:
        """Ranks by the share of the question's words in a document, as reading both together would."""
        if body["model"] not in RERANKERS:
            raise Refused(404, f"Model {body['model']} not found")
        texts = [document["text"] for document in body["documents"]]
        if not 0 < len(texts) <= 100:
            raise Refused(400, f"{len(texts)} documents exceed the limit of 100")
        asked = set(re.findall(r"\w+", body["query"].lower()))
        scores = [len(asked & set(re.findall(r"\w+", text.lower()))) / max(1, len(asked)) for text in texts]
        order = sorted(range(len(texts)), key=lambda i: -scores[i])[: body.get("top_n") or len(texts)]
        data = [{"index": i, "score": scores[i]} for i in order]
        return {"model": body["model"], "data": data, "usage": {"rerank_units": 1}}

    def embed(self, body: dict[str, Any]) -> Any:
        texts = [item["text"] for item in body["inputs"]]
        parameters = body.get("parameters") or {}
        if body["model"] != MODEL:
            raise Refused(404, f"Model {body['model']} not found")
        if not 0 < len(texts) <= MAX_TEXTS:
            raise Refused(400, f"Input length {len(texts)} exceeds the limit of {MAX_TEXTS}")
        if parameters.get("input_type") not in ("query", "passage"):
            raise Refused(400, "Missing required parameter input_type")
        counts = [self.count_tokens(text) for text in texts]
        if max(counts) > MAX_TOKENS and parameters.get("truncate", "END") == "NONE":
            raise Refused(400, f"Input length {max(counts)} exceeds maximum allowed token size {MAX_TOKENS}")
        self.spend(sum(counts))
        data = [
            {"values": embedding(text, parameters["input_type"]), "vector_type": "dense"} for text in texts
        ]
        return {"model": MODEL, "vector_type": "dense", "data": data, "usage": {"total_tokens": sum(counts)}}

    def spend(self, tokens: int) -> None:
        """Count tokens against the quota by the minute."""
        if self.tokens_per_minute is None:
            return
        now = time.monotonic()
        while self._spent and now - self._spent[0][0] > 60:
            self._spent.popleft()
        if sum(count for _, count in self._spent) + tokens > self.tokens_per_minute:
            left = 60 - (now - self._spent[0][0]) if self._spent else 60
            raise Refused(429, "You've reached your tokens-per-minute quota", retry_after=math.ceil(left))
        self._spent.append((now, tokens))

    def models(self) -> list[dict[str, Any]]:
        return [
            {
                "model": MODEL,
                "short_description": "A stand-in for a multilingual embedding model",
                "type": "embed",
                "vector_type": "dense",
                "default_dimension": DIMENSION,
                "max_sequence_length": MAX_TOKENS,
                "max_batch_size": MAX_TEXTS,
                "modality": "text",
                "provider_name": "stand-in",
                "supported_dimensions": [DIMENSION],
                "supported_metrics": ["cosine"],
                "supported_parameters": [],
            }
        ]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in: PineconeServer

    def log_message(self, *_: object) -> None:
        pass

    def handle_any(self) -> None:
        server = self.stand_in
        url = urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        index_name, path = split_path(url.path)
        request = Request(self.command, path, len(raw), json.loads(raw) if raw else None)
        with server.lock:
            server.requests.append(request)
            fault = server.fault_for(path)
            if fault and fault.drop:
                self.close_connection = True
                self.connection.close()
                return
            headers: dict[str, str] = {}
            try:
                if fault:
                    raise Refused(fault.status, "injected fault", retry_after=fault.retry_after)
                self.check_headers(len(raw))
                status, answer, headers = self.route(index_name, path, parse_qs(url.query), request.body)
            except Refused as refused:
                status, answer = refused.status, error_body(refused, control=index_name is None)
                if refused.retry_after is not None:
                    headers["Retry-After"] = str(refused.retry_after)
            request.status = status
        self.answer(status, answer, headers)

    do_GET = do_POST = do_DELETE = do_PATCH = handle_any

    def check_headers(self, size: int) -> None:
        key = self.headers.get("Api-Key")
        if not key or (self.stand_in.api_key and key != self.stand_in.api_key):
            raise Refused(401, "Invalid API key")
        if not self.headers.get("X-Pinecone-Api-Version"):
            raise Refused(400, "Missing X-Pinecone-Api-Version")
        if size > MAX_REQUEST_BYTES:
            raise Refused(413, f"Request size {size} exceeds the limit of {MAX_REQUEST_BYTES}")

    def route(
        self, index_name: str | None, path: str, query: dict[str, list[str]], body: Any
    ) -> tuple[int, Any, dict[str, str]]:
        server = self.stand_in
        if index_name is not None:
            index = server.indexes.get(index_name)
            if index is None:
                raise Refused(404, f"Index {index_name} not found")
            answer = server.data(index, self.command, path, query, body)
            return (200, *answer) if isinstance(answer, tuple) else (200, answer, {})
        if path == "/embed":
            return 200, server.embed(body), {}
        if path == "/rerank":
            return 200, server.rerank(body), {}
        if path == "/models":
            return 200, {"models": server.models()}, {}
        if path.startswith("/models/"):
            for model in server.models():
                if model["model"] == path.removeprefix("/models/"):
                    return 200, model, {}
            raise Refused(404, "Model not found")
        return (*server.control(self.command, path, body or {}), {})

    def answer(self, status: int, answer: Any, headers: dict[str, str]) -> None:
        payload = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)


def split_path(path: str) -> tuple[str | None, str]:
    """Name of the index (``None`` on the control plane) and the rest of the path."""
    if path.startswith("/i/"):
        name, _, rest = path.removeprefix("/i/").partition("/")
        return name, f"/{rest}"
    return None, path


def error_body(refused: Refused, *, control: bool) -> dict[str, Any]:
    if control:
        return {"error": {"code": str(refused.status), "message": refused.message}, "status": refused.status}
    return {"code": refused.status, "message": refused.message, "details": []}


def check_id(chunk_id: Any) -> None:
    if not isinstance(chunk_id, str) or not chunk_id.isascii() or not 0 < len(chunk_id) <= 512:
        raise Refused(400, f"Vector ID must be 1 to 512 ASCII characters, got {chunk_id!r}")


def check_values(values: Sequence[Any], dimension: int) -> None:
    if len(values) != dimension:
        raise Refused(
            400, f"Vector dimension {len(values)} does not match the dimension of the index {dimension}"
        )
    if any(value is None for value in values):
        raise Refused(400, "Vector values must be numbers")
    if not any(values):
        raise Refused(400, "Dense vectors must contain at least one non-zero value")


def check_metadata(metadata: dict[str, Any] | None) -> None:
    for name, value in (metadata or {}).items():
        simple = isinstance(value, str | bool | int | float)
        texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        if not simple and not texts:
            raise Refused(
                400, f"Metadata value must be a string, number, boolean or list of strings, got {name}"
            )
    size = len(json.dumps(metadata or {}, ensure_ascii=False).encode())
    if size > MAX_METADATA_BYTES:
        raise Refused(
            400, f"Metadata size is {size} bytes, which exceeds the limit of {MAX_METADATA_BYTES} bytes"
        )


def as_stored(metadata: dict[str, Any]) -> dict[str, Any]:
    """Numbers come back as floats, whatever they were."""
    return {
        name: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in metadata.items()
    }


def passes(metadata: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether a record passes a filter; a field it lacks passes only $ne, $nin and $exists."""
    for name, condition in wanted.items():
        if name == "$and":
            if not all(passes(metadata, part) for part in condition):
                return False
        elif name == "$or":
            if not any(passes(metadata, part) for part in condition):
                return False
        else:
            tests = condition if isinstance(condition, dict) else {"$eq": condition}
            if not all(holds(metadata.get(name), operator, value) for operator, value in tests.items()):
                return False
    return True


def holds(held: Any, operator: str, value: Any) -> bool:
    values = held if isinstance(held, list) else [] if held is None else [held]
    if operator == "$exists":
        return (held is not None) == value
    if operator in ("$eq", "$in"):
        return any(item in (value if operator == "$in" else [value]) for item in values)
    if operator in ("$ne", "$nin"):
        return not any(item in (value if operator == "$nin" else [value]) for item in values)
    if operator in ("$gt", "$gte", "$lt", "$lte"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Refused(400, f"{operator} takes a number")
        compare = {
            "$gt": lambda item: item > value,
            "$gte": lambda item: item >= value,
            "$lt": lambda item: item < value,
            "$lte": lambda item: item <= value,
        }[operator]
        return any(isinstance(item, int | float) and compare(item) for item in values)
    raise Refused(400, f"{operator} is not a valid operator")


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths


def embedding(text: str, kind: str) -> list[float]:
    """A vector in which texts with words in common are near each other; the kind moves it a little."""
    total = [0.0] * DIMENSION
    for word in [f"<{kind}>", *re.findall(r"\w+", text.lower())]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        for place in random.Random(seed).sample(range(DIMENSION), 24):
            total[place] += 1.0
    length = math.hypot(*total)
    return [value / length for value in total]
