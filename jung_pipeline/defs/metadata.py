"""From tables and facts to the metadata a person wants to see in the Dagster UI."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dagster as dg
import pyarrow as pa

from jung_pipeline.quality.outcome import CheckOutcome

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


def column_schema(table: pa.Table) -> dg.TableSchema:
    """The table's columns for the UI's schema view."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                field.name, str(field.type), constraints=dg.TableColumnConstraints(nullable=field.nullable)
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
        metadata["look_closer"] = f"jung status {volume}"
    return metadata
