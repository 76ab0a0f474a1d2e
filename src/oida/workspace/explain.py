"""Why a context is what it is: how the question was read, what the ranking weighed, and each shown object's score in its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from oida.model.query import AgentContext, RankedObject, Ranking
from oida.retrieval import FusionProfile, HybridProfile, TagAndBoostProfile, Understanding, VestaProfile, profile_named
from oida.retrieval.ranking.vesta import COMPONENTS


@dataclass(frozen=True, slots=True)
class NameRead:
    """A name of the base that the question uses, its role, what it means where it is another name for it, and whether it was misspelt."""

    role: str
    name: str
    meant: str
    misspelt: bool


@dataclass(frozen=True, slots=True)
class ContextExplanation:
    """What was understood ("" and none for what the question leaves open), the ranking with its weights, and what is shown, best first.

    `looks_back` is the period that the question asks about, as first and last day. `ranked` counts the candidates, `shown` holds those
    that stand in the context.
    """

    intent: str
    entity: str
    domain: str
    epistemic_class: str
    epoch: str
    depth: int | None
    author: str
    anchors: tuple[str, ...]
    names: tuple[NameRead, ...]
    looks_back: tuple[str, str] | None
    profile: str
    weights: Mapping[str, float]
    ranked: int
    shown: tuple[RankedObject, ...]


def explain(
    understood: Understanding,
    ranking: Ranking,
    context: AgentContext,
    *,
    profile: str,
    entity_name: Callable[[str], str],
    person_name: Callable[[str], str],
) -> ContextExplanation:
    """The explanation of a context by what it was made from; nothing in it is of what the asker may not see."""
    query, shown, period = ranking.query, frozenset(context.object_ids()), understood.time.period
    names = [NameRead("entity", each.name, entity_name(each.target), each.misspelt) for each in understood.entities]
    names += [NameRead("domain", each.name, each.target, each.misspelt) for each in understood.domains]
    names += [NameRead("person", each.name, person_name(each.target), each.misspelt) for each in understood.people]
    return ContextExplanation(
        intent=query.intent,
        entity=entity_name(query.entity) if query.entity else "",
        domain=query.domain or "",
        epistemic_class=query.epistemic_class.value if query.epistemic_class else "",
        epoch=query.epoch or "",
        depth=query.depth,
        author=person_name(query.author) if query.author else "",
        anchors=tuple(sorted(query.anchors)),
        names=tuple(names),
        looks_back=(period.start.date().isoformat(), period.end.date().isoformat()) if period else None,
        profile=ranking.profile,
        weights=_weights_of(profile, intent=query.intent),
        ranked=len(ranking.objects),
        shown=tuple(each for each in ranking.objects if each.knowledge_object.object_id in shown),
    )


def _weights_of(name: str, *, intent: str) -> dict[str, float]:
    """The weights by which a ranking sums up the parts of a score."""
    profile = profile_named(name, intent=intent)
    if isinstance(profile, VestaProfile):
        return dict(zip(COMPONENTS, profile.weights, strict=True))
    assert isinstance(profile, FusionProfile | HybridProfile | TagAndBoostProfile)
    values = {each.name: getattr(profile, each.name) for each in fields(profile)}
    if isinstance(profile, HybridProfile):
        values |= {f"attention_{each.name}": getattr(profile.attention, each.name) for each in fields(profile.attention)}
    return {each: value for each, value in values.items() if isinstance(value, float)}
