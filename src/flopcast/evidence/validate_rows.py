"""A row of a table of measured runs, read as a plan.

Belongs here: blank cells and odd names -> a network, a batch, a layout, a chip and a stack, each default stated.
Does not: prediction and scores (validate.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from flopcast.count import network_from_config
from flopcast.describe import Accelerator, Shape
from flopcast.errors import BadInput
from flopcast.facts import find_accelerator, networks
from flopcast.step import chips, layouts, memory, pipeline, plans, shapes, sizes, stacks

Row = Mapping[str, str]
MASKED_SHARE = 0.16  # BERT predicts 20 of 128, 80 of 512 tokens
REAL_TOKENS = 0.5  # of BERT's long sequences, the rest is padding
LONG_SEQUENCE = 256
USUAL_TOKENS = 4e6  # tokens of an update where nothing says how many
REMEMBERED_VOCAB = 33000  # Transformer-XL's adaptive softmax: shortlist plus the tails that some tokens visit
HYBRID_MIXERS = 0.857  # share of recurrent mixers among the mixing layers of Nemotron-H
CLASSIC = ("gpt", "opt", "bloom", "mpt", "t5")
DECODER_TOKENS = 0.25  # of the encoder's, in the published recipes (128 of 512)
CAUSAL_SINCE = "2024-12"  # Megatron-LM counts causal attention by half since then
TERA = 1e12
MIN_NAME = 6
SHARDED = 3
MLA_HEAD_DIM = 192
MLA = {"q_lora_rank": 1536, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "v_head_dim": 128}  # DeepSeek-V2 and V3
SHARDING = {"none": 0, "zero1": 1, "zero2": 2, "zero3": 3, "fsdp": 3, "hsdp": 3}
RECOMPUTE = {"none": 0, "selective": 1, "full": 2}


class Unreadable(Exception):  # noqa: N818 - the reason is the message
    """The row lacks something that nothing can stand in for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """One row as entries of the step model's arrays; `assumed` names what was filled in."""

    net: dict[str, float]
    work: dict[str, float]
    degrees: dict[str, float]
    chip: dict[str, float]
    stack: str
    accelerator: Accelerator
    known_layout: bool
    known_shape: bool
    printed_seq: float
    assumed: tuple[str, ...] = field(default=())


def number(row: Row, key: str) -> float:
    """A cell as a number; NaN when blank or not one."""
    try:
        return float(row.get(key) or math.nan)
    except ValueError:
        return math.nan


def given(row: Row, key: str, default: float) -> float:
    value = number(row, key)
    return default if math.isnan(value) else value


def size_in_name(name: str) -> tuple[float, float] | None:
    """Total and active parameters that a model's name states: "Nemotron V3 Super 120B", "30B-A3B", "mT5-390M".

    >>> size_in_name("Qwen3-30B-A3B")
    (30000000000.0, 3000000000.0)
    """
    found = re.findall(r"(?<![a-z0-9.])(a?)(\d+(?:\.\d+)?)([bmt])(?![a-z])", name.lower().replace("_", " "))
    found += re.findall(r"(?<=gpt)()(\d+(?:\.\d+)?)([bmt])(?![a-z])", name.lower())
    sizes = {bool(a): float(value) * {"m": 1e6, "b": 1e9, "t": 1e12}[unit] for a, value, unit in reversed(found)}
    if False not in sizes:
        return None
    return sizes[False], sizes.get(True, sizes[False])


@cache
def catalogued(name: str) -> tuple[Shape, float] | None:
    """Shape, and width at which its experts take tokens, of the one catalogued network whose name begins as this one.

    "Nemotron_3_Super" is nemotron-3-super-120b-a12b.
    """
    wanted = re.sub(r"[^a-z0-9]", "", re.sub(r"\(.*?\)|\bv(?=\d)", "", name.lower()))
    plain = {re.sub(r"[^a-z0-9]", "", known.lower()): known for known in networks()}
    found = [known for text, known in plain.items() if text.startswith(wanted)] if len(wanted) > MIN_NAME else []
    exact = plain.get(wanted) or (found[0] if len(found) == 1 else None)
    if exact is None:
        return None
    network = network_from_config(networks()[exact].config, name=exact)
    shape = shapes.shape_of(network)
    return None if shape is None else (shape, shapes.expert_hidden(network))


def _decoded(row: Row, shape: Shape) -> Shape:
    """An encoder-decoder as a stack of layers that all tokens pass: its decoder sees a quarter of them."""
    if not row.get("family", "").endswith("t5"):
        return shape
    return replace(shape, layers=max(1, round(shape.layers * (1 + DECODER_TOKENS) / 2)))


