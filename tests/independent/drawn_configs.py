"""Small random configurations of every family, for comparison with what transformers builds from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]
Config = dict[str, Any]
CAUSAL, IMAGE_TEXT, SEQ2SEQ, MASKED, BASE = (
    "AutoModelForCausalLM",
    "AutoModelForImageTextToText",
    "AutoModelForSeq2SeqLM",
    "AutoModelForMaskedLM",
    "AutoModel",
)
FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """How to draw a family: model type, the class that builds it, the fields, and which FLOP can be compared.

    flop: "all" products; "weights", only products with weights, where the reference computes a recurrence or sparse
    attention by dense products that are not the model's work; "" where the forward pass needs real images or sounds.
    """

    model_type: str
    build: str
    fields: Callable[[Draw], Config]
    flop: str = "all"
    name: str = ""


def width(draw: Draw, low: int = 1, high: int = 6, step: int = 8) -> int:
    return step * int(draw(st.integers(low, high)))


def core(draw: Draw, *, head_dim: bool = False, grouped: bool = True, layers: int = 3) -> Config:
    """Sizes that most decoders share; with head_dim, one that heads do not fill the hidden size with."""
    kv_heads = draw(st.integers(1, 3))
    heads = kv_heads * draw(st.integers(1, 3)) if grouped else draw(st.integers(1, 6))
    config = {
        "vocab_size": draw(st.integers(40, 200)),
        "hidden_size": heads * width(draw),
        "intermediate_size": draw(st.integers(8, 90)),
        "num_hidden_layers": draw(st.integers(1, layers)),
        "num_attention_heads": heads,
        "max_position_embeddings": 128,
        "tie_word_embeddings": draw(st.booleans()),
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    if grouped:
        config["num_key_value_heads"] = kv_heads
    if head_dim:
        config["head_dim"] = width(draw, 1, 4)
    return config


def plain(*flags: str, head_dim: bool = False, grouped: bool = True, **fixed: Any) -> Callable[[Draw], Config]:
    """Core sizes with these flags drawn."""

    def fields(draw: Draw) -> Config:
        drawn = {flag: draw(st.booleans()) for flag in flags}
        return {**core(draw, head_dim=head_dim, grouped=grouped), **drawn, **fixed}

    return fields


def renamed(fields: Callable[[Draw], Config], **names: str) -> Callable[[Draw], Config]:
    """The same fields under a family's own names; a field renamed to "" is left out."""

    def inner(draw: Draw) -> Config:
        config = fields(draw)
        for old, new in names.items():
            value = config.pop(old)
            if new:
                config[new] = value
        return config

    return inner


def windowed(*flags: str, head_dim: bool = False, every: bool = True) -> Callable[[Draw], Config]:
    """Core sizes with windows, listed by layer or left to the family's rule."""

    def fields(draw: Draw) -> Config:
        config = plain(*flags, head_dim=head_dim)(draw)
        config["sliding_window"] = draw(st.integers(4, 64))
        if every and draw(st.booleans()):
            layers = config["num_hidden_layers"]
            config["layer_types"] = draw(st.lists(st.sampled_from([FULL, SLIDING]), min_size=layers, max_size=layers))
        return config

    return fields


def expert_counts(draw: Draw, count: str, chosen: str = "num_experts_per_tok", fewest: int = 1) -> Config:
    experts = draw(st.integers(fewest, 5))
    return {count: experts, chosen: draw(st.integers(1, experts))}


def mixture(count: str, *flags: str, head_dim: bool = False, **fixed: Any) -> Callable[[Draw], Config]:
    return lambda draw: {**plain(*flags, head_dim=head_dim, **fixed)(draw), **expert_counts(draw, count)}


def qwen_mixture(*flags: str, head_dim: bool = False, shared: bool = False) -> Callable[[Draw], Config]:
    def fields(draw: Draw) -> Config:
        config = mixture("num_experts", *flags, head_dim=head_dim)(draw)
        config["moe_intermediate_size"] = draw(st.integers(4, 40))
        config["decoder_sparse_step"] = draw(st.integers(1, 2))
        config["mlp_only_layers"] = draw(st.lists(st.integers(0, 2), unique=True, max_size=1))
        if shared:
            config["shared_expert_intermediate_size"] = draw(st.integers(4, 40))
        return config

    return fields


