"""Every verb of the workspace is reached over REST and from the typed client, or stands here with why not."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from oida.faces.client.workspace import RemoteWorkspace
from oida.faces.rest.app import create_app
from oida.faces.serving.base import ServedBase
from oida.model.access import Scope
from oida.model.errors import ConflictError, ForbiddenError, NotFoundError
from oida.workspace.workspace import Workspace

ROUTES = {
    "abandon": "POST /v1/objects/{object_id}/abandon",
    "accept": "POST /v1/proposals/{proposal_id}/accept",
    "ask": "POST /v1/ask",
    "calibrate": "POST /v1/calibrate",
    "certify": "GET /v1/certificate",
    "confirm": "POST /v1/objects/{object_id}/confirm",
    "context": "POST /v1/context",
    "contradictions": "GET /v1/contradictions",
    "create_key": "POST /v1/keys",
    "cycle": "POST /v1/cycle",
    "decisions": "GET /v1/decisions",
    "entities": "GET /v1/entities",
    "grant": "POST /v1/grant",
    "ingest": "POST /v1/ingest",
    "jobs": "GET /v1/source-jobs",
    "known_people": "GET /v1/people",
    "ledger": "GET /v1/ledger",
    "list_keys": "GET /v1/keys",
    "parameters": "GET /v1/parameters",
    "problems": "GET /v1/problems",
    "proposals": "GET /v1/proposals",
    "propose": "POST /v1/proposals",
    "questions": "GET /v1/questions",
    "reclassify": "POST /v1/objects/{object_id}/reclassify",
    "record_statement": "POST /v1/statements",
    "redact": "POST /v1/redact",
    "reinstate": "POST /v1/objects/{object_id}/reinstate",
    "reject": "POST /v1/proposals/{proposal_id}/reject",
    "relate": "POST /v1/edges",
    "explain": "POST /v1/explain",
    "possible_contradictions": "GET /v1/possible-contradictions",
    "raised_questions": "GET /v1/raised-questions",
    "review_queue": "GET /v1/review",
    "decide": "POST /v1/review/{review_id}",
    "lessons": "GET /v1/lessons",
    "reliability": "GET /v1/reliability",
    "name_alias": "POST /v1/entities/alias",
    "join_people": "POST /v1/people/join",
    "set_person_apart": "POST /v1/people/{person}/apart",
    "resolve": "POST /v1/objects/{object_id}/resolve",
    "retract": "POST /v1/objects/{object_id}/retract",
    "revoke": "POST /v1/revoke",
    "revoke_key": "DELETE /v1/keys/{name}",
    "search": "GET /v1/search",
    "set_parameters": "PUT /v1/parameters",
    "settle": "POST /v1/settle",
    "show": "GET /v1/objects/{object_id}",
    "sources": "GET /v1/sources",
    "stale": "GET /v1/stale",
    "status": "GET /v1/status",
    "supersede": "POST /v1/objects/{object_id}/supersede",
    "sync": "POST /v1/sync",
    "undo": "POST /v1/undo/{position}",
    "verify": "POST /v1/verify",
    "what_if": "POST /v1/what-if",
    "why_not": "POST /v1/objects/{object_id}/why-not",
}

NOT_OVER_REST = {
    "acting_as": "how a face acts for its caller",
    "add_webhook": "whom a base tells is said at the server, as connect: an address given from outside could lie within",
    "at": "how a face fixes the clock",
    "bring_up_to_date": "inside",
    "close": "of the process that opened it",
    "connect": "a source's secret is typed at the server and never sent",
    "connections": "they name where secrets lie",
    "create": "made before it is served",
    "disconnect": "at the server, as connect",
    "digest": "in verify",
    "remove_webhook": "at the server, as add_webhook",
    "tell": "done by the server itself",
    "webhook": "at the server, as add_webhook",
    "webhooks": "at the server, as add_webhook",
    "export_lines": "a backup is taken at the server",
    "head": "in verify",
    "import_lines": "a backup is put back at the server",
    "last_run_at": "in status",
    "list_filter": "the parameters of the lists",
    "live_sources": "inside",
    "note_served": "the server does it itself",
    "now": "inside",
    "principal": "inside",
    "ranked_context": "inside",
    "reading": "inside",
    "recognise": "the guard does it",
    "reembed": "changes the files of the base; at the server",
    "retry": "sync with retry_all",
    "reviewing": "inside",
    "wall_clock": "inside",
    "pages": "of the web page",
    "edge": "of the web page; in contradictions",
    "undoable": "of the web page",
    "candidate_answers": "of the web page; in questions",
}

NOT_IN_CLIENT = {"calibrate": "missing", "ledger": "missing", "what_if": "missing"}


def verbs() -> set[str]:
    return {name for name in vars(Workspace) if not name.startswith("_")} - {"store"}


def test_every_verb_has_a_route_or_a_reason() -> None:
    assert set() == verbs() ^ (set(ROUTES) | set(NOT_OVER_REST))
    assert set() == set(ROUTES) & set(NOT_OVER_REST)


def test_every_route_that_is_named_is_there(served: ServedBase, world) -> None:
    with TestClient(create_app(served)) as client:
        described = client.get("/openapi.json", headers=world.headers("read")).json()["paths"]
    there = {f"{method.upper()} {path}" for path, methods in described.items() for method in methods}
    assert set() == set(ROUTES.values()) - there


def test_every_verb_over_rest_is_in_the_client_or_has_a_reason() -> None:
    offered = {name for name in dir(RemoteWorkspace) if not name.startswith("_")}
    assert set() == (set(ROUTES) - offered) ^ set(NOT_IN_CLIENT)


@pytest.mark.parametrize("path", ["problems", "source-jobs", "people", "ledger", "keys"])
def test_what_is_for_admins_is_for_nobody_else(served: ServedBase, world, path: str) -> None:
    with TestClient(create_app(served)) as client:
        assert 200 == client.get(f"/v1/{path}", headers=world.headers("admin")).status_code
        assert 403 == client.get(f"/v1/{path}", headers=world.headers("review")).status_code


def test_a_key_made_over_rest_opens_until_it_is_revoked_over_rest(served: ServedBase, world) -> None:
    admin = world.headers("admin")
    with TestClient(create_app(served)) as client:
        made = client.post("/v1/keys", json={"name": "made", "scopes": ["read"]}, headers=admin).json()
        theirs = {"Authorization": f"Bearer {made['key']}"}
        assert 200 == client.get("/v1/status", headers=theirs).status_code
        assert 200 == client.delete("/v1/keys/made", headers=admin).status_code
        assert 401 == client.get("/v1/status", headers=theirs).status_code


def test_a_correction_is_taken_back_over_rest(served: ServedBase, world) -> None:
    with TestClient(create_app(served)) as client:
        done = client.post(f"/v1/objects/{world.ids[3]}/retract", json={}, headers=world.headers("write")).json()
        undone = client.post(f"/v1/undo/{done['correction']['position']}", json={}, headers=world.headers("write"))
        assert (200, "ACTIVE") == (undone.status_code, undone.json()["object"]["status"])


def test_the_client_keeps_a_base_from_afar(served: ServedBase, world) -> None:
    with TestClient(create_app(served)) as server:
        admin = RemoteWorkspace("http://testserver", key=world.tokens["admin"], transport=server._transport)
        with world.open() as at_home:
            assert at_home.sources() == admin.sources()
            assert at_home.entities() == admin.entities()
            assert at_home.list_keys() == admin.list_keys()
            assert (at_home.jobs(), at_home.problems(), at_home.known_people()) == (admin.jobs(), admin.problems(), admin.known_people())
        made = admin.create_key("afar", scopes=[Scope.READ], groups=["board"])
        assert made.startswith("oida_")
        assert (False, "afar") == ((ended := admin.revoke_key("afar")).live, ended.name)
        retracted = admin.retract(world.ids[3])
        assert retracted.position is not None
        assert world.ids[3] == admin.undo(retracted.position).subject
        with pytest.raises(ConflictError):
            admin.sync()


def test_what_waits_is_read_and_decided_from_afar(served: ServedBase, world) -> None:
    with world.open() as at_home, TestClient(create_app(served)) as server:
        at_home.propose("relate", source=world.ids[3], type="SUPPORTS", target=world.ids[0])
        at_home.propose("relate", source=world.ids[1], type="SUPPORTS", target=world.ids[3])
        admin = RemoteWorkspace("http://testserver", key=world.tokens["admin"], transport=server._transport)
        assert at_home.review_queue() == admin.review_queue()
        assert at_home.possible_contradictions() == admin.possible_contradictions()
        assert at_home.raised_questions() == admin.raised_questions()
        first, second = (each.review_id for each in admin.review_queue())
        assert admin.decide(first, accepted=True).events
        admin.decide(second, accepted=False)
        assert [] == admin.review_queue()
        reader = RemoteWorkspace("http://testserver", key=world.tokens["read"], transport=server._transport)
        with pytest.raises(ForbiddenError):
            reader.decide(first, accepted=True)


def test_names_are_changed_and_lessons_read_from_afar(served: ServedBase, world) -> None:
    with TestClient(create_app(served)) as server:
        admin = RemoteWorkspace("http://testserver", key=world.tokens["admin"], transport=server._transport)
        known = admin.entities()[0].name
        admin.name_alias("Old name", means=known)
        admin.name_alias("Old name", means=None)
        with pytest.raises(NotFoundError):
            admin.join_people("nobody", "no one")
        with pytest.raises(NotFoundError):
            admin.set_person_apart("nobody")
        admin.confirm(world.ids[0])
        with world.open() as at_home:
            assert (at_home.lessons(), at_home.reliability()) == (admin.lessons(), admin.reliability())
        writer = RemoteWorkspace("http://testserver", key=world.tokens["write"], transport=server._transport)
        for verb in (writer.lessons, writer.reliability, lambda: writer.name_alias("x", means=None)):
            with pytest.raises(ForbiddenError):
                verb()
