"""Plots in asset metadata.

The UI's Markdown shows no picture that comes with the text: its sanitiser lets ``data:`` addresses pass, but
react-markdown empties every address that is not http(s), irc, mailto or xmpp (seen in the bundle of 1.13). It shows
pictures of the server's own, and the web server hands out what lies beside the logs of runs. So a plot is an SVG file
there, named after its content. Where logs are kept elsewhere there are no pictures, and the figures beside them remain.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager

from jung_pipeline.errors import StageError
from jung_pipeline.quality import svg
from jung_pipeline.settings import Settings
from jung_pipeline.tables import write_text

#: Runs shown in a plot over time.
_RUNS = 30


def picture(instance: dg.DagsterInstance, name: str, drawn: str) -> str:
    """Markdown that shows the SVG ``drawn``; "" where the web server could not hand it out."""
    logs = instance.compute_log_manager
    if not isinstance(logs, LocalComputeLogManager):
        return ""
    key = f"{name}-{hashlib.sha256(drawn.encode()).hexdigest()[:12]}"
    try:
        write_text(Path(logs.get_captured_local_path(["plots", key], "svg")), drawn)
    except StageError:  # a picture is no reason to fail
        return ""
    return f"![{name.replace('-', ' ').replace('_', ' ')}](/logs/plots/{key}/svg)"


def calibration_plot(instance: dg.DagsterInstance, calibration: Mapping[str, Any]) -> dg.MetadataValue:
    """Shares of false answers and false refusals over the threshold, of each model of the calibration."""
    drawn = []
    for name, model in calibration.get("models", {}).items():
        curves = {
            "false answers": [(point[0], point[1]) for point in model["curve"]],
            "false refusals": [(point[0], point[2]) for point in model["curve"]],
            "threshold": [(model["threshold"], 0.0), (model["threshold"], 1.0)],
        }
        title = f"Calibration, {name.replace('_', ' ')}"
        drawn.append(picture(instance, f"calibration-{name}", svg.lines(title, curves, across="threshold")))
    return dg.MetadataValue.md("\n\n".join(filter(None, drawn)) or "*none*")


def evaluation_plot(instance: dg.DagsterInstance, runs: Sequence[Mapping[str, Any]]) -> dg.MetadataValue:
    """The figures of the last evaluations with the same questions, oldest first."""
    names = ("recall@6", "mrr", "probes_found", "false_answer_rate", "false_refusal_rate", "quote_accuracy")
    last = runs[-_RUNS:]
    curves = {
        name.replace("_", " "): [
            (float(number), float(run[name]))
            for number, run in enumerate(last, 1)
            if run.get(name) is not None
        ]
        for name in names
    }
    drawn = svg.lines(
        "Figures of the last evaluations",
        {name: points for name, points in curves.items() if points},
        across="evaluation",
    )
    return dg.MetadataValue.md(picture(instance, "evaluations", drawn) or "*none*")


def embedding_cost_plot(instance: dg.DagsterInstance, settings: Settings) -> dg.MetadataValue:
    """Tokens embedded, and their price, of the last runs that embedded anything."""
    records = instance.fetch_materializations(dg.AssetKey("embeddings"), limit=10 * _RUNS).records
    tokens: list[tuple[str, float]] = []
    dollars: list[tuple[str, float]] = []
    for record in reversed(records):
        made = record.asset_materialization
        if made is None or not (embedded := _number(made.metadata, "tokens_embedded")):
            continue
        tokens.append((str(made.partition), embedded))
        dollars.append((str(made.partition), _number(made.metadata, "dollars")))
    pictures = [
        picture(
            instance,
            "tokens",
            svg.bars("Tokens embedded by run", tokens[-_RUNS:], across="run, oldest first"),
        )
    ]
    if any(price for _, price in dollars):
        title = f"Dollars by run, at the prices of {settings.prices.of}"
        pictures.append(
            picture(instance, "dollars", svg.bars(title, dollars[-_RUNS:], across="run, oldest first"))
        )
    return dg.MetadataValue.md("\n\n".join(filter(None, pictures)) or "*none*")


def _number(metadata: Mapping[str, dg.MetadataValue], name: str) -> float:
    """A number among the metadata of a materialisation; 0 where there is none."""
    value = metadata[name].value if name in metadata else None
    return float(value) if isinstance(value, int | float) else 0.0
