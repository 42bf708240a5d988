"""A cluster as typed -> `Cluster`: chips and nodes by the names people use."""

from __future__ import annotations

import re
from dataclasses import replace

from flopcast import facts
from flopcast.describe import Accelerator, Cluster, Node
from flopcast.errors import BadInput
from flopcast.units import ClusterWords, parse_cluster_words
from flopcast.units.numbers import fail

DEFAULT_NODE_ACCELERATORS = 8
PEAK_KEY = {
    "fp64": "fp64", "fp32": "fp32", "tf32": "tf32", "fp16": "fp16", "bf16": "bf16", "fp8": "fp8", "mxfp8": "fp8",
    "int8": "int8", "fp4": "fp4", "nvfp4": "fp4", "mxfp4": "fp4",
}  # fmt: skip


def read_cluster(text: str, *, where: str = "on") -> Cluster:
    """`16384xH100`, `2xp5.48xlarge`, `v3-512`, `64 nodes of HGX H100` -> accelerators, counted in parts (chips, GPUs)."""
    words = _with_memory(parse_cluster_words(text, where=where))
    if words.counted == "nodes" or _looks_like_node(words.chip):
        node = _node(words, where)
        if node is not None:
            accelerator = facts.accelerators()[node.accelerator]
            said = (f"{node.key}: {node.accelerators} x {accelerator.name} in a node",)
            count = words.count * node.accelerators
            return Cluster(accelerator=accelerator, count=count, node=node, asked_as=text, assumed=said)
    accelerator, assumed = facts.find_accelerator(words.chip, where=where)
    if words.counted == "cores":
        return _from_cores(words, accelerator, assumed, text, where)
    count = words.count
    if words.counted == "nodes":
        size = DEFAULT_NODE_ACCELERATORS
        count *= size
        assumed = (*assumed, f"a node holds {size} x {accelerator.name}")
    return Cluster(accelerator=accelerator, count=count, asked_as=text, assumed=assumed)


def peak_flop_per_s(accelerator: Accelerator, precision: str, *, where: str = "precision") -> float:
    """Dense peak of one part at a precision; raises BadInput where the part has none, with what it has."""
    key = PEAK_KEY.get(precision)
    if key is None:
        raise fail(where, precision, f"one of {', '.join(PEAK_KEY)}")
    peak = accelerator.peak_flop_per_s.get(key)
    if peak:
        return peak
    rates = [f"{name} {value / 1e12:,.4g}" for name, value in accelerator.peak_flop_per_s.items() if name != "fp64"]
    have = ", ".join(rates) or "none known"
    raise fail(where, precision, f"a precision that {accelerator.name} has a known matrix rate for", f"TFLOP/s: {have}")


def _with_memory(words: ClusterWords) -> ClusterWords:
    """`DGX-A100 (8x40G)` names the memory of a card in brackets: say it as the card's name does."""
    match = re.fullmatch(r"(.*?)\s*\(\s*(?:\d+\s*x\s*)?(\d+)\s*gi?b?\s*\)", words.chip, flags=re.IGNORECASE)
    return replace(words, chip=f"{match[1]} {match[2]}GB") if match else words


def _looks_like_node(chip: str) -> bool:
    return bool(re.match(r"(dgx|hgx)\b", chip, re.IGNORECASE)) or bool(re.search(r"[a-z]\w*\.\w|-\d+g\b", chip.lower()))


def _node(words: ClusterWords, where: str) -> Node | None:
    found = facts.find_node(words.chip)
    if not found:
        try:
            facts.find_accelerator(words.chip, where=where)
        except BadInput:
            if "." in words.chip:
                raise fail(where, words.chip, "a known node type", "see `flopcast facts nodes`") from None
        return None
    return found[0]


def _from_cores(words: ClusterWords, chip: Accelerator, assumed: tuple[str, ...], text: str, where: str) -> Cluster:
    if words.count % chip.cores:
        raise fail(where, text, f"a multiple of {chip.cores} cores: {chip.name} has {chip.cores} cores a chip")
    count = words.count // chip.cores
    said = f"the {words.count} in the name counts cores: {count} chips of {chip.cores} cores"
    return Cluster(accelerator=chip, count=count, asked_as=text, assumed=(*assumed, said))
