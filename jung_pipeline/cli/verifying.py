"""``jung verify``: whether quotations stand in these books; and how verdicts are shown."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from jung_pipeline.cli.output import command, console, load_settings, print_json
from jung_pipeline.errors import EXIT_NOT_FOUND, EXIT_OK, UsageError

if TYPE_CHECKING:
    from jung_pipeline.query.verify import QuoteVerdict

#: Differences of one quotation that are shown.
_MOST_CHANGES = 12

SYMBOLS = {
    "verbatim": "[green]✓ verbatim[/green]",
    "altered": "[yellow]≠ altered[/yellow]",
    "misattributed": "[yellow]↪ misattributed[/yellow]",
    "not_in_library": "[red]✗ not in these books[/red]",
    "too_short": "[dim]· too short to tell[/dim]",
}


@click.command()
@click.argument("text", nargs=-1)
@click.option("--file", "file", type=click.File(encoding="utf-8"), help="A text file; - is standard input.")
@click.option("--by", "attributed_to", help="The author or work that the quotations are said to be from.")
@click.option("--strict", is_flag=True, help="Exit code 3 unless every quotation is verbatim.")
@command
def verify(text: tuple[str, ...], file: Any, attributed_to: str | None, strict: bool, as_json: bool) -> int:
    """Whether quotations stand in these books: verbatim, altered, misattributed or not there at all.

    TEXT may hold several quotations in quotation marks; a text without any is one quotation. No model is asked.

    \b
    Example:  jung verify "As Jung says, “the shadow is a moral problem”."
              jung verify --by Freud --file essay.txt --strict
    """
    from jung_pipeline.query.library import Library

    given = " ".join(text) if text else file.read() if file else ""
    if not given.strip():
        raise UsageError("There is nothing to verify.", remedy="Give a text, or --file FILE.")
    library = Library.open(load_settings())
    verdicts = library.verify(given, attributed_to=attributed_to)
    if as_json:
        print_json({"verdicts": [verdict.to_dict() for verdict in verdicts]})
    else:
        for verdict in verdicts:
            _show_verdict(verdict)
        if not verdicts:
            console.print("There is no quotation in it.")
    sys.stdout.flush()
    wrong = any(verdict.verdict not in ("verbatim", "too_short") for verdict in verdicts)
    return EXIT_NOT_FOUND if strict and wrong else EXIT_OK


def _show_verdict(verdict: QuoteVerdict) -> None:
    console.print(f"{SYMBOLS[verdict.verdict]}  “{escape(verdict.quote)}”", soft_wrap=True)
    if verdict.verdict == "misattributed" and verdict.attributed_to:
        console.print(f"   said to be from {escape(verdict.attributed_to)}; it stands in:", soft_wrap=True)
    for place in verdict.places[:5]:
        console.print(f"   {escape(place.citation)}  [dim]{escape(place.chunk_id)}[/dim]", soft_wrap=True)
        if verdict.verdict == "altered":
            console.print(f"   printed: “{escape(place.printed)}”", soft_wrap=True)
    show_changes(verdict, indent="   ")


def show_changes(verdict: QuoteVerdict, *, indent: str) -> None:
    """What an altered quotation has, and what is printed there instead."""
    for quoted, printed in verdict.changes[:_MOST_CHANGES]:
        console.print(
            f"{indent}{escape(quoted or '(nothing)')} → {escape(printed or '(nothing)')}", soft_wrap=True
        )


def shortened(quote: str, most: int = 120) -> str:
    """A quotation in one line that is not too long."""
    quote = " ".join(quote.split())
    return quote if len(quote) <= most else f"{quote[: most - 1]}…"
