"""Writes docs/reference from the program itself: `python docs/write_reference.py`, or `--check` to say what is stale."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

from oida.events.vocabulary import Event
from oida.faces.cli.call import EXIT_CODES
from oida.faces.cli.main import app
from oida.model import errors

FOLDER = Path(__file__).resolve().parent / "reference"
SHARED = ("kb", "as_json", "now", "principal")
GENERATED = "Written by `make docs` from the program; a test fails when it is stale.\n"


def cli_page() -> str:
    """Every command with its arguments and options, and the exit codes."""
    commands = dict(_commands(typer.main.get_command(app)))
    lines = ["# The command line", "", GENERATED, *_shared_options(commands["status"]), *_exit_codes()]
    for name in sorted(commands):
        lines += _command(name, commands[name])
    return "\n".join(lines).rstrip() + "\n"


def events_page() -> str:
    """Every event of the ledger with its fields."""
    lines = ["# The events of the ledger", "", GENERATED]
    lines += [
        "Each entry holds one event, its principal, when it was the case (`occurred_at`), when it was learned (`recorded_at`),",
        "the digest of the entry before it and its own. No event holds free text.",
        "",
    ]
    for kind in sorted(get_args(Event), key=lambda kind: kind.__name__):
        hints = get_type_hints(kind)
        lines += [f"## {kind.__name__}", "", inspect.getdoc(kind) or "", "", "| field | type |", "| --- | --- |"]
        lines += [f"| `{field.name}` | {_type_name(hints[field.name])} |" for field in fields(kind)]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


PAGES: dict[str, Callable[[], str]] = {"cli.md": cli_page, "events.md": events_page}


def stale_pages() -> list[str]:
    """The names of pages that are not what the program says now."""
    return [name for name, page in PAGES.items() if not (FOLDER / name).is_file() or (FOLDER / name).read_text(encoding="utf-8") != page()]


def _commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command that can be run, by its full name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _shared_options(command: Any) -> Iterator[str]:
    yield from ("## What every command on a base takes", "", "| option | |", "| --- | --- |")
    for parameter in command.params:
        if parameter.name in SHARED:
            yield _option_row(parameter)
    yield ""
    yield "Results go to standard output, progress and errors to standard error."
    yield ""


def _exit_codes() -> Iterator[str]:
    yield from ("## Exit codes", "", "| code | kind | what to do |", "| --- | --- | --- |", "| 0 | | done |")
    for name, code in EXIT_CODES.items():
        yield f"| {code} | `{name}` | {inspect.getdoc(getattr(errors, name))} |"
    yield ""


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and each.name not in (*SHARED, "help")]
    usage = " ".join(["oida", name, *(_argument_usage(each) for each in arguments), *(["[OPTIONS]"] if options else [])])
    yield from (f"## oida {name}", "", inspect.cleandoc(command.help or ""), "", f"    {usage}", "")
    rows = [f"| `{_argument_usage(each)}` | {_cell(each.help or '')} |" for each in arguments if each.help]
    rows += [_option_row(each) for each in options]
    if rows:
        yield from ("| | |", "| --- | --- |", *rows, "")


def _argument_usage(parameter: Any) -> str:
    shown = str(parameter.metavar or parameter.name.upper())
    return shown if parameter.required or shown.startswith("[") else f"[{shown}]"


def _option_row(parameter: Any) -> str:
    value = "" if parameter.is_flag else f" {_cell(parameter.metavar or _value_name(parameter.default))}"
    names = ", ".join(f"`{name}{value}`" for name in (*parameter.opts, *parameter.secondary_opts))
    default = parameter.default if parameter.show_default and not parameter.is_flag else None
    return f"| {names} | {_cell(parameter.help or '')}{'' if default is None else f' Default {_shown(default)}.'} |"


def _value_name(default: Any) -> str:
    return "N" if isinstance(default, int | float) else "VALUE"


def _shown(default: Any) -> str:
    return f"`{getattr(default, 'value', default)}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _type_name(hint: Any) -> str:
    if get_args(hint):
        return _cell(str(hint).replace("oida.model.identifiers.", "").replace("NoneType", "None").replace("datetime.", ""))
    return str(getattr(hint, "__name__", hint))


def main() -> None:
    """Write the pages, or with --check only say which are stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    stale = stale_pages()
    if parser.parse_args().check:
        sys.exit(f"stale: {', '.join(stale)}; run make docs" if stale else 0)
    FOLDER.mkdir(exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote docs/reference/{name}")


if __name__ == "__main__":
    main()
