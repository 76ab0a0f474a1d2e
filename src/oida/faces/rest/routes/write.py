"""Routes by which people and agents correct the memory, or propose to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Response
from pydantic import BaseModel

from oida.faces.rest.bodies import Body, OtherBody, ProposalBody, ReclassifyBody, RelateBody, StatementBody, VerdictBody
from oida.faces.rest.describe import gives
from oida.faces.rest.guard import caller_with
from oida.faces.rest.once import once
from oida.faces.rest.replies import reply
from oida.faces.schema import closed, listed, reference, schema_of
from oida.faces.serving.base import ServedBase
from oida.faces.wire import plain
from oida.model.access import Proposal, Scope
from oida.workspace.access import Caller
from oida.workspace.correct import Correction
from oida.workspace.workspace import Workspace

Reader = Annotated[Caller, Depends(caller_with(Scope.READ))]
Writer = Annotated[Caller, Depends(caller_with(Scope.WRITE))]
Reviewer = Annotated[Caller, Depends(caller_with(Scope.REVIEW))]
Position = Annotated[int, Path(ge=1, le=1 << 53)]
RequestKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", min_length=1, max_length=200, description="The same request under the same key is carried out once."),
]
_CORRECTED = gives(
    closed({"correction": schema_of(Correction), "object": reference("KnowledgeObject")}),
    "What it did, and the object as it is now.",
    also=(403, 404, 409),
)
_PROPOSED = gives(closed({"proposal": schema_of(Proposal)}), "The proposal as it stands.", also=(403, 404, 409))
_REPLAYED = {"Idempotent-Replayed": "true"}


def write_routes(base: ServedBase) -> APIRouter:
    """Routes for keys with the scopes write and review, and proposals for those without."""
    routes = APIRouter(tags=["write"])

    def corrected(caller: Caller, request_key: str | None, asked: list[Any], correction: Callable[[Workspace], Correction]) -> Response:
        with base.writing(caller.principal) as workspace:
            outcome, replayed = once(workspace, request_key, asked, lambda: plain(correction(workspace)))
            found = workspace.reading().one(outcome["added"] or outcome["subject"])
        return reply({"correction": outcome, "object": plain(found)}, headers=_REPLAYED if replayed else None)

    @routes.post("/statements", responses=_CORRECTED, response_class=Response)
    def record_statement(body: StatementBody, caller: Writer, request_key: RequestKey = None) -> Response:
        """Record a statement in your own words; without a class the classifier gives it one."""

        def act(workspace: Workspace) -> Correction:
            return workspace.record_statement(
                body.text,
                epistemic_class=body.epistemic_class,
                entity=body.entity,
                domain=body.domain,
                visible_to=frozenset(body.visible_to),
                relations=[(relation.type, relation.target) for relation in body.relations],
            )

        return corrected(caller, request_key, ["record", _json(body)], act)

    @routes.post("/objects/{object_id}/resolve", responses=_CORRECTED, response_class=Response)
    def resolve(object_id: str, body: OtherBody, caller: Writer, request_key: RequestKey = None) -> Response:
        """Answer a question with an object, or with a decision in your own words."""
        asked = ["resolve", object_id, _json(body)]
        return corrected(caller, request_key, asked, lambda workspace: workspace.resolve(object_id, by=body.by, text=body.text))

    @routes.post("/objects/{object_id}/supersede", responses=_CORRECTED, response_class=Response)
    def supersede(object_id: str, body: OtherBody, caller: Writer, request_key: RequestKey = None) -> Response:
        """Put an object, or a statement in your own words, in the place of another."""
        asked = ["supersede", object_id, _json(body)]
        return corrected(caller, request_key, asked, lambda workspace: workspace.supersede(object_id, by=body.by, text=body.text))

    @routes.post("/objects/{object_id}/reclassify", responses=_CORRECTED, response_class=Response)
    def reclassify(object_id: str, body: ReclassifyBody, caller: Writer, request_key: RequestKey = None) -> Response:
        """Correct an object's class: a new object of that class supersedes it."""
        asked = ["reclassify", object_id, _json(body)]
        return corrected(caller, request_key, asked, lambda workspace: workspace.reclassify(object_id, body.epistemic_class))

    @routes.post("/objects/{object_id}/retract", responses=_CORRECTED, response_class=Response)
    def retract(object_id: str, body: Body, caller: Writer, request_key: RequestKey = None) -> Response:
        """Say that an object is wrong."""
        return corrected(caller, request_key, ["retract", object_id], lambda workspace: workspace.retract(object_id))

    @routes.post("/review/{review_id}", responses=_CORRECTED, response_class=Response)
    def decide(review_id: str, body: VerdictBody, caller: Reviewer, request_key: RequestKey = None) -> Response:
        """Accept or reject an entry of the review queue, or say which class its object really has."""
        asked = ["decide", review_id, _json(body)]
        return corrected(
            caller, request_key, asked, lambda workspace: workspace.decide(review_id, accepted=body.accepted, as_class=body.epistemic_class)
        )

    @routes.post("/undo/{position}", responses=_CORRECTED, response_class=Response)
    def undo(position: Position, body: Body, caller: Writer, request_key: RequestKey = None) -> Response:
        """Take back a correction by an inverse event; `position` is where its last event stands in the ledger."""
        return corrected(caller, request_key, ["undo", position], lambda workspace: workspace.undo(position))

    @routes.post("/edges/{edge_id}/retract", responses=_CORRECTED, response_class=Response)
    def retract_edge(edge_id: str, body: Body, caller: Writer, request_key: RequestKey = None) -> Response:
        """Say that an edge is wrong; what it had ended comes back."""
        return corrected(caller, request_key, ["retract", edge_id], lambda workspace: workspace.retract(edge_id))

    @routes.post("/objects/{object_id}/abandon", responses=_CORRECTED, response_class=Response)
    def abandon(object_id: str, body: Body, caller: Writer, request_key: RequestKey = None) -> Response:
        """Say that a plan or a hypothesis was given up."""
        return corrected(caller, request_key, ["abandon", object_id], lambda workspace: workspace.abandon(object_id))

    @routes.post("/objects/{object_id}/reinstate", responses=_CORRECTED, response_class=Response)
    def reinstate(object_id: str, body: Body, caller: Writer, request_key: RequestKey = None) -> Response:
        """Take back an earlier retraction or abandonment."""
        return corrected(caller, request_key, ["reinstate", object_id], lambda workspace: workspace.reinstate(object_id))

    @routes.post("/objects/{object_id}/confirm", responses=_CORRECTED, response_class=Response)
    def confirm(object_id: str, body: Body, caller: Writer, request_key: RequestKey = None) -> Response:
        """Say that an object still holds."""
        return corrected(caller, request_key, ["confirm", object_id], lambda workspace: workspace.confirm(object_id))

    @routes.post("/edges", responses=_CORRECTED, response_class=Response)
    def relate(body: RelateBody, caller: Writer, request_key: RequestKey = None) -> Response:
        """Say that one object acts on another."""
        asked = ["relate", _json(body)]
        return corrected(caller, request_key, asked, lambda workspace: workspace.relate(body.source, body.type, body.target))

    _add_proposals(routes, base, corrected)
    return routes


