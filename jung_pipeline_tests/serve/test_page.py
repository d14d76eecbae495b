"""The page in a real browser: what a person sees, by mouse and by keyboard, on a phone and in the dark."""

from __future__ import annotations

import os
import re
import shutil

import pytest

from jung_pipeline.demo.questions import demo_questions
from jung_pipeline_tests.serve.conftest import served

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium; on Debian: apt install chromium")

ANSWERED, _, UNANSWERED = [entry.question for entry in demo_questions()]
#: Generous: what is waited for comes, however busy the machine is.
PATIENCE = 120_000


@pytest.fixture(scope="module")
def address(room):
    with served(room) as at:
        yield at


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else [],
        )
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser, address):
    """A fresh reader's page; whatever the browser complains of fails the test."""
    with reader(browser, address) as opened:
        yield opened


class reader:
    """A reader with a browser of their own: nothing kept, and no request leaves for another host."""

    def __init__(self, browser, address, **how):
        self.browser, self.address, self.how = browser, address, how

    def __enter__(self):
        self.context = self.browser.new_context(**self.how)
        self.context.set_default_timeout(PATIENCE)
        playwright.expect.set_options(timeout=PATIENCE)
        page = self.context.new_page()
        self.complaints = []
        page.on("console", lambda m: self.complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "request",
            lambda r: (
                self.complaints.append(r.url)
                if not r.url.startswith((self.address, "data:", "blob:"))
                else None
            ),
        )
        page.goto(self.address)
        return page

    def __exit__(self, kind, *_):
        self.context.close()
        if kind is None:
            assert not self.complaints


def ask(page, question):
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    card = page.get_by_role("article").filter(has=page.get_by_role("button", name=question, exact=True)).first
    playwright.expect(card).to_have_attribute("aria-busy", "false")
    return card


def test_a_reader_asks_reads_on_and_finds_the_page_of_the_book(page):
    card = ask(page, ANSWERED)
    playwright.expect(card.locator(".answer")).to_contain_text("[1]")
    playwright.expect(card).to_contain_text("checked, word for word")
    cite = card.locator(".answer a.cite").first
    cite.click()
    pane = page.get_by_role("complementary")
    playwright.expect(pane.locator(".passage")).to_be_visible()
    playwright.expect(pane.get_by_role("heading", level=2)).not_to_be_empty()
    before = pane.locator(".passage").inner_text()
    pane.get_by_role("link", name="Next →").click()
    playwright.expect(pane.locator(".passage")).not_to_have_text(before)
    page.keyboard.press("Escape")
    playwright.expect(pane).to_be_hidden()


def test_a_citation_of_a_pdf_opens_its_very_page_with_the_lines_marked(page, address):
    works = page.request.get(f"{address}/api/works").json()["works"]
    book = next(work for work in works if work["has_pages"])
    page.get_by_role("link", name="Books").click()
    entry = page.locator("#works > li").filter(has_text=book["title"])
    entry.get_by_text("chapters").click()
    entry.get_by_role("link", name=book["chapters"][2]["title"]).first.click()
    figure = page.get_by_role("complementary").locator("figure")
    playwright.expect(figure.locator("rect.line").first).to_be_attached()
    playwright.expect(figure.locator("figcaption")).to_contain_text("of the passage marked")
    drawn = figure.locator("image").get_attribute("href")
    assert page.request.get(address + drawn).ok
    box = page.get_by_role("complementary").get_by_label("Chapter")
    box.select_option(index=0)
    playwright.expect(page).to_have_url(re.compile("passage="))


def test_what_is_not_in_these_books_is_said_with_the_nearest_passages(page):
    card = ask(page, UNANSWERED)
    playwright.expect(card).to_contain_text("Not in these books")
    playwright.expect(card).to_contain_text("The nearest passages, which do not answer it")
    assert card.locator(".sources li").count() >= 1


