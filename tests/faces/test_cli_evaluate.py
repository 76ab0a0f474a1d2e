"""`oida evaluate` end to end on a small organisation of our own: experiments, judges, worksheets, other memories' benchmarks."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Iterator
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from tests.companies import class_of
from typer.testing import CliRunner, Result

from oida import bootstrap
from oida.adapters.classifier.scripted import ScriptedClassifier
from oida.adapters.embedder.hashing import HashingEmbedder
from oida.evaluation.experiment import CONDITIONS, PREREGISTRATION
from oida.faces.cli.main import app

pytest.importorskip("scipy", reason="needs scipy, the extra `plots`")
pytest.importorskip("matplotlib", reason="needs matplotlib, the extra `plots`")

_SPEC = spec_from_file_location("small_company", Path(__file__).parents[1] / "evaluation" / "small_company.py")
assert _SPEC is not None
assert _SPEC.loader is not None
told = module_from_spec(_SPEC)
_SPEC.loader.exec_module(told)

FIRST_DAY = date(2026, 2, 1)
DAYS_APART = 9


@pytest.fixture(autouse=True)
def _light_models(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = HashingEmbedder(384)
    monkeypatch.setattr(bootstrap, "_embedder", lambda *_: embedder)
    monkeypatch.setattr(bootstrap, "_offline_classifier", lambda *_: ScriptedClassifier(class_of))
    for name in ("OIDA_KB", "OIDA_AS", "OIDA_ZONE", "OIDA_LLM_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def company(tmp_path: Path) -> Path:
    """The bakery as a folder: a statement every nine days, its sources as documents, two questions."""
    folder = tmp_path / "bakery"
    (folder / "gold").mkdir(parents=True)
    (folder / "sources" / "docs").mkdir(parents=True)
    statements = []
    for number, (gid, (kind, status, text)) in enumerate(told.STATEMENTS.items()):
        day = FIRST_DAY + timedelta(days=DAYS_APART * number)
        statements.append({
            "gid": gid, "text": text, "source": f"docs/{gid}.md#Note", "author": "Mette", "date": f"{day.isoformat()}T09:00:00+02:00",
            "class": kind, "entity": "bakery", "domain": "operations", "status": status, "stakes": 0.1 * number,
        })  # fmt: skip
        page = f"---\ndate: {day.isoformat()}\nauthor: Mette\n---\n# Note\n{text}\n"
        (folder / "sources" / "docs" / f"{gid}.md").write_text(page, encoding="utf-8")
    edges = [{"src": src, "type": kind, "dst": dst, "cue": "explicit"} for src, kind, dst in told.EDGES]
    queries = [
        told.QUERY,
        {**told.QUERY, "qid": "q2", "query": "Who pays for the grid connection?", "relevant": ["g8", "g7"], "nuggets": []},
    ]
    for name, records in (("statements", statements), ("edges", edges), ("queries", queries)):
        lines = "".join(json.dumps(each) + "\n" for each in records)
        (folder / "gold" / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture
def proposals(tmp_path: Path) -> Path:
    folder = tmp_path / "proposals"
    folder.mkdir()
    headers = [
        {"pep": "p1", "title": "Metadata for packages", "status": "Superseded", "created": "01-Mar-2001"},
        {"pep": "p2", "title": "Metadata for packages, second edition", "status": "Final", "created": "01-Mar-2003"},
        {"pep": "p3", "title": "Comparing versions", "status": "Superseded", "created": "04-Jun-2009"},
        {"pep": "p4", "title": "Identifying versions", "status": "Active", "created": "18-Mar-2013"},
    ]
    relations = [{"src": "p2", "type": "SUPERSEDES", "dst": "p1"}, {"src": "p4", "type": "SUPERSEDES", "dst": "p3"}]
    history = [{"pep": each["pep"], "to": "Final"} for each in headers]
    for name, records in (("headers", headers), ("relations", relations), ("status_history", history)):
        lines = "".join(json.dumps(each) + "\n" for each in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


class Judge(ThreadingHTTPServer):
    """A local server that speaks the chat protocol and judges, or answers, as a test tells it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.asked: list[dict[str, Any]] = []
        self.spoiled = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def reply_to(self, body: dict[str, Any]) -> str:
        self.asked.append(body)
        if self.spoiled:
            self.spoiled -= 1
            return "I would rather not."
        material = body["messages"][1]["content"]
        if "BEGIN TEXT" not in material:
            return json.dumps(
                {"answer": "They deliver with two electric vans leased from Norden Leasing. Nobody knows who pays for the grid."}
            )
        strict = body["model"] == "strict"
        anchor = 0.4 if strict else 0.7
        verdict = {name: {"justification": f"{name}: as read", "anchor": anchor} for name in ("ECA", "CP", "CR", "EC", "DE")}
        verdict["CR"]["anchor"] = 1.0 if "Who pays" in material.splitlines()[0] else 0.1
        return json.dumps(verdict)


