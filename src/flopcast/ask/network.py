"""MODEL as typed -> `Network`: a parameter count, a catalogue name, or a config.json."""

from __future__ import annotations

import re
from pathlib import Path

from flopcast import count, facts
from flopcast.ask.config_file import load_config
from flopcast.describe import Assumption, Network
from flopcast.units import parse_parameters, show_count
from flopcast.units.numbers import clean, fail


def read_network(text: str, *, where: str = "model") -> tuple[Network, tuple[Assumption, ...]]:
    """The network that `text` names, and what had to be assumed to say so."""
    given = clean(text, where)
    if _is_path(given):
        config = load_config(given, where=where)
        path = Path(given)
        name = path.parent.name if path.name == "config.json" and path.parent.name else path.stem
        network = count.network_from_config(config, name=name or "config.json")
        if network.parameters_active <= 0:
            raise fail(where, given, "a network with parameters that a token passes", "all of its sizes are zero")
        return network, _from_notes(network)
    if re.match(r"\d+\s*x\s*\d", given):
        return _experts_name(given, where)
    if re.match(r"[\d.+-]", given):
        words = parse_parameters(given, where=where)
        return count.bare_network(words.total, words.active, name=given), ()
    entry, assumed = facts.find_network(given, where=where)
    network = count.network_from_config(entry.config, name=entry.name)
    said = tuple(
        Assumption(name="network", value=entry.name, unit="", source=entry.source, effect=text) for text in assumed
    )
    return network, said + _from_notes(network)


def _is_path(given: str) -> bool:
    if given.endswith(".json") or given.startswith(("./", "../", "/", "~")):
        return True
    try:
        return Path(given).is_dir()
    except (OSError, ValueError):
        return False


def _experts_name(given: str, where: str) -> tuple[Network, tuple[Assumption, ...]]:
    """`8x7b` says neither total nor active parameters; it stands for the published network of that name."""
    words = parse_parameters(given, where=where)
    number, size = words.experts_of or (0, 0.0)
    name = f"mixtral-{number}x{show_count(size).lower()}"
    if name not in {entry.name for entry in facts.networks().values()}:
        hint = "write total and active parameters, such as `47B-A13B`"
        raise fail(where, given, "a name that says how many parameters there are in total", hint)
    entry = facts.networks()[name]
    network = count.network_from_config(entry.config, name=entry.name)
    effect = f"{number} x {show_count(size)} is not {show_count(words.total)}: attention is shared between experts"
    return network, (Assumption(name="network", value=name, unit="", source=entry.source, effect=effect),)


def _from_notes(network: Network) -> tuple[Assumption, ...]:
    return tuple(
        Assumption(name="config", value=note, unit="", source=f"{network.family} family default", effect="")
        for note in network.notes
    )


def padded_vocab(vocab: int, *, multiple: int, tp: int) -> int:
    """Vocabulary padded so that each of `tp` ranks holds a multiple of `multiple` rows, as Megatron does.

    >>> padded_vocab(50257, multiple=128, tp=8), padded_vocab(151936, multiple=1, tp=2)
    (51200, 151936)
    """
    unit = multiple * tp
    return -(-vocab // unit) * unit
