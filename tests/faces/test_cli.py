"""The command line: every command in JSON and in words, every kind of error with its exit code, nothing stored that acts on a terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from tests import stores
from tests.companies import ADA, BOARD, COMPANY, NOW, FakeConnector, FakeReader, class_of, message, said
from typer.testing import CliRunner, Result

from oida import bootstrap
from oida.adapters.classifier.scripted import ScriptedClassifier
from oida.adapters.database import SqliteDatabase
from oida.adapters.embedder.hashing import HashingEmbedder
from oida.bootstrap import create_workspace, open_workspace
from oida.faces.cli.main import app
from oida.model.identifiers import person_id
from oida.model.source import Person

PROJECT_ROOT = Path(__file__).resolve().parent.parent.parent
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
HOSTILE = "\x1b[31mWe decided\x1b]0;owned\x07 to stop\x9b2J \u202egnivom\x7f."
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def _light_models(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = HashingEmbedder(384)
    monkeypatch.setattr(bootstrap, "_embedder", lambda *_: embedder)
    monkeypatch.setattr(bootstrap, "_offline_classifier", lambda *_: ScriptedClassifier(class_of))
    for name in ("OIDA_KB", "OIDA_AS", "OIDA_ZONE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The company's base with a hostile item, closed."""
    path = tmp_path_factory.mktemp("cli") / "company.db"
    hostile = Person(person_id("chat:harbour", "U9"), HOSTILE, HOSTILE, HOSTILE)
    item = message(f"h{HOSTILE}", HOSTILE, day=14, author=hostile, visibility=("org", HOSTILE), place=HOSTILE, link=HOSTILE)
    embedder = HashingEmbedder(384)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bootstrap, "_embedder", lambda *_: embedder)
        patched.setattr(bootstrap, "_offline_classifier", lambda *_: ScriptedClassifier(class_of))
        with create_workspace(path, now=NOW) as base:
            chat = FakeConnector([item for item in COMPANY if item.source_id == "chat:harbour"] + [item])
            notes = FakeConnector([item for item in COMPANY if item.source_id != "chat:harbour"], source_id="notes:harbour")
            base.ingest([Path("x")], reader=FakeReader([chat, notes]))
    return path


@pytest.fixture
def kb(filled: Path, tmp_path: Path) -> Path:
    return stores.copy_base(filled, tmp_path)


def run(*arguments: object, at: str = NOW.isoformat()) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments] + (["--now", at] if at else []))


def told(*arguments: object) -> object:
    result = run(*arguments, "--json")
    assert 0 == result.exit_code, result.output
    return json.loads(result.stdout, parse_constant=_refused)


def _refused(constant: str) -> object:
    raise AssertionError(f"{constant} is no JSON")


def ids(kb: Path) -> dict[str, str]:
    with open_workspace(kb) as base:
        words = {
            "QUESTION": "Why is the queue",
            "DECISION": "We decided that four",
            "GATE": "I suspect the broken gate",
            "SCANNER": "No, I suspect the new scanner",
            "SECRET": "We plan to sell",
        }
        return {name: said(base, begins) for name, begins in words.items()}


EVERY_COMMAND: dict[str, list[str]] = {
    "status": [],
    "verify": [],
    "grant": ["auditor", BOARD],
    "revoke": ["auditor", BOARD],
    "settle": [],
    "cycle": ["--catch-up"],
    "parameters": [],
    "context": ["How many vans stay at Moss?"],
    "ask": ["How many vans stay at Moss?"],
    "search": ["vans", "Moss"],
    "show": ["QUESTION", "--why"],
    "why-not": ["GATE", "How many vans stay?"],
    "questions": ["--since", "2026-01-01"],
    "decisions": ["--superseded"],
    "contradictions": [],
    "stale": [],
    "resolve": ["QUESTION", "--text", "The gate is broken."],
    "supersede": ["GATE", "--by", "SCANNER"],
    "retract": ["GATE"],
    "abandon": ["GATE"],
    "confirm": ["GATE"],
    "relate": ["GATE", "supports", "SCANNER"],
    "reclassify": ["GATE", "evidence"],
    "redact": ["GATE"],
    "certify": [],
    "what-if": ["end GATE"],
    "sources": [],
    "connections": [],
    "jobs": [],
}


