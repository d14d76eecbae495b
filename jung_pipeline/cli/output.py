"""What every command shares: the console, ``--json``, errors of one line, exit codes."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from jung_pipeline import settings as settings_module
from jung_pipeline.errors import EXIT_FAILED, JungError
from jung_pipeline.settings import Settings

#: Results go to standard output, progress and errors to standard error, so that pipes stay clean.
#: Into a pipe or a file nothing is cut to a screen that is not there.
_PIPE_WIDTH = 200
_width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _PIPE_WIDTH
console = Console(highlight=False, width=_width)
error_console = Console(stderr=True, highlight=False)


def load_settings(**overrides: Any) -> Settings:
    """The settings of the library that ``--home`` or ``JUNG_HOME`` names."""
    context = click.get_current_context(silent=True)
    home = context.find_root().params.get("home") if context else None
    return settings_module.load(
        home, **{name: value for name, value in overrides.items() if value is not None}
    )


def print_json(value: Any) -> None:
    """``value`` as JSON on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def command(function: Callable[..., int | None]) -> Callable[..., None]:
    """Give a command ``--json`` and turn its errors into one line and an exit code.

    The function returns its exit code, or ``None`` for 0.
    """

    @click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
    @functools.wraps(function)
    def wrapped(*arguments: Any, as_json: bool, **options: Any) -> None:
        try:
            code = function(*arguments, as_json=as_json, **options)
        except JungError as error:
            fail(error, as_json=as_json)
        except KeyboardInterrupt:
            error_console.print("Stopped. What is done is kept; run the command again to go on.")
            sys.exit(130)
        except BrokenPipeError:  # the reader of our output has gone: nothing to say, and nobody to say it to
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        except click.ClickException:
            raise
        except Exception as error:
            if os.environ.get("JUNG_DEBUG"):
                raise
            problem = JungError(
                f"{type(error).__name__}: {error}",
                remedy="This is a fault of ours; JUNG_DEBUG=1 shows where.",
            )
            fail(problem, as_json=as_json)
        sys.exit(code or 0)

    return wrapped


def fail(error: JungError, *, as_json: bool) -> None:
    """Show ``error`` in one line (or as JSON) and leave with its exit code."""
    if as_json:
        print_json(
            {"error": {"kind": type(error).__name__, "message": error.message, "remedy": error.remedy}}
        )
    else:
        text = " ".join(str(error).split())
        error_console.print(f"[red]jung:[/red] {escape(text)}", soft_wrap=True)
    sys.exit(error.exit_code or EXIT_FAILED)
