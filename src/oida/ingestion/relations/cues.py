"""The words that show a relation, one pattern a cue, each general to organisations and not to any one of them.

Precision before recall: what these miss, an entailment model may still find. Used by the other modules of this room.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Stance(StrEnum):
    """How a reply stands to what it answers."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    OPEN = "open"


class Change(StrEnum):
    """What a statement does to an earlier one of its kind."""

    ENDS = "ends"
    ALTERS = "alters"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_DISAGREES = _any(
    r"^(?:no|nope|nei|nein|non|nej)(?:[,.:;!]|\s[–—-]|\s(?:it|that|this|they|we|you|i|he|she|the)\b)",
    r"^(?:well,? )?actually,? (?:no|that|it|the)\b",
    r"\bi(?:'m| am)? (?:strongly |still |really )?(?:disagree|dispute|object|refute|contest)\b",
    r"\bi (?:don't|do not|can't|cannot) (?:buy|accept|agree|believe (?:that|this|it|the)|see it that way|share)\b",
    r"\b(?:that|this|it)(?:'s| is| was)(?: simply| just| plainly| clearly)? (?:not (?:true|right|correct|it|the (?:cause|case"
    r"|reason|problem)|what happened|how)"
    r"|wrong|false|incorrect|mistaken|untrue|nonsense|a myth)\b",
    r"\b(?:isn't|wasn't|is not|was not) (?:true|right|correct|the (?:cause|case|reason|problem|culprit|bottleneck))\b",
    r"\b(?:that|this|it) (?:doesn't|does not|can't|cannot) (?:be (?:right|true|it|the)|hold|add up|explain|match|fit)\b",
    r"\bcontrary to\b|\bcontradicts\b|\bcontradicted by\b|\brefut(?:es|ed)\b|\bdisproves?\b|\bdebunk",
    r"\b(?:is|are|was|were) (?:simply |plainly |just )?(?:wrong|mistaken|in error|false|made up|a fairy tale)\b",
    r"\bcan be (?:ruled out|acquitted|excluded)\b|\b(?:ruled|rule) out\b",
    r"\b(?:has|have|had) no (?:bearing|effect|influence|basis|ground)\b|\bno effect on\b|\bmade no difference\b",
    r"\bnothing to do with\b|\bso much for that\b|\bso it wasn't\b|\bwasn't it either\b",
    r"\bwe (?:measured|checked|tested|tried)(?: it| that| this)?,? (?:and|but) (?:it|that|this)(?:'s| is| was| did| does)? ?n(?:o"
    r"|')t\b",
    r"\bi would(?:n't| not) (?:call|say|go that far)\b|\bthat's not what\b|\bnot achievable\b|\bnot (?:realistic|feasible|tenable)\b",
    r"\bwrong (?:instrument|culprit|tool|question|number|figure|place|answer|approach|direction|call)\b",
    r"\bdas stimmt nicht\b|\bstimmer ikke\b|\bdet er feil\b|\bes stimmt nicht\b|\bc'est faux\b|\bno es cierto\b|\bklopt niet\b"
    r"|\bstämmer inte\b",
)
_DENIES = _any(
    r"\b(?:never|not|neither|nor|nothing|cannot|unchanged|anyway|aldri|ikke|nicht|kein\w*|jamais|aucune?|nunca|niet|inte)\b|n't\b",
    r"\bno (?:difference|bearing|effect|influence|sign|trace|evidence|reason|change|link|connection|correlation)\b",
    r"\b(?:the )?same (?:rate|within|as before|either way|in both)\b",
)
_AGREES = _any(
    r"^(?:yes|yep|yeah|ja|jepp|oui|si|sí|agreed|exactly|correct|confirmed|indeed|same here|true|right)\b(?! but\b)",
    r"\b(?:i|we) (?:fully |completely |can )?(?:agree|confirm|second|concur)\b",
    r"\b(?:confirms?|confirmed|corroborates?|backs? (?:that|this|it) up|bears? (?:that|this|it) out|in line with|consistent with)\b",
    r"\b(?:that|this|it) (?:matches|fits|explains)\b|\bsame (?:picture|pattern|result|finding|here)\b",
    r"\bwe see the same\b|\bcan confirm\b|\bproves (?:it|that|you|the point)\b|\bjust as (?:you|he|she|we|they) (?:said|expected"
    r"|feared|thought)\b",
)
_DISAGREES_BUT_AGREES = _any(
    r"\bi (?:don't|do not) disagree\b",
    r"\bno(?:thing)? wrong with\b",
    r"\bnot wrong\b",
    r"\bif (?:that|this|it)(?:'s| is) (?:wrong|false)\b",
)
_ASKS = re.compile(r"\?[\"'”’)\]]*\s*$")
_WHETHER = re.compile(
    r"(?:^|[,:;.!]\s+)(?:and |so |but |or )?(?:do|does|did|is|are|was|were|can|could|should|shall|will|would|may|has|have"
    r"|must)\b(?!n't)|\bor\b[^?]{0,80}\?",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(r"\b(?:that|this|it|its|no|nope|nei|nein|disagree|you|your)\b", re.IGNORECASE)
_HEDGES = _any(
    r"^(?:maybe|perhaps|possibly|not sure|i wonder|no idea|good question|dunno|i don't know|don't know|depends)\b",
    r"\b(?:not sure|no idea|i'll (?:check|ask|find out|look|see)|will (?:check|find out|look into)|let me (?:check|ask|look|see)"
    r"|need to (?:check|ask|find out))\b",
    r"\b(?:i'd|we'd|i would|we would|i could|we could)\b",
    r"\b(?:open|undecided|unclear|unresolved|nobody knows|don't know yet|remains to be seen|we'll see|to be (?:decided|confirmed"
    r"|clarified))\b",
)
_ALTERNATIVE = re.compile(
    r"^(?:or|or maybe|or else|or rather|alternatively|maybe it is not|maybe it isn't|perhaps it isn't)[, ]", re.IGNORECASE
)
_CONCLUDES = _any(
    r"^(?:so|then|therefore|thus|hence|consequently|accordingly|as a result|for (?:this|that) reason|because of (?:this|that)"
    r"|on (?:this|that) basis"
    r"|given (?:this|that|these|those)|that(?:'s| is) why|which is why|based on (?:this|that|these|those))\b"
)
_GIVES_REASON = _any(
    r"^(?:because|the reason(?:s)? (?:is|are|was|were)|reason:|this is because|that is because|that's because|it(?:'s| is) because"
    r"|the rationale|this follows from"
    r"|we (?:decided|chose|did) (?:this|that|so) because|the (?:main )?driver (?:is|was))\b"
)
_ENDS_SOMETHING = _any(
    r"\binstead of\b|\bin place of\b|\bin favour of\b|\bin favor of\b",
    r"\b(?:replaces|replaced|replacing|supersedes?|superseded|superseding|overrides?|overrules?|overturns?)\b(?! (?:it )?when\b)",
    r"\b(?:we|now|hereby) replace\b|\b(?:no longer|not any ?more)\b|n't (?:\w+ ){0,4}any ?more\b",
    r"\b(?:we(?:'re| are)?|i(?:'m| am)?|they(?:'re| are)?|has been|have been|is|are|was|were|be) (?:hereby |now |formally |finally )?"
    r"(?:dropp(?:ed|ing)|drop|scrapp(?:ed|ing)|scrap|cancell?(?:ed|ing)?|withdr(?:aw|awn|awing|ew)|rescind(?:ed|ing)?|revok(?:e|ed|ing)"
    r"|revers(?:e|ed|ing)|abolish(?:ed|ing)?|abandon(?:ed|ing)?|discontinu(?:e|ed|ing)|retir(?:e|ed|ing)|repeal(?:ed|ing)?|lifted"
    r"|obsolete"
    r"|removed|terminat(?:e|ed|ing)|suspended|put on hold|on hold|taken back|called off)\b",
    r"\boff the table\b|\b(?:is|are) history\b|\bhad its day\b|\bcall(?:ed|ing)? off\b|\btake back\b|\bgo(?:es|ing)? back on\b",
    r"\bstatt\b|\bi stedet for\b|\b(?:au|en) lieu d|\ben lugar de\b|\bin plaats van\b|\bi stället för\b|\bikke lenger\b|\bnicht mehr\b"
    r"|\bersetzt\b|\berstatte[rst]\b",
)
"""Words that end what was there before, whatever comes in its place."""

_ALTERS_SOMETHING = _any(
    r"(?<!\bto )\b(?:moves?|moved|shifted|slips?|slipped|slides?|slid|postponed?|pushed|brought forward|bring forward|rescheduled"
    r"|delayed"
    r"|deferred)\b"
    r".{0,40}\b(?:to|until|till)\b",
    r"\b(?:cut|reduced|raised|lowered|increased|extended|changed|shortened|limited|narrowed|widened|switched) (?:from .{1,40} )?to\b",
    r"\bnew (?:plan|date|deadline|rule|order|target|price|figure|number|policy|schedule|lead time|start(?:-up)? date)\b",
    r"\b(?:change of plan|changed (?:our|my) minds?|from now on|from today|with immediate effect|effective immediately)\b",
    r"\b(?:stops?|ends?) (?:until|for|after|immediately|now)\b|\breturn(?:s|ing)? to\b",
    r"\b(?:we|i) (?:don't|do not|won't|will not) (?:move|open|build|buy|hire|launch|ship|use|do|take|start)\b",
    r"\bnot (?:before|until) (?:the )?(?:\d|spring|summer|autumn|fall|winter|next|q[1-4]|january|february|march|april|may|june|july"
    r"|august"
    r"|september|october|november|december)",
)
"""Words that say that something is otherwise from now on; they need a closer likeness to what they alter."""

_DOUBTS = _any(
    r"\brisk(?:y|ier|iest)\b|\b(?:don't|do not|doesn't) need\b|\btoo (?:many|much|early|late|few|little|tight|short|long|soon"
    r"|expensive|optimistic)\b",
    r"\b(?:worr(?:y|ied|ies)|afraid|fear|concern(?:s|ed)?|not convinced|unconvinced|sceptical|skeptical|regret|mistake|bad idea"
    r"|overkill)\b",
    r"\b(?:won't|will not|can't|cannot|never) (?:work|hold|scale|last|happen|survive|be enough|end well)\b|\bpaying for\b"
    r"|\bpaying and not\b",
    r"\bfeels like\b.{0,40}\b(?:pay|los|wast|guess|punish|gambl)\w*|\bnot (?:enough|worth|ready|sure|what)\b"
    r"|\b(?:un)?realistic(?:ally)?\b"
    r"|\bhardest\b|\bwrong\b|\bworse\b|\bpointless\b|\bwaste\b",
)
"""Misgivings; they make a judgement in reply to a decision a dissent, and mean nothing elsewhere."""

_WITHDRAWS = _any(
    r"\bi(?:'m| am)? (?:formally |hereby |now )?withdraw(?:ing|n)? (?:the|my|that)\b",
    r"\b(?:we|i)(?:'re| are|'m| am)? (?:dropping|giving up|abandoning|discarding)(?: on)? (?:the|my|our|this|that)\b",
    r"\b(?:theory|hypothesis|suspicion|idea|explanation|assumption|guess)\b.{0,60}\b(?:is (?:dead|out|wrong|off|refuted|withdrawn"
    r"|dropped|ruled out)"
    r"|was (?:wrong|refuted)|didn't hold|doesn't hold|does not hold|did not hold|ruled out)\b",
    r"\b(?:is|was) (?:innocent|not the (?:cause|reason|culprit|bottleneck))\b|\bcan be (?:ruled out|acquitted)\b",
)
_BLOCKED = _any(
    r"\bblocked (?:by|on|until)\b|\bwaiting (?:for|on)\b|\bwaits (?:for|on)\b|\bheld up by\b|\bon hold (?:until|till)\b"
    r"|\bstuck (?:on|until|behind)\b|\bdepends on\b",
    r"\b(?:can't|cannot|won't|will not|must not|may not)\b.{0,80}\b(?:until|before|unless|without)\b|\bprovided\b|\bonly (?:if|when)\b",
)
_CORRECTION = re.compile(
    r"\b(?:and |but )?not (?P<wrong1>\d[\d.,]*)\s?(?P<unit1>%|percent|[a-z]{1,8})?(?:,? (?:but|rather)\b.{0,40})?|"
    r"\binstead of (?P<wrong2>\d[\d.,]*)\s?(?P<unit2>%|percent|[a-z]{1,8})?|"
    r"(?P<wrong3>\d[\d.,]*)\s?(?P<unit3>%|percent)? (?:is|was) (?:wrong|not (?:right|correct|true))\b",
    re.IGNORECASE,
)
_LINK_CUES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("supersedes", _any(r"\b(?:replaces?|supersedes?|superseding|instead of|obsoletes?|overrides?|reverses?)\b")),
    ("contradicts", _any(r"\b(?:contradicts?|contrary to|disagrees? with|refutes?|conflicts? with)\b")),
    ("implements", _any(r"\b(?:implements?|implementing|as decided in|carries out|puts .{1,30} into practice|answers|resolves)\b")),
    ("refines", _any(r"\b(?:amends?|refines?|narrows|extends|clarifies)\b")),
    (
        "based on",
        _any(
            r"\b(?:based on|because of|according to|as (?:measured|shown|found|described) in|following|in line with|builds on"
            r"|derived from)\b"
        ),
    ),
)


