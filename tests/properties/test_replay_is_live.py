"""Whatever people, sources and the clock do to a base, replaying its ledger gives what stands in it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.companies import BOARD, COMPANY, NOW, ingest, message, open_base

from oida.model.edge import EdgeType
from oida.model.errors import OidaError
from oida.model.identifiers import ObjectId
from oida.model.source import SourceItem
from oida.model.taxonomy import EpistemicClass
from oida.workspace.workspace import Workspace

SEASONS = ("autumn", "winter", "spring")
names = st.sampled_from(["owner", "Ada", "Bo", "Cy"])
numbers = st.integers(0, 10_000)


class Company(RuleBasedStateMachine):
    """A company at work on its base; what is refused must leave no trace."""

    @initialize(first=st.integers(0, len(COMPANY)))
    def begin(self, first: int) -> None:
        self.base: Workspace = open_base()
        self.hours = 0
        ingest(self.base, COMPANY[:first])

    def at(self) -> Workspace:
        return self.base.at(NOW + timedelta(hours=self.hours))

    def one(self, number: int) -> ObjectId:
        ids = [record.object_id for record in self.base.store.projections.all_objects()]
        return ids[number % len(ids)] if ids else ObjectId("ko-none")

    @rule(items=st.lists(st.sampled_from(COMPANY), max_size=4), settle=st.booleans())
    def read(self, items: list[SourceItem], settle: bool) -> None:
        ingest(self.at(), items, settle=settle)

    @rule(item=st.sampled_from(COMPANY[:8]), season=st.sampled_from(SEASONS), visibility=st.sampled_from([("org",), (BOARD,)]))
    def edit(self, item: SourceItem, season: str, visibility: tuple[str, ...]) -> None:
        day = 31 + self.hours / 24
        ingest(self.at(), [message(item.native_id, f"We plan to sell the depot in {season}.", visibility=visibility, edited_day=day)])

    @rule(item=st.sampled_from(COMPANY[:8]))
    def delete(self, item: SourceItem) -> None:
        ingest(self.at(), [replace(item, deleted=True, body="", blocks=())])

    @rule(item=st.sampled_from(COMPANY), visibility=st.sampled_from([("org",), (BOARD,)]))
    def share(self, item: SourceItem, visibility: tuple[str, ...]) -> None:
        ingest(self.at(), [replace(item, visibility=frozenset(visibility))])

    @rule(
        name=names,
        verb=st.sampled_from(["retract", "abandon", "reinstate", "confirm", "resolve", "supersede", "reclassify"]),
        one=numbers,
        other=numbers,
    )
    def correct(self, name: str, verb: str, one: int, other: int) -> None:
        base, found = self.at().acting_as(name), self.one(one)
        with suppress(OidaError):
            match verb:
                case "resolve" | "supersede":
                    getattr(base, verb)(found, by=self.one(other)) if other % 2 else getattr(base, verb)(found, text="We say otherwise.")
                case "reclassify":
                    base.reclassify(found, list(EpistemicClass)[other % 9])
                case _:
                    getattr(base, verb)(found)

    @rule(name=names, edge_type=st.sampled_from(list(EdgeType)), one=numbers, other=numbers)
    def relate(self, name: str, edge_type: EdgeType, one: int, other: int) -> None:
        with suppress(OidaError):
            self.at().acting_as(name).relate(self.one(one), edge_type, self.one(other))

    @rule(number=numbers)
    def retract_edge(self, number: int) -> None:
        edges = [edge.edge_id for edge in self.base.store.projections.all_edges()]
        with suppress(OidaError):
            self.at().retract(edges[number % len(edges)] if edges else "ed-none")

    @rule(name=names)
    def ask(self, name: str) -> None:
        with suppress(OidaError):
            self.at().acting_as(name).ask("How many vans stay at Moss?")

    @rule(hours=st.integers(-12, 40), catch_up=st.booleans())
    def let_time_pass(self, hours: int, catch_up: bool) -> None:
        self.hours = max(0, self.hours + hours)
        self.at().cycle(catch_up=catch_up)

    @rule(preset=st.sampled_from(["paper", "organization"]))
    def tune(self, preset: str) -> None:
        self.at().set_parameters(preset)
        self.at().settle()

    @rule(name=st.sampled_from(["Cy", "auditor"]), grants=st.booleans())
    def open_or_close(self, name: str, grants: bool) -> None:
        (self.base.grant if grants else self.base.revoke)(name, BOARD)

    @rule(number=numbers)
    def erase(self, number: int) -> None:
        with suppress(OidaError):
            self.at().redact(self.one(number))

    @invariant()
    def replaying_gives_what_stands(self) -> None:
        if hasattr(self, "base"):
            found = self.base.verify()
            assert [] == [str(each) for each in found.discrepancies]
            assert self.base.digest() == found.state_digest

    def teardown(self) -> None:
        if hasattr(self, "base"):
            self.base.close()


TestReplayIsLive = Company.TestCase
TestReplayIsLive.settings = settings(max_examples=12, stateful_step_count=10, deadline=None)
