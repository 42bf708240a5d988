"""Scaling laws: the network and the data that make best use of a compute budget."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingLaw:
    """Loss L(N, D) = irreducible + parameter_scale / N^parameter_power + token_scale / D^token_power [nats per token]."""

    name: str
    irreducible: float
    parameter_scale: float
    token_scale: float
    parameter_power: float
    token_power: float
    source: str

    def loss(self, *, parameters: float, tokens: float) -> float:
        """Loss of a network of `parameters` after `tokens` [nats per token]."""
        of_parameters: float = self.parameter_scale / parameters**self.parameter_power
        of_tokens: float = self.token_scale / tokens**self.token_power
        return self.irreducible + of_parameters + of_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeOptimal:
    """The best parameters and tokens for a budget under one law."""

    law: str
    parameters: float
    tokens: float
    loss: float
    source: str


LAWS = {
    "chinchilla": ScalingLaw(
        name="chinchilla",
        irreducible=1.69,
        parameter_scale=406.4,
        token_scale=410.7,
        parameter_power=0.34,
        token_power=0.28,
        source="arXiv 2203.15556, approach 3, eq. 10",
    ),
    "besiroglu": ScalingLaw(
        name="besiroglu",
        irreducible=1.8172,
        parameter_scale=482.01,
        token_scale=2085.43,
        parameter_power=0.3478,
        token_power=0.3658,
        source="arXiv 2404.10102, refit of approach 3",
    ),
}


def compute_optimal(*, flop: float, law: ScalingLaw) -> ComputeOptimal:
    """Parameters and tokens that minimise the loss where flop = 6 x parameters x tokens.

    flop: budget [FLOP]. With a = parameter_power, b = token_power, A and B the scales:
    N = (a A / (b B))^(1 / (a + b)) x (flop / 6)^(b / (a + b)), D = flop / (6 N) (arXiv 2203.15556, eq. 4).
    Valid near the sizes that the law was fitted on (up to 1e22 FLOP measured); beyond, an extrapolation.

    >>> best = compute_optimal(flop=5.76e23, law=LAWS["besiroglu"])
    >>> f"{best.parameters:.3g} parameters, {best.tokens:.3g} tokens"
    '7.22e+10 parameters, 1.33e+12 tokens'
    """
    powers = law.parameter_power + law.token_power
    ratio = law.parameter_power * law.parameter_scale / (law.token_power * law.token_scale)
    parameters = ratio ** (1 / powers) * (flop / 6) ** (law.token_power / powers)
    tokens = flop / 6 / parameters
    return ComputeOptimal(
        law=law.name,
        parameters=parameters,
        tokens=tokens,
        loss=law.loss(parameters=parameters, tokens=tokens),
        source=law.source,
    )
