"""``jung status --quality``: the quality card of every volume, or of one in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from jung_pipeline.cli.output import console, print_json
from jung_pipeline.errors import EXIT_OK, StageError, UsageError

if TYPE_CHECKING:
    from jung_pipeline.catalogue import Volume
    from jung_pipeline.quality.card import QualityCard, RuleCount
    from jung_pipeline.settings import Settings

#: Suspects of a kind shown to people; --json has them all.
_SHOWN = 8
_PLOT_SMALL, _PLOT = 24, 72


def show_quality(settings: Settings, keys: Sequence[str], *, as_json: bool) -> int:
    """Print the cards of the volumes ``keys`` (all, if none is named).

    Raises:
        CatalogueError: there is no volume of a key.
        UsageError: nothing has been cleaned yet.
    """
    catalogue = settings.paths.catalogue()
    chosen = [catalogue.get(key) for key in keys] if keys else list(catalogue)
    cards: list[tuple[Volume, QualityCard | None]] = [
        (volume, _card(settings, volume.key)) for volume in chosen
    ]
    if as_json:
        rows = [
            {"volume": volume.key, "title": volume.title, "card": card.to_dict() if card else None}
            for volume, card in cards
        ]
        print_json({"volumes": rows})
        return EXIT_OK
    if not any(card for _, card in cards):
        names = ", ".join(volume.key for volume in chosen) or "The library"
        raise UsageError(f"{names}: nothing is cleaned yet.", remedy="Run `jung ingest` first.")
    if len(cards) == 1 and cards[0][1] is not None:
        _show_one(cards[0][0], cards[0][1])
    else:
        _show_all(cards)
    return EXIT_OK


def _card(settings: Settings, key: str) -> QualityCard | None:
    """The card of a volume; ``None`` if it has not been cleaned."""
    from jung_pipeline import tables
    from jung_pipeline.quality.card import quality_card

    try:
        made = [
            tables.read_table(settings.paths.table(stage, key))
            for stage in ("raw_text", "cleaned_text", "removal_ledger")
        ]
    except StageError:
        return None
    return quality_card(*made)


def _show_all(cards: Sequence[tuple[Volume, QualityCard | None]]) -> None:
    from jung_pipeline.quality.card_rules import check_card
    from jung_pipeline.quality.plots import text_plot

    wide = console.width >= 110
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("volume", overflow="fold")
    for heading in ("pages", "no text", "chap.", "labels", "notes", "linked", "fixed", "suspect"):
        table.add_column(heading, justify="right", no_wrap=True)
    if wide:
        table.add_column("quality by page", no_wrap=True)
    for volume, card in cards:
        if card is None:
            table.add_row(escape(volume.key), "–")
            continue
        table.add_row(
            escape(volume.key),
            *_numbers(card),
            *([text_plot(card.page_quality, _PLOT_SMALL)] if wide and _has_quality(card) else []),
        )
    console.print(table)
    for volume, card in cards:
        broken = [outcome.name for outcome in check_card(card) if not outcome.passed] if card else []
        if broken:
            console.print(f"  {escape(volume.key)}: {', '.join(broken)}", soft_wrap=True)
    console.print(
        "[dim]fixed: words corrected or rejoined; suspect: misread or broken words per 10,000. "
        "One volume in full: jung status --quality VOLUME[/dim]",
        soft_wrap=True,
    )


def _numbers(card: QualityCard) -> list[str]:
    return [
        f"{card.pages:,}",
        f"{len(card.pages_without_text):,}" if card.pages_without_text else "",
        f"{card.chapters:,}",
        f"{card.page_labels:,}" if card.page_labels else "",
        f"{card.footnotes:,}" if card.footnotes else "",
        f"{card.footnotes_linked / card.footnotes:.0%}" if card.footnotes else "",
        f"{sum(card.corrected.values()):,}",
        f"{card.leftovers_per_10000:.1f}",
    ]


def _has_quality(card: QualityCard) -> bool:
    return len(card.page_quality) > 1 and any(page.quality is not None for page in card.page_quality)


def _show_one(volume: Volume, card: QualityCard) -> None:
    from jung_pipeline.quality.card import facts_of
    from jung_pipeline.quality.card_rules import check_card
    from jung_pipeline.quality.plots import text_plot

    console.print(f"[bold]{escape(volume.key)}[/bold]  {escape(volume.title)}\n", soft_wrap=True)
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in facts_of(card):
        facts.add_row(f"  {name}", escape(value))
    console.print(facts)
    if len(card.page_quality) > 1 and (_has_quality(card) or card.pages_without_text):
        console.print(f"\n  {text_plot(card.page_quality, _PLOT)}")
        console.print("  [dim]quality by page, the lowest of each group; × no text, · not measured[/dim]")
    for title, counts in (("removed", card.removed), ("changed", card.changed), ("moved", card.moved)):
        if counts:
            _show_counts(title, counts)
    _show_suspects(card)
    broken = [outcome for outcome in check_card(card) if not outcome.passed]
    if broken:
        console.print()
    for outcome in broken:
        console.print(f"  [yellow]! {outcome.name}[/yellow] is not so", soft_wrap=True)
    console.print(
        f"\n[dim]A page beside what became of it: jung explain {escape(volume.key)} --page N; "
        f"all that a rule did: jung explain {escape(volume.key)} --rule NAME[/dim]",
        soft_wrap=True,
    )


def _show_counts(title: str, counts: dict[str, RuleCount]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(f"\n  {title} by rule")
    table.add_column("\nentries", justify="right")
    table.add_column("\ncharacters", justify="right")
    for rule, count in counts.items():
        table.add_row(f"  {escape(rule)}", f"{count.entries:,}", f"{count.characters:,}")
    console.print(table)


def _show_suspects(card: QualityCard) -> None:
    from jung_pipeline.quality.leftovers import KINDS

    for kind, count in card.leftovers.items():
        console.print(f"\n  [bold]{kind}[/bold] {count:,}  [dim]{escape(KINDS[kind])}[/dim]", soft_wrap=True)
        shown: list[Any] = [suspect for suspect in card.suspects if suspect.kind == kind]
        for suspect in shown[:_SHOWN]:
            printed = f" (printed {suspect.label})" if suspect.label else ""
            place = f"page {suspect.page}{printed}, ¶{suspect.paragraph}"
            console.print(Padding(f"{escape(place)}: {escape(suspect.snippet)}", (0, 0, 0, 4)))
        if count > _SHOWN:
            console.print(f"    [dim]… and {count - _SHOWN:,} more[/dim]")
