"""What a language model of an annotator's quality would surface: classes and relations from the gold labels with a stated error rate.

`python -m training.measure_annotator_llm [--bench DIR] [--errors 0.1]` reads halden; what is missing then is lost by the pipeline, not by a
model: statements cut otherwise, pairs that are never asked about, the guard. About a minute.
"""

from __future__ import annotations

import argparse
import random
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from oida.adapters.database import SqliteDatabase
from oida.bootstrap import _workspace, unseen_classifier
from oida.evaluation.gold import GoldOrganisation
from oida.ingestion.relation_prompt import NONE, Pair, PairAnswer
from oida.model.classification import Classification
from oida.model.errors import Problem
from oida.model.identifiers import ObjectId
from oida.model.source import Statement
from oida.ports import StatementClassifier
from oida.settings import Settings
from oida.workspace.audit_relations import audit_organisation
from oida.workspace.connect import connect_all
from oida.workspace.gold_match import COVERED, match_gold, read_gold

SEED = 1


def main() -> None:
    """Ingest with annotated classes, relate with annotated relations, audit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=Path(__file__).resolve().parent.parent.parent / "shared" / "bench")
    parser.add_argument("--errors", type=float, default=0.1)
    arguments = parser.parse_args()
    folder = arguments.bench / "halden"
    gold = read_gold(folder)
    unseen = unseen_classifier(Settings()).classifier_for("halden", [each.text for each in gold.statements.values()])
    classifier = AnnotatedClassifier(gold, unseen, errors=arguments.errors)
    workspace = _workspace(SqliteDatabase.create(None), Settings(), classifier=lambda: classifier)
    workspace.create(follows_source_time=True, base_id=secrets.token_hex(16))
    workspace.ingest([folder / "sources"])
    gid_of = {content.object_id: gid for gid, content in match_gold(workspace.store, gold).items()}
    for title, asks in (("annotated classes, offline relations", False), ("annotated classes and relations", True)):
        if asks:
            finder = AnnotatedFinder(gold, gid_of, errors=arguments.errors)
            connect_all(workspace.store, now=workspace.now(), finder=finder)
            print(f"pairs asked about: {finder.asked}")
        found = audit_organisation(workspace.store, gold)
        print(f"-- {title}, {arguments.errors:.0%} of the answers wrong: macro F1 of all relations {found.audit.macro_f1:.3f}")
        for name, each in found.shares.items():
            print(f"   {name}: {each.count} of {each.of} = {each.share:.3f}")
        for step in found.funnel:
            print(f"   {step.name}: {step.explicit} explicit, {step.implicit} implicit")


class AnnotatedClassifier:
    """The annotated class where a statement is an annotated one, but for the errors; what is not annotated is typed offline."""

    def __init__(self, gold: GoldOrganisation, offline: StatementClassifier, *, errors: float) -> None:
        self._gold = list(gold.statements.values())
        self._offline = offline
        self._errors = errors
        self._random = random.Random(SEED)

    @property
    def name(self) -> str:
        return "annotated"

    @property
    def version(self) -> str:
        return "1"

    def classify(self, statements: Sequence[Statement]) -> list[Classification | Problem]:
        answers = self._offline.classify(statements)
        for number, (statement, answer) in enumerate(zip(statements, answers, strict=True)):
            stated = next((each for each in self._gold if _is_same(each.text, statement.text)), None)
            if stated and isinstance(answer, Classification) and self._random.random() >= self._errors:
                answers[number] = replace(answer, epistemic_class=stated.epistemic_class, confidence=0.9)
        return answers


class AnnotatedFinder:
    """The annotated relation of a pair, but for the errors, in which it says NONE."""

    def __init__(self, gold: GoldOrganisation, gid_of: dict[ObjectId, str], *, errors: float) -> None:
        self._gid_of = gid_of
        self._errors = errors
        self._related = {(edge.source, edge.target): (edge.edge_type.value, True) for edge in gold.edges}
        self._related |= {(edge.target, edge.source): (edge.edge_type.value, False) for edge in gold.edges}
        self.asked = 0

    @property
    def version(self) -> str:
        return "llm:annotated"

    def relations(self, pairs: Sequence[Pair]) -> list[PairAnswer | Problem]:
        self.asked += len(pairs)
        return [self._answer(pair) for pair in pairs]

    def _answer(self, pair: Pair) -> PairAnswer:
        newer, older = (each.object_id for each in pair)
        label, newer_acts = self._related.get((self._gid_of.get(newer, ""), self._gid_of.get(older, "")), (NONE, True))
        is_wrong = random.Random(newer + older).random() < self._errors
        return PairAnswer(NONE if is_wrong else label, newer_acts, 0.9)


def _is_same(annotated: str, ours: str) -> bool:
    """Whether one holds the other and they are of about one length."""
    shorter, longer = sorted((annotated, ours), key=len)
    return shorter in longer and len(shorter) >= COVERED * len(longer)


if __name__ == "__main__":
    main()
