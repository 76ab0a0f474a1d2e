"""A count of something as a share, with how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

from oida.evaluation.statistics import Interval


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`, with the 95 % interval of the share."""

    count: int
    of: int
    share: float
    interval: Interval


def share(count: int, of: int) -> Share:
    """A count with the interval of its share.

    >>> share(1, 4).share
    0.25
    """
    from oida.evaluation.audit import share_interval  # with all that audits import

    return Share(count, of, count / of if of else 0.0, share_interval(count, of))
