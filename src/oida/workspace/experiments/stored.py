"""Stored records and foreign answers: judged again under the same rules, and two runs compared; nothing is asked anew."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from statistics import fmean
from typing import Any

from oida.evaluation.eqs import SubScore
from oida.evaluation.experiment import paired_difference
from oida.evaluation.gold import GoldOrganisation, GoldQuery
from oida.evaluation.nuggets import Passage, judge
from oida.evaluation.passages import passages_of_text
from oida.evaluation.statistics import detectable_effect, holm, paired_effect, wilcoxon_signed_rank
from oida.model.errors import InputError
from oida.workspace.experiments.bench import cited_text, scores_of, verbatim_passages


def judged_again(raw: Iterable[str], gold: GoldOrganisation) -> list[dict[str, Any]]:
    """Stored records scored anew without asking anything again; those of a date are judged by what was known then.

    Raises:
        InputError: a line is no record of ours.

    """
    return [record | scores_of(judge(passages, query, gold.at(moment))) for record, passages, query, moment in read_records(raw, gold)]


def read_records(raw: Iterable[str], gold: GoldOrganisation) -> list[tuple[dict[str, Any], list[Passage], GoldQuery, datetime]]:
    """Stored records with their passages, the query as it was asked, and the moment of asking.

    Raises:
        InputError: a line is no record of ours.

    """
    queries = {query.qid: query for query in gold.queries}
    verbatim = {gid: passage for passage, gid in verbatim_passages(gold).items()}
    end = max(each.said_at for each in gold.statements.values())
    found = []
    for number, line in enumerate(raw, start=1):
        try:
            record = json.loads(line)
            passages = [_kept(each, verbatim) for each in record["passages"]]
            query = queries[record["qid"]]
            at = datetime.fromisoformat(record["at"]) if record.get("at") else None
            asked = gold.as_asked_at(query, at) if at else query
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"expected a stored record in line {number}, found {line[:80]!r}") from error
        if asked is None:
            raise InputError(f"expected a record of a query that could be asked, found {query.qid} at {at} in line {number}")
        found.append((record, passages, asked, at or query.as_of or end))
    return found


def _kept(raw: Sequence[Any], verbatim: Mapping[str, Passage]) -> Passage:
    if len(raw) == 2:
        return replace(verbatim[raw[0]], frame=raw[1])
    text, frame, cited = raw
    return Passage(text, frame, tuple(cited))


def judged_foreign(raw: Iterable[str], gold: GoldOrganisation) -> list[dict[str, Any]]:
    """Answers of any other system, JSON lines with `qid` and `answer`, judged under the same rules.

    They may cite gold ids or places of sources in brackets; `condition` names the system, `tokens` what its context cost. What comes
    back is a stored record, with the passages that were judged.

    Raises:
        InputError: a line has no `qid` of the organisation or no `answer`.

    """
    queries = {query.qid: query for query in gold.queries}
    sources = _gold_sources(gold)
    end = max(each.said_at for each in gold.statements.values())
    scored = []
    for number, line in enumerate(raw, start=1):
        try:
            given = json.loads(line)
            query, said = queries[given["qid"]], str(given["answer"])
            tokens = int(given.get("tokens", 0))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"expected a record with a known qid and an answer in line {number}, found {line[:80]!r}") from error
        passages = passages_of_text(said, sources)
        judgement = judge(passages, query, gold.at(query.as_of or end))
        scored.append({
            "variant": "imported", "condition": str(given.get("condition", "imported")), "memory": "foreign", "judged": "answer",
            "qid": query.qid, "kind": query.kind, "at": None, "budget_tokens": 0, "tokens": tokens, **scores_of(judgement),
            "passages": [[each.text, each.frame, list(each.cited)] for each in passages],
        })  # fmt: skip
    return scored


def _gold_sources(gold: GoldOrganisation) -> dict[str, str]:
    sources: dict[str, str] = {}
    for gid, each in gold.statements.items():
        text = cited_text(each)
        sources[gid] = text
        sources[each.source] = f"{sources.get(each.source, '')} {text}".strip()
    return sources


def compared(first: Iterable[str], second: Iterable[str]) -> list[dict[str, Any]]:
    """First less second, query by query, for the composite and each sub-score; p corrected over the six.

    Several records of a query in one file count as their mean. `effect` is d_z with its interval; `detectable` is the smallest effect
    that so many queries find with power 0.8.

    Raises:
        InputError: a line is no record, or the files share fewer than two queries.

    """
    tables = [_by_query(lines) for lines in (first, second)]
    shared = sorted(tables[0].keys() & tables[1].keys())
    if len(shared) < 2:
        raise InputError(f"expected two runs with at least two queries in common, found {len(shared)}")
    rows: list[dict[str, Any]] = []
    for name in ("EQS", *(score.value for score in SubScore)):
        ours, theirs = ([table[qid][name] for qid in shared] for table in tables)
        differences = [a - b for a, b in zip(ours, theirs, strict=True)]
        difference, effect = paired_difference(ours, theirs), paired_effect(differences)
        test = wilcoxon_signed_rank(differences)
        rows.append({
            "score": name, "queries": len(shared), "mean": difference.mean, "standard_error": difference.standard_error,
            "p": test.p_value, "w": test.statistic,
            "effect": _finite(effect.d), "effect_low": _finite(effect.interval.low), "effect_high": _finite(effect.interval.high),
            "detectable": detectable_effect(len(shared)),
        })  # fmt: skip
    corrected = holm([row["p"] for row in rows])
    return [row | {"holm_p": p} for row, p in zip(rows, corrected, strict=True)]


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _by_query(lines: Iterable[str]) -> dict[str, dict[str, float]]:
    found: dict[str, list[dict[str, float]]] = {}
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            found.setdefault(record["qid"], []).append({"EQS": record["composite"], **record["sub_scores"]})
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"expected a record of scores in line {number}, found {line[:80]!r}") from error
    return {qid: {name: fmean(each[name] for each in records) for name in records[0]} for qid, records in found.items()}
