"""Commands about one job: estimate, ask, count, reconcile, hours, storage."""

from typing import Annotated

import typer

from flopcast.cli.options import (
    HELP_BATCH,
    PANEL_POWER,
    PANEL_PRICE,
    PANEL_SPEED,
    PANEL_WORK,
    Explain,
    Json,
    On,
    app,
)
from flopcast.cli.output import Output


@app.command()
def estimate(
    model: Annotated[
        str, typer.Argument(help="405B, 30B-A3B, 8x7b, a catalogue name, a config.json or its folder.")
    ] = "",
    tokens: Annotated[str | None, typer.Argument(help="Training tokens: 15.6T, 200B.")] = None,
    on: On = None,
    updates: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Optimizer updates: 1M.")] = None,
    batch: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help=HELP_BATCH)] = None,
    seq_len: Annotated[
        str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Tokens of a sequence: 4k, 128k.")
    ] = None,
    epochs: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Passes over the data.")] = None,
    samples: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Samples in the data.")] = None,
    runs: Annotated[
        str | None, typer.Option(rich_help_panel=PANEL_WORK, help="How many such runs: hours and cost of all.")
    ] = None,
    method: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help="pretrain, full, lora, qlora.")] = None,
    precision: Annotated[
        str | None, typer.Option(rich_help_panel=PANEL_WORK, help="bf16, fp16, fp8, tf32, fp32...")
    ] = None,
    layout: Annotated[
        str | None, typer.Option(rich_help_panel=PANEL_WORK, help="tp=8,pp=16,vpp=8,micro=1,shard=zero1...")
    ] = None,
    stack: Annotated[
        str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Software, such as megatron-core.")
    ] = None,
    convention: Annotated[
        str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Model FLOP: 6n, causal, full, exact.")
    ] = None,
    mfu: Annotated[str | None, typer.Option(rich_help_panel=PANEL_SPEED, help="Utilisation of the peak: 40%.")] = None,
    achieved: Annotated[
        str | None,
        typer.Option(rich_help_panel=PANEL_SPEED, help="Per accelerator: '400 TFLOP/s', '140 hardware TFLOP/s'."),
    ] = None,
    measured: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=PANEL_SPEED, help="Of this job: '5.6 s/update', '1.9it/s', '24k tokens/s/GPU', '4 days'."
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=PANEL_SPEED, help="Another job with --measured, quoted: it is scaled to this one."
        ),
    ] = None,
    price: Annotated[
        str | None,
        typer.Option(rich_help_panel=PANEL_PRICE, help="2/h (US dollars, an accelerator), '98.32/h per node'."),
    ] = None,
    offer: Annotated[
        str | None, typer.Option(rich_help_panel=PANEL_PRICE, help="aws:p5.48xlarge (see flopcast facts offers).")
    ] = None,
    bill: Annotated[str | None, typer.Option(rich_help_panel=PANEL_PRICE, help="The total that was paid.")] = None,
    pue: Annotated[str | None, typer.Option(help="Power usage effectiveness of the site.")] = None,
    region: Annotated[str | None, typer.Option(help="Grid region for CO2e: FR, US-VA, aws/us-east-1.")] = None,
    from_: Annotated[
        str | None, typer.Option("--from", help="A scenario file; other options replace its words.")
    ] = None,
    timeline: Annotated[
        str | None, typer.Option(help="Write one update: a Chrome trace (.json) or a picture (.svg, .png).")
    ] = None,
    explain: Explain = False,
    as_json: Json = False,
) -> int:
    """What a training run takes, by every method that applies, side by side."""
    from flopcast.cli.commands import run_estimate

    words = {
        "model": model, "tokens": tokens, "on": on, "updates": updates, "batch": batch, "seq_len": seq_len, "epochs": epochs,
        "samples": samples, "method": method, "precision": precision, "layout": layout, "stack": stack, "mfu": mfu,
        "achieved": achieved, "measured": measured, "like": like, "price": price, "offer": offer, "bill": bill, "pue": pue,
        "region": region, "convention": convention,
    }  # fmt: skip
    return run_estimate(
        words, scenario=from_, output=Output(as_json=as_json), explain=explain, timeline=timeline, runs=runs
    )


@app.command()
def ask(
    words: Annotated[list[str], typer.Argument(metavar="QUESTION", help="llama 8b, 1B tokens, 8xA100, lora, how long")],
    explain: Explain = False,
    as_json: Json = False,
) -> int:
    """A question in plain words, read back as a command line and answered as `estimate` answers."""
    from flopcast.cli.ask import run_ask

    return run_ask(words, output=Output(as_json=as_json), explain=explain)


@app.command()
def count(
    model: Annotated[str, typer.Argument(help="A catalogue name, a config.json or its folder.")],
    seq_len: Annotated[str, typer.Option(help="Tokens of a sequence, for attention FLOP.")] = "4096",
    tp: Annotated[str | None, typer.Option(help="Tensor-parallel ranks that the vocabulary is padded for.")] = None,
    vocab_multiple: Annotated[
        str | None, typer.Option(help="Rows that each of them holds a multiple of (128 otherwise).")
    ] = None,
    explain: Explain = False,
    as_json: Json = False,
) -> None:
    """Parameters and FLOPs, exact, by part and by convention."""
    from flopcast.cli.commands import run_count

    run_count(
        model,
        seq_len=seq_len,
        padding=(tp or "1", vocab_multiple or "128") if tp is not None or vocab_multiple is not None else None,
        output=Output(as_json=as_json),
        explain=explain,
    )


