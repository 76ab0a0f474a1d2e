"""How much hangs on a question, by what its words and surroundings name: law, customers, causes, deadlines, people."""

from __future__ import annotations

import re

from oida.model.source import Statement

BASE_STAKES = 0.45
"""Of a question whose words give no cue."""

_CUES: tuple[tuple[float, re.Pattern[str]], ...] = tuple(
    (weight, re.compile(pattern, re.IGNORECASE))
    for weight, pattern in (
        (
            0.2,
            r"\b(?:law|legal\w*|liab\w*|regulat\w*|complian\w*|licen[cs]e|authorisation|permit|gdpr|contract\w*|clause|inspector\w*"
            r"|authority"
            r"|court|penalt\w*|notice)\b|§",
        ),
        (0.15, r"\b(?:customers?|clients?|renew\w*|largest|accounts?|sales|volume|churn\w*|deal|offer|quoted?|leaving us)\b"),
        (
            0.2,
            r"\bis it\b.*\bor\b|\bwhat (?:is|was|'s) (?:actually |really )?(?:holding|causing|behind|slowing|blocking)\b"
            r"|\bthe cause\b|\bwhy (?:do|does|is|are)\b",
        ),
        (
            0.15,
            r"\b(?:can (?:we|it|they|\w+) \w+.*\b(?:before|at all|until|by)|roll back|block\w*|depends"
            r"|go[- ]live|cutover|launch|deadline)\b",
        ),
        (0.1, r"\b(?:hir\w*|staff\w*|crew|on[- ]call|cover[s]?|salary|signed|resign\w*|rest|hours)\b"),
        (0.1, r"\b(?:safe\w*|injur\w*|breach|outage|data loss|accident|board|covenant|million|bankrupt\w*)\b"),
        (-0.15, r"\b(?:btw|by the way|anyone (?:know|seen|have)|curious|just wondering|remind me|colou?r|cake|lunch|logo|name for)\b"),
    )
)


def stakes_of(statement: Statement) -> float:
    """In [0, 1]: 0.45 and what the cues of the statement add, half as much for those of its section and title.

    Each kind of cue counts once. It means something for a QUESTION only.
    """
    surroundings = " ".join((statement.title, *statement.section))
    total = BASE_STAKES
    for weight, pattern in _CUES:
        if pattern.search(statement.text):
            total += weight
        elif pattern.search(surroundings):
            total += weight / 2
    return round(min(1.0, max(0.0, total)), 3)
