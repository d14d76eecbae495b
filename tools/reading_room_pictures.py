"""Take the pictures of the reading room for docs/reading-room.md anew, from the demo library.

python tools/reading_room_pictures.py DEMO_HOME

DEMO_HOME is the folder that `jung demo` made ($JUNG_HOME/demo). Needs the `serve` and `dev` extras and a Chromium.
"""

from __future__ import annotations

import io
import shutil
import socket
import sys
import threading
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from jung_pipeline import settings
from jung_pipeline.serve.app import create_app

IMAGES = Path(__file__).parent.parent / "docs" / "images"
#: Colours of a picture: enough for a page, and a third of the size.
_COLOURS = 96


def save(page: Page, name: str) -> None:
    """The page as it is on the screen."""
    page.wait_for_load_state("networkidle")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(_COLOURS)
    picture.save(IMAGES / f"reading-room-{name}.png", optimize=True)


def main() -> None:
    """Serve the demo library and walk through its rooms."""
    IMAGES.mkdir(exist_ok=True)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    app = create_app(settings.load(Path(sys.argv[1])))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.set_default_timeout(120_000)
        page.goto(address)
        page.get_by_label("Your question").fill("How does individualism differ from individuation?")
        page.keyboard.press("Enter")
        page.locator(".card .chips").first.wait_for()
        page.locator(".card a.cite").first.click()
        page.locator(".pane .passage").first.wait_for()
        save(page, "page")
        page.goto(f"{address}/#concepts/shadow")
        page.locator("#concept h3").wait_for()
        page.locator("#map .node").first.wait_for()
        save(page, "concepts")
        page.goto(f"{address}/#works")
        page.locator("#works li").first.wait_for()
        save(page, "books")
        phone = browser.new_page(viewport={"width": 390, "height": 780}, color_scheme="dark")
        phone.set_default_timeout(120_000)
        phone.goto(address)
        phone.locator("#examples button").first.click()
        phone.locator(".card .chips").first.wait_for()
        save(phone, "phone")
        browser.close()


if __name__ == "__main__":
    main()
