"""Who and what goes by several names: until aliases are recorded, everybody and everything is only itself."""

from __future__ import annotations

from dataclasses import dataclass

from oida.model.source import Person
from oida.ports import Store


@dataclass(frozen=True, slots=True)
class Identities:
    """The people whom sources name, and which ids stand for the same."""

    people: tuple[Person, ...]
    aliases: frozenset[str] = frozenset()

    def alike(self, found: str | None) -> frozenset[str]:
        """Other ids of the same entity or person."""
        return self.aliases & {found} - {found}

    def meant(self, found: str) -> str:
        """The id under which its objects stand."""
        return found


def identities_of(store: Store) -> Identities:
    """What a base knows of names."""
    return Identities(tuple(store.contents.people()))