def deepseek(*flags: str, layers: int = 3, low_rank: bool = False) -> Callable[[Draw], Config]:
    """Latent attention, leading dense layers, shared experts; low_rank: the query is always low-rank."""

    def fields(draw: Draw) -> Config:
        config = plain(*flags, grouped=False)(draw)
        experts = draw(st.integers(2, 5))
        return {
            **config,
            "num_key_value_heads": config["num_attention_heads"],
            "num_hidden_layers": draw(st.integers(1, layers)),
            "q_lora_rank": draw(st.integers(4, 20) if low_rank else st.none() | st.integers(4, 20)),
            "kv_lora_rank": 2 * draw(st.integers(2, 10)),
            "qk_nope_head_dim": width(draw, 1, 3, 4),
            "qk_rope_head_dim": width(draw, 1, 3, 4),
            "v_head_dim": draw(st.integers(2, 12)),
            "n_routed_experts": experts,
            "n_shared_experts": draw(st.integers(1, 2)),
            "num_experts_per_tok": draw(st.integers(1, experts)),
            "moe_intermediate_size": draw(st.integers(4, 30)),
            "first_k_dense_replace": draw(st.integers(0, 1)),
            "n_group": 1,
            "topk_group": 1,
        }

    return fields


def glm_dsa(draw: Draw) -> Config:
    config = deepseek("attention_bias", low_rank=True)(draw)
    layers = config["num_hidden_layers"]
    kinds = ["full", *draw(st.lists(st.sampled_from(["full", "shared"]), min_size=layers - 1, max_size=layers - 1))]
    config |= {"index_n_heads": draw(st.integers(1, 4)), "index_head_dim": 8 + config["qk_rope_head_dim"]}
    config |= {"index_topk": 64, "tie_word_embeddings": False}
    if draw(st.booleans()):
        config["indexer_types"] = kinds
    if draw(st.booleans()):
        config["mlp_layer_types"] = draw(
            st.lists(st.sampled_from(["dense", "sparse"]), min_size=layers, max_size=layers)
        )
    return config


def gpt2(draw: Draw) -> Config:
    heads = draw(st.integers(1, 6))
    return {
        "vocab_size": draw(st.integers(40, 200)),
        "n_embd": heads * width(draw),
        "n_layer": draw(st.integers(1, 3)),
        "n_head": heads,
        "n_positions": draw(st.integers(32, 64)),
        "n_inner": draw(st.none() | st.integers(8, 80)),
        "bos_token_id": 1,
        "eos_token_id": 2,
    }


def gptj(draw: Draw) -> Config:
    return {**gpt2(draw), "rotary_dim": 4}


def falcon(draw: Draw) -> Config:
    config = core(draw)
    kv_heads = config.pop("num_key_value_heads")
    config.pop("intermediate_size")
    grouped = draw(st.booleans())
    drawn = {
        "new_decoder_architecture": grouped,
        "multi_query": draw(st.booleans()),
        "parallel_attn": grouped or draw(st.booleans()),
        "bias": draw(st.booleans()),
        "alibi": False,
        "ffn_hidden_size": draw(st.none() | st.integers(8, 80)),
        "num_ln_in_parallel_attn": draw(st.none() | st.integers(1, 2)) if grouped else None,
    }
    return {**config, **drawn, **({"num_kv_heads": kv_heads} if grouped else {})}


def opt(draw: Draw) -> Config:
    config = core(draw, grouped=False)
    return {
        **config,
        "ffn_dim": config.pop("intermediate_size"),
        "word_embed_proj_dim": draw(st.sampled_from([config["hidden_size"], 24])),
        "enable_bias": draw(st.booleans()),
        "layer_norm_elementwise_affine": draw(st.booleans()),
        "do_layer_norm_before": draw(st.booleans()),
    }


