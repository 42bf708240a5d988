"""Configurations are untrusted: every mistake is told, all at once, and nothing else comes out than a count or BadInput."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flopcast import facts
from flopcast.count import bare_network, flop_per_token, network_from_config
from flopcast.count.families.defaults import all_defaults
from flopcast.count.families.registry import FAMILIES
from flopcast.errors import BadInput

KEYS = [*sorted({key for fields in all_defaults().values() for key in fields}), "text_config", "vision_config"]


UNFIT = {
    "dit": "config.patch_size",
    "deepseek_v2": "config.num_experts_per_tok",
    "glm4_moe": "config.num_attention_heads",
    "qwen2_vl": "config.vision_config.hidden_size",
    "qwen2_5_vl": "config.vision_config.out_hidden_size",
    "qwen3_vl": "config.vision_config.out_hidden_size",
    "qwen3_vl_moe": "config.vision_config.out_hidden_size",
}


def problems(config: Any) -> dict[str, str]:
    with pytest.raises(BadInput) as refused:
        network_from_config(config, name="bad")
    return {problem.where: problem.allowed for problem in refused.value.problems}


def test_all_problems_come_at_once() -> None:
    found = problems(
        {
            "model_type": "mixtral",
            "hidden_size": "4096",
            "num_hidden_layers": True,
            "vocab_size": -1,
            "num_key_value_heads": 5,
            "num_experts_per_tok": 9,
        }
    )
    assert set(found) == {
        "config.hidden_size",
        "config.num_hidden_layers",
        "config.vocab_size",
        "config.num_key_value_heads",
        "config.num_experts_per_tok",
    }


@pytest.mark.parametrize(
    ("config", "where"),
    [
        ({"model_type": "llama", "num_attention_heads": 30}, "config.num_attention_heads"),
        ({"model_type": "llama", "hidden_size": 4096.0}, "config.hidden_size"),
        ({"model_type": "llama", "hidden_size": 10**30}, "config.hidden_size"),
        ({"model_type": "llama", "hidden_size": None}, "config.hidden_size"),
        ({"model_type": "llama", "tie_word_embeddings": "no"}, "config.tie_word_embeddings"),
        ({"model_type": "llama", "num_hidden_layers": 10**9}, "config.num_hidden_layers"),
        ({"model_type": "gpt2", "n_embd": 768, "hidden_size": 512}, "config.hidden_size"),
        ({"model_type": "gemma2", "layer_types": ["full_attention"]}, "config.layer_types"),
        ({"model_type": "gemma2", "num_hidden_layers": 1, "layer_types": ["round"]}, "config.layer_types"),
        ({"model_type": "gpt_oss", "sliding_window": None}, "config.sliding_window"),
        ({"model_type": "deepseek_v3", "first_k_dense_replace": 99}, "config.first_k_dense_replace"),
        ({"model_type": "deepseek_v2"}, "config.num_experts_per_tok"),
        ({"model_type": "mamba2", "num_heads": 7}, "config.num_heads"),
        ({"model_type": "nemotron_h", "hybrid_override_pattern": "MX"}, "config.hybrid_override_pattern"),
        ({"model_type": "qwen3_vl", "text_config": []}, "config.text_config"),
        ({"model_type": "clip", "text_config": {"hidden_size": 0}}, "config.text_config.hidden_size"),
        ({"model_type": "gemma4", "audio_config": {}}, "config.audio_config"),
        ({"model_type": "mpt", "attn_config": {"alibi": False}}, "config.attn_config.alibi"),
        ({"model_type": "t5", "feed_forward_proj": "gated-gelu-new"}, "config.feed_forward_proj"),
        ({"model_type": "vit", "patch_size": 512}, "config.patch_size"),
        ({"model_type": "dit", "sample_size": 32}, "config.patch_size"),
        ({"model_type": "lama"}, "config.model_type"),
        ({"hidden_size": 4096}, "config.model_type"),
        ({"model_type": 7}, "config.model_type"),
        ({"model_type": ["llama"]}, "config.model_type"),
        ("llama", "config"),
    ],
)
def test_problem(config: Any, where: str) -> None:
    assert where in problems(config)


def test_unknown_type_gets_near_matches_and_the_extra_that_helps() -> None:
    with pytest.raises(BadInput) as refused:
        network_from_config({"model_type": "lama"}, name="typo")
    hint = refused.value.problems[0].hint
    assert "`llama`" in hint
    assert "flopcast[torch]" in hint


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_defaults_alone_are_counted_unless_they_do_not_fit_together(family: str) -> None:
    if family in UNFIT:
        assert UNFIT[family] in problems({"model_type": family})
    else:
        assert network_from_config({"model_type": family}, name=family).parameters_total > 0


WRONG = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(-1, 5) | st.text(max_size=3), max_size=4),
    st.dictionaries(st.sampled_from(KEYS), st.integers(-1, 9), max_size=3),
)
NESTED = st.dictionaries(st.sampled_from(KEYS), WRONG, max_size=5)
CONFIGS = st.builds(
    lambda family, fields, nested: {**fields, **nested, "model_type": family},
    st.sampled_from(sorted(FAMILIES)),
    st.dictionaries(st.sampled_from(KEYS), WRONG, max_size=8),
    st.dictionaries(st.sampled_from(["text_config", "vision_config"]), NESTED | WRONG, max_size=2),
)


@settings(max_examples=1500, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CONFIGS)
def test_any_configuration_is_counted_or_refused(config: dict[str, Any]) -> None:
    try:
        network = network_from_config(config, name="drawn")
    except BadInput as refused:
        assert refused.problems
        return
    assert all(part.parameters >= 0 and part.matmul_weights >= 0 and part.copies >= 1 for part in network.parts)
    assert network.parameters_total > 0
    assert flop_per_token(network, 64).forward > 0


@pytest.mark.parametrize(
    ("total", "active"), [(0, None), (-1, None), (float("nan"), None), (True, None), (1e9, 2e9), (1e9, 0), (1e30, None)]
)
def test_bare_network_refuses(total: float, active: float | None) -> None:
    with pytest.raises(BadInput):
        bare_network(total, active, name="bad")


def test_a_misspelt_field_is_named() -> None:
    """What is not read and looks like a field that was missed is said, with what was taken in its place."""
    network = network_from_config({"model_type": "llama", "num_hidden_layer": 80, "num_key_value_head": 8}, name="slip")
    slips = [note for note in network.notes if "is not read" in note]
    assert slips == [
        "config.num_hidden_layer is not read: did you mean num_hidden_layers, taken as 32?",
        "config.num_key_value_head is not read: did you mean num_key_value_heads, taken as 32 (as many as heads)?",
    ]


def test_no_field_of_a_published_network_is_called_a_slip() -> None:
    for entry in facts.networks().values():
        assert not [note for note in network_from_config(entry.config, name="x").notes if "is not read" in note], (
            entry.name
        )
