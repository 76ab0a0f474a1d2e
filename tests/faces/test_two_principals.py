"""Whatever a caller asks, nothing of what they may not see comes back: not its id, its words, its names, nor a difference.

Every route is called by a key that sees `org`, on two bases that differ only in what `board` sees.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from oida.faces.rest.app import create_app
from oida.faces.serving.base import ServedBase
from oida.faces.serving.limits import RateLimit

WORDS = ("Larkfield", "board", "lease", "depot be sold")


@pytest.fixture
def client(served: ServedBase) -> Iterator[TestClient]:
    app = create_app(served, limit=RateLimit(per_minute=1e9, burst=10**9))
    with TestClient(app, raise_server_exceptions=False) as found:
        yield found


def bodies(world) -> dict[str, list[dict[str, object]]]:
    hidden, seen = world.ids[5], world.ids[0]
    asked = [{"question": "What about the Larkfield depot?"}, {"question": f"What is {hidden}?"}]
    return {
        "/v1/context": [*asked, *(each | {"shape": "whole"} for each in asked), asked[0] | {"as_of": "2026-06-05T18:00:00Z"}],
        "/v1/ask": asked,
        "/v1/explain": asked,
        "/v1/objects/{object_id}/why-not": asked,
        "/v1/objects/{object_id}/resolve": [{"by": hidden}, {"by": seen}, {"text": "x"}],
        "/v1/objects/{object_id}/supersede": [{"by": hidden}, {"by": seen}, {"text": "x"}],
        "/v1/objects/{object_id}/reclassify": [{"class": "PLAN"}],
        "/v1/review/{review_id}": [{"accepted": True}, {"accepted": False}, {"accepted": True, "class": "PLAN"}],
        "/v1/edges": [{"source": hidden, "type": "SUPPORTS", "target": seen}, {"source": seen, "type": "SUPPORTS", "target": hidden}],
        "/v1/statements": [{"text": "x is so", "class": "EVIDENCE", "relations": [{"type": "SUPPORTS", "target": hidden}]}],
        "/v1/proposals": [
            {"verb": "resolve", "question": world.ids[6], "text": "x"},
            {"verb": "relate", "source": hidden, "type": "SUPPORTS", "target": seen},
        ],
    }


def calls(client: TestClient, world) -> Iterator[tuple[str, str, dict[str, object] | None]]:
    document = client.get("/openapi.json", headers=world.headers("admin")).json()
    for path, operations in sorted(document["paths"].items()):
        for method in sorted(operations):
            given = bodies(world).get(path, [{}]) if method in ("post", "put") else [None]
            for body in given:
                if "{object_id}" in path:
                    for hidden in (world.ids[5], world.ids[6], "ko-nothinghereatall"):
                        yield method, path.format(object_id=hidden), body
                elif "{" in path:
                    yield (
                        method,
                        path.format(
                            edge_id=world.hidden_edge,
                            job_id="job-x",
                            proposal_id="pr-x",
                            name="nobody",
                            person="nobody",
                            review_id=world.hidden_edge,
                            position=1,
                        ),
                        body,
                    )
                else:
                    yield method, path, body
    for query in ("?q=Larkfield", f"?q={world.ids[5]}", "?q=sold&status=ACTIVE"):
        yield "get", f"/v1/search{query}", None
    for name in ("questions", "decisions", "contradictions", "stale", "possible-contradictions"):
        yield "get", f"/v1/{name}?entity=Larkfield", None


@pytest.fixture
def hidden_world(world):
    with world.open() as workspace:
        edge = next(edge for edge in workspace.store.projections.all_edges() if world.ids[5] in (edge.source, edge.target))
    object.__setattr__(world, "hidden_edge", edge.edge_id)
    return world


@pytest.mark.parametrize(("name", "is_told"), [("write", False), ("board", True)])
def test_no_route_tells_a_caller_of_what_they_may_not_see(client: TestClient, hidden_world, name: str, is_told: bool) -> None:
    world, told = hidden_world, []
    hidden_ids = (world.ids[5], world.ids[6], world.hidden_edge)
    for method, path, body in calls(client, world):
        asked = json.dumps([path, body])
        reply = client.request(method, path, json=body, headers=world.headers(name))
        given = reply.text + json.dumps(dict(reply.headers))
        told += [(method, path, body, each) for each in (*hidden_ids, *WORDS) if each in given and each not in asked]
    assert is_told == bool(told), told[:5]


def test_not_allowed_and_not_found_are_one_answer(client: TestClient, hidden_world) -> None:
    world = hidden_world
    for path in ("/v1/objects/{}", "/v1/objects/{}/confirm", "/v1/objects/{}/retract", "/v1/edges/{}/retract"):
        method = "get" if path == "/v1/objects/{}" else "post"
        hidden, nothing = (world.hidden_edge, "ed-aaaaaaaaaaaaaaaa") if "edges" in path else (world.ids[5], "ko-aaaaaaaaaaaaaaaa")
        replies = [
            client.request(method, path.format(each), json=None if method == "get" else {}, headers=world.headers("write"))
            for each in (hidden, nothing)
        ]
        texts = [reply.text.replace(each, "ID") for reply, each in zip(replies, (hidden, nothing), strict=True)]
        assert [404, 404] == [reply.status_code for reply in replies], path
        assert texts[0] == texts[1]


def test_counts_and_lists_are_those_of_a_base_without_what_is_hidden(client: TestClient, world) -> None:
    before = {
        path: client.get(path, headers=world.headers("read")).json() for path in ("/v1/status", "/v1/decisions", "/v1/contradictions")
    }
    for text in ("The board sells Larkfield.", "The board buys Moss."):
        body = {"text": text, "class": "DECISION", "visible_to": ["board"], "relations": [{"type": "CONTRADICTS", "target": world.ids[0]}]}
        assert 200 == client.post("/v1/statements", json=body, headers=world.headers("board")).status_code
    after = {path: client.get(path, headers=world.headers("read")).json() for path in before}
    assert before == after
