"""Entry point of the ``jung`` command. It imports next to nothing, so that Ctrl-C finds it ready from the start."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the command that the arguments name, and leave with its exit code."""
    try:
        _run(sys.argv[1:])
    except KeyboardInterrupt:  # before or after the command itself, which says more
        print("Stopped.", file=sys.stderr)
        sys.exit(130)


def _run(arguments: list[str]) -> None:
    from jung_pipeline.cli.group import jung
    from jung_pipeline.cli.output import errors_told
    from jung_pipeline.without_pandas import leave_pandas_out

    leave_pandas_out()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    # Not click's own handling: what is wrong with the command line itself is told as JSON too where that was asked.
    with errors_told(as_json="--json" in arguments):
        sys.exit(jung.main(arguments, prog_name="jung", standalone_mode=False))
