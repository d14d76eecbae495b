"""The reading room under load: 50 readers who together ask 10 questions a second, and what happens beyond that.

python benchmarks/serving.py [--home DEMO] [--readers 50] [--per-second 10] [--seconds 20]

Measures the time from a question to its passages (the first event) on an idle server and under load, in one run, how
many failed, what a flood gets (answers or a polite 503), the memory of the server before and after, the time from a
cold start to the first page, and how heavy the page is. No language model is asked.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import httpx

QUESTIONS = [
    "What is a persona?",
    "What does the shadow want?",
    "How does a dream compensate?",
    "Why is the garden round?",
    "What happens at the well?",
    "How should an interpretation be tested?",
]
STATIC = Path(__file__).parent.parent / "jung_pipeline" / "serve" / "static"


class Server:
    """`jung serve` in a process of its own on a free port."""

    def __init__(self, home: str) -> None:
        environment = {**os.environ, "JUNG_HOME": home, "JUNG_SERVE_PER_MINUTE": "0"}
        environment.pop("ANTHROPIC_API_KEY", None)
        script = "from jung_pipeline.cli.main import main; main()"
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.url = line.split(" on ")[1].split(" ")[0].rstrip("/")
        httpx.get(f"{self.url}/").raise_for_status()
        self.first_page = time.perf_counter() - began
        began = time.perf_counter()
        httpx.get(f"{self.url}/readyz", timeout=120).raise_for_status()
        self.opened = time.perf_counter() - began

    def memory_mb(self) -> float:
        """Resident memory of the process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) / 1024

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(20)


async def asked(http: httpx.AsyncClient, number: int) -> tuple[int, float]:
    """One question: the status, and seconds until its passages came."""
    began = time.perf_counter()
    body = {"question": QUESTIONS[number % len(QUESTIONS)]}
    async with http.stream("POST", "/api/query", json=body) as response:
        passages = 0.0
        async for line in response.aiter_lines():
            if line.startswith("data:") and not passages:
                passages = time.perf_counter() - began
        return response.status_code, passages


async def loaded(url: str, readers: int, per_second: float, seconds: float) -> list[tuple[int, float]]:
    """Readers who together ask so often, each waiting for its answer before it asks again."""
    limits = httpx.Limits(max_connections=readers * 2)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as http:
        until = time.perf_counter() + seconds

        async def reader(which: int) -> list[tuple[int, float]]:
            mine = []
            at = time.perf_counter() + which / per_second
            while at < until:
                await asyncio.sleep(max(0.0, at - time.perf_counter()))
                mine.append(await asked(http, which + len(mine)))
                at += readers / per_second
            return mine

        return [each for mine in await asyncio.gather(*map(reader, range(readers))) for each in mine]


async def one_by_one(url: str, count: int) -> list[float]:
    async with httpx.AsyncClient(base_url=url, timeout=120) as http:
        return [(await asked(http, number))[1] for number in range(count)]


async def flooded(url: str, count: int) -> list[int]:
    limits = httpx.Limits(max_connections=count)
    async with httpx.AsyncClient(base_url=url, timeout=300, limits=limits) as http:
        found = await asyncio.gather(
            *(asked(http, number) for number in range(count)), return_exceptions=True
        )
        return [each[0] if isinstance(each, tuple) else 0 for each in found]


def main() -> None:
    """Print it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", default=str(Path(os.environ.get("JUNG_HOME", "data")) / "demo"))
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--per-second", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    with Server(options.home) as server:
        print(
            f"first page {server.first_page:.2f} s after the start of the process, index opened in {server.opened:.2f} s"
        )
        asyncio.run(one_by_one(server.url, 3))
        before = server.memory_mb()
        alone = asyncio.run(one_by_one(server.url, 20))
        print(f"idle: passages after {1000 * statistics.median(alone):.0f} ms (median)")
        under = asyncio.run(loaded(server.url, options.readers, options.per_second, options.seconds))
        times = [seconds for status, seconds in under if status == 200]
        failed = sum(status != 200 for status, _ in under)
        ratio = statistics.median(times) / statistics.median(alone)
        print(
            f"{options.readers} readers, {len(under) / options.seconds:.1f} questions a second: {failed} failed, passages "
            f"after {1000 * statistics.median(times):.0f} ms (median), {ratio:.2f} times idle"
        )
        statuses = asyncio.run(flooded(server.url, 400))
        told = {status: statuses.count(status) for status in sorted(set(statuses))}
        print(f"400 at once: {told} (503: told to come again)")
        print(f"memory {before:.0f} MB before, {server.memory_mb():.0f} MB after")
    parts = {path: len(gzip.compress(path.read_bytes())) for path in STATIC.rglob("*") if path.is_file()}
    page = sum(size for path, size in parts.items() if "vendor" not in path.parts)
    print(
        f"the page {page / 1024:.1f} KB compressed; the map's library {(sum(parts.values()) - page) / 1024:.1f} KB more"
    )


if __name__ == "__main__":
    main()
