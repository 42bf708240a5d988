"""One update, part by part: compute, exposed communication, bubble, optimizer, host.

Belongs here: how layer times, collectives and the schedule make up the time of an update.
Does not: kernels (kernels.py, layer.py), constants (stacks.py, chips.py), memory (memory.py).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from flopcast.step import collectives, kernels, layer, pipeline, sizes
from flopcast.step.plans import Array, Chip, Degrees, Net, Work
from flopcast.step.stacks import Stack

GRADIENT_WAYS = 3.0  # forward, data gradient, weight gradient
SP_EXTRA = 0.5  # one more gather backward, half an all-reduce
WAITING_HOSTS = 7.0  # TP 8 against TP 1
HOST_BALANCE = 8.0  # power of the smooth maximum of host and device time


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Seconds of one update on the critical path, by cause; they add up to `total`."""

    gemm: Array
    attention: Array
    memory: Array
    head: Array
    recompute: Array
    tp: Array
    ep: Array
    cp: Array
    pp: Array
    host: Array
    bubble: Array
    dp: Array
    optimizer: Array
    spread: Array

    @property
    def total(self) -> Array:
        seconds: Array = np.sum([getattr(self, field.name) for field in fields(self)], axis=0)
        return seconds


def head_time(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> Array:
    """Time of the output head and the loss for one micro-batch, forward and backward [s].

    Three products of (tokens, V/t, h) in 16 bits and `head_bytes` bytes a logit through memory.
    """
    tokens = layer.tokens_of_rank(work, degrees) * net.head_share
    width = np.maximum(net.vocab / degrees.tp, 1)
    rate = chip.peak16 * chip.gemm16_fraction * chip.clock * stack.gemm
    one = kernels.gemm_time_s(m=tokens, n=width, k=net.hidden, rate=rate, m0=chip.gemm16_m0, n0=chip.gemm16_n0,
                              k0=chip.gemm16_k0, launch_s=chip.gemm_launch_s)  # fmt: skip
    ways = GRADIENT_WAYS - work.frozen
    loss = tokens * width * stack.head_bytes / chip.memory_bytes_per_s
    return np.where((net.vocab > 0) & (net.head_share > 0), ways * one + loss, 0.0)


def tp_layer_time(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> Array:
    """Exposed tensor-parallel time of a layer and micro-batch, one way [s].

    Two all-reduces of b s h for a dense layer (with SP the same bytes as gather and scatter), one where experts follow.
    """
    group = degrees.tp
    rate = collectives.bus_bytes_per_s(chip, group=group, span=group, link=stack.link_share, net=stack.net_share)
    wait = collectives.hops_latency_s(chip, group=group, span=group)
    tensor = layer.tokens_of_rank(work, degrees) * net.hidden * work.sixteen_bit
    once = collectives.all_reduce_time_s(full_bytes=tensor, group=group, bytes_per_s=rate, latency_s=wait)
    alone = np.where((net.shared_ffn == 0) & (degrees.etp == 1), layer.expert_share(net), 0.0)
    shown: Array = once * (2 - alone) * stack.tp_exposed
    return shown


def ep_layer_time(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> Array:
    """Exposed expert-parallel time of a layer and micro-batch, one way [s]: dispatch and combine."""
    sent = layer.tokens_of_rank(work, degrees) / degrees.tp * net.experts_per_token * net.expert_hidden * 2
    domains = degrees.ep / np.maximum(chip.domain, 1)
    distinct = collectives.sent_share(copies=net.experts_per_token, domains=domains)
    once = collectives.all_to_all_time_s(
        chip, sent_bytes=sent, group=degrees.ep, span=degrees.ep, link=stack.link_share, net=stack.net_share,
        across=np.where(stack.dedupe > 0, distinct, 1.0),
    )  # fmt: skip
    return layer.expert_share(net) * once * 2 * stack.ep_exposed


def cp_layer_time(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack, attention: Array) -> Array:
    """Exposed context-parallel time of a layer, forward [s]: keys and values once round the ring.

    What is longer than the attention of the layer shows whole; of the rest, `cp_exposed`. Backward takes twice that.
    """
    tokens = layer.tokens_of_rank(work, degrees)
    width = np.where(layer.latent(net) > 0, net.heads / degrees.tp * (net.head_dim + net.v_dim),
                     2 * np.maximum(net.kv_heads / degrees.tp, 1) * net.head_dim)  # fmt: skip
    span = degrees.tp * degrees.cp
    rate = collectives.bus_bytes_per_s(chip, group=degrees.cp, span=span, link=stack.link_share, net=stack.net_share)
    moved = tokens * width * 2 * (degrees.cp - 1) / rate
    return np.where(degrees.cp > 1, np.maximum(moved - attention, 0) + stack.cp_exposed * moved, 0.0)


def pp_micro_time(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> Array:
    """Exposed pipeline transfers of a micro-batch [s]: b s h / (t with SP) bytes forward and backward, each chunk."""
    tensor = layer.tokens_of_rank(work, degrees) * net.hidden * work.sixteen_bit / degrees.tp
    span = chip.count / degrees.pp * 2
    rate = np.where(
        span > chip.domain, chip.net_bytes_per_s * stack.net_share, chip.link_bytes_per_s * stack.link_share
    )
    wait = np.where(span > chip.domain, chip.net_latency_s, chip.link_latency_s)
    once = wait + stack.pp_wait_s + tensor / rate
    return np.where(degrees.pp > 1, 2 * np.maximum(degrees.vpp, 1) * once * stack.pp_exposed, 0.0)


def data_parallel_times(net: Net, degrees: Degrees, chip: Chip, stack: Stack, work: Work) -> tuple[Array, Array]:
    """Data-parallel communication [s]: (of every micro-batch, of the update), before any of it hides.

    Unsharded, ZeRO-1 and ZeRO-2: reduce-scatter and all-gather of the rank's gradients and weights once an update. ZeRO-3
    and FSDP: two gathers of the weights and one reduce-scatter for every micro-batch; HSDP inside a sub-group, plus one
    all-reduce of the shard among the groups. Experts have their own, smaller groups.
    """
    held = sizes.rank_sizes(net, degrees)
    replicas = degrees.dp * degrees.cp
    full = degrees.shard >= 3
    group = np.where(full & (degrees.shard_group > 0), np.minimum(degrees.shard_group, replicas), replicas)
    expert_group = np.maximum(replicas * degrees.tp / np.maximum(degrees.ep * degrees.etp, 1), 1)
    per_gather = held.dense * 2
    dense = _gather(chip, stack, per_gather, group, group * degrees.tp)
    expert = _gather(chip, stack, held.expert * 2, expert_group, chip.count / degrees.pp)
    trained = 1 - work.frozen
    once = dense + expert
    outer = _gather(chip, stack, per_gather / np.maximum(group, 1), replicas / np.maximum(group, 1), chip.count)
    of_micro = np.where(full, (2 + trained) * once, 0.0)
    of_update = trained * np.where(full, 2 * outer, 2 * once * stack.grad_wire)
    return of_micro, of_update


def _gather(chip: Chip, stack: Stack, full_bytes: Array, group: Array, span: Array) -> Array:
    rate = collectives.bus_bytes_per_s(chip, group=group, span=span, link=stack.link_share, net=stack.net_share)
    wait = collectives.hops_latency_s(chip, group=group, span=span)
    return collectives.gather_time_s(full_bytes=full_bytes, group=group, bytes_per_s=rate, latency_s=wait)


def optimizer_time(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> Array:
    """Time of the optimizer [s]: bytes of all states of the parameters a rank updates, over the bandwidth."""
    held = sizes.rank_sizes(net, degrees)
    shards = np.where(degrees.shard >= 1, degrees.dp * degrees.cp, 1.0)
    expert_shards = np.where(degrees.shard >= 1, np.maximum(shards * degrees.tp / (degrees.ep * degrees.etp), 1), 1.0)
    owned = held.dense / shards + held.expert / expert_shards
    return owned * stack.optimizer_bytes * (1 - work.frozen) / chip.memory_bytes_per_s


def host_layer_time(net: Net, degrees: Degrees, stack: Stack) -> Array:
    """Time that the host needs to launch the kernels of a layer, forward, for one micro-batch [s]."""
    waits = 1 + stack.host_tp * (degrees.tp - 1) / WAITING_HOSTS
    broken = layer.broken_softmax(net, degrees, stack)
    return stack.host_layer_s * waits + layer.expert_share(net) * stack.host_expert_s + broken * stack.host_softmax_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Seconds of the layers of one pipeline rank for one micro-batch, by cause; `device` is their sum without the host."""

    by_cause: dict[str, Array]
    device: Array
    host: Array

    @property
    def total(self) -> Array:
        return self.device + self.host


def stage_time(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> Stage:
    """What the layers of a rank cost for one micro-batch: forward, backward and what is recomputed, each paced by the
    slower of device and host."""
    held = sizes.rank_sizes(net, degrees)
    one = layer.layer_time(net, work, degrees, chip, stack, layer_parameters=held.layer)
    again = np.where(degrees.recompute == 2, 1.0, np.where(degrees.recompute == 1, stack.recompute_share, 0.0))
    tp = tp_layer_time(net, work, degrees, chip, stack)
    ep = ep_layer_time(net, work, degrees, chip, stack)
    cp = cp_layer_time(net, work, degrees, chip, stack, one.attention_f)
    gathers = 1 + SP_EXTRA * (degrees.sp > 0)
    forward = one.forward + tp + ep + cp
    backward = one.backward + gathers * tp + ep + 2 * cp
    launch = host_layer_time(net, degrees, stack)
    paced_f = kernels.soft_max(forward, launch, HOST_BALANCE)
    paced_b = kernels.soft_max(backward, launch * stack.host_backward, HOST_BALANCE)
    full = degrees.recompute == 2
    causes = {
        "gemm": one.gemm_f + one.gemm_b, "attention": one.attention_f + one.attention_b,
        "memory": one.memory_f + one.memory_b, "recompute": again * one.forward,
        "tp": (1 + gathers + full) * tp, "ep": (2 + full) * ep, "cp": (3 + full) * cp,
    }  # fmt: skip
    depth = np.ceil(net.layers / degrees.pp)
    waiting = (1 + again) * (paced_f - forward) + paced_b - backward
    by_cause = {name: depth * value for name, value in causes.items()}
    by_cause["pp"] = pp_micro_time(net, work, degrees, chip, stack)
    device = np.sum(list(by_cause.values()), axis=0)
    return Stage(by_cause=by_cause, device=device, host=depth * waiting)


def update_parts(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> Parts:
    """Seconds of one update, by part.

    update = m x slowest stage + (p - 1)/v x stage + exposed DP + optimizer + host, times the wait for the slowest node,
    1 + spread sqrt(2 ln nodes). The slowest stage is the last when the head weighs more than the layers it lacks.
    """
    stage = stage_time(net, work, degrees, chip, stack)
    count = pipeline.micro_batches(batch=work.batch, micro=degrees.micro, dp=degrees.dp)
    short = (net.layers % degrees.pp > 0) / np.ceil(net.layers / degrees.pp)
    head = np.maximum(head_time(net, work, degrees, chip, stack) - short * stage.total, 0.0)
    of_micro, of_update = data_parallel_times(net, degrees, chip, stack, work)
    hidden = 1 - stack.dp_exposed
    paced = stage.total + head
    shown_micro = stack.dp_exposed * of_micro + np.maximum(hidden * of_micro - paced, 0)
    shown_update = stack.dp_exposed * of_update + np.maximum(hidden * of_update - paced, 0)
    fill = pipeline.fill_stages(degrees) * stage.total
    step = optimizer_time(net, work, degrees, chip, stack)
    base = count * (paced + shown_micro) + fill + shown_update + step + stack.host_update_s
    nodes = np.maximum(chip.count / chip.node, 1)
    return Parts(
        **{name: count * value for name, value in stage.by_cause.items()},
        head=count * head, host=count * stage.host + stack.host_update_s,
        bubble=fill, dp=count * shown_micro + shown_update, optimizer=step,
        spread=base * stack.spread * np.sqrt(2 * np.log(nodes)),
    )  # fmt: skip
