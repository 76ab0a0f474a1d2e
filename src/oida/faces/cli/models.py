"""Commands on language models: which one a base asks, what it has cost, and what corrections teach."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oida.faces.cli.call import Call, verb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console


def add_to(app: typer.Typer) -> None:
    """Put this group's commands on the command line."""
    config = typer.Typer(help="What a base uses.", no_args_is_help=True, rich_markup_mode=None)
    config.command("llm")(configure)
    app.add_typer(config, name="config")
    app.command("costs")(costs)
    corrections = typer.Typer(help="What corrections teach.", no_args_is_help=True, rich_markup_mode=None)
    corrections.command("export")(export)
    corrections.command("reliability")(reliability)
    app.add_typer(corrections, name="corrections")


@verb
def configure(
    call: Call,
    provider: Annotated[
        str | None, typer.Option("--provider", metavar="NAME", help="openai, anthropic, google, ollama, llama.cpp.", show_default=False)
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="Any server that speaks the OpenAI protocol, to …/v1.", show_default=False)
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model's name there.", show_default=False)] = None,
    key_variable: Annotated[
        str | None, typer.Option("--key-variable", metavar="NAME", help="Where its key is found; else OIDA_LLM_KEY.", show_default=False)
    ] = None,
    most_tokens: Annotated[
        int | None, typer.Option("--most-tokens", min=0, help="Cap on all tokens that are spent; 0 for none.", show_default=False)
    ] = None,
    price_in: Annotated[float | None, typer.Option("--price-in", min=0, help="Per million prompt tokens.", show_default=False)] = None,
    price_out: Annotated[float | None, typer.Option("--price-out", min=0, help="Per million reply tokens.", show_default=False)] = None,
) -> None:
    """Which language model the base asks, and for how much at most; without options tells."""
    from oida.bootstrap import configure_model

    found = configure_model(
        call.base,
        provider=provider,
        url=url,
        model=model,
        key_variable=key_variable,
        most_tokens=most_tokens,
        price_in=price_in,
        price_out=price_out,
    )
    call.show({"llm": dict(found)}, lambda out: _print_config(out, found))


@verb
def costs(call: Call) -> None:
    """Tokens and money that each job has spent on language models."""
    from oida.bootstrap import model_costs

    found = model_costs(call.base)
    lines = [
        f"{each.job}  {each.model}  {each.requests:,} requests, {each.prompt_tokens:,} + {each.completion_tokens:,} tokens"
        + (f", {each.money:.4f}" if each.money is not None else "")
        for each in found
    ]
    call.show({"costs": found}, lambda out: out.print("\n".join(lines) or "no language model was asked", markup=False))


@verb
def export(
    call: Call,
    place: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Where to write; else on standard output.", show_default=False)
    ] = None,
) -> None:
    """Corrections and confirmations as JSON lines: statements and pairs to train on."""
    from oida.bootstrap import write_text

    with call.open() as workspace:
        found = workspace.lessons()
    lines = "".join(json.dumps(each, ensure_ascii=place is None) + "\n" for each in found)
    if place is None:
        sys.stdout.write(lines)
    else:
        write_text(place, lines)
        call.show({"written": len(found), "to": str(place)}, lambda out: out.print(f"{len(found)} lines in {place}", markup=False))


@verb
def reliability(call: Call) -> None:
    """How often each source and classifier was right where a person looked."""
    with call.open() as workspace:
        found = workspace.reliability()
    lines = [
        f"{each.kind} {each.name}: {each.right.count} of {each.right.of} stood, {each.right.share:.2f} "
        f"[{each.right.interval.low:.2f}, {each.right.interval.high:.2f}]"
        for each in found
    ]
    call.show({"reliability": found}, lambda out: out.print("\n".join(lines) or "nobody has judged anything yet", markup=False))


def _print_config(out: Console, found: Mapping[str, object]) -> None:
    for name, value in found.items():
        out.print(f"{name}  {value}", markup=False)
    if not found:
        out.print("no language model; set one: oida config llm --url … --model …", markup=False)
