"""A measurement -> how long the whole job took: what must be known beside it, or what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from flopcast import facts
from flopcast.ask.collect import Problems
from flopcast.describe import Cluster
from flopcast.units import Measurement, show_count

HOUR_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """What the measurement has to be multiplied with; None where it is not known. `cluster` is what was measured."""

    cluster: Cluster | None
    updates: float | None = None
    tokens: float | None = None
    samples: float | None = None
    epochs: float | None = None


def whole_duration_s(measured: Measurement, text: str, amount: Amount, problems: Problems) -> float | None:
    """Seconds from start to end; None after a problem that says what else must be given."""
    if measured.kind == "duration_s":
        return measured.value
    if measured.kind == "machine_hours":
        return _of_machines(measured, text, amount.cluster, problems)
    what, known, options = {
        "step_time_s": ("updates", amount.updates, "--updates (or --batch and --seq-len, with TOKENS)"),
        "epoch_time_s": ("epochs", amount.epochs, "--epochs"),
        "tokens_per_s": ("tokens", amount.tokens, "the number of tokens"),
        "samples_per_s": ("samples", amount.samples, "--samples (or --seq-len, with TOKENS)"),
    }[measured.kind.removesuffix("_per_accelerator")]
    if known is None:
        problems.add("measured", text, f"together with {options}", f"it says nothing of the whole without {what}")
        return None
    if measured.kind in ("step_time_s", "epoch_time_s"):
        return measured.value * known
    if not measured.kind.endswith("_per_accelerator"):
        return known / measured.value
    if amount.cluster is None:
        problems.add("measured", text, "together with --on", "a rate of one accelerator needs their number")
        return None
    return known / measured.value / amount.cluster.count


def _of_machines(measured: Measurement, text: str, cluster: Cluster | None, problems: Problems) -> float | None:
    """Machine hours over the machines; the machine must be the one of the cluster."""
    if cluster is None:
        problems.add("measured", text, "together with --on", "machine hours need the number of machines")
        return None
    chip = cluster.accelerator
    if measured.of == "accelerator":
        return measured.value * HOUR_S / cluster.count
    if measured.of == "node":
        return measured.value * HOUR_S / (cluster.count / cluster.accelerators_per_node)
    if measured.of == "core":
        return measured.value * HOUR_S / (cluster.count * chip.cores)
    found = problems.attempt(lambda: facts.find_accelerator(measured.of, where="measured"))
    if found is None:
        return None
    if not same_part(found[0].key, chip.key, named=measured.of):
        hint = f"flopcast convert '{show_count(measured.value)}x{measured.of}' --to '{chip.name}' converts"
        problems.add(
            "measured", text, f"hours of {chip.name}, which --on names", hint.replace(show_count(measured.value), "1")
        )
        return None
    return measured.value * HOUR_S / cluster.count


def same_part(found: str, used: str, *, named: str) -> bool:
    """Whether a bare name (`A100`) can mean the part in use (`A100 40GB`): the same key, or the same family."""
    if found == used:
        return True
    family = found.partition("-")[0]
    return used.partition("-")[0] == family and named.strip().lower() == family
