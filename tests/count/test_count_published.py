"""Published configurations and published counts."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from flopcast.count import network_from_config, parameters

PUBLISHED = json.loads((Path(__file__).parent / "published_configs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", PUBLISHED, ids=[row["name"] for row in PUBLISHED])
def test_published_configuration_is_exact_to_the_last_parameter(row: dict[str, Any]) -> None:
    count = parameters(network_from_config(row["config"], name=row["name"]))
    assert count.total == row["parameters"]
    assert count.embedding == row["embedding"]


def test_counting_takes_milliseconds() -> None:
    network_from_config(PUBLISHED[0]["config"], name="warm")
    start = time.perf_counter()
    for row in PUBLISHED:
        network_from_config(row["config"], name=row["name"])
    assert (time.perf_counter() - start) / len(PUBLISHED) < 0.010


LLAMA = {"model_type": "llama", "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000}
CASES: list[tuple[str, dict[str, Any], int]] = [
    ("P050", {**LLAMA, "hidden_size": 4096, "intermediate_size": 11008}, 6738415616),
    (
        "P051",
        {
            **LLAMA,
            "hidden_size": 8192,
            "intermediate_size": 28672,
            "num_hidden_layers": 80,
            "num_attention_heads": 64,
            "num_key_value_heads": 8,
        },
        68976648192,
    ),
    (
        "P053",
        {
            **LLAMA,
            "hidden_size": 16384,
            "intermediate_size": 53248,
            "num_hidden_layers": 126,
            "num_attention_heads": 128,
            "num_key_value_heads": 8,
            "vocab_size": 128256,
        },
        405853388800,
    ),
    (
        "P054",
        {
            **LLAMA,
            "hidden_size": 2048,
            "intermediate_size": 8192,
            "num_hidden_layers": 16,
            "num_key_value_heads": 8,
            "vocab_size": 128256,
            "tie_word_embeddings": True,
        },
        1235814400,
    ),
    ("P056", {"model_type": "mistral", "vocab_size": 32000}, 7241732096),
    ("P058", {"model_type": "mixtral"}, 46702792704),
    (
        "P063",
        {
            "model_type": "qwen3",
            "hidden_size": 5120,
            "head_dim": 128,
            "num_attention_heads": 64,
            "num_key_value_heads": 8,
            "intermediate_size": 25600,
            "num_hidden_layers": 64,
            "vocab_size": 151936,
        },
        32762123264,
    ),
    (
        "P064",
        {
            "model_type": "qwen3_moe",
            "hidden_size": 2048,
            "moe_intermediate_size": 768,
            "intermediate_size": 6144,
            "num_experts": 128,
            "num_experts_per_tok": 8,
            "num_hidden_layers": 48,
            "num_attention_heads": 32,
            "num_key_value_heads": 4,
            "head_dim": 128,
            "vocab_size": 151936,
        },
        30532122624,
    ),
    (
        "P066",
        {
            "model_type": "gemma2",
            "hidden_size": 3584,
            "intermediate_size": 14336,
            "num_hidden_layers": 42,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "head_dim": 256,
            "vocab_size": 256000,
        },
        9241705984,
    ),
    (
        "P067",
        {
            "model_type": "gemma3_text",
            "hidden_size": 1152,
            "intermediate_size": 6912,
            "num_hidden_layers": 26,
            "num_attention_heads": 4,
            "num_key_value_heads": 1,
            "head_dim": 256,
            "vocab_size": 262144,
        },
        999885952,
    ),
    (
        "P068",
        {
            "model_type": "gemma3",
            "text_config": {
                "hidden_size": 2560,
                "intermediate_size": 10240,
                "num_hidden_layers": 34,
                "num_attention_heads": 8,
                "num_key_value_heads": 4,
                "head_dim": 256,
                "vocab_size": 262208,
            },
            "vision_config": {
                "model_type": "siglip_vision_model",
                "hidden_size": 1152,
                "intermediate_size": 4304,
                "num_hidden_layers": 27,
                "num_attention_heads": 16,
                "patch_size": 14,
                "image_size": 896,
                "vision_use_head": False,
            },
        },
        4300079472,
    ),
    (
        "P069",
        {
            "model_type": "phi",
            "hidden_size": 2560,
            "intermediate_size": 10240,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "vocab_size": 51200,
        },
        2779683840,
    ),
    (
        "P070",
        {
            "model_type": "phi3",
            "hidden_size": 3072,
            "intermediate_size": 8192,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "vocab_size": 32064,
        },
        3821079552,
    ),
    ("P071", {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024}, 124439808),
    ("P072", {"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25}, 1557611200),
    (
        "P074",
        {
            "model_type": "falcon",
            "hidden_size": 4544,
            "num_hidden_layers": 32,
            "num_attention_heads": 71,
            "multi_query": True,
            "parallel_attn": True,
            "vocab_size": 65024,
        },
        6921720704,
    ),
    (
        "P077",
        {"model_type": "bloom", "hidden_size": 14336, "n_layer": 70, "n_head": 112, "vocab_size": 250880},
        176247271424,
    ),
    ("P078", {"model_type": "t5", "d_model": 768, "d_ff": 3072, "num_layers": 12, "num_heads": 12}, 222903552),
    ("P080", {"model_type": "bert"}, 109482240),
    ("P080 masked", {"model_type": "bert", "architectures": ["BertForMaskedLM"]}, 109514298),
    ("P081", {"model_type": "vit"}, 86389248),
    (
        "P082",
        {
            "model_type": "clip",
            "text_config": {
                "hidden_size": 768,
                "intermediate_size": 3072,
                "num_hidden_layers": 12,
                "num_attention_heads": 12,
            },
            "vision_config": {
                "hidden_size": 1024,
                "intermediate_size": 4096,
                "num_hidden_layers": 24,
                "num_attention_heads": 16,
                "patch_size": 14,
            },
            "projection_dim": 768,
        },
        427616513,
    ),
    ("P086", {"model_type": "deepseek_v3"}, 671026404352),
    (
        "P087",
        {
            "model_type": "deepseek_v2",
            "hidden_size": 5120,
            "intermediate_size": 12288,
            "num_attention_heads": 128,
            "num_hidden_layers": 60,
            "n_routed_experts": 160,
            "num_experts_per_tok": 6,
            "n_shared_experts": 2,
            "moe_intermediate_size": 1536,
            "first_k_dense_replace": 1,
            "vocab_size": 102400,
        },
        235741434880,
    ),
    ("P088", {"model_type": "gpt_oss", "num_hidden_layers": 24, "num_local_experts": 32}, 20914757184),
    ("P089", {"model_type": "gpt2", "vocab_size": 50304}, 124475904),
    # model cards: T5 1.1 base has a head of its own; Whisper tiny; DiT-XL/2 (675M in the paper)
    (
        "t5 1.1 base",
        {
            "model_type": "t5",
            "d_model": 768,
            "d_ff": 2048,
            "num_layers": 12,
            "num_heads": 12,
            "feed_forward_proj": "gated-gelu",
            "tie_word_embeddings": False,
        },
        247577856,
    ),
    ("whisper tiny", {"model_type": "whisper"}, 37760640),
    (
        "DiT-XL/2",
        {
            "model_type": "dit",
            "sample_size": 32,
            "patch_size": 2,
            "in_channels": 4,
            "num_layers": 28,
            "num_attention_heads": 16,
            "attention_head_dim": 72,
        },
        674834720,
    ),
]


@pytest.mark.parametrize(("case", "config", "expected"), CASES, ids=[case for case, _, _ in CASES])
def test_case(case: str, config: dict[str, Any], expected: int) -> None:
    assert network_from_config(config, name=case).parameters_total == expected


ACTIVE = {"P058": 12879925248, "P064": 3353032704, "P086": 37552282624, "P087": 21375800320, "P088": 4187440704}


@pytest.mark.parametrize("case", ACTIVE)
def test_active_parameters(case: str) -> None:
    config = next(config for name, config, _ in CASES if name == case)
    assert network_from_config(config, name=case).parameters_active == ACTIVE[case]


def test_published_active_count_of_gpt_oss_leaves_out_the_input_embedding() -> None:
    config = next(config for name, config, _ in CASES if name == "P088")
    assert parameters(network_from_config(config, name="P088")).active_without_input_embedding == 3608307264


def test_llama_2_for_6n_counts_the_head_but_not_the_input_embedding() -> None:  # F018
    count = parameters(network_from_config({"model_type": "llama"}, name="Llama 2 7B"))
    assert count.without_input_embedding == 6607343616


def test_tied_table_stays_when_the_input_embedding_is_left_out() -> None:
    count = parameters(network_from_config({"model_type": "gpt2"}, name="GPT-2"))
    assert count.without_input_embedding == count.total


def test_a_third_of_a_small_gemma_is_embedding() -> None:
    config = next(config for name, config, _ in CASES if name == "P067")
    count = parameters(network_from_config(config, name="P067"))
    assert count.embedding / count.total == pytest.approx(0.302, abs=5e-4)


def test_bloom_embedding() -> None:
    config = next(config for name, config, _ in CASES if name == "P077")
    assert parameters(network_from_config(config, name="P077")).embedding == 3596615680


def test_vit_has_197_tokens_an_image() -> None:
    assert dict(network_from_config({"model_type": "vit"}, name="ViT").inputs_per_sample)["image"] == 197


def test_defaults_taken_are_listed_and_given_fields_are_not() -> None:
    notes = "\n".join(network_from_config({"model_type": "mistral", "vocab_size": 32000}, name="m").notes)
    assert "config.hidden_size = 4096" in notes
    assert "vocab_size" not in notes


def test_multi_token_prediction_is_noted_and_not_counted() -> None:
    config = {"model_type": "deepseek_v3", "num_nextn_predict_layers": 1}
    assert any("multi-token" in note for note in network_from_config(config, name="V3").notes)
