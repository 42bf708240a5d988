"""What a budget of money or hours trains: the best network and data for it, or tokens for a given network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flopcast.decide.scaling_laws import LAWS, compute_optimal
from flopcast.describe import Range

# tokens a parameter of published open models that trade training compute for cheaper serving
OVERTRAINED = (100.0, 1000.0)
ROUNDS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Affordable:
    """A network and the tokens that the budget trains it on."""

    name: str
    parameters: float
    tokens: Range
    tokens_per_parameter: float
    mfu_fraction: Range
    loss: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAnswer:
    """Hours that the budget buys, the share left for the main run, and what these train."""

    accelerator_hours: float
    main_run_hours: float
    main_run_share: float
    options: tuple[Affordable, ...]


def affordable(
    *,
    accelerator_hours: float,
    main_run_share: float,
    peak_flop_per_s: float,
    mfu_of: Callable[[float, float], Range],
    parameters: float | None = None,
) -> BudgetAnswer:
    """Network and token pairs for so many hours.

    accelerator_hours: all that the budget buys [h]; main_run_share: of them for the final run [unitless]; mfu_of:
    parameters, tokens -> utilisation, 6N convention; parameters: a given network, else the compute-optimal ones and two
    trained on more tokens than that.
    """
    seconds = accelerator_hours * main_run_share * 3600
    options = []
    if parameters is not None:
        options.append(_at_size("given network", parameters, seconds, peak_flop_per_s, mfu_of))
    else:
        for name, law in LAWS.items():
            size = _fixed_point(
                lambda flop, law=law: compute_optimal(flop=flop, law=law).parameters,  # type: ignore[misc]
                seconds, peak_flop_per_s, mfu_of,
            )  # fmt: skip
            options.append(_at_size(f"best loss ({name})", size, seconds, peak_flop_per_s, mfu_of, law.source))
        for ratio in OVERTRAINED:
            size = _fixed_point(lambda flop, r=ratio: (flop / 6 / r) ** 0.5, seconds, peak_flop_per_s, mfu_of)  # type: ignore[misc]
            options.append(_at_size(f"{ratio:.0f} tokens a parameter", size, seconds, peak_flop_per_s, mfu_of))
    return BudgetAnswer(
        accelerator_hours=accelerator_hours,
        main_run_hours=accelerator_hours * main_run_share,
        main_run_share=main_run_share,
        options=tuple(options),
    )


def _fixed_point(
    size_of: Callable[[float], float], seconds: float, peak: float, mfu_of: Callable[[float, float], Range]
) -> float:
    """Parameters for the FLOP that their own utilisation yields: a few rounds, since utilisation moves little."""
    mfu = 0.3
    parameters = size_of(seconds * peak * mfu)
    for _ in range(ROUNDS):
        flop = seconds * peak * mfu
        parameters = size_of(flop)
        mfu = mfu_of(parameters, flop / 6 / parameters).expected
    return parameters


def _at_size(
    name: str, parameters: float, seconds: float, peak: float, mfu_of: Callable[[float, float], Range], source: str = ""
) -> Affordable:
    flop = seconds * peak * 0.3
    mfu = mfu_of(parameters, flop / 6 / parameters)
    tokens = mfu * (seconds * peak / 6 / parameters)
    law = LAWS["besiroglu"]
    return Affordable(
        name=name,
        parameters=parameters,
        tokens=tokens,
        tokens_per_parameter=tokens.expected / parameters,
        mfu_fraction=mfu,
        loss=law.loss(parameters=parameters, tokens=tokens.expected),
        source=source,
    )
