"""Entry point of the ``jung`` command. It imports next to nothing, so that Ctrl-C finds it ready from the start."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the command that the arguments name, and leave with its exit code."""
    arguments = sys.argv[1:]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    try:
        from jung_pipeline.cli.group import jung
        from jung_pipeline.cli.output import errors_told
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)
    # Not click's own handling: what is wrong with the command line itself is told as JSON too where that was asked.
    with errors_told(as_json="--json" in arguments):
        sys.exit(jung.main(arguments, prog_name="jung", standalone_mode=False))
