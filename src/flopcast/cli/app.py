"""All commands, and the one place where what goes wrong becomes a message and an exit code."""

import contextlib
import os
import sys
from functools import cache
from typing import Annotated, Any

import typer
from typer.exceptions import Abort, Exit, TyperException

from flopcast import __version__
from flopcast.cli.line import check_line
from flopcast.cli.output import Output, show_bad_input
from flopcast.errors import BadInput, Problem, near_matches

app = typer.Typer(
    name="flopcast",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Forecasts what it takes to train a model: FLOPs, time, GPU hours, money, storage, energy, and how sure it is.",
    epilog="Begin with: flopcast estimate llama-3.1-8b 1T --on 64xH100     Every command: --json, --help",
)

Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show formulas with their numbers, and sources.")]
On = Annotated[str | None, typer.Option("--on", help="Accelerators: 64xH100, 'TPU v3 16x16', 2xp5.48xlarge.")]

Model = Annotated[str, typer.Argument(help="What is trained, as for `estimate`.")]
Tokens = Annotated[str | None, typer.Argument(help="Training tokens: 15.6T, 200B.")]
Batch = Annotated[str | None, typer.Option(help="Sequences in one update.")]
SeqLen = Annotated[str | None, typer.Option(help="Tokens of a sequence: 4k, 128k.")]
Method = Annotated[str | None, typer.Option(help="pretrain, full, lora, qlora.")]
Precision = Annotated[str | None, typer.Option(help="bf16, fp16, fp8... (the usual one otherwise)")]
Price = Annotated[str | None, typer.Option(help="2.5/h: US dollars for an accelerator hour (list price otherwise).")]

PANEL_WORK = "The work"
PANEL_SPEED = "What you know about speed (one of these)"
PANEL_PRICE = "What it costs (one of these)"
PANEL_POWER = "Power and carbon"
HELP_BATCH = "Sequences in one update: 512, '1 x 8 x 8' (per device x accumulation x ranks), '4M tokens'."


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
        str | None, typer.Option(rich_help_panel=PANEL_PRICE, help="$2/h an accelerator, '$98.32/h per node'.")
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
    return run_estimate(words, scenario=from_, output=Output(as_json=as_json), explain=explain, timeline=timeline)


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
    price: Annotated[str | None, typer.Option(rich_help_panel=PANEL_PRICE, help="$2/h, '$98.32/h per node'.")] = None,
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


@app.command()
def facts(
    table: Annotated[
        str, typer.Argument(help="accelerators, nodes, offers, models, runs, storage... (none: the list)")
    ] = "",
    words: Annotated[list[str] | None, typer.Argument(help="Words that a row must hold.")] = None,
    sources: Annotated[bool, typer.Option("--sources", help="Show each row's source and date.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All columns and rows.")] = False,
    as_json: Json = False,
) -> int:
    """The shipped facts: accelerators, nodes, prices, runs... each figure with its source and date."""
    from flopcast.cli.commands import run_facts

    return run_facts(table, words or [], sources=sources, everything=everything, output=Output(as_json=as_json))


@app.command()
def validate(
    runs: Annotated[
        str,
        typer.Argument(help="A CSV of measured runs (columns: docs/reference/runs-csv.md); none: the shipped runs."),
    ] = "",
    out: Annotated[str | None, typer.Option("--out", help="Write each run's prediction to this CSV.")] = None,
    plot: Annotated[str | None, typer.Option(help="Write measured against predicted as .svg or .png.")] = None,
    by: Annotated[str, typer.Option(help="Column to group by: group, framework, accelerator, precision.")] = "group",
    as_json: Json = False,
) -> None:
    """Measured against predicted, for the shipped runs or your own."""
    from flopcast.cli.validate import run_validate

    run_validate(runs, out=out, plot=plot, by=by, output=Output(as_json=as_json))


@app.command()
def writeup(
    scenario: Annotated[str, typer.Argument(help="A scenario file, such as examples/gato-like.toml.")],
    out: Annotated[str, typer.Option("-o", "--out", help="Where to write: brief.pdf or brief.md.")],
    as_json: Json = False,
) -> None:
    """The brief that goes to a compute partner."""
    from flopcast.cli.commands import run_writeup

    run_writeup(scenario, out=out, output=Output(as_json=as_json))


@app.command()
def parse(
    text: Annotated[
        str, typer.Argument(help="Anything with a number: 8x7b, '98.97s/it', '$98.32/h per node', v3-512.")
    ],
    field: Annotated[
        str | None, typer.Option("--as", help="What it should be: tokens, on, price, seq-len, measured...")
    ] = None,
    as_json: Json = False,
) -> None:
    """How flopcast reads a text: as tokens, a cluster, a price, a duration..."""
    from flopcast.cli.commands import run_parse

    run_parse(text, field=field, output=Output(as_json=as_json))


def _version(shown: bool) -> None:
    if shown:
        typer.echo(f"flopcast {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    del version


@cache
def _command(name: str) -> Any:
    """The command line with the one command asked for, all of them where it is none: building each takes time."""
    asked = [
        command
        for command in app.registered_commands
        if command.callback is not None and command.callback.__name__ == name
    ]
    if asked:
        few = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode="rich")
        few.registered_commands, few.registered_callback = asked, app.registered_callback
        return typer.main.get_command(few)
    return typer.main.get_command(app)


def run(arguments: list[str]) -> int:
    """Runs one command line; returns its exit code. No input makes it raise."""
    as_json = "--json" in arguments
    arguments = arguments or ["--help"]
    try:
        command = _command(arguments[0] if arguments else "")
        check_line(command, arguments)
        code = command.main(arguments, prog_name="flopcast", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BadInput as error:
        show_bad_input(error, as_json=as_json)
        return 2
    except TyperException as error:
        show_bad_input(_usage(error, arguments), as_json=as_json)
        return 2
    except Exit as done:
        return done.exit_code
    except (Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        _discard_output()
        print(f"error: the answer cannot be written: {error.strerror}", file=sys.stderr)
        return 2


def _discard_output() -> None:
    """Sends what is still buffered nowhere, so that leaving does not fail again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: TyperException, arguments: list[str]) -> BadInput:
    """A mistake in the command line itself, in the one form that problems have."""
    given = str(getattr(error, "option_name", None) or " ".join(arguments)[:60])
    close = near_matches(given, getattr(error, "possibilities", None) or [], count=2)
    named = " or ".join(f"`{name}`" for name in close)
    hint = f"did you mean {named}?" if close else error.format_message() or "see --help"
    return BadInput(Problem(where="command line", given=given, allowed="a known command and its options", hint=hint))