def stance_of(text: str) -> tuple[Stance, str]:
    """How a reply stands to what it answers, and the words that show it.

    >>> stance_of("I don't buy that, the doors were free.")
    (<Stance.DISAGREES: 'disagrees'>, "I don't buy")
    >>> stance_of("no problem, tomorrow then")[0]
    <Stance.OPEN: 'open'>
    """
    if asks(text):
        return Stance.OPEN, ""
    disagrees = None if _DISAGREES_BUT_AGREES.search(text) else _DISAGREES.search(text)
    if disagrees:
        return Stance.DISAGREES, disagrees[0]
    agrees = _AGREES.search(text)
    return (Stance.AGREES, agrees[0]) if agrees else (Stance.OPEN, "")


def denies(text: str) -> str:
    """The word with which a finding says that something is not so; "" if it does not or only asks."""
    return "" if asks(text) else _words(_DENIES, text)


def asks(text: str) -> bool:
    """Whether a text ends as a question."""
    return _ASKS.search(text) is not None


def asks_whether(text: str) -> bool:
    """Whether a question can be answered by yes or no, or by one of the things that it names.

    >>> asks_whether("do we keep it?"), asks_whether("How do we keep it?")
    (True, False)
    """
    return _WHETHER.search(text) is not None


def points_back(text: str) -> bool:
    """Whether a text speaks of what was said before it by a bare "that", "it" or "no"."""
    return _POINTS_BACK.search(text) is not None


