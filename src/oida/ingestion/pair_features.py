"""What two statements show on their faces about their relation: shared words, order in time, negation, figures, cues of each side.

The pair model weighs these beside the vectors. Training and inference both come through here. Next in the flow: `relate`.
"""

from __future__ import annotations

import math
import re

from oida.ingestion.cues import CUES
from oida.ingestion.guard import Said, Verdict, conflicting_quantities, judge_pair
from oida.ingestion.quantities import same_quantity
from oida.ingestion.relations.cues import (
    Change,
    Stance,
    asks,
    changes,
    concludes,
    denies,
    doubts,
    gives_reason,
    hedges,
    is_blocked,
    points_back,
    stance_of,
    withdraws,
)
from oida.ingestion.relations.likeness import roots_of

PAIR_FEATURES_VERSION = "1"
"""Rises whenever a feature changes its meaning; weights are trained for one version."""

_CUE_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE if name != "must in capitals" else 0) for name, pattern in CUES)
_PAIR_CUES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("not", r"\b(?:not|no|never|none|nobody|nothing|neither|without|cannot)\b|n't\b"),
        ("not but", r"\bnot\b.{1,50}\bbut\b|\brather than\b|\b(?:and|,) not\b"),
        (
            "disputes",
            r"\b(?:wrong|false|incorrect|not true|not so|disput\w+|contradict\w*|disagree|can'?t be|cannot be"
            r"|nonsense|deny|denied|contrary|no truth|mistaken|set .{1,12} straight|correct the|don'?t buy"
            r"|surpris\w+|doubt)\b",
        ),
        ("cause", r"\b(?:because|caus\w+|reason|due to|to blame|behind|stems? from|fault|responsible)\b"),
        (
            "replaces",
            r"\b(?:instead|replac\w+|supersed\w+|no longer|any ?more|cancel\w*|revok\w+|withdraw\w*|lifted"
            r"|overrul\w+|drop(?:s|ped)?|scrap\w*)\b",
        ),
        (
            "takes effect",
            r"\b(?:as of|from (?:now|today|monday|tuesday|wednesday|thursday|friday|the|\d|next|january|february"
            r"|march|april|may|june|july|august|september|october|november|december)|effective|starting|since"
            r"|with immediate effect|now)\b",
        ),
        (
            "except",
            r"\b(?:except|only|unless|apart from|other than|but not|provided|limited to|in particular|specifically"
            r"|namely|more precisely)\b",
        ),
        ("so", r"^(?:so|therefore|hence|thus|consequently|that'?s why|given|in view of|since|as a result|which means|it follows|with)\b"),
        (
            "follows",
            r"\b(?:therefore|hence|thus|consequently|so we|it follows|means that|implies|must have|that leaves"
            r"|would be|at this rate|works out)\b",
        ),
        (
            "blocks",
            r"\b(?:until|cannot start|can'?t (?:start|go|begin|be)|blocked|on hold|held up|stuck|waiting for|missing"
            r"|refus\w+|stopped|prevents?|no permit|not allowed|forbid\w*|prohibit\w*|out of stock|broken)\b",
        ),
        (
            "enables",
            r"\b(?:allows?|lets?|enables?|makes? (?:it )?possible|so that|now (?:we )?can|ready|in place|available"
            r"|granted|approved|signed|installed|released|can (?:now|finally))\b",
        ),
        ("before", r"\b(?:before|first|then|afterwards|after|once|prior to|following|next|followed|preced\w+|later)\b"),
        (
            "does it",
            r"\b(?:done|installed|ordered|set up|rolled out|switched|booked|sent|trained|hired|implemented|built"
            r"|started|begun|went live|put up|in place)\b",
        ),
        ("quotes", r"\b(?:according to|claims?|says|writes|maintains|believes|convinced|rumou?r|allegedly|quote)\b"),
        ("repeats", r"\b(?:as i said|as (?:in|per) my|again|same as|repeat\w*|once more|see my|keep saying)\b"),
        (
            "joke",
            r"\b(?:oh (?:wonderful|great|yes|sure)|of course|at last|finally|brilliant|wonderful|obviously"
            r"|congratulations|thanks (?:to|for)|sure)\b",
        ),
        ("too", r"\b(?:also|too|as well|likewise|same (?:here|with|in)|another|similarly|confirms?|confirmed|matches|agrees|indeed)\b"),
        ("figures", r"\b(?:counted|measured|found|showed|shows|sample|survey|test\w*|audit|data|log|of the|out of|average|median)\b"),
        ("should", r"\b(?:should|must|may not|shall|ought|needs? to|have to|has to|required?|limit)\b"),
        ("will", r"\b(?:will|going to|plan\w*|by (?:monday|friday|the end|june|july|september)|next (?:week|month|year))\b"),
        ("decided", r"\b(?:decid\w+|agreed|approved|chose|we (?:use|take|buy|switch|move|keep|stop|close)|rejected|resolved)\b"),
        ("think", r"\b(?:think|probably|maybe|suspect|might|could be|guess|believe|seems?|looks like|my bet)\b"),
        ("all", r"\b(?:all|every\w*|always|entire|whole|each|any)\b"),
        ("none", r"\b(?:no|none|nobody|never|nothing|zero)\b"),
    )
)
_SIDES = ("a", "b")

