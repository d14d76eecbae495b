"""``jung search``, ``jung ask``, ``jung show``: the reader's side."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from jung_pipeline.cli.output import command, console, error_console, load_settings, print_json
from jung_pipeline.errors import EXIT_NOT_FOUND, EXIT_OK, CatalogueError
from jung_pipeline.query.citation_formats import FORMATS, CiteFormat
from jung_pipeline.settings import Settings
from jung_pipeline.text.printable import printable

if TYPE_CHECKING:
    from jung_pipeline.query.library import Library

_POLICY = (
    "How relevance is judged. calibrated (the default): by a probability learnt on this library, so that a question "
    "these books do not answer is told so. seed: a fixed cut (the best by meaning above min_score 0.7, at most keep "
    "3), which lets nearly everything pass."
)
#: Characters of a passage that a search shows.
_SHOWN = 420


def _filters(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that narrow a question to part of the library."""
    for option in (
        click.option(
            "--volume", "volumes", multiple=True, help="Only this volume (key or title); may be repeated."
        ),
        click.option("--author", "authors", multiple=True, help="Only this author; the surname is enough."),
        click.option(
            "--language", "languages", multiple=True, help="Only this language: en, de, or its name."
        ),
        click.option(
            "--concept",
            "concepts",
            multiple=True,
            help="Only passages tagged with this concept, by any of its names.",
        ),
        click.option("--no-notes", is_flag=True, help="Leave footnotes out."),
    ):
        function = option(function)
    return function


def _cite(what: str) -> Callable[..., Any]:
    """The option that prints references instead of text."""
    return click.option(
        "--cite",
        type=click.Choice(FORMATS),
        help=f"Print references to {what} in this format, and nothing else; with --json add them.",
    )


def _print_references(text: str) -> None:
    """References for another program: as they are, to standard output."""
    click.echo(printable(text), nl=False)


def _where(options: dict[str, Any]) -> Any:
    from jung_pipeline.index.vector_index import Where

    no_notes = options.pop("no_notes")
    return Where(
        volumes=options.pop("volumes"),
        authors=options.pop("authors"),
        languages=options.pop("languages"),
        concepts=options.pop("concepts"),
        kinds=("body",) if no_notes else (),
    )


def open_library(settings: Settings) -> Library:
    """The library as its index has it; says so where the catalogue cannot add what it knows of the editions."""
    from jung_pipeline.query.library import Library

    library = Library.open(settings)
    try:
        settings.paths.catalogue()
    except CatalogueError as error:
        says = f"{error} Until then citations name no translator and no year."
        error_console.print(f"[yellow]jung:[/yellow] {escape(says)}", soft_wrap=True)
    return library