def hedges(text: str) -> bool:
    """Whether a text says that it does not settle anything yet."""
    return _HEDGES.search(text) is not None


def offers_alternative(text: str) -> str:
    """The words with which a text puts another explanation in place of the one before it; "" if it does not."""
    return _words(_ALTERNATIVE, text)


def concludes(text: str) -> str:
    """The words with which a text draws a conclusion from what precedes it."""
    return _words(_CONCLUDES, text)


def gives_reason(text: str) -> str:
    """The words with which a text gives the reason for what precedes it."""
    return _words(_GIVES_REASON, text)


@dataclass(frozen=True, slots=True)
class ChangeCue:
    """The words that say that something changes, and the clause around them, which names what."""

    change: Change
    words: str
    clause: str


def changes(text: str) -> ChangeCue | None:
    """Whether a text ends or alters what was so before.

    >>> changes("We take Postgres, and Cockroach is off the table.")
    ChangeCue(change=<Change.ENDS: 'ends'>, words='off the table', clause=' and Cockroach is off the table')
    >>> changes("We order forty scanners")
    """
    if asks(text):
        return None
    for change, pattern in ((Change.ENDS, _ENDS_SOMETHING), (Change.ALTERS, _ALTERS_SOMETHING)):
        found = pattern.search(text)
        if found:
            start = max(text.rfind(mark, 0, found.start()) for mark in _CLAUSE_MARKS) + 1
            ends = [at for mark in _CLAUSE_MARKS if (at := text.find(mark, found.end())) >= 0]
            return ChangeCue(change, found[0].strip(), text[start : min(ends, default=len(text))])
    return None


