"""For whom a verb acts: what they may see is decided here once, and kept in every query after (spec section 4)."""

from __future__ import annotations

from dataclasses import dataclass

from oida.events.vocabulary import MACHINE, OWNER
from oida.model.access import KEY_PREFIX
from oida.model.errors import InputError, NotFoundError
from oida.model.identifiers import PersonId
from oida.model.source import EVERYONE, Person
from oida.ports import Store
from oida.workspace.identities import Identities, identities_of


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks; `groups` are those whose items they may see, None for the owner, who sees everything.

    `person` is the id of somebody whom a source names: under it, and not under a name, the ledger knows them.
    """

    name: str
    groups: frozenset[str] | None
    person: PersonId | None = None

    @property
    def recorded_as(self) -> str:
        """What stands in the ledger for them: the same however they are called."""
        return self.person or self.name

    def may_see(self, visibility: frozenset[str] | tuple[str, ...]) -> bool:
        """Whether one of the groups may see the thing.

        >>> Principal("ada", frozenset({"org"})).may_see(("board",))
        False
        """
        return self.groups is None or not self.groups.isdisjoint(visibility)


def find_principal(store: Store, name: str) -> Principal:
    """The principal of that name, handle, address or id.

    Raises NotFoundError for someone whom no source and no grant names, InputError when several people bear the name.
    """
    if name == OWNER:
        return Principal(OWNER, None)
    if name.startswith(KEY_PREFIX):
        return _key_principal(store, name)
    same = people_called(store, name)
    if name == MACHINE or not (same or store.projections.has_grants(name)):
        raise NotFoundError(f"expected a person or a key of this base, found nobody called {name!r}; grant a group to add one")
    members = {person.person_id for person in same}
    person = min(members, default=None)
    granted = store.projections.groups_of(members, person or name) | store.projections.groups_of((), name)
    return Principal(name, granted | {EVERYONE}, person)


def people_called(store: Store, name: str) -> list[Person]:
    """One person as all sources know them, by name, handle, address or id; none for nobody.

    Raises InputError when several people bear the name.
    """
    identities = identities_of(store)
    joined = _joined([person for person in identities.people if name.casefold() in _names(person)], identities)
    if len(joined) > 1:
        told_apart = ", ".join(sorted(min(p.email or p.handle or p.person_id for p in same) for same in joined))
        raise InputError(f"expected one person, found {len(joined)} of the name {name!r}; say which: {told_apart}")
    named = joined[0] if joined else []
    return list({each.person_id: each for person in named for each in (person, *identities.group_of(person))}.values())


def _key_principal(store: Store, name: str) -> Principal:
    """A key's principal has what was granted to it and nothing else: no source can add to that by naming a person so."""
    if not store.projections.has_grants(name):
        raise NotFoundError(f"expected a key of this base, found none called {name!r}; `oida keys list` shows them")
    return Principal(name, store.projections.groups_of((), name) | {EVERYONE})


def _names(person: Person) -> set[str]:
    return {text.casefold() for text in (person.name, person.email, person.handle, person.person_id) if text}


def _joined(people: list[Person], identities: Identities) -> list[list[Person]]:
    """Those of a name by who is one; with one of them alone known by an address, those without any are taken for the same.

    Not so for somebody who was set apart by a person's word.
    """
    one: dict[str, list[Person]] = {}
    for person in people:
        one.setdefault(identities.meant(person.person_id), []).append(person)
    with_address = [meant for meant, same in one.items() if any(each.email for each in identities.group_of(same[0]))]
    if len(with_address) == 1:
        for meant in [meant for meant in one if meant not in (*with_address, *identities.apart)]:
            one[with_address[0]].extend(one.pop(meant))
    return list(one.values())