@pytest.mark.parametrize("command", sorted(EVERY_COMMAND))
def test_every_command_speaks_json_and_words(kb: Path, command: str) -> None:
    known = ids(kb)
    arguments = [re.sub(r"[A-Z]{4,}", lambda name: known.get(name[0], name[0]), argument) for argument in EVERY_COMMAND[command]]
    assert isinstance(told(command, *arguments, "--kb", kb), dict)


@pytest.mark.parametrize("command", sorted({*EVERY_COMMAND} - {"retract", "abandon", "relate", "redact"}))
def test_nothing_stored_acts_on_a_terminal(kb: Path, command: str) -> None:
    known = ids(kb)
    with open_workspace(kb) as base:
        hostile = next(each.object_id for each in base.store.contents.all_statements() if "decided" in each.text and "stop" in each.text)
    arguments = [re.sub(r"[A-Z]{4,}", lambda name: known.get(name[0], name[0]), argument) for argument in EVERY_COMMAND[command]]
    if command in ("show", "confirm", "reclassify", "resolve"):
        arguments[0] = hostile if command != "resolve" else arguments[0]
    result = run(command, *arguments, "--kb", kb)
    assert 0 == result.exit_code, result.output
    assert None is CONTROLS.search(result.output.replace("\n", ""))
    searched = run("search", "decided", "stop", "--kb", kb)
    assert ("to stop" in searched.output, None) == (True, CONTROLS.search(searched.output.replace("\n", "")))