def _shape(row: Row) -> tuple[Shape, float, bool]:
    """Shape, width of the experts' input (0: hidden), and whether the architecture is known."""
    hybrid = row.get("family") == "nemotron-h"
    if hybrid or math.isnan(number(row, "layers")) or math.isnan(number(row, "hidden")):
        known = catalogued(row.get("model", ""))
        if known is not None:
            return _decoded(row, known[0]), known[1], True
    if math.isnan(number(row, "layers")) or math.isnan(number(row, "hidden")):
        total = number(row, "n_params_total")
        named = size_in_name(row.get("model", ""))
        if math.isnan(total) and named is None:
            raise Unreadable("no architecture, no parameter count, and none in the name")
        total, active = (total, total) if not math.isnan(total) else named or (total, total)
        classic = row.get("family", "").startswith(CLASSIC)
        shape = shapes.shape_for_parameters(total, given(row, "n_params_active", active), classic=classic)
        return _decoded(row, shape), 0.0, False
    return _stated_shape(row), 0.0, True


def _stated_shape(row: Row) -> Shape:
    family, name = row.get("family", ""), row.get("model", "").lower()
    layers, hidden = int(number(row, "layers")), int(number(row, "hidden"))
    experts = int(given(row, "n_experts", 0))
    heads = int(given(row, "heads", max(1, hidden // 128)))
    gated = given(row, "gated_mlp", 0.0) > 0
    expert_ffn = int(given(row, "moe_ffn", 0))
    latent = row.get("attention") == "mla" or family in {"deepseek", "kimi"}
    head_dim = MLA_HEAD_DIM if latent else int(given(row, "head_dim", hidden / heads))
    usual = hidden * 4 if not gated else round(hidden * 8 / 3)
    vocab = given(row, "vocab", REMEMBERED_VOCAB if family == "transformer-xl" else 51200)
    more: dict[str, Any] = dict(MLA) if latent else {}
    more |= _experts(family, name, layers, experts, expert_ffn)
    more |= _windows(family, name, layers)
    mixers = round(layers * HYBRID_MIXERS) if family == "nemotron-h" else 0
    plain = Shape(
        layers=layers, hidden=hidden, heads=heads, kv_heads=int(given(row, "kv_heads", heads)), head_dim=head_dim,
        ffn=int(given(row, "ffn", 0 if experts else usual)), gated_mlp=gated, vocab=int(vocab),
        tied_embeddings=given(row, "tied_embeddings", 0) > 0, experts=experts,
        experts_per_token=int(given(row, "topk", 2)) if experts else 0, expert_ffn=expert_ffn or (usual if
        experts else 0),
        causal=family not in {"bert", "vit"}, mixer_layers=mixers,
    )  # fmt: skip
    return replace(plain, **more)


def _experts(family: str, name: str, layers: int, experts: int, ffn: int) -> dict[str, int]:
    """Leading dense layers and shared experts, which the columns do not carry: public configurations."""
    if not experts:
        return {}
    if family == "deepseek":
        second = "v2" in name
        return {"dense_layers": 1 if second or layers < 20 else 3, "shared_expert_ffn": ffn * (2 if second else 1)}
    if family in {"kimi", "llama4"}:
        dense = layers // 2 if "maverick" in name else (1 if family == "kimi" else 0)
        return {"dense_layers": dense, "shared_expert_ffn": ffn}
    return {}


def _windows(family: str, name: str, layers: int) -> dict[str, int]:
    if family == "gpt-oss":
        return {"window_layers": layers // 2, "window_tokens": 128}
    if family.startswith("gemma") and "2" not in name.split("-", maxsplit=1)[0]:
        return {"window_layers": layers * 5 // 6, "window_tokens": 1024}
    return {}


def _network_share(text: str, per_node: float) -> float | None:
    """Bytes a second of one accelerator, from words such as "1600 Gb/s RoCE per node" or "RoCE 400 Gb/s per GPU"."""
    total = re.search(r"\((\d+) Gb/s\)", text) or re.search(r"(\d+) Gb/s", text)
    if total is None:
        return None
    rate = float(total[1]) * 1e9 / 8
    cards = re.search(r"(\d+) ?x (?:HDR|NDR)", text)
    if "per GPU" in text:
        return rate
    if cards and not re.search(r"\((\d+) Gb/s\)", text):
        rate *= float(cards[1])
    return rate / per_node


def _accelerator(row: Row) -> Accelerator:
    name = row.get("accelerator", "")
    try:
        chip, _ = find_accelerator(name)
    except BadInput as wrong:
        try:
            chip, _ = find_accelerator(re.sub(r"\(.*\)", "", name).strip())
        except BadInput:
            raise Unreadable(f"unknown accelerator `{name}`") from wrong
    return chip


def _chip(row: Row, precision: str) -> tuple[Accelerator, dict[str, float]]:
    chip = _accelerator(row)
    count = number(row, "n_accel")
    if math.isnan(count):
        raise Unreadable("no number of accelerators")
    per_node = given(row, "accel_per_node", min(count, 4 if (chip.scaleup_domain or 8) > 8 else 8))
    network = _network_share(row.get("interconnect", ""), per_node)
    return chip, chips.chip_row(
        chip, count=int(count), per_node=int(per_node), precision=precision, network_bytes_per_s=network
    )


def _degrees(row: Row, defaults: Mapping[str, float], count: float, layers: float) -> tuple[dict[str, float], bool]:
    known = not math.isnan(number(row, "tp")) or defaults["model_parallel"] == 0
    tp, pp, cp, ep = (given(row, key, 1) for key in ("tp", "pp", "cp", "ep"))
    # Some sources count the expert-parallel ranks apart from the data-parallel ones: all the rest is data-parallel here.
    pp = max(1.0, min(pp, count // (tp * cp)))
    dp = max(1.0, count // (tp * pp * cp))
    experts = given(row, "n_experts", 0)
    if experts and math.isnan(number(row, "ep")) and defaults["model_parallel"]:
        ep = float(max(e for e in (1, 2, 4, 8) if experts % e == 0 and e <= dp * cp))
    shard = SHARDING.get(row.get("sharding", ""), int(defaults["shard"]))
    group = given(row, "accel_per_node", 8) if row.get("sharding") == "hsdp" else 0.0
    vpp = given(row, "vpp", layouts.chunks_of(layers / pp) if pp > 1 and defaults["interleaved"] else 1)
    bubble, in_flight = pipeline.SCHEDULES["1f1b"]
    return {
        "tp": tp, "etp": tp if ep == 1 else 1.0, "sp": given(row, "sp", float(tp > 1 and defaults["sp"] > 0)),
        "pp": pp, "vpp": vpp, "cp": cp, "ep": ep,
        "dp": dp, "micro": math.nan, "shard": shard, "shard_group": group,
        "recompute": RECOMPUTE.get(row.get("recompute", ""), int(defaults["recompute"])), "bubble": bubble,
        "in_flight": in_flight, "offload": float(row.get("offload", "none") not in {"", "none"}),
    }, known  # fmt: skip


def _matmul_precision(row: Row) -> str:
    """The first known dtype in the cell, else bf16. fp32 on chips with TF32 means TF32: trainers switch it on."""
    words = (row.get("precision") or "").lower()
    precision = next((name for name in sorted(chips.PRECISIONS, key=len, reverse=True) if name in words), "bf16")
    chip = _accelerator(row)
    return "tf32" if precision == "fp32" and chip.peak_flop_per_s.get("tf32") else precision


def _batch(row: Row, seq: float, dp: float) -> float:
    """Sequences of an update: printed, or printed micro-batches, or what printed time and rate imply, or 4M tokens."""
    batch, micro = number(row, "global_batch_seqs"), number(row, "micro_batch")
    if not math.isnan(batch):
        return batch
    if not math.isnan(micro):
        return micro * dp * given(row, "grad_accum", 1)
    implied = number(row, "step_time_s") * number(row, "tokens_per_s_per_accel") * number(row, "n_accel") / seq
    return max(USUAL_TOKENS / seq if math.isnan(implied) else round(implied), dp)


def _micro(row: Row, net: dict[str, float], work: dict[str, float], degrees: dict[str, float], chip: dict[str, float],
           constants: dict[str, float], usual: float, usual_shard: float, total: bool) -> float:  # fmt: skip
    """Sequences of a micro-batch: printed, else the usual one; halved until it fits where the printed one may not be that.

    Some tables print the batch of an update without saying that it is accumulated.
    """
    per_rank = work["batch"] / degrees["dp"]
    printed, accum = number(row, "micro_batch"), number(row, "grad_accum")
    if not math.isnan(printed) and not math.isnan(number(row, "global_batch_seqs")):
        return max(min(printed, per_rank), 1e-3)
    if not math.isnan(accum) and math.isnan(printed):
        return max(per_rank / accum, 1e-3)
    if not math.isnan(degrees["micro"]) and math.isnan(printed):
        return min(degrees["micro"], per_rank)
    if total:
        printed /= degrees["dp"]
    micro = printed if not math.isnan(printed) else min(per_rank, usual or per_rank)
    micro = max(min(micro, per_rank), 1e-3)
    if usual_shard >= SHARDED:  # these trainers recompute rather than accumulate
        return max(micro, min(1.0, per_rank))
    records = plans.gather(plans.Net, [net]), plans.gather(plans.Work, [work])
    stack = plans.gather(stacks.Stack, [constants])
    while micro > 1:
        held = memory.components(*records, plans.gather(plans.Degrees, [degrees | {"micro": micro}]), stack)
        if held.device[0] <= chip["memory_bytes"]:
            break
        micro /= 2
    return max(micro, min(1.0, per_rank))


def plan_row(row: Row) -> PlanRow:
    """Read one row of a table of runs as a plan. Raises Unreadable with the reason when nothing can stand in."""
    stack = stacks.stack_for(row.get("framework", ""), row.get("date", ""), row.get("sharding", ""))
    defaults = stacks.defaults(stack)
    precision = _matmul_precision(row)
    shape, expert_hidden, known_shape = _shape(row)
    chip, chip_entry = _chip(row, precision)
    degrees, known_layout = _degrees(row, defaults, chip_entry["count"], shape.layers)
    printed_seq = given(row, "seq_len", 512 if row.get("family") == "bert" else 2048)
    family, task, seq = row.get("family", ""), row.get("task", "pretrain"), printed_seq
    batch = _batch(row, printed_seq, degrees["dp"])
    masked = family == "bert"
    head_share = 0.0 if masked and task != "pretrain" else (MASKED_SHARE if masked else 1.0)
    low, width = chips.low_precision_class(chip, precision), chips.PRECISIONS[precision][2]
    if masked and task == "pretrain" and defaults["unpadded"] and seq > LONG_SEQUENCE:
        seq *= REAL_TOKENS
    work = {"seq": seq, "batch": batch, "frozen": float("lora" in task), "quantised": float(task == "qlora"),
            "sixteen_bit": width, "bf16": float(precision not in {"fp16"}), "low_precision": low}  # fmt: skip
    net = shapes.net_row(shape, head_share=head_share, memory_ratio=float(family == "transformer-xl"),
                         expert_hidden=expert_hidden)  # fmt: skip
    constants = stacks.stacks().get(stack) or stacks.stacks()["generic"]
    if not known_layout:
        fixed = {"micro": number(row, "micro_batch"), "recompute": RECOMPUTE.get(row.get("recompute", ""), math.nan)}
        fixed = {name: value for name, value in fixed.items() if not math.isnan(value)}
        found = layouts.good_layout(net, work, chip_entry, stack=stack, constants=constants, fixed=fixed)
        degrees = found or degrees
    elif (
        math.isnan(number(row, "micro_batch")) and math.isnan(number(row, "grad_accum")) and defaults["model_parallel"]
    ):
        fixed = {name: degrees[name] for name in ("tp", "pp", "vpp", "cp", "ep", "shard", "recompute")}
        found = layouts.good_layout(net, work, chip_entry, stack=stack, constants=constants, fixed=fixed)
        degrees = degrees | {"micro": found["micro"]} if found else degrees
    elif batch < degrees["dp"] and math.isnan(number(row, "tp")):  # fewer sequences than ranks: some share one
        degrees["tp"] = degrees["etp"] = float(2 ** math.ceil(math.log2(degrees["dp"] / batch)))
        degrees["dp"] = max(1.0, degrees["dp"] // degrees["tp"])
    degrees["micro"] = _micro(row, net, work, degrees, chip_entry, constants, defaults["micro"], defaults["shard"],
                              stack in stacks.TOTAL_BATCH)  # fmt: skip
    return PlanRow(net=net, work=work, degrees=degrees, chip=chip_entry, stack=stack, accelerator=chip,
                   known_layout=known_layout, known_shape=known_shape, printed_seq=printed_seq)  # fmt: skip


def measured_step_s(row: Row, plan: PlanRow) -> float:
    """The measured time of one update: printed, or from the rate of tokens, or from TFLOP/s by the row's convention."""
    step = number(row, "step_time_s")
    if not math.isnan(step):
        return step
    rate = number(row, "tokens_per_s_per_accel") * number(row, "n_accel")
    if not math.isnan(rate):
        return plan.work["batch"] * plan.printed_seq / rate
    achieved = number(row, "tflops_per_accel") * TERA * number(row, "n_accel")
    return printed_flop(row, plan) / achieved


def printed_flop(row: Row, plan: PlanRow) -> float:
    """FLOP of an update as trainers print them: six a weight and token (four when frozen), full attention until 2024 and
    half of it since; a third more where the row's convention counts the recomputed forward pass."""
    net, tokens = plan.net, plan.work["batch"] * plan.work["seq"]
    weights = (
        sizes.active_parameters(plans.gather(plans.Net, [net]))[0] - (1 - net["tied"]) * net["vocab"] * net["hidden"]
    )
    half = 0.5 if net["causal"] and (row.get("date", "") >= CAUSAL_SINCE or "Meta" in row.get("framework", "")) else 1.0
    width = half * net["heads"] * (2 * net["head_dim"] + net["rope_dim"])
    scores = net["layers"] * plan.work["seq"] * width
    again = (
        4 / 3 if row.get("flops_convention") == "hardware" and plan.degrees["recompute"] == RECOMPUTE["full"] else 1.0
    )
    trained = 1 - plan.work["frozen"] / 3
    return float(again * trained * tokens * 6 * (weights + scores))
