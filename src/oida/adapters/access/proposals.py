"""Proposals that wait for a reviewer, and what became of earlier ones."""

from __future__ import annotations

import json
from typing import Any

from oida.adapters.database.speaking import Database
from oida.adapters.database.sqlite import translated
from oida.events.codec import canonical_json, canonical_time, parse_time
from oida.model.access import Proposal, ProposalState

_COLUMNS = "proposal_id, verb, arguments, visible_to, proposed_by, proposed_at, state, decided_by, decided_at, outcome"


class SqliteProposals:
    """The proposals of a base file; writes join the database's open transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, proposal: Proposal) -> None:
        """Keep a proposal in place of what its id had."""
        with self._database.transaction() as connection:
            connection.execute(
                f"insert or replace into proposal({_COLUMNS}) values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    proposal.proposal_id,
                    proposal.verb,
                    canonical_json(dict(proposal.arguments)),
                    canonical_json(sorted(proposal.visible_to)),
                    proposal.proposed_by,
                    canonical_time(proposal.proposed_at),
                    proposal.state,
                    proposal.decided_by,
                    canonical_time(proposal.decided_at) if proposal.decided_at else None,
                    proposal.outcome,
                ),
            )

    def find(self, proposal_id: str) -> Proposal | None:
        """The proposal of that id."""
        rows = self._rows("where proposal_id = ?", proposal_id)
        return rows[0] if rows else None

    def waiting(self) -> list[Proposal]:
        """What waits, oldest first."""
        return self._rows("where state = ? order by proposed_at, rowid", ProposalState.WAITING)

    def count_waiting(self, proposed_by: str) -> int:
        """How many proposals of one principal wait."""
        with translated(self._database.path):
            (count,) = self._database.connection.execute(
                "select count(*) from proposal where state = 'waiting' and proposed_by = ?", (proposed_by,)
            ).fetchone()
        return int(count)

    def _rows(self, clause: str, *arguments: object) -> list[Proposal]:
        with translated(self._database.path):
            rows = self._database.connection.execute(f"select {_COLUMNS} from proposal {clause}", arguments).fetchall()
        return [_proposal(row) for row in rows]


def _proposal(row: tuple[Any, ...]) -> Proposal:
    proposal_id, verb, arguments, visible_to, proposed_by, proposed_at, state, decided_by, decided_at, outcome = row
    return Proposal(
        proposal_id=proposal_id,
        verb=verb,
        arguments=json.loads(arguments),
        visible_to=frozenset(json.loads(visible_to)),
        proposed_by=proposed_by,
        proposed_at=parse_time(proposed_at),
        state=ProposalState(state),
        decided_by=decided_by,
        decided_at=parse_time(decided_at) if decided_at else None,
        outcome=outcome,
    )
