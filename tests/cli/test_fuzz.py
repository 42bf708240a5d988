"""Drawn command lines, configs and scenario files: no traceback, exit code 0, 1 or 2, and what is refused is said."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flopcast.cli.app import run

COMMAND_LINES, OTHERS, CONFIGS, SCENARIOS = 5000, 1000, 2500, 1500


def drawn(count: int) -> settings:
    """Settings of one fuzz test."""
    return settings(
        max_examples=count, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
    )


MODELS = ["7B", "405B", "30B-A3B", "671B (37B active)", "8x7b", "llama-3.1-8b", "deepseek-v3", "gpt2", "vit-b-16", "t5-base", "mamba-2.8b",
          "1,5T", "-7B", "0", "nan", "1e400", "7Q", "B", "x.json", "llama", "10TB", "", " ", "9" * 300, "∞B", "7B7B", "0x10"]  # fmt: skip
TOKENS = [
    "1T",
    "15.6T",
    "200B tokens",
    "500GB",
    "1,000,000",
    "1,5T",
    "0",
    "-3",
    "inf",
    "T",
    "3e11",
    "1 trillion",
    "2 TiB",
    "",
]
CLUSTERS = ["64xH100", "1xA100", "4 x RTX A6000", "TPU v3 16x16", "v3-512", "v5e-64", "2xp5.48xlarge", "64 nodes of HGX H100", "512 AMD MI250X",
            "96 DGX-A100 (8x40G)", "8xFooGPU", "0xH100", "-1xH100", "1e9xH100", "H100", "80 GB A100", "v3-7", "16x16x16x16 v4", "x", "8x", "8xV100",
            "3xM2 Ultra", "CS-2", "1.5xH100", "8×B200", "v4-", "2x2", "999999999999xH100"]  # fmt: skip
OPTIONS = {
    "--updates": ["1M", "10", "0", "-1", "1.5", "x"],
    "--batch": ["512", "1", "0", "4M", "b"],
    "--seq-len": ["1024", "4k", "128k", "0", "1e3", "-4", "1M"],
    "--epochs": ["3", "0.5", "0", "many"],
    "--samples": ["1.2M", "10", "-1"],
    "--mfu": ["40%", "0.4", "1", "100%", "40", "0", "-5%", "nan"],
    "--achieved": ["400 TFLOP/s", "400 TFLOPS", "4 PFLOP/s", "1 FLOP/s", "0 TFLOP/s", "400", "400 GB/s"],
    "--measured": ["5.6 s/update", "1.9it/s", "98.97s/it", "24000 tokens/s", "24k tokens/s/GPU", "4 days", "1 us", "0 s/it", "5.6", "2d 7h 51m"],
    "--price": ["$2/h", "$98.32/h per node", "€1.9/h", "2", "$-1/h", "$2/GPU/h", "$0/h", "$2/week"],
    "--offer": ["aws:p5.48xlarge", "nope:nope", "aws", ""],
    "--bill": ["2748.67", "$1M", "-5", "0"],
    "--precision": ["bf16", "fp8", "fp16", "fp32", "tf32", "fp7", "BF16", "nvfp4"],
    "--layout": ["tp=8,pp=2", "tp=3", "tp=8,tp=8", "foo=1", "tp=", "dp=4,shard=zero1", "tp=1e9", "recompute=full", "tp=2,vpp=4", ",", "micro=2"],
    "--stack": ["megatron-core", "torchtitan", "nope", "fsdp"],
    "--method": ["pretrain", "full", "lora", "qlora", "dpo?"],
    "--convention": ["6n", "causal", "full", "8n"],
    "--pue": ["1.1", "0.5", "9", "x"],
    "--region": ["FR", "US-VA", "Atlantis", "aws/us-east-1"],
    "--like": ["79M 1B --on 4xA6000 --measured '24k tokens/s'", "7B 1T --on 8xH100", "'", "--like --like"],
}  # fmt: skip
WORD = st.one_of(st.text(max_size=12), st.sampled_from(MODELS + TOKENS + CLUSTERS))


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """`estimate` with likely, odd and random words."""
    words = ["estimate", draw(st.sampled_from(MODELS) | WORD)]
    if draw(st.booleans()):
        words.append(draw(st.sampled_from(TOKENS) | WORD))
    if draw(st.integers(0, 9)):
        words += ["--on", draw(st.sampled_from(CLUSTERS) | WORD)]
    for option in draw(st.lists(st.sampled_from(sorted(OPTIONS)), max_size=4, unique=True)):
        words += [option, draw(st.sampled_from(OPTIONS[option]) | st.text(max_size=8))]
    return words


def ask(words: list[str]) -> tuple[int, str, str]:
    """Exit code, stdout, stderr of one command line in this process; an exception would fail the test."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    return code, out.getvalue(), err.getvalue()


def check(words: list[str]) -> None:
    code, out, err = ask([*words, "--json"])
    assert code in (0, 1, 2), (words, code)
    assert "Traceback" not in out + err
    if out.strip().startswith("{"):
        document = json.loads(out)
        if code == 2:
            assert document["schema"] == "flopcast.error/1" and document["problems"]
            assert all(problem["where"] and problem["allowed"] for problem in document["problems"])
        elif document["schema"] == "flopcast.estimate/1":
            assert document["chosen"]["compute_time_s"]["expected"] > 0
            assert 0 < document["chosen"]["mfu_fraction"]["expected"] <= 1 + 1e-9
            assert document["assumptions"]


