"""COUNT. Parameters, FLOP and bytes of a network, exact.

Belongs here: reading a published configuration into a Network, part by part; parameters by each way of counting; FLOP
of a token by each convention. Standard library only, milliseconds.
Does not: time, memory and communication of a training step (step/), catalogues of networks (facts/), finding and
opening a configuration file (ask/).
"""

from flopcast.count.flop import (
    ATTENTIONS,
    CONVENTIONS,
    RECOMPUTES,
    FlopPerToken,
    attention_flop,
    flop_per_token,
    stream_tokens,
)
from flopcast.count.foreign import by_transformers, can_build
from flopcast.count.networks import bare_network, network_from_config
from flopcast.count.parameters import BYTES_OF_DTYPE, ParameterCount, has_tied_head, parameters, weights_bytes

__all__ = [
    "ATTENTIONS",
    "BYTES_OF_DTYPE",
    "CONVENTIONS",
    "RECOMPUTES",
    "FlopPerToken",
    "ParameterCount",
    "attention_flop",
    "bare_network",
    "by_transformers",
    "can_build",
    "flop_per_token",
    "has_tied_head",
    "network_from_config",
    "parameters",
    "stream_tokens",
    "weights_bytes",
]