def gemma4_text(draw: Draw) -> Config:
    config = core(draw, head_dim=True, layers=6)
    layers, kv_heads = config["num_hidden_layers"], config["num_key_value_heads"]
    moe = draw(st.booleans())
    config |= {
        "global_head_dim": width(draw, 1, 4),
        "num_global_key_value_heads": draw(st.none() | st.just(kv_heads)),
        "attention_k_eq_v": draw(st.booleans()),
        "hidden_size_per_layer_input": draw(st.sampled_from([0, 8])),
        "vocab_size_per_layer_input": draw(st.integers(200, 220)),
        "sliding_window": 16,
        "enable_moe_block": moe,
        "tie_word_embeddings": True,
    }
    if moe:
        config |= {**expert_counts(draw, "num_experts", "top_k_experts"), "moe_intermediate_size": 12}
    if layers == 6 and draw(st.booleans()):
        config["layer_types"] = [SLIDING, FULL, SLIDING, FULL, SLIDING, FULL]
        config["num_kv_shared_layers"] = draw(st.integers(0, 4)) if config["hidden_size_per_layer_input"] else 0
        config["use_double_wide_mlp"] = draw(st.booleans())
    return config


def qwen_linear(*, moe: bool = False, step: bool = False) -> Callable[[Draw], Config]:
    def fields(draw: Draw) -> Config:
        config = core(draw, head_dim=True, layers=4)
        keys = draw(st.integers(1, 3))
        config |= {
            "attention_bias": draw(st.booleans()),
            "linear_num_key_heads": keys,
            "linear_num_value_heads": keys * draw(st.integers(1, 2)),
            "linear_key_head_dim": draw(st.integers(3, 9)),
            "linear_value_head_dim": draw(st.integers(3, 9)),
            "linear_conv_kernel_dim": draw(st.integers(2, 5)),
        }
        if draw(st.booleans()):
            layers = config["num_hidden_layers"]
            config["layer_types"] = draw(st.lists(st.sampled_from([FULL, LINEAR]), min_size=layers, max_size=layers))
        if moe:
            config |= {**expert_counts(draw, "num_experts"), "moe_intermediate_size": draw(st.integers(4, 20))}
            config["shared_expert_intermediate_size"] = draw(st.integers(4, 20))
        if step:
            config["decoder_sparse_step"] = draw(st.integers(1, 2))
        return config

    return fields


def minimax(draw: Draw) -> Config:
    config = mixture("num_local_experts")(draw)
    if draw(st.booleans()):
        layers = config["num_hidden_layers"]
        config["layer_types"] = draw(st.lists(st.sampled_from([FULL, LINEAR]), min_size=layers, max_size=layers))
    return config


def jamba(draw: Draw) -> Config:
    period = draw(st.integers(1, 3))
    expert_period = draw(st.integers(1, 3))
    return {
        **mixture("num_experts", "mamba_conv_bias", "mamba_proj_bias")(draw),
        "num_hidden_layers": draw(st.integers(3, 4)),
        "attn_layer_period": period,
        "attn_layer_offset": draw(st.integers(0, period - 1)),
        "expert_layer_period": expert_period,
        "expert_layer_offset": draw(st.integers(0, expert_period - 1)),
        "mamba_d_state": draw(st.integers(2, 8)),
        "mamba_d_conv": draw(st.integers(2, 4)),
        "mamba_expand": draw(st.integers(1, 3)),
        "mamba_dt_rank": draw(st.just("auto") | st.integers(1, 5)),
        "use_mamba_kernels": False,
    }


def mamba(draw: Draw) -> Config:
    return {
        "vocab_size": draw(st.integers(40, 200)),
        "hidden_size": width(draw),
        "num_hidden_layers": draw(st.integers(1, 3)),
        "state_size": draw(st.integers(2, 8)),
        "expand": draw(st.integers(1, 3)),
        "conv_kernel": draw(st.integers(2, 4)),
        "time_step_rank": draw(st.just("auto") | st.integers(1, 5)),
        "use_bias": draw(st.booleans()),
        "use_conv_bias": draw(st.booleans()),
        "tie_word_embeddings": draw(st.booleans()),
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }


def mamba2(draw: Draw) -> Config:
    groups, expand = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    heads, head_dim = groups * draw(st.integers(1, 3)), 2 * draw(st.integers(1, 6))
    config = mamba(draw)
    return {
        **config,
        "hidden_size": heads * head_dim,
        "expand": expand,
        "num_heads": heads * expand,
        "head_dim": head_dim,
        "n_groups": groups,
        "chunk_size": 8,
    }