@pytest.mark.slow
@drawn(COMMAND_LINES)
@given(command_lines())
def test_command_lines(words: list[str]) -> None:
    check(words)


WORDS = (
    st.sampled_from(
        [
            *MODELS,
            *TOKENS,
            *CLUSTERS,
            "60d",
            "1h",
            "200k",
            "100000 A100",
            "$2.5/h",
            "3.5",
            "96",
            "98.97s/it",
            "40%",
            "x",
        ]
    )
    | WORD
)
OTHER = {
    "count": ["--seq-len", "--explain"], "compare": ["--on", "--on", "--on", "--precision"], "size": ["--within", "--on", "--price"],
    "budget": ["--on", "--money", "--hours", "--model"], "plan": ["--on", "--layout", "--why-not", "--stack"],
    "outlook": ["--per-card", "--cards", "--days", "--tricks", "--link"], "convert": ["--to", "--hours", "--price"],
    "reconcile": ["--stated"], "hours": ["--on", "--measured", "--price"], "storage": ["--tokens", "--on"], "facts": ["--sources"],
    "parse": ["--as"],
}  # fmt: skip


@st.composite
def other_lines(draw: st.DrawFn) -> list[str]:
    """Any other command with likely, odd and random words."""
    command = draw(st.sampled_from(sorted(OTHER)))
    words = [command, *draw(st.lists(WORDS, max_size=2))]
    for option in draw(st.lists(st.sampled_from(OTHER[command]), max_size=4)):
        words += [option] if option in ("--explain", "--sources") else [option, draw(WORDS)]
    return words


@pytest.mark.slow
@drawn(OTHERS)
@given(other_lines())
def test_other_commands(words: list[str]) -> None:
    check(words)


NAMES = ["hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size", "vocab_size", "head_dim",
         "tie_word_embeddings", "num_experts", "num_local_experts", "num_experts_per_tok", "n_routed_experts", "moe_intermediate_size",
         "q_lora_rank", "kv_lora_rank", "sliding_window", "layer_types", "text_config", "vision_config", "n_embd", "n_layer", "d_model",
         "first_k_dense_replace", "patch_size", "image_size", "num_layers", "state_size", "hybrid_override_pattern", "rope_scaling"]  # fmt: skip
TYPES = ["llama", "mistral", "mixtral", "qwen3_moe", "gemma3", "gpt2", "falcon", "bloom", "deepseek_v3", "gpt_oss", "nemotron_h", "jamba",
         "mamba2", "t5", "bert", "vit", "clip", "whisper", "dit", "llama2", "", "resnet", "qwen3_vl_moe", "kimi_k25"]  # fmt: skip
SCALARS = st.one_of(
    st.integers(-2, 128), st.sampled_from([0, 64, 4096, 10**9, 10**30, -1]), st.booleans(), st.none(), st.text(max_size=6),
    st.floats(allow_nan=True), st.lists(st.integers(0, 9) | st.text(max_size=3), max_size=4),
)  # fmt: skip
CONFIG = st.dictionaries(
    st.sampled_from(NAMES) | st.text(max_size=8),
    SCALARS | st.dictionaries(st.sampled_from(NAMES), SCALARS, max_size=5),
    max_size=10,
).flatmap(lambda body: st.sampled_from(TYPES).map(lambda kind: {"model_type": kind, **body}))


@pytest.mark.slow
@drawn(CONFIGS)
@given(st.one_of(CONFIG, st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=5)), st.booleans())
def test_configs(config: object, estimate: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        check(["estimate", str(path), "1B", "--on", "8xH100"] if estimate else ["count", str(path)])


KEYS = ["model", "tokens", "on", "mfu", "price", "updates", "batch", "seq_len", "measured", "like", "nonsense"]
TOML_VALUES = st.one_of(
    st.sampled_from(
        [
            '"7B"',
            '"64xH100"',
            '"1T"',
            "3",
            "-1",
            "true",
            "[]",
            '"40%"',
            "1.5",
            '"$2/h"',
            "{}",
            "1979-05-27",
            '"x"',
            "''",
            "inf",
        ]
    )
)
TABLE = st.dictionaries(st.sampled_from(KEYS), TOML_VALUES, max_size=6)
TOP = st.dictionaries(
    st.sampled_from(["title", "main", "partner_gets", "combinations", "stated", "titel", "checkpoints_kept"]),
    TOML_VALUES,
    max_size=4,
)


@pytest.mark.slow
@drawn(SCENARIOS)
@given(TOP, TABLE, st.one_of(st.none(), st.binary(max_size=40)))
def test_scenarios(top: dict[str, str], table: dict[str, str], noise: bytes | None) -> None:
    text = "".join(f"{key} = {value}\n" for key, value in top.items())
    text += "[estimates.a]\n" + "".join(f"{key} = {value}\n" for key, value in table.items())
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "s.toml", Path(folder) / "out.md"
        path.write_bytes(noise if noise is not None else text.encode())
        code, _, err = ask(["writeup", str(path), "-o", str(out)])
        assert code in (0, 2) and "Traceback" not in err
        assert out.exists() == (code == 0)
        check(["estimate", "--from", str(path)])
