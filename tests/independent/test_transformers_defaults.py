"""The defaults of each family are those of the configuration classes of transformers."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from flopcast.count import by_transformers, flop_per_token, network_from_config, parameters
from flopcast.count.families.defaults import all_defaults
from flopcast.errors import BadInput

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]
OURS = {"dit", "kimi_k2", "llava_vision"}  # no class of their own there
TINY = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 128,
    "tie_word_embeddings": True,
}


def plain_default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        value = field.default
    elif field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    else:
        return dataclasses.MISSING
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("family", sorted(set(all_defaults()) - OURS))
def test_defaults_are_those_of_transformers(family: str) -> None:
    fields = {field.name: field for field in dataclasses.fields(transformers.CONFIG_MAPPING[family])}
    ours = {name: value for name, value in all_defaults()[family].items() if name in fields}
    assert ours == {name: plain_default(fields[name]) for name in ours}


def test_an_unknown_family_is_built_by_transformers() -> None:
    config = {**TINY, "model_type": "stablelm", "num_key_value_heads": 4, "tie_word_embeddings": False}
    network = network_from_config(config, name="foreign")
    made = transformers.AutoConfig.for_model(**config)
    model = transformers.AutoModelForCausalLM.from_config(made)
    assert network.parameters_total == sum(weight.numel() for weight in model.parameters())
    assert parameters(network).embedding == 128 * 64
    flop = flop_per_token(network, 128)
    assert flop.training["6n"] == 6 * network.parameters_active
    assert flop.training["full_attention"] is None


def test_a_known_family_built_by_transformers_is_counted_the_same() -> None:
    built, counted = by_transformers(TINY, name="built"), network_from_config(TINY, name="counted")
    assert built.parameters_total == counted.parameters_total
    assert sum(part.copies * part.matmul_weights for part in built.parts) == sum(
        part.copies * part.matmul_weights for part in counted.parts
    )


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"model_type": "resnet"}, "a transformer: the work of a convolution depends on the size of its input"),
        ({"model_type": "granite", "num_hidden_layers": "many"}, "a configuration that transformers can build"),
    ],
)
def test_what_cannot_be_built_is_refused(config: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        network_from_config(config, name="refused")
