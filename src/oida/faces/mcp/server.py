"""The MCP server: nine tools, five resources and three prompts over one served base.

Tools are few and say when to use them, because a model chooses by their descriptions. What they give quotes its sources, so that no text
in the store can pose as an instruction of the server. What a caller without the scope write says becomes a proposal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

import oida
from oida.faces.mcp.results import (
    ContextResult,
    ContradictionsResult,
    ListResult,
    ObjectResult,
    SearchResult,
    WriteResult,
    object_result,
    proposed,
    quoted_contradiction,
    quoted_object,
)
from oida.faces.serving.base import ServedBase
from oida.model.access import Scope
from oida.model.edge import EdgeType
from oida.model.errors import ForbiddenError, OidaError
from oida.model.identifiers import ObjectId
from oida.model.taxonomy import EpistemicClass
from oida.retrieval.context.render import NOTICE, render_markdown
from oida.workspace.access import Caller
from oida.workspace.correct import Correction
from oida.workspace.lists import ListFilter
from oida.workspace.workspace import Workspace

INSTRUCTIONS = f"""\
The memory of an organisation: what is decided, what is contested, what is stale, and what nobody knows.
Call `context` before you answer or decide anything about the organisation, and cite the ids it gives.
If it names an open question, say that this is not known; do not guess.
{NOTICE}"""

CallerOf = Callable[[Any], Caller]
"""Who calls, from the HTTP request that a call came with (None over stdio)."""

Question = Annotated[str, Field(min_length=1, max_length=4000, description="The question in plain words.")]
KnownId = Annotated[str, Field(min_length=1, max_length=64, description="The id of an object, such as ko-abc….")]
Statement = Annotated[str, Field(min_length=1, max_length=4000, description="One statement in plain words.")]
Limit = Annotated[int, Field(ge=1, le=100, description="At most this many.")]
Entity = Annotated[str | None, Field(max_length=200, description="Only about this entity, by name.")]
Domain = Annotated[str | None, Field(max_length=200, description="Only of this domain.")]
ClassName = Annotated[EpistemicClass | None, Field(description="One of the nine classes; left out, the classifier of the memory decides.")]

_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


def create_server(base: ServedBase, caller_of: CallerOf) -> MCPServer[Any]:
    """A server over a base, acting for whoever `caller_of` finds."""
    server: MCPServer[Any] = MCPServer("oida", title="OIDA", version=oida.__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    desk = _Desk(base, caller_of)
    _add_reading(server, desk)
    _add_lists(server, desk)
    _add_writing(server, desk)
    _add_resources(server, desk)
    _add_prompts(server)
    return server


class _Desk:
    """Opens the base for the caller of one tool call, and turns our errors into what a model can act on."""

    def __init__(self, base: ServedBase, caller_of: CallerOf) -> None:
        self.base = base
        self._caller_of = caller_of

    def caller(self, context: Context[Any, Any]) -> Caller:
        caller = self._caller_of(context.request_context.request)
        if not caller.may(Scope.READ):
            raise ForbiddenError("expected a key with the scope read")
        return caller

    @contextmanager
    def reading(self, context: Context[Any, Any]) -> Iterator[tuple[Workspace, Caller]]:
        with _told():
            caller = self.caller(context)
            with self.base.reading(caller.principal) as workspace:
                yield workspace, caller

    def write(self, context: Context[Any, Any], verb: str, given: dict[str, Any], act: Callable[[Workspace], Correction]) -> WriteResult:
        """Carry a verb out where the caller may write, else let it wait for a reviewer."""
        with _told():
            caller = self.caller(context)
            with self.base.writing(caller.principal) as workspace:
                if not caller.may(Scope.WRITE):
                    return proposed(workspace.propose(verb, **given))
                done = act(workspace)
        found = done.added or done.subject
        return WriteResult(outcome="recorded", id=found, message=f"Recorded in the name of {caller.principal.name}.")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OidaError as error:
        raise ToolError(f"{error.code}: {error}") from error


def _add_reading(server: MCPServer[Any], desk: _Desk) -> None:
    @server.tool(annotations=_READS)
    def context(
        ctx: Context[Any, Any],
        question: Question,
        budget_tokens: Annotated[int, Field(ge=100, le=50_000, description="Never exceeded.")] = 3868,
    ) -> Annotated[CallToolResult, ContextResult]:
        """What to know before answering or deciding: call this first, for any question about the organisation.

        Gives decisions and constraints in force, evidence, what is contested (both sides), plans and opinions marked as such, history, and
        the open questions that nobody has answered. Every line cites an id.
        """
        with desk.reading(ctx) as (workspace, caller):
            found = workspace.context(question, budget_tokens=budget_tokens, preview=True)
        desk.base.note_served(caller.principal, found.served_ids())
        markdown = render_markdown(found)
        result = ContextResult(
            question=question, markdown=markdown, tokens=found.tokens, budget_tokens=found.budget_tokens, cited=list(found.object_ids())
        )
        return CallToolResult(content=[TextContent(text=markdown)], structured_content=result.model_dump(mode="json", by_alias=True))

    @server.tool(annotations=_READS)
    def search(ctx: Context[Any, Any], words: Question, limit: Limit = 10) -> SearchResult:
        """Find statements by words or meaning, also superseded, retracted and dormant ones. For a question, use `context` instead."""
        with desk.reading(ctx) as (workspace, _):
            return SearchResult(hits=[quoted_object(hit.knowledge_object) for hit in workspace.search(words, limit=limit)])

    @server.tool(annotations=_READS)
    def show(ctx: Context[Any, Any], id: KnownId) -> ObjectResult:  # noqa: A002
        """One object by id: what supports and contradicts it, what replaced it, its history, and why it weighs what it weighs."""
        with desk.reading(ctx) as (workspace, _):
            return object_result(workspace.show(id))


def _add_lists(server: MCPServer[Any], desk: _Desk) -> None:
    @server.tool(annotations=_READS)
    def list_questions(ctx: Context[Any, Any], entity: Entity = None, domain: Domain = None, limit: Limit = 20) -> ListResult:
        """What nobody knows yet: open questions, most urgent first."""
        with desk.reading(ctx) as (workspace, _):
            found = workspace.questions(_filter(workspace, entity, domain))
        return ListResult(objects=[quoted_object(each) for each in found[:limit]], total=len(found))

    @server.tool(annotations=_READS)
    def list_decisions(ctx: Context[Any, Any], entity: Entity = None, domain: Domain = None, limit: Limit = 20) -> ListResult:
        """What is decided and in force, newest first."""
        with desk.reading(ctx) as (workspace, _):
            found = workspace.decisions(_filter(workspace, entity, domain))
        return ListResult(objects=[quoted_object(each) for each in found[:limit]], total=len(found))

    @server.tool(annotations=_READS)
    def list_contradictions(
        ctx: Context[Any, Any], entity: Entity = None, domain: Domain = None, limit: Limit = 20
    ) -> ContradictionsResult:
        """What is contested: pairs of statements that cannot both hold, the weightiest first."""
        with desk.reading(ctx) as (workspace, _):
            found = workspace.contradictions(_filter(workspace, entity, domain))
        return ContradictionsResult(contradictions=[quoted_contradiction(pair) for pair in found[:limit]], total=len(found))


def _add_writing(server: MCPServer[Any], desk: _Desk) -> None:
    @server.tool(annotations=_WRITES)
    def record_statement(
        ctx: Context[Any, Any], text: Statement, epistemic_class: ClassName = None, entity: Entity = None, supports: KnownId | None = None
    ) -> WriteResult:
        """Record one thing that was said, decided, observed or asked, in the words of a person. Not for your own guesses.

        With `supports`, the statement is evidence for that object. Without the right to write it waits for a reviewer.
        """
        relations = [(EdgeType.SUPPORTS, supports)] if supports else []
        given = {
            "text": text,
            "class": epistemic_class.value if epistemic_class else None,
            "entity": entity,
            "relations": [[kind.value, target] for kind, target in relations],
        }
        return desk.write(
            ctx,
            "record",
            given,
            lambda workspace: workspace.record_statement(text, epistemic_class=epistemic_class, entity=entity, relations=relations),
        )

    @server.tool(annotations=_WRITES)
    def answer_question(ctx: Context[Any, Any], question: KnownId, text: Statement | None = None, by: KnownId | None = None) -> WriteResult:
        """Answer an open question: with `text`, the decision in words, or with `by`, an object that is there already. Not both."""
        given = {"question": question, "text": text, "by": by}
        return desk.write(ctx, "resolve", given, lambda workspace: workspace.resolve(question, by=by, text=text))

    @server.tool(annotations=_WRITES)
    def report_contradiction(
        ctx: Context[Any, Any], target: KnownId, source: KnownId | None = None, text: Statement | None = None
    ) -> WriteResult:
        """Report what contradicts the object `target`: with `source`, another object; with `text`, a new observation. Not both."""
        if (source is None) == (text is None):
            raise ToolError("input: expected either source, an id, or text, not both and not neither")
        if source is not None:
            given: dict[str, Any] = {"source": source, "type": EdgeType.CONTRADICTS.value, "target": target}
            return desk.write(ctx, "relate", given, lambda workspace: workspace.relate(source, EdgeType.CONTRADICTS, target))
        assert text is not None
        given = {"text": text, "class": EpistemicClass.OBSERVATION.value, "relations": [[EdgeType.CONTRADICTS.value, target]]}
        return desk.write(
            ctx,
            "record",
            given,
            lambda workspace: workspace.record_statement(
                text, epistemic_class=EpistemicClass.OBSERVATION, relations=[(EdgeType.CONTRADICTS, target)]
            ),
        )


def _add_resources(server: MCPServer[Any], desk: _Desk) -> None:
    json_type = "application/json"

    @server.resource("oida://objects/{id}", mime_type=json_type, description="One object by id, from all sides.")
    def one_object(id: str, ctx: Context[Any, Any]) -> str:  # noqa: A002
        with desk.reading(ctx) as (workspace, _):
            return object_result(workspace.show(ObjectId(id))).model_dump_json(by_alias=True)

    @server.resource("oida://lists/{name}", mime_type=json_type, description="questions, decisions, contradictions or stale.")
    def one_list(name: str, ctx: Context[Any, Any]) -> str:
        with desk.reading(ctx) as (workspace, _):
            if name == "contradictions":
                pairs = workspace.contradictions()
                shown = [quoted_contradiction(pair) for pair in pairs[:100]]
                return ContradictionsResult(contradictions=shown, total=len(pairs)).model_dump_json(by_alias=True)
            lists = {
                "questions": workspace.questions,
                "decisions": workspace.decisions,
                "stale": lambda: [each.knowledge_object for each in workspace.stale()],
            }
            if name not in lists:
                raise ToolError(f"not-found: expected one of contradictions, {', '.join(lists)}, found {name!r}")
            found = lists[name]()
            return ListResult(objects=[quoted_object(each) for each in found[:100]], total=len(found)).model_dump_json(by_alias=True)


def _add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt(description="Brief me before a decision.")
    def brief(topic: str) -> str:
        return (
            f"I am about to decide on the following topic: {topic}\n"
            "Call `context` with it. Tell me what is in force, what is contested (both sides), what is stale, and what nobody knows. "
            "Cite the ids. Do not fill gaps with guesses."
        )

    @server.prompt(description="Settle a contradiction.")
    def settle_contradiction(id: str) -> str:  # noqa: A002
        return (
            f"Call `show` with {id}. Lay out both sides of what contradicts it, with the evidence for each and who said it when. "
            "Say what would settle it, and whom to ask. Record nothing."
        )

    @server.prompt(description="What should be answered next?")
    def open_questions(entity: str = "") -> str:
        about = f" about {entity}" if entity else ""
        return f"Call `list_questions`{about}. For the five most urgent, say what they block, who could answer, and what is known so far."


def _filter(workspace: Workspace, entity: str | None, domain: str | None) -> ListFilter:
    return workspace.list_filter(entity=entity, domain=domain)
