"""Run as a process: builds the configuration on standard input on torch's meta device, prints its parts as JSON."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

CLASSES = (
    "AutoModelForCausalLM",
    "AutoModelForImageTextToText",
    "AutoModelForSeq2SeqLM",
    "AutoModelForMaskedLM",
    "AutoModel",
)
MULTIPLIED = {"Linear", "Conv1D"}
EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
CHOSEN = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "top_k_experts")


class Refused(Exception):  # noqa: N818 - it is an answer, not an error
    """This configuration is not counted; the message says what would be."""


def main() -> None:
    """Read a configuration, print an answer in one line."""
    config = json.load(sys.stdin)
    try:
        answer = count(config)
    except Refused as refusal:
        answer = {"refused": str(refusal)}
    except Exception as error:  # whatever a library makes of an unchecked configuration
        answer = {"refused": f"a configuration that transformers can build ({type(error).__name__}: {error})"[:400]}
    print(json.dumps(answer))


def count(config: dict[str, Any]) -> dict[str, Any]:
    """Build the network and sum its parts."""
    import torch
    import transformers

    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    fields = dict(config)
    made = transformers.AutoConfig.for_model(fields.pop("model_type"), **fields)
    model = None
    with torch.device("meta"):
        for name in CLASSES:
            if type(made) in getattr(transformers, name)._model_mapping:
                model = getattr(transformers, name).from_config(made)
                break
    if model is None:
        raise Refused("a model type with a network")
    chosen = share_of_experts(made.get_text_config())
    parts = parts_of(model, chosen, torch)
    return {"parts": parts, "made": type(model).__name__, "version": transformers.__version__}


def share_of_experts(text: Any) -> tuple[int, int] | None:
    """Experts that work on a token and experts there are, where the configuration says both."""
    count = next((getattr(text, name) for name in EXPERTS if isinstance(getattr(text, name, None), int)), None)
    chosen = next((getattr(text, name) for name in CHOSEN if isinstance(getattr(text, name, None), int)), None)
    return (chosen, count) if count and chosen and chosen <= count else None


def parts_of(model: Any, chosen: tuple[int, int] | None, torch: Any) -> list[dict[str, Any]]:
    """One part for each kind of parameter, layer numbers left out; shared parameters count once."""
    sums: dict[tuple[str, str], dict[str, Any]] = {}
    owners = dict(model.named_modules())
    tables, head = embeddings_of(model)
    for name, weight in model.named_parameters():
        owner = owners[name.rpartition(".")[0]]
        kind = type(owner).__name__
        if is_sliding_convolution(owner, weight, torch):
            raise Refused("a transformer: the work of a convolution depends on the size of its input")
        expert = "experts" in name and "shared" not in name
        if expert and chosen is None:
            raise Refused("a network of which it is known how many experts work on a token")
        role = "experts" if expert else role_of(name, owner, tables, head, torch)
        linear = isinstance(owner, torch.nn.Linear) or kind in MULTIPLIED or kind.endswith("Router")
        multiplied = weight.dim() == 3 if expert and not linear else linear and weight.dim() == 2
        products = weight.numel() if multiplied else 0
        add(sums, re.sub(r"\.\d+(?=\.)", "", name), role, weight.numel(), products, chosen if expert else None)
    if head is not None and tables is not None and head.weight is tables.weight:
        add(sums, "head", "head", 0, head.weight.numel(), None)
    return list(sums.values())


def embeddings_of(model: Any) -> tuple[Any, Any]:
    """The input table and the head, None where there is none."""
    try:
        return model.get_input_embeddings(), model.get_output_embeddings()
    except (NotImplementedError, AttributeError):
        return None, None


def is_sliding_convolution(owner: Any, weight: Any, torch: Any) -> bool:
    """Whether the weight is of a convolution that does more than cut its input into patches."""
    kinds = (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)
    return isinstance(owner, kinds) and weight.dim() > 2 and tuple(owner.kernel_size) != tuple(owner.stride)


def role_of(name: str, owner: Any, tables: Any, head: Any, torch: Any) -> str:
    """The role of a parameter, by the module that owns it."""
    if owner is tables:
        return "embedding"
    if owner is head:
        return "head"
    if isinstance(owner, torch.nn.Embedding):
        return "position"
    if "norm" in name.lower():
        return "norm"
    if "attn" in name or "attention" in name:
        return "attention"
    return "mlp" if "mlp" in name or "feed_forward" in name else "other"


def add(
    sums: dict[tuple[str, str], dict[str, Any]],
    name: str,
    role: str,
    parameters: int,
    products: int,
    chosen: tuple[int, int] | None,
) -> None:
    """Add parameters to their part; of experts, only the chosen are active."""
    part = sums.setdefault(
        (name, role), {"name": name, "role": role, "parameters": 0, "active_parameters": 0, "matmul_weights": 0}
    )
    working, there = chosen or (1, 1)
    part["parameters"] += parameters
    part["active_parameters"] += parameters * working // there
    part["matmul_weights"] += products * working // there


if __name__ == "__main__":
    main()
