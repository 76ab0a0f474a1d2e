"""What kind of answer a question wants, from its wording alone (spec section 6).

A table of cues, each a pattern with a weight; the intent with most weight wins, ties go to the one that stands first. That something is
contested seldom shows in a question: the ranking finds it out, so the intent `contested` needs an explicit word.
"""

from __future__ import annotations

import re

from oida.model.taxonomy import EpistemicClass

INTENTS = (
    "gap",
    "history",
    "contested",
    "constraint",
    "evidence",
    "plan",
    "current-decision",
    "narrative",
    "general",
)

_CUES: tuple[tuple[str, float, str], ...] = (
    ("gap", 3.0, r"\b(don'?t|do not|did not|didn'?t|not) (we )?(yet )?know\b|\bunknown\b|\bnobody knows\b|\bno one knows\b"),
    ("gap", 3.0, r"\b(open|unanswered|unresolved|outstanding) (question|issue|point)s?\b|\bquestions? .{0,40}\b(open|unanswered)\b"),
    ("gap", 3.0, r"\b(unclear|undefined|unanswered|unresolved|undecided|missing|blind spots?)\b"),
    ("gap", 2.0, r"\b(nobody|no one|none of us)\b|\bstill open\b|\bblock(s|ing) us\b|\bwarn\b|\bown(s|ed)? by nobody\b"),
    ("gap", 2.0, r"^(is|are|does|do|has|have|can)\b.*\b(defined|settled|clarified|answered|covered|cover|keep)\b"),
    ("history", 3.0, r"\bhow (did|has|have)\b.*\b(change|changed|move|moved|develop|developed|evolve|evolved|come about|shift|shifted)\b"),
    ("history", 3.0, r"\bwhat happened\b|\bhistory\b|\btimeline\b|\bused to\b|\bruled out\b|\bpreviously\b|\bformerly\b|\boriginally\b"),
    (
        "history",
        2.0,
        r"\bover (the )?(time|spring|summer|autumn|winter|year|months|weeks)\b|\bso far\b|\b(earlier|former|previous|abandoned)\b",
    ),
    ("contested", 3.0, r"\b(contested|disputed?|disagree(s|d|ment)?|conflict(s|ing)?|contradict(s|ed|ion|ory)?|controvers\w+)\b"),
    ("contested", 2.0, r"\b(is it (really )?true|which (number|figure|version) is (right|correct)|both sides|views? (on|differ))\b"),
    ("constraint", 3.0, r"\b(constraints?|hard limits?|limits?|requirements?|obligations?|regulations?|legally|law|laws|permits?)\b"),
    ("constraint", 2.5, r"\b(must|mandatory|required|prohibited|forbidden|prevents?|binds?|bind|comply|compliance|rules)\b"),
    ("constraint", 1.5, r"\b(may not|cannot|can'?t|allowed|deadline|at most|at least|by when)\b"),
    ("evidence", 3.0, r"\b(evidence|proof|proven|prove[sd]?|measured?|measurements?|data|stud(y|ies)|figures?|findings?|shows?|shown)\b"),
    ("evidence", 2.0, r"\b(what|which) (causes?|caused|makes?|made|explains?|find|found)\b|\bfind\b|\btrusted\b|\bhow (do|can) we know\b"),
    ("evidence", 1.5, r"^why (did|do|does|are|is)\b|\bhow well\b|\bwhat do (we|customers|users|people)\b|\breasons?\b|\bknow about\b"),
    ("plan", 3.0, r"\b(plan|plans|planned|next steps?|roadmap|schedule[ds]?|milestones?|upcoming|intend(ed|s)?)\b"),
    ("plan", 2.0, r"\bwhen (will|does|do|can|may|is|are|should)\b|\bexpected\b|\bwhich dates?\b|\bin (which|what) order\b|\bgoing to\b"),
    ("plan", 1.0, r"\bhow (do|will) we (replace|roll|migrate|get|move)\b|\bfrom when\b|\bstart\b"),
    ("current-decision", 3.0, r"\b(decide[ds]?|decisions?|chosen?|chose|approved?|agreed?|polic(y|ies)|sign(s|ed)? off)\b"),
    ("current-decision", 2.0, r"\b(current(ly)?|right now|at the moment|now|today|permanent|in force|still)\b"),
    ("current-decision", 1.5, r"^(do|does|are|is|can|may|should|will)\b|\b(which|what|who) .{0,40}\b(should|do we|are we|is on|signs)\b"),
    ("current-decision", 1.0, r"\bhow (do|does|are|is|many|much) (we|our|the)?\b|\bwhat is (our|the)\b|\bwhat happens\b"),
    (
        "narrative",
        3.0,
        r"\bwhere (does|did|do)\b.*\bcome from\b|\bbackground\b|\borigins?\b|\bstory\b|\bculture\b|\bnewcomers?\b|\bmean to\b",
    ),
    (
        "narrative",
        3.0,
        r"\bwhat (does|do|did) .{1,40}\bmean\b|\bwhy (is|are) (everyone|everybody|we|people)\b|\bwho (is|was|are|were) \w+\??$",
    ),
    ("narrative", 2.5, r"\bwhy (does|do|did)\b.*\b(matter|mean|care|important)\b|\bwhat should .{0,30}\bknow about\b"),
)

_PATTERNS = tuple((intent, weight, re.compile(pattern)) for intent, weight, pattern in _CUES)

_CLASS_WORDS: tuple[tuple[EpistemicClass, str], ...] = (
    (EpistemicClass.QUESTION, r"\b(open|unanswered|unresolved) questions?\b"),
    (EpistemicClass.DECISION, r"\b(which|what|list|all|our|the) decisions?\b"),
    (EpistemicClass.CONSTRAINT, r"\b(which|what|list|all|our|the) (hard )?(constraints?|limits?|requirements?|rules)\b"),
    (EpistemicClass.EVIDENCE, r"\b(which|what|list|all|any|have) evidence\b|\bproof\b"),
    (EpistemicClass.PLAN, r"\b(what|which|list|all|our|the) plans?\b|\bnext steps?\b"),
    (EpistemicClass.HYPOTHESIS, r"\b(which|what|list|all|our|the) (hypothes[ei]s|theor(y|ies)|explanations?)\b"),
    (EpistemicClass.OBSERVATION, r"\b(which|what|list|all) observations?\b"),
    (EpistemicClass.EVALUATION, r"\b(which|what|list|all) (evaluations?|assessments?|opinions?)\b"),
)

_CLASSES = tuple((epistemic_class, re.compile(pattern)) for epistemic_class, pattern in _CLASS_WORDS)

assert {intent for intent, _, _ in _CUES} == set(INTENTS) - {"general"}


def intent_of(text: str) -> str:
    """One of INTENTS; `general` when no cue shows.

    >>> intent_of("What don't we know about the noise permit?"), intent_of("Moss")
    ('gap', 'general')
    """
    plain = " ".join(text.casefold().replace("’", "'").split())
    weights = dict.fromkeys(INTENTS, 0.0)
    for intent, weight, pattern in _PATTERNS:
        if pattern.search(plain):
            weights[intent] += weight
    best = max(weights.values())
    return next(intent for intent in INTENTS if weights[intent] == best) if best > 0.0 else "general"


def class_asked_for(text: str) -> EpistemicClass | None:
    """The class that a question names outright; None when it names none or more than one.

    >>> class_asked_for("Which decisions bind Moss?")
    <EpistemicClass.DECISION: 'DECISION'>
    """
    plain = text.casefold()
    named = [epistemic_class for epistemic_class, pattern in _CLASSES if pattern.search(plain)]
    return named[0] if len(named) == 1 else None
