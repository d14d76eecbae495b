"""A library of real size into Pinecone's stand-in, which fails every fiftieth request: all there, none twice.

    python benchmarks/pinecone_load.py [--passages 47576] [--failures 0.02] [--json]

The vectors are made, not embedded. The stand-in runs in a process of its own and enforces the service's limits; of the
requests that fail one in four each is refused with 503, refused with 429 and a time to wait, dropped, or half done:
a part of the batch is taken and the connection dropped. Afterwards every volume is audited: ids, content and counts
of chunk table, local segment and remote store. Memory is that of the process that sends.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import made_library
from jung_pipeline import settings as settings_module
from jung_pipeline.index.audit import audit_volume
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.pinecone_index import PineconeIndex
from jung_pipeline.index.registry import MirroredIndex
from jung_pipeline.index.segments import Segment
from jung_pipeline_tests.standins.pinecone_server import Fault, PineconeServer


class FailingServer(PineconeServer):
    """The stand-in, with a share of all requests for data failing in all ways in turn."""

    def __init__(self, failures: float) -> None:
        super().__init__(lag=1)
        self.failures = failures
        self.injected: Counter[str] = Counter()
        self.twice = 0  # ids that one request held twice
        self._random = random.Random(3)

    def fault_for(self, path: str) -> Fault | None:
        self.requests.clear()  # their bodies would fill the memory
        if not path.startswith(("/vectors", "/query")) or self._random.random() >= self.failures:
            return None
        kind = self._random.choice(("503", "429", "dropped", "half done"))
        self.injected[kind] += 1
        if kind == "half done":
            self._half = True
            return None
        return Fault(
            path, int(kind) if kind.isdigit() else 503, 1, 0.05 if kind == "429" else None, kind == "dropped"
        )

    _half = False

    def data(self, index: Any, method: str, path: str, query: dict[str, list[str]], body: Any) -> Any:
        half, self._half = self._half, False
        if path == "/vectors/upsert":
            ids = [vector["id"] for vector in body["vectors"]]
            self.twice += len(ids) - len(set(ids))
            if half:
                super().data(
                    index, method, path, query, {**body, "vectors": body["vectors"][: len(ids) // 2 or 1]}
                )
        if half:
            raise ConnectionAbortedError
        return super().data(index, method, path, query, body)

    def query(self, index: Any, body: dict[str, Any]) -> Any:
        """A probe alone is asked here: which write can be seen, whatever is near to it."""
        namespace = index.namespace(body.get("namespace"))
        namespace.read()
        return {"matches": [], "namespace": "", "usage": {}}, {
            "x-pinecone-max-indexed-lsn": str(namespace.visible)
        }


def serve(failures: float) -> None:
    """Be the stand-in until the other side closes the pipe; then say what was done."""
    with FailingServer(failures) as server:
        server._server.handle_error = lambda *_: None  # a connection dropped on purpose
        print(server.url, flush=True)
        sys.stdin.read()
        held = [
            len(space.records) for index in server.indexes.values() for space in index.namespaces.values()
        ]
        print(json.dumps({"held": held, "injected": dict(server.injected), "twice": server.twice}))


def load(url: str, folder: Path, passages: int) -> dict[str, Any]:
    """Send everything, then audit it."""
    os.environ["PINECONE_API_KEY"] = "stand-in"
    settings = settings_module.load(folder, store="pinecone", pinecone_host=url)
    index = MirroredIndex(
        PineconeIndex(settings, made_library.SPEC), EmbeddedIndex(folder, made_library.SPEC)
    )
    begin, cpu = time.perf_counter(), time.process_time()
    problems = sent = again = 0
    peaks = []
    for number, (key, table) in enumerate(made_library.chunk_tables(passages=passages)):
        vectors = made_library.vectors(table.num_rows, seed=number)
        sent += index.replace_volume(key, table, vectors).added
        index.settle()
        if number == 0:
            change = index.replace_volume(key, table, vectors)
            again = change.added + change.updated
        path = index.local.segment_path(key)
        assert path is not None
        problems += audit_volume(
            key, Segment(path), made_library.SPEC, table, index.list_ids(key)
        ).problem_count
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return {
        "passages": sent,
        "counted": index.count(),
        "problems": problems,
        "sent_again_for_nothing": again,
        "seconds": round(time.perf_counter() - begin),
        "cpu_seconds": round(time.process_time() - cpu),
        "mb_after_a_quarter": round(peaks[len(peaks) // 4]),
        "mb_at_most": round(peaks[-1]),
    }


def main() -> None:
    """Measure and print; fails if anything is lost, doubled or wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=made_library.PASSAGES)
    parser.add_argument("--failures", type=float, default=0.02)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.failures)
        return
    command = [sys.executable, __file__, "--serve", "--failures", str(options.failures)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdin and server.stdout
        found = load(server.stdout.readline().strip(), Path(folder), options.passages)
        server.stdin.close()
        found |= json.loads(server.stdout.readline())
    print(
        json.dumps(found)
        if options.json
        else "\n".join(f"{name:24} {value}" for name, value in found.items())
    )
    if found["problems"] or found["twice"] or found["held"] != [options.passages]:
        raise SystemExit("The remote store does not hold what it should.")


if __name__ == "__main__":
    main()
