"""The pages walked in Chromium as people walk them, on a phone and on a wide screen, and checked for faults of accessibility."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import World

from oida.model.knowledge_object import Status

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = [name for name in ("playwright", "axe_playwright_python") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; Debian's package is `chromium`"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}; the extra `browser` brings them"),
]
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
WIDTHS = (390, 1440)
PAGES = (
    "/",
    "/ask?q=Which sensor is on the dock doors?",
    "/questions",
    "/contradictions",
    "/decisions?superseded=yes",
    "/review",
    "/objects/{0}",
    "/objects/{4}",
    "/objects/{2}/resolve",
    "/objects/{0}/retract",
    "/objects/{4}/reclassify",
    "/map",
    "/engine",
    "/sources",
    "/reports",
    "/audit",
    "/search?q=sensor",
    "/objects/ko-aaaaaaaaaaaaaaaa",
)
DECISION, EVIDENCE, QUESTION, CONSTRAINT, OBSERVATION = range(5)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Walk:
    """One person in one window; what the console complains of is kept."""

    def __init__(self, browser: Browser, url: str, world: World, *, width: int = 1440, scheme: str = "light", scripts: bool = True) -> None:
        self.complaints: list[str] = []
        self.outside: list[str] = []
        self.world = world
        self.url = url
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
            java_script_enabled=scripts,
            extra_http_headers=world.headers("admin"),
        )
        self.context.set_default_timeout(20_000)
        self.page: Page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        self.page.on("request", lambda request: self.outside.append(request.url) if not request.url.startswith(url) else None)

    def to(self, path: str) -> Page:
        self.page.goto(self.url + path.format(*self.world.ids))
        return self.page

    def status(self, number: int) -> Status:
        with self.world.open() as workspace:
            return workspace.reading().one(self.world.ids[number]).status

    def confirm(self, name: str) -> None:
        """Press the button that does it, and wait to be told that it is done."""
        self.page.get_by_role("button", name=name).click()
        self.page.wait_for_selector(".notice.done")

    def undo(self) -> None:
        self.page.get_by_role("button", name="Undo").click()
        self.page.get_by_text("Taken back.").wait_for()


@pytest.fixture
def walk(chromium: Browser, url: str, world: World) -> Iterator[Walk]:
    found = Walk(chromium, url, world)
    yield found
    assert [] == found.outside
    assert [] == found.complaints
    found.context.close()


def test_somebody_asks_and_opens_what_is_cited(walk: Walk) -> None:
    page = walk.to("/ask")
    page.get_by_label("Your question").fill("Which sensor is on the dock doors?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("heading", name="The context an agent would be given").wait_for()
    page.locator(".quotes a").first.click()
    page.get_by_role("heading", name="Where it was said").wait_for()
    assert page.locator("mark").first.inner_text()


def test_the_slider_asks_the_past(walk: Walk) -> None:
    page = walk.to("/ask?q=Which sensor is on the dock doors?")
    page.locator("#slider").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**as_of=2026-06-04**")
    page.get_by_text("As it was on 4 June 2026").wait_for()


def test_a_question_is_resolved_and_taken_back(walk: Walk) -> None:
    page = walk.to("/questions")
    page.locator("article", has_text="cold store sensors").get_by_role("link", name="Resolve…").click()
    page.get_by_label("Your words").fill("We take the Brightwell sensor for the cold store.")
    page.get_by_role("button", name="Look at it once more").click()
    page.get_by_text("In your own words, as key:admin").wait_for()
    assert Status.ACTIVE is walk.status(QUESTION)
    walk.confirm("Resolve as key:admin")
    assert Status.RESOLVED is walk.status(QUESTION)
    walk.undo()
    assert Status.ACTIVE is walk.status(QUESTION)


def test_a_contradiction_is_settled(walk: Walk) -> None:
    page = walk.to("/contradictions")
    page.locator(".side-card", has_text="missed four of ninety").get_by_role("link", name="This one holds…").click()
    page.get_by_role("button", name="Look at it once more").click()
    walk.confirm("Supersede as key:admin")
    assert Status.SUPERSEDED is walk.status(OBSERVATION)
    walk.undo()
    assert Status.ACTIVE is walk.status(OBSERVATION)


def test_a_decision_is_superseded(walk: Walk) -> None:
    page = walk.to("/decisions")
    page.locator("article", has_text="on every dock door").get_by_role("link", name="Supersede…").click()
    page.get_by_label("Your words").fill("We use the Larch sensor on every dock door.")
    page.get_by_role("button", name="Look at it once more").click()
    walk.confirm("Supersede as key:admin")
    assert Status.SUPERSEDED is walk.status(DECISION)
    page = walk.to("/decisions")
    page.get_by_text("Lineage: 2 versions").click()
    page.locator(".chain li").first.wait_for()


def test_a_class_is_corrected(walk: Walk) -> None:
    page = walk.to("/objects/{4}")
    page.get_by_role("link", name="Correct the class…").click()
    page.get_by_label("Evaluation").check()
    page.get_by_role("button", name="Look at it once more").click()
    walk.confirm("Correct the class as key:admin")
    assert Status.SUPERSEDED is walk.status(OBSERVATION)
    walk.undo()
    assert Status.ACTIVE is walk.status(OBSERVATION)


@pytest.fixture
def doubtful(world: World) -> None:
    """Two objects of which the machine is unsure: written before the server reads anything, for no event tells it of them."""
    with world.open() as workspace:
        projections = workspace.store.projections
        with workspace.store.transaction():
            for number in (EVIDENCE, OBSERVATION):
                record = projections.object_record(world.ids[number])  # type: ignore[arg-type]
                assert record is not None
                projections.put_object(replace(record, confidence=0.2, classifier="offline"))


@pytest.mark.usefixtures("doubtful")
def test_the_review_queue_is_worked_by_keyboard_alone(walk: Walk) -> None:
    page = walk.to("/review")
    first = page.locator(".entry.here .ko-text").first.inner_text()
    page.keyboard.press("j")
    assert first != page.locator(".entry.here .ko-text").first.inner_text()
    page.keyboard.press("k")
    page.keyboard.press("r")
    page.get_by_role("heading", name="Reject this?").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Review").wait_for()
    page.keyboard.press("a")
    page.get_by_role("heading", name="Accept this?").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("Accepted.").wait_for()
    assert 1 == page.locator(".entry").count()


def test_the_map_draws_and_opens_what_is_pressed(walk: Walk) -> None:
    page = walk.to("/map")
    page.wait_for_selector("#map[data-drawn]")
    assert str(len(walk.world.ids)) == page.locator("#map").get_attribute("data-drawn")
    page.locator("#canvas").focus()
    for key in ("+", "-", "ArrowLeft", "0"):
        page.keyboard.press(key)


def test_the_theme_is_chosen_and_stays(walk: Walk) -> None:
    page = walk.to("/questions")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    page.wait_for_selector('html[data-theme="dark"]')
    assert light != page.evaluate("getComputedStyle(document.body).backgroundColor")
    walk.to("/decisions")
    assert "dark" == page.locator("html").get_attribute("data-theme")


def test_everything_can_be_read_and_done_without_scripts(chromium: Browser, url: str, world: World) -> None:
    walk = Walk(chromium, url, world, scripts=False)
    page = walk.to("/questions")
    page.get_by_role("link", name="Resolve…").first.click()
    page.get_by_label("In my own words").check()
    page.get_by_label("Your words").fill("We take the Brightwell sensor for the cold store.")
    page.get_by_role("button", name="Look at it once more").click()
    walk.confirm("Resolve as key:admin")
    page = walk.to("/map")
    assert page.get_by_text("The heaviest here").is_visible()
    walk.context.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_no_page_is_wider_than_the_screen(
    chromium: Browser, url: str, world: World, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    walk = Walk(chromium, url, world, width=width, scheme=scheme)
    found: list[str] = []
    for path in PAGES:
        page = walk.to(path)
        page.wait_for_load_state("networkidle")
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wider > 0:
            found.append(f"{path} is {wider} px wider than the screen")
        for violation in Axe().run(page).response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                where = "; ".join(str(node["target"]) for node in violation["nodes"][:3])
                found.append(f"{path}: {violation['id']} at {where}")
    walk.context.close()
    assert [] == found
