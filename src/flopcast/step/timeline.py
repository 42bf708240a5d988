"""Timeline of one update: which stage works on which micro-batch when, as Chrome trace events.

Belongs here: the order of 1F1B and GPipe played out stage by stage. Does not: times of stages (update.py).
The trace opens in chrome://tracing and Perfetto. Interleaved schedules are drawn with their chunks merged.
"""

from __future__ import annotations

from typing import Any

from flopcast.step import update
from flopcast.step.forecast import Plan, records_of

MICROSECONDS = 1e6
FORWARD_SHARE = 1 / 3  # of a stage's time, without recomputation
RECOMPUTED_SHARE = 1 / 4
MOST_MICRO_BATCHES = 64


def order_1f1b(stage: int, stages: int, count: int) -> list[tuple[str, int]]:
    """Work of a stage in 1F1B order: warm-up forwards, then one forward and one backward in turn, then the rest.

    >>> order_1f1b(1, 2, 2)
    [('forward', 0), ('backward', 0), ('forward', 1), ('backward', 1)]
    """
    warm = min(stages - stage - 1, count)
    out = [("forward", i) for i in range(warm)]
    for i in range(count - warm):
        out += [("forward", warm + i), ("backward", i)]
    return out + [("backward", i) for i in range(count - warm, count)]


def play(stages: int, count: int, forward_s: float, backward_s: float) -> list[tuple[int, str, int, float, float]]:
    """(stage, kind, micro-batch, start, end) of every piece of work; a piece starts when its input and its stage are free.

    The end of the last is (m + p - 1) (forward + backward), the closed form that update.py uses.

    >>> max(end for *_, end in play(4, 8, 1.0, 2.0))
    33.0
    """
    orders = [order_1f1b(s, stages, count) for s in range(stages)]
    done: dict[tuple[str, int, int], float] = {}
    free, position = [0.0] * stages, [0] * stages
    out = []
    while any(position[s] < len(orders[s]) for s in range(stages)):
        for s in range(stages):
            while position[s] < len(orders[s]):
                kind, i = orders[s][position[s]]
                last = kind == "backward" and s == stages - 1
                source = (
                    ("forward", s - 1, i)
                    if kind == "forward"
                    else ("forward", s, i)
                    if last
                    else ("backward", s + 1, i)
                )
                if source not in done and not (kind == "forward" and s == 0):
                    break
                start = max(free[s], done.get(source, 0.0))
                free[s] = start + (forward_s if kind == "forward" else backward_s)
                done[kind, s, i] = free[s]
                out.append((s, kind, i, start, free[s]))
                position[s] += 1
    return out


def chrome_trace(plan: Plan) -> dict[str, Any]:
    """Chrome trace (JSON-ready) of one update of a plan: a row a pipeline stage, then data-parallel time and optimizer.

    At most 64 micro-batches are drawn; `otherData` says how many the update has.
    """
    net, work, degrees, chip, constants = records_of(plan)
    parts = update.update_parts(net, work, degrees, chip, constants)
    count = max(1, round(plan.work["batch"] / plan.degrees["micro"] / plan.degrees["dp"]))
    stages, drawn = int(plan.degrees["pp"]), min(count, MOST_MICRO_BATCHES)
    stage_s = update.stage_time(net, work, degrees, chip, constants).total.item()
    share = RECOMPUTED_SHARE if plan.degrees["recompute"] == 2 else FORWARD_SHARE
    work_done = play(stages, drawn, stage_s * share, stage_s * (1 - share))
    events = [_event(kind, s, start, end, micro_batch=i) for s, kind, i, start, end in work_done]
    clock = max(end for *_, end in work_done)
    for name in ("dp", "optimizer"):
        length = float(getattr(parts, name)[0])
        events += [_event(name, s, clock, clock + length) for s in range(stages)]
        clock += length
    other = {"micro_batches": count, "drawn": drawn, "step_time_s": float(parts.total[0])}
    return {"traceEvents": events, "displayTimeUnit": "ms", "otherData": other}


def _event(name: str, stage: int, start: float, end: float, **more: int) -> dict[str, Any]:
    return {"name": name, "ph": "X", "pid": 0, "tid": stage, "ts": start * MICROSECONDS,
            "dur": (end - start) * MICROSECONDS, "args": more}  # fmt: skip