def _add_proposals(
    routes: APIRouter, base: ServedBase, corrected: Callable[[Caller, str | None, list[Any], Callable[[Workspace], Correction]], Response]
) -> None:
    @routes.post("/proposals", responses=_PROPOSED, response_class=Response)
    def propose(body: ProposalBody, caller: Reader, request_key: RequestKey = None) -> Response:
        """Let a write wait for a reviewer: nothing of it is in the memory until it is accepted. Needs no scope but read."""
        given = _json(body)
        if "relations" in given:
            given["relations"] = [[relation["type"], relation["target"]] for relation in given["relations"]]
        verb = given.pop("verb")
        with base.writing(caller.principal) as workspace:
            outcome, replayed = once(
                workspace, request_key, ["propose", verb, given], lambda: {"proposal": workspace.propose(verb, **given).proposal_id}
            )
            found = workspace.store.proposals.find(outcome["proposal"])
        return reply({"proposal": plain(found)}, headers=_REPLAYED if replayed else None)

    @routes.get(
        "/proposals",
        responses=gives(closed({"proposals": listed(schema_of(Proposal))}), "What waits, oldest first."),
        response_class=Response,
    )
    def proposals(caller: Reviewer) -> Response:
        """What waits for a reviewer, oldest first."""
        with base.reading(caller.principal) as workspace:
            found = workspace.proposals()
        return reply({"proposals": plain(found)})

    @routes.post("/proposals/{proposal_id}/accept", responses=_CORRECTED, response_class=Response)
    def accept(proposal_id: str, body: Body, caller: Reviewer, request_key: RequestKey = None) -> Response:
        """Carry a proposal out in the reviewer's name, with the proposer as the author of its words."""
        return corrected(caller, request_key, ["accept", proposal_id], lambda workspace: workspace.accept(proposal_id))

    @routes.post("/proposals/{proposal_id}/reject", responses=_PROPOSED, response_class=Response)
    def reject(proposal_id: str, body: Body, caller: Reviewer) -> Response:
        """Decide that nothing comes of a proposal; its text is erased."""
        with base.writing(caller.principal) as workspace:
            found = workspace.reject(proposal_id)
        return reply({"proposal": plain(found)})


def _json(body: BaseModel) -> dict[str, Any]:
    return body.model_dump(mode="json", by_alias=True)
