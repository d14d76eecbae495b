"""The reading room over the demo library: as an application to call, and as a server to visit."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import contextmanager

import httpx
import pytest
import uvicorn

from jung_pipeline import settings as settings_module
from jung_pipeline.serve.app import create_app


@pytest.fixture(scope="session")
def demo_settings(demo_once):
    """Settings of the finished demo library."""
    return settings_module.load(demo_once[0] / "demo")


@pytest.fixture(scope="session")
def room(demo_settings):
    """The application, which every test of a session asks."""
    return create_app(demo_settings)


def call(app, method, path, *, client="127.0.0.1", host="localhost", **options):
    """One request to an application, from ``client``; the response."""

    async def calling():
        transport = httpx.ASGITransport(app=app, client=(client, 1234), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}", timeout=120) as http:
            return await http.request(method, path, **options)

    return asyncio.run(calling())


@contextmanager
def served(app):
    """The application behind uvicorn on a free port of loopback; its address."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