PAIR_FEATURE_NAMES: tuple[str, ...] = (
    *(f"{side}: {name}" for side in _SIDES for name, _ in _PAIR_CUES),
    *(f"{side} cue: {name}" for side in _SIDES for name, _ in CUES),
    *(
        f"{side}: {name}"
        for side in _SIDES
        for name in (
            "asks",
            "hedges",
            "concludes",
            "gives reason",
            "blocked",
            "points back",
            "denies",
            "doubts",
            "withdraws",
            "agrees",
            "disagrees",
            "ends",
            "alters",
            "figures per word",
            "length",
        )
    ),
    "shared words",
    "words of a in b",
    "words of b in a",
    "shared names",
    "names apart",
    "a later",
    "same day",
    "days apart",
    "a earlier",
    "same speaker",
    "shared periods",
    "periods apart",
    "equal figures",
    "conflicting figures",
    "figures of one unit",
    "negation differs",
    "b asks, a does not",
    "later and replaces",
    "later and takes effect",
    "denies shared words",
    *(f"guard: {verdict.value}" for verdict in Verdict),
)


def pair_features(a: Said, b: Said) -> tuple[float, ...]:
    """One number for each of PAIR_FEATURE_NAMES, each within [0, 1].

    >>> from datetime import date
    >>> from oida.ingestion.guard import read_said
    >>> day = date(2026, 4, 20)
    >>> len(pair_features(read_said("No.", day), read_said("Yes.", day))) == len(PAIR_FEATURE_NAMES)
    True
    """
    cues = [[pattern.search(said.text) is not None for _, pattern in _PAIR_CUES] for said in (a, b)]
    finding = judge_pair(a, b)
    values: list[float] = [float(found) for side in cues for found in side]
    values += [float(pattern.search(said.text) is not None) for said in (a, b) for pattern in _CUE_PATTERNS]
    values += [value for said in (a, b) for value in _side(said)]
    values += _between(a, b, dict(zip((name for name, _ in _PAIR_CUES), cues[0], strict=True)))
    values += [float(finding.verdict is verdict) for verdict in Verdict]
    return tuple(values)


def _side(said: Said) -> list[float]:
    stance, _ = stance_of(said.text)
    change = changes(said.text)
    words = max(1, len(said.text.split()))
    return [
        float(asks(said.text)),
        float(hedges(said.text)),
        float(bool(concludes(said.text))),
        float(bool(gives_reason(said.text))),
        float(bool(is_blocked(said.text))),
        float(points_back(said.text)),
        float(bool(denies(said.text))),
        float(bool(doubts(said.text))),
        float(bool(withdraws(said.text))),
        float(stance is Stance.AGREES),
        float(stance is Stance.DISAGREES),
        float(change is not None and change.change is Change.ENDS),
        float(change is not None and change.change is Change.ALTERS),
        min(1.0, 4.0 * len(said.quantities) / words),
        min(1.0, words / 40.0),
    ]


def _between(a: Said, b: Said, a_cues: dict[str, bool]) -> list[float]:
    mine, theirs = roots_of(a.text), roots_of(b.text)
    shared = mine & theirs
    days = (a.said_on - b.said_on).days
    figures_a, figures_b = ([q for q in said.quantities if not q.names] for said in (a, b))
    equal = any(same_quantity(x, y) and x.unit == y.unit for x in figures_a for y in figures_b)
    one_unit = bool({q.unit for q in figures_a} & {q.unit for q in figures_b})
    return [
        len(shared) / max(1, len(mine | theirs)),
        len(shared) / max(1, len(mine)),
        len(shared) / max(1, len(theirs)),
        float(bool(a.names & b.names)),
        float(bool(a.names and b.names and not a.names & b.names)),
        float(days > 0),
        float(days == 0),
        min(1.0, math.log1p(abs(days)) / 8.0),
        float(days < 0),
        float(bool(a.speaker) and a.speaker == b.speaker),
        float(bool(a.periods & b.periods)),
        float(bool(a.periods and b.periods and not a.periods & b.periods)),
        float(equal),
        float(conflicting_quantities(a, b) is not None),
        float(one_unit),
        float(bool(denies(a.text)) != bool(denies(b.text))),
        float(asks(b.text) and not asks(a.text)),
        float(days > 0 and a_cues["replaces"]),
        float(days > 0 and a_cues["takes effect"]),
        float(bool(denies(a.text)) and len(shared) >= 2),
    ]
