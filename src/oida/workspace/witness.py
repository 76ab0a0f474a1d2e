"""The ledger's head, signed for keeping elsewhere, and held against such lines later (spec section 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from oida.events.chain import Head
from oida.events.codec import canonical_time
from oida.events.witness import SignedHead, read_signed_head, sign_head
from oida.model.errors import InputError, IntegrityError
from oida.ports import Store
from oida.workspace.audit import Discrepancy, against_witness
from oida.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class WitnessCheck:
    """How a ledger stands to the lines that were kept of it; `head` is None where its chain is broken."""

    head: Head | None
    lines: int
    discrepancies: tuple[Discrepancy, ...]

    @property
    def is_sound(self) -> bool:
        """Whether every line is signed with the key, is of this base, and names an entry that the ledger still holds."""
        return not self.discrepancies


def signed_head(workspace: Workspace, key: str) -> str:
    """Where the ledger ends now, as one signed line; raises InputError for anybody but the owner."""
    store = _store_of_owner(workspace)
    with store.snapshot():
        base_id, head = store.projections.fact("base_id") or "", store.event_log.head()
    return sign_head(SignedHead(base_id, head, canonical_time(workspace.now())), key)


def check_witnesses(workspace: Workspace, lines: Iterable[str], key: str) -> WitnessCheck:
    """Verify the chain, then hold the ledger against each line: a cut tail, a chain written anew and an old backup are all found.

    What is wrong with a line is one of the discrepancies. Raises InputError for anybody but the owner.
    """
    store, found, count = _store_of_owner(workspace), list[Discrepancy](), 0
    with store.snapshot():
        head: Head | None = None
        try:
            head = store.event_log.verify()
        except IntegrityError as error:
            found.append(Discrepancy("chain", "the ledger", "an unbroken chain", str(error)))
        end, base_id = (head or store.event_log.head()).position, store.projections.fact("base_id")
        for count, line in enumerate((each for each in lines if each.strip()), start=1):
            try:
                signed = read_signed_head(line, key)
            except IntegrityError as error:
                found.append(Discrepancy("witness", f"line {count}", "a signed head", str(error)))
                continue
            if signed.base_id != base_id:
                found.append(Discrepancy("witness", f"line {count}", f"the base {base_id}", f"a head of {signed.base_id}"))
            else:
                found.extend(against_witness(store, end, f"line {count}", signed.head))
    if not count:
        found.append(Discrepancy("witness", "what was given", "at least one line", "none"))
    return WitnessCheck(head, count, tuple(found))


def _store_of_owner(workspace: Workspace) -> Store:
    if workspace.principal.groups is not None:
        raise InputError(
            f"only the owner may handle witnesses of the ledger; {workspace.principal.name} may read and correct what they see"
        )
    return workspace.store
