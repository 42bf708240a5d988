"""What is asked of the cluster: how many tokens in which batches, and how the work is laid out."""

from __future__ import annotations

from dataclasses import dataclass

USUAL_SEQ_LEN = 4096  # tokens of a sequence where none is said


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A training job. `tokens` is the total that the network sees; batch in sequences.

    method: pretrain, full, lora or qlora.
    """

    tokens: float
    seq_len: int | None = None
    batch_seqs: int | None = None
    updates: float | None = None
    precision: str = "bf16"
    method: str = "pretrain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Degrees of parallelism and what goes with them.

    tp, pp, cp, ep, dp: degrees; sp: sequence parallelism over the TP group; vpp: model chunks a pipeline rank holds;
    micro: sequences in one micro-batch of one data-parallel rank; shard: none, zero1, zero2, zero3, fsdp or hsdp;
    recompute: none, selective, full; schedule: gpipe, 1f1b, interleaved, zero-bubble, dualpipe.
    """

    tp: int = 1
    sp: bool = False
    pp: int = 1
    vpp: int = 1
    cp: int = 1
    ep: int = 1
    dp: int = 1
    micro: int = 1
    shard: str = "none"
    recompute: str = "none"
    offload: str = "none"
    schedule: str = "1f1b"
