"""Writes docs/paper.md from the reproduction: `python -m benchmarks.paper_doc`; a test demands that the file is up to date."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from oida.evaluation.paper_statistics import reproduce_statistics
from oida.gravity.paper import reproduce
from oida.model.paper_claim import PaperClaim, as_markdown

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "paper.md"

AGREES = ("oracle/test_engine_agrees", "test_three_cycles_agree_with_the_paper_to_1e_12")
MAPPING: tuple[tuple[str, str, str, str], ...] = (
    ("Equation 1, cycle", "oida.gravity.arithmetic.equation_1", *AGREES),
    (
        "Equation 2, fixed point",
        "oida.gravity.arithmetic.equation_2",
        "oracle/test_engine_agrees",
        "test_where_settling_ends_the_paper_moves_nothing",
    ),
    ("Equation 3, S_struct", "oida.retrieval.ranking.similarity.structural_similarity", "", "doctest"),
    ("Equation 3, S_sem", "oida.retrieval.ranking.similarity.semantic_similarity", "", "doctest"),
    ("Equation 3, S_topo", "oida.retrieval.ranking.similarity.topological_similarity", "", "doctest"),
    ("Equation 4, K_eff", "oida.retrieval.ranking.attention.effective_k", "", "doctest"),
    (
        "Equation 5, phi_ctx",
        "oida.retrieval.ranking.attention.contextual_attention",
        "paper/test_equations",
        "test_equation_5_weighs_entity_domain_and_anchors",
    ),
    ("Section 4.1, EQS", "oida.evaluation.eqs.composite", "paper/test_table_5", "test_table_5_cowork_composite"),
    (
        "Appendix C, usage force",
        "oida.gravity.usage.advance_usage",
        "oracle/test_engine_agrees",
        "test_the_usage_accumulator_is_the_papers_sum_over_past_retrievals",
    ),
    ("Appendix C, evidence force", "oida.gravity.forces.evidence_force", *AGREES),
    ("Appendix C, gravity force", "oida.gravity.forces.gravity_force", *AGREES),
    ("Appendix C, contradiction penalty", "oida.gravity.forces.contradiction_penalty", *AGREES),
    (
        "Appendix C, QUESTION urgency",
        "oida.gravity.urgency.urgency",
        "gravity/test_usage_freshness_urgency",
        "test_urgency_never_falls_with_age_and_never_leaves_its_range",
    ),
    ("Section 3.2, memory zones", "oida.model.zone.zone_of", "", "doctest"),
    ("Appendix A, coordinate", "oida.model.coordinate.KnowledgeObjectCoordinate.__str__", "", "doctest"),
    (
        "Table 1, epistemic typing",
        "oida.gravity.engine.own_fixed_point",
        "paper/test_table_1",
        "test_column_epistemic_typing_classes_weigh_differently",
    ),
    (
        "Table 1, class decay",
        "oida.gravity.freshness.freshness",
        "paper/test_table_1",
        "test_column_class_decay_a_decision_holds_while_an_observation_fades",
    ),
    (
        "Table 1, contradiction propagation",
        "oida.gravity.forces.gravity_force",
        "paper/test_table_1",
        "test_column_contradiction_propagation_two_hops_feel_a_contradiction",
    ),
    (
        "Table 1, deterministic maintenance",
        "oida.gravity.engine.cycle",
        "paper/test_table_1",
        "test_column_deterministic_maintenance_same_input_same_bits",
    ),
    (
        "Table 1, ignorance model",
        "oida.gravity.urgency.urgency",
        "paper/test_table_1",
        "test_column_ignorance_model_an_open_question_gains_priority",
    ),
    ("Table 2", "oida.model.taxonomy.TABLE_2", "paper/test_table_2", "test_seeds_are_those_of_table_2"),
    ("Table 3", "oida.gravity.paper.dynamics.table_3", "paper/test_table_3", "test_p1_converges_to_one_fixed_point"),
    ("Table 4", "oida.evaluation.paper_statistics.table_4", "paper/test_table_4", "test_table_4_fisher_p"),
    ("Table 5", "oida.evaluation.paper_statistics.table_5", "paper/test_table_5", "test_table_5_differences"),
    ("Table 6", "docs/guarantees.md", "paper/test_guarantees", "test_every_test_that_a_guarantee_names_exists"),
    ("Table 7", "oida.model.edge.TABLE_7", *AGREES),
    ("Theorem 1", "oida.gravity.paper.dynamics.theorem_1", "paper/test_theorem_1", "test_theorem_1_fixed_points"),
    ("Figure 2", "oida.gravity.study.simulate.simulate", "paper/test_figure_2", "test_figure_2_curves_end_in_the_drawn_order"),
    (
        "Appendix D, convergence",
        "oida.gravity.certificate.certify",
        "gravity/test_certificate",
        "test_where_global_is_claimed_any_two_starts_approach_at_rate_rho",
    ),
    (
        "Appendix E, 36 pairs",
        "oida.model.taxonomy.ClassProfile.distinct_features",
        "paper/test_table_2",
        "test_all_36_pairs_differ_in_two_features",
    ),
)

HEAD = """# The paper, line by line

Bottino, Ferrero, Dosio and Beneventano, *Retrieval Is Not Enough: Why Organizational AI Needs Epistemic Infrastructure*
(arXiv:2604.11759v1). This file is written by `python -m benchmarks.paper_doc` and a test demands that it is up to date;
`oida.gravity.paper.reproduce` and `oida.evaluation.paper_statistics.reproduce_statistics` give the same rows as data.
"""


def all_claims() -> tuple[PaperClaim, ...]:
    """Everything that the paper states, beside ours."""
    return (*reproduce(), *reproduce_statistics())


def document(claims: tuple[PaperClaim, ...]) -> str:
    """The whole text of docs/paper.md."""
    counts = Counter(claim.verdict.value for claim in claims)
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in sorted(counts))
    parts = (
        HEAD,
        "## Where each equation, table and theorem stands",
        _mapping(),
        "## Every number, beside ours",
        f"{len(claims)} claims: {summary}. A claim is refuted when our number, rounded as printed, is another one; the reason follows it.",
        as_markdown(claims),
        "## By resolution",
        "Where the paper is silent or contradicts itself, what was decided and the number that shows it.",
        _by_resolution(claims),
    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _mapping() -> str:
    lines = ["| in the paper | function | test |", "| --- | --- | --- |"]
    lines += [f"| {item} | `{function}` | {_test(file, name)} |" for item, function, file, name in MAPPING]
    return "\n".join(lines)


def _test(file: str, name: str) -> str:
    return f"`tests/{file}.py::{name}`" if file else "its doctest"


def _by_resolution(claims: tuple[PaperClaim, ...]) -> str:
    numbered = sorted((c for c in claims if c.resolution), key=lambda c: int(c.resolution[1:]))
    return "\n".join(f"- **{c.resolution}** {c.statement}: printed {c.printed}; ours {c.ours}. {c.note}" for c in numbered)


if __name__ == "__main__":
    DOCUMENT.write_text(document(all_claims()), encoding="utf-8")
    sys.stdout.write(f"wrote {DOCUMENT.name}\n")
