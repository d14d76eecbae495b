"""From tables and facts to the metadata a person wants to see in the Dagster UI."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dagster as dg
import pyarrow as pa

from jung_pipeline.columns import meaning
from jung_pipeline.defs.plots import picture
from jung_pipeline.quality.card import QualityCard, RuleCount, facts_of
from jung_pipeline.quality.leftovers import KINDS
from jung_pipeline.quality.outcome import CheckOutcome
from jung_pipeline.quality.plots import text_plot
from jung_pipeline.quality.svg import page_quality

#: Longest text shown in a table cell.
_CELL = 160


def markdown_table(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None
) -> dg.MetadataValue:
    """``rows`` as a Markdown table; long texts are shortened, marks that mean something to Markdown escaped."""
    if not rows:
        return dg.MetadataValue.md("*none*")
    columns = list(columns or rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(_cell(row.get(name)) for name in columns) + " |" for row in rows]
    return dg.MetadataValue.md("\n".join(lines))


def _cell(value: Any) -> str:
    text = "" if value is None else " ".join(str(value).split())
    if len(text) > _CELL:
        text = text[: _CELL - 1] + "…"
    for mark in "\\|<>*_`[]":
        text = text.replace(mark, "&#" + str(ord(mark)) + ";")
    return text


def sample(table: pa.Table, columns: Sequence[str], count: int = 5) -> dg.MetadataValue:
    """``count`` rows spread evenly over the table."""
    if not table.num_rows:
        return dg.MetadataValue.md("*empty*")
    step = max(1, table.num_rows // count)
    return markdown_table(
        table.select(list(columns)).take(list(range(0, table.num_rows, step))[:count]).to_pylist()
    )


def column_schema(stage: str, table: pa.Table) -> dg.TableSchema:
    """The columns of the table of ``stage``, with what they mean, for the UI's schema view."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                field.name,
                str(field.type),
                description=meaning(stage, field.name),
                constraints=dg.TableColumnConstraints(nullable=field.nullable),
            )
            for field in table.schema
        ]
    )


def counts(values: Iterable[Any]) -> dict[str, int]:
    """How often each value occurs, most frequent first; null counts as "unknown"."""
    tally: dict[str, int] = {}
    for value in values:
        name = "unknown" if value is None else str(value)
        tally[name] = tally.get(name, 0) + 1
    return dict(sorted(tally.items(), key=lambda item: -item[1]))


def count_table(tally: Mapping[str, Any], name: str, number: str = "count") -> dg.MetadataValue:
    """A tally as a Markdown table of two columns."""
    return markdown_table([{name: key, number: value} for key, value in tally.items()])


def outcome_metadata(outcome: CheckOutcome, volume: str) -> dict[str, Any]:
    """The metadata of a check: its numbers, its offenders as a table, and where to look closer."""
    metadata: dict[str, Any] = dict(outcome.metrics)
    if outcome.offenders:
        metadata["offenders"] = markdown_table(outcome.offenders[:20])
        metadata["offenders_in_all"] = len(outcome.offenders)
    if not outcome.passed:
        metadata["look_closer"] = look_closer(volume, outcome.offenders)
    return metadata


def look_closer(volume: str, offenders: Sequence[Mapping[str, Any]]) -> str:
    """The command that shows the first of ``offenders`` where it stands: its passage, its page, or the volume."""
    for offender in offenders:
        if offender.get("chunk_id"):
            return f"jung show '{offender['chunk_id']}'"
        if offender.get("page"):
            return f"jung explain {volume} --page {offender['page']}"
    return f"jung status {volume}"


def card_metadata(card: QualityCard, instance: dg.DagsterInstance) -> dict[str, Any]:
    """The quality card as the UI shows it, and the figures in it that are worth a plot over time."""
    figures: dict[str, Any] = {
        "suspect_per_10000_words": card.leftovers_per_10000,
        "words_corrected": sum(card.corrected.values()),
        "pages_without_text": len(card.pages_without_text),
        "chapters_found": card.chapters,
        "printed_page_numbers": card.page_labels,
        "footnotes": card.footnotes,
        "footnotes_linked": card.footnotes_linked,
    }
    if card.mean_quality is not None:
        figures["quality_of_the_text"] = round(card.mean_quality, 3)
    drawn = (
        picture(instance, "quality", page_quality(card.page_quality)) if len(card.page_quality) > 1 else ""
    )
    return {"quality_card": dg.MetadataValue.md(_card_as_markdown(card, drawn)), **figures}


def _card_as_markdown(card: QualityCard, drawn: str) -> str:
    parts = [_table_of(("", ""), facts_of(card))]
    if len(card.page_quality) > 1:
        parts += [
            "Quality by page (the lowest of each group; × no text, · not measured):",
            drawn or f"```\n{text_plot(card.page_quality, 80)}\n```",
        ]
    for title, counts in (("Removed", card.removed), ("Changed", card.changed), ("Moved", card.moved)):
        if counts:
            parts.append(_rule_table(title, counts))
    for kind, count in card.leftovers.items():
        shown = [suspect for suspect in card.suspects if suspect.kind == kind][:8]
        parts += [
            f"**{kind}** {count}. {KINDS[kind]}",
            _table_of(
                ("page", "printed", "paragraph", "text"),
                [(s.page, s.label, s.paragraph, s.snippet) for s in shown],
            ),
        ]
    return "\n\n".join(parts)


def _rule_table(title: str, counts: Mapping[str, RuleCount]) -> str:
    rows = [(rule, f"{count.entries:,}", f"{count.characters:,}") for rule, count in counts.items()]
    return _table_of((f"{title} by rule", "entries", "characters"), rows)


def _table_of(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(_cell(value) for value in row) + " |" for row in rows)])