@app.command()
def reconcile(
    a: Annotated[str, typer.Argument(metavar="A", help="A scenario file, or quoted arguments of `estimate`.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The other one.")],
    stated: Annotated[str | None, typer.Option(help="A total stated for A, to check against its parts.")] = None,
    as_json: Json = False,
) -> None:
    """Why two estimates differ, factor by factor."""
    from flopcast.cli.commands import run_reconcile

    run_reconcile(a, b, stated=stated, output=Output(as_json=as_json))


@app.command()
def hours(
    measured: Annotated[
        str, typer.Argument(help="'98.97s/it', '1.9it/s', '24k tokens/s/GPU', '15 days', '1720320 GPU hours'.")
    ],
    on: On = None,
    updates: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Optimizer updates.")] = None,
    tokens: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Tokens of the data.")] = None,
    samples: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Samples of the data.")] = None,
    epochs: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Passes over the data.")] = None,
    batch: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help=HELP_BATCH)] = None,
    seq_len: Annotated[str | None, typer.Option(rich_help_panel=PANEL_WORK, help="Tokens of a sequence.")] = None,
    price: Annotated[str | None, typer.Option(rich_help_panel=PANEL_PRICE, help="2/h, '98.32/h per node'.")] = None,
    offer: Annotated[str | None, typer.Option(rich_help_panel=PANEL_PRICE, help="aws:p5.48xlarge.")] = None,
    bill: Annotated[str | None, typer.Option(rich_help_panel=PANEL_PRICE, help="The total that was paid.")] = None,
    power: Annotated[str | None, typer.Option(rich_help_panel=PANEL_POWER, help="Of one accelerator: '700 W'.")] = None,
    energy: Annotated[
        str | None,
        typer.Option(rich_help_panel=PANEL_POWER, help="Metered, of all machines, each once: '302.4 kWh'."),
    ] = None,
    pue: Annotated[str | None, typer.Option(rich_help_panel=PANEL_POWER, help="Of the site: 1.1.")] = None,
    region: Annotated[str | None, typer.Option(rich_help_panel=PANEL_POWER, help="Grid: FR, US-VA.")] = None,
    carbon: Annotated[str | None, typer.Option(rich_help_panel=PANEL_POWER, help="'0.41 kg/kWh'.")] = None,
    failures: Annotated[str | None, typer.Option(help="Failures that were counted.")] = None,
    failure_every: Annotated[str | None, typer.Option(help="'50000 GPU hours' from one to the next.")] = None,
    as_json: Json = False,
) -> None:
    """What a time, a rate or accelerator hours come to: hours, money, energy, failures. No network needed."""
    from flopcast.cli.arithmetic import run_hours

    words = {
        "on": on, "updates": updates, "tokens": tokens, "samples": samples, "epochs": epochs, "batch": batch,
        "seq_len": seq_len, "price": price, "offer": offer, "bill": bill, "power": power, "energy": energy, "pue": pue,
        "region": region, "carbon": carbon, "failures": failures, "failure_every": failure_every,
    }  # fmt: skip
    run_hours(measured, words, Output(as_json=as_json))


@app.command()
def storage(
    model: Annotated[str | None, typer.Argument(help="Whose checkpoints: 7b, a catalogue name, a config.json.")] = None,
    tokens: Annotated[str | None, typer.Argument(help="Tokens on disk: 1.5T.")] = None,
    vocab: Annotated[str | None, typer.Option(help="Entries of the vocabulary.")] = None,
    token_type: Annotated[str | None, typer.Option(help="uint16, int32, int64: as the loader stores tokens.")] = None,
    bytes_per_parameter: Annotated[str | None, typer.Option(help="Of a checkpoint: 14, 12, 2.")] = None,
    size: Annotated[str | None, typer.Option(help="Of one checkpoint: '207 GB'.")] = None,
    save: Annotated[str | None, typer.Option(help="How long a save takes: 40s.")] = None,
    write: Annotated[str | None, typer.Option(help="Or how fast: '2.5 GB/s'.")] = None,
    every: Annotated[str | None, typer.Option(help="Between saves: 3h, '50 updates'.")] = None,
    for_: Annotated[str | None, typer.Option("--for", help="Length of the run: 90d.")] = None,
    updates: Annotated[str | None, typer.Option(help="Updates of the run.")] = None,
    mtbf: Annotated[str | None, typer.Option(help="Mean time between failures: 168h.")] = None,
    on: On = None,
    as_json: Json = False,
) -> None:
    """How large checkpoints and tokens are, how often to save, and what saves cost in time."""
    from flopcast.cli.arithmetic import run_storage

    words = {
        "vocab": vocab, "token_type": token_type, "bytes_per_parameter": bytes_per_parameter, "size": size, "save": save,
        "write": write, "every": every, "for_": for_, "updates": updates, "mtbf": mtbf, "on": on,
    }  # fmt: skip
    run_storage(model, tokens, words, Output(as_json=as_json))
