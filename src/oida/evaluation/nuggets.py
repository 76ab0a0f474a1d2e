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
from oida.evaluation.matching import figures, likeness, share_told, states, told_words
from oida.model.taxonomy import EpistemicClass

SHOWN = 0.6
"""A gold statement is shown by a passage that holds this share of its words."""

LOOKS_ALIKE = 0.4
"""Two gold statements may be taken for each other when one holds this share of the other's words."""

SUPPORTED = 0.7
"""A passage is supported when what it cites holds this share of its words, words of standing aside, and every figure."""

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

_SAID_ANYWHERE: tuple[tuple[Standing, str], ...] = (
    (
        Standing.ENDED,
        r"supersed\w+|no longer|replaced|formerly|previously|used to|abandon\w*|given up|dropped|retract\w*|refut\w*|overtaken|until then"
        r"|was cancelled|outdated|obsolete|rejected|withdrawn|has been answered|was answered"
        r"|(?:earlier|former|old) (?:plan|decision|position|idea)",
    ),
    (
        Standing.OPEN,
        r"open question|unanswered|not known|unknown|nobody knows|no one knows|unclear|unresolved|undecided"
        r"|knowledge gaps?|(?:still|remains?) open"
        r"|not (?:yet )?(?:been )?(?:settled|decided|answered)",
    ),
    (
        Standing.TENTATIVE,
        r"plan(?:s|ned)?|intend\w*|intention|hypothes[ie]s|unverified|suspect\w*|suspicion|impression|noticed|judge[sd]?|judgement|observ\w+"
        r"|evaluation|assessment|opinion|thinks?|believes?|might|probably|perhaps|likely|suggests?|expects?|proposal|proposed|theory|claims?",
    ),
    (
        Standing.BINDING,
        r"decided|decision|binding|in force|agreed|must|mandatory|not negotiable|required|requires|committed|settled|approved|obliged",
    ),
    (
        Standing.ESTABLISHED,
        r"evidence|measured|measurement|verif\w+|recorded|shown|shows|found that|documented|audit\w*|reported",
    ),
)
"""Words that say how firmly something is put, whether they stand before a sentence or in it."""

_SAID_IN_A_FRAME: Mapping[Standing, str] = MappingProxyType({
    Standing.ENDED: r"history|past|ended|answered",
    Standing.OPEN: r"questions?|open|gaps?",
    Standing.TENTATIVE: r"seen|may|weak|plan\w*",
    Standing.BINDING: r"decisions|rules?|policy|constraints?|law|contract\w*",
    Standing.ESTABLISHED: r"data|facts?|background|context",
})  # fmt: skip
"""Words that say so only before a sentence or behind it: in one they may be what it is about."""


def _cues(extra: Mapping[Standing, str]) -> tuple[tuple[Standing, re.Pattern[str]], ...]:
    return tuple(
        (standing, re.compile(rf"\b(?:{words}{'|' + extra[standing] if standing in extra else ''})\b", re.IGNORECASE))
        for standing, words in _SAID_ANYWHERE
    )