_CLAUSE_MARKS = ",;:.("


def doubts(text: str) -> str:
    """The words of a misgiving; "" if a text has none."""
    return _words(_DOUBTS, text)


def withdraws(text: str) -> str:
    """The words with which somebody gives up an explanation or a plan."""
    return "" if asks(text) else _words(_WITHDRAWS, text)


def is_blocked(text: str) -> str:
    """The words that say that the statement's own subject is what waits."""
    return _words(_BLOCKED, text)


def corrected_figures(text: str) -> list[tuple[str, str, str]]:
    """(figure said to be wrong, its unit or "", the words) for each correction of a number.

    >>> corrected_figures("real staffing is at 84 % and not 96")
    [('96', '', 'and not 96')]
    """
    found = []
    for match in _CORRECTION.finditer(text):
        figure = next(filter(None, (match["wrong1"], match["wrong2"], match["wrong3"])))
        unit = next(filter(None, (match["unit1"], match["unit2"], match["unit3"])), "")
        found.append((figure.rstrip(".,"), unit.casefold(), match[0].strip()))
    return found


def link_cue(text: str) -> tuple[str, str]:
    """What a sentence around a link says about what it links to, and the words; ("", "") when it only points."""
    for name, pattern in _LINK_CUES:
        found = pattern.search(text)
        if found:
            return name, found[0]
    return "", ""


def _words(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[0].strip() if found else ""
