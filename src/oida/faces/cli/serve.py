"""Commands that serve others: serve, mcp."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from oida.workspace.access import Caller


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    app.command("serve")(serve)
    app.command("mcp")(mcp)


@verb
def serve(
    call: Call,
    host: Annotated[str, typer.Option("--host", help="Where to listen; beyond loopback only when somebody can sign in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes any free one.")] = 7432,
    engine: Annotated[bool, typer.Option("--engine/--no-engine", help="Run the six-hour engine in this process.")] = True,
    syncs: Annotated[bool, typer.Option("--syncs/--no-syncs", help="Read followed sources every 15 minutes.")] = True,
    webhooks: Annotated[bool, typer.Option("--webhooks/--no-webhooks", help="Tell webhooks of news every minute.")] = True,
    import_from: Annotated[
        Path | None,
        typer.Option("--import-from", metavar="FOLDER", help="The only folder that admins may ingest from.", show_default=False),
    ] = None,
    rate: Annotated[int, typer.Option("--rate", min=1, metavar="CALLS", help="Calls a minute for each key.")] = 600,
    reports: Annotated[
        Path | None, typer.Option("--reports", metavar="FOLDER", help="Show the evaluation reports that lie there.", show_default=False)
    ] = None,
    traces: Annotated[bool, typer.Option("--traces", help="OpenTelemetry spans, sent where OTEL_EXPORTER_OTLP_ENDPOINT says.")] = False,
) -> None:
    """Serve REST, MCP over streamable HTTP, the pages, the engine and the syncs in one process; all but health needs a key or a session."""
    from oida.bootstrap import webhook_sender
    from oida.faces.cli.extras import needing

    with needing("server"):
        from oida.faces.server import ServerOptions
        from oida.faces.server import serve as run
        from oida.faces.signin.settings import sign_in_of
    if traces:
        with needing("otel"):
            from oida.faces.serving.traces import send_traces
        send_traces()
    options = ServerOptions(
        host=host,
        port=port,
        run_engine=engine,
        run_syncs=syncs,
        webhook_sender=webhook_sender() if webhooks else None,
        import_from=import_from,
        zone=call.settings.zone.key,
        calls_per_minute=float(rate),
        traces=traces,
        reports=reports,
        sign_in=sign_in_of(replace(call.settings, base=call.base)),
    )
    run(call.open, options)


@verb
def mcp(
    call: Call,
    write: Annotated[
        bool, typer.Option("--write", help="Let the agent write; else what it says waits for `oida review`. OIDA_KEY decides itself.")
    ] = False,
) -> None:
    """Serve MCP over standard input and output, for an agent on this machine; OIDA_KEY or --as says for whom."""
    from oida.faces.cli.extras import needing

    with needing("mcp"):
        from oida.faces.mcp.server import create_server
    from oida.faces.serving.base import ServedBase
    from oida.model.access import Scope
    from oida.workspace.access import Caller

    base = ServedBase(call.open, readers=2)

    def caller(_request: object) -> Caller:
        if call.settings.key:
            return base.recognise(call.settings.key)
        with call.open() as workspace:
            return Caller(workspace.principal, frozenset({Scope.WRITE if write else Scope.READ}))

    try:
        found: Caller = caller(None)
        create_server(base, caller if call.settings.key else lambda _request: found).run("stdio")
    finally:
        base.close()
