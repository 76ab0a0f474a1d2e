"""One request to a page: who asks, what they sent, and what they may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request

from oida.model.access import Scope
from oida.model.errors import ForbiddenError, InputError
from oida.workspace.access import Caller
from oida.workspace.lists import ListFilter
from oida.workspace.pages import PAGE
from oida.workspace.workspace import Workspace

MOST_FIELDS = 40
_FURTHEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Visit:
    """A request with its caller; `form` is what was posted, empty otherwise."""

    request: Request
    caller: Caller
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The page that is asked for."""
        return self.request.url.path

    def may(self, scope: Scope) -> bool:
        """Whether the caller has a right."""
        return self.caller.may(scope)

    def require(self, scope: Scope) -> None:
        """Raise ForbiddenError unless the caller has a right."""
        if not self.may(scope):
            raise ForbiddenError(f"expected somebody with the right to {scope.value}; {self.caller.principal.name} has not")

    def given(self, name: str) -> str:
        """A field of the query or the form, without surrounding blanks; empty where there is none."""
        return (self.form.get(name) or self.request.query_params.get(name) or "").strip()

    def part(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    @property
    def start(self) -> int:
        """Where the asked page of a list begins."""
        text = self.given("start")
        return min(int(text), _FURTHEST) if text.isascii() and text.isdigit() else 0

    @property
    def size(self) -> int:
        """How many entries a page has."""
        return PAGE

    def moment(self, name: str, *, end_of_day: bool = False) -> datetime | None:
        """A day that was asked for, from its beginning or to its end, in UTC; raises InputError for what is no day."""
        text = self.given(name)
        if not text:
            return None
        try:
            day = datetime.fromisoformat(text)
        except ValueError:
            raise InputError(f"expected a day as 2026-06-05, found {text!r}") from None
        if day.tzinfo is not None:
            return day
        if day.time() == time() and end_of_day:
            day += timedelta(days=1) - timedelta(seconds=1)
        return day.replace(tzinfo=UTC)

    def filter(self, workspace: Workspace) -> ListFilter:
        """The part of a list that was asked for; raises NotFoundError for an entity or a domain that the caller does not see."""
        return workspace.list_filter(
            entity=self.given("entity") or None,
            domain=self.given("domain") or None,
            since=self.moment("since"),
            until=self.moment("until", end_of_day=True),
        )

    def with_query(self, **changes: object) -> str:
        """The page's own address with other values; None takes one out."""
        values = dict(self.request.query_params)
        values.update({name: str(value) for name, value in changes.items() if value is not None})
        for name, value in changes.items():
            if value is None:
                values.pop(name, None)
        return f"{self.path}?{urlencode(values)}" if values else self.path


def form_of(body: bytes) -> dict[str, str]:
    """The fields of a posted form, the last of each name; raises InputError for what is no form.

    >>> form_of(b"by=ko-1&text=")
    {'by': 'ko-1', 'text': ''}
    """
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise InputError("expected a form, found something else") from None


def local_path(text: str) -> str:
    """An address on this server to go back to; the first page for every other.

    >>> local_path("/questions?start=25"), local_path("//elsewhere.example/"), local_path("https://elsewhere.example")
    ('/questions?start=25', '/', '/')
    """
    is_local = text.startswith("/") and not text.startswith("//") and "\\" not in text and text.isprintable()
    return text if is_local else "/"
