#!/usr/bin/env python3
"""Run a few training steps of small transformers with torch and put the forecast beside each.

    python tools/compare_step.py                 on a GPU: 100M to 7B, as many as fit; without one: toy sizes on the CPU
    python tools/compare_step.py --chip H100     forecast for a chip that torch names otherwise

Plain PyTorch: bf16 weights under autocast, fused attention, AdamW, no compile. The CPU run only shows that the script works; no forecast
is made for a CPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as fn

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from flopcast.describe import Cluster, Layout, Shape, Workload
from flopcast.errors import BadInput
from flopcast.facts import find_accelerator
from flopcast.step import simulate

STEPS, WARM_UP = 8, 3
SIZES = {"100M": (12, 768, 12), "350M": (24, 1024, 16), "1.3B": (24, 2048, 16), "7B": (32, 4096, 32)}
TOY = {"toy-1M": (2, 128, 2), "toy-8M": (4, 256, 4)}


class Block(nn.Module):
    """Pre-norm attention and gated MLP."""

    def __init__(self, hidden: int, heads: int, ffn: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(hidden) for _ in range(2)])
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden, bias=False), nn.Linear(hidden, hidden, bias=False)
        self.up, self.down = nn.Linear(hidden, 2 * ffn, bias=False), nn.Linear(ffn, hidden, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, s, h = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(b, s, 3, self.heads, h // self.heads).permute(2, 0, 3, 1, 4)
        seen = fn.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(b, s, h))
        gate, value = self.up(self.norms[1](x)).chunk(2, -1)
        return x + self.down(fn.silu(gate) * value)


def step_of(shape: Shape, seq: int, batch: int, device: str) -> Callable[[], None]:
    """One training step as a function."""
    blocks = nn.Sequential(*[Block(shape.hidden, shape.heads, shape.ffn) for _ in range(shape.layers)]).to(device)
    table, head = (
        nn.Embedding(shape.vocab, shape.hidden).to(device),
        nn.Linear(shape.hidden, shape.vocab, bias=False).to(device),
    )
    weights = [p for part in (blocks, table, head) for p in part.parameters()]
    optimizer = torch.optim.AdamW(weights, lr=1e-4, fused=device == "cuda")
    tokens = torch.randint(shape.vocab, (batch, seq + 1), device=device)

    def step() -> None:
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = head(blocks(table(tokens[:, :-1])))
        fn.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten()).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def timed(step: Callable[[], None], device: str) -> float:
    """Median seconds of a step after warm-up."""
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        step()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return sorted(times[WARM_UP:])[(STEPS - WARM_UP) // 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = options.chip or (torch.cuda.get_device_name() if device == "cuda" else "")
    try:
        chip = find_accelerator(name)[0] if name else None
    except BadInput as wrong:
        sys.exit(str(wrong))
    seq, batch = (2048, 4) if device == "cuda" else (64, 2)
    print(f"{'size':8s} {'measured s':>11s} {'forecast s':>11s} {'error':>7s} {'peak GiB':>9s} {'forecast':>9s}")
    for size, (layers, hidden, heads) in (SIZES if device == "cuda" else TOY).items():
        ffn = round(8 / 3 * hidden / 64) * 64
        shape = Shape(layers=layers, hidden=hidden, heads=heads, kv_heads=heads, head_dim=hidden // heads, ffn=ffn, gated_mlp=True,
                      vocab=50304 if device == "cuda" else 512)  # fmt: skip
        try:
            measured = timed(step_of(shape, seq, batch, device), device)
        except torch.cuda.OutOfMemoryError:
            print(f"{size:8s} out of memory")
            continue
        line = f"{size:8s} {measured:11.4f}"
        if chip is not None:
            work = Workload(tokens=1e9, seq_len=seq, batch_seqs=batch)
            got = simulate(shape, work, Cluster(accelerator=chip, count=1), Layout(micro=batch), "torchtitan")
            peak = torch.cuda.max_memory_reserved() / 2**30 if device == "cuda" else float("nan")
            error = got.step_time_s.expected / measured - 1
            line += f" {got.step_time_s.expected:11.4f} {100 * error:+6.1f}% {peak:9.1f} {got.memory.reserved_bytes / 2**30:9.1f}"
        print(line)
        if device == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()


if __name__ == "__main__":
    main()
