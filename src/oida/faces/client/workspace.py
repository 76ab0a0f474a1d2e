"""A workspace on the other side of a network: the verbs, arguments and results of the local one."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, TypeVar

import httpx2

from oida.events.chain import Head
from oida.faces.client.keeping import RemoteKeeping
from oida.faces.client.parse import parse
from oida.faces.wire import head_of
from oida.gravity.certificate import Certificate
from oida.gravity.parameters import GravityParameters
from oida.model.access import Proposal
from oida.model.edge import EdgeType
from oida.model.errors import (
    BrokenChainError,
    ConflictError,
    ForbiddenError,
    InputError,
    IntegrityError,
    NotFoundError,
    OidaError,
    RateLimitedError,
    ReplayMismatchError,
    StoreBusyError,
    UnauthenticatedError,
    UnavailableError,
)
from oida.model.knowledge_object import KnowledgeObject
from oida.model.query import AgentContext
from oida.model.taxonomy import EpistemicClass
from oida.retrieval.context.answer import Answer
from oida.workspace.audit import Verification
from oida.workspace.correct import Correction
from oida.workspace.explain import ContextExplanation
from oida.workspace.inspect import ObjectReport, StatusReport
from oida.workspace.lists import Contradiction, StaleObject
from oida.workspace.raised import RaisedQuestion
from oida.workspace.redact import RedactionCertificate
from oida.workspace.review import Doubtful
from oida.workspace.search import SearchFilter, SearchHit
from oida.workspace.weigh import EngineRun
from oida.workspace.why_not import WhyNot

TIMEOUT_SECONDS = 60.0
TRIES = 3
"""How often a call is made while the server says that it cannot answer now; writes carry a key, so that none is done twice."""

LONGEST_WAIT_SECONDS = 10.0
_PAGE = 1000
_KINDS: tuple[type[OidaError], ...] = (
    InputError,
    UnauthenticatedError,
    ForbiddenError,
    NotFoundError,
    ConflictError,
    StoreBusyError,
    IntegrityError,
    BrokenChainError,
    ReplayMismatchError,
)
_BY_CODE = {kind.code: kind for kind in _KINDS}
_BY_STATUS: dict[int, type[OidaError]] = {409: ConflictError, 404: NotFoundError, 500: IntegrityError}

Result = TypeVar("Result")
_Method = Literal["GET", "POST", "PUT", "DELETE"]


@dataclass(frozen=True, slots=True)
class RemoteFilter:
    """Which part of a list is wanted, by names: what `Workspace.list_filter` resolves to ids, the server resolves for us."""

    entity: str | None = None
    domain: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def connect(
    url: str, *, key: str = "", timeout_seconds: float = TIMEOUT_SECONDS, transport: httpx2.BaseTransport | None = None
) -> RemoteWorkspace:
    """The base that a server at a URL serves, for the principal of a key."""
    return RemoteWorkspace(url, key=key, timeout_seconds=timeout_seconds, transport=transport)


class RemoteWorkspace(RemoteKeeping):
    """The verbs of a workspace, carried out by a server for the principal of a key.

    What a local workspace raises is raised here too. A call that the server cannot answer now is made again, at most three times.
    """

    def __init__(
        self, url: str, *, key: str, timeout_seconds: float = TIMEOUT_SECONDS, transport: httpx2.BaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        timeout = httpx2.Timeout(timeout_seconds, connect=5.0)
        self._http = httpx2.Client(base_url=url.rstrip("/"), headers=headers, timeout=timeout, transport=transport)

    def context(
        self,
        question: str,
        *,
        budget_tokens: int = 3868,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        profile: str = "default",
        preview: bool = False,
    ) -> AgentContext:
        """What an agent should be given for a question."""
        body = _asked(question, as_of=as_of, known_at=known_at, profile=profile, preview=preview) | {"budget_tokens": budget_tokens}
        return parse(AgentContext, self._post("/context", body))

    def ask(
        self,
        question: str,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        profile: str = "default",
        preview: bool = False,
    ) -> Answer:
        """An extractive answer for a person, with citations."""
        return parse(Answer, self._post("/ask", _asked(question, as_of=as_of, known_at=known_at, profile=profile, preview=preview)))

    def why_not(self, found: str, question: str, *, budget_tokens: int = 3868, profile: str = "default") -> WhyNot:
        """Where an object fell out of the context for a question."""
        body = {"question": question, "budget_tokens": budget_tokens, "profile": profile}
        return parse(WhyNot, self._post(f"/objects/{_segment(found)}/why-not", body))

    def list_filter(
        self, *, entity: str | None = None, domain: str | None = None, since: datetime | None = None, until: datetime | None = None
    ) -> RemoteFilter:
        """A filter from names."""
        return RemoteFilter(entity, domain, since, until)

    def questions(self, wanted: RemoteFilter | None = None, *, resolved: bool = False) -> list[KnowledgeObject]:
        """Open questions, most urgent first."""
        return self._listed("questions", KnowledgeObject, wanted, resolved=resolved)

    def decisions(self, wanted: RemoteFilter | None = None, *, superseded: bool = False) -> list[KnowledgeObject]:
        """Decisions in force, newest first."""
        return self._listed("decisions", KnowledgeObject, wanted, superseded=superseded)

    def contradictions(self, wanted: RemoteFilter | None = None) -> list[Contradiction]:
        """Pairs of active objects that contradict each other, heaviest first."""
        return self._listed("contradictions", Contradiction, wanted)

    def stale(self, wanted: RemoteFilter | None = None) -> list[StaleObject]:
        """Active objects that have faded or whose basis has changed."""
        return self._listed("stale", StaleObject, wanted)

    def explain(
        self,
        question: str,
        *,
        budget_tokens: int = 3868,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        profile: str = "default",
    ) -> ContextExplanation:
        """Why the context for a question is what it is."""
        body = _timed(question, as_of=as_of, known_at=known_at, profile=profile) | {"budget_tokens": budget_tokens}
        return parse(ContextExplanation, self._post("/explain", body))

    def search(self, words: str, wanted: SearchFilter | None = None, *, limit: int = 20, offset: int = 0) -> list[SearchHit]:
        """Everything that matches, superseded and dormant included and marked."""
        chosen = wanted or SearchFilter()
        if chosen.entities:
            raise InputError("expected no entity ids: a remote search filters by everything else")
        query = {
            "q": words,
            "limit": limit,
            "offset": offset,
            "since": chosen.since.isoformat() if chosen.since else [],
            "until": chosen.until.isoformat() if chosen.until else [],
            "visible_to": sorted(chosen.visible_to),
            "class": sorted(chosen.classes),
            "status": sorted(chosen.statuses),
            "domain": sorted(chosen.domains),
            "source": sorted(chosen.sources),
        }
        return [parse(SearchHit, hit) for hit in self._call("GET", "/search", query=query)["hits"]]

    def show(self, found: str, *, trajectory: bool = False, since: datetime | None = None) -> ObjectReport:
        """One object with its edges, history and the exact terms of its K."""
        query = {"trajectory": str(trajectory).lower()} | ({"since": since.isoformat()} if since else {})
        return parse(ObjectReport, self._call("GET", f"/objects/{_segment(found)}", query=query))

    def status(self) -> StatusReport:
        """Counts of what the principal may see, and how the engine stands."""
        return parse(StatusReport, self._call("GET", "/status"))

    def record_statement(
        self,
        text: str,
        *,
        epistemic_class: EpistemicClass | None = None,
        entity: str | None = None,
        domain: str | None = None,
        visible_to: frozenset[str] = frozenset(),
        relations: Sequence[tuple[EdgeType, str]] = (),
    ) -> Correction:
        """A statement in the principal's own words, with what it does to objects."""
        body = {
            "text": text,
            "class": epistemic_class,
            "entity": entity,
            "domain": domain,
            "visible_to": sorted(visible_to),
            "relations": [{"type": kind, "target": target} for kind, target in relations],
        }
        return self._corrected("/statements", body)

    def resolve(self, question: str, *, by: str | None = None, text: str | None = None) -> Correction:
        """An object, or a decision in the person's words, answers a question."""
        return self._corrected(f"/objects/{_segment(question)}/resolve", {"by": by, "text": text})

    def supersede(self, old: str, *, by: str | None = None, text: str | None = None) -> Correction:
        """An object, or a statement in the person's words, takes the place of another."""
        return self._corrected(f"/objects/{_segment(old)}/supersede", {"by": by, "text": text})

    def reclassify(self, found: str, epistemic_class: EpistemicClass) -> Correction:
        """A new object of the right class supersedes one that was typed wrongly."""
        return self._corrected(f"/objects/{_segment(found)}/reclassify", {"class": epistemic_class})

    def review_queue(self) -> list[Doubtful]:
        """What the machine is unsure of and what was proposed, what is most worth a look first."""
        return [parse(Doubtful, each) for each in self._call("GET", "/review")["review"]]

    def decide(self, review_id: str, *, accepted: bool, as_class: EpistemicClass | None = None) -> Correction:
        """Accept or reject an entry of the review queue, or say which class its object really has."""
        return self._corrected(f"/review/{_segment(review_id)}", {"accepted": accepted, "class": as_class})

    def possible_contradictions(self, wanted: RemoteFilter | None = None) -> list[Doubtful]:
        """Pairs that may contradict each other, for a person to judge."""
        return self._listed("possible_contradictions", Doubtful, wanted)

    def raised_questions(self) -> list[RaisedQuestion]:
        """What was asked and found nothing, most demanded first; then what open contradictions ask."""
        return [parse(RaisedQuestion, each) for each in self._call("GET", "/raised-questions")["raised_questions"]]

    def retract(self, found: str) -> Correction:
        """An object or an edge was wrong."""
        return self._corrected(f"/objects/{_segment(found)}/retract", {})

    def abandon(self, found: str) -> Correction:
        """A plan or a hypothesis was given up."""
        return self._corrected(f"/objects/{_segment(found)}/abandon", {})

    def reinstate(self, found: str) -> Correction:
        """Take back an earlier retraction or abandonment."""
        return self._corrected(f"/objects/{_segment(found)}/reinstate", {})

    def confirm(self, found: str) -> Correction:
        """An object still holds."""
        return self._corrected(f"/objects/{_segment(found)}/confirm", {})

    def relate(self, source: str, edge_type: EdgeType, target: str) -> Correction:
        """One object acts on another."""
        return self._corrected("/edges", {"source": source, "type": edge_type, "target": target})

    def propose(self, verb: str, **arguments: Any) -> Proposal:
        """Let record, resolve, supersede or relate wait for a reviewer."""
        given = dict(arguments)
        if "relations" in given:
            given["relations"] = [{"type": kind, "target": target} for kind, target in given["relations"]]
        return parse(Proposal, self._write("/proposals", {"verb": verb} | given)["proposal"])

    def proposals(self) -> list[Proposal]:
        """What waits for a reviewer, oldest first."""
        return [parse(Proposal, each) for each in self._call("GET", "/proposals")["proposals"]]

    def accept(self, proposal_id: str) -> Correction:
        """Carry a proposal out in the principal's name."""
        return self._corrected(f"/proposals/{_segment(proposal_id)}/accept", {})

    def reject(self, proposal_id: str) -> Proposal:
        """Decide that nothing comes of a proposal."""
        return parse(Proposal, self._post(f"/proposals/{_segment(proposal_id)}/reject", {})["proposal"])

    @property
    def parameters(self) -> GravityParameters:
        """The engine's parameters as the base has them."""
        return parse(GravityParameters, self._call("GET", "/parameters"))

    def set_parameters(self, name: str, *, half_lives: Sequence[str] = ()) -> GravityParameters:
        """Run the engine under a preset from now on, with half-lives of its own in some domains: DOMAIN:CLASS=DAYS each."""
        return parse(GravityParameters, self._call("PUT", "/parameters", body={"profile": name, "half_lives": list(half_lives)}))

    def settle(self) -> EngineRun:
        """Run the engine to its fixed point at the last grid point."""
        return parse(EngineRun, self._post("/settle", {}))

    def cycle(self, *, catch_up: bool = False) -> list[EngineRun]:
        """Run the next due cycle on the six-hour grid, or all that are due."""
        return [parse(EngineRun, run) for run in self._post("/cycle", {"catch_up": catch_up})["runs"]]

    def certify(self) -> Certificate:
        """What convergence claim holds for the base's graph."""
        return parse(Certificate, self._call("GET", "/certificate"))

    def grant(self, name: str, group: str) -> None:
        """Let somebody see what a visibility group may see."""
        self._post("/grant", {"name": name, "group": group})

    def revoke(self, name: str, group: str) -> None:
        """End a granted membership."""
        self._post("/revoke", {"name": name, "group": group})

    def redact(self, found: str | None = None, *, source_item: str | None = None) -> RedactionCertificate:
        """Erase the text of an object's whole item, or of a source item, everywhere."""
        return parse(RedactionCertificate, self._post("/redact", {"object": found, "source_item": source_item}))

    def verify(self, *, witness: Head | None = None, deep: bool = False) -> Verification:
        """Replay the ledger from nothing and compare everything, with `deep` the store's own files too."""
        values = self._post("/verify", {"witness": str(witness) if witness else None, "deep": deep})
        return parse(Verification, values)

    def head(self) -> Head:
        """Where the ledger ends."""
        return head_of(self._call("GET", "/head")["head"])

    def digest(self) -> str:
        """The digest of the whole state."""
        return str(self._call("GET", "/head")["digest"])

    def close(self) -> None:
        """Give the connection back."""
        self._http.close()

    def __enter__(self) -> RemoteWorkspace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _listed(self, name: str, kind: type[Result], wanted: RemoteFilter | None, **flags: bool) -> list[Result]:
        return [parse(kind, each) for each in self._pages(name, wanted or RemoteFilter(), flags)]

    def _pages(self, name: str, wanted: RemoteFilter, flags: dict[str, bool]) -> Iterator[Any]:
        query: dict[str, Any] = {
            "entity": wanted.entity,
            "domain": wanted.domain,
            "since": wanted.since.isoformat() if wanted.since else None,
            "until": wanted.until.isoformat() if wanted.until else None,
            "limit": _PAGE,
        } | {flag: str(value).lower() for flag, value in flags.items()}
        reply = self._sent("GET", f"/v1/{name.replace('_', '-')}", query={key: value for key, value in query.items() if value is not None})
        yield from reply.json()[name]
        while following := reply.links.get("next", {}).get("url"):
            reply = self._sent("GET", following)
            yield from reply.json()[name]

    def _corrected(self, path: str, body: dict[str, Any]) -> Correction:
        return parse(Correction, self._write(path, body)["correction"])

    def _write(self, path: str, body: dict[str, Any]) -> Any:
        return self._call("POST", path, body=body, headers={"Idempotency-Key": secrets.token_hex(16)})

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._call("POST", path, body=body)

    def _call(
        self, method: _Method, path: str, *, query: dict[str, Any] | None = None, body: Any = None, headers: dict[str, str] | None = None
    ) -> Any:
        return self._sent(method, f"/v1{path}", query=query, body=body, headers=headers).json()

    def _sent(
        self, method: _Method, path: str, *, query: dict[str, Any] | None = None, body: Any = None, headers: dict[str, str] | None = None
    ) -> httpx2.Response:
        for attempt in range(1, TRIES + 1):
            try:
                reply = self._http.request(method, path, params=query, json=body, headers=headers)
            except httpx2.TransportError as error:
                raise UnavailableError(f"the server at {self._http.base_url} does not answer: {error}") from error
            if reply.is_success:
                return reply
            raised = error_of(reply)
            waits = raised.retry_after_seconds if isinstance(raised, UnavailableError) else None
            if waits is None or attempt == TRIES or waits > LONGEST_WAIT_SECONDS:
                raise raised
            time.sleep(waits)
        raise AssertionError("every way out of the loop returns or raises")


