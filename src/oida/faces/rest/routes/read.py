"""Routes that look something up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from oida.faces.rest.bodies import (
    AskBody,
    ContextBody,
    DecisionsQuery,
    ExplainBody,
    ListQuery,
    QuestionsQuery,
    SearchQuery,
    ShowQuery,
    WhyNotBody,
)
from oida.faces.rest.describe import gives
from oida.faces.rest.guard import caller_with
from oida.faces.rest.replies import page, reply, validated
from oida.faces.schema import closed, listed, reference, schema_of
from oida.faces.serving.base import ServedBase
from oida.faces.wire import plain
from oida.model.access import Scope
from oida.retrieval.context.answer import answer_values
from oida.retrieval.context.render import context_values, render_markdown
from oida.workspace.access import Caller
from oida.workspace.explain import ContextExplanation
from oida.workspace.inspect import ObjectReport, StatusReport
from oida.workspace.lists import Contradiction, ListFilter, StaleObject
from oida.workspace.raised import RaisedQuestion
from oida.workspace.review import Doubtful
from oida.workspace.search import SearchFilter, SearchHit
from oida.workspace.why_not import WhyNot
from oida.workspace.workspace import Workspace, answered_with

Reader = Annotated[Caller, Depends(caller_with(Scope.READ))]
_COUNT = {"type": "integer"}
_MARKDOWN = "text/markdown"


def read_routes(base: ServedBase) -> APIRouter:
    """Routes for keys with the scope read."""
    routes = APIRouter(tags=["read"])

    context_reply = gives(
        {"anyOf": [reference("AgentContext"), {"type": "object"}]}, "The context, in the shape asked for.", also=(403, 404)
    )
    context_reply[200]["content"][_MARKDOWN] = {"schema": {"type": "string"}}

    @routes.post("/context", responses=context_reply, response_class=Response)
    def context(request: Request, body: ContextBody, caller: Reader) -> Response:
        """What an agent should be given for a question: in force, contested, stale, unknown, every line cited.

        With `Accept: text/markdown` as an agent reads it. Served objects count as used, unless it is a preview or about the past.
        """
        with base.reading(caller.principal) as workspace:
            found = workspace.context(
                body.question,
                budget_tokens=body.budget_tokens,
                as_of=body.as_of,
                known_at=body.known_at,
                profile=body.profile,
                preview=True,
            )
        if not (body.preview or body.as_of or body.known_at):
            base.note_served(caller.principal, found.served_ids())
        if _MARKDOWN in request.headers.get("accept", ""):
            return Response(render_markdown(found), media_type=_MARKDOWN)
        return reply(plain(found) if body.shape == "whole" else context_values(found))

    answer_reply = gives({"anyOf": [reference("Answer"), {"type": "object"}]}, "The answer.", also=(403, 404))

    @routes.post("/ask", responses=answer_reply, response_class=Response)
    def ask(body: AskBody, caller: Reader) -> Response:
        """An answer for a person: extractive, with citations."""
        with base.reading(caller.principal) as workspace:
            found = workspace.ask(body.question, as_of=body.as_of, known_at=body.known_at, profile=body.profile, preview=True)
        if not (body.preview or body.as_of or body.known_at):
            base.note_served(caller.principal, answered_with(found))
        return reply(plain(found) if body.shape == "whole" else answer_values(found))

    explained = gives(schema_of(ContextExplanation), "Why the context is what it is.", also=(403, 404))

    @routes.post("/explain", responses=explained, response_class=Response)
    def explain(body: ExplainBody, caller: Reader) -> Response:
        """How a question was read, the ranking's weights, and the scores of what its context shows, in their parts."""
        with base.reading(caller.principal) as workspace:
            found = workspace.explain(
                body.question, budget_tokens=body.budget_tokens, as_of=body.as_of, known_at=body.known_at, profile=body.profile
            )
        return reply(plain(found))

    hits_schema = closed({"hits": listed(schema_of(SearchHit))})

    @routes.get("/search", responses=gives(hits_schema, "The hits.", validator=True, also=(403, 404)), response_class=Response)
    def search(request: Request, wanted: Annotated[SearchQuery, Query()], caller: Reader) -> Response:
        """Everything that matches, superseded and dormant included, marked as such."""
        with base.reading(caller.principal) as workspace:
            chosen = SearchFilter(
                classes=frozenset(wanted.epistemic_class),
                statuses=frozenset(wanted.status),
                entities=workspace.list_filter(entity=wanted.entity).entities,
                domains=frozenset(wanted.domain),
                sources=frozenset(wanted.source),
                since=wanted.since,
                until=wanted.until,
                visible_to=frozenset(wanted.visible_to),
            )
            hits = workspace.search(wanted.q, chosen, limit=wanted.limit, offset=wanted.offset)
        return validated(request, {"hits": plain(hits)})

    _add_lists(routes, base)

    @routes.get(
        "/objects/{object_id}",
        responses=gives(schema_of(ObjectReport), "The object from all sides.", validator=True, also=(403, 404)),
        response_class=Response,
    )
    def show(request: Request, object_id: str, wanted: Annotated[ShowQuery, Query()], caller: Reader) -> Response:
        """One object: statement, source, coordinate, scores, edges, history, and the exact terms of its K."""
        with base.reading(caller.principal) as workspace:
            found = workspace.show(object_id, trajectory=wanted.trajectory, since=wanted.since)
        return validated(request, plain(found))

    @routes.post(
        "/objects/{object_id}/why-not",
        responses=gives(schema_of(WhyNot), "The step at which the object fell out.", also=(403, 404)),
        response_class=Response,
    )
    def why_not(object_id: str, body: WhyNotBody, caller: Reader) -> Response:
        """Where an object fell out of the context for a question, with the parts of its score."""
        with base.reading(caller.principal) as workspace:
            found = workspace.why_not(object_id, body.question, budget_tokens=body.budget_tokens, profile=body.profile)
        return reply(plain(found))

    @routes.get("/status", responses=gives(schema_of(StatusReport), "The base at a glance.", validator=True), response_class=Response)
    def status(request: Request, caller: Reader) -> Response:
        """Counts by class, zone, status and source of what the key may see; the engine; for an admin, the ledger too."""
        with base.reading(caller.principal) as workspace:
            found = workspace.status()
        return validated(request, plain(found))

    return routes