def nemotron_h(draw: Draw) -> Config:
    groups = draw(st.integers(1, 2))
    config = core(draw, head_dim=True)
    config.pop("num_hidden_layers")
    return {
        **config,
        "hybrid_override_pattern": draw(st.text("M*-E", min_size=1, max_size=5)),
        "mamba_num_heads": groups * draw(st.integers(1, 4)),
        "mamba_head_dim": draw(st.integers(2, 6)),
        "n_groups": groups,
        "ssm_state_size": draw(st.integers(2, 6)),
        "conv_kernel": draw(st.integers(2, 4)),
        "use_bias": draw(st.booleans()),
        "use_conv_bias": draw(st.booleans()),
        "mlp_bias": draw(st.booleans()),
        **expert_counts(draw, "n_routed_experts", fewest=2),
        "n_group": 1,
        "topk_group": 1,
        "moe_intermediate_size": draw(st.integers(4, 20)),
        "moe_shared_expert_intermediate_size": draw(st.integers(4, 20)),
        "moe_latent_size": draw(st.none() | st.integers(4, 12)),
        "use_mamba_kernels": False,
        "chunk_size": 8,
    }


def t5(draw: Draw) -> Config:
    return {
        "vocab_size": draw(st.integers(40, 200)),
        "d_model": width(draw),
        "d_kv": draw(st.integers(2, 12)),
        "d_ff": draw(st.integers(8, 80)),
        "num_layers": draw(st.integers(1, 3)),
        "num_decoder_layers": draw(st.none() | st.integers(1, 3)),
        "num_heads": draw(st.integers(1, 5)),
        "relative_attention_num_buckets": draw(st.integers(4, 16)),
        "feed_forward_proj": draw(st.sampled_from(["relu", "gated-gelu", "gated-silu"])),
    }


def bert(draw: Draw) -> Config:
    return {**core(draw, grouped=False), "type_vocab_size": draw(st.integers(1, 3)), "tie_word_embeddings": True}


def masked(name: str) -> Callable[[Draw], Config]:
    return lambda draw: {**bert(draw), "architectures": [name]}


def vision(draw: Draw, **fixed: Any) -> Config:
    heads, patch = draw(st.integers(1, 3)), draw(st.integers(2, 6))
    return {
        "hidden_size": heads * width(draw, 1, 3),
        "intermediate_size": draw(st.integers(8, 60)),
        "num_hidden_layers": draw(st.integers(1, 2)),
        "num_attention_heads": heads,
        "patch_size": patch,
        "image_size": patch * draw(st.integers(1, 4)),
        "num_channels": draw(st.integers(1, 3)),
        **fixed,
    }


def vit(draw: Draw) -> Config:
    return {**vision(draw), "qkv_bias": draw(st.booleans())}


def two_towers(**vision_flags: Any) -> Callable[[Draw], Config]:
    def fields(draw: Draw) -> Config:
        text = core(draw, grouped=False)
        text.pop("tie_word_embeddings")
        flags = {key: draw(value) for key, value in vision_flags.items()}
        return {"text_config": text, "vision_config": {**vision(draw), **flags}}

    return fields


def siglip(draw: Draw) -> Config:
    config = two_towers(vision_use_head=st.just(True))(draw)
    config["text_config"]["projection_size"] = config["vision_config"]["hidden_size"]
    return config


def clip(draw: Draw) -> Config:
    return {**two_towers()(draw), "projection_dim": draw(st.integers(2, 20))}


def whisper(draw: Draw) -> Config:
    heads = draw(st.integers(1, 4))
    return {
        "vocab_size": draw(st.integers(40, 200)),
        "d_model": heads * width(draw, 1, 3),
        "encoder_layers": draw(st.integers(1, 2)),
        "decoder_layers": draw(st.integers(1, 2)),
        "encoder_attention_heads": heads,
        "decoder_attention_heads": heads,
        "encoder_ffn_dim": draw(st.integers(8, 60)),
        "decoder_ffn_dim": draw(st.integers(8, 60)),
        "num_mel_bins": draw(st.integers(4, 12)),
        "max_source_positions": draw(st.integers(8, 20)),
        "max_target_positions": draw(st.integers(32, 40)),
        "pad_token_id": 0,
        "decoder_start_token_id": 1,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }


