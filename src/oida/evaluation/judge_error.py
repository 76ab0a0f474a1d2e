"""How often the nugget judge errs on whether a sentence states a fact: twenty pairs of our own, with what a person says of each."""

from __future__ import annotations

from dataclasses import dataclass

from oida.evaluation.matching import states

PAIRS: tuple[tuple[str, str, bool], ...] = (
    ("two electric vans leased from Norden", "From May the bakery delivers with two electric vans leased from Norden Leasing.", True),
    ("two electric vans leased from Norden", "Norden leases the bakery 2 electric vans.", True),
    ("two electric vans leased from Norden", "Norden leases the bakery three electric vans.", False),
    ("two electric vans leased from Norden", "The vans are diesel.", False),
    ("31 kWh on the 118 km route", "It took 31 kWh over the route of 118 km.", True),
    ("31 kWh on the 118 km route", "It took 31 kWh over the route.", False),
    ("the fuse tripped twice", "Twice the fuse tripped.", True),
    ("the fuse tripped twice", "The fuse blew two times.", True),
    ("the fuse tripped twice", "The fuse never tripped.", False),
    ("loading before six is forbidden", "No vehicle may load in Mill Street before 06:00.", True),
    ("loading before 06:00 is forbidden", "Loading before 06:00 is forbidden in Mill Street.", True),
    ("the yard needs a stronger grid connection", "A stronger connection to the grid is needed in the yard.", True),
    ("the yard needs a stronger grid connection", "The yard has a grid.", False),
    ("Solveig tries a cargo bike in July", "In July Solveig will try out a cargo bike.", True),
    ("Solveig tries a cargo bike in July", "In August Mette will try out a cargo bike.", False),
    ("the lease costs 9,400 a month", "Each month the lease costs 9,400 crowns.", True),
    ("the lease costs 9,400 a month", "Each month the lease costs 4,900 crowns.", False),
    ("drivers ran low on frosty mornings", "On frosty mornings drivers ran low.", True),
    ("drivers ran low on frosty mornings", "Batteries were nearly empty when it froze.", True),
    ("the post cannot feed both vans", "The post can feed both vans.", False),
)
"""Fact, sentence, and whether the sentence states the fact."""


@dataclass(frozen=True, slots=True)
class MatchingError:
    """The pairs on which `states` differs from a person: facts that were missed, and those that were taken wrongly."""

    pairs: int
    missed: tuple[tuple[str, str], ...]
    taken_wrongly: tuple[tuple[str, str], ...]

    @property
    def share(self) -> float:
        """Wrong verdicts over all, in [0, 1]."""
        return (len(self.missed) + len(self.taken_wrongly)) / self.pairs


def matching_error() -> MatchingError:
    """The error on `PAIRS`."""
    wrong = [(fact, text, stated) for fact, text, stated in PAIRS if states(fact, text) is not stated]
    return MatchingError(
        pairs=len(PAIRS),
        missed=tuple((fact, text) for fact, text, stated in wrong if stated),
        taken_wrongly=tuple((fact, text) for fact, text, stated in wrong if not stated),
    )