def _add_lists(routes: APIRouter, base: ServedBase) -> None:
    def listing(name: str, request: Request, caller: Caller, wanted: ListQuery, found: Sequence[Any], ids: Sequence[str]) -> Response:
        part, headers = page(request, found, ids, limit=wanted.limit, cursor=wanted.cursor)
        return validated(request, {name: plain(list(part)), "total": len(found)}, headers=headers)

    @routes.get("/questions", responses=_list_of("questions", reference("KnowledgeObject")), response_class=Response)
    def questions(request: Request, wanted: Annotated[QuestionsQuery, Query()], caller: Reader) -> Response:
        """Open questions, most urgent first."""
        with base.reading(caller.principal) as workspace:
            found = workspace.questions(_filter(workspace, wanted), resolved=wanted.resolved)
        return listing("questions", request, caller, wanted, found, [each.object_id for each in found])

    @routes.get("/decisions", responses=_list_of("decisions", reference("KnowledgeObject")), response_class=Response)
    def decisions(request: Request, wanted: Annotated[DecisionsQuery, Query()], caller: Reader) -> Response:
        """Decisions in force, newest first."""
        with base.reading(caller.principal) as workspace:
            found = workspace.decisions(_filter(workspace, wanted), superseded=wanted.superseded)
        return listing("decisions", request, caller, wanted, found, [each.object_id for each in found])

    @routes.get("/contradictions", responses=_list_of("contradictions", schema_of(Contradiction)), response_class=Response)
    def contradictions(request: Request, wanted: Annotated[ListQuery, Query()], caller: Reader) -> Response:
        """Pairs that contradict each other and both stand, heaviest first."""
        with base.reading(caller.principal) as workspace:
            found = workspace.contradictions(_filter(workspace, wanted))
        return listing("contradictions", request, caller, wanted, found, [each.edge.edge_id for each in found])

    @routes.get("/stale", responses=_list_of("stale", schema_of(StaleObject)), response_class=Response)
    def stale(request: Request, wanted: Annotated[ListQuery, Query()], caller: Reader) -> Response:
        """What should not be relied on as it is: faded, or resting on something that has ended."""
        with base.reading(caller.principal) as workspace:
            found = workspace.stale(_filter(workspace, wanted))
        return listing("stale", request, caller, wanted, found, [each.knowledge_object.object_id for each in found])

    doubtful = schema_of(Doubtful)

    @routes.get("/review", responses=gives(closed({"review": listed(doubtful)}), "The queue.", validator=True), response_class=Response)
    def review_queue(request: Request, caller: Reader) -> Response:
        """What the machine is unsure of and what was proposed, what is most worth a look first."""
        with base.reading(caller.principal) as workspace:
            return validated(request, {"review": plain(workspace.review_queue())})

    @routes.get("/possible-contradictions", responses=_list_of("possible_contradictions", doubtful), response_class=Response)
    def possible_contradictions(request: Request, wanted: Annotated[ListQuery, Query()], caller: Reader) -> Response:
        """Pairs that may contradict each other, for a person to judge; nothing rests on them."""
        with base.reading(caller.principal) as workspace:
            found = workspace.possible_contradictions(_filter(workspace, wanted))
        return listing("possible_contradictions", request, caller, wanted, found, [each.review_id for each in found])

    raised = gives(closed({"raised_questions": listed(schema_of(RaisedQuestion))}), "The questions.", validator=True)

    @routes.get("/raised-questions", responses=raised, response_class=Response)
    def raised_questions(request: Request, caller: Reader) -> Response:
        """What was asked and found nothing, most demanded first; then what open contradictions ask."""
        with base.reading(caller.principal) as workspace:
            return validated(request, {"raised_questions": plain(workspace.raised_questions())})


def _list_of(name: str, schema: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    text = "One part of the list; the Link header leads to the next."
    return gives(closed({name: listed(schema), "total": _COUNT}), text, validator=True, also=(403, 404))


def _filter(workspace: Workspace, wanted: ListQuery) -> ListFilter:
    return workspace.list_filter(entity=wanted.entity, domain=wanted.domain, since=wanted.since, until=wanted.until)
