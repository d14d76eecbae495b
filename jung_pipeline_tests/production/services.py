"""Real services for tests, each started from its package for itself: PostgreSQL, an S3 server, Redis."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

#: How long a service may take to start; only waited out where it does not start at all.
START_SECONDS = 120.0


def wait_until(ready, what: str, seconds: float = START_SECONDS) -> None:
    """Wait until ``ready()`` is true; fails the test if that takes longer than anything could."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not happen within {seconds:.0f} s")
        time.sleep(0.05)


def postgres_program(name: str) -> str | None:
    """Path of a program of PostgreSQL; Debian keeps the server's out of the search path."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


def _other_user() -> str | None:
    """Whom PostgreSQL is run as: it refuses root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    pytest.skip("PostgreSQL does not run as root, and there is no other user")


@contextlib.contextmanager
def postgres_cluster() -> Iterator[dict[str, str]]:
    """A cluster of its own on a socket in a folder of its own; the variables that lead to its database."""
    if postgres_program("initdb") is None or postgres_program("postgres") is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    pytest.importorskip("dagster_postgres", reason="needs the extra `postgres`")
    user = _other_user()
    folder = Path(tempfile.mkdtemp(prefix="jung-pg-", dir="/tmp"))  # a socket's path must be short
    try:
        if user:
            shutil.chown(folder, user)
        data = folder / "data"
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        subprocess.run(
            [str(postgres_program("initdb")), "-D", str(data), "-U", "jung", "-A", "trust", "-E", "UTF8", "-N"],
            check=True, capture_output=True, user=user, env=environment, cwd="/",
        )  # fmt: skip
        folder.chmod(0o711)
        server = subprocess.Popen(
            [str(postgres_program("postgres")), "-D", str(data), "-k", str(folder), "-h", "", "-F",
             "-c", "max_connections=100", "-c", "logging_collector=off"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=user, env=environment, cwd="/",
            start_new_session=True,
        )  # fmt: skip
        try:
            ready = [str(postgres_program("pg_isready")), "-h", str(folder), "-q"]
            wait_until(
                lambda: server.poll() is not None or subprocess.run(ready, check=False).returncode == 0,
                "the start of PostgreSQL",
            )
            assert server.poll() is None, "PostgreSQL ended at once"
            yield {
                "DAGSTER_PG_HOST": "",  # no host: the socket of PGHOST
                "DAGSTER_PG_USER": "jung",
                "DAGSTER_PG_PASSWORD": "none-is-asked",
                "DAGSTER_PG_DB": "postgres",
                "PGHOST": str(folder),
            }
        finally:
            server.send_signal(signal.SIGQUIT)  # at once: nothing in it is to be kept
            server.wait(START_SECONDS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def create_database(variables: dict[str, str], name: str) -> None:
    """An empty database called ``name`` in the cluster that ``variables`` lead to."""
    program = [
        str(postgres_program("createdb")),
        "-h",
        variables["PGHOST"],
        "-U",
        "jung",
        "-T",
        "template0",
        name,
    ]
    subprocess.run(program, check=True, capture_output=True)


@contextlib.contextmanager
def s3_server() -> Iterator[str]:
    """A server that speaks S3, on a port of its own; its address."""
    moto_server = pytest.importorskip("moto.server", reason="needs moto (the extra `dev`)")
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """A Redis of its own on a socket in ``folder``; its address for Celery."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("Redis is not installed (Debian: apt-get install redis-server)")
    path = folder / "redis.sock"
    server = subprocess.Popen(
        [program, "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until(lambda: server.poll() is not None or _answers(path), "the start of Redis")
        assert server.poll() is None, "Redis ended at once"
        yield f"redis+socket://{path}"
    finally:
        server.terminate()
        server.wait(START_SECONDS)


def _answers(path: Path) -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(b"PING\r\n")
        return client.recv(16).startswith(b"+PONG")
    return False
