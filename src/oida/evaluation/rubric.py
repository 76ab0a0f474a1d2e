"""The judge that is a language model, as what it is told and what it may reply: blind, in anybody's words, each anchor justified.

Nothing here asks a model: a prompt goes out, a reply comes in. Next: `agreement`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oida.evaluation.eqs import ANCHORS, SubScore, composite
from oida.evaluation.gold import GoldOrganisation, GoldQuery
from oida.evaluation.nuggets import STANDING_OF, Passage, Standing
from oida.model.dialogue import Prompt
from oida.model.errors import InputError

LONGEST_JUSTIFICATION = 600
_SECTION = re.compile(r"^## ([A-Z]{2,3})$", re.MULTILINE)
_IN_WORDS: Mapping[Standing, str] = {
    Standing.BINDING: "decided or binding",
    Standing.ESTABLISHED: "established",
    Standing.TENTATIVE: "planned, judged, observed or suspected, not established",
    Standing.OPEN: "an open question",
    Standing.ENDED: "no longer holds",
    Standing.UNSAID: "said",
}


@dataclass(frozen=True, slots=True)
class Rubric:
    """What a judge is told: the rules, and for each sub-score what its anchors mean; `version` changes with any word."""

    version: str
    rules: str
    sections: Mapping[SubScore, str]

    def text(self, order: Sequence[SubScore]) -> str:
        """The instructions with the sub-scores in that order."""
        return "\n\n".join((self.rules, *(f"## {name.value}\n{self.sections[name]}" for name in order)))


def read_rubric(name: str, text: str) -> Rubric:
    r"""A rubric from its file; raises InputError where a sub-score has no section.

    >>> found = read_rubric("r_v1", "Be fair.\n## ECA\na\n## CP\nb\n## CR\nc\n## EC\nd\n## DE\ne\n")
    >>> found.rules, found.sections[SubScore.CONTEXTUAL_RECALL]
    ('Be fair.', 'c')
    """
    rules, *pieces = _SECTION.split(text)
    found = {pieces[at]: pieces[at + 1].strip() for at in range(0, len(pieces), 2)}
    missing = [each.value for each in SubScore if each.value not in found]
    if missing:
        raise InputError(f"expected a section of the rubric {name} for each sub-score; missing: {', '.join(missing)}")
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]
    return Rubric(f"{name}+{digest}", rules.strip(), {each: found[each.value] for each in SubScore})


def judging_prompt(
    rubric: Rubric, passages: Sequence[Passage], query: GoldQuery, gold: GoldOrganisation, *, order: Sequence[SubScore], repeat: int
) -> Prompt:
    """What a judge is asked about one text; it holds neither the condition nor the machine that wrote it.

    `repeat` is part of the version, so that a repeat is asked and not looked up.
    """
    lines = [f"QUESTION: {_one_line(query.text)}", "", "WHAT IS TRUE, BY THE ANNOTATORS:", *_known(query, gold), "", "BEGIN TEXT"]
    lines += [_told(passage) for passage in passages] or ["(empty)"]
    return Prompt(f"{rubric.version}#{repeat}", rubric.text(order), "\n".join((*lines, "END TEXT")), _SCHEMA)


def plain_text(passages: Sequence[Passage]) -> str:
    """A text as judges and people are shown it, a passage a line, without what it cites."""
    return "\n".join(f"{_one_line(each.frame)}: {_one_line(each.text)}" if each.frame else _one_line(each.text) for each in passages)


def plain_truth(query: GoldQuery, gold: GoldOrganisation) -> str:
    """What is true about a question, as judges and people are told it."""
    return "\n".join(_known(query, gold))


def _known(query: GoldQuery, gold: GoldOrganisation) -> list[str]:
    """The annotation in plain words, nothing of our classes in it."""
    lines = []
    for gid in dict.fromkeys((*query.relevant, *query.in_force, *query.gaps, *query.stale)):
        each = gold.statements[gid]
        ended = gid in query.stale or each.status != "active"
        standing = Standing.ENDED if ended else STANDING_OF[each.epistemic_class]
        importance = "relevant" if gid in query.relevant else "must not stand as current" if gid in query.stale else "matters"
        lines.append(f"- ({_IN_WORDS[standing]}; {importance}) {_one_line(each.text)}")
    for first, second in query.contested:
        lines.append(f"- (disputed) {_one_line(gold.statements[first].text)} / {_one_line(gold.statements[second].text)}")
    return [*lines, *(f"- (a good text says) {_one_line(nugget)}" for nugget in query.nuggets)]


def _told(passage: Passage) -> str:
    """A passage with what is said about it, and what it cites where that is not what it says."""
    said = _one_line(passage.text)
    head = f"{_one_line(passage.frame)}: {said}" if passage.frame else said
    if not passage.cited:
        return f"{head} [cites nothing]"
    cited = _one_line(" ".join(passage.cited))
    return f"{head} [word for word from its source]" if said in cited else f"{head} [cites: {cited[:400]}]"


def _one_line(text: str) -> str:
    return " ".join(text.split())


_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": [each.value for each in SubScore],
    "properties": {
        each.value: {
            "type": "object",
            "additionalProperties": False,
            "required": ["justification", "anchor"],
            "properties": {"justification": {"type": "string"}, "anchor": {"type": "number", "enum": list(ANCHORS)}},
        }
        for each in SubScore
    },
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's anchors for one text, each with its justification."""

    sub_scores: Mapping[SubScore, float]
    justifications: Mapping[SubScore, str]

    @property
    def composite(self) -> float:
        """EQS of the anchors."""
        return composite(self.sub_scores)


def read_verdict(text: str) -> Verdict | None:
    """The verdict in a reply; None for anything but five known anchors, each with a justification.

    >>> read_verdict('{"ECA": 1.0}') is None
    True
    """
    try:
        raw = json.loads(text)
        anchors = {each: float(raw[each.value]["anchor"]) for each in SubScore}
        reasons = {each: str(raw[each.value]["justification"]).strip() for each in SubScore}
    except (ValueError, KeyError, TypeError):
        return None
    if any(value not in ANCHORS for value in anchors.values()) or not all(reasons.values()):
        return None
    return Verdict(anchors, {each: reason[:LONGEST_JUSTIFICATION] for each, reason in reasons.items()})
