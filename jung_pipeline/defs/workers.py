"""Volumes side by side: processes that take one volume after another, their results told as one.

A process and not a thread each, because MuPDF and Dagster want it so. They write to the same instance; its SQLite files
let one write at a time, and a pool (see ``dagster.yaml``) lets one embed at a time, for embedding uses all cores. A
worker that is killed costs the volume it was at work on, and another takes its place; workers end when the command does.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import TYPE_CHECKING

from jung_pipeline.catalogue import Volume
from jung_pipeline.settings import Settings

if TYPE_CHECKING:
    from jung_pipeline.defs.running import VolumeResult

#: How long a worker that was told to stop may take to end its run.
_STOPPING_SECONDS = 30.0


@dataclass
class _Worker:
    process: SpawnProcess
    connection: Connection
    volume: Volume


def side_by_side(
    settings: Settings, chosen: Sequence[Volume], count: int, *, force: bool, on_lost: Callable[[], object]
) -> Iterator["VolumeResult"]:
    """Ingest the volumes ``chosen`` in ``count`` processes; yields results as they come.

    ``on_lost`` is called after a worker was killed, to end its run.
    """
    from jung_pipeline.defs.running import VolumeResult

    context = multiprocessing.get_context("spawn")
    waiting = deque(chosen)
    workers = [_start(context, settings, waiting.popleft(), force) for _ in range(min(count, len(waiting)))]
    try:
        while workers:
            ready = wait([worker.connection for worker in workers])
            for worker in [worker for worker in workers if worker.connection in ready]:
                volume = worker.volume
                try:
                    result = worker.connection.recv()
                except (EOFError, ConnectionResetError):
                    workers.remove(worker)
                    worker.process.join()
                    on_lost()
                    yield VolumeResult(
                        volume.key, volume.title, "failed", problem=_killed(worker.process.exitcode)
                    )
                    if waiting:
                        workers.append(_start(context, settings, waiting.popleft(), force))
                    continue
                if isinstance(result, BaseException):
                    raise result
                yield result
                if waiting:
                    worker.volume = waiting.popleft()
                    worker.connection.send(worker.volume)
                else:
                    workers.remove(worker)
                    worker.connection.send(None)
                    worker.process.join()
    finally:
        _stop(workers)


def _killed(code: int | None) -> str:
    how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    return (
        f"the process at work on it was killed ({how}). Most often memory ran out: run `jung ingest` again, with fewer "
        "--workers"
    )


def _start(context: SpawnContext, settings: Settings, volume: Volume, force: bool) -> _Worker:
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(settings, force, theirs), daemon=False)
    process.start()
    theirs.close()  # so that the end of the worker is the end of the pipe
    ours.send(volume)
    return _Worker(process, ours, volume)


def _stop(workers: Sequence[_Worker]) -> None:
    """Let the workers end their runs and wait for them."""
    for worker in workers:
        if worker.process.pid is not None and worker.process.is_alive():
            with suppress(OSError):
                os.kill(worker.process.pid, signal.SIGINT)
    for worker in workers:
        worker.process.join(_STOPPING_SECONDS)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


def _work(settings: Settings, force: bool, connection: Connection) -> None:
    """What a worker does: take a volume, bring it up to date, say how that went."""
    from jung_pipeline.definitions import build_definitions
    from jung_pipeline.defs.instance import open_instance
    from jung_pipeline.defs.running import Ingestion

    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        with open_instance(settings) as instance:
            definitions = build_definitions(settings.home)
            ingestion = Ingestion(settings)
            while (volume := connection.recv()) is not None:
                connection.send(ingestion.bring_up_to_date(definitions, instance, volume, force=force))
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        pass  # the command was stopped, and says so itself
    except BaseException as error:
        connection.send(error)


def _end_with_parent() -> None:
    """A worker that outlived its command would write beside the next one."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