@click.command()
@click.argument("question", nargs=-1, required=True)
@click.option("--top", type=click.IntRange(1, 100), help="How many passages (default 6).")
@click.option("--policy", type=click.Choice(["calibrated", "seed"]), help=_POLICY)
@click.option("--strict", is_flag=True, help="Exit code 3 when nothing relevant is found.")
@_cite("the passages")
@_filters
@command
def search(
    question: tuple[str, ...],
    top: int | None,
    policy: str | None,
    strict: bool,
    cite: CiteFormat | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Find passages by meaning and by words, best first, with their place in the book.

    \b
    Example:  jung search --language de "Begriff der Libido"
    """
    from jung_pipeline.query.frames import frame_of

    library = open_library(load_settings(policy=policy))
    result = library.search(" ".join(question), top_k=top, where=_where(options))
    references = library.references([hit.passage for hit in result.hits], cite) if cite else ""
    if as_json:
        print_json({**result.to_dict(), **({"references": references} if cite else {})})
    elif cite:
        _print_references(references)
    else:
        frame = frame_of(result.question)
        if result.note:
            console.print(f"[yellow]{escape(result.note)}[/yellow]", soft_wrap=True)
        if not result.answerable and result.hits:
            console.print(
                f"[yellow]{escape(frame.not_here)}[/yellow] {escape(frame.nearest)}\n", soft_wrap=True
            )
        for number, hit in enumerate(result.hits, 1):
            _show_hit(number, hit, result.question)
    return EXIT_NOT_FOUND if strict and not result.answerable else EXIT_OK


def _show_hit(number: int, hit: Any, question: str) -> None:
    from jung_pipeline.query.snippets import snippet

    console.print(
        f"[bold]{number}.[/bold] {escape(hit.citation)}  [dim]{hit.passage.chunk_id}[/dim]", soft_wrap=True
    )
    _block(snippet(hit.passage, question, _SHOWN), left=4)


def _block(text: str, *, left: int = 0, style: str = "", below: int = 1) -> None:
    """A text set in from the left; into a pipe as it is, so that its words can be found with grep."""
    if console.is_terminal:
        console.print(Padding(Text(text, style=style), (0, 2 if left else 0, below, left)))
    else:
        console.print(Text(text + "\n" * below, style=style), soft_wrap=True)


@click.command()
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--no-model", is_flag=True, help="Quote the best sentences; call no language model even if a key is set."
)
@click.option("--model", help="The Claude model to ask (default: the setting `model`).")
@click.option("--policy", type=click.Choice(["calibrated", "seed"]), help=_POLICY)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit code 3 when the books do not answer, or a quotation or number in the answer does not hold.",
)
@click.option("--passages", is_flag=True, help="Print the passages in full below the answer.")
@click.option(
    "--context",
    type=click.IntRange(0, 10),
    help="Read and print so many neighbours on each side of every passage too. Without it a model reads those that a "
    "passage cut off inside a paragraph leans on.",
)
@_cite("the sources cited")
@_filters
@command
def ask(
    question: tuple[str, ...],
    no_model: bool,
    model: str | None,
    policy: str | None,
    strict: bool,
    passages: bool,
    context: int | None,
    cite: CiteFormat | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Answer a question from the library, with numbered sources, or say that it is not in these books.

    With ANTHROPIC_API_KEY set, Claude answers from the passages found; without it, the best sentences are
    quoted. Every quotation and every [n] is checked against the passages by machine.

    \b
    Example:  jung ask "What does Jung mean by cryptomnesia?"
    """
    library = open_library(load_settings(policy=policy, model=model))
    answer = library.ask(
        " ".join(question), where=_where(options), use_model=False if no_model else None, context=context
    )
    references = answer.references(cite) if cite else ""
    if as_json:
        print_json({**answer.to_dict(), **({"references": references} if cite else {})})
    elif cite:
        _print_references(references)
        if answer.status == "not_found":
            error_console.print(escape(answer.text), soft_wrap=True)
    else:
        show_answer(answer, passages=passages or bool(context))
    return EXIT_NOT_FOUND if strict and not answer.grounded else EXIT_OK


def show_answer(answer: Any, *, passages: bool = False) -> None:
    """An answer with its sources, for a person; what ``jung ask`` and ``jung demo`` share."""
    from jung_pipeline.query.frames import frame_of

    _block(answer.text)
    for source in answer.sources:
        console.print(
            f"  [bold]\\[{source.number}][/bold] {escape(source.citation)}  [dim]{source.passage.chunk_id}[/dim]",
            soft_wrap=True,
        )
        if passages:
            for passage in source.before:
                _block(passage.text, left=6, style="dim")
            _block(source.passage.text, left=6)
            for passage in source.after:
                _block(passage.text, left=6, style="dim")
    _show_verdicts(answer)
    for flag in answer.flags:
        console.print(f"  [yellow]![/yellow] {escape(flag.message)}", soft_wrap=True)
    if answer.status == "not_found" and answer.near_misses:
        if answer.search and answer.search.note:
            console.print(f"  {escape(answer.search.note)}", soft_wrap=True)
        console.print(f"  {frame_of(answer.question).nearest}", soft_wrap=True)
        for hit in answer.near_misses[:3]:
            console.print(f"    {escape(hit.citation)}  [dim]{hit.passage.chunk_id}[/dim]", soft_wrap=True)
    console.print(f"  [dim]{escape(answer.how)}[/dim]", soft_wrap=True)
    if answer.follow_ups:
        console.print(f"  {frame_of(answer.question).go_on}", soft_wrap=True)
        for follow_up in answer.follow_ups:
            console.print(f"    {escape(follow_up.question)}", soft_wrap=True)


def _show_verdicts(answer: Any) -> None:
    """A line a quotation that does not hold, with what is printed; one line for all that do."""
    from jung_pipeline.cli.verifying import SYMBOLS, shortened, show_changes

    held = sum(verdict.verdict == "verbatim" for verdict in answer.verdicts)
    if held and held == len(answer.verdicts):
        console.print(f"  {SYMBOLS['verbatim']}: {_counted(held)} in the passages cited", soft_wrap=True)
        return
    for verdict in answer.verdicts:
        console.print(f"  {SYMBOLS[verdict.verdict]}  “{escape(shortened(verdict.quote))}”", soft_wrap=True)
        show_changes(verdict, indent="     ")


def _counted(quotations: int) -> str:
    if quotations < 3:
        return "the quotation stands" if quotations == 1 else "both quotations stand"
    return f"all {quotations} quotations stand"


@click.command()
@click.argument("chunk_id")
@click.option(
    "--context", type=click.IntRange(0, 20), default=1, show_default=True, help="Neighbours on each side."
)
@_cite("the passage")
@command
def show(chunk_id: str, context: int, cite: CiteFormat | None, as_json: bool) -> int:
    """A passage with its neighbours and its full citation.

    CHUNK_ID is what `jung search` and `jung ask` print after each source; the part behind the # is enough.
    """
    library = open_library(load_settings())
    passage = library.passage(chunk_id)
    before, after = library.neighbours(passage.chunk_id, context)
    citation = library.cite(passage)
    if as_json:
        print_json(
            {
                "citation": citation,
                "passage": passage.to_dict(),
                "before": [neighbour.to_dict() for neighbour in before],
                "after": [neighbour.to_dict() for neighbour in after],
                **({"references": library.references([passage], cite)} if cite else {}),
            }
        )
        return EXIT_OK
    if cite:
        _print_references(library.references([passage], cite))
        return EXIT_OK
    console.print(f"[bold]{escape(citation)}[/bold]\n", soft_wrap=True)
    for neighbour in before:
        _block(neighbour.text, left=2, style="dim")
    _block(passage.text)
    for neighbour in after:
        _block(neighbour.text, left=2, style="dim")
    facts = [f"{passage.chunk_id}", f"{passage.cl100k_tokens} tokens"]
    if passage.concepts:
        facts.append("concepts: " + ", ".join(passage.concepts))
    console.print(f"[dim]{escape(' · '.join(facts))}[/dim]", soft_wrap=True)
    return EXIT_OK
