"""From a configuration, or from a bare size, to a Network."""

from __future__ import annotations

from collections.abc import Mapping

from flopcast.count.blocks import merged
from flopcast.count.families.defaults import defaults_of
from flopcast.count.families.registry import FAMILIES
from flopcast.count.fields import Fields, Log
from flopcast.count.foreign import INSTALL_HINT, by_transformers, can_build
from flopcast.describe.network import Network
from flopcast.errors import BadInput, Problem, unknown_name

MOST_STATED = 1e18


def network_from_config(config: Mapping[str, object], *, name: str) -> Network:
    """Count the network that a configuration (`config.json` as a mapping) describes, to the last parameter.

    Parameters: config, as published, nested ones included; name, of the network in answers.
    Returns the network, part by part, its `notes` listing every default that stood in for an absent field.
    Raises BadInput with all mistakes of the configuration at once. A `model_type` that is not known here is counted by
    transformers if that is installed (extra `torch`, seconds), else refused with the nearest known types.

    >>> tiny = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 128,
    ...         "num_hidden_layers": 2, "vocab_size": 1000, "num_key_value_heads": 2, "max_position_embeddings": 256}
    >>> network_from_config(tiny, name="tiny").parameters_total
    202048
    """
    family = _family_of(config)
    if family not in FAMILIES:
        return by_transformers(config, name=name)
    log = Log()
    draft = FAMILIES[family](Fields(config, defaults_of(family), log=log))
    log.check()
    block = merged(draft.block)
    taken = tuple(f"{where} = {value} (default of {family})" for where, value in log.defaults.items())
    return Network(
        name=name,
        family=family,
        parts=block.parts,
        scores=block.scores,
        scans=block.scans,
        shape=draft.shape,
        max_seq_len=draft.max_seq_len,
        inputs_per_sample=draft.inputs_per_sample,
        notes=(*log.slips(), *dict.fromkeys(log.notes), *taken),
    )


def _family_of(config: Mapping[str, object]) -> str:
    if not isinstance(config, Mapping):
        raise BadInput(Problem(where="config", given=type(config).__name__, allowed="a mapping of fields to values"))
    given = config.get("model_type")
    if given is None:
        raise BadInput(
            Problem(where="config.model_type", given="absent", allowed="a known model type", hint="add model_type")
        )
    if not isinstance(given, str) or not (given in FAMILIES or can_build(given)):
        raise unknown_name(
            where="config.model_type",
            given=str(given)[:60],
            kind="model type",
            known=sorted(FAMILIES),
            hint=INSTALL_HINT,
        )
    return given


def bare_network(total: float, active: float | None = None, *, name: str) -> Network:
    """A network of which only the parameters are known: "405B", "30B-A3B".

    Parameters: total and active parameters; active None means that a token uses all.

    >>> bare_network(30e9, 3e9, name="30B-A3B").parameters_active
    3000000000.0
    """
    problems = []
    for field, value in (("parameters", total), ("active parameters", active)):
        whole = value is None or (not isinstance(value, bool) and isinstance(value, (int, float)))
        if not whole or (value is not None and not 1 <= value <= MOST_STATED):
            problems.append(Problem(where=field, given=str(value), allowed=f"a number from 1 to {MOST_STATED:g}"))
    if not problems and active is not None and active > total:
        problems.append(
            Problem(where="active parameters", given=f"{active:g}", allowed=f"at most the total ({total:g})")
        )
    if problems:
        raise BadInput(*problems)
    return Network(
        name=name, family="stated", stated_parameters=float(total), stated_active_parameters=active and float(active)
    )
