"""``jung doctor``: what is installed, configured and reachable. Never prints a secret."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from dataclasses import asdict, dataclass

import click
from rich.markup import escape

from jung_pipeline.cli.output import command, console, load_settings, print_json
from jung_pipeline.errors import EXIT_FAILED, JungError, SettingsError
from jung_pipeline.settings import Settings, secret


@dataclass(frozen=True)
class Finding:
    """One thing looked at: ``ok``, ``note`` (works without it) or ``problem`` (something asked for does not work)."""

    what: str
    level: str
    says: str
    remedy: str = ""


@click.command()
@click.option("--offline", is_flag=True, help="Do not try to reach Pinecone or Anthropic.")
@command
def doctor(offline: bool, as_json: bool) -> int:
    """Look at the installation, the settings, the library, the model and the services that are switched on."""
    findings: list[Finding] = [_python(), *_packages()]
    try:
        settings = load_settings()
    except JungError as error:
        findings.append(Finding("settings", "problem", error.message, error.remedy))
    else:
        findings += [_home(settings), _library(settings), _embedder(settings), _index(settings)]
        findings += [_ocr(settings), _claude(settings, offline=offline), _pinecone(settings, offline=offline)]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        marks = {"ok": "[green]✓[/green]", "note": "[yellow]•[/yellow]", "problem": "[red]✗[/red]"}
        for finding in findings:
            remedy = f"  → {escape(finding.remedy)}" if finding.remedy else ""
            console.print(
                f"{marks[finding.level]} {finding.what:<11} {escape(finding.says)}{remedy}", soft_wrap=True
            )
    return EXIT_FAILED if any(finding.level == "problem" for finding in findings) else 0


def _python() -> Finding:
    says = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    ok = sys.version_info >= (3, 11)
    return Finding("python", "ok" if ok else "problem", says, "" if ok else "Python 3.11 or newer is needed.")


def _packages() -> list[Finding]:
    found, missing = [], []
    for name in (
        "dagster",
        "pymupdf",
        "ebooklib",
        "tiktoken",
        "pyarrow",
        "tantivy",
        "onnxruntime",
        "pinecone",
        "anthropic",
    ):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    findings = [Finding("packages", "ok", ", ".join(found))]
    if missing:
        findings.append(
            Finding("packages", "problem", f"missing: {', '.join(missing)}", "pip install jung-pipeline")
        )
    return findings


def _home(settings: Settings) -> Finding:
    home = settings.home
    if not home.exists():
        return Finding("home", "note", f"{home} is not there yet", "`jung add` makes it.")
    if not os.access(home, os.W_OK | os.X_OK):
        says = f"{home} cannot be written: asking works, `jung add` and `jung ingest` do not"
        return Finding("home", "note", says, "Look at who owns it, or name another: JUNG_HOME or --home.")
    free = shutil.disk_usage(home).free / 1e9
    low = free < 2
    says = f"{home}, {free:.0f} GB free"
    return Finding(
        "home", "note" if low else "ok", says, "An index of 34 volumes needs about 1 GB." if low else ""
    )


def _library(settings: Settings) -> Finding:
    from jung_pipeline.volumes import present_volumes

    try:
        catalogue = settings.paths.catalogue()
        there = present_volumes(settings.paths, catalogue) if len(catalogue) else []
    except JungError as error:
        return Finding("library", "problem", error.message, error.remedy)
    if not len(catalogue):
        return Finding("library", "note", "no volume yet", "Add books: jung add FILE…")
    says = f"{len(there)} of {len(catalogue)} catalogued volumes have their file"
    return Finding("library", "ok" if len(there) == len(catalogue) else "note", says)


def _embedder(settings: Settings) -> Finding:
    from jung_pipeline.embed.registry import make_embedder

    try:
        embedder = make_embedder(settings)
        if settings.embedder == "multilingual-e5-small":
            embedder.embed_query("shadow")
    except JungError as error:
        return Finding("embedder", "problem", error.message, error.remedy)
    spec = embedder.spec
    return Finding("embedder", "ok", f"{spec.model}, {spec.dimension} dimensions, {type(embedder).__name__}")


def _index(settings: Settings) -> Finding:
    from jung_pipeline import publishing

    try:
        found = publishing.summary(settings)
        level = "ok" if not found["problem"] else "problem" if found["version"] else "note"
        return Finding("index", level, found["summary"].removeprefix("Index: "))
    except JungError as error:
        return Finding("index", "problem", error.message, error.remedy)


def _ocr(settings: Settings) -> Finding:
    from jung_pipeline.extract import ocr_tesseract
    from jung_pipeline.extract.ocr_wanted import candidates

    try:
        volumes = list(settings.paths.catalogue())
    except JungError:  # said under "library"
        volumes = []
    wanted = {candidates(volume.language, volume.hints)[0] for volume in volumes} or {"eng", "deu"}
    install = f"Debian: apt install {ocr_tesseract.packages('+'.join(sorted(wanted)))}"
    engine = ocr_tesseract.find()
    if engine is None:
        says = "tesseract is not installed: pages without text and bad scans are reported, not read"
        return Finding("ocr", "note", says, install)
    fraktur = [name for name in ocr_tesseract.FRAKTUR if name in engine.languages]
    listed = ", ".join(sorted(engine.languages - {"osd", *fraktur})) or "no language"
    says = f"tesseract {engine.version}: {listed}; {'Fraktur' if fraktur else 'no Fraktur'}"
    missing = sorted(
        {name for names in wanted for name in engine.missing(names)} - set(ocr_tesseract.FRAKTUR)
    )
    if missing:
        install = f"Debian: apt install {ocr_tesseract.packages('+'.join(missing))}"
        return Finding("ocr", "note", f"{says}; missing: {', '.join(missing)}", install)
    return Finding("ocr", "ok", says if settings.ocr != "off" else f"{says}; switched off (ocr)")


def _claude(settings: Settings, *, offline: bool) -> Finding:
    try:
        key = secret("ANTHROPIC_API_KEY")
    except SettingsError as error:
        return Finding("claude", "problem", error.message, error.remedy)
    if key is None:
        return Finding(
            "claude",
            "note",
            "ANTHROPIC_API_KEY is not set: answers quote the best sentences, no model is used",
        )
    if offline:
        return Finding("claude", "note", f"key set, model {settings.model}; not tried")
    from jung_pipeline.query.claude_anthropic import reach

    try:
        return Finding("claude", "ok", f"key accepted, model {reach(settings)} is there")
    except JungError as error:
        return Finding("claude", "problem", error.message, error.remedy)


def _pinecone(settings: Settings, *, offline: bool) -> Finding:
    wanted = settings.store == "pinecone" or settings.embedder.startswith("pinecone")
    try:
        key = secret("PINECONE_API_KEY")
    except SettingsError as error:
        return Finding("pinecone", "problem" if wanted else "note", error.message, error.remedy)
    if key is None:
        if wanted:
            return Finding(
                "pinecone",
                "problem",
                "asked for, but PINECONE_API_KEY is not set",
                "export PINECONE_API_KEY=…",
            )
        return Finding("pinecone", "note", "not used: the index is embedded")
    if not wanted or offline:
        return Finding(
            "pinecone",
            "note",
            "key set" + ("; not tried" if wanted else ", but store and embedder are local"),
        )
    from jung_pipeline.index.pinecone_index import reach

    try:
        return Finding("pinecone", "ok", reach(settings))
    except JungError as error:
        return Finding("pinecone", "problem", error.message, error.remedy)
