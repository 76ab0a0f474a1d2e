"""The classifier that ships: what it must get right, and that its answers depend on nothing but the statement in its context."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from oida.adapters.classifier.offline import OfflineClassifier
from oida.adapters.classifier.weights_file import SHIPPED_FOLDER
from oida.adapters.embedder.folder import UnusableModelError
from oida.adapters.embedder.hashing import HashingEmbedder
from oida.adapters.embedder.onnx import OnnxEmbedder
from oida.model.classification import Classification
from oida.model.identifiers import ItemId
from oida.model.source import BlockKind, ItemKind, Statement
from oida.model.taxonomy import EpistemicClass

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def statement(text: str, *, previous: str = "", section: str = "", title: str = "", kind: str = "message") -> Statement:
    return Statement(
        item_id=ItemId("it-1"),
        ordinal=0,
        text=text,
        start=0,
        end=len(text),
        kind=BlockKind.PARAGRAPH,
        item_kind=ItemKind(kind),
        title=title,
        section=(section,) if section else (),
        previous=previous,
        said_at=MOMENT,
    )


PLAIN = (
    (EpistemicClass.DECISION, statement("We will use PostgreSQL instead of CockroachDB.", section="Decision", kind="document")),
    (EpistemicClass.CONSTRAINT, statement("Under the regulation a trailer must not stand for more than six hours.", kind="document")),
    (EpistemicClass.EVIDENCE, statement("The load test of 3 May showed a median of 212 ms over 1,400 requests.", kind="document")),
    (EpistemicClass.PLAN, statement("I'll send the revised schedule to the depots by Friday.")),
    (EpistemicClass.HYPOTHESIS, statement("It is probably the pick list that slows the second wave down, I suspect.")),
    (EpistemicClass.QUESTION, statement("Does a parked trailer count as storage? Nobody knows yet.")),
    (EpistemicClass.EVALUATION, statement("The new process is far too complicated and not worth the effort.", kind="document")),
    (None, statement("haha thanks :smile:")),
    (None, statement("Good morning everyone!")),
)


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.fixture(scope="module")
def classifier(embedder: OnnxEmbedder) -> OfflineClassifier:
    return OfflineClassifier(embedder)


def classify(classifier: OfflineClassifier, embedder: OnnxEmbedder, *statements: Statement) -> list[Classification]:
    answers = classifier.classify(statements)
    assert all(isinstance(answer, Classification) for answer in answers)
    return [answer for answer in answers if isinstance(answer, Classification)]


@pytest.mark.parametrize(("expected", "given"), PLAIN, ids=[s.text[:30] for _, s in PLAIN])
def test_a_plain_case_of_each_role_is_recognised(
    classifier: OfflineClassifier, embedder: OnnxEmbedder, expected: EpistemicClass | None, given: Statement
) -> None:
    (answer,) = classify(classifier, embedder, given)
    assert expected == answer.epistemic_class


def test_probabilities_are_ten_sum_to_one_and_hold_the_confidence(classifier: OfflineClassifier, embedder: OnnxEmbedder) -> None:
    for answer in classify(classifier, embedder, *(s for _, s in PLAIN)):
        assert {*EpistemicClass.__members__, "NONE"} == set(answer.probabilities)
        assert pytest.approx(1.0, abs=1e-5) == sum(answer.probabilities.values())
        assigned = answer.epistemic_class.value if answer.epistemic_class else "NONE"
        assert answer.confidence == answer.probabilities[assigned] == max(answer.probabilities.values())


def test_an_answer_is_the_same_alone_and_in_any_batch(embedder: OnnxEmbedder) -> None:
    statements = [s for _, s in PLAIN] + [statement("And the doors?", previous=s.text) for _, s in PLAIN]
    together = classify(OfflineClassifier(embedder), embedder, *statements)
    backwards = classify(OfflineClassifier(embedder), embedder, *reversed(statements))[::-1]
    alone = [classify(OfflineClassifier(embedder), embedder, s)[0] for s in statements]
    assert alone == together == backwards


def test_the_heading_counts(classifier: OfflineClassifier, embedder: OnnxEmbedder) -> None:
    bare = statement("PostgreSQL for the routing engine.", kind="document")
    headed = replace(bare, section=("Decision",))
    first, second = classify(classifier, embedder, bare, headed)
    assert second.probabilities["DECISION"] > first.probabilities["DECISION"]


def test_no_statements_give_no_answers(classifier: OfflineClassifier) -> None:
    assert [] == classifier.classify([])


def test_classifying_what_was_just_embedded_runs_the_encoder_no_second_time(
    embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    classifier = OfflineClassifier(embedder)
    statements = [s for _, s in PLAIN]
    embedder.begin([s.text for s in statements])
    monkeypatch.setattr(embedder, "_lower_states", lambda ids: pytest.fail("the encoder ran again"))
    assert len(statements) == len(classifier.classify(statements))


def test_another_embedder_than_the_trained_one_is_refused() -> None:
    with pytest.raises(UnusableModelError, match="expected the embedder all-MiniLM-L6-v2-int8"):
        OfflineClassifier(HashingEmbedder())


def test_altered_weights_are_refused(embedder: OnnxEmbedder, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SHIPPED_FOLDER, tmp_path / "weights"))
    place = folder / "default.npz"
    place.write_bytes(place.read_bytes()[:-1] + b"!")
    with pytest.raises(UnusableModelError, match="sha256"):
        OfflineClassifier(embedder, folder=folder)


@pytest.mark.parametrize("change", [{"features_version": "0"}, {"labels": ["DECISION"]}, {"features": 1}])
def test_weights_of_another_feature_set_are_refused(embedder: OnnxEmbedder, tmp_path: Path, change: dict[str, object]) -> None:
    folder = Path(shutil.copytree(SHIPPED_FOLDER, tmp_path / "weights"))
    place = folder / "default.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | change))
    with pytest.raises(UnusableModelError, match=next(iter(change))):
        OfflineClassifier(embedder, folder=folder)


def test_missing_weights_are_named(embedder: OnnxEmbedder) -> None:
    with pytest.raises(UnusableModelError, match="no-such-set"):
        OfflineClassifier(embedder, "no-such-set")


def test_weights_say_what_they_were_trained_on() -> None:
    default = json.loads((SHIPPED_FOLDER / "default.json").read_text())["trained_on"]
    without = json.loads((SHIPPED_FOLDER / "without-halden.json").read_text())["trained_on"]
    assert {"halden", "halden-unannotated"} == set(default) - set(without)


def test_halden_is_typed_far_above_chance_by_weights_that_never_saw_it(embedder: OnnxEmbedder, shared: Path) -> None:
    lines = (shared / "bench/halden/gold/statements.jsonl").read_text(encoding="utf-8").splitlines()
    gold = [json.loads(line) for line in lines]
    statements = [statement(row["text"], kind="message") for row in gold]
    answers = classify(OfflineClassifier(embedder, "without-halden"), embedder, *statements)
    right = sum(answer.epistemic_class == row["class"] for answer, row in zip(answers, gold, strict=True))
    kept = sum(answer.epistemic_class is not None for answer in answers)
    assert right / len(gold) > 0.50
    assert kept / len(gold) > 0.85


def test_chatter_of_halden_is_left_out_by_weights_that_never_saw_it(embedder: OnnxEmbedder, shared: Path) -> None:
    lines = (shared / "bench/typed-training/statements.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["source"] == "halden-unannotated" and row["label"] == "NONE"]
    statements = [statement(row["text"], previous=row["prev"], title=row["title"].split(" ")[0]) for row in rows]
    answers = classify(OfflineClassifier(embedder, "without-halden"), embedder, *statements)
    kept = sum(answer.epistemic_class is not None for answer in answers)
    assert kept / len(rows) < 0.20
