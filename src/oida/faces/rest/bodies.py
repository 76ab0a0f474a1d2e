"""What callers send: strict, closed shapes; anything else is refused before a verb sees it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from oida.model.access import Scope
from oida.model.edge import EdgeType
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass

MOST_TOKENS = 200_000


def _moment(given: Any) -> datetime:
    if isinstance(given, datetime):
        return given
    if not isinstance(given, str):
        raise ValueError("expected a time such as 2026-06-05T18:00:00+02:00")
    try:
        found = datetime.fromisoformat(given)
        if found.tzinfo is None:
            raise ValueError("no zone")
        if not 1970 <= found.astimezone(UTC).year <= 2100:
            raise ValueError("out of range")
    except (ValueError, OverflowError):
        raise ValueError("expected a time with its zone from 1970 to 2099, such as 2026-06-05T18:00:00+02:00") from None
    return found


Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({
        "type": "string",
        "pattern": r"^(19[7-9][1-9]|20[0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"
        r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](Z|[+-]0[0-9]:[0-5][0-9])$",
        "description": "A time with its zone (RFC 3339).",
        "examples": ["2026-06-05T18:00:00+02:00"],
    }),
]  # fmt: skip
Words = Annotated[str, Field(min_length=1, max_length=4000, pattern=r"\S")]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
Id = Annotated[str, Field(min_length=1, max_length=64)]
Group = Annotated[str, Field(min_length=1, max_length=200)]
ClassName = Annotated[EpistemicClass, Field(strict=False)]
EdgeName = Annotated[EdgeType, Field(strict=False)]
Ranking = Annotated[str, Field(min_length=1, max_length=64, description="default, equation-4, tag-and-boost or vesta:PRESET.")]


class Body(BaseModel):
    """Strict, and closed to what it does not name."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ContextBody(Body):
    """A question for which an agent wants its context."""

    question: Words
    budget_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = 3868
    as_of: Moment | None = None
    known_at: Moment | None = None
    profile: Ranking = "default"
    preview: bool = False
    shape: Literal["published", "whole"] = "published"


class AskBody(Body):
    """A question of a person."""

    question: Words
    as_of: Moment | None = None
    known_at: Moment | None = None
    profile: Ranking = "default"
    preview: bool = False
    shape: Literal["published", "whole"] = "published"


class ExplainBody(Body):
    """A question whose context is to be explained."""

    question: Words
    budget_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = 3868
    as_of: Moment | None = None
    known_at: Moment | None = None
    profile: Ranking = "default"


class WhyNotBody(Body):
    """A question, for which an object was expected in the context."""

    question: Words
    budget_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = 3868
    profile: Ranking = "default"


class OtherBody(Body):
    """What takes the place of an object or answers it: an object's id, or words of one's own."""

    by: Id | None = None
    text: Words | None = None


class ReclassifyBody(Body):
    """The right class."""

    epistemic_class: ClassName = Field(alias="class")


class VerdictBody(Body):
    """Whether an entry of the review queue is right, or which class its object really has."""

    accepted: bool
    epistemic_class: ClassName | None = Field(default=None, alias="class")


class AliasBody(Body):
    """What an alias stands for; none for itself again."""

    alias: Name
    means: Name | None = None


class JoinBody(Body):
    """Two people, by name, address or id, who are one."""

    first: Name
    second: Name


class RelateBody(Body):
    """Who acts on whom, and how."""

    source: Id
    type: EdgeName
    target: Id


class RelationBody(Body):
    """What a new statement does to an object."""

    type: EdgeName
    target: Id


class StatementBody(Body):
    """A statement in one's own words."""

    text: Words
    epistemic_class: ClassName | None = Field(default=None, alias="class")
    entity: Name | None = None
    domain: Name | None = None
    visible_to: Annotated[list[Group], Field(max_length=20)] = []
    relations: Annotated[list[RelationBody], Field(max_length=20)] = []


class ResolveProposal(Body):
    """That an object or some words answer a question."""

    verb: Literal["resolve"]
    question: Id
    by: Id | None = None
    text: Words | None = None


class SupersedeProposal(Body):
    """That an object or some words take the place of an object."""

    verb: Literal["supersede"]
    old: Id
    by: Id | None = None
    text: Words | None = None


class RelateProposal(RelateBody):
    """That one object acts on another."""

    verb: Literal["relate"]


class RecordProposal(StatementBody):
    """That a statement be recorded."""

    verb: Literal["record"]


ProposalBody = Annotated[RecordProposal | ResolveProposal | SupersedeProposal | RelateProposal, Field(discriminator="verb")]


class CycleBody(Body):
    """Whether every due grid point is run, or the next alone."""

    catch_up: bool = False


class ParametersBody(Body):
    """A preset of the engine's parameters, with half-lives of its own in some domains: DOMAIN:CLASS=DAYS each."""

    profile: Name
    half_lives: Annotated[list[Name], Field(max_length=1000)] = Field(default_factory=list)


class AccessBody(Body):
    """A principal and a visibility group."""

    name: Name
    group: Group


class RedactBody(Body):
    """What to erase: an object's whole item, or a source item."""

    object: Id | None = None
    source_item: Name | None = None


class VerifyBody(Body):
    """A head that was kept elsewhere, as POSITION:DIGEST, and whether the store looks through its own files for damage, too."""

    witness: Annotated[str, Field(max_length=200)] | None = None
    deep: bool = False


class WhatIfBody(Body):
    """A change as `oida what-if` writes it."""

    change: Words
    top: Annotated[int, Field(ge=1, le=100)] = 10


class CalibrateBody(Body):
    """What should come out of a calibration."""

    suppression_by_one: float = 0.22
    suppression_by_two: float | None = None
    supports_per_contradiction: float = 2.0
    reference_k: float = 0.5
    core_share: float | None = None


class IngestBody(Body):
    """Exports inside the server's import folder."""

    paths: Annotated[list[Name], Field(min_length=1, max_length=50)]
    source: Name | None = None
    zone: Name | None = None
    settle: bool = True


class Query(BaseModel):
    """Closed to parameters that it does not name."""

    model_config = ConfigDict(extra="forbid")


class ListQuery(Query):
    """Which part of a list is wanted."""

    entity: Name | None = None
    domain: Name | None = None
    since: Moment | None = None
    until: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    cursor: Annotated[str, Field(max_length=400)] | None = None


class QuestionsQuery(ListQuery):
    """Open questions, or the answered ones."""

    resolved: bool = False


class DecisionsQuery(ListQuery):
    """Decisions in force, or all of them."""

    superseded: bool = False


class SearchQuery(Query):
    """Words, and what a hit must be."""

    q: Words
    limit: Annotated[int, Field(ge=1, le=1000)] = 20
    epistemic_class: list[EpistemicClass] = Field(default=[], alias="class")
    status: list[Status] = []
    domain: list[Name] = []
    source: list[Name] = []
    entity: Name | None = None
    since: Moment | None = None
    until: Moment | None = None
    visible_to: list[Name] = []
    offset: Annotated[int, Field(ge=0, le=10_000)] = 0


class ShowQuery(Query):
    """Whether the way of K is wanted, and from when."""

    trajectory: bool = False
    since: Moment | None = None


class SyncBody(Body):
    """Which followed sources to read; none named means all."""

    names: Annotated[list[Name], Field(max_length=100)] = []
    retry_all: bool = False


class KeyBody(Body):
    """A key to be made."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$")]
    scopes: Annotated[list[Annotated[Scope, Field(strict=False)]], Field(min_length=1, max_length=4)]
    groups: Annotated[list[Group], Field(max_length=100)] = []
    expires_at: Moment | None = None
