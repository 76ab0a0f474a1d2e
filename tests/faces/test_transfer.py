"""A base carried elsewhere and back is the same base; other tools can read what a principal sees, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import oida
from oida.adapters.database import SqliteDatabase
from oida.adapters.database.schema import PROJECTION_TABLES
from oida.adapters.database.transfer import CARRIED, LEFT
from oida.bootstrap import import_workspace
from oida.faces.cli.main import app as command_line
from oida.model.errors import InputError, IntegrityError, OidaError


def run(base: Path, *arguments: str):
    return CliRunner().invoke(command_line, [*arguments, "--kb", str(base)])


@pytest.fixture
def lines(world) -> list[str]:
    with world.open() as workspace:
        workspace.context("Which sensor?")
        workspace.cycle(catch_up=True)
        return list(workspace.export_lines())


def test_an_import_of_an_export_loses_nothing(world, tmp_path: Path, lines: list[str]) -> None:
    with world.open() as before, import_workspace(tmp_path / "copy.db", lines) as made:
        after = made.at(before.now())
        assert before.head() == after.head()
        assert before.digest() == after.digest()
        assert before.verify() == after.verify()
        assert before.search("sensor") == after.search("sensor")
        assert before.context("Which sensor?", preview=True) == after.context("Which sensor?", preview=True)
        assert before.show(world.ids[4], trajectory=True) == after.show(world.ids[4], trajectory=True)
        assert lines == list(after.export_lines())
        assert [] == after.list_keys()


def test_the_commands_carry_a_base_over(world, tmp_path: Path) -> None:
    assert 0 == run(world.path, "export", str(tmp_path / "base.jsonl")).exit_code
    made = run(tmp_path / "copy.db", "import", str(tmp_path / "base.jsonl"))
    assert 0 == made.exit_code, made.output
    assert 0 == run(tmp_path / "copy.db", "verify").exit_code
    assert 4 == run(tmp_path / "copy.db", "import", str(tmp_path / "base.jsonl")).exit_code
    assert 4 == run(world.path, "export", str(tmp_path / "base.jsonl")).exit_code
    assert 2 == run(world.path, "export", str(tmp_path / "x"), "--format", "csv").exit_code
    assert 2 == run(world.path, "export", str(tmp_path / "x"), "--as", "key:read").exit_code


def changed(lines: list[str], table: str, change) -> list[str]:
    at = max(number for number, line in enumerate(lines) if json.loads(line).get("table") == table)
    return [*lines[:at], *change(lines[at]), *lines[at + 1 :]]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: lines[1:],
        lambda lines: [],
        lambda lines: ["{}"],
        lambda lines: [*lines, "no json"],
        lambda lines: [*lines, '{"table": "access_key", "row": {"key_id": "x"}}'],
        lambda lines: [*lines, '{"table": "ledger", "row": {"x) values(1); --": 1}}'],
        lambda lines: changed(lines, "ledger", lambda line: []),
        lambda lines: changed(lines, "ledger", lambda line: [line, line]),
        lambda lines: changed(lines, "ledger", lambda line: [line.replace("2026", "2025")]),
    ],
)
def test_a_spoilt_export_is_refused_and_leaves_nothing(tmp_path: Path, lines: list[str], spoil) -> None:
    with pytest.raises(OidaError) as raised:
        import_workspace(tmp_path / "copy.db", spoil(lines))
    assert isinstance(raised.value, InputError | IntegrityError)
    assert [] == [path.name for path in tmp_path.iterdir() if path.name.startswith("copy.db")]


def test_graphml_is_the_signed_graph(world, tmp_path: Path) -> None:
    run(world.path, "export", str(tmp_path / "all.graphml"), "--format", "graphml")
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    root = ElementTree.parse(tmp_path / "all.graphml").getroot()
    assert set(world.ids) == {node.get("id") for node in root.iterfind(".//g:node", space)}
    assert 2 == len(root.findall(".//g:edge", space))


def test_prov_names_sources_authors_and_derivations(world, tmp_path: Path) -> None:
    with world.open() as workspace:
        newer = workspace.supersede(world.ids[0], text="We use the Harrow sensor.").added
    run(world.path, "export", str(tmp_path / "prov.json"), "--format", "prov")
    graph = {node["@id"]: node for node in json.loads((tmp_path / "prov.json").read_text())["@graph"]}
    statement = graph[f"oida:{newer}"]
    assert [{"@id": f"oida:{world.ids[0]}"}] == statement["prov:wasRevisionOf"]
    assert "prov:Agent" == graph[statement["prov:wasAttributedTo"]["@id"]]["@type"]
    assert "prov:Entity" == graph[statement["prov:wasQuotedFrom"]["@id"]]["@type"]


def test_a_vault_has_a_note_for_each_object_whose_links_lead_somewhere(world, tmp_path: Path) -> None:
    run(world.path, "export", str(tmp_path / "vault"), "--format", "vault")
    notes = {path.stem: path.read_text() for path in (tmp_path / "vault").iterdir()}
    assert set(world.ids) == set(notes)
    assert f"[[{world.ids[4]}]]" in notes[world.ids[1]]
    assert "\n## Decisions" not in notes[world.ids[7]]


def test_parquet_reads_back(world, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is in the extra `parquet`")
    run(world.path, "export", str(tmp_path / "tables"), "--format", "parquet")
    objects = parquet.read_table(tmp_path / "tables" / "objects.parquet").to_pylist()
    assert set(world.ids) == {row["id"] for row in objects}
    assert 2 == parquet.read_table(tmp_path / "tables" / "edges.parquet").num_rows


@pytest.mark.parametrize("form", ["graphml", "prov", "vault", "parquet"])
def test_an_export_for_somebody_has_nothing_that_they_may_not_see(world, tmp_path: Path, form: str) -> None:
    to = tmp_path / "out"
    assert 0 == run(world.path, "export", str(to), "--format", form, "--as", "key:read").exit_code
    files = [to] if to.is_file() else sorted(to.iterdir())
    if form == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is in the extra `parquet`")
        written = str([parquet.read_table(path).to_pylist() for path in files])
    else:
        written = "".join(path.name + path.read_text() for path in files)
    assert world.ids[0] in written
    assert "Larkfield" not in written
    assert world.ids[5] not in written
    with oida.open(world.path) as workspace:
        assert workspace.verify().is_sound


def test_every_table_is_carried_or_made_anew_or_left_on_purpose(tmp_path: Path) -> None:
    made = SqliteDatabase.create(tmp_path / "empty.db")
    tables = {row[0] for row in made.connection.execute("select name from sqlite_master where type = 'table'")}
    made.close()
    assert tables == set(CARRIED) - {"vector"} | set(LEFT) | set(PROJECTION_TABLES)


def test_heads_that_were_kept_elsewhere_are_written_and_checked(world, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = tmp_path / "heads.jsonl"
    assert 2 == run(world.path, "witness", "export").exit_code
    monkeypatch.setenv("OIDA_WITNESS_KEY", "short")
    assert 2 == run(world.path, "witness", "export").exit_code
    monkeypatch.setenv("OIDA_WITNESS_KEY", "a key of more than thirty-two characters")
    assert 3 == run(world.path, "witness", "check", str(lines)).exit_code
    printed = run(world.path, "witness", "export", "--to", str(lines))
    assert 0 == printed.exit_code, printed.output
    assert lines.read_text(encoding="ascii") == printed.stdout
    assert 5 == run(world.path, "witness", "export", "--to", str(tmp_path)).exit_code
    held = run(world.path, "witness", "check", str(lines))
    assert (0, True) == (held.exit_code, held.stdout.startswith("1 lines, all hold; head ")), held.output
    monkeypatch.setenv("OIDA_WITNESS_KEY", "another key of more than thirty-two characters")
    refused = run(world.path, "witness", "check", str(lines), "--json")
    assert (6, False) == (refused.exit_code, json.loads(refused.stdout)["sound"])