class _Asked(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Judge)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = self.server.reply_to(body)
        answer = {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}
        sent = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: object) -> None:
        return None


@pytest.fixture
def judge() -> Iterator[Judge]:
    server = Judge()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)])


def done(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def configured(tmp_path: Path, judge: Judge) -> Path:
    base = tmp_path / "base.db"
    result = CliRunner().invoke(app, ["config", "llm", "--url", judge.url, "--model", "usual", "--kb", str(base)])
    assert result.exit_code == 0, result.output
    return base


@pytest.mark.parametrize("name", ["e2", "e4", "e5", "e6"])
def test_an_experiment_prints_what_it_commits_to_and_writes_the_same_report_twice(
    name: str, company: Path, proposals: Path, tmp_path: Path
) -> None:
    more = ["--proposals", proposals] if name == "e4" else []
    runs = []
    for number in ("one", "two"):
        printed = done(name, "--corpus", company, "--out", tmp_path / number, *more)
        assert printed.splitlines()[0] == f"- {PREREGISTRATION[name][0]}"
        files = {path.name: path.read_bytes() for path in (tmp_path / number).iterdir()}
        assert name in json.loads(files.pop("times.json"))
        runs.append(files)

    report = json.loads(runs[0][f"{name}.json"])
    assert {f"{name}.md", f"{name}.html", f"{name}.json", f"{name}.jsonl"} <= runs[0].keys()
    assert all(f"{figure}.svg" in runs[0] for figure in report["figures"])
    assert report["figures"]
    assert runs[0][f"{name}.md"].decode().splitlines()[0] == report["verdict"]
    assert report["verdict"].startswith(f"{name.upper()}: ")
    assert runs[0] == runs[1]


def test_the_proposals_tell_which_comes_first_with_statuses_known_and_hidden(company: Path, proposals: Path, tmp_path: Path) -> None:
    done("e4", "--corpus", company, "--out", tmp_path, "--proposals", proposals)
    report = json.loads((tmp_path / "e4.json").read_text(encoding="utf-8"))
    tables = {each["title"].partition("? Statuses ")[2]: each["rows"] for each in report["tables"] if each["title"].startswith("Proposals")}
    known, hidden = ({row[0]: row[3] for row in tables[name]} for name in ("known", "hidden from everything"))

    assert {"known", "hidden from labels", "hidden from everything"} == tables.keys()
    assert known["minerva"] == 1.0
    assert known["tag-and-boost"] == hidden["tag-and-boost"]
    assert "on the proposals" in report["notes"][0]


def test_records_are_judged_again_compared_and_imported(company: Path, tmp_path: Path) -> None:
    done("eqs", "--corpus", company, "--out", tmp_path, "--conditions", "minerva,bm25")
    stored = tmp_path / "eqs.jsonl"
    again = tmp_path / "again.jsonl"
    again.write_text(done("rejudge", stored, "--corpus", company), encoding="utf-8")
    before, after = ([json.loads(line)["shares"] for line in path.read_text(encoding="utf-8").splitlines()] for path in (stored, again))
    assert before == after

    foreign = tmp_path / "foreign.jsonl"
    answers = [{"qid": "q1", "answer": told.PLAIN, "condition": "theirs"}, {"qid": "q2", "answer": "", "condition": "theirs"}]
    foreign.write_text("".join(json.dumps(each) + "\n" for each in answers), encoding="utf-8")
    imported = tmp_path / "imported.jsonl"
    imported.write_text(done("import", foreign, "--corpus", company), encoding="utf-8")
    scored = [json.loads(line) for line in imported.read_text(encoding="utf-8").splitlines()]
    assert [1.0, 0.1] == [each["composite"] for each in scored]
    assert 2 == len(done("rejudge", imported, "--corpus", company).splitlines())

    rows = json.loads(done("compare", stored, imported, "--json"))
    assert ["EQS", "ECA", "CP", "CR", "EC", "DE"] == [row["score"] for row in rows]
    assert {2} == {row["queries"] for row in rows}
    assert "d of pairs" in done("compare", stored, imported)


def test_language_judges_are_blind_seeded_kept_and_compared(company: Path, tmp_path: Path, judge: Judge) -> None:
    base = configured(tmp_path, judge)
    judge.spoiled = 1
    options = ("--conditions", "minerva,bm25", "--judge", "llm:kind,llm:strict", "--repeats", "2", "--kb", base)
    done("eqs", "--corpus", company, "--out", tmp_path / "one", *options)
    asked = len(judge.asked)
    report = json.loads((tmp_path / "one" / "eqs.json").read_text(encoding="utf-8"))
    replies = [json.loads(line) for line in (tmp_path / "one" / "eqs-judgements.jsonl").read_text(encoding="utf-8").splitlines()]

    assert 8 * 2 * 2 + 1 == asked
    assert 8 * 2 * 2 == len(replies)
    for body in judge.asked:
        said = " ".join(each["content"] for each in body["messages"])
        assert not [name for name in CONDITIONS if len(name) > 6 and name in said]
        assert "minerva" not in said.casefold()
    assert len({tuple(each["order"]) for each in replies}) > 1
    assert all(each["justifications"].keys() == each["sub_scores"].keys() for each in replies)
    [agreement] = [each for each in report["tables"] if each["title"].startswith("Agreement")]
    assert ["repeats of kind", "repeats of strict", "judges, first repeat", "language models and nuggets"] == [
        r[0] for r in agreement["rows"]
    ]
    assert 1.0 == agreement["rows"][0][3]
    assert "eqs_v1+" in dict(report["setting"])["language model as judge"]

    done("eqs", "--corpus", company, "--out", tmp_path / "one", *options)
    assert asked == len(judge.asked)

    done("eqs", "--corpus", company, "--out", tmp_path / "other", *options, "--seed", "8")
    theirs = [json.loads(line) for line in (tmp_path / "other" / "eqs-judgements.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [each["record"] for each in replies] != [each["record"] for each in theirs]


def test_a_part_of_the_texts_is_drawn_by_whole_questions(company: Path, tmp_path: Path, judge: Judge) -> None:
    base = configured(tmp_path, judge)
    options = ("--conditions", "minerva,bm25", "--judge", "llm:kind", "--repeats", "1", "--most-texts", "5", "--kb", base)
    done("eqs", "--corpus", company, "--out", tmp_path, *options)
    replies = [json.loads(line) for line in (tmp_path / "eqs-judgements.jsonl").read_text(encoding="utf-8").splitlines()]
    records = [json.loads(line) for line in (tmp_path / "eqs.jsonl").read_text(encoding="utf-8").splitlines()]

    assert 4 == len(replies)
    assert 1 == len({records[each["record"]]["qid"] for each in replies})


def test_a_spent_budget_stops_judging_and_what_was_judged_stays(company: Path, tmp_path: Path, judge: Judge) -> None:
    base = configured(tmp_path, judge)
    done("eqs", "--corpus", company, "--out", tmp_path, "--conditions", "minerva", "--judge", "llm", "--most-tokens", "300", "--kb", base)
    report = (tmp_path / "eqs.md").read_text(encoding="utf-8")

    assert 3 == len(judge.asked)
    assert "stopped after 3 of 8 replies" in report


def test_stored_records_are_judged_by_a_language_model_too(company: Path, tmp_path: Path, judge: Judge) -> None:
    base = configured(tmp_path, judge)
    done("eqs", "--corpus", company, "--out", tmp_path, "--conditions", "minerva")
    lines = done(
        "rejudge", tmp_path / "eqs.jsonl", "--corpus", company, "--judge", "llm:kind", "--repeats", "1", "--out", tmp_path, "--kb", base
    ).splitlines()

    assert [0.7] * 4 == [json.loads(line)["sub_scores"]["ECA"] for line in lines]


def test_a_language_model_answers_for_every_condition_alike(company: Path, tmp_path: Path, judge: Judge) -> None:
    base = configured(tmp_path, judge)
    done("eqs", "--corpus", company, "--out", tmp_path, "--conditions", "minerva,cosine", "--answers", "llm:kind", "--kb", base)
    records = [json.loads(line) for line in (tmp_path / "eqs.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = [each for each in records if each["judged"] == "answer"]

    assert {"minerva", "cosine"} == {each["condition"] for each in answers}
    assert all("two electric vans" in json.dumps(each["passages"]) for each in answers)


def test_questions_are_put_beside_the_stakes_and_onto_a_blind_sheet(company: Path, tmp_path: Path) -> None:
    assert "Spearman" in done("questions", "--corpus", company, "--out", tmp_path)
    sheet, key = tmp_path / "sheet.csv", tmp_path / "key.json"
    done("worksheet", "questions", "--corpus", company, "--out", sheet, "--key", key)
    [row] = csv.DictReader(sheet.read_text(encoding="utf-8").splitlines())

    assert "Who pays for a stronger grid connection in the yard?" == row["question"]
    assert "g8" not in sheet.read_text(encoding="utf-8")
    assert "g8" == json.loads(key.read_text(encoding="utf-8"))["items"]["item-001"]["gid"]


def test_people_rate_blind_and_their_ratings_come_back(company: Path, tmp_path: Path) -> None:
    done("eqs", "--corpus", company, "--out", tmp_path, "--conditions", "minerva,bm25")
    sheet, key = tmp_path / "sheet.csv", tmp_path / "key.json"
    done("worksheet", "eqs", "--corpus", company, "--run", tmp_path / "eqs.jsonl", "--out", sheet, "--key", key)
    text = sheet.read_text(encoding="utf-8")
    assert "minerva" not in text
    assert "bm25" not in text

    with sheet.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    machine = json.loads(key.read_text(encoding="utf-8"))["items"]
    filled = []
    for name in ("ada.csv", "bo.csv"):
        filled.append(tmp_path / name)
        with filled[-1].open("w", encoding="utf-8", newline="") as written:
            writer = csv.DictWriter(written, list(rows[0]))
            writer.writeheader()
            writer.writerows(row | {column: str(score) for column, score in machine[row["item"]]["scores"].items()} for row in rows)
    tables = json.loads(done("worksheet-import", key, *filled, "--json"))

    by_column = {row[0]: row for row in tables[0]["rows"]}
    assert (2, len(rows)) == (by_column["CR"][1], by_column["CR"][2])
    assert {1.0, "n/a"} >= {row[3] for row in tables[0]["rows"]}
    assert ["bm25", "minerva"] == [row[0] for row in tables[1]["rows"]]


def test_a_rating_that_is_on_no_scale_is_refused(company: Path, tmp_path: Path) -> None:
    sheet, key = tmp_path / "sheet.csv", tmp_path / "key.json"
    done("worksheet", "questions", "--corpus", company, "--out", sheet, "--key", key)
    sheet.write_text("item,urgency\nitem-001,9\n", encoding="utf-8")

    assert 2 == run("worksheet-import", key, sheet).exit_code


LOCOMO = [
    {
        "sample_id": "own-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "We decided to paint the harbour boat green."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "We measured the mast and it is nine metres long."},
            ],
            "session_2_date_time": "10:00 am on 9 June, 2023",
        },
        "qa": [
            {"question": "How long is the mast?", "answer": "nine metres", "evidence": ["D1:2"], "category": 4},
            {"question": "Which colour does the harbour boat get?", "answer": "green", "evidence": ["D1:1"], "category": 1},
            {"question": "What is the name of the parrot of Zed?", "adversarial_answer": "Polly", "evidence": [], "category": 5},
        ],
    }
]
LONGMEMEVAL = [
    {
        "question_id": "own_1",
        "question_type": "single-session-user",
        "question": "How long is the mast?",
        "answer": "nine metres",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s2", "s1"],
        "haystack_dates": ["2023/05/21 (Sun) 02:21", "2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [
            [{"role": "user", "content": "We measured the mast and it is nine metres long.", "has_answer": True}],
            [{"role": "assistant", "content": "We decided to paint the harbour boat green."}],
        ],
        "answer_session_ids": ["s2"],
    }
]
MEMORYAGENTBENCH = {
    "context": "Here is a list of facts:\n0. We measured the mast and it is nine metres long.\n1. We decided to paint the boat green.",
    "questions": ["How long is the mast?"],
    "answers": [["nine metres", "9 m"]],
    "metadata": {"source": "own_sh_6k", "qa_pair_ids": ["own_sh_6k_no0"]},
}
MEME = [
    {
        "episode_id": "own_001",
        "sessions": [
            {
                "session_id": f"s{number}",
                "type": "evidence",
                "timestamp": f"2023/03/0{number} (Fri) 11:55",
                "conversation": [{"role": "user", "content": f"We measured the mast and it is {length} metres long."}],
            }
            for number, length in ((1, "nine"), (2, "eleven"))
        ],
        "before_questions": {
            "timestamp": "2023/03/01 (Wed) 18:00",
            "position_after_session": 0,
            "questions": [{"task_type": "Tr", "question": "How long is the mast?", "expected_answer": "nine metres"}],
        },
        "after_questions": {
            "timestamp": "2023/03/03 (Fri) 18:00",
            "position_after_session": 1,
            "questions": [{"task_type": "Tr", "question": "How long is the mast?", "gold_answer": "eleven metres"}],
        },
    }
]


@pytest.mark.parametrize(
    ("kind", "content", "questions", "recall"),
    [
        ("locomo", LOCOMO, 3, 1.0),
        ("longmemeval", LONGMEMEVAL, 1, 1.0),
        ("memoryagentbench", MEMORYAGENTBENCH, 1, None),
        ("meme", MEME, 2, None),
    ],
)
def test_another_memorys_benchmark_runs_from_its_file_to_its_own_metric(
    kind: str, content: object, questions: int, recall: float | None, tmp_path: Path
) -> None:
    file = tmp_path / "benchmark.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    done("memory", file, "--format", kind, "--out", tmp_path)
    records = [json.loads(line) for line in (tmp_path / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()]
    report = (tmp_path / f"{kind}.md").read_text(encoding="utf-8")

    assert questions == len(records)
    assert {1.0} == {each["substring"] for each in records if each["expected"]}
    assert {0.0, 1.0} >= {each["substring"] for each in records if not each["expected"]}, "1 where nothing was told on what nothing answers"
    assert {recall} == {each["recall"] for each in records if each["expected"]}
    assert report.startswith(f"{kind}: ")


def test_what_was_said_later_is_not_there_for_an_earlier_question(tmp_path: Path) -> None:
    file = tmp_path / "meme.json"
    file.write_text(json.dumps(MEME), encoding="utf-8")
    done("memory", file, "--format", "meme", "--out", tmp_path)
    before, after = (json.loads(line) for line in (tmp_path / "meme.jsonl").read_text(encoding="utf-8").splitlines())

    assert "eleven" not in " ".join(before["context"])
    assert "eleven" in " ".join(after["context"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("e4", "--corpus", "{company}", "--memory", "theirs"),
        ("eqs", "--corpus", "{company}", "--judge", "people"),
        ("eqs", "--corpus", "{company}", "--answers", "people"),
        ("eqs", "--corpus", "{company}", "--conditions", "best"),
        ("eqs", "--corpus", "{company}", "--judge", "llm:none-is-configured"),
        ("worksheet", "answers", "--corpus", "{company}"),
        ("worksheet", "songs", "--corpus", "{company}"),
        ("questions", "--corpus", "{company}", "--memory", "theirs"),
        ("memory", "{company}/gold/statements.jsonl", "--format", "locomo"),
        ("memory", "{company}/gold/statements.jsonl", "--format", "songs"),
        ("e4", "--corpus", "{company}/gold"),
    ],
)
def test_what_cannot_be_measured_is_an_input_error(arguments: tuple[str, ...], company: Path, tmp_path: Path) -> None:
    given = [each.format(company=company) for each in arguments]
    result = run(*given, *(() if given[0] == "memory" else ("--kb", tmp_path / "none.db")))

    assert 2 == result.exit_code, result.output


def test_a_file_that_is_not_there_is_unavailable(company: Path, tmp_path: Path) -> None:
    assert 5 == run("rejudge", tmp_path / "none.jsonl", "--corpus", company).exit_code
    assert 5 == run("e4", "--corpus", company, "--proposals", tmp_path / "none").exit_code
