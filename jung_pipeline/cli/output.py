"""What every command shares: the console, ``--json``, errors of one line, exit codes."""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import click
import regex
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment

from jung_pipeline import settings as settings_module
from jung_pipeline.errors import EXIT_FAILED, EXIT_USAGE, JungError, file_error
from jung_pipeline.settings import Settings
from jung_pipeline.text.printable import printable

#: What the shell gives a command that Ctrl-C or a closed pipe has ended (128 + SIGINT, 128 + SIGPIPE).
EXIT_INTERRUPTED, EXIT_PIPE_CLOSED = 130, 141


class SafeConsole(Console):
    """A console that shows text as text: what a book brings along never commands the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of ``renderable``; those of rich's own making (the cursor of a bar) as they are."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Leave, as rich does, but with the exit code that shells know."""
        leave_closed_pipe()


#: Results go to standard output, progress and errors to standard error, so that pipes stay clean.
#: Into a pipe or a file nothing is cut to a screen that is not there.
_PIPE_WIDTH = 200
_width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _PIPE_WIDTH
console = SafeConsole(highlight=False, width=_width)
error_console = SafeConsole(stderr=True, highlight=False)


def load_settings(**overrides: Any) -> Settings:
    """The settings of the library that ``--home`` or ``JUNG_HOME`` names."""
    context = click.get_current_context(silent=True)
    home = context.find_root().params.get("home") if context else None
    return settings_module.load(
        home, **{name: value for name, value in overrides.items() if value is not None}
    )


# JSON lets these stand as they are; a terminal and a reader of lines do not.
_RAW = regex.compile(r"[\x7f-\x9f\u2028\u2029]")
_SURROGATE = regex.compile(r"[\ud800-\udfff]")


def print_json(value: Any) -> None:
    """``value`` as one JSON document on standard output, in which any reader of JSON finds no fault."""
    ascii_only = (sys.stdout.encoding or "").lower() not in ("utf-8", "utf8")
    text = json.dumps(_plain(value), ensure_ascii=ascii_only, indent=2, default=str, allow_nan=False)
    click.echo(_RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def _plain(value: Any) -> Any:
    """``value`` without numbers that JSON does not have (``null``) and text that is not UTF-8 (written out)."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return printable(value) if _SURROGATE.search(value) else value
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def command(function: Callable[..., int | None]) -> Callable[..., None]:
    """Give a command ``--json`` and turn its errors into one line and an exit code.

    The function returns its exit code, or ``None`` for 0.
    """

    @click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
    @functools.wraps(function)
    def wrapped(*arguments: Any, as_json: bool, **options: Any) -> None:
        with errors_told(as_json=as_json):
            code = function(*arguments, as_json=as_json, **options)
            sys.stdout.flush()  # now, where a closed pipe or a full disk can still be answered
            sys.exit(code or 0)

    return wrapped


@contextlib.contextmanager
def errors_told(*, as_json: bool) -> Iterator[None]:
    """Turn whatever goes wrong inside into one line (or one JSON document) and an exit code."""
    try:
        yield
    except JungError as error:
        fail(error, as_json=as_json)
    except click.ClickException as error:
        _fail_usage(error, as_json=as_json)
    except (KeyboardInterrupt, click.Abort):
        error_console.print("Stopped. What is done is kept; run the command again to go on.")
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        leave_closed_pipe()
    except OSError as error:
        if os.environ.get("JUNG_DEBUG"):
            raise
        if error.errno == errno.ENOSPC and error.filename is None:  # what we print to is full
            _discard_output()
            show_error(file_error(error, "the output"))
            sys.exit(EXIT_FAILED)
        fail(file_error(error), as_json=as_json)
    except Exception as error:
        if os.environ.get("JUNG_DEBUG"):
            raise
        problem = JungError(
            f"{type(error).__name__}: {error}",
            remedy="This is a fault of ours; JUNG_DEBUG=1 shows where.",
        )
        fail(problem, as_json=as_json)


def fail(error: JungError, *, as_json: bool) -> NoReturn:
    """Show ``error`` in one line (or as JSON) and leave with its exit code."""
    if as_json:
        print_json(
            {"error": {"kind": type(error).__name__, "message": error.message, "remedy": error.remedy}}
        )
    else:
        show_error(error)
    sys.exit(error.exit_code or EXIT_FAILED)


def show_error(error: JungError) -> None:
    """``error`` in one line on standard error."""
    error_console.print(f"[red]jung:[/red] {escape(' '.join(str(error).split()))}", soft_wrap=True)


def _fail_usage(error: click.ClickException, *, as_json: bool) -> NoReturn:
    """What click says of a wrong option or argument; with the command's usage, as click shows it."""
    if as_json:
        context = getattr(error, "ctx", None)
        remedy = f"See: {context.command_path} --help" if context else ""
        print_json({"error": {"kind": "UsageError", "message": error.format_message(), "remedy": remedy}})
    else:
        error.show()
    sys.exit(error.exit_code or EXIT_USAGE)


def leave_closed_pipe() -> NoReturn:
    """Leave when the reader of our output has gone: nothing to say, and nobody to say it to."""
    _discard_output()
    sys.exit(EXIT_PIPE_CLOSED)


def _discard_output() -> None:
    """Let what is still to be written go nowhere, so that no second error follows while Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
