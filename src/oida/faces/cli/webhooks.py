"""Who is told of news: webhooks add, list, remove, test, send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from rich.console import Console

DEFAULT_VARIABLE = "OIDA_WEBHOOK_SECRET"


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    webhooks = typer.Typer(help="Addresses that are told of news.", no_args_is_help=True, rich_markup_mode=None)
    webhooks.command("add")(add)
    webhooks.command("list")(list_webhooks)
    webhooks.command("remove")(remove)
    webhooks.command("test")(test)
    webhooks.command("send")(send)
    app.add_typer(webhooks, name="webhooks")


@verb
def add(
    call: Call,
    name: Annotated[str, typer.Argument(help="What to call it here.")],
    url: Annotated[str, typer.Argument(metavar="URL", help="Where to send; https.")],
    reader: Annotated[str, typer.Option("--for", metavar="PRINCIPAL", help="A person or key: only what they may see is told.")],
    kinds: Annotated[
        str, typer.Option("--kinds", metavar="LIST", help="Of urgent-question, new-contradiction, basis-changed, digest.")
    ] = "urgent-question,new-contradiction,basis-changed",
    digest_at: Annotated[
        int, typer.Option("--digest-at", min=0, max=23, metavar="HOUR", help="When the daily digest goes out, in UTC.")
    ] = 6,
    secret_env: Annotated[
        str, typer.Option("--secret-env", metavar="VARIABLE", help="Where the secret is that signs what is sent.")
    ] = DEFAULT_VARIABLE,
    private: Annotated[bool, typer.Option("--private", help="The address may lie in a private network, and be http.")] = False,
) -> None:
    """Tell an address of what is new from now on, signed; only where its secret is to be found is kept."""
    from oida.bootstrap import checked_webhook_url
    from oida.model.feed import SecretPlace, SecretReference
    from oida.model.webhook import Webhook
    from oida.workspace.notify import kinds_named

    reference = SecretReference(SecretPlace.ENVIRONMENT, secret_env)
    with call.open() as workspace:
        workspace.live_sources.find_secret(reference)
        found = workspace.add_webhook(
            Webhook(
                name=name,
                url=checked_webhook_url(url, private=private),
                reader=reader,
                kinds=kinds_named([kind.strip() for kind in kinds.split(",") if kind.strip()]),
                secret=reference,
                created_at=workspace.now(),
                digest_hour=digest_at,
                private=private,
            )
        )
    told = f"{found.name} is told of {', '.join(sorted(found.kinds))} as {found.reader} may see it"
    call.show({"webhook": found}, lambda out: out.print(f"{told}; {len(found.told)} that stand already are not told again", markup=False))


@verb
def list_webhooks(call: Call) -> None:
    """Who is told of what, and what did not arrive."""
    with call.open() as workspace:
        found = workspace.webhooks()
        waiting = workspace.store.webhooks.deliveries()

    def render(out: Console) -> None:
        for each in found:
            mine = [delivery for delivery in waiting if delivery.webhook == each.name]
            failed = [delivery for delivery in mine if delivery.failed]
            out.print(
                f"{each.name}  {each.url}  for {each.reader}  {','.join(sorted(each.kinds))}  secret in {each.secret.name}", markup=False
            )
            if mine:
                last = next((delivery.message for delivery in reversed(mine) if delivery.message), "")
                out.print(f"  {len(mine) - len(failed)} on their way, {len(failed)} given up{f': {last}' if last else ''}", markup=False)
        if not found:
            out.print("none; `oida webhooks add NAME URL --for PRINCIPAL` adds one", markup=False)

    call.show({"webhooks": found, "deliveries": waiting}, render)


@verb
def remove(call: Call, name: str) -> None:
    """Tell an address nothing more; what is on its way to it is dropped."""
    with call.open() as workspace:
        workspace.remove_webhook(name)
    call.show({"removed": name}, lambda out: out.print(f"{name} is told nothing more", markup=False))


@verb
def test(call: Call, name: str) -> None:
    """Send an address a message that tells nothing, now."""
    from oida.bootstrap import webhook_sender
    from oida.workspace.notify import try_webhook

    with call.open() as workspace:
        found = workspace.webhook(name)
        try_webhook(workspace, found, webhook_sender(), workspace.live_sources.find_secret)
    call.show({"arrived": name}, lambda out: out.print(f"{found.url} took the message", markup=False))


@verb
def send(call: Call) -> None:
    """Send what is new and what is due, once; `oida serve` does so every minute."""
    from oida.bootstrap import webhook_sender

    with call.open() as workspace:
        done = workspace.tell(webhook_sender())

    def render(out: Console) -> None:
        out.print(f"{done.begun} put on their way, {done.arrived} arrived, {len(done.failures)} failed", markup=False)
        for name, why in done.failures:
            out.print(f"  {name}: {why}", markup=False)

    call.show(done, render)