def test_a_hostile_name_in_an_error_is_inert_too(kb: Path) -> None:
    for arguments in (["decisions", "--domain", HOSTILE], ["show", HOSTILE], ["status", "--as", HOSTILE], ["status", "--now", HOSTILE]):
        result = CliRunner().invoke(app, [*arguments, "--kb", str(kb)])
        assert None is CONTROLS.search(result.output.replace("\n", "")), arguments


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_explains_itself(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert 0 == result.exit_code
    assert "Usage" in result.output
    assert len(result.output) > 100


def test_help_and_completion_import_nothing_heavy() -> None:
    script = (
        "import sys\nfrom oida.faces.cli.main import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'onnxruntime', 'numba', 'scipy', 'icalendar', 'tokenizers', 'docutils', 'bs4', 'pysbd', 'sqlite3', 'fastapi'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "[]" == done.stdout.splitlines()[-1]


def test_a_base_is_made_filled_asked_and_verified(tmp_path: Path) -> None:
    kb = tmp_path / "new.db"
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "harbour.md").write_text("# Harbour\n\nWe decided to load the vans by night.\n\nWho will drive the vans at night?\n")
    assert str(kb) in run("init", "--kb", kb).output
    first, again = told("ingest", notes, "--kb", kb), told("ingest", notes, "--kb", kb)
    assert [(1, True), (0, False)] == [(each["report"]["new_items"], each["report"]["events"] > 0) for each in (first, again)]  # type: ignore[index]
    assert "nothing new" in run("ingest", notes, "--kb", kb).output
    assert "We decided to load the vans by night." in run("ask", "When do we load?", "--kb", kb).output
    assert run("verify", "--kb", kb).output.startswith("sound; replayed")
    assert 0 == run("reinstate", _retracted(kb), "--kb", kb).exit_code


def _retracted(kb: Path) -> str:
    with open_workspace(kb) as base:
        found = said(base, "We decided to load")
    assert 0 == run("retract", found, "--kb", kb).exit_code
    return found


ERRORS: dict[str, tuple[list[str], int, str]] = {
    "no base": (["status", "--kb", "nowhere.db"], 3, "expected a base at nowhere.db, found nothing; run `oida init`"),
    "a folder": (["status", "--kb", "."], 3, "found a folder"),
    "no base of ours": (["status", "--kb", "letter.txt"], 2, "found a file of another kind"),
    "a base already": (["init", "--kb", "company.db"], 4, "expected no file at company.db"),
    "no folder": (["init", "--kb", "no/where.db"], 5, "cannot create a base at"),
    "empty question": (["context", "  "], 2, "expected a question or some words, found nothing"),
    "empty search": (["search", ""], 2, "expected a question or some words"),
    "no time": (["status", "--now", "soon"], 2, "expected a time such as 2026-06-05T18:00:00+02:00 or a date, found 'soon'"),
    "no such day": (["status", "--now", "2026-02-30"], 2, "found '2026-02-30'"),
    "no time in utc": (["status", "--now", "9999-12-31T23:59:59-12:00"], 2, "between the years 1 and 9999"),
    "before time": (["settle", "--now", "0001-01-01T00:00:00+14:00"], 2, "between the years 1 and 9999"),
    "unknown person": (["status", "--as", "Nobody"], 3, "found nobody called 'Nobody'"),
    "unknown object": (["show", "ko-9"], 3, "found nothing under 'ko-9'"),
    "unknown class": (["reclassify", "ko-9", "WISH"], 2, "expected one of DECISION"),
    "unknown edge type": (["relate", "ko-1", "LIKES", "ko-2"], 2, "expected one of SUPPORTS"),
    "unknown domain": (["decisions", "--domain", "none"], 3, "expected one of the domains"),
    "unknown entity": (["decisions", "--entity", "none such"], 3, "found none called 'none such'"),
    "unknown preset": (["parameters", "wishful"], 2, "wishful"),
    "unknown ranking": (["context", "Why?", "--profile", "wishful"], 2, "wishful"),
    "tiny budget": (["context", "Why?", "--budget", "3"], 2, "expected a budget of at least"),
    "no witness": (["verify", "--witness", "yesterday"], 2, "expected a witness as POSITION:DIGEST, found 'yesterday'"),
    "not the owner": (["verify", "--as", "Ada"], 2, "only the owner may verify"),
    "no words": (["resolve", "QUESTION"], 2, "not both and not neither"),
    "no question": (["resolve", "GATE", "--text", "Yes."], 2, "expected a QUESTION"),
    "not seen": (["show", "SECRET", "--as", "Cy"], 3, "found nothing under"),
    "bad zone": (["ingest", ".", "--zone", "Mars/Base"], 2, "expected a time zone such as Europe/Oslo, found 'Mars/Base'"),
}


@stores.needs_file
@pytest.mark.parametrize("case", sorted(ERRORS))
@pytest.mark.parametrize("as_json", [False, True])
def test_an_error_says_what_was_expected_and_found_and_ends_with_its_code(
    kb: Path, case: str, as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, code, message_ = ERRORS[case]
    known = ids(kb)
    monkeypatch.chdir(kb.parent)
    Path("letter.txt").write_text("Dear harbour,")
    given = [known.get(argument, argument) for argument in arguments]
    if "--kb" not in given:
        given += ["--kb", str(kb)]
    result = CliRunner().invoke(app, [*given, *(["--json"] if as_json else [])])
    assert code == result.exit_code, result.output
    if as_json:
        assert message_ in json.loads(result.stdout)["error"]["message"]
    else:
        assert message_ in result.stderr
        assert "Traceback" not in result.output


def test_what_differs_ends_with_code_6_and_is_listed(kb: Path) -> None:
    stores.change_base(kb, "update statement_content set body = replace(body, 'four vans', 'nine vans')")
    result = run("verify", "--kb", kb)
    assert 6 == result.exit_code
    assert re.search(r"content of ko-\w+: expected text with digest \w+, found \w+", result.output)
    assert "NOT sound" in result.output
    found = CliRunner().invoke(app, ["verify", "--kb", str(kb), "--json"])
    assert (6, False) == (found.exit_code, json.loads(found.stdout)["sound"])


@stores.needs_file
def test_a_damaged_file_ends_with_code_6(kb: Path) -> None:
    kb.write_bytes(kb.read_bytes()[:20_000])
    result = run("status", "--kb", kb)
    assert (6, True) == (result.exit_code, "restore a backup" in result.stderr)


@stores.needs_file
def test_another_writer_ends_with_code_4(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opening = SqliteDatabase.open
    monkeypatch.setattr(SqliteDatabase, "open", lambda path: opening(path, busy_timeout_seconds=0.05))
    writer = sqlite3.connect(kb, isolation_level=None)
    writer.execute("begin immediate")
    result = run("confirm", ids(kb)["GATE"], "--kb", kb)
    writer.execute("rollback")
    writer.close()
    assert (4, True) == (result.exit_code, "another process is writing" in result.stderr)


def test_the_environment_names_the_base_and_the_person(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OIDA_KB", str(kb))
    everything = told("status")
    monkeypatch.setenv("OIDA_AS", "Cy")
    assert everything["objects"] == told("status")["objects"] + 2  # type: ignore[index,operator]
    assert everything == told("status", "--as", "owner")


def test_text_that_no_encoding_has_is_refused(kb: Path) -> None:
    for arguments in (["search", "night\udcff"], ["show", "\udcff"], ["status", "--as", "\udcff"]):
        result = run(*arguments, "--kb", kb)
        assert 2 <= result.exit_code <= 3, result.output
        assert "\\udcff" in result.stderr


@pytest.fixture
def endless(tmp_path: Path) -> tuple[Path, Path]:
    """An empty base and more notes than are read in a moment."""
    kb, notes = tmp_path / "kb.db", tmp_path / "notes"
    notes.mkdir()
    for number in range(400):
        lines = "\n\n".join(f"We decided to load van {number}-{line} by night." for line in range(20))
        (notes / f"note{number}.md").write_text(lines)
    with create_workspace(kb):
        pass
    return kb, notes


def oida(*arguments: object, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from oida.faces.cli.main import main; main()", *map(str, arguments)]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload,no-any-return]


@stores.needs_file
def test_ctrl_c_ends_quietly_with_130_and_loses_nothing(endless: tuple[Path, Path]) -> None:
    kb, notes = endless
    # A run in the background hands down an ignored Ctrl-C; a terminal never does.
    child = oida("ingest", notes, "--kb", kb, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not kb.with_name("kb.db-wal").exists():
        time.sleep(0.05)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, trace = child.communicate(timeout=60)
    assert (130, True, False) == (child.returncode, "interrupted; what was recorded stays" in trace, "Traceback" in trace)
    assert 0 == run("verify", "--kb", kb).exit_code


@stores.needs_file
def test_a_reader_that_leaves_early_is_no_error(kb: Path) -> None:
    child = oida("search", "vans", "--limit", "1000", "--json", "--kb", kb, "--now", NOW.isoformat())
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    trace = child.stderr.read()
    assert (0, "") == (child.wait(timeout=60), trace)


@stores.needs_file
def test_a_terminal_without_unicode_gets_what_it_can_show(kb: Path) -> None:
    child = oida(
        "context", "How many vans stay at Moss?", "--kb", kb, "--now", NOW.isoformat(), env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    shown, trace = child.communicate(timeout=60)
    assert (0, "") == (child.returncode, trace)
    assert "four vans stay at Moss" in shown


def test_a_person_is_shown_by_name(kb: Path) -> None:
    found = ids(kb)["GATE"]
    assert 0 == run("confirm", found, "--kb", kb, "--as", "ada@harbour.example").exit_code
    shown = run("show", found, "--kb", kb).output
    assert ("by Ada" in shown, False) == (True, ADA.person_id in shown)
