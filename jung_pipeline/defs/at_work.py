"""Which runs are really at work, told by the locks that their processes hold.

A killed process cannot say that it was killed: its run stays "started", its pool slots stay taken, and whoever
waits for them waits for ever. So every run holds a lock on a file of its own while it lives. The system gives
the lock back however the process ends, and anyone can see that nobody holds it. Where several machines share their
records in PostgreSQL, it is an advisory lock there, which goes with the connection of its holder.
"""

import hashlib
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import dagster as dg
from dagster._core.storage.runs import SqliteRunStorage
from sqlalchemy import Connection, Engine, text

try:
    import fcntl
except ImportError:  # Windows: no run is ever taken for dead there
    fcntl = None  # type: ignore[assignment]

#: Marks a run that has taken its lock in records that several machines share, with the machine that it is on.
_HOST = "jung/host"
#: Beside the run's own number, what makes our locks in PostgreSQL ours.
_LOCKS = 0x6A756E67

#: Marks the runs of the command line. Only one command at a time has them; it may have several.
OF_THE_COMMAND = {"jung/started_by": "command line"}

#: A run says that it has started a moment before it takes its lock.
_STARTING_SECONDS = 600.0
_AT_WORK = [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


@dataclass(frozen=True)
class Work:
    """A run that is at work: its id, the volume if it is about one, and its job."""

    run_id: str
    volume: str | None
    job: str
    by_command: bool = False  # one of `jung ingest`, not of the daemon

    def __str__(self) -> str:
        """For people: what is being done."""
        what = f"ingesting {self.volume}" if self.volume else self.job.replace("_", " ")
        return f"run {self.run_id[:8]}, {what}"


def _folder(instance: dg.DagsterInstance) -> Path:
    return Path(instance.root_directory) / "at_work"


def _here(instance: dg.DagsterInstance) -> str:
    return f"{socket.gethostname()}:{instance.root_directory}"


def _is_shared(instance: dg.DagsterInstance) -> bool:
    """Whether machines other than this may use the same records of runs: those in files are for one alone."""
    return not isinstance(instance.run_storage, SqliteRunStorage)


class _Lock(Protocol):
    def close(self) -> None: ...


#: The locks that this process holds, by the id of the run. A process is at work on one run at a time.
_held: dict[str, list[_Lock]] = {}


def hold(instance: dg.DagsterInstance, run_id: str) -> None:
    """Take the lock of a run, to be held until this process ends or takes that of its next run."""
    if run_id in _held:
        return
    while _held:
        for lock in _held.popitem()[1]:
            lock.close()
    locks: list[_Lock] = []
    _held[run_id] = locks
    if fcntl is not None:
        path = _folder(instance) / f"{run_id}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
        fcntl.flock(file, fcntl.LOCK_SH)
        locks.append(file)
    if _is_shared(instance):
        connection = _connection(instance)
        if connection is not None:
            _ask(connection, "pg_advisory_lock_shared", run_id)
            locks.append(connection)
        instance.add_run_tags(run_id, {_HOST: _here(instance)})


def _connection(instance: dg.DagsterInstance) -> Connection | None:
    """A connection of its own to the records; ``None`` where they are not in PostgreSQL."""
    engine = getattr(instance.run_storage, "_engine", None)
    if not isinstance(engine, Engine) or engine.dialect.name != "postgresql":
        return None
    # No transaction stays open for as long as the run does.
    return engine.connect().execution_options(isolation_level="AUTOCOMMIT")


def _ask(connection: Connection, function: str, run_id: str) -> bool:
    """Call one of PostgreSQL's functions about the lock of a run, which goes with the connection that has it."""
    number = int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:4], signed=True)
    return bool(connection.execute(text(f"SELECT {function}({_LOCKS}, {number})")).scalar())


def _is_alive(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """Whether a process holds the lock of the run, or may be about to take it."""
    if _is_shared(instance):
        connection = _connection(instance)
        if connection is not None:
            with connection:
                if not _ask(connection, "pg_try_advisory_lock", run.run_id):
                    return True
            return _HOST not in run.tags and _is_starting(instance, run.run_id)
        if run.tags.get(_HOST) != _here(instance):
            return True  # nobody can tell from here
    if fcntl is None:
        return True
    try:
        with (_folder(instance) / f"{run.run_id}.lock").open("r") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
    except FileNotFoundError:
        return _is_starting(instance, run.run_id)
    except OSError:  # somebody has it
        return True


def _is_starting(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Whether the run said so short a time ago that it has started that it may not have its lock yet."""
    record = instance.get_run_record_by_id(run_id)
    started = record.start_time if record else None
    return started is not None and time.time() - started < _STARTING_SECONDS


def at_work(instance: dg.DagsterInstance) -> list[Work]:
    """The runs that a living process is at work on."""
    return [
        Work(
            run.run_id,
            run.tags.get("dagster/partition"),
            run.job_name,
            OF_THE_COMMAND.items() <= run.tags.items(),
        )
        for run in instance.get_runs(dg.RunsFilter(statuses=_AT_WORK))
        if _is_alive(instance, run)
    ]


def end_dead_runs(instance: dg.DagsterInstance) -> list[str]:
    """End the runs whose process was killed, and free the pool slots that ended runs still hold; their ids."""
    runs = instance.get_runs(dg.RunsFilter(statuses=_AT_WORK))
    dead = [run for run in runs if not _is_alive(instance, run)]
    for run in dead:
        instance.report_run_failed(run, "The process that was at work on it was killed.")
    free_slots_of_ended_runs(instance)
    for path in _folder(instance).glob("*.lock"):
        held = instance.get_run_by_id(path.stem)
        if held is None or held.is_finished:
            path.unlink(missing_ok=True)
    return [run.run_id for run in dead]


def free_slots_of_ended_runs(instance: dg.DagsterInstance) -> None:
    """Give back the pool slots of runs that are over: without it the next run would wait for ever."""
    storage = instance.event_log_storage
    for pool in storage.get_concurrency_keys():
        info = storage.get_concurrency_info(pool)
        holders = {slot.run_id for slot in info.claimed_slots} | {step.run_id for step in info.pending_steps}
        for run_id in holders:
            run = instance.get_run_by_id(run_id)
            if run is None or run.is_finished:
                storage.free_concurrency_slots_for_run(run_id)
