"""The Dagster instance that the command line, ``jung ui`` and the daemon share."""

import os
from pathlib import Path

import dagster as dg

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


def dagster_home(settings: Settings) -> Path:
    """``DAGSTER_HOME``, else ``$JUNG_HOME/dagster``; made, with a ``dagster.yaml``, if it is not there."""
    given = os.environ.get("DAGSTER_HOME", "").strip()
    home = Path(given).expanduser().resolve() if given else settings.paths.dagster
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "dagster.yaml").exists():
        write_text(home / "dagster.yaml", DEFAULT_DAGSTER_YAML)
    os.environ["DAGSTER_HOME"] = str(home)
    return home


def open_instance(settings: Settings) -> dg.DagsterInstance:
    """The instance under :func:`dagster_home`."""
    dagster_home(settings)
    return dg.DagsterInstance.get()
