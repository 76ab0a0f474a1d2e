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
    (
        "gap",
        3.0,
        r"\b(don'?t|do not|did not|didn'?t|not) (we )?(yet )?know\b|\bunknowns?\b|\bignoran(t|ce)\b|"
        r"\b(nobody|no one) knows\b",
    ),
    (
        "gap",
        3.0,
        r"\b(open|unanswered|unresolved|outstanding) (question|issue|point)s?\b|"
        r"\bquestions? .{0,40}\b(open|unanswered)\b",
    ),
    ("gap", 3.0, r"\b(unclear|undefined|unanswered|unresolved|undecided|uncertain|missing|lacking|blind spots?|gaps?|holes?)\b"),
    ("gap", 2.5, r"\b(nobody|no one|none of us)\b|\bstill open\b|\bblock(s|ing|ed)\b|\bwarn(ed|ing)?\b|\bleft open\b"),
    ("gap", 2.0, r"^(is|are|does|do|has|have|can)\b.*\b(defined|settled|clarified|answered|covered|cover|keep)\b"),
    ("history", 3.0, r"\bhow (did|has|have|was|were)\b.*\b(change|mov|develop|evol|come about|shift|start|gr[eo]w|end(ed)? up)\w*"),
    (
        "history",
        3.0,
        r"\bwhat happened\b|\bhistory\b|\btimeline\b|\bused to\b|"
        r"\b(ruled out|rejected|dropped|abandoned|discarded|given up)\b",
    ),
    ("history", 2.0, r"\b(previous(ly)?|former(ly)?|original(ly)?|earlier|in the past)\b|\bbecame of\b"),
    ("history", 2.0, r"\bover (the )?(time|spring|summer|autumn|winter|year|months|weeks)\b|\bso far\b|\bsince (19|20)\d\d\b"),
    ("history", 1.5, r"^(what|which|who|where|how) (was|were)\b|\bbefore (the|we|it|they)\b"),
    (
        "contested",
        3.0,
        r"\b(contested|disputed?s?|disagree(s|d|ment)?|agree on|conflict(s|ing)?|contradict(s|ed|ion|ory|ions)?|controvers\w+)\b",
    ),
    (
        "contested",
        2.5,
        r"\b(really|actual(ly)?|in fact|true|both sides)\b|"
        r"\bwhich (number|figure|version) is (right|correct)\b|\bviews? (on|differ)\b",
    ),
    ("contested", 1.5, r"^(is|are|was|were|does|do|did|has|have|will)\b(?!.*\b(we|our|i)\b)"),
    (
        "constraint",
        3.0,
        r"\b(constraints?|limits?|requirements?|obligations?|obliged|regulations?|legal(ly)?|laws?|permits?|contractual(ly)?)\b",
    ),
    (
        "constraint",
        2.5,
        r"\b(must|mandatory|required?|prohibit(s|ed)?|forbid(s|den)?|prevents?|binds?|bind|comply|compliance|rules|maximum|minimum)\b",
    ),
    (
        "constraint",
        2.0,
        r"\b(may not|cannot|can'?t|(are|is) (we |it )?allowed|deadline|at most|at least|by when)\b|"
        r"^(may|are we allowed)\b",
    ),
    (
        "evidence",
        3.0,
        r"\b(evidence|proof|proven|prove[sd]?|measured?|measurements?|data|stud(y|ies)|numbers?|findings?|shows?|shown|supports?)\b",
    ),
    (
        "evidence",
        2.0,
        r"\b(what|which) (causes?|caused|makes?|made|explains?|find|found)\b|\bfind\b|\btrusted\b|"
        r"\bhow (do|can|did) we know\b",
    ),
    (
        "evidence",
        1.5,
        r"^why (did|do|does|are|is|was|were)\b|\bhow well\b|\bwhat do (customers|users|people)\b|"
        r"\breasons?\b|\bknow about\b",
    ),
    ("evidence", 1.0, r"^how (many|much|long|fast|often|far|large|big|high|old|reliable|good)\b"),
    ("plan", 3.0, r"\b(plan|plans|planned|next|roadmap|schedule[ds]?|milestones?|upcoming|intend(ed|s)?|target date)\b"),
    (
        "plan",
        2.0,
        r"\bwhen (will|does|do|can|may|is|are|should)\b|\bexpected\b|\b(which|what) dates?\b|"
        r"\bin (which|what) order\b|\bgoing to\b",
    ),
    ("plan", 1.5, r"\bhow (do|will|shall|can) we \w+\b|\bfrom when\b|\bwill we\b"),
    (
        "current-decision",
        3.0,
        r"\b(decide[ds]?|decisions?|choices?|chosen?|picked|(did|do) we (pick|choose|use)|"
        r"approve[ds]?|settled on|polic(y|ies)|sign(s|ed)? off|opted)\b",
    ),
    ("current-decision", 2.0, r"\b(current(ly)?|right now|at the moment|now|today|permanent|in force|still)\b"),
    ("current-decision", 2.0, r"^(do|does|are|is|can|may|should|shall|will|have)\b.*\b(we|our|i)\b"),
    (
        "current-decision",
        1.5,
        r"\b(which|what|who|how) .{0,40}\b(should|do we|are we|is on|has to|have to|does it pay)\b|\bwho (is|may|can|decides|owns|pays)\b",
    ),
    (
        "current-decision",
        1.5,
        r"^(which|what)\b.*\b(built|based|hosted|running|runs|written) (on|in|with)\b|"
        r"^(which|what)\b.*\b(do|does|are|is)\b.*\bus(e|es|ing)\b",
    ),
    (
        "current-decision",
        1.0,
        r"\bwhat is our\b|\bwhat (are|do|should) we\b|\bwhat happens\b|"
        r"\bhow (do|does|is|are) (the|our)\b|^can\b",
    ),
    (
        "narrative",
        3.0,
        r"\bwhere (does|did|do)\b.*\bcome from\b|\bbackground\b|\borigins?\b|\bstory\b|"
        r"\bcultur(e|al)\b|\bnewcomers?\b|\bfounded\b",
    ),
    (
        "narrative",
        3.0,
        r"\bwhat (does|do|did) .{1,40}\b(mean|stand for)\b|"
        r"\bwhy (is|are) (everyone|everybody|people)\b|\btraditions?\b",
    ),
    ("narrative", 2.5, r"\bwhy (does|do|did)\b.*\b(matter|mean|care|important|distrust|trust|love|hate|fear|avoid|resent)\b"),
    ("narrative", 2.5, r"\bwhat should .{0,30}\bknow about\b|\bwho (is|was|are|were) \w+( \w+)?\??$"),
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
