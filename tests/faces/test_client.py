"""The remote workspace gives what the local one gives, and raises what it raises."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

import oida
from oida.faces.client.workspace import RemoteWorkspace
from oida.model.edge import EdgeType
from oida.model.errors import (
    ConflictError,
    ForbiddenError,
    InputError,
    NotFoundError,
    RateLimitedError,
    UnauthenticatedError,
    UnavailableError,
)
from oida.model.taxonomy import EpistemicClass
from oida.workspace.access import Caller
from oida.workspace.workspace import Workspace

READS: dict[str, Callable[[Any], Any]] = {
    "context": lambda w: w.context("Which sensor do we use on the dock doors?", preview=True),
    "ask": lambda w: w.ask("Which sensor do we use on the dock doors?", preview=True),
    "questions": lambda w: w.questions(),
    "resolved": lambda w: w.questions(resolved=True),
    "decisions": lambda w: w.decisions(superseded=True),
    "contradictions": lambda w: w.contradictions(),
    "stale": lambda w: w.stale(),
    "search": lambda w: w.search("sensor", limit=3),
    "status": lambda w: w.status(),
    "parameters": lambda w: w.parameters,
}


@pytest.fixture
def remote(url: str, world) -> Iterator[RemoteWorkspace]:
    with oida.connect(url, key=world.tokens["write"]) as found:
        yield found


def local_for(world, name: str) -> Workspace:
    workspace = world.open()
    caller: Caller = workspace.recognise(world.tokens[name])
    return workspace.acting_as(caller.principal)


@pytest.mark.parametrize("verb", READS)
@pytest.mark.parametrize("name", ["read", "board", "admin"])
def test_reads_are_equal_to_the_local_ones(url: str, world, name: str, verb: str) -> None:
    with oida.connect(url, key=world.tokens[name]) as remote, local_for(world, name) as local:
        expected = READS[verb](local)
        assert expected == READS[verb](remote)


def test_an_object_from_all_sides_is_equal_to_the_local_one(remote: RemoteWorkspace, world) -> None:
    with local_for(world, "write") as local:
        assert local.show(world.ids[4]) == remote.show(world.ids[4])
        assert local.show(world.ids[4], trajectory=True) == remote.show(world.ids[4], trajectory=True)
        assert local.why_not(world.ids[3], "Which sensor?") == remote.why_not(world.ids[3], "Which sensor?")


def test_what_only_an_admin_may_is_equal_too(url: str, world) -> None:
    with oida.connect(url, key=world.tokens["admin"]) as remote, local_for(world, "admin") as local:
        assert local.verify() == remote.verify()
        assert local.head() == remote.head()
        assert local.digest() == remote.digest()
        assert local.certify() == remote.certify()


def test_writes_land_and_are_told_as_locally(remote: RemoteWorkspace, world) -> None:
    done = remote.record_statement("We buy forty sensors in July.", epistemic_class=EpistemicClass.DECISION)
    related = remote.relate(done.added, EdgeType.IMPLEMENTS, world.ids[2])
    assert world.ids[2] == related.subject
    assert [done.added] == [each.resolved_by for each in remote.questions(resolved=True)]
    remote.confirm(world.ids[1])
    remote.supersede(world.ids[0], text="We use the Harrow sensor on every dock door.")
    assert world.ids[0] not in [each.object_id for each in remote.decisions()]
    with world.open() as local:
        assert local.verify().is_sound


def test_errors_are_those_of_the_local_workspace(remote: RemoteWorkspace, url: str, world) -> None:
    with pytest.raises(NotFoundError):
        remote.show("ko-unknown")
    with pytest.raises(NotFoundError):
        remote.show("../status")
    with pytest.raises(NotFoundError):
        remote.show(world.ids[5])
    with pytest.raises(InputError):
        remote.resolve(world.ids[0], text="Yes.")
    with pytest.raises(ConflictError):
        remote.reinstate(world.ids[0])
    with pytest.raises(ForbiddenError):
        remote.settle()
    with oida.connect(url, key="oida_x_y") as other, pytest.raises(UnauthenticatedError):
        other.status()
    with oida.connect("http://127.0.0.1:9") as nobody, pytest.raises(UnavailableError):
        nobody.status()


def test_proposals_pass_through_the_client(url: str, world) -> None:
    with oida.connect(url, key=world.tokens["read"]) as reader, oida.connect(url, key=world.tokens["review"]) as reviewer:
        with pytest.raises(ForbiddenError):
            reader.resolve(world.ids[2], text="Harrow.")
        proposal = reader.propose("resolve", question=world.ids[2], text="We take Harrow.")
        assert [proposal] == reviewer.proposals()
        done = reviewer.accept(proposal.proposal_id)
        assert "key:read" == reviewer.show(done.added).knowledge_object.provenance.author_name


def test_a_call_is_made_again_when_the_server_says_when() -> None:
    answers = iter([429, 503, 200])

    def answer(request: httpx2.Request) -> httpx2.Response:
        status = next(answers)
        problem = {"code": "rate-limited" if status == 429 else "unavailable", "detail": "wait"}
        if status == 200:
            return httpx2.Response(200, json={"head": "0:" + "00" * 32, "digest": "d"})
        return httpx2.Response(status, json=problem, headers={"Retry-After": "0"})

    with oida.connect("http://server", transport=httpx2.MockTransport(answer)) as remote:
        assert "d" == remote.digest()


def test_a_call_that_stays_refused_raises_with_its_wait() -> None:
    refusal = httpx2.Response(429, json={"code": "rate-limited", "detail": "wait"}, headers={"Retry-After": "60"})
    with (
        oida.connect("http://server", transport=httpx2.MockTransport(lambda request: refusal)) as remote,
        pytest.raises(RateLimitedError) as raised,
    ):
        remote.digest()
    assert 60.0 == raised.value.retry_after_seconds


def test_remote_verbs_take_the_arguments_of_the_local_ones() -> None:
    shared = {name for name in vars(RemoteWorkspace) if not name.startswith("_") and hasattr(Workspace, name)}
    assert {"context", "show", "resolve", "verify", "record_statement", "propose", "grant", "redact"} <= shared
    for name in shared - {"parameters"}:
        here, there = (inspect.signature(getattr(kind, name)).parameters for kind in (Workspace, RemoteWorkspace))
        left_out = {"progress", "runner"}
        assert [each for each in here if each not in left_out] == list(there), name
        assert [here[each].default for each in there] == [each.default for each in there.values()], name
