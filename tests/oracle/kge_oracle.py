"""The Knowledge Gravity Engine as the paper writes it: plain dictionaries, slow loops, libm. The engine must agree.

It shares nothing with `oida.gravity` but the paper. Table 2, Table 7 and the constants are typed in again here.
"""

from __future__ import annotations

import math

COEFF = {
    "SUPPORTS": 1.0, "BASED_ON": 0.8, "IMPLEMENTS": 0.7, "SUPERSEDES": 0.6, "REFINES": 0.5,
    "DERIVES_FROM": 0.5, "ENABLES": 0.4, "PRECEDES": 0.3, "BLOCKS": -0.4, "CONTRADICTS": -0.6,
}  # fmt: skip
SEED = {
    "DECISION": 1.0, "CONSTRAINT": 0.9, "EVIDENCE": 0.8, "NARRATIVE": 0.7, "PLAN": 0.65,
    "EVALUATION": 0.55, "OBSERVATION": 0.4, "HYPOTHESIS": 0.3, "QUESTION": 0.3,
}  # fmt: skip
HALF_LIFE = {"EVIDENCE": 365, "PLAN": 69, "EVALUATION": 198, "OBSERVATION": 90, "HYPOTHESIS": 50}
PROFILE = {
    "paper": {"ae": 0.23, "ac": 0.0675, "fresh": False, "conf": False},
    "organization": {"ae": 0.055, "ac": 0.0165, "fresh": True, "conf": True},
}
ETA, DT, AU, SIGMA, AG, GSCALE, FLOOR = 0.15, 0.25, 0.02, 7.0, 0.04, 5.0, 0.5


def decay_rate(epistemic_class):
    if epistemic_class == "QUESTION":
        return -0.010
    return math.log(2) / HALF_LIFE[epistemic_class] if epistemic_class in HALF_LIFE else 0.0


def clamp(x):
    return min(1.0, max(0.0, x))


def active_inbound(name, objects, edges):
    return [e for e in edges if e["target"] == name and objects[e["source"]]["status"] in ("ACTIVE", "RESOLVED")]


def weight(edge, profile):
    return edge["confidence"] if profile["conf"] else 1.0


def gravity(name, k, objects, edges, dormant, profile):
    inbound = [e for e in active_inbound(name, objects, edges) if e["source"] not in dormant]
    if not inbound:
        return 0.0
    values = [k[e["source"]] for e in inbound]
    mean = sum(values) / len(values)
    std = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    g = 0.0
    for e in inbound:
        z = (k[e["source"]] - mean) / max(std, FLOOR)
        g += COEFF[e["type"]] * weight(e, profile) * math.tanh(GSCALE * max(0.0, z) / 1)
    return AG * g


def forces(name, k, objects, edges, dormant, profile):
    """(s, u, e, g, c) of one object."""
    o = objects[name]
    resolved_question = o["status"] == "RESOLVED" and o["class"] == "QUESTION"
    s = SEED[o["class"]] * (o["fresh"] if profile["fresh"] else 1.0)
    if o["status"] != "ACTIVE":
        return (s if resolved_question else 0.0), 0.0, 0.0, 0.0, 0.0
    u = AU * min(5.0, sum(math.exp(-tau / SIGMA) for tau in o["retrieved_days_ago"]))
    inbound = active_inbound(name, objects, edges)
    e = profile["ae"] * sum(weight(x, profile) for x in inbound if x["type"] == "SUPPORTS")
    c = profile["ac"] * sum(weight(x, profile) for x in inbound if x["type"] in ("CONTRADICTS", "BLOCKS"))
    return s, u, e, gravity(name, k, objects, edges, dormant, profile), c


def dormant_set(k, before=frozenset()):
    return {n for n, value in k.items() if value < 0.05 or (n in before and value < 0.06)}


def cycle(k, objects, edges, profile_name, dormant):
    """Equation 1 for every object, from the same previous K."""
    profile = PROFILE[profile_name]
    after = {}
    for name, o in objects.items():
        s, u, e, g, c = forces(name, k, objects, edges, dormant, profile)
        lam = decay_rate(o["class"])
        after[name] = clamp((1 - ETA) * k[name] + ETA * (s + u + e + g) - lam * DT * k[name] - c)
    return after


def fixed_point_step(k, objects, edges, profile_name, dormant):
    """Equation 2 for every object, gravity taken at K."""
    profile = PROFILE[profile_name]
    after = {}
    for name, o in objects.items():
        s, u, e, g, c = forces(name, k, objects, edges, dormant, profile)
        after[name] = clamp((ETA * (s + u + e + g) - c) / (ETA + decay_rate(o["class"]) * DT))
    return after
