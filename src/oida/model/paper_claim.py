"""One thing that the paper states, beside what the software finds (spec section 8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What comparing came to: the same, the same under a reading that is stated, or not the same."""

    EQUAL = "equal"
    EQUAL_UNDER_READING = "equal under stated reading"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A row of the reproduction: `place` is the paper's own ("Table 2"), `resolution` one of R1 to R17 or empty.

    `note` is the reading under which a number is equal, or why it is refuted. `function` computed our number; `test` is the
    test that holds it, as a path and a name.
    """

    place: str
    statement: str
    printed: str
    ours: str
    verdict: Verdict
    function: str
    test: str
    resolution: str = ""
    note: str = ""


def compare(
    place: str,
    statement: str,
    *,
    printed: float,
    ours: float,
    decimals: int,
    function: str,
    test: str,
    resolution: str = "",
    note: str = "",
    unit: str = "",
) -> PaperClaim:
    """A claim about a number: equal when ours, rounded to the paper's decimals, is the printed one.

    >>> compare("Theorem 1", "K*", printed=0.556, ours=0.5556, decimals=3, function="f", test="t").verdict.value
    'equal'
    >>> compare("Table 5", "SE", printed=0.0083, ours=0.0082, decimals=4, function="f", test="t", note="why").verdict.value
    'refuted'
    """
    equal = abs(round(ours, decimals) - printed) < 0.5 * 10.0**-decimals
    agreed = Verdict.EQUAL_UNDER_READING if note else Verdict.EQUAL
    return PaperClaim(
        place=place,
        statement=statement,
        printed=f"{printed:.{decimals}f}{unit}",
        ours=f"{ours:.{decimals if equal else decimals + 1}f}{unit}",
        verdict=agreed if equal else Verdict.REFUTED,
        function=function,
        test=test,
        resolution=resolution,
        note=note,
    )


def judge(
    place: str, statement: str, *, printed: str, ours: str, holds: bool, function: str, test: str, resolution: str = "", note: str = ""
) -> PaperClaim:
    """A claim that is not one number: `holds` says whether what was found agrees with it."""
    agreed = Verdict.EQUAL_UNDER_READING if note else Verdict.EQUAL
    return PaperClaim(place, statement, printed, ours, agreed if holds else Verdict.REFUTED, function, test, resolution, note)


def as_markdown(claims: Iterable[PaperClaim]) -> str:
    """The claims as one Markdown table, in their order.

    >>> print(as_markdown([judge("Table 3", "P1", printed="unique", ours="unique", holds=True, function="f", test="t")]))
    | place | the paper states | printed | ours | verdict | computed by | held by |
    | --- | --- | --- | --- | --- | --- | --- |
    | Table 3 | P1 | unique | unique | **equal** | `f` | `t` |
    """
    head = ("place", "the paper states", "printed", "ours", "verdict", "computed by", "held by")
    lines = [_row(head), _row(["---"] * len(head))]
    for c in claims:
        place = f"{c.place} ({c.resolution})" if c.resolution else c.place
        verdict = f"**{c.verdict.value}**" + (f": {c.note}" if c.note else "")
        lines.append(_row((place, c.statement, c.printed, c.ours, verdict, f"`{c.function}`", f"`{c.test}`")))
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
