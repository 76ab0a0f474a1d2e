"""Two principals crawl everything they are led to: nothing restricted appears, and no ingested text becomes markup."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import quote, urldefrag

import pytest
from starlette.testclient import TestClient
from tests.faces.conftest import World

from oida.faces.server import ServerOptions, create_whole_app
from oida.faces.serving.base import ServedBase
from oida.model.edge import EdgeType
from oida.model.taxonomy import EpistemicClass

STARTS = (
    "/",
    "/ask?q=Can the depot be sold before autumn?",
    "/ask?q=What contradicts the Brightwell sensor?",
    "/questions",
    "/questions?resolved=yes",
    "/decisions?superseded=yes",
    "/contradictions",
    "/review",
    "/search?q=the depot is sold in autumn",
    "/map",
    "/map.json?status=any",
    "/engine",
    "/sources",
    "/audit",
)
SECRETS = ("Larkfield", "lease ends")
PAYLOADS = (
    "<script>alert(1)</script> is our decision.",
    '"><img src=x onerror=alert(2)> We close the dock.',
    "'><svg/onload=alert(3)> The dock closes at nine.",
    "{{ 7 * 7 }} {% raw %} We open at {{ config }}.",
    "</textarea></title><script src=//evil.example></script> The gate stays open.",
    "javascript:alert(4) is where the plan lies.",
)


class Markup(HTMLParser):
    """Elements and attributes that a page really has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[str | None] = []
        self.handlers: list[str] = []
        self.sources: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script":
            self.scripts.append(given.get("src"))
        self.handlers += [name for name in given if name.startswith("on")]
        self.sources += [str(given["src"]) for name in given if name == "src"]
        if given.get("href"):
            self.links.append(str(given["href"]))


def crawl(client: TestClient, starts: tuple[str, ...], *, most: int = 160) -> Iterator[tuple[str, str]]:
    """Every page that is led to, in order, each once."""
    waiting, seen = list(starts), set(starts)
    while waiting and len(seen) < 5 * most:
        path = waiting.pop(0)
        response = client.get(path)
        yield path, response.text
        if not response.headers["content-type"].startswith("text/html"):
            continue
        for link in Markup(response.text).links:
            target = urldefrag(link).url
            if target.startswith("/") and not target.startswith("/static/") and target not in seen and len(seen) < most:
                seen.add(target)
                waiting.append(target)


def browser(served: ServedBase, world: World, name: str) -> TestClient:
    app = create_whole_app(served, ServerOptions(calls_per_minute=1e6))
    return TestClient(app, base_url="http://127.0.0.1:7432", headers=world.headers(name))


@pytest.mark.parametrize("name", ["read", "review"])
def test_who_is_not_on_the_board_meets_nothing_of_the_board(served: ServedBase, world: World, name: str) -> None:
    hidden = {world.ids[5], world.ids[6]}
    visited = 0
    with browser(served, world, name) as client:
        for path, text in crawl(client, STARTS):
            visited += 1
            assert not any(secret in text for secret in SECRETS), path
            assert not any(found in text for found in hidden), path
    assert visited > 50


def test_the_board_meets_it(served: ServedBase, world: World) -> None:
    with browser(served, world, "board") as client:
        assert "Larkfield" in client.get("/questions").text
        assert world.ids[5] in client.get("/map.json").text


@pytest.mark.parametrize("page", ["", "/supersede", "/causes", "/retract"])
def test_what_is_hidden_and_what_is_not_there_look_the_same(served: ServedBase, world: World, page: str) -> None:
    with browser(served, world, "write") as client:
        hidden, missing = client.get(f"/objects/{world.ids[5]}{page}"), client.get(f"/objects/ko-aaaaaaaaaaaaaaaa{page}")
    assert 404 == hidden.status_code == missing.status_code
    assert hidden.text.replace(world.ids[5], "") == missing.text.replace("ko-aaaaaaaaaaaaaaaa", "")


def test_no_words_of_a_source_become_markup(served: ServedBase, world: World) -> None:
    with world.open() as workspace:
        found = []
        for number, payload in enumerate(PAYLOADS):
            kind = (EpistemicClass.DECISION, EpistemicClass.QUESTION, EpistemicClass.EVIDENCE)[number % 3]
            added = workspace.record_statement(payload, epistemic_class=kind, entity=f"<b>{number}</b>").added
            assert added is not None
            found.append(added)
        workspace.relate(found[0], EdgeType.CONTRADICTS, found[3])
        workspace.supersede(found[2], text="<script>alert(5)</script> holds instead.")
    starts = (*STARTS, *(f"/objects/{each}" for each in found), *(f"/ask?q={quote(payload)}" for payload in PAYLOADS))
    starts += (*(f"/search?q={quote(payload)}" for payload in PAYLOADS), f"/objects/{found[1]}/resolve?find={quote(PAYLOADS[1])}")
    met = set()
    with browser(served, world, "admin") as client:
        for path, text in crawl(client, starts, most=220):
            if path.startswith("/map.json"):
                continue
            markup = Markup(text)
            assert all(source and source.startswith("/static/") for source in markup.scripts), path
            assert [] == markup.handlers, path
            assert all(source.startswith(("/static/", "/reports/")) for source in markup.sources), path
            assert not any(link.lower().startswith("javascript") for link in markup.links), path
            met |= {number for number, _ in enumerate(PAYLOADS) if f"alert({number + 1})" in text}
        for payload in PAYLOADS:
            response = client.post(f"/objects/{found[1]}/resolve", data={"step": "check", "text": payload, "find": payload})
            assert [] == Markup(response.text).handlers
            assert "<script>alert" not in response.text
    assert {0, 1, 2} <= met


def test_a_template_is_never_made_of_what_was_said(served: ServedBase, world: World) -> None:
    with world.open() as workspace:
        added = workspace.record_statement("{{ 7 * 7 }} doors stay open.", epistemic_class=EpistemicClass.DECISION).added
    with browser(served, world, "read") as client:
        text = client.get(f"/objects/{added}").text
    assert "{{ 7 * 7 }} doors stay open." in text
