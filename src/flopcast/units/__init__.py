"""Words <-> numbers: everything people type, and how figures are shown.

Belongs here: reading and showing numbers with units, from nothing but the text. Refuses what is ambiguous.
Does not: what a name means (chips, networks, offers), which needs facts and lives in `ask`.
"""

from flopcast.units.amounts import (
    FlopRateWords,
    parse_bytes,
    parse_bytes_per_s,
    parse_carbon_intensity,
    parse_energy,
    parse_flop,
    parse_flop_per_s,
    parse_flop_rate,
    parse_power,
)
from flopcast.units.batches import BatchWords, parse_batch
from flopcast.units.machines import ClusterWords, parse_cluster_words
from flopcast.units.numbers import (
    ParameterWords,
    parse_count,
    parse_fraction,
    parse_number,
    parse_parameters,
    parse_positive_int,
    parse_seq_len,
    parse_tokens,
)
from flopcast.units.prices import MoneyWords, PriceWords, parse_money, parse_price
from flopcast.units.show import (
    show_bytes,
    show_count,
    show_duration,
    show_energy,
    show_flop,
    show_flop_per_s,
    show_fraction,
    show_hours,
    show_money,
    show_money_short,
    show_number,
    show_price,
)
from flopcast.units.times import Measurement, parse_duration, parse_measurement

__all__ = [
    "BatchWords",
    "ClusterWords",
    "FlopRateWords",
    "Measurement",
    "MoneyWords",
    "ParameterWords",
    "PriceWords",
    "parse_batch",
    "parse_bytes",
    "parse_bytes_per_s",
    "parse_carbon_intensity",
    "parse_cluster_words",
    "parse_count",
    "parse_duration",
    "parse_energy",
    "parse_flop",
    "parse_flop_per_s",
    "parse_flop_rate",
    "parse_fraction",
    "parse_measurement",
    "parse_money",
    "parse_number",
    "parse_parameters",
    "parse_positive_int",
    "parse_power",
    "parse_price",
    "parse_seq_len",
    "parse_tokens",
    "show_bytes",
    "show_count",
    "show_duration",
    "show_energy",
    "show_flop",
    "show_flop_per_s",
    "show_fraction",
    "show_hours",
    "show_money",
    "show_money_short",
    "show_number",
    "show_price",
]
