"""Experiments on a small organisation of our own: records can be judged again, runs repeat, foreign answers are judged alike."""

from __future__ import annotations

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from oida.adapters.embedder.hashing import HashingEmbedder
from oida.adapters.lexical_index.memory import MemoryLexicalIndex
from oida.adapters.tokenizer import ConservativeTokenCounter
from oida.evaluation.experiment import CONDITIONS, condition_named
from oida.evaluation.report import report_html, report_markdown
from oida.model.edge import EdgeType
from oida.model.errors import InputError
from oida.model.identifiers import ObjectId
from oida.model.knowledge_object import Status
from oida.model.taxonomy import CLASS_PROFILES
from oida.workspace.experiments.bench import Bench, Outcome, read_gold, verbatim_passages
from oida.workspace.experiments.publish import write_outcome
from oida.workspace.experiments.run import Setting
from oida.workspace.experiments.run import eqs as measured
from oida.workspace.experiments.stored import compared, judged_again, judged_foreign
from oida.workspace.gold_memory import GoldMemory, Hidden, Instruments

_SPEC = spec_from_file_location("small_company", Path(__file__).parents[2] / "evaluation" / "small_company.py")
assert _SPEC is not None
assert _SPEC.loader is not None
told = module_from_spec(_SPEC)
_SPEC.loader.exec_module(told)


def a_bench() -> Bench:
    instruments = Instruments(HashingEmbedder, lambda: MemoryLexicalIndex({}), ConservativeTokenCounter())
    return Bench(told.company(), instruments)


def eqs(bench: Bench, names: list[str]) -> Outcome:
    return measured(bench, Setting("oida evaluate eqs"), names)


def the_id(memory: GoldMemory, gid: str) -> ObjectId:
    return memory.ids[gid]


def test_a_context_with_room_for_everything_is_perfect_under_every_condition() -> None:
    outcome = eqs(a_bench(), list(CONDITIONS))
    contexts = [record for record in outcome.records if record["judged"] == "context"]

    assert len(CONDITIONS) == len(contexts)
    assert {1.0} == {record["composite"] for record in contexts}


def test_a_run_repeats_to_the_byte(tmp_path: Path) -> None:
    runs = []
    for name in ("first", "second"):
        write_outcome(eqs(a_bench(), ["minerva", "bm25"]), tmp_path / name, lambda figures, folder: [])
        runs.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})

    assert {"eqs.md", "eqs.html", "eqs.json", "eqs.jsonl", "eqs-raw.html"} == runs[0].keys()
    assert runs[0] == runs[1]


def test_stored_records_get_the_same_scores_when_judged_again() -> None:
    records = eqs(a_bench(), ["minerva", "cosine"]).records
    again = judged_again([json.dumps(record) for record in records], told.company())

    assert [record["shares"] for record in records] == [record["shares"] for record in again]


@pytest.mark.parametrize("answer", ["PERFECT", "PLAIN"])
def test_a_foreign_system_is_judged_under_the_same_rules(answer: str) -> None:
    [record] = judged_foreign([json.dumps({"qid": "q1", "answer": getattr(told, answer), "condition": "theirs"})], told.company())

    assert ("theirs", 1.0) == (record["condition"], record["composite"])


@pytest.mark.parametrize("line", ["{}", "nonsense", '{"qid": "q9", "answer": ""}', "[]"])
def test_a_line_that_is_no_answer_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(InputError, match="line 1"):
        judged_foreign([line], told.company())


def test_without_dynamics_an_object_has_its_seed_and_nothing_is_urgent() -> None:
    bench = a_bench()
    objects = bench.gold_memory(bench.end).objects(condition_named("static"))

    assert {CLASS_PROFILES[each.epistemic_class].seed for each in objects.values()} == {each.scores.k_score for each in objects.values()}
    assert {0.0} == {each.scores.urgency for each in objects.values()}


def test_hidden_statuses_are_hidden_from_labels_and_known_to_the_engine() -> None:
    bench = a_bench()
    memory = bench.gold_memory(bench.end, hidden=Hidden.LABELS)
    replaced = memory.objects(condition_named("minerva"))[the_id(memory, "g2")]

    assert replaced.status is Status.ACTIVE
    assert replaced.scores.k_score < 0.05


