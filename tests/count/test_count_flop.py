"""FLOP of a token: hand-worked numbers, published conventions, limits, properties."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast.count import ATTENTIONS, attention_flop, bare_network, flop_per_token, network_from_config, parameters
from flopcast.describe.network import AttentionScores, Network
from flopcast.errors import BadInput

TINY_LLAMA = {
    "model_type": "llama",
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 22,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
}
GPT_NEOX_20B_LIKE = {
    "model_type": "gpt2",
    "n_layer": 44,
    "n_embd": 6144,
    "n_head": 64,
    "vocab_size": 51200,
    "n_positions": 2048,
}
FALCON_40B = {
    "model_type": "falcon",
    "hidden_size": 8192,
    "num_hidden_layers": 60,
    "num_attention_heads": 128,
    "num_kv_heads": 8,
    "new_decoder_architecture": True,
}
T5_3B = {"model_type": "t5", "d_model": 1024, "d_kv": 128, "d_ff": 16384, "num_layers": 24, "num_heads": 32}


def network(config: dict[str, Any], **more: Any) -> Network:
    return network_from_config({**config, **more}, name="network")


def test_tiny_gpt_by_hand() -> None:
    # one layer, hidden 8, 2 heads of 4, MLP 32, vocabulary 10; 5 tokens
    gpt = network({"model_type": "gpt2", "n_embd": 8, "n_layer": 1, "n_head": 2, "vocab_size": 10, "n_positions": 16})
    flop = flop_per_token(gpt, 5)
    weights = 4 * 8 * 8 + 2 * 8 * 32 + 10 * 8
    scores = 2 * 2 * (4 + 4) * 5
    assert flop.forward == 2 * weights + scores
    assert flop.exact["full_attention"] == 3 * flop.forward
    assert flop.exact["causal_attention"] == 6 * weights + 3 * scores / 2
    assert sum(flop.by_part.values()) == flop.forward


def test_three_conventions_of_one_run() -> None:  # M017: 24,000 tokens/s on an A100 of 312 TFLOP/s
    training = flop_per_token(network(TINY_LLAMA), 2048).training
    mfu = {name: (flop or 0) * 24000 / 312e12 for name, flop in training.items()}
    assert mfu == pytest.approx({"6n": 0.508, "causal_attention": 0.550, "full_attention": 0.593}, rel=2e-3)


def test_logits_are_not_computed_again() -> None:  # F004
    flop = flop_per_token(network(GPT_NEOX_20B_LIKE), 2048, recompute="full")
    assert (flop.exact["full_attention"] or 0) * 300e9 == pytest.approx(3.844e22, rel=1e-3)
    assert (flop.training["full_attention"] or 0) * 300e9 == pytest.approx(3.844e22, rel=1e-3)
    assert (flop.hardware["full_attention"] or 0) * 300e9 == pytest.approx(5.106e22, rel=1e-3)


def test_recompute_of_attention_alone() -> None:
    gpt = network(GPT_NEOX_20B_LIKE)
    none, some = flop_per_token(gpt, 2048), flop_per_token(gpt, 2048, recompute="selective")
    scores = sum(flop for name, flop in none.by_part.items() if "scores" in name)
    assert (some.hardware["full_attention"] or 0) - (none.hardware["full_attention"] or 0) == pytest.approx(scores)
    assert none.hardware == none.exact
    assert some.training == none.training


def test_mixture_counts_active_experts() -> None:  # F008
    assert flop_per_token(network({"model_type": "mixtral"}), 4096).training["6n"] == pytest.approx(7.728e10, rel=1e-3)


@pytest.mark.parametrize(
    ("total", "active", "tokens", "expected"),
    [(175e9, None, 300e9, 3.15e23), (405.85e9, None, 15.6e12, 3.8e25), (671e9, 37e9, 14.8e12, 3.286e24)],
)  # F001, F002, F009
def test_stated_parameters(total: float, active: float | None, tokens: float, expected: float) -> None:
    flop = flop_per_token(bare_network(total, active, name="stated"))
    assert (flop.training["6n"] or 0) * tokens == pytest.approx(expected, rel=0.01)
    assert [flop.training[kind] for kind in ATTENTIONS] == [None, None]
    assert flop.notes


def test_frozen_base_skips_weight_gradients() -> None:  # F012: 708.8 TFLOP measured for two sequences of 2,048
    frozen = flop_per_token(network(FALCON_40B), 2048, trainable="adapters")
    assert (frozen.exact["full_attention"] or 0) * 4096 == pytest.approx(708.8e12, rel=0.05)
    whole = flop_per_token(network(FALCON_40B), 2048)
    assert 0.66 < (frozen.exact["full_attention"] or 0) / (whole.exact["full_attention"] or 1) < 0.70


def test_adapters_cost_what_they_train() -> None:
    llama = network({"model_type": "llama"})
    without = flop_per_token(llama, 512, trainable="adapters").exact["full_attention"] or 0
    with_them = flop_per_token(llama, 512, trainable="adapters", adapter_parameters=1e7).exact["full_attention"] or 0
    assert with_them - without == pytest.approx(6e7)


def test_a_token_passes_one_stack_of_an_encoder_decoder() -> None:  # F016
    t5 = network(T5_3B)
    assert t5.parameters_total == pytest.approx(2.85e9, rel=0.01)
    flop = (flop_per_token(t5, 512).training["6n"] or 0) * 1e12
    assert flop == pytest.approx(8.6e21, rel=0.15)
    assert flop_per_token(t5, 512, decoder_seq_len=114).tokens == {"encoder": 512, "decoder": 114, "text": 626}


def test_bidirectional_attention_is_not_halved() -> None:  # F017
    flop = flop_per_token(network({"model_type": "bert"}), 512)
    assert flop.training["full_attention"] == flop.training["causal_attention"]


def test_vit_on_197_tokens() -> None:  # 17.6 GMAC an image, published with the paper's ViT-B/16
    flop = flop_per_token(network({"model_type": "vit"}))
    assert flop.tokens_counted == 197
    assert flop.forward * flop.tokens_counted / 2 == pytest.approx(17.6e9, rel=0.01)


def test_patches_cost_nothing_until_there_are_some() -> None:
    llava = network({"model_type": "llava"})
    text, seen = flop_per_token(llava, 2048), flop_per_token(llava, 2048, tokens={"image": 577, "pooled": 1})
    assert any("image" in note for note in text.notes)
    assert seen.forward > text.forward
    assert (text.training["6n"] or 0) < 6 * llava.parameters_active


def test_window_limits_the_keys() -> None:  # F014
    mistral = {"model_type": "mistral", "num_hidden_layers": 4}
    near = flop_per_token(network(mistral, sliding_window=4096), 32768)
    at_4096 = flop_per_token(network(mistral, sliding_window=None), 4096)
    assert near.forward == at_4096.forward
    far = flop_per_token(network(mistral, sliding_window=None), 32768)
    assert (far.forward - at_4096.forward) == pytest.approx(7 * (at_4096.by_part["attention scores"]))


def test_causal_half_and_its_limits() -> None:
    full = AttentionScores(name="", copies=1, heads=2, qk_head_dim=3, v_head_dim=5, causal=True)
    assert attention_flop(full, context=10) == 2 * 2 * 8 * 10
    assert attention_flop(full, context=10, half=True) == 2 * 2 * 8 * 5
    narrow = replace(full, window_tokens=1)
    assert attention_flop(narrow, context=1e9, half=True) == pytest.approx(attention_flop(narrow, context=1e9))
    wide = replace(full, window_tokens=10)
    assert attention_flop(wide, context=10, half=True) == attention_flop(full, context=10, half=True)


def test_long_context_makes_the_convention_matter() -> None:  # F007
    flop = flop_per_token(network(TINY_LLAMA), 65536)
    assert (flop.training["full_attention"] or 0) / (flop.training["causal_attention"] or 1) > 1.5


def test_mamba_costs_the_same_at_any_length() -> None:
    mamba = network({"model_type": "mamba"})
    assert flop_per_token(mamba, 128).forward == flop_per_token(mamba, 1_000_000).forward


SIZES = st.fixed_dictionaries(
    {
        "num_hidden_layers": st.integers(1, 50),
        "hidden_size": st.integers(1, 64).map(lambda value: 64 * value),
        "intermediate_size": st.integers(1, 20000),
        "vocab_size": st.integers(1, 300000),
        "sliding_window": st.none() | st.integers(1, 100000),
        "num_attention_heads": st.just(8),
        "num_key_value_heads": st.sampled_from([1, 2, 4, 8]),
    }
)


@given(SIZES, st.integers(1, 200_000), st.sampled_from(["num_hidden_layers", "intermediate_size", "vocab_size"]))
def test_more_of_anything_is_never_less(sizes: dict[str, Any], seq_len: int, grown: str) -> None:
    small = network({"model_type": "mistral", **sizes})
    large = network({"model_type": "mistral", **sizes, grown: sizes[grown] + 1})
    assert parameters(large).total > parameters(small).total
    assert flop_per_token(large, seq_len).forward > flop_per_token(small, seq_len).forward


@given(SIZES, st.integers(1, 200_000), st.sampled_from(["none", "selective", "full"]))
def test_conventions_are_in_order(sizes: dict[str, Any], seq_len: int, recompute: Any) -> None:
    flop = flop_per_token(network({"model_type": "mistral", **sizes}), seq_len, recompute=recompute)
    six_n, full, causal = (flop.training[name] or 0 for name in ("6n", "full_attention", "causal_attention"))
    assert six_n < causal <= full
    assert (flop.hardware["full_attention"] or 0) >= (flop.exact["full_attention"] or 0)
    longer = flop_per_token(network({"model_type": "mistral", **sizes}), 2 * seq_len)
    assert longer.forward >= flop.forward


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({}, "seq_len"),
        ({"seq_len": 0}, "seq_len"),
        ({"seq_len": True}, "seq_len"),
        ({"seq_len": float("nan")}, "seq_len"),
        ({"seq_len": 8, "recompute": "half"}, "recompute"),
        ({"seq_len": 8, "trainable": "some"}, "trainable"),
        ({"seq_len": 8, "adapter_parameters": -1}, "adapter_parameters"),
    ],
)
def test_refusals(arguments: dict[str, Any], where: str) -> None:
    with pytest.raises(BadInput) as refused:
        flop_per_token(network(TINY_LLAMA), **arguments)
    assert [problem.where for problem in refused.value.problems] == [where]
