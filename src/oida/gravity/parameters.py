"""Every number that the engine may be told, in one frozen, validated object, and its named presets.

A run records the digest of these. Where each constant comes from stands in the preset's `provenance`
(spec section 9, R1 to R3 and R6). Next: `arrays`, what the parameters act on.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, fields, replace

from oida.model.errors import InputError
from oida.model.taxonomy import CLASS_PROFILES, ClassProfile, DecayProfile, EpistemicClass

CLASS_ORDER: tuple[EpistemicClass, ...] = tuple(EpistemicClass)
CLASS_INDEX: dict[EpistemicClass, int] = {c: i for i, c in enumerate(CLASS_ORDER)}


@dataclass(frozen=True, slots=True)
class ClassDynamics:
    """Seed in [0, 1] and decay of one class; `half_life_days` is infinite unless the decay is exponential."""

    seed: float
    decay_rate_per_day: float
    half_life_days: float

    @classmethod
    def of_profile(cls, profile: ClassProfile) -> ClassDynamics:
        """The class as Table 2 has it."""
        exponential = profile.decay is DecayProfile.EXPONENTIAL and profile.half_life_days is not None
        half_life = profile.half_life_days if exponential and profile.half_life_days else math.inf
        return cls(profile.seed, profile.decay_rate_per_day, half_life)

    @classmethod
    def of_rate(cls, seed: float, decay_rate_per_day: float) -> ClassDynamics:
        """A class given by its rate, as Figure 2 and Theorem 1 give it.

        >>> round(ClassDynamics.of_rate(0.5, 0.015).half_life_days, 1)
        46.2
        """
        half_life = math.log(2.0) / decay_rate_per_day if decay_rate_per_day > 0.0 else math.inf
        return cls(seed, decay_rate_per_day, half_life)


@dataclass(frozen=True, slots=True)
class HalfLifeOverride:
    """One domain in which one class ages at another pace (paper, section 4.3: OBSERVATION at 45 days)."""

    domain: str
    epistemic_class: EpistemicClass
    half_life_days: float


TABLE_2_DYNAMICS: tuple[ClassDynamics, ...] = tuple(ClassDynamics.of_profile(CLASS_PROFILES[c]) for c in CLASS_ORDER)


@dataclass(frozen=True, slots=True)
class GravityParameters:
    """The constants of Equation 1 and Appendix C; weights are in k-score units, >= 0.

    `fresh_seed`: the seed is multiplied by freshness (R1). `confidence_weighted`: an edge counts with its confidence in
    evidence, contradiction and gravity (R13). `dormant_below` and `awake_from` are the two edges of the Dormant line.
    """

    name: str
    learning_rate: float = 0.15
    elapsed_days: float = 0.25
    usage_weight: float = 0.02
    recency_scale_days: float = 7.0
    usage_cap: float = 5.0
    evidence_weight: float = 0.055
    contradiction_weight: float = 0.0165
    gravity_weight: float = 0.04
    gravity_saturation: float = 5.0
    z_score_floor: float = 0.5
    fresh_seed: bool = True
    confidence_weighted: bool = True
    dormant_below: float = 0.05
    awake_from: float = 0.06
    classes: tuple[ClassDynamics, ...] = TABLE_2_DYNAMICS
    half_life_overrides: tuple[HalfLifeOverride, ...] = ()
    provenance: str = ""

    def __post_init__(self) -> None:
        _check_numbers(self)
        _check_classes(self)

    def seed(self, epistemic_class: EpistemicClass) -> float:
        """The class baseline in [0, 1] (Table 2)."""
        return self.classes[CLASS_INDEX[epistemic_class]].seed

    def half_life_days(self, epistemic_class: EpistemicClass, domain: str = "") -> float:
        """Days until freshness is one half, in this domain; infinite where the class does not decay.

        >>> fast = HalfLifeOverride("ai", EpistemicClass.OBSERVATION, 45.0)
        >>> replace(ORGANIZATION, half_life_overrides=(fast,)).half_life_days(EpistemicClass.OBSERVATION, "ai")
        45.0
        """
        override = self._override(epistemic_class, domain)
        return override.half_life_days if override else self.classes[CLASS_INDEX[epistemic_class]].half_life_days

    def decay_rate_per_day(self, epistemic_class: EpistemicClass, domain: str = "") -> float:
        """lambda_class in this domain, per day; negative only for QUESTION.

        >>> round(ORGANIZATION.decay_rate_per_day(EpistemicClass.PLAN), 6)
        0.010046
        """
        override = self._override(epistemic_class, domain)
        if override:
            return math.log(2.0) / override.half_life_days
        return self.classes[CLASS_INDEX[epistemic_class]].decay_rate_per_day

    def _override(self, epistemic_class: EpistemicClass, domain: str) -> HalfLifeOverride | None:
        matching = (o for o in self.half_life_overrides if (o.domain, o.epistemic_class) == (domain, epistemic_class))
        return next(matching, None)

    def canonical(self) -> str:
        """Everything that can move a number, in one spelling; the preset's name and provenance cannot and are left out."""
        content = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("name", "provenance")}
        content["classes"] = {
            c.value: [d.seed, d.decay_rate_per_day, repr(d.half_life_days)] for c, d in zip(CLASS_ORDER, self.classes, strict=True)
        }
        content["half_life_overrides"] = sorted([o.domain, o.epistemic_class.value, o.half_life_days] for o in self.half_life_overrides)
        return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)

    def digest(self) -> str:
        """SHA-256 of the canonical form, hexadecimal: what a cycle event records."""
        return hashlib.sha256(self.canonical().encode("utf-8")).hexdigest()


