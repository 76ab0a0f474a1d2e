"""Everything that a person may do to the memory: told first, confirmed, recorded under their name, and taken back where that can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response

from oida.faces.serving.base import ServedBase
from oida.faces.web.render import EDGE_WORDS, EVENT_WORDS, Renderer
from oida.faces.web.visit import Visit, local_path
from oida.model.access import Scope
from oida.model.edge import EdgeType
from oida.model.errors import InputError, NotFoundError, OidaError
from oida.model.knowledge_object import KnowledgeObject, Status
from oida.model.taxonomy import EpistemicClass
from oida.workspace.correct import Correction
from oida.workspace.review import Doubt, find_doubtful
from oida.workspace.workspace import Workspace

MOST_CANDIDATES = 8
ERASE_WORD = "erase"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do: the right it needs, its name on a button, what it will do, what is said when it is done.

    `fields` are what must be told: "other" an object or own words, "class", "relation". `proposable` may wait for a reviewer instead.
    """

    verb: str
    scope: Scope
    button: str
    said: str
    fields: tuple[str, ...] = ()
    proposable: bool = False
    grave: bool = False

    @property
    def effect(self) -> str:
        """What it will do, in words for whoever is about to."""
        return _EFFECTS[self.verb]


_EFFECTS: Mapping[str, str] = MappingProxyType({
    "resolve": "The question counts as answered and is no longer urgent. It points to its answer.",
    "confirm": "It counts as fresh from now on, as if it had been said today. A confirmation cannot be taken back.",
    "supersede": "The old statement is no longer in force. It stays readable as history and points to its successor.",
    "relate": "The relation acts from the next run of the engine on.",
    "reclassify": "A new object of the right class takes the place of this one, which stays as history.",
    "abandon": "It counts as given up: it stays readable as history and acts on nothing.",
    "retract": "It counts as wrong: it acts on nothing, and what it had ended comes back.",
    "reinstate": "Your organisation’s earlier word that it was wrong or given up no longer counts.",
    "redact": "The text of the whole item it was cut from is erased from every file, with its key. The record that something was said "
    "stays. Nobody can take this back.",
})  # fmt: skip

ACTIONS: Mapping[str, Action] = MappingProxyType({
    each.verb: each
    for each in (
        Action("resolve", Scope.WRITE, "Resolve", "The question is resolved.", ("other",), proposable=True),
        Action("confirm", Scope.WRITE, "Confirm", "Confirmed: it counts as said today."),
        Action("supersede", Scope.WRITE, "Supersede", "It is superseded.", ("other",), proposable=True),
        Action("relate", Scope.WRITE, "Relate", "The relation is recorded.", ("relation", "other"), proposable=True),
        Action("reclassify", Scope.WRITE, "Correct the class", "The class is corrected.", ("class",)),
        Action("abandon", Scope.WRITE, "Give up", "It is given up."),
        Action("retract", Scope.WRITE, "Retract", "It is retracted.", grave=True),
        Action("reinstate", Scope.WRITE, "Take back", "It counts again."),
        Action("redact", Scope.ADMIN, "Erase the text", "The text is erased.", grave=True),
    )
})  # fmt: skip

assert set(_EFFECTS) == set(ACTIONS)

_BY_CLASS = {"resolve": (EpistemicClass.QUESTION,), "abandon": (EpistemicClass.PLAN, EpistemicClass.HYPOTHESIS)}
_ENDED_BY_WORD = (Status.RETRACTED, Status.ABANDONED)


def possible_actions(found: KnowledgeObject, visit: Visit) -> list[Action]:
    """What the visitor may do to an object as it stands, or propose."""
    return [action for action in ACTIONS.values() if _applies(action, found) and (visit.may(action.scope) or action.proposable)]


