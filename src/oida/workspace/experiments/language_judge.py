"""Records judged by language models: in an order drawn by a seed, several times, every reply kept; and how far the judges agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Any

import numpy as np

from oida.evaluation.agreement import Level, krippendorff_alpha
from oida.evaluation.eqs import SubScore, composite
from oida.evaluation.experiment import dynamics_verdict, paired_difference
from oida.evaluation.gold import GoldOrganisation, GoldQuery
from oida.evaluation.nuggets import Passage
from oida.evaluation.report import Table
from oida.evaluation.rubric import Rubric, Verdict, judging_prompt, read_verdict
from oida.model.errors import ConflictError
from oida.ports import KeepingModel
from oida.workspace.experiments.bench import Progress

MOST_ATTEMPTS = 3
_BUDGET_SPENT = "budget-spent"


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """Who judges, by what, how often, in an order drawn by which seed; at most `most_texts` texts, 0 for all."""

    models: Sequence[KeepingModel]
    rubric: Rubric
    repeats: int = 2
    seed: int = 7
    most_texts: int = 0


@dataclass(frozen=True, slots=True)
class Material:
    """A text to be judged: its number among the records, its passages, and what it was asked with what was known then."""

    number: int
    passages: Sequence[Passage]
    query: GoldQuery
    moment: datetime


@dataclass(frozen=True, slots=True)
class LanguageJudging:
    """Every reply, as plain values in the order in which it was asked for; `stopped` says why not all were."""

    replies: tuple[dict[str, Any], ...]
    stopped: str = ""

    def verdicts(self) -> dict[int, list[dict[str, float]]]:
        """The sub-scores of every valid reply by record."""
        found: dict[int, list[dict[str, float]]] = {}
        for each in self.replies:
            if each["sub_scores"] is not None:
                found.setdefault(each["record"], []).append(each["sub_scores"])
        return found


def judged_by_models(materials: Sequence[Material], gold: GoldOrganisation, plan: JudgePlan, progress: Progress) -> LanguageJudging:
    """Each text judged by each model, `repeats` times, in a drawn order; all texts of drawn questions where not all are wanted.

    A reply that is no verdict is asked for again; what never becomes one stands with no sub-scores. Where the budget is spent judging
    stops, and what was judged until then stays.
    """
    random = np.random.default_rng(plan.seed)
    drawn = _drawn(materials, plan.most_texts, random)
    replies: list[dict[str, Any]] = []
    stopped = ""
    for repeat in range(plan.repeats):
        for at in random.permutation(len(drawn)):
            order = [tuple(SubScore)[place] for place in random.permutation(len(SubScore))]
            for model in plan.models:
                try:
                    replies.append(_asked(drawn[at], gold, plan.rubric, model, order=order, repeat=repeat))
                except ConflictError as error:
                    if error.code != _BUDGET_SPENT:
                        raise
                    stopped = f"stopped after {len(replies)} of {len(drawn) * plan.repeats * len(plan.models)} replies: {error}"
                    progress(stopped)
                    return LanguageJudging(tuple(replies), stopped)
        progress(f"repeat {repeat + 1} of {plan.repeats}: {len(replies)} replies")
    return LanguageJudging(tuple(replies), stopped)


def _drawn(materials: Sequence[Material], most_texts: int, random: np.random.Generator) -> list[Material]:
    """Texts of whole questions, drawn until no more fit: only so can conditions be compared in pairs."""
    qids = list(dict.fromkeys(each.query.qid for each in materials))
    drawn: list[Material] = []
    for at in random.permutation(len(qids)):
        own = [each for each in materials if each.query.qid == qids[at]]
        if most_texts and drawn and len(drawn) + len(own) > most_texts:
            break
        drawn += own
    return drawn


def _asked(
    material: Material, gold: GoldOrganisation, rubric: Rubric, model: KeepingModel, *, order: Sequence[SubScore], repeat: int
) -> dict[str, Any]:
    prompt = judging_prompt(rubric, material.passages, material.query, gold.at(material.moment), order=order, repeat=repeat)
    tokens, verdict, text = 0, None, ""
    for _ in range(MOST_ATTEMPTS):
        reply = model.ask(prompt)
        tokens, text = tokens + reply.prompt_tokens + reply.completion_tokens, reply.text
        verdict = read_verdict(text)
        if verdict is not None:
            model.keep(prompt, reply)
            break
    return {
        "record": material.number,
        "model": model.name,
        "rubric": prompt.version,
        "order": [each.value for each in order],
        "repeat": repeat,
        "tokens": tokens,
        "sub_scores": _anchors(verdict),
        "justifications": {name.value: reason for name, reason in verdict.justifications.items()} if verdict else None,
        "reply": text,
    }


def _anchors(verdict: Verdict | None) -> dict[str, float] | None:
    return {name.value: score for name, score in verdict.sub_scores.items()} if verdict else None


def judge_tables(judging: LanguageJudging, records: Sequence[Mapping[str, Any]]) -> tuple[Table, ...]:
    """Scores by condition and kind of text, and agreement: between judges, between repeats of each, and with the nugget judge."""
    means = {number: _mean(found) for number, found in judging.verdicts().items()}
    return (_scores_table(means, records, judging), _agreement_table(judging, records, means))


def judged_dynamics(judging: LanguageJudging, records: Sequence[Mapping[str, Any]], *, judged: str = "context") -> str:
    """E4's rule by this judge, on the questions for which all three conditions were judged; "" where fewer than two were."""
    means = {number: _mean(found) for number, found in judging.verdicts().items()}
    names = ("minerva", "tag-and-boost", "static")
    by_condition: dict[str, dict[str, dict[str, float]]] = {name: {} for name in names}
    for number, scores in means.items():
        record = records[number]
        if record["condition"] in names and record["judged"] == judged and record["variant"] == records[0]["variant"]:
            by_condition[record["condition"]][record["qid"]] = scores
    shared = sorted(set.intersection(*(set(found) for found in by_condition.values())))
    if len(shared) < 2:
        return ""
    column = {(name, score): [by_condition[name][qid][score] for qid in shared] for name in names for score in ("ECA", "EC")}
    against = {
        (other, score): paired_difference(column["minerva", score], column[other, score]) for other in names[1:] for score in ("ECA", "EC")
    }
    return dynamics_verdict(
        against["tag-and-boost", "ECA"], against["tag-and-boost", "EC"],
        isolated_classification=against["static", "ECA"], isolated_coherence=against["static", "EC"],
    )  # fmt: skip


