"""``jung ui`` and ``jung demo``: the line to look at, and the line on a small library."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from jung_pipeline.cli.output import command, console, load_settings, print_json
from jung_pipeline.errors import EXIT_FAILED, EXIT_OK, UsageError

#: `dagster dev` needs a workspace; written into the Dagster home so that any installation has one.
_WORKSPACE = """\
load_from:
  - python_module:
      module_name: jung_pipeline.definitions
      location_name: jung_pipeline
"""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=3000, show_default=True, help="Port to listen on.")
@command
def ui(host: str, port: int, as_json: bool) -> int:
    """The Dagster UI on the same instance that `jung ingest` writes to: every run is seen in both.

    While it runs, the library folder is followed: books dropped into it are ingested, and the index is published
    after every change. With a paid service in the settings that is off until you switch it on (under Automation).
    Stop it with Ctrl-C. With --json nothing is started; what would be is printed.
    """
    from jung_pipeline.defs.instance import dagster_home
    from jung_pipeline.tables import write_text

    settings = load_settings()
    home = dagster_home(settings)
    workspace = home / "workspace.yaml"
    write_text(workspace, _WORKSPACE)
    environment = {
        **os.environ,
        "DAGSTER_HOME": str(home),
        "JUNG_HOME": str(settings.home),
        "PYTHONWARNINGS": os.environ.get("PYTHONWARNINGS", "ignore"),
    }
    arguments = [sys.executable, "-m", "dagster", "dev", "-w", str(workspace), "-h", host, "-p", str(port)]
    arguments += ["--log-level", "warning"]
    if as_json:
        print_json({"command": arguments, "dagster_home": str(home), "jung_home": str(settings.home)})
        return EXIT_OK
    refuse_taken(host, port)
    console.print(
        f"Dagster UI of {escape(str(settings.home))} on http://{host}:{port} (Ctrl-C stops it)",
        soft_wrap=True,
    )
    if os.name == "posix":
        # In our place, so that Ctrl-C and signals reach Dagster itself and it can stop what it started.
        sys.stdout.flush()
        os.execve(sys.executable, arguments, environment)
    return subprocess.run(arguments, env=environment, check=False).returncode


def refuse_taken(host: str, port: int) -> None:
    """Raise UsageError if something listens there: a second server would quietly run beside the first."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise UsageError(
                f"Port {port} on {host} is taken ({error.strerror}).",
                remedy=f"Is it running already? Else take another: --port {port + 1}",
            ) from error


@click.command()
@click.option("--fresh", is_flag=True, help="Forget an earlier demo first.")
@command
def demo(fresh: bool, as_json: bool) -> int:
    """The whole line on three small books of ours: make, add, ingest, ask three questions.

    Needs no account and no network. The library is $JUNG_HOME/demo; your own is not touched.
    """
    from jung_pipeline import settings as settings_module
    from jung_pipeline.cli import ingest
    from jung_pipeline.cli.reading import show_answer
    from jung_pipeline.demo.builder import build_demo_library
    from jung_pipeline.demo.questions import demo_questions
    from jung_pipeline.query.library import Library
    from jung_pipeline.volumes import add_file

    home = load_settings().home / "demo"
    if fresh and home.exists():
        if not (home / "books").exists():
            raise UsageError(f"{home} does not look like an earlier demo.", remedy="Move it away first.")
        shutil.rmtree(home)
    settings = settings_module.load(home)
    say = (lambda text: None) if as_json else (lambda text: console.print(text, soft_wrap=True))
    say("[bold]1. Three small books[/bold] of ours")
    books = build_demo_library(home / "books")
    added = [add_file(settings.paths, book.path, replacing=True)[0] for book in books]
    for book, volume in zip(books, added, strict=True):
        scanned = any(fault.kind == "stamp" for fault in book.faults)
        form = "scan with a poor text layer" if scanned else f"clean {book.path.suffix[1:].upper()}"
        say(f"   {escape(volume.title)}  [dim]{form}: {escape(book.path.name)}[/dim]")
    say("\n[bold]2. Ingestion[/bold]: raw text → cleaned text → chunks → embeddings → index")
    report = ingest.run(settings, quiet=as_json)
    if any(row["status"] == "failed" for row in report["volumes"]):
        if as_json:
            print_json(report)
        return EXIT_FAILED
    say("\n[bold]3. Three questions[/bold], the last of which these books do not answer")
    library = Library.open(settings)
    answers: list[dict[str, Any]] = []
    for question in [entry.question for entry in demo_questions()]:
        answer = library.ask(question)
        answers.append(answer.to_dict())
        if not as_json:
            say(f"\n[bold cyan]? {escape(question)}[/bold cyan]")
            show_answer(answer)
    if as_json:
        print_json({"home": str(home), "ingestion": report, "answers": answers})
    else:
        _say_what_next(home)
    return EXIT_OK


def _say_what_next(home: Path) -> None:
    console.print("\n[bold]Where it all lies[/bold]")
    for name, what in (
        ("books", "the three books as files"),
        ("catalogue.toml", "titles and authors; yours to edit"),
        ("tables", "every stage as Parquet, one file a volume"),
        ("index", "the searchable index, versioned"),
        ("dagster", "runs and checks, for the UI"),
    ):
        console.print(f"   {escape(str(home / name))}  [dim]{what}[/dim]", soft_wrap=True)
    jung = _as_typed()
    console.print("\n[bold]What next[/bold]")
    for line, what in (
        (f'{jung} --home {home} ask "What is a persona?"', "ask the demo library something else"),
        (f"{jung} --home {home} ui", "see the line and its checks in the browser"),
        (f"{jung} add FILE… && {jung} ingest", "take in your own books"),
        ("export ANTHROPIC_API_KEY=…", "let Claude answer from the passages"),
    ):
        console.print(f"   {escape(line)}  [dim]# {what}[/dim]", soft_wrap=True)


def _as_typed() -> str:
    """How this command can be typed again: by its name where that is on the path, else by where it lies."""
    if shutil.which("jung"):
        return "jung"
    here = Path(sys.argv[0]).absolute()
    return str(here.relative_to(Path.cwd())) if here.is_relative_to(Path.cwd()) else str(here)
