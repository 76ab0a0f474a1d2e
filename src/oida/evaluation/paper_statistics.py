"""Every number that the paper states about its experiments, recomputed from the figures it prints (spec section 8)."""

from __future__ import annotations

from oida.evaluation.eqs import TABLE_5, Circularity, SubScore, composite, weight_by_circularity
from oida.evaluation.statistics import (
    fisher_exact,
    haldane_anscombe_odds_ratio,
    mcnemar_exact,
    standard_error,
    wilcoxon_signed_rank,
)
from oida.model.paper_claim import PaperClaim, compare, judge

TABLE_4 = ((10, 0), (5, 5))
"""Declarations of ignorance and none, Minerva above Cowork."""

PAIRS = 10
_STATISTICS = "oida.evaluation.statistics."
_EQS = "oida.evaluation.eqs."


def table_4() -> list[PaperClaim]:
    """Fisher, odds ratio, and the test for paired data that the paper's own protocol asks for (R11)."""
    test = "tests/paper/test_table_4.py::"
    (_, _), (_, misses) = TABLE_4
    return [
        compare(
            "Table 4", "Fisher's exact p, two-tailed", printed=0.0325, ours=fisher_exact(TABLE_4), decimals=4,
            function=_STATISTICS + "fisher_exact", test=test + "test_table_4_fisher_p",
        ),
        compare(
            "Table 4", "odds ratio (Haldane-Anscombe)", printed=21.0, ours=haldane_anscombe_odds_ratio(TABLE_4), decimals=1,
            function=_STATISTICS + "haldane_anscombe_odds_ratio", test=test + "test_table_4_odds_ratio",
        ),
        compare(
            "Table 4", "the same by McNemar, since the runs are paired", printed=0.0325, ours=mcnemar_exact(misses, 0), decimals=4,
            function=_STATISTICS + "mcnemar_exact", test=test + "test_r11_mcnemar_is_not_significant", resolution="R11",
            note="section 4.1 asks for McNemar on paired outcomes; its exact p is 0.0625",
        ),
    ]  # fmt: skip


def table_5() -> list[PaperClaim]:
    """Composites, gaps, Wilcoxon, standard errors, token ratio."""
    test = "tests/paper/test_table_5.py::"
    minerva, cowork = TABLE_5["Minerva"], TABLE_5["Cowork"]
    ours = {name: composite(column.means) for name, column in TABLE_5.items()}
    wilcoxon = wilcoxon_signed_rank([float(i) for i in range(1, PAIRS + 1)], alternative="greater")
    printed_gaps = dict(zip(SubScore, (0.245, 0.235, 0.540, 0.275, 0.290), strict=True))
    rows = [
        compare(
            "Table 5", f"difference in {s.value}", printed=gap, ours=cowork.means[s] - minerva.means[s], decimals=3,
            function=_EQS + "TABLE_5", test=test + "test_table_5_differences",
        )
        for s, gap in printed_gaps.items()
    ]  # fmt: skip
    rows += [
        compare(
            "Table 5", "composite of Minerva", printed=minerva.composite, ours=ours["Minerva"], decimals=3, resolution="R10",
            function=_EQS + "composite", test=test + "test_r10_minerva_composite_is_0_534",
            note="the table's own rows and weights give 0.534",
        ),
        compare(
            "Table 5", "composite of Cowork", printed=cowork.composite, ours=ours["Cowork"], decimals=3,
            function=_EQS + "composite", test=test + "test_table_5_cowork_composite",
        ),
        compare(
            "Table 5", "gap of the composites", printed=0.318, ours=ours["Cowork"] - ours["Minerva"], decimals=3, resolution="R10",
            function=_EQS + "composite", test=test + "test_r10_gap_is_0_314", note="follows from the composite of Minerva",
        ),
        compare(
            "Table 5", "Wilcoxon W, all ten pairs in one direction", printed=55.0, ours=wilcoxon.statistic, decimals=1,
            function=_STATISTICS + "wilcoxon_signed_rank", test=test + "test_table_5_wilcoxon",
        ),
        compare(
            "Table 5", "Wilcoxon p, one-sided", printed=0.000977, ours=wilcoxon.p_value, decimals=6,
            function=_STATISTICS + "wilcoxon_signed_rank", test=test + "test_table_5_wilcoxon",
        ),
        compare(
            "Section 4.2", "ratio of input tokens", printed=28.1, ours=cowork.input_tokens / minerva.input_tokens, decimals=1, unit="x",
            function=_EQS + "TABLE_5", test=test + "test_token_ratio_is_28_1",
        ),
    ]  # fmt: skip
    return rows


def standard_errors() -> list[PaperClaim]:
    """Section 5: the standard errors that decide E4."""
    test = "tests/paper/test_table_5.py::"
    deviations = TABLE_5["Minerva"].deviations
    return [
        compare(
            "Section 5", "SE of ECA", printed=0.0083,
            ours=standard_error(deviations[SubScore.EPISTEMIC_CLASSIFICATION_ACCURACY], PAIRS), decimals=4, resolution="R17",
            function=_STATISTICS + "standard_error", test=test + "test_r17_standard_error_of_eca_is_0_0082",
            note="the printed SD of 0.026 gives 0.0082",
        ),
        compare(
            "Section 5", "SE of EC", printed=0.010, ours=standard_error(deviations[SubScore.EPISTEMIC_COHERENCE], PAIRS), decimals=3,
            function=_STATISTICS + "standard_error", test=test + "test_standard_error_of_ec",
        ),
    ]  # fmt: skip


def circularity() -> list[PaperClaim]:
    """Section 4.1: weights and their circularity; two names for CP (R12)."""
    test = "tests/paper/test_eqs.py::"
    rows = [
        compare(
            "Section 4.1", f"weight with {c.value} circularity", printed=printed, ours=100 * weight_by_circularity(c), decimals=0,
            unit=" %",
            function=_EQS + "weight_by_circularity", test=test + "test_weights_by_circularity",
        )
        for c, printed in ((Circularity.NONE, 60), (Circularity.HIGH, 20), (Circularity.MODERATE, 20))
    ]  # fmt: skip
    rows.append(
        judge(
            "Table 5", "CP is Contextual Precision", printed="Contextual Precision",
            ours="Citation Precision in Table 5's text, one number",
            holds=True, function=_EQS + "SubScore", test=test + "test_cp_is_one_sub_score", resolution="R12",
            note="two names for one sub-score",
        )
    )  # fmt: skip
    return rows


def reproduce_statistics() -> tuple[PaperClaim, ...]:
    """All claims about the paper's experiments."""
    return (*table_4(), *table_5(), *standard_errors(), *circularity())
