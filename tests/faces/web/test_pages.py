"""Every page answers, for whom it should, with nothing in it that a strict content security policy would refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.faces.conftest import NOW, World

import oida
from oida.evaluation.report import Report, Table, report_values
from oida.faces.server import ServerOptions, create_whole_app
from oida.faces.serving.base import ServedBase
from oida.faces.web.render import STATIC

PAGES = (
    "/",
    "/?days=30",
    "/ask",
    "/ask?q=Which sensor do we use?",
    "/ask?q=Which sensor do we use?&as_of=2026-06-04",
    "/ask/why?q=sensor&object={decision}",
    "/ask/why?q=sensor&object=dock",
    "/questions",
    "/questions?resolved=yes",
    "/decisions",
    "/decisions?superseded=yes",
    "/contradictions",
    "/review",
    "/search",
    "/search?q=sensor&class=DECISION&status=ACTIVE",
    "/objects/{decision}",
    "/objects/{decision}/causes",
    "/objects/{decision}/confirm",
    "/objects/{decision}/supersede",
    "/objects/{decision}/supersede?find=sensor",
    "/objects/{decision}/relate",
    "/objects/{decision}/reclassify",
    "/objects/{decision}/retract",
    "/objects/{decision}/redact",
    "/objects/{question}/resolve",
    "/map",
    "/map?class=DECISION&status=any&zone=CORE",
    "/engine",
    "/sources",
    "/sources/problems",
    "/reports",
    "/audit",
    "/audit?before=5",
)
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|\sstyle=|\son[a-z]+=|javascript:", re.IGNORECASE)


class Seen(HTMLParser):
    """What a page refers to: links, what the browser fetches by itself, forms with their fields."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.forms: list[dict[str, object]] = []
        self.headings = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.append(given.get("href", ""))
        if tag in ("script", "img") or tag == "link":
            self.fetched.append(given.get("src") or given.get("href", ""))
        if tag == "form":
            self.forms.append({"method": given.get("method", "get"), "fields": {}})
        if tag == "input" and self.forms:
            fields = self.forms[-1]["fields"]
            assert isinstance(fields, dict)
            fields[given.get("name", "")] = given.get("value", "")
        self.headings += tag == "h1"


def named(world: World, path: str) -> str:
    return path.format(decision=world.ids[0], question=world.ids[2])


@pytest.fixture
def visit(served: ServedBase, world: World) -> Iterator[TestClient]:
    with TestClient(create_whole_app(served, ServerOptions()), base_url="http://127.0.0.1:7432", headers=world.headers("admin")) as client:
        yield client


@pytest.mark.parametrize("path", PAGES)
def test_a_page_answers_and_holds_nothing_that_a_strict_policy_refuses(visit: TestClient, world: World, path: str) -> None:
    response = visit.get(named(world, path))
    assert 200 == response.status_code
    assert response.headers["content-type"].startswith("text/html")
    assert [] == INLINE.findall(response.text)
    seen = Seen(response.text)
    assert 1 == seen.headings
    assert all(fetched.startswith("/static/") for fetched in seen.fetched)
    assert all("csrf_token" in form["fields"] for form in seen.forms if form["method"] == "post")  # type: ignore[operator]


@pytest.mark.parametrize("path", [*PAGES, "/map.json"])
def test_nobody_without_a_key_sees_a_page(served: ServedBase, world: World, path: str) -> None:
    with TestClient(create_whole_app(served, ServerOptions()), base_url="http://127.0.0.1:7432", follow_redirects=False) as client:
        response = client.get(named(world, path))
    assert response.status_code in (302, 303, 307, 401)
    assert "Brightwell" not in response.text


def test_scripts_and_style_are_kept_by_the_browser_and_named_by_their_bytes(visit: TestClient) -> None:
    page = visit.get("/").text
    for name in ("page.css", "page.js", "icon.svg"):
        found = re.search(rf'"(/static/{re.escape(name)}\?v=[0-9a-f]{{12}})"', page)
        assert found is not None
        response = visit.get(found.group(1))
        assert (STATIC / name).read_bytes() == response.content
        assert "immutable" in response.headers["cache-control"]


def test_what_does_not_exist_is_told_on_a_page(visit: TestClient) -> None:
    response = visit.get("/objects/ko-aaaaaaaaaaaaaaaa")
    assert 404 == response.status_code
    assert "Nothing here" in response.text


@pytest.mark.parametrize("query", ["since=yesterday", "domain=nowhere", "entity=Nobody"])
def test_a_filter_that_fits_nothing_is_told_on_a_page(visit: TestClient, query: str) -> None:
    response = visit.get(f"/questions?{query}")
    assert response.status_code in (404, 422)
    assert response.headers["content-type"].startswith("text/html")


def test_the_answer_quotes_and_the_context_says_why_each_line_stands_there(visit: TestClient) -> None:
    text = unescape(visit.get("/ask?q=Which sensor is on the dock doors?").text)
    assert "We use the Brightwell sensor on every dock door." in text
    assert "What is not known" in text
    assert re.search(r"Rank 1 of \d+, score 0\.\d{3}", text)
    assert "As the agent reads it" in text


def test_asking_counts_as_use_and_looking_at_lists_does_not(served: ServedBase, world: World, visit: TestClient) -> None:
    def served_so_far() -> int:
        served.flush()
        with world.open() as workspace:
            return sum(type(entry.event).__name__ == "ObjectsServed" for entry in workspace.ledger(most=100))

    visit.get("/questions")
    visit.get("/search?q=sensor")
    visit.get("/ask?q=sensor&as_of=2026-06-01")
    assert 0 == served_so_far()
    visit.get("/ask?q=Which sensor do we use?")
    assert 1 == served_so_far()


