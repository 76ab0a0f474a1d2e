"""Progress of long work on the terminal: a bar where one is watching, nothing where output is piped or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from oida.faces.cli.call import Call


@contextmanager
def reporting(call: Call) -> Iterator[Callable[[int, int, str], None]]:
    """A callback told how far the work is: done, of how many (0 when unknown), at what."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    watched = call.trace.is_terminal and not call.as_json
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=call.trace, transient=True, disable=not watched) as bars:
        task = bars.add_task("starting", total=None)

        def report(done: int, total: int, what: str) -> None:
            bars.update(task, completed=done, total=total or None, description=what)

        yield report
