"""What every command has in common: which base, for whom, at which moment, in which shape, and how errors end."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console

    from oida.model.errors import OidaError
    from oida.ports import Embedder
    from oida.settings import Settings
    from oida.workspace.workspace import Workspace

EXIT_CODES = {
    "InputError": 2,
    "NotFoundError": 3,
    "ConflictError": 4,
    "UnavailableError": 5,
    "IntegrityError": 6,
}
"""Exit code by the kind of error: who must act (0 is success)."""

EXIT_INTERRUPTED = 130

KbOption = Annotated[
    str | None,
    typer.Option("--kb", metavar="PATH", help="The base: a file, or postgresql://…; OIDA_KB, else ./oida.db.", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
NowOption = Annotated[
    str | None, typer.Option("--now", metavar="TIME", help="The clock, as ISO 8601; else the base's own.", show_default=False)
]
AsOption = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="For whom: name, handle, address; else the owner.", show_default=False)
]

_SHARED = {"kb": KbOption, "as_json": JsonOption, "now": NowOption, "principal": AsOption}


@dataclass(frozen=True)
class Call:
    """One run of a command."""

    kb: str | None
    as_json: bool
    now_text: str | None
    principal: str | None

    @functools.cached_property
    def settings(self) -> Settings:
        """What the environment sets."""
        from oida.bootstrap import settings_from_environment

        return settings_from_environment()

    @property
    def base(self) -> Path | str:
        """Where the base lies: its path, or the address of its server."""
        from oida.settings import base_of

        return base_of(self.kb) if self.kb else self.settings.base

    @property
    def place(self) -> str:
        """The base as messages name it: without a password."""
        from oida.bootstrap import shown_base

        return shown_base(self.base)

    @property
    def now(self) -> datetime | None:
        """The moment given, if any."""
        return self.moment(self.now_text) if self.now_text else None

    def moment(self, text: str) -> datetime:
        """An ISO 8601 moment; one without a zone is read in the configured one."""
        from datetime import UTC, datetime

        from oida.model.errors import InputError

        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            raise InputError(f"expected a time such as 2026-06-05T18:00:00+02:00 or a date, found {text!r}") from None
        found = found if found.tzinfo else found.replace(tzinfo=self.settings.zone)
        try:
            return found.astimezone(UTC).astimezone(found.tzinfo)
        except OverflowError:
            raise InputError(f"expected a time between the years 1 and 9999 in UTC, found {text!r}") from None

    def open(self, *, embedder_of: Callable[[Path], Embedder] | None = None) -> Workspace:
        """The base of this call, acting for its principal at its moment; `embedder_of` as in `open_workspace`."""
        from oida.bootstrap import open_workspace

        return open_workspace(self.base, principal=self.principal, now=self.now, settings=self.settings, embedder_of=embedder_of)

    @functools.cached_property
    def console(self) -> Console:
        """Where text for people goes."""
        from rich.console import Console

        return Console(highlight=False, soft_wrap=True)

    @functools.cached_property
    def trace(self) -> Console:
        """Where progress and messages go, apart from results."""
        from rich.console import Console

        return Console(stderr=True, highlight=False)

    def show(self, values: Any, render: Callable[[Console], None]) -> None:
        """A result, as JSON or for people."""
        if self.as_json:
            from oida.faces.wire import plain

            print_json(plain(values))
        else:
            render(self.console)


def print_json(values: Any) -> None:
    """JSON on standard output, any text of the store escaped where a terminal could take it for a command."""
    sys.stdout.write(json.dumps(values, ensure_ascii=True, indent=2) + "\n")


def verb(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes a `Call` first: gives it the shared options, and ends errors with their message and exit code."""

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        call = Call(
            kb=arguments.pop("kb"),
            as_json=arguments.pop("as_json"),
            now_text=arguments.pop("now"),
            principal=arguments.pop("principal"),
        )
        with ending_errors(as_json=call.as_json):
            command(call, **arguments)

    signature = inspect.signature(command, eval_str=True)
    own = list(signature.parameters.values())[1:]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False if name == "as_json" else None, annotation=annotation)
        for name, annotation in _SHARED.items()
    ]
    keyword_only = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    run.__signature__ = signature.replace(parameters=[*keyword_only, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*keyword_only, *shared)}
    return run


class ending_errors:  # noqa: N801
    """Ends what is raised inside: our errors with their exit code, an interruption quietly, a closed pipe without a word."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        from oida.model.errors import OidaError

        if isinstance(error, OidaError):
            _print_error(error, as_json=self._as_json)
            raise typer.Exit(exit_code(error)) from error
        if isinstance(error, KeyboardInterrupt):
            sys.stderr.write("interrupted; what was recorded stays, run the command again to go on\n")
            raise typer.Exit(EXIT_INTERRUPTED) from error
        if isinstance(error, BrokenPipeError):
            discard_output()
            raise typer.Exit(0) from error


def discard_output() -> None:
    """Nobody reads on: what is still buffered goes nowhere, and the interpreter does not complain of it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def exit_code(error: OidaError) -> int:
    """The exit code of an error's kind."""
    return next(EXIT_CODES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in EXIT_CODES)


def _print_error(error: OidaError, *, as_json: bool) -> None:
    if as_json:
        from oida.faces.wire import error_values

        print_json(error_values(error))
    else:
        sys.stderr.write(f"oida: {_on_one_line(str(error))}\n")


def _on_one_line(text: str) -> str:
    """What an error tells may hold words of a source: no character of it acts on a terminal."""
    return "".join(
        character if character.isprintable() else " " if character.isspace() else f"\\x{ord(character):02x}" for character in text
    )
