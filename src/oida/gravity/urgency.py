"""How urgent an open QUESTION has become (paper, Appendix C; spec section 1 and R16)."""

from __future__ import annotations

from dataclasses import dataclass

DAYS_PER_MONTH = 30.0
URGENCY_PER_MONTH = 0.3
URGENCY_PER_BLOCKED = 0.2
URGENCY_OF_STAKES = 0.5


@dataclass(frozen=True, slots=True)
class Urgency:
    """`clamped` in [0, 1] is the floor on priority; `unclamped` orders questions after it has saturated."""

    clamped: float
    unclamped: float


NOT_URGENT = Urgency(0.0, 0.0)


def urgency(age_days: float, *, blocking_edge_count: int, stakes: float) -> Urgency:
    """urg(t) = clamp(0.3 age/30 + 0.2 B + 0.5 S, 0, 1) of a question that is open (App. C).

    Args:
        age_days: since the question was said; before that it counts as 0.
        blocking_edge_count: B, active BLOCKS edges from the question.
        stakes: S in [0, 1].

    >>> urgency(30.0, blocking_edge_count=1, stakes=0.5).clamped
    0.75
    >>> urgency(200.0, blocking_edge_count=0, stakes=0.0)
    Urgency(clamped=1.0, unclamped=2.0)

    """
    assert blocking_edge_count >= 0
    assert 0.0 <= stakes <= 1.0
    months = max(age_days, 0.0) / DAYS_PER_MONTH
    unclamped = URGENCY_PER_MONTH * months + URGENCY_PER_BLOCKED * blocking_edge_count + URGENCY_OF_STAKES * stakes
    return Urgency(clamped=min(1.0, max(0.0, unclamped)), unclamped=unclamped)
