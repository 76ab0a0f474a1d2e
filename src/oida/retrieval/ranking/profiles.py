"""A ranking by its name, as a person or an agent asks for it."""

from __future__ import annotations

from oida.model.errors import InputError
from oida.retrieval.ranking.fusion import FUSION
from oida.retrieval.ranking.hybrid import EQUATION_4
from oida.retrieval.ranking.rank import RankingProfile
from oida.retrieval.ranking.tag_and_boost import TAG_AND_BOOST
from oida.retrieval.ranking.vesta import VESTA_PRESETS, vesta

DEFAULT_PROFILE = "default"

_NAMED: dict[str, RankingProfile] = {
    DEFAULT_PROFILE: FUSION,
    "fusion": FUSION,
    "equation-4": EQUATION_4,
    "tag-and-boost": TAG_AND_BOOST,
}

PROFILE_NAMES: tuple[str, ...] = (*_NAMED, *(f"vesta:{preset}" for preset in VESTA_PRESETS))


def profile_named(name: str, *, intent: str = "general") -> RankingProfile:
    """The published profile of that name; `vesta` alone takes the preset of the question's intent.

    >>> profile_named("vesta", intent="gap").label
    'vesta:gap'
    """
    if name == "vesta":
        return vesta(intent)
    if name.startswith("vesta:"):
        return vesta(name.removeprefix("vesta:"))
    if name not in _NAMED:
        raise InputError(f"expected a ranking, one of {', '.join((*PROFILE_NAMES, 'vesta'))}, found {name!r}")
    return _NAMED[name]