def _applies(action: Action, found: KnowledgeObject) -> bool:
    if found.status is Status.REDACTED:
        return False
    if action.verb == "reinstate":
        return found.status in _ENDED_BY_WORD
    if action.verb in ("redact", "relate"):
        return True
    if action.verb == "retract":
        return found.status is not Status.RETRACTED
    allowed = _BY_CLASS.get(action.verb)
    return found.status is Status.ACTIVE and (allowed is None or found.epistemic_class in allowed)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a form tells: an object or own words, a class, a relation."""

    by: str | None
    text: str | None
    epistemic_class: EpistemicClass | None
    edge_type: EdgeType | None
    inward: bool


class Actions:
    """Pages on which something is done to a served base."""

    def __init__(self, base: ServedBase, renderer: Renderer) -> None:
        self._base = base
        self._renderer = renderer

    def form(self, visit: Visit) -> Response:
        """What an action will do, and the fields that it needs."""
        action = _action(visit)
        with self._base.reading(visit.caller.principal) as workspace:
            found = workspace.reading().one(visit.part("object_id"))
            candidates = self._candidates(workspace, action, found, visit.given("find"))
        return self._shown(visit, action, found, candidates=candidates)

    def act(self, visit: Visit) -> Response:
        """Show once more what will be recorded; then, when that is confirmed, record it."""
        action = _action(visit)
        told = _told(visit)
        if visit.given("step") != "do":
            with self._base.reading(visit.caller.principal) as workspace:
                found = workspace.reading().one(visit.part("object_id"))
                other = workspace.reading().one(told.by) if told.by else None
                candidates = self._candidates(workspace, action, found, visit.given("find"))
            missing = _missing(action, told, found)
            return self._shown(visit, action, found, candidates=candidates, told=told, other=other, missing=missing)
        _require_complete(action, told)
        if not visit.may(action.scope):
            return self._proposed(visit, action, told)
        with self._base.writing(visit.caller.principal) as workspace:
            done = _carry_out(workspace, action.verb, visit.part("object_id"), told, visit)
            position = _undoable(workspace, done)
        return _after(f"/objects/{quote(done.added or done.subject)}", visit, said=action.said, position=position)

    def edge_form(self, visit: Visit) -> Response:
        """What taking a relation back will do."""
        visit.require(Scope.WRITE)
        with self._base.reading(visit.caller.principal) as workspace:
            source, edge_type, target = _edge(workspace, visit.part("edge_id"))
        return self._renderer.page(
            visit,
            "confirm.html",
            title="Take this relation back",
            effect="The relation no longer counts. What it had ended comes back.",
            button="Take it back",
            objects=[(source, EDGE_WORDS[edge_type][0]), (target, "")],
            back=local_path(visit.given("back") or f"/objects/{source.object_id}"),
            grave=True,
        )

    def retract_edge(self, visit: Visit) -> Response:
        """Take a relation back."""
        visit.require(Scope.WRITE)
        with self._base.reading(visit.caller.principal) as workspace:
            _edge(workspace, visit.part("edge_id"))
        with self._base.writing(visit.caller.principal) as workspace:
            done = workspace.retract(visit.part("edge_id"))
            position = _undoable(workspace, done)
        return _after(f"/objects/{quote(done.subject)}", visit, said="The relation is taken back.", position=position)

    def review_form(self, visit: Visit) -> Response:
        """What a verdict on an entry of the review queue will do."""
        visit.require(Scope.REVIEW)
        verdict = _verdict(visit)
        with self._base.reading(visit.caller.principal) as workspace:
            entry = find_doubtful(visit.part("review_id"), workspace.reading(), workspace.reviewing())
        return self._renderer.page(
            visit, "verdict.html", entry=entry, verdict=verdict, effect=_effect_of(verdict, entry.doubt), back="/review"
        )

    def decide(self, visit: Visit) -> Response:
        """Give a verdict on an entry of the review queue."""
        visit.require(Scope.REVIEW)
        verdict = _verdict(visit)
        chosen = EpistemicClass(visit.given("class")) if verdict == "class" and visit.given("class") in set(EpistemicClass) else None
        if verdict == "class" and chosen is None:
            raise InputError("expected one of the nine classes, found none; choose one")
        with self._base.writing(visit.caller.principal) as workspace:
            done = workspace.decide(visit.part("review_id"), accepted=verdict == "accept", as_class=chosen)
            position = _undoable(workspace, done)
        said = {"accept": "Accepted.", "reject": "Rejected.", "class": "The class is corrected."}[verdict]
        return _after("/review", visit, said=said, position=position)

    def undo_form(self, visit: Visit) -> Response:
        """What taking a deed back will do."""
        visit.require(Scope.WRITE)
        with self._base.reading(visit.caller.principal) as workspace:
            subject, event = workspace.undoable(_position(visit))
            found = workspace.reading().one(subject)
        return self._renderer.page(
            visit,
            "confirm.html",
            title=f"Take back: {EVENT_WORDS.get(event, event).lower()}",
            effect="An inverse event is recorded under your name. Both stay in the ledger.",
            button="Take it back",
            objects=[(found, "")],
            back=local_path(visit.given("back") or f"/objects/{found.object_id}"),
            grave=False,
        )

    def undo(self, visit: Visit) -> Response:
        """Take a deed back."""
        visit.require(Scope.WRITE)
        with self._base.writing(visit.caller.principal) as workspace:
            done = workspace.undo(_position(visit))
            position = _undoable(workspace, done)
        return _after(f"/objects/{quote(done.subject)}", visit, said="Taken back.", position=position)

    def _shown(self, visit: Visit, action: Action, found: KnowledgeObject, **more: object) -> Response:
        proposes = not visit.may(action.scope)
        values = {"told": None, "other": None, "candidates": [], "missing": "", "erase_word": ERASE_WORD} | more
        status = 422 if values["missing"] else 200
        return self._renderer.page(
            visit,
            "action.html",
            http_status=status,
            action=action,
            found=found,
            proposes=proposes,
            find=visit.given("find"),
            ready=values["told"] is not None and not values["missing"],
            **values,
        )

    def _candidates(self, workspace: Workspace, action: Action, found: KnowledgeObject, words: str) -> list[KnowledgeObject]:
        """Objects to choose the other one from: what a search finds, else what may answer, else what is near."""
        if "other" not in action.fields:
            return []
        if words:
            hits = [hit.knowledge_object for hit in workspace.search(words, limit=MOST_CANDIDATES + 1)]
        elif action.verb == "resolve":
            hits = [each.answer for each in workspace.candidate_answers([found])]
        else:
            hits = [hit.knowledge_object for hit in workspace.search(found.text, limit=MOST_CANDIDATES + 1)] if found.text else []
        return [each for each in hits if each.object_id != found.object_id][:MOST_CANDIDATES]

    def _proposed(self, visit: Visit, action: Action, told: _Told) -> Response:
        if not action.proposable:
            visit.require(action.scope)
        object_id = visit.part("object_id")
        with self._base.writing(visit.caller.principal) as workspace:
            match action.verb:
                case "resolve":
                    workspace.propose("resolve", question=object_id, by=told.by, text=told.text)
                case "supersede":
                    workspace.propose("supersede", old=object_id, by=told.by, text=told.text)
                case _:
                    source, target = _ends(object_id, told)
                    workspace.propose("relate", source=source, type=str(told.edge_type), target=target)
        return _after(f"/objects/{quote(object_id)}", visit, said="Proposed: a reviewer decides.", position=0)


def _carry_out(workspace: Workspace, verb: str, object_id: str, told: _Told, visit: Visit) -> Correction:
    match verb:
        case "resolve":
            return workspace.resolve(object_id, by=told.by, text=told.text)
        case "supersede":
            return workspace.supersede(object_id, by=told.by, text=told.text)
        case "reclassify":
            assert told.epistemic_class is not None
            return workspace.reclassify(object_id, told.epistemic_class)
        case "relate":
            assert told.edge_type is not None
            source, target = _ends(object_id, told)
            done = workspace.relate(source, told.edge_type, target)
            return Correction(workspace.reading().one(object_id).object_id, None, done.events, done.position)
        case "redact":
            if visit.given("word").casefold() != ERASE_WORD:
                raise InputError(f"expected the word {ERASE_WORD!r} to erase a text for good, found {visit.given('word')!r}")
            workspace.redact(object_id)
            return Correction(workspace.reading().one(object_id).object_id, None, 0)
        case _:
            plain: Callable[[str], Correction] = getattr(workspace, verb)
            return plain(object_id)


def _action(visit: Visit) -> Action:
    action = ACTIONS.get(visit.part("verb"))
    if action is None:
        raise NotFoundError(f"expected something that can be done to an object, found {visit.part('verb')!r}")
    if not action.proposable:
        visit.require(action.scope)
    return action


def _told(visit: Visit) -> _Told:
    kind, relation = visit.given("class"), visit.given("relation")
    inward = relation.startswith("in:")
    named = relation.removeprefix("in:")
    by, text = visit.given("by"), visit.given("text")
    return _Told(
        by=(None if by == "words" else by) or None,
        text=text or None if by in ("", "words") else None,
        epistemic_class=EpistemicClass(kind) if kind in set(EpistemicClass) else None,
        edge_type=EdgeType(named) if named in set(EdgeType) else None,
        inward=inward,
    )


def _missing(action: Action, told: _Told, found: KnowledgeObject) -> str:
    if "other" in action.fields and told.by is None and (told.text is None or action.verb == "relate"):
        return "Choose a statement" + (", or write one in your own words." if action.verb != "relate" else ".")
    if "class" in action.fields and told.epistemic_class is None:
        return "Choose one of the nine classes."
    if "class" in action.fields and told.epistemic_class is found.epistemic_class:
        return "It has that class already; choose another."
    if "relation" in action.fields and told.edge_type is None:
        return "Choose how the two relate."
    return ""


def _require_complete(action: Action, told: _Told) -> None:
    needed = {"other": told.by or told.text, "class": told.epistemic_class, "relation": told.edge_type}
    for name in action.fields:
        if not needed[name]:
            raise InputError(f"expected the field {name!r}, found nothing; go back and choose")


def _ends(object_id: str, told: _Told) -> tuple[str, str]:
    assert told.by is not None
    return (told.by, object_id) if told.inward else (object_id, told.by)


def _edge(workspace: Workspace, edge_id: str) -> tuple[KnowledgeObject, EdgeType, KnowledgeObject]:
    found = workspace.edge(edge_id)
    return found.source, found.edge.edge_type, found.target


def _verdict(visit: Visit) -> str:
    verdict = visit.part("verdict")
    if verdict not in ("accept", "reject", "class"):
        raise NotFoundError(f"expected accept, reject or class, found {verdict!r}")
    return verdict


def _effect_of(verdict: str, doubt: Doubt) -> str:
    if verdict == "class":
        return "A new object of the class you choose takes the place of this one, which stays as history."
    effects = {
        ("accept", Doubt.PROPOSAL): "What is proposed is recorded under your name, with the proposer as the author of its words.",
        ("accept", Doubt.EDGE): "The relation is asserted under your name and counts fully.",
        ("accept", Doubt.CLASS): "The class is right: the object is confirmed under your name.",
        ("reject", Doubt.PROPOSAL): "Nothing comes of it, and its text is erased from the queue. This cannot be taken back.",
        ("reject", Doubt.EDGE): "The relation no longer counts. What it had ended comes back.",
        ("reject", Doubt.CLASS): "It is no knowledge: the object is retracted under your name.",
    }
    return effects[verdict, doubt]


def _undoable(workspace: Workspace, done: Correction) -> int:
    """Where the deed stands in the ledger if it can be taken back, else 0."""
    try:
        workspace.undoable(done.position)
    except OidaError:
        return 0
    return done.position


def _position(visit: Visit) -> int:
    text = visit.part("position")
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise NotFoundError(f"expected the number of a correction, found nothing under {text!r}")
    return int(text)


def _after(path: str, visit: Visit, *, said: str, position: int) -> Response:
    """Back to a page that says what was done, and how to take it back."""
    target = local_path(visit.given("back")) if visit.given("back") else path
    joined = "&" if "?" in target else "?"
    query = urlencode({"done": said, **({"undo": position} if position else {})})
    return RedirectResponse(f"{target}{joined}{query}", status_code=303)
