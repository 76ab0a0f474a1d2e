from __future__ import annotations

import json
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.companies import open_base

from oida.adapters.connector.export import Exports
from oida.events.state import ObjectRecord
from oida.model.identifiers import entity_id
from oida.model.knowledge_object import Status
from oida.model.taxonomy import EpistemicClass
from oida.workspace.workspace import Workspace

LINE = {
    "id": "k-1",
    "text": "We noticed it again. Two keys hang there, we think.",
    "class": "constraint",
    "entity": "Key Cabinet",
    "domain": "Facilities",
    "depth": "strategic",
    "date": "2026-03-04T09:00:00Z",
}


def ingested(base: Workspace, folder: Path, text: str, *, name: str = "ready.jsonl", columns: dict[str, str] | None = None) -> list[str]:
    (folder / name).write_text(text, encoding="utf-8")
    report = base.ingest([folder], reader=Exports(ZoneInfo("UTC"), "told", columns=columns or {}))
    return [problem.code for problem in report.problems]


def objects(base: Workspace) -> list[ObjectRecord]:
    return sorted(base.store.projections.all_objects(), key=lambda found: found.revision)


def coordinate(found: ObjectRecord) -> tuple[EpistemicClass, str, str, int]:
    return found.epistemic_class, found.entity, found.domain, found.depth


def test_what_a_statement_states_of_itself_is_its_own_coordinate(tmp_path: Path) -> None:
    base = open_base()
    assert [] == ingested(base, tmp_path, json.dumps(LINE))
    (found,) = objects(base)
    assert (EpistemicClass.CONSTRAINT, entity_id("key cabinet"), "facilities", 0) == coordinate(found)
    assert ("stated/1", 1.0) == (found.classifier, found.confidence)
    assert base.verify().is_sound


def test_what_it_leaves_out_is_found_as_for_any_other(tmp_path: Path) -> None:
    base = open_base()
    assert [] == ingested(base, tmp_path, json.dumps({"text": "We decided to keep two keys.", "entity": "Key Cabinet"}))
    (found,) = objects(base)
    assert (EpistemicClass.DECISION, entity_id("key cabinet"), "scripted/1") == (found.epistemic_class, found.entity, found.classifier)


def test_another_stated_class_of_the_same_words_supersedes_the_first(tmp_path: Path) -> None:
    base = open_base()
    ingested(base, tmp_path, json.dumps(LINE))
    ingested(base, tmp_path, json.dumps(LINE | {"class": "EVIDENCE", "confidence": 0.5}))
    old, new = objects(base)
    assert (Status.SUPERSEDED, new.object_id) == (old.status, old.superseded_by)
    assert (EpistemicClass.EVIDENCE, 0.5) == (new.epistemic_class, new.confidence)
    assert base.verify().is_sound


def test_the_same_statements_again_change_nothing(tmp_path: Path) -> None:
    base = open_base()
    ingested(base, tmp_path, json.dumps(LINE))
    before = base.head()
    ingested(base, tmp_path, json.dumps(LINE))
    assert before == base.head()


def test_what_cannot_be_stated_is_a_problem_and_no_object(tmp_path: Path) -> None:
    base = open_base()
    wrong = [{"class": "RUMOUR"}, {"depth": "deep"}, {"confidence": "2"}, {"domain": "\u202elagel"}, {"entity": "k" * 81}]
    text = "\n".join(json.dumps(LINE | {"id": f"k-{number}"} | each) for number, each in enumerate(wrong))
    assert ["unusable-statement"] * len(wrong) == ingested(base, tmp_path, text)
    assert [] == objects(base)


def test_a_table_with_mapped_columns_states_the_same(tmp_path: Path) -> None:
    base = open_base()
    columns = {"text": "Was", "class": "Typ", "entity": "Worum", "id": "Nr", "date": "Wann"}
    text = "Nr;Was;Typ;Worum;Wann\n7;Two keys hang there.;constraint;Key Cabinet;2026-03-04\n8;Three hang there.;Gerücht;;\n"
    assert ["unusable-statement"] == ingested(base, tmp_path, text, name="keys.csv", columns=columns)
    (found,) = objects(base)
    assert (EpistemicClass.CONSTRAINT, entity_id("key cabinet"), "stated/1") == (found.epistemic_class, found.entity, found.classifier)


def test_a_mapping_that_no_table_answers_to_is_a_problem(tmp_path: Path) -> None:
    base = open_base()
    assert ["unmapped-columns"] == ingested(base, tmp_path, "date,note\n2026-03-04,Gate shut\n", name="n.csv", columns={"text": "Was"})


def test_a_column_called_class_that_nobody_mapped_types_nothing(tmp_path: Path) -> None:
    base = open_base()
    ingested(base, tmp_path, "text,class\nWe decided to keep two keys.,PLAN\n", name="keys.csv")
    (found,) = objects(base)
    assert (EpistemicClass.DECISION, "scripted/1") == (found.epistemic_class, found.classifier)
