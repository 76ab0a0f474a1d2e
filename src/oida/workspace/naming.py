"""What people say of names: which one of an entity stands for another, which people are one, and who is nobody else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from oida.events.vocabulary import EntityAliased, Event, PeopleJoined, PersonSetApart
from oida.model.errors import ConflictError, InputError, NotFoundError
from oida.model.identifiers import EntityId, PersonId, entity_id
from oida.model.source import Person
from oida.ports import Store
from oida.workspace.identities import Identities, identities_of
from oida.workspace.principal import people_called
from oida.workspace.reading import Reading

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class EntityReport:
    """An entity with how many of a principal's objects are about it, under any of its names."""

    entity_id: str
    name: str
    objects: int
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonReport:
    """Somebody with every name, address and id under which sources know them; `set_apart` are ids that no address joins to others."""

    person_id: str
    names: tuple[str, ...]
    addresses: tuple[str, ...]
    person_ids: tuple[str, ...]
    set_apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Renaming:
    """What a change of names did: events recorded, edges found and edges found no more."""

    events: int
    edges_added: int
    edges_retracted: int


def list_entities(store: Store, reading: Reading) -> list[EntityReport]:
    """The entities of the principal's objects, most objects first, ties by name; aliases with whom they stand for."""
    identities = identities_of(store)
    counts, _ = reading.records.vocabulary(groups=reading.principal.groups)
    totals: dict[str, int] = {}
    for found, count in counts.items():
        totals[identities.meant(found)] = totals.get(identities.meant(found), 0) + count
    names = reading.entity_names
    reports = [EntityReport(found, names.get(found, ""), count, _aliases(found, identities, names)) for found, count in totals.items()]
    return sorted(reports, key=lambda each: (-each.objects, each.name, each.entity_id))


def list_people(store: Store) -> list[PersonReport]:
    """Everyone, by their first name."""
    identities = identities_of(store)
    one: dict[str, list[Person]] = {}
    for person in identities.people:
        one.setdefault(identities.meant(person.person_id), []).append(person)
    return sorted((_person(meant, same, identities) for meant, same in one.items()), key=lambda each: (each.names, each.person_id))


def set_alias(store: Store, alias: str, *, means: str | None) -> Callable[[], Event]:
    """The change that lets one name stand for another, or for itself again with None; its names are kept when it is made.

    Raises ConflictError for a circle and for what is so already, NotFoundError where there is nothing to take back.
    """
    own = entity_id(_name(alias))
    identities = identities_of(store)
    if means is None:
        if own not in identities.aliases:
            raise NotFoundError(f"expected a name that stands for another, found {alias!r}, which does not")
        return lambda: EntityAliased(own, None)
    other = entity_id(_name(means))
    if identities.meant(other) == own:
        raise ConflictError(f"{means!r} stands for {alias!r} already; take that back first")
    if identities.aliases.get(own) == other:
        raise ConflictError(f"{alias!r} stands for {means!r} already")

    def change() -> Event:
        known = store.contents.entities()
        for found, name in ((own, alias), (other, means)):
            if found not in known:
                store.contents.put_entity(EntityId(found), " ".join(name.split()))
        return EntityAliased(own, other)

    return change


def join(store: Store, first: str, second: str) -> Callable[[], Event]:
    """The change that makes two people one; raises InputError for a name of several, ConflictError for those who are one already."""
    one, other = _somebody(store, first), _somebody(store, second)
    identities = identities_of(store)
    if identities.meant(one.person_id) == identities.meant(other.person_id):
        raise ConflictError(f"{first} and {second} are one already")
    return lambda: PeopleJoined(one.person_id, other.person_id)


def set_apart(store: Store, person: str) -> Callable[[], Event]:
    """The change that makes one of several ids a person of its own; raises NotFoundError for no id, ConflictError for one apart already."""
    identities = identities_of(store)
    found = next((each for each in identities.people if each.person_id == person), None)
    if found is None:
        raise NotFoundError(f"expected the id of a person, found none called {person!r}; `oida entities people` shows them")
    if person in identities.apart and len(identities.group_of(found)) == 1:
        raise ConflictError(f"{person} is nobody else already")
    return lambda: PersonSetApart(PersonId(person))


def _somebody(store: Store, name: str) -> Person:
    found = people_called(store, name)
    if not found:
        raise NotFoundError(f"expected somebody whom a source names, found nobody called {name!r}; `oida entities people` shows them")
    return next((each for each in found if each.person_id == name), found[0])


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > LONGEST_NAME:
        raise InputError(f"expected a name of 1 to {LONGEST_NAME} characters, found {len(name)}")
    return name


def _aliases(found: str, identities: Identities, names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sorted(names.get(each, each) for each in identities.alike(found) if each != found))


def _person(meant: str, same: list[Person], identities: Identities) -> PersonReport:
    return PersonReport(
        meant,
        tuple(sorted({each.name for each in same if each.name})),
        tuple(sorted({each.email for each in same if each.email})),
        tuple(sorted(each.person_id for each in same)),
        tuple(sorted(each.person_id for each in same if each.person_id in identities.apart)),
    )