def _mean(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {each.value: fmean(scores[each.value] for scores in found) for each in SubScore}


def _scores_table(means: Mapping[int, Mapping[str, float]], records: Sequence[Mapping[str, Any]], judging: LanguageJudging) -> Table:
    groups: dict[tuple[str, str, str], list[int]] = {}
    for number in sorted(means):
        record = records[number]
        groups.setdefault((record["variant"], record["condition"], record["judged"]), []).append(number)
    rows: tuple[tuple[str | int | float, ...], ...] = tuple(
        (
            f"{condition}, {judged}, {variant}", round(fmean(records[n]["tokens"] for n in own)), len(own),
            *(fmean(means[n][each.value] for n in own) for each in SubScore),
            fmean(composite({each: means[n][each.value] for each in SubScore}) for n in own),
            fmean(records[n]["composite"] for n in own),
        )
        for (variant, condition, judged), own in groups.items()
    )  # fmt: skip
    invalid = sum(each["sub_scores"] is None for each in judging.replies)
    models = ", ".join(dict.fromkeys(each["model"] for each in judging.replies))
    note = (
        f"Judges: {models}; {len(judging.replies)} replies, {invalid} of them no verdict,"
        f" {sum(each['tokens'] for each in judging.replies):,} tokens. {judging.stopped}"
    ).strip()
    headings = ("text", "tokens used", "texts", *(s.value for s in SubScore), "EQS", "EQS by nuggets")
    return Table("By a language model, blind", headings, rows, note)


def _agreement_table(judging: LanguageJudging, records: Sequence[Mapping[str, Any]], means: Mapping[int, Mapping[str, float]]) -> Table:
    models = list(dict.fromkeys(each["model"] for each in judging.replies))
    numbers = sorted({each["record"] for each in judging.replies})
    said = {
        (each["model"], each["repeat"], each["record"]): each["sub_scores"] for each in judging.replies if each["sub_scores"] is not None
    }
    repeats = sorted({each["repeat"] for each in judging.replies})
    groups: list[tuple[str, list[tuple[str, int]]]] = [(f"repeats of {model}", [(model, repeat) for repeat in repeats]) for model in models]
    groups.append(("judges, first repeat", [(model, repeats[0]) for model in models] if repeats else []))
    rows: list[tuple[str | float, ...]] = []
    for name, raters in groups:
        if len(raters) > 1:
            ratings = {
                each: [[said.get((*rater, number), {}).get(each.value) for number in numbers] for rater in raters] for each in SubScore
            }
            rows.append((name, *(_shown_alpha(krippendorff_alpha(ratings[each])) for each in SubScore)))
    nuggets = [
        _shown_alpha(
            krippendorff_alpha(
                [[means[n][each.value] for n in sorted(means)], [records[n]["sub_scores"][each.value] for n in sorted(means)]],
                level=Level.INTERVAL,
            )
        )
        for each in SubScore
    ]
    rows.append(("language models and nuggets", *nuggets))
    return Table(
        "Agreement, Krippendorff's alpha",
        ("between", *(each.value for each in SubScore)),
        tuple(rows),
        "Ordinal between anchors, interval against the nugget judge; 1 is perfect, 0 is chance; n/a where nothing varies.",
    )


def _shown_alpha(value: float) -> str | float:
    return "n/a" if math.isnan(value) else value