def test_cards_are_kept_folded_compared_removed_and_survive_a_reload(page):
    first = ask(page, ANSWERED)
    ask(page, UNANSWERED)
    first.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Side by side").click()
    playwright.expect(page.locator("#cards")).to_have_class(re.compile("beside"))
    first.get_by_role("button", name=ANSWERED, exact=True).click()
    playwright.expect(first.locator(".answer")).to_have_count(0)
    page.reload()
    cards = page.get_by_role("article")
    playwright.expect(cards).to_have_count(2)
    kept = cards.filter(has_text=ANSWERED)
    playwright.expect(kept.locator(".answer")).to_have_count(0)  # still folded
    page.get_by_role("button", name="Clear all but what is kept").click()
    playwright.expect(cards).to_have_count(1)
    kept.get_by_role("button", name="Remove").click()
    playwright.expect(cards).to_have_count(0)
    page.reload()
    playwright.expect(page.locator("#examples button").first).to_be_visible()
    playwright.expect(cards).to_have_count(0)


def test_an_answer_is_taken_along_with_its_sources(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card = ask(page, ANSWERED)
    card.get_by_role("button", name="Copy with sources").click()
    playwright.expect(card).to_contain_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(ANSWERED) and "\n[1] " in copied
    with page.expect_download() as download:
        card.get_by_role("link", name="BibTeX").click()
    assert download.value.suggested_filename == "references.bib"


def test_follow_ups_and_filters_lead_on(page):
    card = ask(page, ANSWERED)
    page.get_by_text("Where to look").click()
    page.get_by_label("Book", exact=True).select_option(index=1)
    chosen = page.get_by_label("Book", exact=True).locator("option:checked").inner_text()
    card.locator(".chips button").first.click()
    playwright.expect(page.get_by_role("article")).to_have_count(2)
    narrowed = ask(page, "What happens at night?")
    works = [title for title in narrowed.locator(".work").all_inner_texts() if title]  # folded ones have none
    assert works and set(works) == {chosen}


def test_the_concept_map_is_wandered_by_keyboard(page):
    page.get_by_role("link", name="Concepts").click()
    nodes = page.locator("#map .node")
    playwright.expect(nodes.first).to_be_visible()
    nodes.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    name = page.evaluate("document.activeElement.dataset.name")
    playwright.expect(page.locator("#concept h3")).to_have_text(name)
    playwright.expect(page.locator("#concept .sources li").first).to_be_visible()


def test_nothing_in_a_title_or_a_question_becomes_markup(page):
    question = "<img src=x onerror=alert(1)> ענן? " + "long" * 200
    page.on("dialog", lambda dialog: pytest.fail("markup ran"))
    card = ask(page, question)
    playwright.expect(card.get_by_role("heading", level=3)).to_contain_text("<img src=x")
    assert page.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing runs off the side"


@pytest.mark.parametrize(
    "how",
    [
        {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark", "has_touch": True},
        {"viewport": {"width": 1280, "height": 900}},
    ],
    ids=["phone-dark", "desk-light"],
)
def test_nothing_serious_for_those_who_do_not_see_and_everything_fits(browser, address, how):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with reader(browser, address, **how) as page:
        card = ask(page, ANSWERED)
        _check(axe, page)
        card.locator(".answer a.cite").first.click()
        playwright.expect(page.locator(".pane .passage")).to_be_visible()
        _check(axe, page)
        page.goto(f"{address}/#concepts/shadow")
        playwright.expect(page.locator("#concept h3")).to_be_visible()
        playwright.expect(page.locator("#map .node").first).to_be_visible()
        _check(axe, page)
        page.goto(f"{address}/#works")
        playwright.expect(page.locator("#works li").first).to_be_visible()
        _check(axe, page)


def _check(axe, page):
    # At rest: what is fading in has not its colours yet.
    page.evaluate("Promise.all(document.getAnimations().map((animation) => animation.finished))")
    found = [v for v in axe.run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    assert not found, [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