def test_both_sides_of_a_contradiction_stand_side_by_side(visit: TestClient, world: World) -> None:
    text = unescape(visit.get("/contradictions").text)
    assert "missed four of ninety pallets" in text
    assert "never misses a pallet" in text
    assert f"/objects/{world.ids[4]}/supersede?by={world.ids[1]}" in text


def test_an_object_shows_its_source_its_terms_and_its_history(visit: TestClient, world: World) -> None:
    text = unescape(visit.get(f"/objects/{world.ids[4]}").text)
    assert "<mark>The Brightwell sensor never misses a pallet.</mark>" in text
    assert "Contradictions</th>" in text
    assert "is contradicted by" in text
    assert "Recorded" in text


def test_k_is_drawn_over_time_once_there_are_runs(served: ServedBase, world: World, visit: TestClient) -> None:
    from datetime import timedelta

    with oida.open(world.path, now=NOW + timedelta(days=2)) as workspace:
        workspace.cycle(catch_up=True)
    text = visit.get(f"/objects/{world.ids[0]}").text
    assert 'class="k-line"' in text
    assert 'class="layer layer-core"' in visit.get("/engine").text


def test_what_changed_is_counted_from_when_somebody_last_looked(visit: TestClient) -> None:
    assert "in the last 7 days" in visit.get("/").text
    assert 303 == visit.post("/looked", data={}, follow_redirects=False).status_code
    assert "since you last looked" in visit.get("/").text


def test_the_theme_is_kept(visit: TestClient) -> None:
    assert 'data-theme="auto"' in visit.get("/").text
    response = visit.post("/theme", data={"theme": "dark", "back": "/questions"}, follow_redirects=False)
    assert "/questions" == response.headers["location"]
    assert 'data-theme="dark"' in visit.get("/").text


@pytest.mark.parametrize("back", ["//elsewhere.example/", "https://elsewhere.example/", "/\\elsewhere.example"])
def test_nobody_is_sent_elsewhere(visit: TestClient, world: World, back: str) -> None:
    response = visit.post("/theme", data={"theme": "dark", "back": back}, follow_redirects=False)
    assert "/" == response.headers["location"]
    response = visit.post(f"/objects/{world.ids[0]}/confirm", data={"step": "do", "back": back}, follow_redirects=False)
    assert response.headers["location"].startswith("/?done=")


def test_the_map_comes_as_places_and_pairs(visit: TestClient, world: World) -> None:
    graph = visit.get("/map.json").json()
    assert len(world.ids) == graph["total"] == len(graph["nodes"])
    assert {node[0] for node in graph["nodes"]} == set(world.ids)
    assert all(-1.0 <= node[1] <= 1.0 and -1.0 <= node[2] <= 1.0 for node in graph["nodes"])
    assert 2 == len(graph["edges"])
    assert all(edge[3] == -1 for edge in graph["edges"])
    assert graph == visit.get("/map.json").json()


def test_a_replay_is_begun_and_told(visit: TestClient) -> None:
    import time

    assert 303 == visit.post("/audit/verify", data={}, follow_redirects=False).status_code
    for _ in range(100):
        text = visit.get("/audit").text
        if "being replayed" not in text:
            break
        time.sleep(0.05)
    assert "Sound." in text


def test_the_certificate_is_computed_when_asked_for(visit: TestClient) -> None:
    import time

    visit.post("/engine/certificate", data={})
    for _ in range(100):
        text = visit.get("/engine").text
        if "being computed" not in text:
            break
        time.sleep(0.05)
    assert "Largest in-degree" in text


def test_reports_are_shown_with_their_tables(served: ServedBase, world: World, tmp_path: Path) -> None:
    import json

    table = Table("Contexts <b>", ("condition", "EQS"), (("tag-and-boost", 0.883), ("minerva", 0.911)))
    report = Report("e9", "E9: a test", "E9: it holds.", ("Rule: none.",), (("corpus", "small"),), (table,), figures=("e9-line",))
    (tmp_path / "e9.json").write_text(json.dumps(report_values(report)), encoding="utf-8")
    (tmp_path / "e9-line.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    (tmp_path / "other.json").write_text("[]", encoding="utf-8")
    app = create_whole_app(served, ServerOptions(reports=tmp_path))
    with TestClient(app, base_url="http://127.0.0.1:7432", headers=world.headers("read")) as client:
        listed = client.get("/reports").text
        assert "/reports/e9" in listed
        assert "/reports/broken" not in listed
        text = client.get("/reports/e9").text
        assert "Rule: none." in text
        assert "Contexts &lt;b&gt;" in text
        assert "0.883" in text
        assert "image/svg+xml" == client.get("/reports/figures/e9-line.svg").headers["content-type"].partition(";")[0]
        for nothing in ("/reports/nothing", "/reports/broken", "/reports/figures/..%2f..%2fe9.svg", "/reports/figures/none.svg"):
            assert 404 == client.get(nothing).status_code


def test_vendored_files_are_those_of_the_manifest() -> None:
    import hashlib
    import json

    listed = json.loads((STATIC / "fonts" / "vendored.json").read_text(encoding="utf-8"))
    assert {each["file"] for each in listed} == {path.name for path in (STATIC / "fonts").glob("*.woff2")}
    for each in listed:
        assert each["sha256"] == hashlib.sha256((STATIC / "fonts" / each["file"]).read_bytes()).hexdigest()
