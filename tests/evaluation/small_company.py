"""A small organisation of our own writing, with one question asked of it and answers of every quality."""

from __future__ import annotations

import json
from typing import Any

from oida.evaluation.gold import GoldOrganisation, read_organisation

STATEMENTS: dict[str, tuple[str, str, str]] = {
    "g1": ("DECISION", "active", "From May the bakery delivers with two electric vans leased from Norden Leasing."),
    "g2": ("DECISION", "superseded", "The bakery delivers with three diesel vans bought second hand."),
    "g3": ("CONSTRAINT", "active", "No vehicle may load in Mill Street before 06:00."),
    "g4": ("EVIDENCE", "active", "The trial van used 31 kWh on the 118 km north route."),
    "g5": ("OBSERVATION", "active", "Drivers came back with a nearly empty battery on frosty mornings."),
    "g6": ("EVALUATION", "active", "The charging post in the yard is strong enough for both vans overnight."),
    "g7": ("OBSERVATION", "active", "The charging post tripped the fuse twice when both vans were plugged in."),
    "g8": ("QUESTION", "active", "Who pays for a stronger grid connection in the yard?"),
    "g9": ("PLAN", "active", "Solveig wants to try a cargo bike for the harbour cafés in July."),
}
EDGES = [("g1", "SUPERSEDES", "g2"), ("g3", "BLOCKS", "g1"), ("g7", "CONTRADICTS", "g6"), ("g4", "SUPPORTS", "g1")]
QUERY: dict[str, Any] = {
    "qid": "q1",
    "query": "How does the bakery deliver, and will the charging hold?",
    "as_of": None,
    "kind": "current-decision",
    "relevant": ["g1", "g4", "g6", "g7", "g8"],
    "in_force": ["g1"],
    "stale": ["g2"],
    "contested": [["g6", "g7"]],
    "gaps": ["g8"],
    "nuggets": ["two electric vans leased from Norden", "31 kWh on the 118 km route"],
}

PERFECT = """## Decisions and constraints in force
- [g1] DECISION, binding: “From May the bakery delivers with two electric vans leased from Norden Leasing.”
- [g3] CONSTRAINT, not negotiable: “No vehicle may load in Mill Street before 06:00.”
## Evidence
- [g4] EVIDENCE, verifiable: “The trial van used 31 kWh on the 118 km north route.”
## Contested
- the first contradicts the second
  - [g7] OBSERVATION, weak signal, contested: “The charging post tripped the fuse twice when both vans were plugged in.”
  - [g6] EVALUATION, judged, contested: “The charging post in the yard is strong enough for both vans overnight.”
## History, no longer in force
- [g2] DECISION, superseded by g1: “The bakery delivers with three diesel vans bought second hand.”
## Knowledge gaps
- [g8] QUESTION, open: “Who pays for a stronger grid connection in the yard?”
"""

PLAIN = """They have agreed that from May the bakery delivers with two electric vans leased from Norden Leasing (g1). \
Nothing about that changes the rule that no vehicle may load in Mill Street before 06:00 (g3). \
The three diesel vans bought second hand, with which the bakery used to deliver, were replaced (g2). \
On the north route of 118 km the trial van used 31 kWh (g4).

Mette thinks the charging post in the yard is strong enough for both vans overnight (g6), but that is disputed. \
Others noticed that the charging post tripped the fuse twice when both vans were plugged in (g7). \
Nobody knows yet who pays for a stronger grid connection in the yard (g8).
"""

STALE = """The bakery has decided to deliver with three diesel vans bought second hand [g2].
"""

ONE_SIDED = PERFECT.replace(
    "  - [g7] OBSERVATION, weak signal, contested: “The charging post tripped the fuse twice when both vans were plugged in.”\n", ""
)

GAP_BLIND = PERFECT.replace(
    "- [g8] QUESTION, open: “Who pays for a stronger grid connection in the yard?”", "No open question is recorded on this."
)

HALLUCINATED = """It was decided to buy seven hydrogen trucks from Voltaris for 2.4 million crowns [g1].
Measurements prove that the trucks save 80 % of the fuel on the western route [g4].
The municipality has promised to pay every permit until 2031 [h1].
"""

EVERY_STANDING = "".join(
    f"{frame}: “{text}” [{gid}]\n"
    for gid, (_, _, text) in STATEMENTS.items()
    for frame in ("Decided and binding", "Open question", "No longer in force", "Suspected", "Measured")
)

FILLER = "".join(
    f"In lane {number} the weather, the flour and the apprentices went on as they do, so somebody wrote a note about it.\n"
    for number in range(400)
)


def company() -> GoldOrganisation:
    def record(gid: str) -> str:
        kind, status, text = STATEMENTS[gid]
        return json.dumps({
            "gid": gid, "text": text, "source": f"docs/{gid}.md", "author": "Mette", "date": f"2026-04-0{gid[1]}T09:00:00+02:00",
            "class": kind, "entity": "bakery", "domain": "operations", "status": status, "stakes": 0.5,
        })  # fmt: skip

    return read_organisation(
        "bakery",
        statements=[record(gid) for gid in STATEMENTS],
        edges=[json.dumps({"src": src, "type": kind, "dst": dst, "cue": "explicit"}) for src, kind, dst in EDGES],
        queries=[json.dumps(QUERY)],
    )


def sources() -> dict[str, str]:
    return {gid: text for gid, (_, _, text) in STATEMENTS.items()}
