"""Who is who and what is what: people whom several sources name, and entities with several names.

An address that two sources give, or a person's word, makes two people one; a name never does. What is one here is never more than one
base knows, so nobody is the same person across bases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from oida.events.project import ALIAS, APART, JOINED, YES
from oida.model.identifiers import PersonId
from oida.model.source import Person
from oida.ports import Store


@dataclass(frozen=True, slots=True)
class Identities:
    """Aliases of entities by id, and the people who are one, each with the least of their ids for all of them."""

    people: tuple[Person, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    apart: frozenset[str] = frozenset()
    _one: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def meant(self, found: str) -> str:
        """The id that stands for an entity or a person: another one's where an alias or an identity says so."""
        seen = {found}
        while (following := self.aliases.get(found)) and following not in seen:
            found = following
            seen.add(found)
        return self._one.get(found, found)

    def alike(self, found: str | None) -> frozenset[str]:
        """Every id that means the same."""
        if found is None:
            return frozenset()
        meant = self.meant(found)
        known = (*self.aliases, *self._one, meant, found)
        return frozenset(each for each in known if self.meant(each) == meant)

    def group_of(self, person: Person) -> list[Person]:
        """Everyone who is this person, by id."""
        meant = self.meant(person.person_id)
        return [each for each in self.people if self.meant(each.person_id) == meant]


def identities_of(store: Store) -> Identities:
    """The identities of a base as they are now."""
    people = tuple(store.contents.people())
    joined = [name.removeprefix(JOINED).split(":") for name, value in store.projections.facts_of(JOINED).items() if value == YES]
    apart = frozenset(name.removeprefix(APART) for name in store.projections.facts_of(APART))
    return Identities(people, aliases_of(store), apart, MappingProxyType(same_people(people, joined=joined, apart=apart)))


def aliases_of(store: Store) -> Mapping[str, str]:
    """What each alias of an entity stands for, one step."""
    return MappingProxyType({name.removeprefix(ALIAS): means for name, means in store.projections.facts_of(ALIAS).items() if means})


def same_people(people: Iterable[Person], *, joined: Iterable[Iterable[str]] = (), apart: Iterable[str] = ()) -> dict[str, str]:
    """For everyone the least id of those who are one: by an address in common, unless set apart, or because a person joined them.

    >>> ada, again, other = (Person(PersonId(i), n, e) for i, n, e in [("p2", "Ada", "a@x"), ("p1", "A. Berg", "A@X"), ("p3", "Ada", "")])
    >>> same_people([ada, again, other])
    {'p2': 'p1', 'p1': 'p1', 'p3': 'p3'}
    """
    leads: dict[str, str] = {}

    def lead(found: str) -> str:
        while leads.setdefault(found, found) != found:
            found = leads[found]
        return found

    def join(first: str, second: str) -> None:
        one, other = sorted((lead(first), lead(second)))
        leads[other] = one

    set_apart, by_address = frozenset(apart), dict[str, PersonId]()
    for person in people:
        lead(person.person_id)
        if person.email and person.person_id not in set_apart:
            join(by_address.setdefault(person.email.casefold(), person.person_id), person.person_id)
    for first, second in joined:
        join(first, second)
    return {found: lead(found) for found in leads}
