"""Commands that choose or look ahead: compare, plan, size, budget, outlook, convert."""

from typing import Annotated

import typer

from flopcast.cli.options import Batch, Explain, Json, Method, Model, On, Precision, Price, SeqLen, Tokens, app
from flopcast.cli.output import Output


@app.command()
def compare(
    model: Model,
    tokens: Tokens = None,
    on: Annotated[list[str] | None, typer.Option("--on", help="A cluster; give it several times.")] = None,
    batch: Batch = None,
    seq_len: SeqLen = None,
    precision: Precision = None,
    method: Method = None,
    as_json: Json = False,
) -> int:
    """The same job on several clusters: time, cost, energy."""
    from flopcast.cli.decide import run_compare

    words = {
        "model": model,
        "tokens": tokens,
        "batch": batch,
        "seq_len": seq_len,
        "precision": precision,
        "method": method,
    }
    return run_compare(words, on or [], output=Output(as_json=as_json))


@app.command()
def plan(
    model: Model,
    tokens: Annotated[str | None, typer.Argument(help="Training tokens, for the cost of the whole job.")] = None,
    on: On = None,
    batch: Batch = None,
    seq_len: SeqLen = None,
    precision: Precision = None,
    method: Method = None,
    stack: Annotated[str | None, typer.Option(help="Software, such as megatron-core, torchtitan.")] = None,
    layout: Annotated[str | None, typer.Option(help="Parts to pin: tp=8,recompute=full.")] = None,
    why_not: Annotated[str | None, typer.Option(help="A layout to hold against the best: tp=4,pp=8.")] = None,
    price: Price = None,
    keep: Annotated[int, typer.Option(min=1, max=50, help="How many to show.")] = 5,
    as_json: Json = False,
) -> int:
    """The best layouts on a cluster, and why each beats the next."""
    from flopcast.cli.plan import run_plan

    words = {
        "model": model, "tokens": tokens or "1T", "on": on, "batch": batch, "seq_len": seq_len, "precision": precision,
        "method": method, "stack": stack, "layout": layout, "price": price,
    }  # fmt: skip
    return run_plan(words, why_not=why_not, keep=keep, with_cost=tokens is not None, output=Output(as_json=as_json))


@app.command()
def size(
    model: Model,
    tokens: Annotated[str, typer.Argument(help="Training tokens.")],
    within: Annotated[str, typer.Option(help="The deadline: 60d.")],
    on: Annotated[
        list[str] | None, typer.Option("--on", help="A kind of accelerator; several times. None: the usual ones.")
    ] = None,
    batch: Batch = None,
    seq_len: SeqLen = None,
    precision: Precision = None,
    mfu: Annotated[str | None, typer.Option(help="Utilisation, where you know it.")] = None,
    price: Price = None,
    as_json: Json = False,
) -> int:
    """How many accelerators, of which kind, finish by a deadline."""
    from flopcast.cli.decide import run_size

    words = {
        "model": model,
        "tokens": tokens,
        "batch": batch,
        "seq_len": seq_len,
        "precision": precision,
        "mfu": mfu,
        "price": price,
    }
    return run_size(words, within=within, kinds=on or [], output=Output(as_json=as_json))


@app.command()
def budget(
    on: Annotated[str, typer.Option("--on", help="The accelerator, or the cluster: H100, 64xH100.")],
    money: Annotated[str | None, typer.Option(help="What can be spent: 200k.")] = None,
    hours: Annotated[str | None, typer.Option(help="Accelerator hours: '100000 A100', 100k.")] = None,
    model: Annotated[str | None, typer.Option(help="A given network: how many tokens? Else the best network.")] = None,
    price: Price = None,
    main_share: Annotated[
        str | None, typer.Option(help="Share for the final run (the rest: development, restarts).")
    ] = None,
    precision: Precision = None,
    as_json: Json = False,
) -> None:
    """What a budget trains: network and tokens."""
    from flopcast.cli.decide import run_budget

    words = {"on": on, "price": price, "precision": precision}
    run_budget(words, money=money, hours=hours, model=model, main_share=main_share, output=Output(as_json=as_json))


@app.command()
def outlook(
    per_card: Annotated[str, typer.Option(help="Compute of a new card over the last one's.")],
    cards: Annotated[str, typer.Option(help="Cards over the last run's.")],
    days: Annotated[str, typer.Option(help="Days over the last run's.")],
    tricks: Annotated[str, typer.Option(help="Gain from training tricks.")] = "1.0",
    base: Annotated[
        str | None, typer.Option(help="The last run, quoted arguments of `estimate` with --measured or --mfu.")
    ] = None,
    site_power: Annotated[str, typer.Option(help="Megawatts of one data centre.")] = "150",
    link: Annotated[str, typer.Option(help="Bandwidth between data centres.")] = "100 Tb/s",
    explain: Explain = False,
    as_json: Json = False,
) -> None:
    """How far the next frontier run can go, and which limit binds."""
    from flopcast.cli.commands import run_outlook

    ratios = {"per-card": per_card, "cards": cards, "days": days, "tricks": tricks}
    run_outlook(ratios, base=base, site_power=site_power, link=link, output=Output(as_json=as_json), explain=explain)


@app.command()
def convert(
    cluster: Annotated[str, typer.Argument(help="'16x16 slice of TPU v3', 'TPU v3-512', 40000xH100.")],
    to: Annotated[str, typer.Option(help="The accelerator to count in.")],
    hours: Annotated[str | None, typer.Option(help="Hours of use: 96, or 4d.")] = None,
    precision: Annotated[
        str | None, typer.Option(help="Compare at this precision (the 16-bit rate of each otherwise).")
    ] = None,
    price: Annotated[str | None, typer.Option(help="Price of one accelerator hour of the target.")] = None,
    as_json: Json = False,
) -> None:
    """What a cluster is worth in accelerators of another kind."""
    from flopcast.cli.commands import run_convert

    run_convert(cluster, to=to, hours=hours, precision=precision, price=price, output=Output(as_json=as_json))