def test_statuses_hidden_from_everything_are_unknown_to_the_engine_too() -> None:
    bench = a_bench()
    memory = bench.gold_memory(bench.end, hidden=Hidden.EVERYWHERE)
    replaced = memory.objects(condition_named("minerva"))[the_id(memory, "g2")]

    assert replaced.status is Status.ACTIVE
    assert replaced.scores.k_score > 0.5
    assert EdgeType.SUPERSEDES not in {edge.edge_type for edge in memory.edges}
    assert "history" not in " ".join(section.title.casefold() for section in memory.context("vans", condition_named("minerva")).sections)


def test_records_of_a_date_are_judged_again_by_what_was_known_then() -> None:
    bench = a_bench()
    early = bench.gold.statements["g4"].said_at
    asked = bench.run([condition_named("minerva")], variant="early", at=early)
    gids = verbatim_passages(bench.gold)
    records = [each.values(gids) for each in asked]
    again = judged_again([json.dumps(record) for record in records], bench.gold)
    undated = judged_again([json.dumps(record | {"at": None}) for record in records], bench.gold)

    assert [early.isoformat()] == [record["at"] for record in records]
    assert [record["shares"] for record in records] == [record["shares"] for record in again]
    assert [record["shares"] for record in records] != [record["shares"] for record in undated]


def test_contradiction_costs_k_only_where_it_is_not_left_out() -> None:
    bench = a_bench()
    memory = bench.gold_memory(bench.end)
    contested = the_id(memory, "g6")

    assert memory.objects(condition_named("minerva"))[contested].scores.k_score < (
        memory.objects(condition_named("no-contradiction"))[contested].scores.k_score
    )


def test_a_report_says_its_verdict_first_and_what_is_circular() -> None:
    report = eqs(a_bench(), ["minerva", "bm25"]).report

    assert report_markdown(report).splitlines()[0] == report.verdict
    assert "circularity high" in report_markdown(report)
    assert report.verdict in report_html(report)


def test_two_runs_are_compared_query_by_query() -> None:
    def run(score: float) -> list[str]:
        sub_scores = dict.fromkeys(("ECA", "CP", "CR", "EC", "DE"), score)
        return [json.dumps({"qid": f"q{n}", "composite": score, "sub_scores": sub_scores}) for n in range(6)]

    [overall, *_] = compared(run(1.0), run(0.4))

    assert ("EQS", 6) == (overall["score"], overall["queries"])
    assert pytest.approx(0.6) == overall["mean"]
    assert pytest.approx(0.03125) == overall["p"]


def test_a_folder_without_annotation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="annotation"):
        read_gold(tmp_path)


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    for name in ("statements", "edges"):
        (tmp_path / "gold" / f"{name}.jsonl").write_text("", encoding="utf-8")

    with pytest.raises(InputError, match="questions"):
        read_gold(tmp_path)


def test_every_raw_text_is_one_link_away(tmp_path: Path) -> None:
    outcome = eqs(a_bench(), ["minerva", "bm25"])
    write_outcome(outcome, tmp_path, lambda figures, folder: [])
    page, report = ((tmp_path / name).read_text(encoding="utf-8") for name in ("eqs-raw.html", "eqs.html"))
    markdown = (tmp_path / "eqs.md").read_text(encoding="utf-8")

    for number, record in enumerate(outcome.records):
        assert f"eqs-raw.html#{number}'" in report
        assert f"(eqs-raw.html#{number})" in markdown
        assert record["tokens"] > 0
    assert len(outcome.records) == len(json.loads(page.split("id='values'>")[1].split("</script>")[0])["records"])
    raw = json.loads((tmp_path / "eqs.json").read_text(encoding="utf-8"))["raw_texts"]
    assert list(range(len(outcome.records))) == sorted(each["record"] for each in raw)


def test_a_report_tells_command_versions_and_seed() -> None:
    told_how = dict(eqs(a_bench(), ["minerva", "bm25"]).report.setting)

    assert told_how["command"] == "oida evaluate eqs"
    assert "numpy" in told_how["versions"]
    assert "engine" in told_how["versions"]
    assert "seed of resampling 7" in told_how["judge"]