_POSITIVE = ("elapsed_days", "recency_scale_days", "gravity_saturation", "z_score_floor")
_NOT_NEGATIVE = ("usage_weight", "usage_cap", "evidence_weight", "contradiction_weight", "gravity_weight")


def _demand(condition: bool, what: str, found: object) -> None:
    if not condition:
        raise InputError(f"gravity parameters: expected {what}, found {found!r}")


def _check_numbers(p: GravityParameters) -> None:
    _demand(0.0 < p.learning_rate < 1.0, "learning_rate between 0 and 1, both excluded", p.learning_rate)
    for name in _POSITIVE:
        value = getattr(p, name)
        _demand(math.isfinite(value) and value > 0.0, f"{name} finite and above 0", value)
    for name in _NOT_NEGATIVE:
        value = getattr(p, name)
        _demand(math.isfinite(value) and value >= 0.0, f"{name} finite and at least 0", value)
    line = (p.dormant_below, p.awake_from)
    _demand(0.0 <= p.dormant_below <= p.awake_from <= 1.0, "0 <= dormant_below <= awake_from <= 1", line)


def _check_classes(p: GravityParameters) -> None:
    _demand(len(p.classes) == len(CLASS_ORDER), f"{len(CLASS_ORDER)} classes", len(p.classes))
    for epistemic_class, dynamics in zip(CLASS_ORDER, p.classes, strict=True):
        _demand(0.0 <= dynamics.seed <= 1.0, f"a seed in [0, 1] for {epistemic_class}", dynamics.seed)
        _check_pull(p, dynamics.decay_rate_per_day, str(epistemic_class))
    places = [(o.domain, o.epistemic_class) for o in p.half_life_overrides]
    _demand(len(set(places)) == len(places), "one half-life override for a domain and class", places)
    for override in p.half_life_overrides:
        _demand(0.0 < override.half_life_days < math.inf, "a half-life above 0 days", override.half_life_days)
        exponential = math.isfinite(p.classes[CLASS_INDEX[override.epistemic_class]].half_life_days)
        _demand(exponential, "a half-life override for a class that decays", override.epistemic_class.value)
        _check_pull(p, math.log(2.0) / override.half_life_days, f"{override.epistemic_class} in {override.domain}")


def _check_pull(p: GravityParameters, decay_rate_per_day: float, whose: str) -> None:
    pull = p.learning_rate + decay_rate_per_day * p.elapsed_days
    _demand(0.0 < pull <= 1.0, f"learning_rate + lambda * elapsed_days in (0, 1] for {whose}", pull)