def error_of(reply: httpx2.Response) -> OidaError:
    """The error that a problem speaks of."""
    try:
        problem = reply.json()
        code, detail = str(problem["code"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return UnavailableError(f"expected a reply of OIDA, found status {reply.status_code}")
    retry_after = reply.headers.get("Retry-After", "")
    seconds = float(retry_after) if retry_after.isdigit() else None
    if reply.status_code == 429:
        return RateLimitedError(detail, retry_after_seconds=seconds)
    if reply.status_code == 503:
        return UnavailableError(detail, retry_after_seconds=seconds)
    return _BY_CODE.get(code, _BY_STATUS.get(reply.status_code, InputError))(detail)


def _asked(question: str, *, as_of: datetime | None, known_at: datetime | None, profile: str, preview: bool) -> dict[str, Any]:
    return _timed(question, as_of=as_of, known_at=known_at, profile=profile) | {"preview": preview, "shape": "whole"}


def _timed(question: str, *, as_of: datetime | None, known_at: datetime | None, profile: str) -> dict[str, Any]:
    return {
        "question": question,
        "as_of": as_of.isoformat() if as_of else None,
        "known_at": known_at.isoformat() if known_at else None,
        "profile": profile,
    }


def _segment(text: str) -> str:
    """One segment of a path; raises NotFoundError for what could not be an id."""
    if not text or not all(character.isalnum() or character in "-_" for character in text):
        raise NotFoundError(f"expected the id of an object or an edge, found {text!r}")
    return text
