"""Takes the screenshots of docs/tour.md anew, from the real UI on the demo library.

    python tools/ui_tour.py [--home FOLDER] [--chromium /usr/bin/chromium] [--out docs/images]

Needs Playwright for Python and a Chromium of the system; it downloads no browser. Ingests the demo library with one
broken book beside it, evaluates it, starts Dagster's web server on a free port, and photographs the pages. A library that
is there already (``--home``) is used as it is.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

WIDTH, HEIGHT = 1360, 860
VOLUME = "the-round-garden"


def prepare(home: Path) -> None:
    """The demo library with one book that has no text, ingested and evaluated."""
    environment = {**os.environ, "JUNG_HOME": str(home)}

    def run(*arguments: str, may_fail: bool = False) -> None:
        command = [sys.executable, "-c", "from jung_pipeline.cli.main import main; main()", *arguments]
        subprocess.run(command, env=environment, check=not may_fail, stdout=subprocess.DEVNULL)

    run("demo", "--json")
    environment["JUNG_HOME"] = str(home / "demo")
    (home / "demo" / "library" / "blank-pages.txt").write_text("* * *\n\n* * *\n", encoding="utf-8")
    run("ingest", "--json", may_fail=True)
    evaluate = (
        "from jung_pipeline import settings\n"
        "from jung_pipeline.definitions import build_definitions\n"
        "from jung_pipeline.defs.instance import open_instance\n"
        "library = settings.load()\n"
        "with open_instance(library) as instance:\n"
        "    job = build_definitions(library.home).resolve_job_def('evaluate_index')\n"
        "    job.execute_in_process(instance=instance)\n"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", evaluate], env=environment, check=True)


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serve(home: Path, port: int) -> subprocess.Popen[bytes]:
    """Dagster's web server on the library, ready to answer."""
    workspace = home / "dagster" / "workspace.yaml"
    workspace.write_text(
        "load_from:\n  - python_module: {module_name: jung_pipeline.definitions, location_name: jung_pipeline}\n"
    )
    environment = {**os.environ, "JUNG_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
    command = [
        sys.executable,
        "-m",
        "dagster_webserver",
        "-w",
        str(workspace),
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
    ]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(240):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/server_info", timeout=5)
            return server
        except OSError:
            time.sleep(1)
    server.terminate()
    raise SystemExit("Dagster's web server does not answer.")


def graph(page: Any) -> dict[str, int]:
    """The asset graph with all groups open; the part of the page that shows it."""
    page.get_by_text("Global asset lineage").first.wait_for(timeout=120_000)
    page.wait_for_timeout(2_000)
    page.keyboard.press("Alt+e")
    return {"x": 541, "y": 310, "width": 819, "height": 280}


def quality_card(page: Any) -> None:
    """The quality card among the metadata of a volume's cleaned text."""
    page.get_by_text("Quality by page").first.wait_for(timeout=120_000)
    page.get_by_text("Removed by rule").first.scroll_into_view_if_needed(timeout=60_000)


def failed_check(page: Any) -> None:
    """A blocking check that failed, with its description and where to look closer."""
    page.get_by_text("look_closer").first.wait_for(timeout=120_000)


def evaluation(page: Any) -> None:
    """The figures of the last evaluations as curves."""
    page.get_by_text("questions_from").first.wait_for(timeout=120_000)


#: Name of the picture, path below the server's address, and what makes the page ready.
PAGES: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("graph", "/asset-groups", graph),
    ("quality-card", f"/assets/cleaned_text?view=partitions&partition={VOLUME}", quality_card),
    ("failed-check", "/assets/cleaned_text?view=checks&checkDetail=cleaned_text_is_not_empty", failed_check),
    ("evaluation", "/assets/evaluation?view=events", evaluation),
)


def photograph(page: Any, address: str, ready: Callable[[Any], Any], target: Path) -> None:
    """One page as PNG, with few colours so that it is small."""
    from PIL import Image

    page.goto(address, wait_until="domcontentloaded", timeout=120_000)
    part = ready(page)
    page.wait_for_timeout(4_000)  # pictures and layout settle
    page.screenshot(path=str(target), clip=part)
    with Image.open(target) as taken:
        taken.convert("RGB").quantize(64, method=Image.Quantize.MEDIANCUT).save(target, optimize=True)


def main() -> None:
    """Prepare, serve, photograph."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--home", type=Path, help="a library that was prepared before")
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--only", help="one of the pages")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = chosen.home
        if home is None:
            prepare(Path(folder))
            home = Path(folder) / "demo"
        port = free_port()
        server = serve(home, port)
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chosen.chromium, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=1.5)
                page.goto(f"http://127.0.0.1:{port}/", wait_until="domcontentloaded", timeout=120_000)
                page.get_by_text("Skip", exact=True).first.click(timeout=120_000)  # the invitation
                for name, path, ready in PAGES:
                    if chosen.only in (None, name):
                        target = chosen.out / f"{name}.png"
                        photograph(page, f"http://127.0.0.1:{port}{path}", ready, target)
                        print(f"{target}  {target.stat().st_size // 1024} KB")
                browser.close()
        finally:
            server.terminate()
            server.wait(60)


if __name__ == "__main__":
    main()
