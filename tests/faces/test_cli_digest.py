"""`oida digest`: what is new for one reader, and nothing that they may not see."""

from __future__ import annotations

from typer.testing import CliRunner

from oida.faces.cli.main import app


def digest(world, *arguments: str) -> str:
    done = CliRunner().invoke(app, ["digest", "--kb", str(world.path), "--now", "2026-06-05T18:00:00+00:00", *arguments])
    assert 0 == done.exit_code, done.output
    return done.stdout


def test_the_owner_reads_questions_and_contradictions(world) -> None:
    found = digest(world)
    assert "## Urgent questions (2)" in found
    assert "## New contradictions (2)" in found
    assert "Larkfield" in found


def test_a_reader_learns_nothing_of_what_is_restricted(world) -> None:
    found = digest(world, "--as", "key:read")
    assert "## Urgent questions (1)" in found
    assert "## New contradictions (1)" in found
    assert "Larkfield" not in found


def test_what_was_there_before_is_not_new(world) -> None:
    assert "## New contradictions (0)" in digest(world, "--since", "2026-06-06")