def with_tower(
    text: Callable[[Draw], Config], tower: Callable[[Draw, int], Config], **top: Any
) -> Callable[[Draw], Config]:
    """A text network with a tower that fits its width; tying is said at the top alone."""

    def fields(draw: Draw) -> Config:
        config = text(draw)
        tied = config.pop("tie_word_embeddings", False)
        drawn = {key: draw(value) for key, value in top.items()}
        return {
            "text_config": config,
            "vision_config": tower(draw, config["hidden_size"]),
            "tie_word_embeddings": tied,
            **drawn,
        }

    return fields


def mrope(text: Callable[[Draw], Config]) -> Callable[[Draw], Config]:
    """The text fields with rotary sections that fill half a head."""

    def fields(draw: Draw) -> Config:
        config = text(draw)
        half = config.get("head_dim", config["hidden_size"] // config["num_attention_heads"]) // 2
        sections = [half // 4, half // 4, half - 2 * (half // 4)]
        return {**config, "rope_parameters": {"rope_type": "default", "mrope_section": sections, "rope_theta": 1e4}}

    return fields


def qwen_tower(draw: Draw, out: int, **more: Any) -> Config:
    heads = draw(st.integers(1, 3))
    return {
        "depth": draw(st.integers(1, 3)),
        "hidden_size": heads * width(draw, 1, 3),
        "num_heads": heads,
        "intermediate_size": draw(st.integers(8, 40)),
        "out_hidden_size": out,
        "patch_size": draw(st.integers(2, 4)),
        "spatial_merge_size": draw(st.integers(1, 2)),
        "temporal_patch_size": draw(st.integers(1, 2)),
        **more,
    }


def qwen2_tower(draw: Draw, out: int) -> Config:
    heads = draw(st.integers(1, 3))
    return {
        "depth": draw(st.integers(1, 3)),
        "embed_dim": heads * width(draw, 1, 3),
        "hidden_size": out,
        "num_heads": heads,
        "mlp_ratio": draw(st.integers(1, 4)),
        "patch_size": draw(st.integers(2, 4)),
        "spatial_merge_size": draw(st.integers(1, 2)),
    }


def qwen3_tower(draw: Draw, out: int) -> Config:
    inner = draw(st.lists(st.integers(0, 2), unique=True, max_size=2))
    return qwen_tower(draw, out, num_position_embeddings=16, deepstack_visual_indexes=inner)


def kimi_tower(draw: Draw, out: int) -> Config:
    config = vision(draw, merge_kernel_size=[2, 2], pos_emb_height=4, pos_emb_width=5)
    return {key: value for key, value in config.items() if key not in {"image_size", "num_channels"}}


def gemma4_tower(draw: Draw, out: int) -> Config:
    config = vision(draw, head_dim=width(draw, 1, 2), position_embedding_size=draw(st.integers(8, 20)))
    return {**config, "num_key_value_heads": config["num_attention_heads"]}


def minimax_m3(draw: Draw) -> Config:
    config = mixture("num_local_experts", head_dim=True, rope_parameters=None)(draw)
    layers = config["num_hidden_layers"]
    return {
        **config,
        "dense_intermediate_size": draw(st.integers(4, 30)),
        "shared_intermediate_size": draw(st.integers(4, 30)),
        "layer_types": draw(st.lists(st.sampled_from([FULL, "minimax_m3_sparse"]), min_size=layers, max_size=layers)),
        "mlp_layer_types": draw(st.lists(st.sampled_from(["dense", "sparse"]), min_size=layers, max_size=layers)),
        "index_n_heads": config["num_key_value_heads"],
        "index_head_dim": 2 * draw(st.integers(1, 4)),
    }


def llava_text(draw: Draw) -> Config:
    return {**plain("attention_bias")(draw), "model_type": draw(st.sampled_from(["llama", "mistral", "qwen2"]))}


def llava_tower(draw: Draw, out: int) -> Config:
    return vision(draw, model_type=draw(st.sampled_from(["clip_vision_model", "siglip_vision_model"])))


BIASED = ("attention_bias",)
FAMILIES = [
    Drawn(model_type="llama", build=CAUSAL, fields=plain("attention_bias", "mlp_bias", head_dim=True)),
    Drawn(model_type="llama", build=CAUSAL, fields=plain("attention_bias"), name="llama-narrow"),
    Drawn(model_type="mistral", build=CAUSAL, fields=windowed(head_dim=True, every=False)),
    Drawn(model_type="qwen2", build=CAUSAL, fields=windowed("use_sliding_window")),
    Drawn(model_type="qwen3", build=CAUSAL, fields=plain("attention_bias", head_dim=True)),
    Drawn(model_type="gemma", build=CAUSAL, fields=plain("attention_bias", head_dim=True)),
    Drawn(model_type="gemma2", build=CAUSAL, fields=windowed("attention_bias", head_dim=True)),
    Drawn(model_type="gemma3_text", build=CAUSAL, fields=windowed("attention_bias", head_dim=True)),
    Drawn(model_type="gemma4_text", build=CAUSAL, fields=gemma4_text),
    Drawn(model_type="phi", build=CAUSAL, fields=plain("qk_layernorm")),
    Drawn(model_type="phi3", build=CAUSAL, fields=windowed(every=False)),
    Drawn(model_type="gpt2", build=CAUSAL, fields=gpt2),
    Drawn(model_type="gpt_neox", build=CAUSAL, fields=plain("attention_bias", grouped=False)),
    Drawn(model_type="gptj", build=CAUSAL, fields=gptj),
    Drawn(model_type="falcon", build=CAUSAL, fields=falcon),
    Drawn(model_type="opt", build=CAUSAL, fields=opt),
    Drawn(
        model_type="bloom",
        build=CAUSAL,
        fields=renamed(
            plain(grouped=False), num_hidden_layers="n_layer", num_attention_heads="n_head", intermediate_size=""
        ),
    ),
    Drawn(
        model_type="mpt",
        build=CAUSAL,
        fields=renamed(
            plain(grouped=False),
            hidden_size="d_model",
            num_hidden_layers="n_layers",
            num_attention_heads="n_heads",
            max_position_embeddings="max_seq_len",
            intermediate_size="",
        ),
    ),
    Drawn(model_type="olmo", build=CAUSAL, fields=plain("attention_bias")),
    Drawn(model_type="olmo2", build=CAUSAL, fields=plain("attention_bias")),
    Drawn(model_type="olmo3", build=CAUSAL, fields=windowed("attention_bias")),
    Drawn(model_type="starcoder2", build=CAUSAL, fields=windowed("use_bias", every=False)),
    Drawn(model_type="cohere", build=CAUSAL, fields=plain("attention_bias", "use_qk_norm")),
    Drawn(model_type="cohere2", build=CAUSAL, fields=windowed("attention_bias")),
    Drawn(model_type="glm4", build=CAUSAL, fields=plain("attention_bias", head_dim=True)),
    Drawn(model_type="mixtral", build=CAUSAL, fields=mixture("num_local_experts")),
    Drawn(model_type="qwen2_moe", build=CAUSAL, fields=qwen_mixture("qkv_bias", shared=True)),
    Drawn(model_type="qwen3_moe", build=CAUSAL, fields=qwen_mixture("attention_bias", head_dim=True)),
    Drawn(model_type="gpt_oss", build=CAUSAL, fields=mixture("num_local_experts", "attention_bias", head_dim=True)),
    Drawn(model_type="minimax_m2", build=CAUSAL, fields=mixture("num_local_experts", head_dim=True)),
    Drawn(
        model_type="glm4_moe",
        build=CAUSAL,
        fields=lambda draw: {
            **plain("attention_bias", "use_qk_norm")(draw),
            **{
                key: value
                for key, value in deepseek()(draw).items()
                if key.startswith(("n_", "moe_", "first_k", "topk", "num_experts"))
            },
        },
    ),
    Drawn(model_type="deepseek_v2", build=CAUSAL, fields=deepseek("attention_bias", "mlp_bias")),
    Drawn(model_type="deepseek_v3", build=CAUSAL, fields=deepseek("attention_bias")),
    Drawn(model_type="glm_moe_dsa", build=CAUSAL, fields=glm_dsa, flop="weights"),
    Drawn(model_type="minimax", build=CAUSAL, fields=minimax, flop="weights"),
    Drawn(model_type="qwen3_next", build=CAUSAL, fields=qwen_linear(moe=True, step=True), flop="weights"),
    Drawn(model_type="qwen3_5_text", build=CAUSAL, fields=qwen_linear(), flop="weights"),
    Drawn(model_type="qwen3_5_moe_text", build=CAUSAL, fields=qwen_linear(moe=True), flop="weights"),
    Drawn(model_type="jamba", build=CAUSAL, fields=jamba, flop="weights"),
    Drawn(model_type="mamba", build=CAUSAL, fields=mamba, flop="weights"),
    Drawn(model_type="falcon_mamba", build=CAUSAL, fields=mamba, flop="weights"),
    Drawn(model_type="mamba2", build=CAUSAL, fields=mamba2, flop="weights"),
    Drawn(model_type="nemotron_h", build=CAUSAL, fields=nemotron_h, flop="weights"),
    Drawn(model_type="t5", build=SEQ2SEQ, fields=t5),
    Drawn(model_type="mt5", build=SEQ2SEQ, fields=t5),
    Drawn(model_type="umt5", build=SEQ2SEQ, fields=t5),
    Drawn(model_type="bert", build=BASE, fields=bert),
    Drawn(model_type="bert", build=MASKED, fields=masked("BertForMaskedLM"), name="bert-masked"),
    Drawn(model_type="roberta", build=BASE, fields=bert),
    Drawn(model_type="roberta", build=MASKED, fields=masked("RobertaForMaskedLM"), name="roberta-masked"),
    Drawn(model_type="vit", build=BASE, fields=vit),
    Drawn(model_type="clip", build=BASE, fields=clip),
    Drawn(model_type="siglip", build=BASE, fields=siglip),
    Drawn(model_type="whisper", build="WhisperForConditionalGeneration", fields=whisper),
    Drawn(model_type="qwen2_vl", build=IMAGE_TEXT, fields=with_tower(mrope(plain()), qwen2_tower)),
    Drawn(
        model_type="qwen2_5_vl",
        build=IMAGE_TEXT,
        fields=with_tower(mrope(plain()), lambda draw, out: qwen_tower(draw, out, fullatt_block_indexes=[0])),
    ),
    Drawn(
        model_type="qwen3_vl",
        build=IMAGE_TEXT,
        fields=with_tower(mrope(plain("attention_bias", head_dim=True)), qwen3_tower),
    ),
    Drawn(
        model_type="qwen3_vl_moe",
        build=IMAGE_TEXT,
        fields=with_tower(mrope(qwen_mixture("attention_bias", head_dim=True)), qwen3_tower),
    ),
    Drawn(
        model_type="qwen3_5",
        build=CAUSAL,
        fields=lambda draw: {"text_config": qwen_linear()(draw), "vision_config": {}},
        flop="weights",
    ),
    Drawn(
        model_type="qwen3_5_moe",
        build=CAUSAL,
        fields=lambda draw: {"text_config": qwen_linear(moe=True)(draw), "vision_config": {}},
        flop="weights",
    ),
    Drawn(
        model_type="kimi_k25",
        build=IMAGE_TEXT,
        fields=with_tower(
            lambda draw: {**deepseek("attention_bias")(draw), "model_type": "deepseek_v3"},
            kimi_tower,
            projection_hidden_size=st.integers(4, 40),
        ),
    ),
    Drawn(
        model_type="minimax_m3_vl",
        build=IMAGE_TEXT,
        fields=with_tower(minimax_m3, lambda draw, out: vision(draw), projector_hidden_size=st.integers(4, 40)),
        flop="weights",
    ),
    Drawn(
        model_type="gemma3",
        build=IMAGE_TEXT,
        fields=with_tower(
            windowed("attention_bias", head_dim=True),
            lambda draw, out: vision(draw, vision_use_head=draw(st.booleans())),
        ),
    ),
    Drawn(model_type="gemma4", build=CAUSAL, fields=with_tower(gemma4_text, gemma4_tower)),
    Drawn(
        model_type="llava",
        build=IMAGE_TEXT,
        fields=with_tower(llava_text, llava_tower, multimodal_projector_bias=st.booleans()),
    ),
]
