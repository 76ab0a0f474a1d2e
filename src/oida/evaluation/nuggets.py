"""The judge that needs no model: gold annotation against a context or an answer, five sub-scores with their evidence.

It reads what a person would read, headings and sentences, and never asks for our class names: a plain sentence that says who decided
what, what is unsure and what nobody knows can score as high as any label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from oida.evaluation.eqs import ANCHORS, SubScore, composite
from oida.evaluation.gold import GoldOrganisation, GoldQuery
from oida.evaluation.matching import share_told, states, told_words
from oida.model.taxonomy import EpistemicClass

SHOWN = 0.6
"""A gold statement is shown by a passage that holds this share of its words."""

SUPPORTED = 0.7
"""A passage is supported when what it cites holds this share of its words."""

THRESHOLDS = (0.30, 0.60, 0.85)
"""From which share on a sub-score reaches its second, third and fourth anchor."""


class Standing(StrEnum):
    """How a reader takes a passage, in anybody's words."""

    BINDING = "binding"
    ESTABLISHED = "established"
    TENTATIVE = "tentative"
    OPEN = "open"
    ENDED = "ended"
    UNSAID = "unsaid"


STANDING_OF: Mapping[EpistemicClass, Standing] = MappingProxyType({
    EpistemicClass.DECISION: Standing.BINDING,
    EpistemicClass.CONSTRAINT: Standing.BINDING,
    EpistemicClass.EVIDENCE: Standing.ESTABLISHED,
    EpistemicClass.NARRATIVE: Standing.ESTABLISHED,
    EpistemicClass.PLAN: Standing.TENTATIVE,
    EpistemicClass.EVALUATION: Standing.TENTATIVE,
    EpistemicClass.OBSERVATION: Standing.TENTATIVE,
    EpistemicClass.HYPOTHESIS: Standing.TENTATIVE,
    EpistemicClass.QUESTION: Standing.OPEN,
})  # fmt: skip