_FRAME_CUES = _cues(_SAID_IN_A_FRAME)
_TEXT_CUES = _cues({})
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
        for words, cues in ((self.frame, _FRAME_CUES), (self.text, _TEXT_CUES)):
            found = next((standing for standing, cue in cues if cue.search(words)), Standing.UNSAID)
            if found is not Standing.UNSAID:
                return found
        if self.text.rstrip().endswith("?"):
            return Standing.OPEN
        return Standing.TENTATIVE if self.speaks_of_dispute else Standing.UNSAID

    @property
    def speaks_of_dispute(self) -> bool:
        """Whether it says that something stands against something."""
        return bool(_DISPUTE.search(self.frame) or _DISPUTE.search(self.text))


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was asked of a text, with the passage that decided."""

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
    rivals = _rivals(gold, _spoken_of(query, gold))
    shown = {gid: _showing(passages, gold.statements[gid].text, others) for gid, others in rivals.items()}
    findings = {
        SubScore.EPISTEMIC_CLASSIFICATION_ACCURACY: _told_apart(query, gold, shown),
        SubScore.CONTEXTUAL_PRECISION: _grounded(passages, query),
        SubScore.CONTEXTUAL_RECALL: _covered(passages, query, shown),
        SubScore.EPISTEMIC_COHERENCE: _coherent(query, shown),
        SubScore.DECISION_ENABLEMENT: _enabling(passages, query, gold, shown),
    }
    shares = {name: _share(found, without=_WITHOUT_ANY[name], is_empty=not passages) for name, found in findings.items()}
    gaps = [_is_most(_open_ones(shown[gid]), shown[gid]) for gid in query.gaps]
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


def _rivals(gold: GoldOrganisation, gids: Sequence[str]) -> dict[str, list[str]]:
    """For each statement the texts of those that a reader could take for it: a decision and the one that replaced it, say."""
    texts = {gid: statement.text for gid, statement in gold.statements.items()}
    return {gid: [text for other, text in texts.items() if other != gid and share_told(texts[gid], text) >= LOOKS_ALIKE] for gid in gids}


def _showing(passages: Sequence[Passage], text: str, rivals: Sequence[str]) -> list[Passage]:
    """The passages that say a statement, without those that say one that looks like it better."""
    found = [passage for passage in passages if share_told(text, passage.text) >= SHOWN]
    return [passage for passage in found if all(likeness(text, passage.text) >= likeness(rival, passage.text) for rival in rivals)]


def _told_apart(query: GoldQuery, gold: GoldOrganisation, shown: Mapping[str, list[Passage]]) -> list[Finding]:
    findings = []
    for gid in dict.fromkeys((*query.relevant, *query.in_force)):
        if shown[gid]:
            wanted = _wanted(gid, query, gold)
            told = [passage for passage in shown[gid] if _is_put_as(passage, wanted)]
            findings.append(Finding(f"{gid} is put as {wanted}", _is_most(told, shown[gid]), 1.0, (told or shown[gid])[0].text))
    return findings


def _wanted(gid: str, query: GoldQuery, gold: GoldOrganisation) -> Standing:
    statement = gold.statements[gid]
    has_ended = gid in query.stale or statement.status != "active"
    return Standing.ENDED if has_ended else STANDING_OF[statement.epistemic_class]


def _is_put_as(passage: Passage, wanted: Standing) -> bool:
    """A plain assertion puts its content as established; what was refuted may also stand in a dispute."""
    if wanted is Standing.ENDED and passage.speaks_of_dispute:
        return True
    return passage.standing is wanted or (wanted is Standing.ESTABLISHED and passage.standing is Standing.UNSAID)


def _is_most(told: Sequence[Passage], shown: Sequence[Passage]) -> bool:
    """Whether most of the passages that say a thing put it so: who says it in every way at once has told nothing apart."""
    return 2 * len(told) > len(shown)


def _grounded(passages: Sequence[Passage], query: GoldQuery) -> list[Finding]:
    findings = [
        Finding("supported by what it cites", _is_supported(passage), 1.0, passage.text)
        for passage in passages
        if told_words(passage.text) - _WORDS_OF_STANDING and not _NO_GAP.search(passage.text)
    ]
    return findings + [Finding("nothing is denied that gold has open", False, 1.0, denial) for denial in _denials(passages, query)]


def _denials(passages: Sequence[Passage], query: GoldQuery) -> list[str]:
    """What says that no question is open where gold has one."""
    return [passage.text for passage in passages if _NO_GAP.search(passage.text)] if query.gaps else []


def _is_supported(passage: Passage) -> bool:
    cited = " ".join(passage.cited)
    words = told_words(passage.text) - _WORDS_OF_STANDING
    held = told_words(cited)
    return bool(cited) and len(words & held) >= SUPPORTED * len(words) and figures(passage.text) <= held


_WORDS_OF_STANDING = told_words(
    "decided decision decisions binding force agreed must rule settled approved planned plan intends intended suspect "
    "suspects suspected thinks believes observed observation noticed measured measurement evidence recorded reported shows "
    "unknown unclear open question unanswered nobody knows whether yet known still longer replaced superseded dropped "
    "abandoned earlier former formerly used history contested disputed dispute first second following contradicts disagree "
    "disagrees whereas however while against says said holds now but though because since"
)
"""What a writer adds to say how firmly a thing stands; it needs no source of its own."""


def _covered(passages: Sequence[Passage], query: GoldQuery, shown: Mapping[str, list[Passage]]) -> list[Finding]:
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


def _coherent(query: GoldQuery, shown: Mapping[str, list[Passage]]) -> list[Finding]:
    findings = []
    for first, second in query.contested:
        both = shown[first] and shown[second]
        marked = [passage for passage in (*shown[first], *shown[second]) if passage.speaks_of_dispute]
        findings.append(Finding(f"{first} and {second} stand as contested", bool(both and marked), 1.0, marked[0].text if marked else ""))
    for gid in query.stale:
        current = [passage for passage in shown[gid] if not _is_put_as(passage, Standing.ENDED)]
        findings.append(Finding(f"{gid} is not put as current", not current, 1.0, current[0].text if current else ""))
    return findings


def _enabling(passages: Sequence[Passage], query: GoldQuery, gold: GoldOrganisation, shown: Mapping[str, list[Passage]]) -> list[Finding]:
    findings = []
    for gid in query.in_force:
        firm = [passage for passage in shown[gid] if passage.standing in (Standing.BINDING, Standing.ESTABLISHED)]
        findings.append(Finding(f"{gid} stands as binding", _is_most(firm, shown[gid]), 1.0, firm[0].text if firm else ""))
        for blocker in gold.blockers_of(gid):
            told = shown[blocker]
            findings.append(Finding(f"{blocker}, which bounds {gid}, is there", bool(told), 0.5, told[0].text if told else ""))
    for gid in query.gaps:
        told = _open_ones(shown[gid])
        findings.append(Finding(f"{gid} is declared as not known", _is_most(told, shown[gid]), 1.0, told[0].text if told else ""))
    return findings + [Finding("no gap is denied", False, 1.0, denial) for denial in _denials(passages, query)]


def _open_ones(passages: Sequence[Passage]) -> list[Passage]:
    return [passage for passage in passages if passage.standing is Standing.OPEN]


def _share(findings: Sequence[Finding], *, without: float, is_empty: bool) -> float:
    if is_empty:
        return 0.0
    total = sum(finding.weight for finding in findings)
    return sum(finding.weight for finding in findings if finding.holds) / total if total else without
