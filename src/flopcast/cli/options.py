"""The command line itself and the options that several commands take."""

from typing import Annotated

import typer

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
