"""What a process keeps of a base from one question to the next: never out of date, and not looked up anew for what every answer records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.companies import BOARD, company, ingest, message, open_base, said

from oida.model.edge import EdgeType
from oida.ports import ObjectFilter
from oida.workspace.lists import ListFilter
from oida.workspace.workspace import Workspace

GROUPS = (None, frozenset({"org"}), frozenset({"org", BOARD}))


def told(workspace: Workspace) -> list[object]:
    projections = workspace.store.projections
    return [
        (
            projections.vocabulary(groups=groups),
            projections.authors(groups=groups),
            projections.audiences(groups=groups),
            projections.item_counts(groups=groups),
        )
        for groups in GROUPS
    ] + [projections.restricted_endings()]


def lengths(workspace: Workspace) -> list[int]:
    with workspace.pages() as pages:
        wanted = ListFilter()
        listed = [pages.questions(wanted).total, pages.decisions(wanted, superseded=True).total, pages.contradictions(wanted).total]
        return [*listed, pages.review().total, len(pages.map(ObjectFilter()).nodes)]


def rolled_back(workspace: Workspace) -> None:
    def write() -> None:
        with workspace.store.transaction():
            ingest(workspace, [message("never", "We decided to sell Atlantis.")])
            told(workspace)
            raise InterruptedError

    with pytest.raises(InterruptedError):
        write()


DEEDS: dict[str, Callable[[Workspace], object]] = {
    "an answer": lambda w: w.ask("How many vans stay at Moss?"),
    "a cycle": lambda w: w.settle(),
    "a new item": lambda w: ingest(w, [message("new", "We decided to load the Larkfield van at Larkfield.")]),
    "a hidden ending": lambda w: (
        ingest(w, [message("hidden", "We decided that the vans leave Moss.", visibility=(BOARD,))]),
        w.relate(said(w, "We decided that the vans leave"), EdgeType.SUPERSEDES, said(w, "We decided to load the Larkfield")),
    ),
    "another answer": lambda w: w.ask("How many vans stay at Larkfield?"),
    "what never came to be": rolled_back,
    "an item after it": lambda w: ingest(w, [message("after", "We decided to buy the Hamnvik ferry at Hamnvik.")]),
    "an erasure": lambda w: w.redact(said(w, "We decided to buy the Hamnvik")),
}


def test_what_is_kept_is_what_a_fresh_look_finds(tmp_path: Path) -> None:
    with company(tmp_path / "base.db") as workspace:
        for name, deed in DEEDS.items():
            told(workspace), lengths(workspace)
            deed(workspace)
            with open_base(tmp_path / "base.db") as fresh:
                assert (told(fresh), lengths(fresh)) == (told(workspace), lengths(workspace)), name


def test_an_answer_has_nothing_looked_up_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    with company() as workspace:
        before = told(workspace)
        workspace.ask("How many vans stay at Moss?")
        monkeypatch.setattr(workspace.store.projections, "_all", lambda *_: pytest.fail("looked up anew"))
        assert before == told(workspace)


def test_what_another_process_wrote_is_seen(tmp_path: Path) -> None:
    with company(tmp_path / "base.db") as workspace, open_base(tmp_path / "base.db") as other:
        before = told(workspace)
        ingest(other, [message("new", "We decided to load the Larkfield van at Larkfield.")])
        assert before != told(workspace)
        assert told(other) == told(workspace)
