"""The Dagster instance that the command line, ``jung ui`` and the daemon share."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import sqlalchemy
import sqlalchemy.event
import yaml
from sqlalchemy.exc import SQLAlchemyError

from jung_pipeline.alerting import blotted
from jung_pipeline.errors import SettingsError, StageError
from jung_pipeline.settings import Settings
from jung_pipeline.tables import write_text

#: Written once into a new Dagster home; the owner may change it.
DEFAULT_DAGSTER_YAML = """\
# Written by jung_pipeline for one machine. See docs/architecture.md.
telemetry:
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 2
  pools:
    default_limit: 1
    granularity: op
run_monitoring:
  enabled: true
  free_slots_after_run_end_seconds: 300
"""


#: How long one process waits for another to finish writing to the same records of runs.
_BUSY_MILLISECONDS = 60_000


@sqlalchemy.event.listens_for(sqlalchemy.Engine, "connect")
def _be_patient(connection: object, _: object) -> None:
    """SQLite lets one process write at a time; the five seconds that Dagster waits are few on a machine at work."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute(f"pragma busy_timeout = {_BUSY_MILLISECONDS}")


def dagster_home(settings: Settings) -> Path:
    """``DAGSTER_HOME``, else ``$JUNG_HOME/dagster``; made, with a ``dagster.yaml``, if it is not there."""
    given = os.environ.get("DAGSTER_HOME", "").strip()
    home = Path(given).expanduser().resolve() if given else settings.paths.dagster
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "dagster.yaml").exists():
        write_text(home / "dagster.yaml", DEFAULT_DAGSTER_YAML)
    os.environ["DAGSTER_HOME"] = str(home)
    return home


@contextlib.contextmanager
def open_instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The instance under :func:`dagster_home`.

    Raises:
        SettingsError: its ``dagster.yaml`` cannot be used.
        StageError: its records of runs cannot be read or written, now or while it is used.
    """
    home = dagster_home(settings)
    try:
        opened = dg.DagsterInstance.get()
    except (yaml.YAMLError, dg.DagsterInvalidConfigError) as error:
        raise SettingsError(
            f"{home / 'dagster.yaml'} cannot be used: {_first_line(error)}",
            remedy="Correct it, or delete it: a new one is written.",
        ) from error
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise _unusable(home, error) from error
    try:
        with opened as instance:
            yield instance
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise _unusable(home, error) from error


def _unusable(home: Path, error: Exception) -> StageError:
    cause = getattr(error, "orig", None) or error
    if not isinstance(cause, sqlite3.Error):
        return StageError(
            f"Dagster's records of runs cannot be used ({blotted(_first_line(cause))}).",
            remedy=f"Look whether the database that {home / 'dagster.yaml'} names answers, and at its user and password.",
        )
    return StageError(
        f"Dagster's records of runs in {home} cannot be used ({_first_line(cause)}).",
        remedy="If the disk is not full, move that folder away: it holds the history of runs alone, no book, "
        "table or index, and a new one is made.",
    )


def _first_line(error: BaseException) -> str:
    """The error in one line, however long it goes on about what would be right."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    wrong = next((line for line in lines if line.startswith("Error 1:")), " ".join(lines[:3]))
    return wrong.removeprefix("Error 1:").split(". Expected:")[0].strip()[:200]
