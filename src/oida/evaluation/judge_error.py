"""How often the nugget judge errs on whether a sentence states a fact: forty pairs of our own, with what a person says of each.

Twenty-one were looked at when the matching was mended; the other nineteen were written before and chose no rule: theirs is the error to
believe.
"""

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
    ("the grant covers heating but not rent", "Heating is covered by the grant, rent is not.", True),
)
"""Fact, sentence, and whether the sentence states the fact."""

UNSEEN: tuple[tuple[str, str, bool], ...] = (
    ("the archive moves to the cellar in March", "In March they move the archive down to the cellar.", True),
    ("the archive moves to the cellar in March", "The archive will not move to the cellar in March.", False),
    ("three volunteers resigned after the audit", "After the audit 3 volunteers resigned.", True),
    ("three volunteers resigned after the audit", "After the audit four volunteers resigned.", False),
    ("the pump fails above 80 degrees", "Above 80 degrees the pump fails.", True),
    ("the pump fails above 80 degrees", "Above 60 degrees the pump fails.", False),
    ("the pump fails above 80 degrees", "The pump does not fail above 80 degrees.", False),
    ("members may not bring dogs", "Dogs are not allowed for members.", True),
    ("members may not bring dogs", "Members may bring dogs.", False),
    ("the choir rehearses at 19:30", "Rehearsal of the choir starts at half past seven in the evening.", True),
    ("the choir rehearses at 19:30", "The choir rehearses at 19:30 on Mondays, not on Fridays.", True),
    ("no permit is needed for the stall", "The stall needs no permit.", True),
    ("no permit is needed for the stall", "The stall needs a permit from the city.", False),
    ("the roof was repaired twice in 2024", "In 2024 the roof was repaired twice.", True),
    ("the roof was repaired twice in 2024", "In 2024 the roof was repaired once.", False),
    ("ticket sales fell by a third", "A third fewer tickets were sold.", True),
    ("ticket sales fell by a third", "Ticket sales rose by a third.", False),
    ("nobody has a key to the shed", "Everybody has a key to the shed.", False),
    ("the kiln is shared with the pottery school", "The pottery school shares the kiln with us.", True),
)
"""The same, written before the matching was mended; no rule was chosen for them."""


@dataclass(frozen=True, slots=True)
class MatchingError:
    """The pairs on which `states` differs from a person: facts that were missed, and those that were taken wrongly; `unseen` counts
    those among them that chose no rule.
    """

    pairs: int
    missed: tuple[tuple[str, str], ...]
    taken_wrongly: tuple[tuple[str, str], ...]
    unseen: int

    def told(self) -> str:
        """The error in a sentence."""
        return (
            f"On {self.pairs} hand-made pairs it misses {len(self.missed)} and takes {len(self.taken_wrongly)} wrongly; on the"
            f" {len(UNSEEN)} of them that chose no rule it errs {self.unseen} times."
        )

    @property
    def share(self) -> float:
        """Wrong verdicts over all, in [0, 1]."""
        return (len(self.missed) + len(self.taken_wrongly)) / self.pairs


def matching_error() -> MatchingError:
    """The error on `PAIRS` and `UNSEEN`."""
    pairs = (*PAIRS, *UNSEEN)
    wrong = [(fact, text, stated) for fact, text, stated in pairs if states(fact, text) is not stated]
    return MatchingError(
        pairs=len(pairs),
        missed=tuple((fact, text) for fact, text, stated in wrong if stated),
        taken_wrongly=tuple((fact, text) for fact, text, stated in wrong if not stated),
        unseen=sum(each in UNSEEN for each in wrong),
    )