ORGANIZATION = GravityParameters(
    name="organization",
    provenance="R1: seed times freshness, so that Table 2's half-lives show; R2: a_c = 0.11 eta (22 % of K = 0.5), a_e = 0.055;"
    " R3: a_g = 1 / g_scale^2; R13: confidence-weighted edges.",
)

PAPER = GravityParameters(
    name="paper",
    evidence_weight=0.23,
    contradiction_weight=0.0675,
    fresh_seed=False,
    confidence_weighted=False,
    provenance="Equation 1, Table 2, Appendix C and F as printed; a_e and a_c solved from the three published suppression"
    " effects (R2); a_g from the printed degree bound (R3).",
)


def _with_rates(seed: float, rates: dict[EpistemicClass, float]) -> tuple[ClassDynamics, ...]:
    return tuple(
        ClassDynamics.of_rate(seed, rates[c]) if c in rates else replace(TABLE_2_DYNAMICS[i], seed=seed) for i, c in enumerate(CLASS_ORDER)
    )


THEOREM_1 = replace(
    PAPER,
    name="theorem_1",
    learning_rate=0.1,
    elapsed_days=1.0,
    classes=_with_rates(0.5, {EpistemicClass.QUESTION: -0.010, EpistemicClass.OBSERVATION: 0.015}),
    provenance="Theorem 1 and Appendix D: eta 0.1, dt 1, every seed 0.5, lambda -0.010 and 0.015, not Table 2's (R6, R7).",
)

FIGURE_2 = replace(
    THEOREM_1,
    name="figure_2",
    classes=_with_rates(
        0.5,
        {
            EpistemicClass.QUESTION: -0.010,
            EpistemicClass.OBSERVATION: 0.015,
            EpistemicClass.EVIDENCE: 0.005,
            EpistemicClass.HYPOTHESIS: 0.008,
            EpistemicClass.DECISION: 0.002,
        },
    ),
    provenance="The legend of Figure 2, which gives five rates that Table 2 does not (R6, R17).",
)

PRESETS: dict[str, GravityParameters] = {p.name: p for p in (ORGANIZATION, PAPER, THEOREM_1, FIGURE_2)}


def half_life_override(text: str) -> HalfLifeOverride:
    """DOMAIN:CLASS=DAYS as an override.

    Raises:
        InputError: it is of another form.

    >>> half_life_override("ai:OBSERVATION=45").half_life_days
    45.0

    """
    place, _, days = text.rpartition("=")
    domain, _, epistemic_class = place.rpartition(":")
    try:
        return HalfLifeOverride(domain.strip(), EpistemicClass(epistemic_class.strip().upper()), float(days))
    except ValueError:
        raise InputError(f"expected a half-life of the form DOMAIN:CLASS=DAYS, such as ai:OBSERVATION=45, found {text!r}") from None


def parameters_from(name: str, canonical: str) -> GravityParameters:
    """The preset of that name with the half-lives of a canonical form, which must agree in everything else.

    Raises:
        InputError: the canonical form is not this version's.

    >>> parameters_from("paper", PAPER.canonical()) == PAPER
    True

    """
    found = preset(name)
    try:
        recorded = json.loads(canonical)["half_life_overrides"]
        overrides = tuple(HalfLifeOverride(domain, EpistemicClass(decaying), days) for domain, decaying, days in recorded)
        found = replace(found, half_life_overrides=overrides)
    except (ValueError, TypeError, KeyError):
        raise InputError(f"the parameters recorded as {name!r} cannot be read") from None
    if found.canonical() != canonical:
        raise InputError(f"the parameters recorded as {name!r} are not those of this version's preset {name!r}")
    return found


def preset(name: str) -> GravityParameters:
    """The preset of that name.

    Raises:
        InputError: there is none; the message lists those that exist.

    >>> preset("paper").contradiction_weight
    0.0675

    """
    if name not in PRESETS:
        raise InputError(f"no gravity profile is called {name!r}; there are: {', '.join(PRESETS)}")
    return PRESETS[name]
