"""REST over one small base."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient
from tests import stores

from oida.faces.rest.app import create_app
from oida.faces.rest.once import once
from oida.faces.rest.problems import STATUSES, status_of
from oida.faces.serving.base import ServedBase
from oida.faces.serving.limits import RateLimit
from oida.model import errors
from oida.model.errors import OidaError
from oida.model.taxonomy import EpistemicClass


@pytest.fixture
def client(served: ServedBase) -> Iterator[TestClient]:
    with TestClient(create_app(served), raise_server_exceptions=False) as found:
        yield found


def paths_of(client: TestClient, world) -> list[tuple[str, str]]:
    document = client.get("/openapi.json", headers=world.headers("read")).json()
    return [(method, path) for path, operations in document["paths"].items() for method in operations]


def test_without_a_key_everything_but_health_is_401(client: TestClient, world) -> None:
    routes = [*paths_of(client, world), ("get", "/openapi.json"), ("get", "/nowhere"), ("post", "/mcp"), ("get", "/v1/jobs/x/events")]
    answers = {(method, path): client.request(method, path).status_code for method, path in routes}
    open_to_all = {("get", "/healthz"), ("get", "/readyz")}
    assert {200} == {answers[route] for route in open_to_all}
    assert {401} == {status for route, status in answers.items() if route not in open_to_all}


@pytest.mark.parametrize("header", ["Bearer", "Bearer x", "Bearer oida_aaaaaaaa_bbbb", "Basic abc", "Bearer oida__", "Bearer \xff"])
def test_what_is_no_live_key_opens_nothing(client: TestClient, header: str) -> None:
    reply = client.get("/v1/status", headers={"Authorization": header.encode("latin-1")})
    assert (401, "unauthenticated", "Bearer") == (reply.status_code, reply.json()["code"], reply.headers["www-authenticate"])


def test_a_revoked_key_opens_nothing_from_the_next_request_on(client: TestClient, world) -> None:
    assert 200 == client.get("/v1/status", headers=world.headers("read")).status_code
    with world.open() as workspace:
        workspace.revoke_key("read")
    assert 401 == client.get("/v1/status", headers=world.headers("read")).status_code


def test_each_scope_opens_what_it_names_and_no_more(client: TestClient, world) -> None:
    tried = {
        "read": ("get", "/v1/status", None),
        "write": ("post", f"/v1/objects/{world.ids[0]}/confirm", {}),
        "review": ("get", "/v1/proposals", None),
        "admin": ("get", "/v1/head", None),
    }
    order = list(tried)
    for held in order:
        for asked, (method, path, body) in tried.items():
            status = client.request(method, path, json=body, headers=world.headers(held)).status_code
            assert (200 if order.index(held) >= order.index(asked) else 403) == status, (held, asked)


def test_every_error_has_a_status_and_a_stable_code() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, OidaError) and kind is not OidaError]
    assert len(kinds) > 8
    assert all(any(parent in STATUSES for parent in kind.__mro__) for kind in kinds)
    assert len(kinds) == len({kind.code for kind in kinds})
    assert 409 == status_of(errors.StaleAppendError(expected=1, found=2))


def test_errors_are_problems_with_their_code(client: TestClient, world) -> None:
    headers = world.headers("write")
    unknown = client.get("/v1/objects/ko-unknown", headers=headers)
    twice = [client.post(f"/v1/objects/{world.ids[4]}/retract", json={}, headers=headers) for _ in range(2)]
    again = client.post(f"/v1/objects/{world.ids[0]}/reinstate", json={}, headers=headers)
    nowhere = client.get("/v1/nowhere", headers=headers)
    wrong_method = client.delete("/v1/status", headers=headers)
    large = client.post("/v1/ask", content=b"x" * (1 << 21), headers=headers | {"Content-Type": "application/json"})
    assert 200 == twice[0].status_code
    found = [(reply.status_code, reply.json()["code"]) for reply in (unknown, again, nowhere, wrong_method, large)]
    assert [(404, "not-found"), (409, "conflict"), (404, "not-found"), (405, "method-not-allowed"), (413, "too-large")] == found
    assert {"application/problem+json"} == {reply.headers["content-type"] for reply in (unknown, again, nowhere, wrong_method, large)}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/context", {"question": "x", "preview": 1}),
        ("/v1/context", {"question": " "}),
        ("/v1/context", {"question": "x", "budget_tokens": 1.5}),
        ("/v1/context", {"question": "x", "as_of": "2026-01-01T00:00:00"}),
        ("/v1/context", {"question": "x", "as_of": 0}),
        ("/v1/context", {"question": "x", "unknown": 1}),
        ("/v1/edges", {"source": "a", "type": "LIKES", "target": "b"}),
        ("/v1/proposals", {"verb": "erase"}),
        ("/v1/statements", {"text": "x", "class": "RUMOUR"}),
    ],
)
def test_bodies_are_strict(client: TestClient, world, path: str, body: dict[str, object]) -> None:
    reply = client.post(path, json=body, headers=world.headers("write"))
    assert (422, "input") == (reply.status_code, reply.json()["code"])


def test_unknown_query_parameters_are_refused(client: TestClient, world) -> None:
    assert 422 == client.get("/v1/questions?limt=3", headers=world.headers("read")).status_code


def test_pages_together_are_the_whole_list(client: TestClient, world) -> None:
    headers = world.headers("board")
    whole = client.get("/v1/questions", headers=headers).json()["questions"]
    found, path = [], "/v1/questions?limit=1"
    while path:
        reply = client.get(path, headers=headers)
        assert len(whole) == reply.json()["total"]
        found += reply.json()["questions"]
        link = reply.headers.get("link", "")
        path = link[1 : link.index(">")] if link else ""
    assert len(whole) == 2
    assert whole == found
    assert 422 == client.get("/v1/questions?cursor=nonsense", headers=headers).status_code


def test_an_unchanged_list_is_not_sent_again_and_a_changed_one_is(client: TestClient, world) -> None:
    headers = world.headers("write")
    tag = client.get("/v1/questions", headers=headers).headers["etag"]
    assert 304 == client.get("/v1/questions", headers=headers | {"If-None-Match": tag}).status_code
    client.post(f"/v1/objects/{world.ids[2]}/resolve", json={"by": world.ids[0]}, headers=headers)
    assert 200 == client.get("/v1/questions", headers=headers | {"If-None-Match": tag}).status_code


def test_what_a_caller_may_not_see_does_not_change_their_validator(client: TestClient, world) -> None:
    before = client.get("/v1/questions", headers=world.headers("read")).headers["etag"]
    client.post(f"/v1/objects/{world.ids[6]}/resolve", json={"by": world.ids[5]}, headers=world.headers("board"))
    assert before == client.get("/v1/questions", headers=world.headers("read")).headers["etag"]


def test_a_write_under_one_key_is_carried_out_once(client: TestClient, world) -> None:
    headers = world.headers("write") | {"Idempotency-Key": "one"}
    body = {"text": "We buy forty sensors in July.", "class": "DECISION"}
    first, second = (client.post("/v1/statements", json=body, headers=headers) for _ in range(2))
    other = client.post("/v1/statements", json=body | {"text": "We buy fifty."}, headers=headers)
    foreign = client.post("/v1/statements", json=body, headers=world.headers("review") | {"Idempotency-Key": "one"})
    assert first.json() == second.json()
    assert (None, "true") == (first.headers.get("idempotent-replayed"), second.headers.get("idempotent-replayed"))
    assert (409, "conflict") == (other.status_code, other.json()["code"])
    assert first.json()["correction"]["added"] != foreign.json()["correction"]["added"]


def test_a_write_that_broke_off_left_nothing_and_may_be_sent_again(world) -> None:
    class BrokeOff(BaseException):
        pass

    def record(workspace):
        done = workspace.record_statement("We buy sixty sensors.", epistemic_class=EpistemicClass.DECISION)
        return {"added": done.added}

    with world.open() as workspace:
        before = workspace.head()

        def breaks_off():
            record(workspace)
            raise BrokeOff

        with pytest.raises(BrokeOff):
            once(workspace, "one", ["x"], breaks_off)
        assert before == workspace.head()
        assert workspace.verify().is_sound
        first, again = (once(workspace, "one", ["x"], lambda: record(workspace)) for _ in range(2))
        assert (first[0], (False, True)) == (again[0], (first[1], again[1]))
        assert workspace.head() == workspace.store.witnessed_head()


def test_a_failed_write_gives_its_key_back(client: TestClient, world) -> None:
    headers = world.headers("write") | {"Idempotency-Key": "again"}
    path = f"/v1/objects/{world.ids[0]}/resolve"
    assert [422, 422] == [client.post(path, json={"text": "Yes."}, headers=headers).status_code for _ in range(2)]


def test_calls_beyond_the_limit_of_a_key_are_429_and_other_keys_go_on(served: ServedBase, world) -> None:
    moments = iter([0.0] * 20)
    app = create_app(served, limit=RateLimit(per_minute=60, burst=2, clock=lambda: next(moments)))
    with TestClient(app) as client:
        replies = [client.get("/v1/parameters", headers=world.headers("read")) for _ in range(3)]
        other = client.get("/v1/parameters", headers=world.headers("board"))
    assert [200, 200, 429] == [reply.status_code for reply in replies]
    assert ("rate-limited", "1") == (replies[2].json()["code"], replies[2].headers["retry-after"])
    assert 200 == other.status_code


def test_what_was_served_counts_as_used_and_a_preview_does_not(served: ServedBase, client: TestClient, world) -> None:
    headers = world.headers("read")

    def entries() -> int:
        served.flush()
        with world.open() as workspace:
            return int(workspace.head().position)

    before = entries()
    client.post("/v1/context", json={"question": "Which sensor?", "preview": True}, headers=headers)
    assert before == entries()
    client.post("/v1/context", json={"question": "Which sensor?"}, headers=headers)
    client.post("/v1/ask", json={"question": "Which sensor?"}, headers=headers)
    assert before + 2 == entries()
    with world.open() as workspace:
        assert workspace.verify().is_sound


def test_a_context_comes_as_markdown_when_asked_for(client: TestClient, world) -> None:
    reply = client.post("/v1/context", json={"question": "Which sensor?"}, headers=world.headers("read") | {"Accept": "text/markdown"})
    assert reply.headers["content-type"].startswith("text/markdown")
    assert reply.text.startswith("# What is recorded on")


def test_a_proposal_is_nowhere_in_the_memory_until_a_reviewer_accepts_it(client: TestClient, world) -> None:
    reader, reviewer = world.headers("read"), world.headers("review")
    before = client.get("/v1/status", headers=reader).json()["objects"]
    body = {"verb": "resolve", "question": world.ids[2], "text": "We take Harrow for the cold store."}
    proposal = client.post("/v1/proposals", json=body, headers=reader).json()["proposal"]
    hits = client.get("/v1/search?q=Harrow", headers=world.headers("admin")).json()["hits"]
    assert before == client.get("/v1/status", headers=reader).json()["objects"]
    assert all("Harrow" not in hit["knowledge_object"]["text"] for hit in hits)
    assert 403 == client.post(f"/v1/proposals/{proposal['proposal_id']}/accept", json={}, headers=world.headers("write")).status_code
    done = client.post(f"/v1/proposals/{proposal['proposal_id']}/accept", json={}, headers=reviewer).json()
    question = client.get(f"/v1/objects/{world.ids[2]}", headers=reader).json()["knowledge_object"]
    assert ("RESOLVED", done["correction"]["added"]) == (question["status"], question["resolved_by"])
    assert "key:read" == done["object"]["author"]
    again = client.post(f"/v1/proposals/{proposal['proposal_id']}/accept", json={}, headers=reviewer)
    assert (409, "conflict") == (again.status_code, again.json()["code"])
    with world.open() as workspace:
        assert workspace.verify().is_sound
        assert {} == workspace.store.proposals.find(proposal["proposal_id"]).arguments


def test_a_proposal_on_what_a_reviewer_may_not_see_is_not_there_for_them(client: TestClient, world) -> None:
    body = {"verb": "record", "text": "The lease of Larkfield ends in May.", "class": "EVIDENCE", "visible_to": ["board"]}
    proposal = client.post("/v1/proposals", json=body, headers=world.headers("board")).json()["proposal"]
    path = f"/v1/proposals/{proposal['proposal_id']}/reject"
    assert [] == client.get("/v1/proposals", headers=world.headers("review")).json()["proposals"]
    assert 404 == client.post(path, json={}, headers=world.headers("review")).status_code
    assert 200 == client.post(path, json={}, headers=world.headers("board")).status_code


def test_nobody_speaks_into_a_group_they_are_not_in(client: TestClient, world) -> None:
    body = {"text": "We sell.", "class": "DECISION", "visible_to": ["board"]}
    assert 422 == client.post("/v1/statements", json=body, headers=world.headers("write")).status_code
    assert 200 == client.post("/v1/statements", json=body, headers=world.headers("board")).status_code


def test_ingestion_is_a_job_that_reads_only_the_import_folder(served: ServedBase, world, tmp_path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "out"
    (folder / "docs").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.md").write_text("# Secret\n\nWe decided to merge with Harrow.\n")
    (folder / "docs" / "plan.md").write_text("# Plan\n\nWe decided to buy forty scanners for the Moss depot.\n")
    (folder / "link.md").symlink_to(outside / "secret.md")
    admin = world.headers("admin")
    with TestClient(create_app(served, import_from=folder)) as client:
        refused = [
            client.post("/v1/ingest", json={"paths": [path]}, headers=admin).status_code for path in ("../out", "/etc", "link.md", "no")
        ]
        job = client.post("/v1/ingest", json={"paths": ["docs"]}, headers=admin).json()["job"]
        events = client.get(f"/v1/jobs/{job['job_id']}/events", headers=admin).text
        ended = client.get(f"/v1/jobs/{job['job_id']}", headers=admin).json()["job"]
        assert 403 == client.post("/v1/ingest", json={"paths": ["docs"]}, headers=world.headers("review")).status_code
    assert [422] * 4 == refused
    assert "done" == ended["state"], ended["message"]
    assert 1 == ended["result"]["report"]["items"]
    last = [line for line in events.splitlines() if line.startswith("data:")][-1]
    assert ended == json.loads(last.removeprefix("data:"))


def test_without_an_import_folder_nothing_is_read(client: TestClient, world) -> None:
    assert 403 == client.post("/v1/ingest", json={"paths": ["x"]}, headers=world.headers("admin")).status_code


def test_metrics_count_by_route_and_name_nobody(client: TestClient, world) -> None:
    client.get(f"/v1/objects/{world.ids[0]}", headers=world.headers("read"))
    text = client.get("/metrics", headers=world.headers("admin")).text
    assert 'route="/v1/objects/{object_id}"' in text or 'route="/objects/{object_id}"' in text
    assert world.ids[0] not in text
    assert "key:" not in text


@stores.needs_file
def test_no_secret_lies_in_the_base_or_the_ledger(world) -> None:
    written = world.path.read_bytes()
    wal = world.path.with_name(world.path.name + "-wal")
    written += wal.read_bytes() if wal.exists() else b""
    for token in world.tokens.values():
        assert token.split("_")[2].encode() not in written