_CUES: tuple[tuple[Standing, re.Pattern[str]], ...] = (
    (
        Standing.ENDED,
        re.compile(
            r"\b(?:supersed\w+|no longer|replaced|formerly|previously|used to|history|abandon\w*|given up|dropped|retract\w*|refut\w*"
            r"|overtaken|until then|was cancelled|outdated|obsolete|earlier (?:plan|decision|position))\b",
            re.IGNORECASE,
        ),
    ),
    (
        Standing.OPEN,
        re.compile(
            r"\b(?:open question|unanswered|not known|unknown|nobody knows|unclear|unresolved|undecided|knowledge gaps?|still open"
            r"|question|open)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Standing.TENTATIVE,
        re.compile(
            r"\b(?:plan\w*|intend\w*|intention|hypothes[ie]s|unverified|suspect\w*|suspicion|observ\w+|impression|seen|noticed|judg\w+"
            r"|evaluation|assessment|opinion|thinks?|believes?|may|might|probably|perhaps|likely|suggests?|expects?|proposal|proposed"
            r"|theory|claims?|contested|disputed)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Standing.BINDING,
        re.compile(
            r"\b(?:decisions?|decided|binding|in force|agreed|must|mandatory|rule|policy|constraint|not negotiable|required|requires"
            r"|committed|settled|approved|law|contract\w*)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Standing.ESTABLISHED,
        re.compile(
            r"\b(?:evidence|measured|verif\w+|data|recorded|shown|shows|found that|fact|background|documented|audit\w*|reported)\b",
            re.IGNORECASE,
        ),
    ),
)
_DISPUTE = re.compile(
    r"\b(?:contest\w*|disput\w*|contradict\w*|disagree\w*|conflict\w*|on the other hand|whereas|object\w*|challenge\w*|versus|but)\b",
    re.IGNORECASE,
)
_NO_GAP = re.compile(r"\bno open questions?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Passage:
    """One sentence or line as a reader meets it.

    `text` is what it says of the world; `frame` what is said about it: the heading above, the label before, the mark behind.
    `cited` holds the full texts of what it cites; empty when it cites nothing that exists.
    """

    text: str
    frame: str = ""
    cited: tuple[str, ...] = ()

    @property
    def standing(self) -> Standing:
        """How firmly it is put: by its frame, else by its own words; a question mark asks."""
        for words in (self.frame, self.text):
            found = _standing(words)
            if found is not Standing.UNSAID:
                return found
        return Standing.OPEN if self.text.rstrip().endswith("?") else Standing.UNSAID

    @property
    def speaks_of_dispute(self) -> bool:
        """Whether it says that something stands against something."""
        return bool(_DISPUTE.search(self.frame) or _DISPUTE.search(self.text))


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was asked of a text, with the passage that decided: `holds` is None where it did not apply."""

    asked: str
    holds: bool
    weight: float
    passage: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The anchored sub-scores of one text for one query, the shares behind them and every finding that made them.

    `declared_ignorance` in [0, 1] stands beside the composite, never in it; None where gold has no gap.
    """

    qid: str
    sub_scores: Mapping[SubScore, float]
    shares: Mapping[SubScore, float]
    findings: Mapping[SubScore, tuple[Finding, ...]]
    declared_ignorance: float | None
    composite: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "composite", composite(self.sub_scores))


def anchored(share: float) -> float:
    """A share in [0, 1] on the four anchors.

    >>> [anchored(share) for share in (0.0, 0.3, 0.6, 0.85)]
    [0.1, 0.4, 0.7, 1.0]
    """
    return ANCHORS[sum(share >= threshold for threshold in THRESHOLDS)]


def judge(passages: Sequence[Passage], query: GoldQuery, gold: GoldOrganisation) -> Judgement:
    """What a text is worth for a query, by the gold annotation."""
    shown = {gid: _showing(passages, gold.statements[gid].text) for gid in _spoken_of(query, gold)}
    findings = {
        SubScore.EPISTEMIC_CLASSIFICATION_ACCURACY: _told_apart(query, gold, shown),
        SubScore.CONTEXTUAL_PRECISION: _grounded(passages),
        SubScore.CONTEXTUAL_RECALL: _covered(passages, query, gold, shown),
        SubScore.EPISTEMIC_COHERENCE: _coherent(query, gold, shown),
        SubScore.DECISION_ENABLEMENT: _enabling(query, gold, shown),
    }
    shares = {name: _share(found, without=_WITHOUT_ANY[name], is_empty=not passages) for name, found in findings.items()}
    gaps = [bool(_open_ones(shown[gid])) for gid in query.gaps]
    return Judgement(
        qid=query.qid,
        sub_scores={name: anchored(share) for name, share in shares.items()},
        shares=shares,
        findings={name: tuple(found) for name, found in findings.items()},
        declared_ignorance=sum(gaps) / len(gaps) if gaps else None,
    )


_WITHOUT_ANY: Mapping[SubScore, float] = MappingProxyType({
    SubScore.EPISTEMIC_CLASSIFICATION_ACCURACY: 0.0,
    SubScore.CONTEXTUAL_PRECISION: 0.0,
    SubScore.CONTEXTUAL_RECALL: 0.0,
    SubScore.EPISTEMIC_COHERENCE: 1.0,
    SubScore.DECISION_ENABLEMENT: 1.0,
})  # fmt: skip
"""The share where nothing of the kind is asked: a query without tension cannot be answered incoherently."""


def _spoken_of(query: GoldQuery, gold: GoldOrganisation) -> list[str]:
    named = [*query.relevant, *query.in_force, *query.stale, *query.gaps, *(gid for pair in query.contested for gid in pair)]
    named += [blocker for gid in query.in_force for blocker in gold.blockers_of(gid)]
    return list(dict.fromkeys(named))


def _showing(passages: Sequence[Passage], text: str) -> list[Passage]:
    return [passage for passage in passages if share_told(text, passage.text) >= SHOWN]


def _told_apart(query: GoldQuery, gold: GoldOrganisation, shown: Mapping[str, list[Passage]]) -> list[Finding]:
    findings = []
    ended = set(query.stale)
    for gid in dict.fromkeys((*query.relevant, *query.in_force)):
        if not shown[gid]:
            continue
        wanted = Standing.ENDED if gid in ended else STANDING_OF[gold.statements[gid].epistemic_class]
        told = [passage for passage in shown[gid] if passage.standing is wanted]
        findings.append(Finding(f"{gid} is put as {wanted}", bool(told), 1.0, (told or shown[gid])[0].text))
    return findings


def _grounded(passages: Sequence[Passage]) -> list[Finding]:
    return [
        Finding("supported by what it cites", _is_supported(passage), 1.0, passage.text)
        for passage in passages
        if told_words(passage.text) and not _NO_GAP.search(passage.text)
    ]


def _is_supported(passage: Passage) -> bool:
    return any(share_told(passage.text, cited) >= SUPPORTED for cited in passage.cited)


def _covered(passages: Sequence[Passage], query: GoldQuery, gold: GoldOrganisation, shown: Mapping[str, list[Passage]]) -> list[Finding]:
    weights = query.weights()
    total = sum(weights.values())
    findings = [
        Finding(f"{gid} is there", bool(shown[gid]), weights[gid] / total, shown[gid][0].text if shown[gid] else "")
        for gid in query.relevant
    ]
    for nugget in query.nuggets:
        stating = [passage.text for passage in passages if states(nugget, passage.text)]
        findings.append(Finding(f"says: {nugget}", bool(stating), 1.0 / len(query.nuggets), stating[0] if stating else ""))
    return findings


def _coherent(query: GoldQuery, gold: GoldOrganisation, shown: Mapping[str, list[Passage]]) -> list[Finding]:
    findings = []
    for first, second in query.contested:
        both = shown[first] and shown[second]
        marked = [passage for passage in (*shown[first], *shown[second]) if passage.speaks_of_dispute]
        findings.append(Finding(f"{first} and {second} stand as contested", bool(both and marked), 1.0, marked[0].text if marked else ""))
    for gid in query.stale:
        current = [passage for passage in shown[gid] if passage.standing is not Standing.ENDED]
        findings.append(Finding(f"{gid} is not put as current", not current, 1.0, current[0].text if current else ""))
    return findings


def _enabling(query: GoldQuery, gold: GoldOrganisation, shown: Mapping[str, list[Passage]]) -> list[Finding]:
    findings = []
    for gid in query.in_force:
        firm = [passage for passage in shown[gid] if passage.standing in (Standing.BINDING, Standing.ESTABLISHED)]
        findings.append(Finding(f"{gid} stands as binding", bool(firm), 1.0, firm[0].text if firm else ""))
        for blocker in gold.blockers_of(gid):
            told = shown[blocker]
            findings.append(Finding(f"{blocker}, which bounds {gid}, is there", bool(told), 0.5, told[0].text if told else ""))
    for gid in query.gaps:
        told = _open_ones(shown[gid])
        findings.append(Finding(f"{gid} is declared as not known", bool(told), 1.0, told[0].text if told else ""))
    return findings


def _open_ones(passages: Sequence[Passage]) -> list[Passage]:
    return [passage for passage in passages if passage.standing is Standing.OPEN]


def _share(findings: Sequence[Finding], *, without: float, is_empty: bool) -> float:
    if is_empty:
        return 0.0
    total = sum(finding.weight for finding in findings)
    return sum(finding.weight for finding in findings if finding.holds) / total if total else without


def _standing(words: str) -> Standing:
    return next((standing for standing, cue in _CUES if cue.search(words)), Standing.UNSAID)
